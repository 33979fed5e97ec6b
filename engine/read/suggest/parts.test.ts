// The parts of suggestions, each alone: frequent words of a dictionary, the fields that they come from,
// the spelling in a text, and characters in units of a text.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareText } from '../../../format/bytes/index.ts'
import { type Documents, Pair } from '../segment-text/test-support.ts'
import { scopeOf } from '../segment-text/where.ts'
import { frequentWithPrefix } from './frequent-words.ts'
import { fieldsOf, shownScope, titleFields } from './shown-fields.ts'
import { spellingIn } from './spelling.ts'
import { unitsOf } from './typed.ts'

describe('the most frequent words with a prefix', () => {
  /** Documents with the numbers of words; the word `w3` is in as many documents as `counts[3]`. */
  const documentsOf = (counts: readonly number[], from = 0): Documents =>
    new Map(
      Array.from({ length: Math.max(1, ...counts) }, (_, i) => {
        const words = counts.flatMap((count, n) => (i < count ? [`w${n}`] : []))
        return [from + i, [['other', ...words]]] as const
      }),
    )

  it('are those of a sort by documents, then by bytes', () => {
    const counts = fc.array(fc.constantFrom(1, 2, 3, 7), { minLength: 1, maxLength: 14 })
    const prefix = fc.constantFrom('w', 'w1', 'w12', 'x', '')
    fc.assert(
      fc.property(counts, prefix, fc.integer({ min: 1, max: 16 }), (all, begins, most) => {
        const segments = [documentsOf(all)]
        const { index } = new Pair({ segments, deleted: new Set(), smallDocumentsMax: 0 })
        const words = [...all.keys()].map((n) => [`w${n}`, all[n]!] as const)
        const found = [...words, ['other', Math.max(...all)] as const]
          .filter(([text]) => text.startsWith(begins) && text !== begins)
          .sort(([a, x], [b, y]) => y - x || compareText(a, b))
        const shown = frequentWithPrefix(index, begins, most)
        expect(shown.map(({ text, frequencyMax }) => [text, frequencyMax])).toEqual(
          found.slice(0, most),
        )
      }),
      { numRuns: 60 },
    )
  })

  it('are counted over all segments, and live', () => {
    const segments = [documentsOf([3, 1, 2]), documentsOf([0, 3, 1], 10)]
    const of = (deleted: readonly number[], most: number) => {
      const { index } = new Pair({ segments, deleted: new Set(deleted), smallDocumentsMax: 0 })
      return frequentWithPrefix(index, 'w', most).map(({ text }) => text)
    }
    expect(of([], 3)).toEqual(['w1', 'w0', 'w2'])
    expect(of([], 2)).toEqual(['w1', 'w0'])
    expect(of([0, 10, 11, 12], 3)).toEqual(['w0', 'w2'])
  })
})

describe('the fields of suggestions', () => {
  const viewOf = (displayedAttributes: readonly string[] | null) =>
    ({
      ref: { primaryKey: 'id' },
      settings: { displayedAttributes },
      search: {
        fields: ['id', 'title', 'plot', 'note.a'],
        searchableFields: () => [0, 1, 2, 3],
        weightOf: (field: number) => [0, 1, 1, null][field],
      },
    }) as never
  const some = scopeOf([3, 2])

  it('are those of the scope, or all that are searched', () => {
    expect([fieldsOf(viewOf(null), some), fieldsOf(viewOf(null), null)]).toEqual([
      [2, 3],
      [0, 1, 2, 3],
    ])
  })

  it('are shown by hits', () => {
    expect([shownScope(viewOf(null), some), shownScope(viewOf(null), null)]).toEqual([some, null])
    expect(shownScope(viewOf(['title', 'note']), null)?.fields).toEqual([1, 3])
    expect(shownScope(viewOf(['title', 'note']), some)?.fields).toEqual([3])
  })

  it('are titles if they were named, or are the first but the id', () => {
    const of = (named: boolean, scope = null as typeof some | null) =>
      titleFields(viewOf(null), scope, named)
    expect([of(true), of(true, some)]).toEqual([
      [0, 1, 2, 3],
      [2, 3],
    ])
    expect([of(false), of(false, scopeOf([3])), of(false, scopeOf([0]))]).toEqual([[1, 2], [3], []])
  })
})

it.each([
  ['abc', 0, 0],
  ['abc', 2, 2],
  ['abc', 9, 3],
  ['𝒜b', 1, 2],
  ['𝒜b', 2, 3],
  ['', 1, 0],
  ['abc', -1, 0],
])('of %j, %i characters are %i units', (text, count, units) => {
  expect(unitsOf(text, count)).toBe(units)
})

describe('the spelling of a word', () => {
  const tokenize = (text: string) =>
    [...text.matchAll(/\p{L}+/gu)].map(({ 0: word, index }) => ({
      lemma: word.toLowerCase(),
      start: index,
      end: index + word.length,
    }))
  const view = { search: { analyzer: { tokenize } } } as never
  const spelled = (texts: readonly string[], ...lemmas: string[]) =>
    spellingIn(
      view,
      { of: () => texts.map((text) => ({ text, locales: null })) } as never,
      1,
      lemmas,
    )

  it.each<[readonly string[], string[], string | null]>([
    [['a Red Door'], ['red'], 'Red'],
    [['Door', 'red, RED'], ['red'], 'red'],
    // The first field decides, there the preferred word, and of equal words the first.
    [['Door RED', 'Blue'], ['blue', 'door'], 'Door'],
    [['Door Red Blue blue'], ['blue', 'red', 'door'], 'Blue'],
    [['Door'], ['red'], null],
    [[], ['red'], null],
  ])('in %j of %j is %j', (texts, lemmas, spelling) => {
    expect(spelled(texts, ...lemmas)).toBe(spelling)
  })
})
