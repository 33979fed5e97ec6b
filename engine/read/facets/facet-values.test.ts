// Facet values found, counted, ordered and shown, compared with a naive search over plain
// documents; near ones compared with distances computed cell by cell.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  anyView,
  compareUtf8,
  docOf,
  FIELD_IDS,
  type ModelDoc,
  normaliseText,
  readerOf,
  stringsOf,
  textOf,
  utf8,
} from '../../../fixtures/format/columns/model.ts'
import { prefixDistance } from '../../../format/fst/distance.ts'
import { asSegmentNo } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { CountingOrder } from '../../model/index.ts'
import { normalizeWhole } from '../../text/index.ts'
import { type NumberedSegment, searchFacetTexts } from './facet-values.ts'
import { FoldedCache, FoldedValues, type Folding } from './facet-values-folded.ts'
import { type FacetValueQuery, matchingRanges } from './facet-values-match.ts'
import { ALL, NearPrefix, NONE, OPEN } from './facet-values-near.ts'

const FOLDING: Folding = { key: '', fold: (text) => normalizeWhole(text, null) }
const PAUSE = () => undefined

const anyLetters = fc.string({
  unit: fc.constantFrom('a', 'b', 'c', 'é', '東', '\u{1f353}'),
  maxLength: 7,
})

describe('a query with typos', () => {
  it('judges strings in any order by their distances', () => {
    fc.assert(
      fc.property(
        anyLetters,
        fc.constantFrom(1 as const, 2 as const),
        fc.array(anyLetters, { maxLength: 12 }),
        (query, limit, texts) => {
          const near = new NearPrefix(query, limit)
          for (const text of texts) {
            const verdict = near.judge(utf8(text), utf8(text).length)
            expect([verdict === ALL, text]).toEqual([prefixDistance(query, text) <= limit, text])
            const read = textOf(utf8(text).subarray(0, near.decidedBytes))
            if (verdict === OPEN) expect(read).toBe(text)
            if (verdict === ALL) expect(prefixDistance(query, read)).toBeLessThanOrEqual(limit)
            if (verdict === NONE) {
              for (const rest of ['', query, query.slice(1), query.slice(2), `b${query}`]) {
                expect(prefixDistance(query, read + rest)).toBeGreaterThan(limit)
              }
            }
          }
        },
      ),
      { numRuns: 1500 },
    )
  })

  it('terminates on bytes that are not UTF-8', () => {
    fc.assert(
      fc.property(anyLetters, fc.array(fc.uint8Array({ maxLength: 8 })), (query, texts) => {
        const near = new NearPrefix(query, 2)
        for (const bytes of texts) {
          near.judge(bytes, bytes.length)
          expect(near.decidedBytes).toBeLessThanOrEqual(bytes.length)
        }
      }),
    )
  })

  it.each([
    ['alpien', 'alpine lake', 1, ALL],
    ['lapine', 'alpine lake', 1, ALL],
    ['xlbatross', 'albatros', 2, ALL],
    ['xlbatross', 'albatros', 1, OPEN],
    ['xlbatross', 'albatro s', 1, NONE],
    ['ca', 'abc', 1, ALL],
    ['cab', 'bac', 1, NONE],
    ['albatross', 'albat', 2, OPEN],
    ['a', '', 1, ALL],
    ['', 'b', 1, ALL],
  ] as const)('%s and %s, %i allowed: %i', (query, text, limit, verdict) => {
    expect(new NearPrefix(query, limit).judge(utf8(text), text.length)).toBe(verdict)
  })
})

const columnOf = (values: readonly string[]) => {
  const docs = values.map((value, i) => docOf(i, { 0: value }))
  return readerOf(docs).field(0)!.strings!
}

describe('folded values', () => {
  const values = ['zoe', 'Zoë', 'Ægir', 'plain', 'Čapek', 'été', 'ete', 'москва', '北京', 'tab\tx']
  const folded = FoldedValues.of(columnOf(values), FOLDING, PAUSE)
  const dictionary = [...new Set(values.map(normaliseText))].sort(compareUtf8)

  it('are the values that folding changes, in order', () => {
    const walk = folded.walk()
    const found: string[] = []
    while (walk.next()) found.push(textOf(walk.bytes.slice(0, walk.length)))
    expect(found).toEqual(['aegir', 'capek', 'ete', 'zoe'])
    expect(Array.from(folded.ordinals, (o) => dictionary[o])).toEqual(
      ['Ægir', 'Čapek', 'été', 'Zoë'].map(normaliseText),
    )
    for (const [ordinal, value] of dictionary.entries()) {
      expect(folded.changes(ordinal)).toBe(normalizeWhole(value, null) !== value)
    }
  })

  it('are found by lookup and by skipping', () => {
    expect(folded.lowerBound(utf8('ete'))).toBe(2)
    expect(folded.upperBound(utf8('ete'))).toBe(3)
    expect(folded.lowerBound(utf8('zz'))).toBe(4)
    const walk = folded.walk()
    expect([walk.skipTo(utf8('b')), walk.ordinal]).toEqual([false, 1])
    expect([walk.skipTo(utf8('a')), walk.ordinal]).toEqual([false, 1])
    expect([walk.skipTo(utf8('zoe')), walk.ordinal]).toEqual([true, 3])
    expect([walk.skipTo(utf8('zzz')), walk.compare(utf8('zzz')) < 0]).toEqual([false, true])
    expect(walk.next()).toBe(false)
  })

  it('do not contain unchanged values', () => {
    const plain = FoldedValues.of(columnOf(['a', 'b', 'Москва']), FOLDING, PAUSE)
    expect([plain.count, plain.changes(0)]).toEqual([0, false])
    expect(plain.walk().next()).toBe(false)
    expect(plain.walk().skipTo(utf8('a'))).toBe(false)
  })

  it('of printable ASCII are never folded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii', maxLength: 12 }), (text) => {
        const normalised = normaliseText(text)
        for (const locales of [null, ['swe'], ['pes'], ['jpn', 'cmn']]) {
          expect(normalizeWhole(normalised, locales)).toBe(normalised)
        }
      }),
    )
  })

  it('are cached up to a limit, and until their segment is closed', () => {
    const one = columnOf(['é'])
    const size = FoldedValues.of(one, FOLDING, PAUSE).byteCount
    const cache = new FoldedCache(2 * size)
    const first = cache.get(asSegmentNo(1), 0, one, FOLDING, PAUSE)
    cache.get(asSegmentNo(2), 0, one, FOLDING, PAUSE)
    expect(cache.get(asSegmentNo(1), 0, one, FOLDING, PAUSE)).toBe(first)
    expect(cache.get(asSegmentNo(1), 0, one, { ...FOLDING, key: 'swe' }, PAUSE)).not.toBe(first)
    expect(cache.byteCount).toBe(2 * size)
    expect(cache.get(asSegmentNo(1), 0, one, FOLDING, PAUSE)).toBe(first)
    cache.drop([asSegmentNo(1)])
    expect(cache.byteCount).toBe(0)
    expect(cache.get(asSegmentNo(1), 0, one, FOLDING, PAUSE)).not.toBe(first)
    const none = new FoldedCache(1)
    none.get(asSegmentNo(1), 0, one, FOLDING, PAUSE)
    expect(none.byteCount).toBe(0)
  })
})

describe('ranges', () => {
  const values = ['', 'a', 'ab', 'abc', 'abd', 'b', 'ba', '\u{10ffff}', '\u{10ffff}z', 'zz']
  const sorted = values.filter((value) => value !== '').sort(compareUtf8)
  const { dictionary } = columnOf(values)
  const taken = (query: FacetValueQuery): string[] => {
    const ranges = matchingRanges(dictionary, query, PAUSE)
    const ordinals: number[] = []
    for (let i = 0; i < ranges.length; i += 2) {
      for (let o = ranges[i]!; o < ranges[i + 1]!; o++) ordinals.push(o)
    }
    return ordinals.map((ordinal) => sorted[ordinal]!)
  }

  it('contain the matches of a query', () => {
    expect(taken({ kind: 'any' })).toEqual(sorted)
    expect(taken({ kind: 'whole', text: 'ab' })).toEqual(['ab'])
    expect(taken({ kind: 'whole', text: 'x' })).toEqual([])
    expect(taken({ kind: 'prefix', text: 'ab', typosMax: 0 })).toEqual(['ab', 'abc', 'abd'])
    expect(taken({ kind: 'prefix', text: '', typosMax: 0 })).toEqual(sorted)
    expect(taken({ kind: 'prefix', text: '\u{10ffff}', typosMax: 0 })).toHaveLength(2)
    expect(taken({ kind: 'prefix', text: 'zza', typosMax: 1 })).toEqual(['zz'])
    expect(taken({ kind: 'prefix', text: 'zz', typosMax: 2 })).toEqual(sorted)
    expect(taken({ kind: 'prefix', text: 'a'.repeat(5000), typosMax: 2 })).toEqual([])
  })

  it('equal those of distances over many strings', () => {
    const many = Array.from({ length: 3000 }, (_, i) => `${(i * 7919) % 100_000}`).sort(compareUtf8)
    const column = columnOf(many)
    for (const query of ['123', '98765', '55555', '1', '00']) {
      for (const typosMax of [1, 2] as const) {
        const ranges = matchingRanges(
          column.dictionary,
          { kind: 'prefix', text: query, typosMax },
          PAUSE,
        )
        const wanted = many.map((text) => prefixDistance(query, text) <= typosMax)
        const got = many.map(() => false)
        for (let i = 0; i < ranges.length; i += 2) got.fill(true, ranges[i]!, ranges[i + 1]!)
        expect(got).toEqual(wanted)
      }
    }
  })
})

type SearchOptions = {
  readonly query: FacetValueQuery
  readonly order: CountingOrder
  readonly limit: number
}
type Value = { readonly key: string; readonly original: string; readonly count: number }

/**
 * Values as a heap of the most frequent ones holds them, with later values of the least count
 * replacing it.
 */
function naiveSearch(
  docs: readonly ModelDoc[],
  candidates: readonly ModelDoc[],
  fieldId: number,
  { query, order, limit }: SearchOptions,
): [string, number][] {
  const values = new Map<string, Value>()
  const counted = new Set(candidates)
  for (const doc of docs) {
    const isCounted = counted.has(doc) ? 1 : 0
    for (const [key, own] of stringsOf(doc.fields.get(fieldId))) {
      const { original, count } = values.get(key) ?? { original: own, count: 0 }
      values.set(key, { key, original, count: count + isCounted })
    }
  }
  const matching = [...values.values()]
    .map((value) => ({
      ...value,
      folded: query.kind === 'any' ? value.key : FOLDING.fold(value.key),
    }))
    .filter(({ folded, count }) => count > 0 && isMeant(folded, query))
    .sort((a, b) => compareUtf8(a.folded, b.folded) || compareUtf8(a.key, b.key))
  const shown = order === 'alpha' ? matching.slice(0, limit) : chooseWithHeap(matching, limit)
  return shown.map(({ original, count }) => [original, count])
}

function isMeant(folded: string, query: FacetValueQuery): boolean {
  if (query.kind === 'any') return true
  if (query.kind === 'whole') return folded === query.text
  if (query.typosMax === 0) return folded.startsWith(query.text)
  return prefixDistance(query.text, folded) <= query.typosMax
}

function chooseWithHeap(values: readonly Value[], limit: number): Value[] {
  const heap: Value[] = []
  const byRank = (a: Value, b: Value) => b.count - a.count || compareUtf8(b.original, a.original)
  for (const value of values) {
    if (heap.length === limit && limit > 0 && value.count >= heap.at(-1)!.count) heap.pop()
    if (heap.length < limit) heap.push(value)
    heap.sort(byRank)
  }
  return heap
}

const numbered = (
  segments: readonly Omit<NumberedSegment, 'ref'>[],
  firstNumber = 1,
): NumberedSegment[] =>
  segments.map((segment, i) => ({ ...segment, ref: { segment: asSegmentNo(firstNumber + i) } }))

const search = (
  segments: readonly NumberedSegment[],
  fieldId: number,
  candidates: IdSet,
  options: SearchOptions,
  cache = new FoldedCache(1 << 20),
): [string, number][] =>
  searchFacetTexts(segments, fieldId, candidates, {
    ...options,
    folding: FOLDING,
    cache,
    pause: PAUSE,
  }).map(({ value, count }) => [textOf(value), count])

const anyQuery: fc.Arbitrary<FacetValueQuery> = fc.oneof(
  fc.constant({ kind: 'any' } as const),
  fc.record({
    kind: fc.constant('prefix' as const),
    text: fc.constantFrom('', 'a', 'b', 'b c', 'e', 'tr', 'long l', 'true', 'flase', 'b v', 'zz'),
    typosMax: fc.constantFrom(0, 1, 2),
  }),
  fc.record({ kind: fc.constant('whole' as const), text: fc.constantFrom('a', 'e', 'b c', 'zz') }),
)
const anyOptions: fc.Arbitrary<SearchOptions> = fc.record({
  query: anyQuery,
  order: fc.constantFrom('alpha', 'count'),
  limit: fc.oneof(fc.nat(4), fc.constant(100)),
})
const anyMask = fc.oneof(
  fc.constant([true]),
  fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
)

describe('a search among values', () => {
  it('returns the hits of the naive search', () => {
    fc.assert(
      fc.property(anyView(30), anyMask, anyOptions, ({ docs, segments }, mask, options) => {
        const candidates = docs.filter((_, i) => mask[i % mask.length])
        const set = IdSet.of(candidates.map((doc) => doc.id))
        for (const id of FIELD_IDS) {
          const got = search(numbered(segments), id, set, options)
          expect(got).toEqual(naiveSearch(docs, candidates, id, options))
        }
      }),
      { numRuns: 300 },
    )
  })

  it('returns the same counts in all ways of counting', () => {
    const docs = Array.from({ length: 2500 }, (_, i) =>
      docOf(i, { 0: [`Actör ${(i * 7) % 900}`, `actor ${i % 31}`, `ACTOR ${i % 1700}`] }),
    )
    const whole = numbered([{ reader: readerOf(docs), dead: null }])
    const halves = numbered([
      { reader: readerOf(docs.filter((doc) => doc.id % 3 > 0)), dead: IdSet.of([4, 5]) },
      { reader: readerOf(docs.filter((d) => d.id % 3 === 0 || d.id < 6)), dead: IdSet.of([1, 2]) },
    ])
    for (const [step, left] of [
      [1, 0],
      [2, 0],
      [97, 5],
      [1000, 3],
    ] as const) {
      const candidates = docs.filter((doc) => doc.id % step === left)
      const set = IdSet.of(candidates.map((doc) => doc.id))
      for (const query of [
        { kind: 'any' },
        { kind: 'prefix', text: 'actor 1', typosMax: 0 },
        { kind: 'prefix', text: 'cator 30', typosMax: 1 },
      ] as const) {
        for (const order of ['alpha', 'count'] as const) {
          const options = { query, order, limit: 25 }
          const expected = naiveSearch(docs, candidates, 0, options)
          expect(search(whole, 0, set, options)).toEqual(expected)
          expect(search(halves, 0, set, options)).toEqual(expected)
        }
      }
    }
  })

  it('shows the original of the lowest live document, candidate or not', () => {
    const low = readerOf([docOf(1, { 0: 'BLUE' }), docOf(2, { 0: 'Blue' }), docOf(3, { 0: 'red' })])
    const high = readerOf([docOf(7, { 0: 'blue' }), docOf(8, { 0: 'blue' })])
    const options: SearchOptions = { query: { kind: 'any' }, order: 'alpha', limit: 5 }
    const shown = (dead: IdSet) =>
      search(
        numbered([
          { reader: high, dead: null },
          { reader: low, dead },
        ]),
        0,
        IdSet.of([8]),
        options,
      )
    expect(shown(IdSet.empty)).toEqual([['BLUE', 1]])
    expect(shown(IdSet.of([1]))).toEqual([['Blue', 1]])
    expect(shown(IdSet.of([1, 2]))).toEqual([['blue', 1]])
  })

  it('compares a limited number of originals of one count', () => {
    // The first in order has the greatest original: a full-width letter.
    const shown = (valueCount: number): string[] => {
      const values = Array.from({ length: valueCount }, (_, i) => `v${10_000 + i}`)
      const docs = ['\uff41', ...values].map((value, i) => docOf(i, { 0: value }))
      const segments = numbered([{ reader: readerOf(docs), dead: null }])
      const options: SearchOptions = { query: { kind: 'any' }, order: 'count', limit: 3 }
      return search(segments, 0, IdSet.range(0, 10_000), options).map(([value]) => value)
    }
    expect(shown(1000)).toEqual(['\uff41', 'v10999', 'v10998'])
    expect(shown(5000)).toEqual(['v14999', 'v14998', 'v14997'])
  })

  it('stops when `pause` throws', () => {
    const docs = Array.from({ length: 9000 }, (_, i) => docOf(i, { 0: `é${i}` }))
    const segments = numbered([{ reader: readerOf(docs), dead: null }])
    for (const after of [0, 1, 3]) {
      let calls = 0
      const pause = () => {
        if (calls++ === after) throw new Error('called off')
      }
      const query = { kind: 'prefix', text: 'xxxxx', typosMax: 1 } as const
      const options = { query, folding: FOLDING, order: 'count', limit: 9, pause } as const
      const cache = new FoldedCache(1 << 20)
      const run = () => searchFacetTexts(segments, 0, IdSet.of([1]), { ...options, cache })
      expect(run).toThrow('called off')
    }
  })
})
