// The documents of phrases, compared with a scan of the texts.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { phraseOf } from '../query-graph/phrase.ts'
import { type Document, SmallText } from '../query-graph/test-support.ts'
import { scopeOf } from '../segment-text/index.ts'

const STOP_WORDS = ['of', 'on']
const word = fc.constantFrom('a', 'b', 'ab', 'abc', 'b', ...STOP_WORDS)
/** A word, and whether a hard separator follows it. */
const value = fc.array(fc.tuple(word, fc.nat(5)), { maxLength: 12 })
const field = fc.array(value, { maxLength: 3 })
const fields = fc.record({ t: field, u: field })
type Value = readonly (readonly [string, number])[]
type Fields = { readonly t: readonly Value[]; readonly u: readonly Value[] }

const textOf = (words: Value): string =>
  words.map(([text, end]) => (end === 0 ? `${text}.` : text)).join(' ')
const documentOf = ({ t, u }: Fields): Document => ({ t: t.map(textOf), u: u.map(textOf) })

type Drawn = { words: readonly string[]; isPrefix: boolean; breaks: readonly number[] }
const phrase: fc.Arbitrary<Drawn> = fc
  .record({
    words: fc.array(word, { minLength: 1, maxLength: 6 }),
    isPrefix: fc.boolean(),
    breaks: fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { maxLength: 2 }),
  })
  .map(({ breaks, words, ...rest }) => ({
    ...rest,
    words,
    breaks: breaks.filter((at) => at < words.length).sort((x, y) => x - y),
  }))

/** The words of a field with their positions (docs/search-semantics.md#values-words-and-positions). */
function placesOf(values: readonly Value[]): Map<number, string> {
  const places = new Map<number, string>()
  let next = 0
  for (const words of values) {
    // A value without words takes a position, too.
    let last = next
    for (const [text, end] of words) {
      last = next
      places.set(next, text)
      next += end === 0 ? 8 : 1
    }
    next = last + 8
  }
  return places
}

function stands({ breaks, isPrefix, words }: Drawn, values: readonly Value[]): boolean {
  const places = placesOf(values)
  const from = (at: number, i: number): boolean => {
    const text = places.get(at)
    const isLast = i === words.length - 1
    if (text === undefined) return false
    if (isLast && isPrefix ? !text.startsWith(words[i]!) : text !== words[i]) return false
    if (isLast) return true
    return from(at + 1, i + 1) || (breaks.includes(i + 1) && from(at + 8, i + 1))
  }
  return [...places.keys()].some((at) => from(at, 0))
}

const found = (small: SmallText, { breaks, isPrefix, words }: Drawn, searched: number[] | null) => {
  const space = searched === null ? small.space() : small.space(scopeOf(searched))
  return [...space.phraseDocs(phraseOf(words, isPrefix, breaks)).toArray()]
}

describe('a phrase', () => {
  const patch = { searchableAttributes: ['t', 'u'], stopWords: STOP_WORDS }

  it('is found where a scan finds it', () => {
    fc.assert(
      fc.property(
        fc.array(fields, { minLength: 1, maxLength: 12 }),
        fc.array(phrase, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 3 }),
        (documents, phrases, segments) => {
          const all = [{ t: [[['x', 1]]], u: [[['x', 1]]] } as Fields, ...documents]
          const small = new SmallText(all.map(documentOf), patch, segments)
          for (const one of phrases) {
            const holding = (names: readonly ('t' | 'u')[]) =>
              all.flatMap((each, id) => (names.some((name) => stands(one, each[name])) ? [id] : []))
            expect(found(small, one, null)).toEqual(holding(['t', 'u']))
            expect(found(small, one, [1]), 'in one field').toEqual(holding(['u']))
          }
        },
      ),
    )
  })

  it('is found among many documents, which are read by pairs first and cached', () => {
    fc.assert(
      fc.property(
        fc.array(fields, { minLength: 40, maxLength: 60 }),
        fc.array(phrase, { minLength: 4, maxLength: 8 }),
        (some, phrases) => {
          const documents = Array.from({ length: 700 }, (_, id) => some[(id * id) % some.length]!)
          const small = new SmallText(documents.map(documentOf), patch, 2)
          for (const one of [...phrases, ...phrases]) {
            const holding = documents.flatMap(({ t, u }, id) =>
              stands(one, t) || stands(one, u) ? [id] : [],
            )
            expect(found(small, one, null)).toEqual(holding)
          }
        },
      ),
      { numRuns: 5 },
    )
  })

  it('needs a common field with attribute precision', () => {
    const documents = [
      { a: 'x c y', b: 'z' },
      { a: 'x', b: 'y' },
      { a: 'x y', b: 'y z' },
      { a: 'z x', b: 'x y z' },
    ]
    const small = new SmallText(documents, { proximityPrecision: 'byAttribute' })
    const ids = (...words: string[]) => [...small.space().phraseDocs(phraseOf(words)).toArray()]
    expect(ids('y', 'x')).toEqual([0, 2, 3])
    expect(ids('y', 'x', 'z')).toEqual([3])
  })

  it('does not go on from the last position of a field to the next field', () => {
    const long = `${'x '.repeat(65_535)}a`
    const small = new SmallText([{ t: long, u: 'b' }])
    expect(found(small, { words: ['x', 'a'], isPrefix: false, breaks: [] }, null)).toEqual([0])
    expect(found(small, { words: ['x', 'a', 'b'], isPrefix: false, breaks: [] }, null)).toEqual([])
    expect(found(small, { words: ['a', 'b'], isPrefix: true, breaks: [1] }, null)).toEqual([])
  })
})
