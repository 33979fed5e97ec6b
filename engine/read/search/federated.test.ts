// Federated searches and multi-searches, in place, over small indexes on a disk in memory.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import {
  DEFAULT_FEDERATION,
  type FacetRequest,
  type FederatedSearch,
  type Federation,
  type SearchContext,
  type SearchRequest,
} from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  openTestEngine,
  PLAIN_SEARCH,
  searchFor,
  type TestEngine,
} from '../../testing/test-engine.ts'

const WORDS = ['salt', 'iron', 'road', 'garden', 'river', 'stone'] as const
const KINDS = ['x', 'y', 'z', '', null] as const
const UIDS = ['books', 'films'] as const

type Hit = {
  readonly id: number
  readonly _rankingScore: number
  readonly _federation: {
    readonly indexUid: string
    readonly queriesPosition: number
    readonly weightedRankingScore: number
  }
}
type Answer = {
  readonly hits: readonly Hit[]
  readonly estimatedTotalHits: number
  readonly totalHits: number
  readonly [member: string]: unknown
}

type SearchOptions = Partial<SearchRequest> & {
  readonly uid: string
  readonly weight?: number
  readonly at?: number
}

const parsed = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString())

/** Titles of two to four words by a fixed rule. */
const titleOf = (n: number): string =>
  Array.from({ length: 2 + (n % 3) }, (_, i) => WORDS[(n * 7 + i * i * 5 + i) % 6]).join(' ')

const documents = (seed: number): readonly object[] =>
  Array.from({ length: 25 }, (_, i) => {
    const n = i + seed
    return { id: i, title: titleOf(n), kind: KINDS[n % 5], size: n % 4, tags: [n % 3, `t${n % 2}`] }
  })

let engine: TestEngine
let context: SearchContext

beforeAll(async () => {
  engine = await openTestEngine(new FakeDisk().mount())
  const patch = {
    searchableAttributes: ['title'],
    filterableAttributes: ['kind', 'size', 'tags'],
    sortableAttributes: ['size'],
  }
  for (const [i, uid] of UIDS.entries()) {
    await changeSettings(engine, uid, patch)
    await addDocuments(engine, uid, documents(i * 13), { primaryKey: 'id' })
  }
  await engine.idle()
  const { signal } = new AbortController()
  context = { requestUid: 'r', queryUid: null, features: engine.administration.features, signal }
})

const searchesOf = (queries: readonly SearchOptions[]): FederatedSearch[] =>
  queries.map(({ uid, weight = 1, at = null, ...request }) => ({
    indexUid: asIndexUid(uid),
    request: { ...PLAIN_SEARCH, ...request },
    weight,
    queryPosition: at,
  }))

const federate = async (
  queries: readonly SearchOptions[],
  federation: Partial<Federation> = {},
): Promise<Answer> =>
  parsed(
    await engine.queries.federatedSearch(
      searchesOf(queries),
      { ...DEFAULT_FEDERATION, ...federation },
      context,
    ),
  )

const anySearch: fc.Arbitrary<SearchOptions> = fc.record({
  uid: fc.constantFrom(...UIDS),
  q: fc.constantFrom(...WORDS, 'salt road', 'irn', 'gar'),
  weight: fc.constantFrom(1, 0.5, 2, 0),
})

describe('a federated search', () => {
  it('returns the hits of its searches by weighted score, each document once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anySearch, { maxLength: 4 }), async (queries) => {
        const all: { key: string; score: number; at: number }[] = []
        const found = new Set<string>()
        for (const [at, { uid, weight = 1, ...request }] of queries.entries()) {
          const { hits } = await searchFor(engine, uid, { ...request, showRankingScore: true })
          for (const { id, _rankingScore } of hits as Hit[]) {
            all.push({ key: `${uid} ${id}`, score: _rankingScore * weight, at })
            found.add(`${uid} ${id}`)
          }
        }
        all.sort((a, b) => b.score - a.score || a.at - b.at)
        const expected = all.filter(({ key }, i) => all.findIndex((one) => one.key === key) === i)
        const answer = await federate(queries, { limit: 200 })
        const shown = answer.hits.map(({ id, _federation: from }) => ({
          key: `${from.indexUid} ${id}`,
          score: from.weightedRankingScore,
          at: from.queriesPosition,
        }))
        expect(shown).toEqual(expected)
        expect(answer.estimatedTotalHits).toBe(found.size)
      }),
      { numRuns: 60 },
    )
  })

  it('has pages that together are the whole list', async () => {
    const queries = [
      { uid: 'books', q: 'salt' },
      { uid: 'films', q: 'stone' },
      { uid: 'books', q: 'road' },
    ]
    const whole = await federate(queries, { limit: 200 })
    expect(whole.hits.length).toBeGreaterThan(20)
    const bits: Hit[] = []
    for (let offset = 0; offset < whole.hits.length; offset += 7) {
      bits.push(...(await federate(queries, { offset, limit: 7 })).hits)
    }
    expect(bits).toEqual(whole.hits)
    const second = await federate(queries, { page: 2, hitsPerPage: 7 })
    expect(second.hits).toEqual(whole.hits.slice(7, 14))
    expect(second.totalHits).toBe(whole.estimatedTotalHits)
    expect((await federate(queries, { page: 0 })).hits).toEqual([])
  })

  it('shows each value of the distinct field once, over all indexes', async () => {
    const queries = [
      { uid: 'books', q: 'salt' },
      { uid: 'films', q: 'salt' },
      { uid: 'books', q: 'iron' },
    ]
    const { hits, estimatedTotalHits } = await federate(
      queries.map((one) => ({ ...one, attributesToRetrieve: ['kind', 'id'] })),
      { distinct: 'kind' },
    )
    const kinds = hits.map((hit) => (hit as unknown as { kind: string | null }).kind)
    const named = kinds.filter((kind) => kind !== null && kind !== '')
    expect(new Set(named).size).toBe(named.length)
    expect([...new Set(named)].sort()).toEqual(['x', 'y', 'z'])
    expect(estimatedTotalHits).toBe(hits.length)
    const tags = await federate(queries, { distinct: 'tags' })
    expect(tags.hits.length).toBeLessThan(4)
  })

  it('counts each distinct value of one index once on its pages', async () => {
    const filter = 'kind IN [x, y, z]'
    const queries = ['salt', 'river', 'stone'].map((q) => ({ uid: 'books', q, filter }))
    const options = { distinct: 'kind', facetsByIndex: { books: ['size', 'tags'] } }
    const { hits, facetsByIndex } = await federate(queries, options)
    expect(hits).toHaveLength(3)
    for (const page of [1, 2, 9]) {
      const { totalHits } = await federate(queries, { ...options, page, hitsPerPage: 1 })
      expect(totalHits).toBe(3)
    }
    const whole = await federate(queries, { ...options, page: 1 })
    expect(whole['facetsByIndex']).toEqual(facetsByIndex)
  })

  it('counts facets of the remaining documents', async () => {
    const queries = [
      { uid: 'books', q: 'salt' },
      { uid: 'films', q: 'salt' },
    ]
    const facetsByIndex = { books: ['size'], films: ['size'] }
    const apart = await federate(queries, { facetsByIndex })
    const { books, films } = apart['facetsByIndex'] as {
      readonly [uid: string]: { readonly distribution: { readonly size: object } }
    }
    const merged = await federate(queries, {
      facetsByIndex,
      mergeFacets: { maxValuesPerFacet: null },
    })
    const sums = new Map<string, number>()
    for (const index of [books!, films!]) {
      for (const [value, count] of Object.entries(index.distribution.size)) {
        sums.set(value, (sums.get(value) ?? 0) + count)
      }
    }
    expect(merged['facetDistribution']).toEqual({ size: Object.fromEntries(sums) })
    expect(merged['facetStats']).toEqual({ size: { min: 0, max: 2 } })
    const few = await federate(queries, { facetsByIndex, mergeFacets: { maxValuesPerFacet: 1 } })
    expect(few['facetDistribution']).toEqual({ size: { 0: sums.get('0') } })
    const single = await federate(queries, { facetsByIndex, distinct: 'size' })
    const left = single['facetsByIndex'] as {
      readonly [uid: string]: { readonly distribution: { readonly size: object } }
    }
    const counts = UIDS.flatMap((uid) => Object.entries(left[uid]!.distribution.size))
    expect(counts.sort()).toEqual([...sums.keys()].sort().map((value) => [value, 1]))
  })

  it('counts buckets and disjunctive facets of each index, and merges equal buckets', async () => {
    const queries = [
      { uid: 'books', q: 'salt', filter: 'size = 1' },
      { uid: 'books', q: 'iron', filter: ['size = 2', 'kind = x'] },
      { uid: 'films', q: 'salt' },
    ]
    const size = { attribute: 'size', histogram: { interval: 2, offset: 0 }, stats: true }
    const disjunctive = { ...size, disjunctive: true }
    const counted = async (facets: FacetRequest[], some: readonly SearchOptions[] = queries) => {
      const facetsByIndex = { books: facets, films: [size] }
      const answer = await federate(some, { facetsByIndex })
      return answer['facetsByIndex'] as { readonly [uid: string]: { readonly stats: object } }
    }
    const [salt, iron, films] = queries
    const without = [{ ...salt!, filter: null }, { ...iron!, filter: 'kind = x' }, films!]
    const apart = await counted([disjunctive])
    expect(apart['books']).toEqual((await counted([size], without))['books'])
    expect(apart['books']!.stats).toMatchObject({ size: { min: 0, max: 2 } })
    const facetsByIndex = { books: [disjunctive], films: [size] }
    const mergeFacets = { maxValuesPerFacet: 1 }
    const merged = await federate(queries, { facetsByIndex, mergeFacets })
    const sums = new Map<string, number>()
    let numbers = 0
    for (const uid of UIDS) {
      const { distribution, stats } = apart[uid] as unknown as {
        readonly distribution: { readonly size: { readonly [key: string]: number } }
        readonly stats: { readonly size: { readonly count: number } }
      }
      numbers += stats.size.count
      for (const [key, count] of Object.entries(distribution.size)) {
        sums.set(key, (sums.get(key) ?? 0) + count)
      }
    }
    expect([...sums.keys()].sort()).toEqual(['0', '2'])
    expect(merged['facetDistribution']).toEqual({ size: Object.fromEntries(sums) })
    expect(merged['facetStats']).toMatchObject({ size: { min: 0, max: 2, count: numbers } })
    const other = { ...facetsByIndex, films: [{ ...size, histogram: { interval: 3, offset: 0 } }] }
    await expect(federate(queries, { facetsByIndex: other, mergeFacets })).rejects.toThrow(
      'Inconsistent buckets in facet `size`: index `books`',
    )
  })

  it('merges facets in the order of the request, if all indexes have the same', async () => {
    const queries = UIDS.map((uid) => ({ uid, q: 'salt' }))
    const byCount = { attribute: 'size', order: 'count' } as const
    const mergeFacets = { maxValuesPerFacet: 10 }
    const facets = async (books: FacetRequest, films: FacetRequest) =>
      await federate(queries, { facetsByIndex: { books: [books], films: [films] }, mergeFacets })
    const { facetDistribution } = await facets(byCount, byCount)
    const counts = Object.values((facetDistribution as { size: { [value: string]: number } }).size)
    expect(counts.length).toBeGreaterThan(1)
    expect((await facets('size', 'size'))['facetDistribution']).toEqual(facetDistribution)
    await expect(facets(byCount, 'size')).rejects.toThrow('Inconsistent order for values in facet')
  })

  it('names the search and the index of a fault', async () => {
    const fails = (queries: readonly SearchOptions[], federation: Partial<Federation> = {}) =>
      federate(queries, federation).then(
        () => 'nothing',
        (error: Error) => error.message,
      )
    const ok = { uid: 'books', q: 'salt' }
    expect(await fails([ok, { uid: 'gone' }])).toBe('Inside `.queries[1]`: Index `gone` not found.')
    expect(await fails([ok, { ...ok, filter: 'title = 1' }])).toMatch(
      /^Inside `.queries\[1\]`: Index/,
    )
    expect(
      await fails([
        { ...ok, uid: 'films', sort: ['id:asc'] },
        { ...ok, filter: '=' },
      ]),
    ).toMatch(/^Inside `.queries\[1\]`: /)
    expect(await fails([ok], { facetsByIndex: { books: ['id'] } })).toMatch(
      /^Inside `.queries\[0\]`: Inside `.federation.facetsByIndex.books`: Invalid facet /,
    )
    expect(await fails([ok], { facetsByIndex: { films: ['id'] } })).toMatch(
      /^Inside `.federation.facetsByIndex.films`: .*\n - Note: index `films` is not used/,
    )
  })

  it('lists its queries in order, and numbers hits by the requested positions', async () => {
    let count = 0
    const queryUid = () => `q${count++}`
    const searches = searchesOf([
      { uid: 'films', q: 'salt' },
      { uid: 'books', at: 7, q: null },
    ])
    const federation = { ...DEFAULT_FEDERATION, limit: 40, showPerformanceDetails: true }
    const bytes = await engine.queries.federatedSearch(searches, federation, {
      ...context,
      queryUid,
    })
    const answer = parsed(bytes)
    expect(answer.metadata).toEqual([
      { query: 'salt', queryUid: 'q0', indexUid: 'films', primaryKey: 'id' },
      { queryUid: 'q1', indexUid: 'books', primaryKey: 'id' },
    ])
    expect(Object.keys(answer.performanceDetails)).toContain('federating > merge')
    const { _federation: last } = (answer as Answer).hits.at(-1)!
    expect(last).toEqual({ indexUid: 'books', queriesPosition: 7, weightedRankingScore: 1 })
  })
})

describe('a multi-search', () => {
  const plain = async (queries: readonly SearchOptions[]) =>
    parsed(Buffer.concat(await engine.queries.multiSearch(searchesOf(queries), context)))

  it('answers each search as if it came alone', async () => {
    const queries: SearchOptions[] = Array.from({ length: 21 }, (_, i) => ({
      uid: UIDS[i % 2]!,
      q: WORDS[i % 6]!,
      limit: i,
    }))
    const { results } = await plain(queries)
    for (const [i, { uid, ...request }] of queries.entries()) {
      const { processingTimeMs: _, ...alone } = await searchFor(engine, uid, request)
      const { processingTimeMs: __, ...listed } = results[i]
      expect(listed).toEqual({ indexUid: uid, ...alone })
    }
    expect(await plain([])).toEqual({ results: [] })
  })

  it('reports the first of several faults', async () => {
    const bad = { uid: 'books', filter: 'title = 1' }
    const queries = Array.from({ length: 30 }, (): SearchOptions => ({ uid: 'books' }))
    await expect(plain([...queries, bad, { uid: 'gone' }])).rejects.toThrow(
      'Inside `.queries[30]`: ',
    )
    await expect(plain([{ uid: 'gone' }, ...queries, bad])).rejects.toThrow(
      'Inside `.queries[0]`: Index `gone` not found.',
    )
  })
})

describe('rules of a federated search', () => {
  const pinned = { uid: 'p', active: true, conditions: {} }

  it('pin a document once, whichever searches it is pinned through', async () => {
    await engine.administration.setFeatures({ dynamicSearchRules: true })
    const features = engine.administration.features
    const inlineRule = {
      ...pinned,
      actions: {
        pin: [
          { id: '3', position: 1, indexUid: asIndexUid('books') },
          { id: '4', position: 2 },
        ],
      },
    }
    const searches = searchesOf([
      { uid: 'books', q: 'salt', inlineRule },
      { uid: 'books', q: 'iron', inlineRule },
      { uid: 'films', q: 'iron', inlineRule },
    ])
    const answer: Answer = parsed(
      await engine.queries.federatedSearch(
        searches,
        { ...DEFAULT_FEDERATION, limit: 200 },
        { ...context, features },
      ),
    )
    const places = answer.hits.map(({ id, _federation }) => `${_federation.indexUid} ${id}`)
    expect(places.slice(1, 4)).toEqual(['books 3', 'books 4', 'films 4'])
    expect(new Set(places).size).toBe(places.length)
    expect(answer.estimatedTotalHits).toBe(places.length)
  })

  it('pin documents that count beside those of each distinct value', async () => {
    await engine.administration.setFeatures({ dynamicSearchRules: true })
    const features = engine.administration.features
    // All of one kind.
    const pin = [2, 7, 12].map((id) => ({ id: String(id), position: 0 }))
    const inlineRule = { ...pinned, actions: { pin } }
    const queries = ['salt', 'river', 'stone'].map((q) => {
      return { uid: 'books', q, filter: 'kind IN [x, y, z]', inlineRule }
    })
    for (const count of [1, 2, 3]) {
      const searches = searchesOf(queries.slice(0, count))
      const ask = async (hitsPerPage: number): Promise<Answer> => {
        const federation = { ...DEFAULT_FEDERATION, distinct: 'kind', page: 1, hitsPerPage }
        const asked = { ...context, features }
        return parsed(await engine.queries.federatedSearch(searches, federation, asked))
      }
      const { hits, totalHits } = await ask(20)
      expect(hits.slice(0, 3).map(({ id }) => id)).toEqual([2, 7, 12])
      expect([totalHits, (await ask(1)).totalHits]).toEqual([hits.length, hits.length])
    }
  })

  it('scale the hits of their search, and say which conditions hold', async () => {
    const features = { ...engine.administration.features, dynamicSearchRules: true }
    const scale = [{ filter: 'size = 2', weight: 0.01 }]
    const conditions = {
      time: { start: '2000-01-01T00:00:00Z' },
      query: { words: 'salt' },
      filter: { values: { kind: 'x', size: 1 } },
    }
    const inlineRule = { uid: 'r', active: true, conditions, actions: { scale } }
    const applied = { ...inlineRule, conditions: {} }
    const searches = searchesOf([
      { uid: 'books', q: 'salt', inlineRule: applied },
      { uid: 'films', q: 'salt', filter: 'kind = x', inlineRule },
      { uid: 'films', q: 'iron' },
    ])
    let count = 0
    const answer = parsed(
      await engine.queries.federatedSearch(
        searches,
        { ...DEFAULT_FEDERATION, limit: 200, showPerformanceDetails: true },
        { ...context, features, queryUid: () => `q${count++}` },
      ),
    )
    const hits = answer.hits as (Hit & { readonly size: number })[]
    const scaled = hits.filter(
      ({ size, _federation: { queriesPosition } }) => queriesPosition === 0 && size === 2,
    )
    expect(scaled.length).toBeGreaterThan(1)
    expect(hits.slice(-scaled.length)).toEqual(scaled)
    expect(scaled[0]!._federation.weightedRankingScore).toBeLessThanOrEqual(0.01)
    expect(answer.metadata.map((one: object) => 'inlineRuleConditionOutcomes' in one)).toEqual([
      true,
      true,
      false,
    ])
    expect(answer.metadata[1].inlineRuleConditionOutcomes).toEqual({
      satisfiesActiveCondition: true,
      satisfiesTimeCondition: 'satisfied',
      satisfiesQueryWordsCondition: 'satisfied',
      satisfiesFilterCondition: { missingFacet: { facet: 'size' } },
    })
    const steps = Object.keys(answer.performanceDetails)
    for (const at of [0, 1, 2]) expect(steps).toContain(`search > queries[${at}] > rank`)
  })
})

describe('ranking rules of a federated search', () => {
  it('apply all, where sorts and relevancy rules alternate', async () => {
    const uids = ['east', 'west']
    const rows = uids.map((_, at) =>
      Array.from({ length: 24 }, (_, i) => ({
        id: `${at}-${i}`,
        title: i % 2 === 0 ? 'harbour' : 'harbor',
        price: Math.floor(i / 2) % 3,
        date: (i * 5 + at) % 11,
      })),
    )
    for (const [at, uid] of uids.entries()) {
      await changeSettings(engine, uid, {
        searchableAttributes: ['title'],
        rankingRules: ['words', 'price:asc', 'typo', 'date:desc'],
      })
      await addDocuments(engine, uid, rows[at]!, { primaryKey: 'id' })
    }
    await engine.idle()
    const { hits } = await federate(
      uids.map((uid) => ({ uid, q: 'harbour' })),
      { limit: 100 },
    )
    const typos = ({ title }: { readonly title: string }) => (title === 'harbour' ? 0 : 1)
    const found = hits as unknown as (typeof rows)[number]
    expect(found).toHaveLength(48)
    const keys = found.map((row) => [row.price, typos(row), -row.date])
    expect(keys).toEqual(keys.toSorted((a, b) => a[0]! - b[0]! || a[1]! - b[1]! || a[2]! - b[2]!))
    expect(new Set(keys.map(String)).size).toBeGreaterThan(30)
  })
})
