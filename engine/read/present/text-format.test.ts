// Highlighting and cropping of any text, compared with the naive model of `test-model.ts`.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { partsOf } from '../../text/index.ts'
import { Matcher } from './matcher.ts'
import { type ModelOptions, TextModel } from './test-model.ts'
import { SmallIndex } from './test-support.ts'

const LATIN = ['sun', 'Sunny', 'sunflower', 'flower', 'Été', 'e\u0301te\u0301', 'straße', 'Œuvre']
const COMPATIBLE = ['ﬁsh', 'Ａｂｃ', '①', '½', '㎏', 'ﾊﾝｶｸ', 'ℌello', 'ǆep', 'x²', '…', 'ŀl']
const SEPARATED = ['мир', 'Привет', 'ΣΟΦΟΣ', 'σοφός', 'שלום', 'مرحبا', 'हिन्दी', 'ი̈']
const UNSEPARATED = ['日本語', '東京都', '中国', '한국어', 'ひらがな', 'カタカナ', 'ภาษาไทย']
const OTHERS = [
  '😀',
  '👩‍👧',
  '12',
  '3.5',
  '\u0000',
  '\u200b',
  'a\u0007b',
  '10\u00a0km',
  '\u2011',
  '\u207a2',
]
const SEPARATORS = [
  ' ',
  ' ',
  ' ',
  ', ',
  '. ',
  '-',
  '"',
  '\\',
  '\n',
  '\u00a0',
  '\u202f',
  "'",
  '? ',
  '。',
]

const anyOf = (...lists: readonly (readonly string[])[]) => fc.constantFrom(...lists.flat())
/** The model does not know the parts of words like `summerSun`; hit-formatter.test.ts tests them. */
const hasParts = (text: string): boolean =>
  text.split(/[^\p{L}\p{M}\p{N}]+/u).some((word) => partsOf(word).length > 0)
const textOf = (words: fc.Arbitrary<string>) =>
  fc
    .array(fc.tuple(words, fc.constantFrom(...SEPARATORS, '')), { maxLength: 12 })
    .map((pieces) => pieces.flat().join(''))
    .filter((text) => !hasParts(text))

/** A query: words of the text or parts of them, perhaps in quotes, perhaps with an open end. */
const queryOf = (words: fc.Arbitrary<string>) =>
  fc
    .tuple(
      fc.array(fc.tuple(words, fc.integer({ min: 1, max: 9 })), { minLength: 1, maxLength: 3 }),
      fc.constantFrom(['', ''], ['', ''], ['"', '"'], ['"', '']),
      fc.constantFrom('', ' '),
    )
    .map(([parts, [open, close], end]) => {
      const text = parts.map(([word, chars]) => [...word].slice(0, chars).join('')).join(' ')
      return open! + text + close! + end
    })

const PLAIN: ModelOptions = {
  highlight: true,
  cropWords: 0,
  pre: '\u2770',
  post: '\u2771',
  marker: '\u22ef',
}

/** An index of some texts; one, because the tables of its analyzer cost more than the rest. */
class Texts {
  readonly #texts: readonly string[]
  readonly #index: SmallIndex

  constructor(texts: readonly string[]) {
    this.#texts = texts
    this.#index = new SmallIndex(texts.map((t) => ({ t })))
  }

  /** Formats all texts with the code under test and with the model, and compares them. */
  compare(query: string, lazy: boolean, options: readonly Partial<ModelOptions>[]): void {
    const graph = this.#index.graph(query, lazy)
    const matcher = Matcher.of(graph)
    const model = new TextModel(this.#index.text.search.analyzer, graph)
    for (const option of options) {
      const all = { ...PLAIN, ...option }
      const request = {
        attributesToHighlight: all.highlight ? ['t'] : null,
        attributesToCrop: [`t:${all.cropWords}`],
        cropMarker: all.marker,
        highlightPreTag: all.pre,
        highlightPostTag: all.post,
      }
      const hits = this.#index.format(matcher, request)
      const shown = hits.map(({ formatted }) => formatted!['t'])
      const expected = this.#texts.map((text) => model.format(text, all))
      expect([query, all.cropWords, ...shown]).toEqual([query, all.cropWords, ...expected])
      const positions = hits.map((hit) => hit.positions['t'] ?? [])
      expect(positions).toEqual(this.#texts.map((text) => positionsOf(model, text)))
    }
  }
}

const positionsOf = (model: TextModel, text: string) =>
  model.matches(text).map(({ from, to }) => ({
    start: Buffer.byteLength(text.slice(0, from)),
    length: Buffer.byteLength(text.slice(from, to)),
  }))

const ALPHABETS: readonly (readonly [string, readonly (readonly string[])[]])[] = [
  ['Latin text', [LATIN]],
  ['compatibility forms', [LATIN, COMPATIBLE]],
  ['text in several scripts', [LATIN, SEPARATED, OTHERS]],
  ['text without spaces between words', [UNSEPARATED, LATIN]],
  ['a mixture of everything', [LATIN, COMPATIBLE, SEPARATED, UNSEPARATED, OTHERS]],
]

describe.each(ALPHABETS)('%s', (_, alphabet) => {
  const words = anyOf(...alphabet)
  const texts = fc.array(textOf(words), { minLength: 1, maxLength: 10 })
  const queries = fc.array(fc.tuple(queryOf(words), fc.boolean()), { minLength: 6, maxLength: 6 })

  it('is highlighted as in the model, at the same positions', () => {
    fc.assert(
      fc.property(texts, queries, (all, searched) => {
        const index = new Texts(all)
        for (const [query, lazy] of searched) index.compare(query, lazy, [{}])
      }),
      { numRuns: 8 },
    )
  })

  it('is cropped as in the model at every length', () => {
    const lengths = Array.from({ length: 16 }, (_, cropWords) => ({ cropWords }))
    fc.assert(
      fc.property(texts, queries, fc.boolean(), (all, searched, highlight) => {
        const index = new Texts(all)
        const options = lengths.map((length) => ({ ...length, highlight }))
        for (const [query, lazy] of searched.slice(0, 3)) index.compare(query, lazy, options)
      }),
      { numRuns: 2 },
    )
  })
})

it('tags and markers are inserted unchanged, also when they are empty', () => {
  const anyTag = fc.oneof(fc.constant(''), fc.string({ unit: 'grapheme', maxLength: 4 }))
  const index = new Texts(['the "quick" brown fox. It jumps over the lazy dog', 'fox'])
  fc.assert(
    fc.property(anyTag, anyTag, anyTag, fc.nat(10), (pre, post, marker, cropWords) => {
      index.compare('fox jumps', true, [{ pre, post, marker, cropWords }])
    }),
  )
})
