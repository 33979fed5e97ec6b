// Boosts in whole searches, compared with multiplying the scores of all hits and sorting them.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Boost } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  openTestEngine,
  searchFor,
  type TestEngine,
} from '../../testing/test-engine.ts'

const WORDS = ['salt', 'iron', 'road', 'garden', 'salty', 'saltier'] as const
const COLORS = ['red', 'blue', 'green'] as const
const COUNT = 240
const DAY = 86_400
const NOW = 1_700_000_000_000

type Document = {
  readonly id: number
  readonly title: string
  readonly color: string
  readonly price: number
  readonly sales?: number | readonly number[]
  readonly date?: number | string
  readonly _geo?: { readonly lat: number; readonly lng: number }
}

/** Numbers that look random and are the same in each run. */
const noise = (seed: number): number => {
  const value = Math.sin(seed * 127.1 + 311.7) * 43_758.5453
  return value - Math.floor(value)
}

function dateOf(id: number): object {
  const seconds = Math.floor(NOW / 1000 - noise(id + 9) * 90 * DAY)
  if (id % 5 === 0) return {}
  if (id % 5 === 1) return { date: seconds }
  if (id % 5 === 2) return { date: seconds * 1000 }
  return { date: new Date(seconds * 1000).toISOString() }
}

const DOCUMENTS = Array.from({ length: COUNT }, (_, id) => ({
  id,
  title: Array.from(
    { length: 1 + (id % 4) },
    (_, i) => WORDS[Math.floor(noise(id * 5 + i) * 6)],
  ).join(' '),
  color: COLORS[Math.floor(noise(id) * 3)]!,
  price: id % 7,
  ...(id % 4 === 0 ? {} : { sales: id % 11 === 0 ? [3, id] : Math.floor(noise(id + 1) * 100) - 5 }),
  ...dateOf(id),
  ...(id % 3 === 0 ? {} : { _geo: { lat: noise(id + 2) * 50, lng: noise(id + 3) * 50 } }),
  _vectors: { own: [Math.sin(id), Math.cos(id)] },
})) as readonly Document[]

let engine: TestEngine

const setUp = async (indexUid: string, patch: object): Promise<void> => {
  await changeSettings(engine, indexUid, {
    searchableAttributes: ['title'],
    filterableAttributes: ['color', 'price'],
    sortableAttributes: ['price', 'sales', 'date', '_geo'],
    embedders: { own: { source: 'userProvided', dimensions: 2 } },
    ...patch,
  })
  // Several segments, with dead copies.
  await addDocuments(
    engine,
    indexUid,
    DOCUMENTS.map((one) => ({ ...one, sales: 1000, date: 5 })),
  )
  for (let at = 0; at < COUNT; at += COUNT / 3) {
    await addDocuments(engine, indexUid, DOCUMENTS.slice(at, at + COUNT / 3))
    await engine.idle()
  }
}

beforeAll(async () => {
  engine = await openTestEngine(new FakeDisk().mount())
  await setUp('shop', {})
  await setUp('sorted', { rankingRules: ['words', 'sort', 'exactness'] })
  await setUp('first', { rankingRules: ['sort', 'words', 'exactness'] })
})
afterAll(() => engine.close())

type Details = { readonly [rule: string]: { readonly score?: number; readonly value?: unknown } }
type Hit = {
  readonly id: number
  readonly _rankingScore: number
  readonly _rankingScoreDetails: Details
}
type Found = { readonly hits: readonly Hit[]; readonly estimatedTotalHits: number }

const find = async (
  boosts: readonly Boost[] | null,
  request: object,
  indexUid = 'shop',
): Promise<Found> =>
  (await searchFor(engine, indexUid, {
    limit: 1000,
    showRankingScore: true,
    boosts,
    boostsNow: NOW,
    ...request,
  })) as unknown as Found

// The formulas once more, as their definitions say.

const radians = (degrees: number): number => (degrees * Math.PI) / 180

function metres(a: { lat: number; lng: number }, b: { lat: number; lng: number }): number {
  const half = (x: number): number => Math.sin(x / 2) ** 2
  const [p, q] = [radians(a.lat), radians(b.lat)]
  const h = half(q - p) + Math.cos(p) * Math.cos(q) * half(radians(b.lng - a.lng))
  return Math.round(2 * 6_371_000_000 * Math.asin(Math.sqrt(h))) / 1000
}

function distanceOf({ field, origin }: Boost, document: Document): number | null {
  if (typeof origin === 'object') {
    return document._geo === undefined ? null : metres(origin, document._geo)
  }
  const value = document[field as 'date' | 'price']
  if (value === undefined) return null
  if (typeof origin === 'number') return typeof value === 'number' ? Math.abs(value - origin) : null
  const at = origin === 'now' ? NOW : Date.parse(origin!)
  const seconds =
    typeof value === 'string' ? Date.parse(value) / 1000 : value > 1e11 ? value / 1000 : value
  return Math.abs(seconds - at / 1000)
}

function decayed(boost: Boost, distance: number): number {
  const { shape, scale = 1, offset = 0, decay = 0.5 } = boost
  const far = Math.max(0, distance - offset)
  if (shape === 'exp') return Math.exp((Math.log(decay) / scale) * far)
  if (shape === 'gauss')
    return Math.exp(-(far ** 2) / (2 * (-(scale ** 2) / (2 * Math.log(decay)))))
  const s = scale / (1 - decay)
  return Math.max((s - far) / s, 0)
}

function factorOf(boost: Boost, document: Document): number {
  const { filter, weight = 1, factor = 1, pivot = 1 } = boost
  if (filter === 'color = red') return document.color === 'red' ? weight : 1
  if (Array.isArray(filter)) return document.price > 2 && document.color !== 'red' ? weight : 1
  if (boost.shape !== undefined) {
    const distance = distanceOf(boost, document)
    return distance === null ? 1 : weight * decayed(boost, distance)
  }
  if (document.sales === undefined) return 1
  const value = Math.max(0, ...[document.sales].flat())
  if (boost.function === 'log') return weight * Math.log(factor + value)
  // In the order of the engine, so that rounding is the same.
  if (boost.function === 'linear') return weight * (factor * value)
  return (weight * value) / (value + pivot)
}

const productOf = (boosts: readonly Boost[], id: number): number =>
  boosts.reduce((product, boost) => product * factorOf(boost, DOCUMENTS[id]!), 1)

const weight = fc.constantFrom(0.25, 0.5, 1, 2, 30)
/** Fields may have the factor 0 for all documents; a filter would hide them. */
const fieldWeight = fc.constantFrom(0, 0.25, 0.5, 1, 2, 30, 1e9)
const shape = fc.constantFrom('exp', 'gauss', 'linear')
const anyBoost = fc.oneof(
  fc.record({
    filter: fc.constantFrom<unknown>('color = red', [
      'price > 2',
      ['color = blue', 'color = green'],
    ]),
    weight,
  }),
  fc.record(
    {
      field: fc.constant('sales'),
      function: fc.constant('log'),
      factor: fc.constantFrom(1, 3),
      weight: fieldWeight,
    },
    { requiredKeys: ['field', 'function'] },
  ),
  fc.record({
    field: fc.constant('sales'),
    function: fc.constant('saturation'),
    pivot: fc.constantFrom(5, 50),
    weight: fieldWeight,
  }),
  fc.record(
    {
      field: fc.constant('sales'),
      function: fc.constant('linear'),
      factor: fc.constantFrom(0.01, 2),
      weight: fieldWeight,
    },
    { requiredKeys: ['field', 'function'] },
  ),
  fc.record(
    {
      field: fc.constant('date'),
      shape,
      origin: fc.constantFrom('now', new Date(NOW - 40 * DAY * 1000).toISOString()),
      scale: fc.constantFrom(3 * DAY, 30 * DAY),
      offset: fc.constantFrom(0, DAY),
      decay: fc.constantFrom(0.2, 0.5, 0.9),
      weight: fieldWeight,
    },
    { requiredKeys: ['field', 'shape', 'origin', 'scale'] },
  ),
  fc.record({ field: fc.constant('price'), shape, origin: fc.constant(3), scale: fc.constant(2) }),
  fc.record({
    field: fc.constant('_geo'),
    shape,
    origin: fc.constant({ lat: 20, lng: 30 }),
    scale: fc.constantFrom(300_000, 2_000_000),
    offset: fc.constant(50_000),
  }),
) as fc.Arbitrary<Boost>
const someBoosts = fc.array(anyBoost, { maxLength: 4 })
const anyQuery = fc.constantFrom('salt', 'salt road', 'irn', 'gar', 'iron salt garden road', '')

/** Rounding makes no larger differences. */
const isNear = (a: number, b: number): boolean =>
  Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(a))

/**
 * Compares lists of numbers element by element, to 1e-9 of the first of the expected ones. Behind a
 * number that another list has nearly, rounding decides the order: there nothing is compared.
 */
function expectClose(
  found: readonly (readonly number[])[],
  expected: readonly (readonly number[])[],
  count = expected.length,
) {
  const near = expected.map((values) =>
    values.findIndex((value, j) =>
      expected.some((other) => other[j] !== value && isNear(other[j]!, value)),
    ),
  )
  expect(found).toHaveLength(Math.min(count, expected.length))
  for (const [i, values] of expected.slice(0, count).entries()) {
    for (const [j, value] of values.entries()) {
      const off = Math.abs(found[i]![j]! - value)
      expect(
        off <= 1e-9 * Math.max(1, Math.abs(value)),
        `${i}.${j}: ${found[i]} for ${values}`,
      ).toBe(true)
      if (j === near[i]) break
    }
  }
}

/** Larger numbers first; nearly equal ones are equal. */
function descending(a: readonly number[], b: readonly number[]): number {
  for (const [i, value] of a.entries()) {
    const other = b[i]!
    if (!isNear(value, other)) return other - value
  }
  return 0
}

describe('boosted scores', () => {
  it('order the hits as multiplying all scores does, on every page', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyQuery,
        someBoosts,
        fc.nat(30),
        fc.nat(20),
        fc.constantFrom(null, 0.3, 0.8),
        async (q, boosts, offset, limit, rankingScoreThreshold) => {
          const { hits } = await find([], { q })
          const scoreOf = new Map(hits.map(({ id, _rankingScore }) => [id, _rankingScore]))
          const boosted = (id: number): number[] => {
            const product = productOf(boosts, id)
            return [scoreOf.get(id)! * product, product]
          }
          const expected = hits
            .map(({ id }) => boosted(id))
            .filter(([score]) => Math.min(1, score!) >= (rankingScoreThreshold ?? 0))
            .sort(descending)
          const found = await find(boosts, { q, rankingScoreThreshold })
          expectClose(
            found.hits.map(({ id }) => boosted(id)),
            expected,
          )
          expectClose(
            found.hits.map((hit) => [hit._rankingScore]),
            expected.map(([score]) => [Math.min(1, score!)]),
          )
          expect(found.estimatedTotalHits).toBe(expected.length)
          const page = await find(boosts, { q, rankingScoreThreshold, offset, limit })
          expect(page.hits).toEqual(found.hits.slice(offset, offset + limit))
          // Without scores, rules rank only documents whose order is not known before.
          const bare = await find(boosts, {
            q,
            rankingScoreThreshold,
            offset,
            limit,
            showRankingScore: false,
          })
          expect(bare.hits.map(({ id }) => id)).toEqual(page.hits.map(({ id }) => id))
          if (rankingScoreThreshold === null) expect(page.estimatedTotalHits).toBe(expected.length)
        },
      ),
      { numRuns: 150 },
    )
  })

  it('are compared before, between and behind sorts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('salt road', 'iron salt garden road', 'salt'),
        someBoosts,
        fc.integer({ min: 1, max: 20 }),
        fc.constantFrom('sorted', 'first'),
        async (q, boosts, limit, indexUid) => {
          const request = { q, sort: ['price:desc'], showRankingScoreDetails: true }
          const { hits } = await find([], request, indexUid)
          const keyOf = ({ id, _rankingScoreDetails: details }: Hit): number[] => {
            const product = productOf(boosts, id)
            const words = details['words']!.score! * product
            const exactness = details['exactness']!.score! * product
            const price = DOCUMENTS[id]!.price
            if (indexUid === 'sorted') return [words, price, exactness, product]
            // Rules without a sort in between have one score.
            const merged = hits.find((hit) => hit.id === id)!._rankingScore * product
            return [price, merged, product]
          }
          const expected = hits.map(keyOf).sort(descending)
          const found = await find(boosts, { ...request, limit }, indexUid)
          expectClose(found.hits.map(keyOf), expected, limit)
          const unshown = { showRankingScore: false, showRankingScoreDetails: false }
          const bare = await find(boosts, { ...request, ...unshown, limit }, indexUid)
          expect(bare.hits.map(({ id }) => id)).toEqual(found.hits.map(({ id }) => id))
        },
      ),
      { numRuns: 60 },
    )
  })

  it('keep the direction of a sort by distance', async () => {
    const boosts: Boost[] = [{ field: 'sales', function: 'log', factor: 2 }]
    for (const sort of ['_geoPoint(10,10):asc', '_geoPoint(10,10):desc']) {
      const plain = await find([], { q: '', sort: [sort], limit: 10 })
      const found = await find(boosts, { q: '', sort: [sort], limit: 10 })
      expect(found.hits.map(({ id }) => id)).toEqual(plain.hits.map(({ id }) => id))
    }
  })

  it('choose the best document of each distinct value', async () => {
    await fc.assert(
      fc.asyncProperty(anyQuery, someBoosts, async (q, boosts) => {
        const seen = new Set<string>()
        const all = await find(boosts, { q })
        const expected = all.hits.filter(({ id }) => {
          const { color } = DOCUMENTS[id]!
          return !seen.has(color) && seen.add(color)
        })
        const found = await find(boosts, { q, distinct: 'color' })
        expect(found.hits).toEqual(expected)
        const paged = await searchFor(engine, 'shop', {
          q,
          boosts,
          boostsNow: NOW,
          distinct: 'color',
          hitsPerPage: 2,
        })
        expect(paged.totalHits).toBe(expected.length)
        expect(paged.hits.map(({ id }: Hit) => id)).toEqual(
          expected.slice(0, 2).map(({ id }) => id),
        )
      }),
      { numRuns: 60 },
    )
  })

  it('order hits found by vectors, and by words and vectors', async () => {
    await fc.assert(
      fc.asyncProperty(someBoosts, fc.integer({ min: 1, max: 40 }), async (boosts, limit) => {
        const semantic = {
          q: 'salt',
          vector: new Float64Array([1, 0]),
          hybrid: { embedder: 'own', semanticRatio: 1 },
        }
        const plain = await find([], semantic)
        const keyOf = ({ id }: Hit): number[] => {
          const { _rankingScore } = plain.hits.find((hit) => hit.id === id)!
          const product = productOf(boosts, id)
          return [_rankingScore * product, product]
        }
        const expected = plain.hits.map(keyOf).sort(descending).slice(0, limit)
        const found = await find(boosts, { ...semantic, limit })
        expectClose(found.hits.map(keyOf), expected)
        // Each hit of a hybrid search has the multiplied score of one of both lists.
        const hybrid = { embedder: 'own', semanticRatio: 0.5 }
        const words = await find(boosts, { q: 'salt' })
        const near = await find(boosts, semantic)
        const scores = new Set(
          [...words.hits, ...near.hits].map((hit) => `${hit.id} ${hit._rankingScore}`),
        )
        const both = await find(boosts, { ...semantic, hybrid, limit })
        for (const hit of both.hits) expect(scores).toContain(`${hit.id} ${hit._rankingScore}`)
      }),
      { numRuns: 40 },
    )
  })

  it('hide the documents of a filter with the weight 0, in facets too', async () => {
    const boosts: Boost[] = [{ filter: 'color = red', weight: 0 }]
    const found = (await find(boosts, { q: '', facets: ['color'] })) as Found & {
      readonly facetDistribution: { readonly color: { readonly [color: string]: number } }
    }
    const others = DOCUMENTS.filter(({ color }) => color !== 'red')
    expect(found.estimatedTotalHits).toBe(others.length)
    expect(Object.keys(found.facetDistribution.color)).toEqual(['blue', 'green'])
  })

  it('show the factor of each boost that concerns a hit', async () => {
    const boosts: Boost[] = [
      { filter: 'color = red', weight: 3 },
      { field: 'sales', function: 'saturation', pivot: 10 },
    ]
    const { hits } = await find(boosts, { q: 'salt', showRankingScoreDetails: true })
    for (const { id, _rankingScoreDetails: details } of hits) {
      const { color, sales } = DOCUMENTS[id]!
      const parts = boosts.flatMap((boost, position) =>
        (position === 0 ? color === 'red' : sales !== undefined)
          ? [{ position, factor: expect.closeTo(factorOf(boost, DOCUMENTS[id]!), 12) }]
          : [],
      )
      if (parts.length === 0) expect(details).not.toHaveProperty('scale')
      else
        expect(details['scale']).toEqual({
          order: 6,
          rules: [],
          boosts: parts,
          weight: expect.closeTo(productOf(boosts, id), 12),
        })
    }
  })
})

describe('boosts of the setting', () => {
  const setBoosts = async (boosts: readonly Boost[]): Promise<void> => {
    const patch = { boosts } as never
    await changeSettings(engine, 'shop', patch)
    await engine.idle()
  }

  it('apply to searches that send none, and not where the index does not allow them', async () => {
    const allowed: Boost = { filter: 'color = red', weight: 4 }
    await setBoosts([
      { field: 'title', function: 'log' },
      allowed,
      { filter: 'title = a', weight: 2 },
    ])
    const own = await find([allowed], { q: 'salt' })
    expect(await find(null, { q: 'salt' })).toMatchObject({ hits: own.hits })
    expect((await find([], { q: 'salt' })).hits).not.toEqual(own.hits)
    await setBoosts([])
  })

  it('are refused in a search, with their position', async () => {
    const sent = (boost: Boost) =>
      find([{ filter: 'color = red', weight: 1 }, boost], { q: 'salt' })
    await expect(sent({ field: 'title', function: 'log' })).rejects.toThrow(
      '`boosts[1]`: Index `shop`: attribute `title` is neither filterable nor sortable',
    )
    await expect(sent({ filter: 'title = a', weight: 2 })).rejects.toThrow(
      /^`boosts\[1\]`: .*title/s,
    )
  })
})
