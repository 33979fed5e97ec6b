// Facets, stats, sort buckets and distinct compared with naive counts over plain documents.

import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import {
  anyView,
  compareUtf8,
  distinctNumbers,
  docOf,
  FIELD_IDS,
  isBlank,
  type ModelDoc,
  numbersOf,
  readerOf,
  stringsOf,
} from '../../../fixtures/format/columns/model.ts'
import { type ExactNumber, exactText, isBelow, isExactNumber } from '../../../format/bytes/index.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { distribution, type FacetOptions } from './distribution.ts'
import {
  type ColumnsSegment,
  DistinctFilter,
  DistinctValues,
  FacetScope,
  sortBuckets,
} from './index.ts'
import { cachedParts, candidateParts } from './segments.ts'

type Docs = readonly ModelDoc[]

/** Returns `of` with its results kept, for each list of documents by field. */
function remembered<T>(of: (docs: Docs, id: number) => T): (docs: Docs, id: number) => T {
  const results = new WeakMap<Docs, Map<number, T>>()
  return (docs, id) => {
    const known = results.get(docs) ?? new Map<number, T>()
    results.set(docs, known)
    const now = known.get(id) ?? of(docs, id)
    known.set(id, now)
    return now
  }
}

/** Number and count, in order. */
const numbersIn = remembered((docs, id): readonly [ExactNumber, number][] => {
  const values = new Map<string, ExactNumber>()
  const counts = new Map<string, number>()
  for (const value of docs.flatMap((doc) => numbersOf(doc.fields.get(id)))) {
    const text = exactText(value)
    values.set(text, value)
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  const distinct = distinctNumbers([...values.values()])
  return distinct.map((value) => [value, counts.get(exactText(value))!])
})

/** Normalized string, original of the lowest document, and count, in byte order. */
const stringsIn = remembered((docs, id): readonly [string, string, number][] => {
  const found = new Map<string, [string, number]>()
  for (const doc of docs) {
    for (const [key, original] of stringsOf(doc.fields.get(id))) {
      const known = found.get(key)
      found.set(key, [known?.[0] ?? original, (known?.[1] ?? 0) + 1])
    }
  }
  const all = [...found].map(([key, [original, n]]): [string, string, number] => [key, original, n])
  return all.sort(([a], [b]) => compareUtf8(a, b))
})

/** The same rules, computed naively. */
function naive(docs: Docs, id: number, count: number, { order, limit }: FacetOptions) {
  const facets = new Map<string, number>()
  if (limit === 0) return facets
  const numbers = numbersIn(docs, id).map(([v, n]): [string, number] => [exactText(v), n])
  const strings = stringsIn(docs, id).map(([, original, n]): [string, number] => [original, n])
  if (order === 'alpha' && count <= 3000) {
    numbers.sort(([a], [b]) => (a < b ? -1 : 1))
    for (const [key, n] of [...numbers, ...strings].slice(0, limit)) facets.set(key, n)
    return facets
  }
  for (const group of [numbers, strings]) {
    if (order === 'count') group.reverse().sort(([, a], [, b]) => b - a)
    for (const [key, n] of group) {
      facets.set(key, n)
      if (facets.size === limit) break
    }
  }
  return facets
}

const pickSome = (docs: Docs, mask: readonly boolean[]): ModelDoc[] =>
  docs.filter((_, i) => mask[i % mask.length])

const idsOf = (docs: Docs): IdSet => IdSet.of(docs.map((doc) => doc.id))

const anyMask = fc.oneof(
  fc.constant([true]),
  fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
  fc.constant([true, true, true, true, true, false]),
)
const anyOptions: fc.Arbitrary<FacetOptions> = fc.record({
  order: fc.constantFrom('alpha' as const, 'count' as const),
  limit: fc.oneof(fc.nat(6), fc.constantFrom(20, 100)),
})

describe('facet distribution', () => {
  it('equals the naive count', () => {
    fc.assert(
      fc.property(
        anyView(30),
        anyMask,
        anyOptions,
        fc.constantFrom(null, 3000, 3001),
        ({ docs, segments }, mask, options, large) => {
          const candidates = pickSome(docs, mask)
          const set = idsOf(candidates)
          const count = large ?? candidates.length
          const parts = candidateParts(segments, set)
          for (const id of FIELD_IDS) {
            const fieldParts = parts.flatMap((part) => {
              const field = part.segment.reader.field(id)
              return field === null ? [] : [{ part, field }]
            })
            const got = distribution(fieldParts, count, options)
            expect([...got]).toEqual([...naive(candidates, id, count, options)])
            const numbers = numbersIn(candidates, id)
            expect(new FacetScope(segments, set).stats(id)).toEqual(
              numbers.length === 0 ? null : { min: numbers[0]![0], max: numbers.at(-1)![0] },
            )
          }
        },
      ),
      { numRuns: 150 },
    )
  })

  it('is the same in all ways of counting', () => {
    const docs = Array.from({ length: 4000 }, (_, i) =>
      docOf(i, {
        0: [`Actor ${(i * 7) % 900}`, `actor ${i % 31}`, `ACTOR ${i % 3000}`],
        3: [i % 17, (i * 13) % 2500],
        7: ['Drama', 'comedy', 'Western'][i % 3]!,
      }),
    )
    const whole = [{ reader: readerOf(docs), dead: null }]
    const halves = [
      { reader: readerOf(docs.filter((doc) => doc.id % 3 > 0)), dead: IdSet.of([4, 5]) },
      {
        reader: readerOf(docs.filter((doc) => doc.id % 3 === 0 || doc.id < 6)),
        dead: IdSet.of([1, 2]),
      },
    ]
    const choices = [1, 2, 7, 300].flatMap((step) => [
      docs.filter((doc) => doc.id % step === 0),
      docs.filter((doc) => doc.id % (step * 50) !== 3),
    ])
    // Nearly all, but no document with some of the values.
    choices.push(docs.filter((doc) => doc.id % 900 !== 5 && doc.id % 2500 > 3))
    for (const candidates of choices) {
      const set = idsOf(candidates)
      for (const options of [
        { order: 'alpha', limit: 100 },
        { order: 'count', limit: 50 },
        { order: 'count', limit: 5000 },
      ] as const) {
        for (const id of [0, 3, 7]) {
          const expected = [...naive(candidates, id, candidates.length, options)]
          expect([...new FacetScope(whole, set).distribution(id, options)]).toEqual(expected)
          expect([...new FacetScope(halves, set).distribution(id, options)]).toEqual(expected)
          for (let search = 0; search < 2; search++) {
            const cached = new FacetScope(halves, set, true)
            expect([...cached.distribution(id, options)]).toEqual(expected)
          }
        }
        for (const segments of [whole, halves]) {
          // Counting has found the ends of the numbers, or not.
          const counted = new FacetScope(segments, set)
          counted.distribution(3, options)
          const { sums, ...ends } = counted.stats(3, true)!
          expect(ends).toEqual(new FacetScope(segments, set).stats(3))
          const numbers = numbersIn(candidates, 3)
          expect([ends.min, ends.max]).toEqual([numbers[0]![0], numbers.at(-1)![0]])
          expect(sums?.count).toBe(numbers.reduce((sum, [, count]) => sum + count, 0))
        }
      }
    }
  })

  it('is the same with counts that are cached for all documents of a view', () => {
    fc.assert(
      fc.property(anyView(30), anyMask, anyOptions, ({ docs, segments }, mask, options) => {
        const set = idsOf(pickSome(docs, mask))
        for (let search = 0; search < 3; search++) {
          const cached = new FacetScope(segments, set, true)
          const fresh = new FacetScope(segments, set)
          for (const id of FIELD_IDS) {
            const { order, limit } = options
            const other = {
              order: order === 'alpha' ? ('count' as const) : ('alpha' as const),
              limit,
            }
            for (const one of [options, other]) {
              expect([...cached.distribution(id, one)]).toEqual([...fresh.distribution(id, one)])
            }
            expect(cached.stats(id, true)).toEqual(fresh.stats(id, true))
          }
        }
      }),
    )
  })

  it('counts the other documents once for all searches of a view', () => {
    const docs = Array.from({ length: 4000 }, (_, i) =>
      docOf(i, { 0: [`a${i % 50}`, `b${i % 3}`] }),
    )
    const segments = [{ reader: readerOf(docs), dead: IdSet.of([3, 5, 700]) }]
    const set = IdSet.range(0, 4000)
    const rows = segments[0]!.reader.field(0)!.strings!.rows
    const counted = vi.spyOn(rows, 'count')
    const search = (isAll: boolean) =>
      new FacetScope(segments, set, isAll).distribution(0, { order: 'alpha', limit: 4 })
    const expected = [...search(false)]
    expect(expected).toEqual([
      ['a0', 79],
      ['a1', 80],
      ['a10', 80],
      ['a11', 80],
    ])
    expect([...search(false)]).toEqual(expected)
    expect(counted).toHaveBeenCalledTimes(2)
    for (let i = 0; i < 3; i++) expect([...search(true)]).toEqual(expected)
    expect(counted).toHaveBeenCalledTimes(3)
    const parts = cachedParts(segments, set)
    expect(cachedParts(segments, set)).toBe(parts)
    expect(cachedParts([...segments], set)).not.toBe(parts)
    const large = vi.fn(() => new Uint32Array(65_537))
    const { rows: others } = readerOf(docs).field(0)!.strings!
    for (let i = 0; i < 2; i++) expect(parts[0]!.others(others, large).length).toBe(65_537)
    expect(large).toHaveBeenCalledTimes(2)
  })

  it('matches the recordings for mixed values', () => {
    const cycle = [1, '1', 'true', 'true', null, [], 'x', [1, 'x']] as const
    const docs = Array.from({ length: 36 }, (_, i) => docOf(i, { 9: cycle[i % 8]! }))
    const segments = [{ reader: readerOf(docs), dead: null }]
    const facets = (order: 'alpha' | 'count', limit: number) => [
      ...new FacetScope(segments, IdSet.range(0, 36)).distribution(9, { order, limit }),
    ]
    expect(facets('alpha', 100)).toEqual([
      ['1', 5],
      ['true', 10],
      ['x', 8],
    ])
    expect(facets('count', 100)).toEqual([
      ['1', 5],
      ['true', 10],
      ['x', 8],
    ])
    expect(facets('count', 3)).toEqual([
      ['1', 9],
      ['true', 10],
      ['x', 8],
    ])
    expect(facets('alpha', 2)).toEqual([['1', 5]])
    expect(facets('alpha', 1)).toEqual([['1', 9]])
    expect(facets('alpha', 0)).toEqual([])
  })

  it('splits candidates once for several fields', () => {
    const docs = [docOf(1, { 0: 'B', 3: 5 }), docOf(2, { 0: 'b' }), docOf(8, { 0: 'a', 3: -1 })]
    const scope = new FacetScope([{ reader: readerOf(docs), dead: null }], IdSet.of([2, 8, 9]))
    expect([...scope.distribution(0, { order: 'alpha', limit: 9 })]).toEqual([
      ['a', 1],
      ['b', 1],
    ])
    expect(scope.stats(3)).toEqual({ min: -1, max: -1 })
    expect(scope.stats(0)).toBeNull()
    expect(scope.stats(4)).toBeNull()
  })
})

describe('numbers as keys', () => {
  it('are written out in full', () => {
    const texts = [
      2 ** 60,
      2n ** 60n + 1n,
      -(2 ** 63),
      2 ** 64,
      1,
      1.5,
      -0,
      0,
      1e21,
      1e-7,
      -2.5e-10,
      1.25e22,
      123456.789e20,
      5e-324,
      1e300,
    ]
    expect(texts.map(exactText)).toEqual([
      '1152921504606846976',
      '1152921504606846977',
      '-9223372036854775808',
      '18446744073709551616',
      '1',
      '1.5',
      '-0',
      '0',
      `1${'0'.repeat(21)}`,
      '0.0000001',
      '-0.00000000025',
      '12500000000000000000000',
      '12345678900000000000000000',
      `0.${'0'.repeat(323)}5`,
      `1${'0'.repeat(300)}`,
    ])
  })

  it('read back as themselves', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(exactText(value)).not.toContain('e')
        expect(Number(exactText(value))).toBe(value)
      }),
    )
  })
})

/** [value, ids] of every bucket, computed naively. */
function naiveBuckets(docs: Docs, id: number, descending: boolean): [unknown, number[]][] {
  const buckets: [ExactNumber | string | null, number[]][] = []
  for (const doc of docs) {
    const numbers = numbersOf(doc.fields.get(id))
    const strings = [...stringsOf(doc.fields.get(id)).keys()]
    if (isBlank(doc.fields.get(id))) strings.unshift('')
    const value = (numbers.length > 0 ? numbers : strings).at(descending ? -1 : 0) ?? null
    const bucket = buckets.find(([other]) => Object.is(other, value))
    if (bucket === undefined) buckets.push([value, [doc.id]])
    else bucket[1].push(doc.id)
  }
  const kind = (value: unknown) => (isExactNumber(value) ? 0 : typeof value === 'string' ? 1 : 2)
  return buckets.sort(([a], [b]) => {
    if (kind(a) !== kind(b)) return kind(a) - kind(b)
    const below = isExactNumber(a)
      ? isBelow(a, b as ExactNumber)
        ? -1
        : 1
      : compareUtf8(a as string, b as string)
    return descending ? -below : below
  })
}

const bucketsOf = (
  segments: readonly ColumnsSegment[],
  id: number,
  descending: boolean,
  universe: IdSet,
): [unknown, number[]][] =>
  [...sortBuckets(segments, id, descending ? 'desc' : 'asc', universe)].map(({ value, ids }) => [
    value,
    [...ids.toArray()],
  ])

describe('sort buckets', () => {
  it('come in the order of the naive sort', () => {
    fc.assert(
      fc.property(anyView(30), anyMask, fc.boolean(), ({ docs, segments }, mask, descending) => {
        const universe = pickSome(docs, mask)
        for (const id of FIELD_IDS) {
          const got = bucketsOf(segments, id, descending, idsOf(universe))
          expect(got).toEqual(naiveBuckets(universe, id, descending))
        }
      }),
      { numRuns: 100 },
    )
  })

  it('come one by one from large segments', () => {
    const docs = Array.from({ length: 5000 }, (_, i) =>
      docOf(
        i,
        i % 10 === 9 ? {} : { 2: i % 5 === 0 ? [i % 700, 3000 - (i % 90)] : `S${(i * 7) % 3000}` },
      ),
    )
    const even = { reader: readerOf(docs.filter((d) => d.id % 2 === 0)), dead: null }
    const odd = { reader: readerOf(docs.filter((d) => d.id % 2 === 1)), dead: IdSet.of([7]) }
    const universe = docs.filter((doc) => doc.id !== 7 && doc.id % 11 > 0)
    for (const descending of [false, true]) {
      const got = bucketsOf([even, odd], 2, descending, idsOf(universe))
      expect(got).toEqual(naiveBuckets(universe, 2, descending))
      const few = universe.filter((doc) => doc.id % 97 === 5)
      expect(bucketsOf([even, odd], 2, descending, idsOf(few))).toEqual(
        naiveBuckets(few, 2, descending),
      )
    }
  })

  it.each([false, true])('begin at the values of the candidates, descending: %s', (descending) => {
    const docs = Array.from({ length: 8000 }, (_, i) => docOf(i, { 2: (i * 7) % 4000 }))
    const segment = { reader: readerOf(docs), dead: null }
    const universe = docs.filter(({ id }) => {
      const value = (id * 7) % 4000
      return descending ? value < 1000 : value >= 3000
    })
    const read = vi.spyOn(segment.reader.field(2)!.numbers!.postings, 'ids')
    const [first] = sortBuckets([segment], 2, descending ? 'desc' : 'asc', idsOf(universe))
    expect(read.mock.calls).toEqual(descending ? [[999], [998]] : [[3000], [3001]])
    const buckets = bucketsOf([segment], 2, descending, idsOf(universe))
    expect(buckets).toEqual(naiveBuckets(universe, 2, descending))
    expect([...first!.ids.toArray()]).toEqual(buckets[0]![1])
  })

  it('put everything into one bucket when no document has the field', () => {
    const segments = [{ reader: readerOf([docOf(1, { 0: 1 }), docOf(2, {})]), dead: null }]
    expect(bucketsOf(segments, 5, false, IdSet.of([1, 2]))).toEqual([[null, [1, 2]]])
    expect(bucketsOf(segments, 5, false, IdSet.empty)).toEqual([])
  })
})

/** Returns true if two documents share a value of the distinct field. */
function share(a: ModelDoc, b: ModelDoc, id: number): boolean {
  const [x, y] = [a.fields.get(id), b.fields.get(id)]
  if (isBlank(x) && isBlank(y)) return true
  if (numbersOf(x).some((v) => numbersOf(y).some((w) => Object.is(v, w)))) return true
  return [...stringsOf(x).keys()].some((key) => stringsOf(y).has(key))
}

describe('distinct', () => {
  it('finds all documents that share a value', () => {
    fc.assert(
      fc.property(anyView(24), fc.nat(), ({ docs, segments }, pick) => {
        const doc = docs[pick % docs.length]!
        const other = docs[(pick * 7 + 3) % docs.length]!
        for (const id of FIELD_IDS) {
          const filter = new DistinctFilter(segments, id)
          expect(filter.admit(doc.id)).toBe(true)
          const same = docs.filter((d) => share(d, doc, id))
          expect([...filter.excluded().toArray()]).toEqual(same.map((d) => d.id))
          expect(filter.admit(other.id)).toBe(!same.includes(other))
          const both = same.includes(other)
            ? same
            : docs.filter((d) => share(d, doc, id) || share(d, other, id))
          expect([...filter.excluded().toArray()]).toEqual(both.map((d) => d.id))
        }
      }),
      { numRuns: 150 },
    )
  })

  it('returns the same texts for equal values in any segment', () => {
    fc.assert(
      fc.property(anyView(24), ({ docs, segments }) => {
        for (const id of FIELD_IDS) {
          const values = new DistinctValues(segments, id)
          const named = docs.map((doc) => new Set(values.of(doc.id)))
          docs.forEach((a, i) => {
            docs.forEach((b, j) => {
              const isShared = [...named[i]!].some((value) => named[j]!.has(value))
              expect(isShared).toBe(share(a, b, id) && named[i]!.size > 0)
            })
          })
        }
      }),
      { numRuns: 50 },
    )
  })

  it('admits the first document of each value', () => {
    fc.assert(
      fc.property(anyView(30), ({ docs, segments }) => {
        for (const id of FIELD_IDS) {
          const filter = new DistinctFilter(segments, id)
          const kept: ModelDoc[] = []
          for (const doc of docs) {
            const isNew = !kept.some((other) => share(doc, other, id))
            expect(filter.admit(doc.id)).toBe(isNew)
            if (isNew) kept.push(doc)
          }
          const excluded = docs.filter((doc) => kept.some((other) => share(doc, other, id)))
          expect([...filter.excluded().toArray()]).toEqual(excluded.map((doc) => doc.id))
        }
      }),
      { numRuns: 100 },
    )
  })

  it('treats the blank string as a value', () => {
    const docs = [docOf(1, { 0: '' }), docOf(2, { 0: ' ' }), docOf(3, { 0: [] }), docOf(4, {})]
    const filter = new DistinctFilter([{ reader: readerOf(docs), dead: null }], 0)
    expect(docs.map((doc) => filter.admit(doc.id))).toEqual([true, false, true, true])
    expect([...filter.excluded().toArray()]).toEqual([1, 2])
  })
})
