// Any split of documents over parts gives the answer of one part: with parts in memory and as
// bytes, then with indexes and whole searches.
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { compareText } from '../../../format/bytes/index.ts'
import { asIndexUid } from '../../../format/ids.ts'
import { JsonBuffer } from '../../../format/json/index.ts'
import type { FacetRequest, Federation } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { addDocuments, enqueue, openTestEngine, PLAIN_SEARCH } from '../../testing/test-engine.ts'
import { type CountedFacet, countedFacet, type FacetStats } from '../facets/index.ts'
import { FACET_BUCKETS_MAX } from '../jobs/index.ts'
import { mergeKey } from '../retrieval/merge-order.ts'
import { writeHits } from './answer.ts'
import type { Facets } from './facets.ts'
import { facetsByPart, merge } from './merge.ts'
import { FacetOrders, mergedFacets } from './merge-facets.ts'
import type { HitList, PartialAnswer } from './partial-answer.ts'
import { encodePartial } from './partial-json.ts'
import { ReceivedAnswer } from './received-answer.ts'

type Doc = { readonly id: number; readonly rank: number; readonly value: string | null }

const docs = fc
  .array(fc.record({ value: fc.constantFrom(null, 'a', 'b', '1', '__proto__') }), { maxLength: 30 })
  // No two hits are equally good, so the order does not depend on the split.
  .map((list) => list.map(({ value }, id): Doc => ({ id, rank: 100 - id, value })))

/** The part for a split of documents: best first, one of each value if `distinct`. */
function partOf(all: readonly Doc[], distinct: boolean): PartialAnswer {
  const seen = new Set<string>()
  const shown = all.filter(({ value }) => {
    if (!distinct || value === null) return true
    return !seen.has(value) && seen.add(value)
  })
  const counts = new Map<string, number>()
  for (const { value } of all) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
  const sorted = [...counts].sort(([a], [b]) => compareText(a, b))
  const distribution = new Map(counts.size === 0 ? [] : [['value', new Map(sorted)]])
  return {
    indexUid: asIndexUid('i'),
    skipped: 0,
    degraded: false,
    total: (rejected) => shown.length - rejected.length,
    facets: () => ({ distribution, counted: new Map(), stats: new Map() }),
    hits: listOf(shown, distinct),
    pinned: listOf([], distinct),
  }
}

/** Each hit shows its origin in `_federation`; it is left out when hits are compared. */
const listOf = (shown: readonly Doc[], distinct: boolean): HitList => ({
  length: shown.length,
  keyAt: (at) => mergeKey([{ kind: 'words', rank: shown[at]!.rank, max: 100 }], 1, 0),
  documentAt: (at) => shown[at]!.id,
  pinAt: () => null,
  isSemanticAt: () => false,
  distinctAt: (at) => {
    const { value } = shown[at]!
    return distinct && value !== null ? [`string:${value}`] : []
  },
  externalIdAt: (at) => String(shown[at]!.id),
  indexUidAt: () => asIndexUid('i'),
  valuesAt: (at) => {
    const { value } = shown[at]!
    return distinct && value !== null ? { value } : null
  },
  write: (at, out) => {
    const json = JSON.stringify({ ...shown[at]!, _federation: {} })
    out.ascii(json)
    return json.length - '{}}'.length
  },
})

/** The same part after encoding and decoding for another instance. */
function sentOf(part: PartialAnswer): PartialAnswer {
  const whole = merge([part], { offset: 0, limit: part.hits.length, finite: false })
  const goOn = (): void => undefined
  return new ReceivedAnswer(
    encodePartial(whole, [], goOn, () => ({ processingTimeMs: 0 })),
    {
      remote: null,
      withDetails: false,
      isOwn: false,
      distinctOf: () => 'value',
      hitsMax: 30,
      indexUids: new Set([asIndexUid('i')]),
      facetsByIndex: {},
    },
  )
}

type Shown = {
  readonly hits: readonly object[]
  readonly total: number
  readonly counts: readonly unknown[]
}

function shownBy(parts: readonly PartialAnswer[], offset: number, limit: number): Shown {
  const answer = merge(parts, { offset, limit, finite: false })
  const out = new JsonBuffer(64)
  writeHits(answer, out, () => undefined)
  const facets = facetsByPart(answer).map((one) => one.facets)
  const { distribution } = mergedFacets(facets, new FacetOrders(), null)
  const counts = [...distribution].map(([field, values]) => [field, [...values]])
  const shown: readonly { readonly _federation: object }[] = JSON.parse(
    Buffer.from(out.view()).toString(),
  )
  const hits = shown.map(({ _federation: _, ...hit }) => hit)
  return { hits, total: answer.total, counts }
}

describe('merged facet values', () => {
  const counted = { field: 'f', order: null, buckets: null } as unknown as CountedFacet
  const facetsOf = (counts: Readonly<Record<string, number>>) => ({
    distribution: new Map([['f', new Map(Object.entries(counts))]]),
    stats: new Map(),
    counted: new Map([['f', counted]]),
  })
  const one = facetsOf({ 1: 1, '1.0': 1, 10: 1, 9: 1, a: 1, B: 1, 7: 2 })

  type Order = 'alpha' | 'count'
  const shown = (
    order: Order,
    all: readonly Facets[],
    ...how: readonly [number | null, 'indexes' | 'instances']
  ): readonly (readonly [string, number])[] => {
    const orders = new FacetOrders()
    const faceting = { sortFacetValuesBy: { f: order } }
    orders.add({ settings: { faceting }, ref: { uid: 'x' } } as never, [counted])
    return [...mergedFacets(all, orders, ...how).distribution.get('f')!]
  }
  const names = (...asked: Parameters<typeof shown>): readonly string[] =>
    shown(...asked).map(([value]) => value)

  it('with equal counts come in the order of one index: the larger first', () => {
    expect(names('count', [one], null, 'instances')).toEqual(['7', 'B', 'a', '10', '9', '1.0', '1'])
    expect(names('count', [one], 3, 'instances')).toEqual(['7', 'B', 'a'])
    expect(names('count', [one], null, 'indexes')).toEqual(['7', '1', '9', '10', '1.0', 'a', 'B'])
  })

  it('of instances come by alphabet as in one index: numbers as texts, then texts without case', () => {
    const all = ['1', '1.0', '10', '7', '9', 'a', 'B']
    expect(names('alpha', [one], null, 'instances')).toEqual(all)
    expect(names('alpha', [one], 4, 'instances')).toEqual(all.slice(0, 4))
  })

  it('of instances are the same in any case, and shown in one form', () => {
    const other = facetsOf({ b: 2, A: 3, 10: 1 })
    const merged = [
      ['10', 2],
      ['A', 4],
      ['B', 3],
    ]
    for (const all of [
      [one, other],
      [other, one],
    ]) {
      const found = shown('alpha', all, null, 'instances').filter(([value]) =>
        /10|a|b/i.test(value),
      )
      expect(found).toEqual(merged)
    }
    expect(names('alpha', [one, other], null, 'indexes')).toContain('b')
  })
})

describe('facets of several indexes', () => {
  const add = (orders: FacetOrders, uid: string, order: string, ...requested: FacetRequest[]) =>
    orders.add(
      { settings: { faceting: { sortFacetValuesBy: { '*': order } } }, ref: { uid } } as never,
      [countedFacet(requested, 'f')],
    )
  const ranges = (to: number) => ({ attribute: 'f', ranges: [{ to }, { from: to }] })

  it('are refused if indexes order or divide a field differently', () => {
    const orders = new FacetOrders()
    expect(orders.of('f')).toBe('alpha')
    add(orders, 'a', 'count')
    add(orders, 'b', 'alpha', { attribute: 'f', order: 'count' })
    expect(orders.of('f')).toBe('count')
    expect(() => add(orders, 'c', 'alpha')).toThrow(
      'index `a` orders by count, but index `c` orders alphabetically',
    )
    expect(() => add(orders, 'c', 'count', ranges(5))).toThrow('index `a` is counted in others')
    const divided = new FacetOrders()
    add(divided, 'a', 'count', ranges(5))
    // Buckets have an order of their own.
    add(divided, 'b', 'alpha', ranges(5))
    expect(() => add(divided, 'c', 'count', ranges(6))).toThrow('than index `c`')
  })

  it('have the sums of buckets and statistics, buckets in their order', () => {
    const counted = countedFacet([{ attribute: 'f', histogram: { interval: 1, offset: 0 } }], 'f')
    const part = (counts: Readonly<Record<string, number>>, stats: FacetStats): Facets => ({
      distribution: new Map([['f', new Map(Object.entries(counts))]]),
      stats: new Map([['f', stats]]),
      counted: new Map([['f', counted]]),
    })
    const all = [
      part({ 10: 1, 9: 2 }, { min: 9, max: 10, sums: { sum: 29, count: 3 } }),
      part({ 2: 3, 10: 4 }, { min: 2, max: 10.5, sums: { sum: 46, count: 7 } }),
    ]
    const merged = mergedFacets(all, new FacetOrders(), 1)
    expect([...merged.distribution.get('f')!]).toEqual([
      ['2', 3],
      ['9', 2],
      ['10', 5],
    ])
    expect(merged.stats.get('f')).toEqual({ min: 2, max: 10.5, sums: { sum: 75, count: 10 } })
    const bare = mergedFacets([all[1]!, part({}, { min: 1, max: 1 })], new FacetOrders(), null)
    expect(bare.stats.get('f')).toEqual({ min: 1, max: 10.5 })
    const many = Object.fromEntries(Array.from({ length: FACET_BUCKETS_MAX }, (_, i) => [i, 1]))
    const full = part(many, { min: 0, max: 1 })
    expect(() => mergedFacets([full], new FacetOrders(), null)).not.toThrow()
    const others = part({ [FACET_BUCKETS_MAX]: 1 }, { min: 0, max: 1 })
    expect(() => mergedFacets([full, others], new FacetOrders(), null)).toThrow('buckets')
  })
})

test('any split over parts merges to the answer of one part, also as bytes', () => {
  const split = fc.array(fc.nat(4), { minLength: 30, maxLength: 30 })
  fc.assert(
    fc.property(docs, split, fc.boolean(), fc.nat(8), fc.nat(8), (all, by, distinct, from, n) => {
      const parts = [0, 1, 2, 3, 4].map((part) =>
        partOf(
          all.filter(({ id }) => by[id] === part),
          distinct,
        ),
      )
      const expected = shownBy([partOf(all, distinct)], from, n)
      expect(shownBy(parts, from, n)).toEqual(expected)
      const sent = parts.map(sentOf)
      expect(shownBy(sent, from, n).hits).toEqual(expected.hits)
    }),
  )
})

test('documents split over indexes give the answer of one index', async () => {
  const engine = await openTestEngine(new FakeDisk().mount())
  const patch = { filterableAttributes: ['kind', 'size'], sortableAttributes: ['size'] }
  const titles = ['salt road', 'salt', 'iron salt', 'road', 'salt irn']
  const all = Array.from({ length: 40 }, (_, id) => ({
    id,
    title: titles[id % 5],
    kind: `k${id % 7}`,
    size: id,
  }))
  for (const uid of ['one', 'p0', 'p1', 'p2']) {
    const settings = { kind: 'settingsUpdate', patch, isDeletion: false } as const
    await enqueue(engine, uid, { ...settings, allowIndexCreation: true })
    const own = all.filter(({ id }) => uid === 'one' || `p${(id * id) % 3}` === uid)
    if (own.length > 0) await addDocuments(engine, uid, own, { primaryKey: 'id' })
  }
  await engine.idle()
  const { signal } = new AbortController()
  const context = {
    requestUid: 'r',
    queryUid: null,
    features: engine.administration.features,
    signal,
  }
  const ask = async (uids: readonly string[], distinct: string | null, q: string) => {
    const request = { ...PLAIN_SEARCH, q, sort: ['size:desc'] }
    const federation: Federation = {
      offset: 3,
      limit: 12,
      page: null,
      hitsPerPage: null,
      distinct,
      facetsByIndex: Object.fromEntries(uids.map((uid) => [uid, ['kind', 'size']])),
      mergeFacets: { maxValuesPerFacet: null },
      showPerformanceDetails: false,
    }
    const searches = uids.map((uid) => ({
      indexUid: asIndexUid(uid),
      request,
      weight: 1,
      queryPosition: 0,
    }))
    const bytes = await engine.queries.federatedSearch(searches, federation, context)
    const answer = JSON.parse(Buffer.from(bytes).toString())
    const ids = answer.hits.map(({ id }: { id: number }) => id)
    const { estimatedTotalHits: total, facetDistribution, facetStats } = answer
    return { ids, total, facetDistribution, facetStats }
  }
  for (const q of ['salt', 'salt road', '', 'irn']) {
    expect(await ask(['p0', 'p1', 'p2'], null, q)).toEqual(await ask(['one'], null, q))
    const [several, one] = [await ask(['p0', 'p1', 'p2'], 'kind', q), await ask(['one'], 'kind', q)]
    expect(several.ids).toEqual(one.ids)
  }
})
