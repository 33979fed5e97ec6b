// The parts of formatting: tokens of texts compared with those of the analyzer, sets of words and
// of prefixes compared with plain lists, and score details as written by hand.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesOfPoints, countPoints } from './points.ts'
import { PrefixRun } from './prefix-run.ts'
import { renderDetails } from './score-details.ts'
import { SmallIndex } from './test-support.ts'
import { TextReader } from './text-reader.ts'
import { HARD_TOKEN, SOFT_TOKEN, WORD_TOKEN } from './token-list.ts'
import { WordSet } from './word-set.ts'

const KINDS = {
  word: WORD_TOKEN,
  stopWord: WORD_TOKEN,
  softSeparator: SOFT_TOKEN,
  hardSeparator: HARD_TOKEN,
}
/** Beginnings of blocks of characters, so that a text mixes few scripts. */
const BLOCKS = [
  0x20, 0x20, 0x20, 0x41, 0x61, 0x80, 0xa0, 0xc0, 0x180, 0x2b0, 0x300, 0x370, 0x400, 0x530, 0x590,
  0x600, 0x900, 0x980, 0xb80, 0xd00, 0xe00, 0x10a0, 0x1100, 0x1e00, 0x1f00, 0x2000, 0x2070, 0x2100,
  0x2150, 0x2200, 0x2460, 0x3000, 0x3040, 0x30a0, 0x4e00, 0xac00, 0xf900, 0xfb00, 0xfe00, 0xff00,
  0x1d400, 0x1f600, 0x20000, 0xe0100,
]
const anyPoint = fc
  .tuple(fc.constantFrom(...BLOCKS), fc.nat(0x4f))
  .map(([block, offset]) => String.fromCodePoint(block + offset))
const anyText = fc
  .tuple(
    fc.array(anyPoint, { minLength: 1, maxLength: 4 }),
    fc.array(fc.nat(99), { maxLength: 16 }),
  )
  .map(([alphabet, picks]) => {
    const letters = [...alphabet, ' ', 'a', 'я', '. ', '"', '\u00a0']
    return picks.map((pick) => letters[pick % letters.length]!).join('')
  })

const RUNS = 500
describe('tokens of a text', () => {
  const index = new SmallIndex([{ t: 'a' }])
  const { analyzer } = index.text.search

  it('are those of the analyzer, in plain text and inside JSON', () => {
    const matcher = index.matcher('a')
    let read = 0
    fc.assert(
      fc.property(anyText, fc.boolean(), (text, isJson) => {
        const reader = new TextReader(analyzer, matcher)
        const bytes = Buffer.from(isJson ? JSON.stringify(text) : text)
        if (isJson) expect(reader.readString(bytes, 0, null, 100)).toBe(bytes.length)
        else reader.readText(bytes, 0, bytes.length, null, 100)
        const { tokens, from, words } = reader
        const expected = analyzer.tokenize(text, null, { ignoreStopWords: true })
        // A text that cannot match and is too short to be cropped is not tokenized.
        if (tokens.count === 0) {
          expect(expected.some(({ kind, lemma }) => kind === 'word' && lemma[0] === 'a')).toBe(
            false,
          )
          return
        }
        read++
        const actual = Array.from({ length: tokens.count }, (_, i) => [
          tokens.starts[i]! - from,
          tokens.ends[i]! - from,
          tokens.kinds[i],
        ])
        const wanted = expected.map((token) => [token.byteStart, token.byteEnd, KINDS[token.kind]])
        expect([text, ...actual]).toEqual([text, ...wanted])
        expect(words).toBe(expected.filter(({ kind }) => kind === 'word').length)
      }),
      { numRuns: RUNS },
    )
    // Most texts are scanned.
    expect(read).toBeGreaterThan(RUNS / 2)
  })

  it.each([
    { separatorTokens: ['&a'] },
    { separatorTokens: ['–a'] },
    { separatorTokens: ['a&'] },
    { separatorTokens: ['a–'] },
    { dictionary: ['b a'] },
  ])('are those of the analyzer with %j', (settings) => {
    const separated = new SmallIndex([{ t: 'a' }], settings)
    const { analyzer: own } = separated.text.search
    const reader = new TextReader(own, separated.matcher('a'))
    const text = 'a x&ab–ab&b a–b'
    const bytes = Buffer.from(text)
    reader.readText(bytes, 0, bytes.length, null, 100)
    const { tokens } = reader
    const expected = own.tokenize(text, null, { ignoreStopWords: true })
    expect([...tokens.ends.subarray(0, tokens.count)]).toEqual(expected.map((one) => one.byteEnd))
  })
})

const anyBytes = fc.string({ unit: fc.constantFrom('a', 'b', 'ä', '日', '😀'), maxLength: 4 })

describe('words as bytes', () => {
  it('have numbers in the order of insertion', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 3 }), { maxLength: 200 }), (words) => {
        const set = new WordSet()
        const numbers = new Map<string, number>()
        for (const word of words) {
          const isNew = !numbers.has(word)
          if (isNew) numbers.set(word, numbers.size)
          expect(set.add(Buffer.from(`${word}tail`), Buffer.byteLength(word))).toBe(
            numbers.get(word),
          )
        }
        expect(set.count).toBe(numbers.size)
        for (const [word, number] of numbers) {
          expect(set.find(Buffer.from(word), Buffer.byteLength(word))).toBe(number)
        }
        expect(set.find(Buffer.from('absent'), 6)).toBe(numbers.get('absent') ?? -1)
      }),
      { numRuns: 50 },
    )
  })

  it('are found among a thousand', () => {
    const set = new WordSet()
    const words = Array.from({ length: 1000 }, (_, i) => Buffer.from(`w${i}`))
    expect(words.map((word) => set.add(word))).toEqual(words.map((_, i) => i))
    expect(words.map((word) => set.find(word, word.length))).toEqual(words.map((_, i) => i))
    expect(set.find(Buffer.from('w1000'), 5)).toBe(-1)
  })

  it('are prefixes of a token if the shortest of them is', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyBytes, { maxLength: 12 }), anyBytes, (words, token) => {
        const sorted = words.map((word) => Buffer.from(word)).sort(Buffer.compare)
        const found = new PrefixRun(sorted).find(Buffer.from(token), Buffer.byteLength(token))
        const shortest = words
          .filter((word) => token.startsWith(word))
          .sort((a, b) => a.length - b.length)
        expect(found === null ? null : Buffer.from(found).toString()).toBe(shortest[0] ?? null)
      }),
    )
  })

  it('are counted and cut by characters', () => {
    fc.assert(
      fc.property(anyBytes, fc.nat(6), (text, count) => {
        const bytes = Buffer.from(text)
        expect(countPoints(bytes)).toBe([...text].length)
        const first = [...text].slice(0, count).join('')
        expect(bytesOfPoints(bytes, bytes.length, count)).toBe(Buffer.byteLength(first))
      }),
    )
  })
})

describe('score details', () => {
  const options = { combinedAttribute: true, isDisplayed: (field: string) => field !== 'secret' }

  it('have the order, the numbers and the names that clients know', () => {
    const details = renderDetails(
      [
        { kind: 'words', rank: 2, max: 4 },
        { kind: 'typo', typos: 1, typosMax: 3 },
        { kind: 'proximity', rank: 3, max: 4 },
        { kind: 'attributeRank', rank: 1, max: 2 },
        { kind: 'wordPosition', rank: 1, max: 2 },
        { kind: 'sort', field: 'size', ascending: true, value: 3 },
        { kind: 'sort', field: 'secret', ascending: false, value: 'x' },
        { kind: 'geo', target: [1, -0], ascending: true, point: [2, 3.5], distance: 7 },
        { kind: 'exactAttribute', match: 'noExactMatch' },
        { kind: 'exactWords', matching: 1, max: 2 },
      ],
      options,
    )
    expect(details).toBe(
      '{"words":{"order":0,"matchingWords":2,"maxMatchingWords":4,"score":0.5},' +
        '"typo":{"order":1,"typoCount":1,"maxTypoCount":3,"score":0.75},' +
        '"proximity":{"order":2,"score":0.75},' +
        '"attribute":{"order":3,"attributeRankingOrderScore":0.5,"queryWordDistanceScore":0.5,' +
        '"score":0.25},' +
        '"size:asc":{"order":4,"value":3.0},' +
        '"<hidden-rule-5>":{"order":5,"value":"<hidden>"},' +
        '"_geoPoint(1, -0):asc":{"order":6,"value":{"lat":2.0,"lng":3.5},"distance":7.0},' +
        '"exactness":{"order":7,"matchType":"noExactMatch","matchingWords":1,' +
        '"maxMatchingWords":2,"score":0.2222222222222222}}',
    )
  })

  it('keep single rules apart, and have no words after an exact match', () => {
    const rules = [
      { kind: 'attributeRank', rank: 2, max: 2 },
      { kind: 'wordPosition', rank: 1, max: 4 },
      { kind: 'exactAttribute', match: 'exactMatch' },
      { kind: 'exactWords', matching: 2, max: 2 },
      { kind: 'vectorSort', similarity: null },
      { kind: 'skipped' },
    ] as const
    expect(renderDetails(rules, { ...options, combinedAttribute: false })).toBe(
      '{"attributeRank":{"order":0,"score":1.0},"wordPosition":{"order":1,"score":0.25},' +
        '"exactness":{"order":2,"matchType":"exactMatch","score":1.0},' +
        '"vectorSort":{"order":3,"similarity":null},"skipped":{"order":4}}',
    )
    expect(renderDetails([], options)).toBe('{}')
  })
})
