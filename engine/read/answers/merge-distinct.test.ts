// Distinct values are counted once over all instances, and facets lose the documents that do not
// count.
import { describe, expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import type { FacetRequest } from '../../model/index.ts'
import { countedFacet, type FacetStats } from '../facets/index.ts'
import type { Facets } from './facets.ts'
import { countDistinct, facetsWithout } from './merge-distinct.ts'
import type { FieldValues } from './partial-answer.ts'
import type { DistinctDocument, DistinctDocuments } from './partial-json.ts'
import type { ReceivedAnswer } from './received-answer.ts'

const uid = asIndexUid('i')

function facetsOf(
  distribution: Readonly<Record<string, Readonly<Record<string, number>>>>,
  stats: Readonly<Record<string, FacetStats>> = {},
  requested: readonly FacetRequest[] = [],
): Facets {
  const fields = [...new Set([...Object.keys(distribution), ...Object.keys(stats)])]
  return {
    distribution: new Map(
      Object.entries(distribution).map(([field, counts]) => [
        field,
        new Map(Object.entries(counts)),
      ]),
    ),
    stats: new Map(Object.entries(stats)),
    counted: new Map(fields.map((field) => [field, countedFacet(requested, field)])),
  }
}

const shown = ({ distribution, stats }: Facets) => ({
  distribution: Object.fromEntries(
    [...distribution].map(([field, counts]) => [field, Object.fromEntries(counts)]),
  ),
  stats: Object.fromEntries(stats),
})

function part(
  documents: readonly DistinctDocument[],
  facets: Facets = facetsOf({}),
  pinned: readonly string[] = [],
  field = 'f',
): ReceivedAnswer {
  const keyAt = (at: number) => ({ externalId: pinned[at] })
  return {
    distinct: { field, documents } satisfies DistinctDocuments,
    pinned: { length: pinned.length, keyAt },
    facetsByIndex: new Map([[uid, facets]]),
  } as unknown as ReceivedAnswer
}

const totalOf = (...parts: readonly ReceivedAnswer[]): number | undefined =>
  countDistinct(parts)?.total

describe('the count', () => {
  it.each<[string, readonly (readonly FieldValues[])[], number]>([
    ['equal values of two instances once', [[{ f: 'a' }], [{ f: 'a' }]], 1],
    ['different values each', [[{ f: 'a' }], [{ f: 'b' }]], 2],
    ['documents without a value each', [[{}, {}], [{}]], 3],
    ['documents with a blank value each', [[{ f: '' }], [{ f: '' }]], 2],
    ['a number and its text apart', [[{ f: 1 }], [{ f: '1' }]], 2],
    ['lists that share a value once', [[{ f: ['a', 'b'] }], [{ f: ['b', 'c'] }]], 1],
    ['values of other fields not at all', [[{ g: 'a' }], [{ g: 'a' }]], 2],
    ['large whole numbers apart', [[{ f: { whole: '9007199254740993' } }], [{ f: 1 }]], 2],
    ['inherited members not', [[{}], [{}]], 2],
  ])('has %s', (_, lists, total) => {
    let id = 0
    const parts = lists.map((list) => part(list.map((values) => [String(id++), values])))
    expect(totalOf(...parts)).toBe(total)
  })

  it('is not known unless each instance has sent documents of the same field', () => {
    expect(countDistinct([])).toBeNull()
    expect(countDistinct([part([]), part([], facetsOf({}), [], 'g')])).toBeNull()
    const without = { ...part([]), distinct: null } as unknown as ReceivedAnswer
    expect(countDistinct([part([]), without])).toBeNull()
    expect(countDistinct([without, part([])])).toBeNull()
    expect(totalOf(part([]), part([]))).toBe(0)
  })

  it('keeps the document with the first external id, and facets without the others', () => {
    const facets = () => facetsOf({ g: { x: 1 } })
    const counted = countDistinct([
      part([['10', { f: 'a', g: 'x' }]], facets()),
      part([['9', { f: 'a', g: 'x' }]], facets()),
    ])!
    expect(counted.total).toBe(1)
    expect(counted.facets.map((one) => shown(one.facetsByIndex.get(uid)!).distribution)).toEqual([
      { g: {} },
      { g: { x: 1 } },
    ])
  })

  it('has pinned documents, which do not hide others with their value', () => {
    const own = part([['1', { f: 'a' }]], facetsOf({}), ['1'])
    expect(totalOf(own, part([['2', { f: 'a' }]]))).toBe(2)
    expect(totalOf(part([['1', { f: 'a' }]]), part([['2', { f: 'a' }]], facetsOf({}), ['2']))).toBe(
      2,
    )
    // Pins of another instance are other documents.
    expect(totalOf(part([['2', { f: 'a' }]], facetsOf({}), ['1']), part([['1', { f: 'a' }]]))).toBe(
      1,
    )
  })
})

describe('facets without documents', () => {
  const whole = { whole: '9007199254740993' } as const
  it('stay the same object without any', () => {
    const facets = facetsOf({ f: { a: 1 } })
    expect(facetsWithout(facets, [], null)).toBe(facets)
  })

  it.each<
    [Readonly<Record<string, number>>, readonly FieldValues[], Readonly<Record<string, number>>]
  >([
    [{ a: 2, b: 1 }, [{ f: 'a' }], { a: 1, b: 1 }],
    [{ a: 2, b: 1 }, [{ f: 'b' }], { a: 2 }],
    [{ a: 2, b: 1 }, [{ f: ['a', 'b'] }, { f: 'a' }], {}],
    [{ a: 2 }, [{ f: ['a', 'a'] }], { a: 1 }],
    [{ a: 2 }, [{ f: 'c' }, { g: 'a' }], { a: 2 }],
    [{ Ab: 2 }, [{ f: 'ab' }], { Ab: 1 }],
    [{ A: 2, a: 1 }, [{ f: 'a' }], { A: 2 }],
    [{ 1: 2, true: 1 }, [{ f: 1 }, { f: true }], { 1: 1 }],
    [{ '9007199254740993': 2 }, [{ f: whole }], { '9007199254740993': 1 }],
  ])('%j less %j are %j', (counts, rejected, left) => {
    expect(shown(facetsWithout(facetsOf({ f: counts }), rejected, null)).distribution).toEqual({
      f: left,
    })
  })

  it('keep listed ranges that nothing is left in', () => {
    const ranges: FacetRequest = { attribute: 'f', ranges: [{ to: 5 }, { from: 5 }] }
    const names = countedFacet([ranges], 'f').buckets!.listed
    const facets = facetsOf({ f: { [names[0]!]: 1, [names[1]!]: 2 } }, {}, [ranges])
    const { distribution } = shown(facetsWithout(facets, [{ f: 1 }, { f: [6, 7] }], null))
    expect(distribution).toEqual({ f: { [names[0]!]: 0, [names[1]!]: 1 } })
    const histogram = { attribute: 'f', histogram: { interval: 10, offset: 0 } }
    const bucket = facetsOf({ f: { 0: 1, 10: 1 } }, {}, [histogram])
    expect(shown(facetsWithout(bucket, [{ f: 12 }], null)).distribution).toEqual({ f: { 0: 1 } })
  })

  const stats = { f: { min: 1, max: 9, sums: { sum: 30, count: 6 } } }
  const sums: FacetRequest = { attribute: 'f', stats: true }
  const rejected = [{ f: [1, 2] }, { f: 'x' }, {}]

  it.each<[string, FacetRequest, readonly FieldValues[] | null, FacetStats | undefined]>([
    ['of what is kept', 'f', [{ f: [4, 3] }, { f: 8 }, {}], { min: 3, max: 8 }],
    ['of one number', 'f', [{ f: 3 }], { min: 3, max: 3 }],
    ['with sums', sums, [{ f: [4, 3] }, { f: 8 }], { min: 3, max: 8, sums: { sum: 15, count: 3 } }],
    ['of nothing', 'f', [{ f: 'x' }], undefined],
    ['less sums', sums, null, { min: 1, max: 9, sums: { sum: 27, count: 4 } }],
    ['of other documents', { attribute: 'f', disjunctive: true }, [{ f: 3 }], stats.f],
  ])('have statistics %s', (_, request, kept, expected) => {
    const facets = facetsOf({}, stats, [request])
    expect(shown(facetsWithout(facets, rejected, kept)).stats['f']).toEqual(expected)
  })

  it('have no statistics if all numbers went, and keep bounds without sums', () => {
    const of = (one: FacetStats) =>
      shown(facetsWithout(facetsOf({}, { f: one }, [sums]), rejected, null)).stats['f']
    expect(of({ min: 1, max: 2, sums: { sum: 3, count: 2 } })).toBeUndefined()
    expect(of({ min: 1, max: 2 })).toEqual({ min: 1, max: 2 })
  })

  it('count disjunctive facets as before', () => {
    const facets = facetsOf({ f: { a: 1 } }, {}, [{ attribute: 'f', disjunctive: true }])
    expect(shown(facetsWithout(facets, [{ f: 'a' }], null)).distribution).toEqual({ f: { a: 1 } })
  })
})
