// A network of three instances answers like one instance with the same documents: random queries,
// filters, facets, sorts, distinct fields and pages find the same hits in the same order, the same
// totals and the same counts. Every search ends with a sort by id, so that there are no ties.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../testing/test-server.ts'

type Body = { readonly [member: string]: unknown }
type Hit = { readonly id: number }
type Found = Body & { readonly hits: readonly Hit[] }

const NAMES = ['a', 'b', 'c'] as const
const SHARDS = {
  s1: { remotes: ['a', 'b'] },
  s2: { remotes: ['b', 'c'] },
  s3: { remotes: ['c', 'a'] },
}
const WORDS = 'river stone light harbour winter summer storm lantern copper valley'.split(' ')
const GENRES = ['Drama', 'comedy', 'Crime', 'war', 'noir']
const RUNS = 24

const pick = <T>(list: readonly T[], at: number): T => list[at % list.length]!

const documents = Array.from({ length: 240 }, (_, id) => ({
  id,
  title: [0, 1, 2].map((i) => pick(WORDS, id * (i + 3) + (id >> 3) * i)).join(' '),
  // Some in another form, which a stem finds.
  note: [0, 1, 2, 3]
    .map((i) => pick(WORDS, (id >> 1) * (i + 1) + i) + pick(['', '', 's'], id + i))
    .join(' '),
  genre: pick(GENRES, id * 7 + (id >> 4)),
  tags: [pick(WORDS, id), pick(WORDS, id >> 2)],
  group: `g${(id * 13) % 37}`,
  offers: Array.from({ length: id % 4 }, (_, i) => ({
    kind: pick(['new', 'used'], id + i),
    cost: (id * 7 + i * 5) % 11,
  })),
  ...(id % 5 === 0 ? {} : { price: (id * 31) % 17 }),
  ...(id % 3 === 0 ? {} : { _geo: { lat: (id % 19) * 2, lng: (id % 23) * 3 } }),
  _vectors: { own: vectorsOf(id) },
}))

/** Returns zero, one or two vectors. No two documents have the same distance to a third one. */
function vectorsOf(id: number): unknown {
  const vector = (turn: number) => [Math.cos(turn), Math.sin(turn * 1.7), Math.cos(turn * 0.31)]
  if (id % 11 === 0) return null
  return id % 7 === 0 ? [vector(id), vector(id + 0.5)] : [vector(id)]
}

const settings = {
  searchableAttributes: ['title', ['note', 'tags']],
  filterableAttributes: ['genre', 'tags', 'group', 'price', 'offers', '_geo', 'id'],
  sortableAttributes: ['id', 'price', 'title', 'offers.cost', '_geo'],
  embedders: { own: { source: 'userProvided', dimensions: 3 } },
  localizedAttributes: [{ attributePatterns: ['note'], locales: ['eng'], stemming: true }],
  // On a busy machine, all owners of a shard may be slow.
  searchCutoffMs: 60_000,
}

let alone: TestServer
const network = new Map<string, TestServer>()

beforeAll(async () => {
  alone = await startServer()
  for (const name of NAMES) network.set(name, await startServer())
  const leader = network.get('a')!
  for (const each of network.values()) {
    await each.ask('PATCH', '/experimental-features', { network: true })
  }
  const remotes = Object.fromEntries([...network].map(([name, { url }]) => [name, { url }]))
  const formed = await leader.ask('PATCH', '/network', {
    self: 'a',
    leader: 'a',
    remotes,
    shards: SHARDS,
  })
  expect(formed.status).toBe(202)
  for (const each of [alone, leader]) {
    await each.ask('PATCH', '/indexes/films/settings', settings)
    // Some documents are sent twice and some are deleted, so that internal ids differ from the
    // order of documents.
    await each.ask('POST', '/indexes/films/documents', documents.slice(0, 150))
    await each.ask('POST', '/indexes/films/documents/delete-batch', [3, 8, 21, 60, 61])
    await each.ask('POST', '/indexes/films/documents', documents.slice(100))
  }
  await alone.idle()
  const { body } = await alone.ask('GET', '/indexes/films/stats')
  // The leader does not wait for the other instances. Each has two thirds of the documents.
  const wanted = (body as Found)['numberOfDocuments'] as number
  while ((await documentsOfAll()) < 2 * wanted) await new Promise((go) => setTimeout(go, 50))
}, 60_000)

/** Waits until all instances have finished their tasks; returns the sum of their documents. */
async function documentsOfAll(): Promise<number> {
  let sum = 0
  for (const each of network.values()) {
    await each.idle()
    const { body } = await each.ask('GET', '/indexes/films/stats')
    sum += ((body as Body)['numberOfDocuments'] as number | undefined) ?? 0
  }
  return sum
}

afterAll(async () => {
  for (const each of [alone, ...network.values()]) await each.stop()
})

const words = fc
  .array(
    fc.constantFrom(...WORDS, 'stonne', 'stones', 'harb', 'li', '"copper valley"', '-winter'),
    {
      maxLength: 3,
    },
  )
  .map((list) => list.join(' '))

const booleans = fc.constantFrom(
  'stone AND river',
  'storm OR (light NOT winter)',
  'title:harbour OR tags:lantern',
  '+summer -copper stonne',
  'NOT stone',
  '"copper valley" OR harb',
)
/** A query in one of both syntaxes. */
const queries = fc.oneof(
  { arbitrary: words.map((q) => ({ q })), weight: 3 },
  { arbitrary: booleans.map((q) => ({ q, querySyntax: 'boolean' })), weight: 1 },
)

const filters = fc.constantFrom(
  undefined,
  'price > 5',
  'genre = drama OR price IS NULL',
  ['genre != war', ['tags = stone', 'tags = river']],
  'price 3 TO 9 AND NOT tags = storm',
  'offers[kind = used AND cost > 5]',
  'offers[kind = new AND cost < 7] AND NOT offers[cost = 1]',
  'price NOT EXISTS',
  '_geoRadius(20, 20, 2000000)',
  'id IN [1, 2, 3, 50, 51, 52, 200]',
)

const sorts = fc.constantFrom(
  [],
  ['price:asc'],
  ['price:desc'],
  ['offers.cost:asc'],
  ['offers.cost:desc'],
  ['title:asc'],
  ['title:desc', 'price:asc'],
  ['_geoPoint(10, 10):asc'],
  ['_geoPoint(10, 10):desc'],
)

const pages = fc.oneof(
  fc.record({ offset: fc.nat(30), limit: fc.nat(40) }),
  fc.record({ page: fc.integer({ min: 1, max: 4 }), hitsPerPage: fc.integer({ min: 1, max: 20 }) }),
)

const requests = fc
  .record({
    query: queries,
    filter: filters,
    sort: sorts.map((sort) => [...sort, 'id:asc']),
    sortScope: fc.constantFrom('all', 'match'),
    facetScope: fc.constantFrom('all', 'match'),
    facets: fc.constantFrom<(readonly unknown[] | undefined)[]>(
      undefined,
      ['genre'],
      ['genre', 'tags', 'price'],
      ['*'],
      ['*', { attribute: 't*', order: 'count' }],
      [
        '*',
        { attribute: 'price', ranges: [{ to: 4 }, { from: 3, to: 9, key: 'mid' }], stats: true },
      ],
      [
        { attribute: 'price', histogram: { interval: 5 } },
        { attribute: 'id', calendar: 'day' },
      ],
    ),
    disjunctiveFacets: fc.constantFrom(undefined, undefined, ['genre', 'price'], ['tags']),
    // Fields with one value per document: of several values, each instance chooses among its own.
    distinct: fc.constantFrom(undefined, undefined, 'genre', 'group'),
    // Not `frequency`: each instance counts the frequency of words in its own documents only.
    matchingStrategy: fc.constantFrom('last', 'all'),
    page: pages,
  })
  .map(({ page, query, ...request }) => ({
    ...request,
    ...query,
    ...page,
    // Of documents with one distinct value, each instance counts one for these facets.
    disjunctiveFacets: request.distinct === undefined ? request.disjunctiveFacets : undefined,
    attributesToRetrieve: ['id', '_geo'],
  }))

/** Returns the facet values of an answer as lists, which have an order. */
function orderOf({ facetDistribution, facetsByIndex }: Body): unknown {
  type Counts = { readonly [field: string]: object }
  const merged = facetsByIndex as { readonly films: { readonly distribution: Counts } } | undefined
  const counts = (facetDistribution ?? merged?.films.distribution ?? {}) as Counts
  return Object.entries(counts).map(([field, values]) => [field, Object.entries(values)])
}

/** Returns the part of an answer that must be equal, without members about instances and time. */
function comparable(body: unknown, distinct: string | undefined): Body {
  const { hits: found, processingTimeMs: _t, requestUid: _u, remoteErrors, ...rest } = body as Found
  // On a busy machine an owner may be too slow; another one has answered then.
  const errors = Object.values((remoteErrors ?? {}) as { readonly [name: string]: unknown })
  for (const error of errors) expect(error).toMatchObject({ code: 'remote_timeout' })
  const hits = found.map(({ _federation: _, ...hit }: Hit & Body) => hit)
  if (distinct === undefined) return { ...rest, hits, order: orderOf(rest) }
  // Without pages, duplicates count until they are ranked, so that totals are estimates.
  if (rest['totalHits'] === undefined) return { hits }
  const { facetDistribution, facetStats: _s, ...pages } = rest
  // In a network, another document may count for a value, and its other values differ.
  const counts = facetDistribution as { readonly [field: string]: object } | undefined
  return { ...pages, hits, counts: counts?.[distinct] }
}

const post = async (server: TestServer, path: string, body: object): Promise<unknown> => {
  const answer = await server.ask('POST', path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}

const SEARCH = '/indexes/films/search'
const BUCKETED = [
  '*',
  { attribute: 'price', ranges: [{ to: 4 }, { from: 3, to: 9, key: 'mid' }], stats: true },
  { attribute: 'id', histogram: { interval: 50 }, stats: true },
]

test('finds the same hits from every instance', async () => {
  await fc.assert(
    fc.asyncProperty(requests, fc.constantFrom(...NAMES), async (request, name) => {
      const { distinct } = request
      const wanted = comparable(await post(alone, SEARCH, request), distinct)
      const found = await post(network.get(name)!, SEARCH, request)
      expect(comparable(found, distinct)).toEqual(wanted)
    }),
    { numRuns: RUNS },
  )
}, 120_000)

test('returns the same totals and facets of distinct pages from every instance', async () => {
  const bodies = fc.record({
    q: words,
    filter: filters,
    distinct: fc.constantFrom('genre', 'group', 'tags'),
    page: fc.integer({ min: 1, max: 3 }),
    hitsPerPage: fc.integer({ min: 0, max: 8 }),
    rankingScoreThreshold: fc.constantFrom(null, 0.5),
  })
  await fc.assert(
    fc.asyncProperty(bodies, async (request) => {
      const body = { ...request, facets: BUCKETED, attributesToRetrieve: ['id'] }
      const answers: unknown[] = []
      for (const each of network.values()) {
        const answer = comparable(await post(each, SEARCH, body), undefined)
        // If documents have several values, each instance chooses hits among its own documents.
        answers.push(request.distinct === 'tags' ? { ...answer, hits: [] } : answer)
      }
      expect(answers[1]).toEqual(answers[0])
      expect(answers[2]).toEqual(answers[0])
      const { totalHits, facetDistribution } = answers[0] as {
        readonly totalHits: number
        readonly facetDistribution: {
          readonly [field: string]: { readonly [value: string]: number }
        }
      }
      const genres = Object.values(facetDistribution['genre'] ?? {})
      expect(genres.reduce((sum, count) => sum + count, 0)).toBe(totalHits)
    }),
    { numRuns: RUNS / 2 },
  )
}, 120_000)

test('counts pinned documents beside those of each distinct value', async () => {
  for (const each of [alone, ...network.values()]) {
    await each.ask('PATCH', '/experimental-features', { dynamicSearchRules: true })
  }
  const pin = [0, 3].map((position) => ({ id: String(7 + position * 41), position }))
  const inlineRule = { uid: 'r', active: true, conditions: {}, actions: { pin } }
  for (const q of ['', 'stone']) {
    const request = { q, distinct: 'genre', hitsPerPage: 20, facets: ['genre'], inlineRule }
    const wanted = (await post(alone, SEARCH, request)) as Found
    expect(wanted['totalHits']).toBe(wanted.hits.length)
    for (const each of network.values()) {
      const { facetDistribution, totalHits } = (await post(each, SEARCH, request)) as Body
      expect({ facetDistribution, totalHits }).toEqual({
        facetDistribution: wanted['facetDistribution'],
        totalHits: wanted['totalHits'],
      })
    }
  }
})

test('returns the totals and facets of distinct hits if the page reaches the last one', async () => {
  const bodies = fc.record({
    q: words,
    filter: filters,
    sort: sorts.map((sort) => [...sort, 'id:asc']),
    distinct: fc.constantFrom('genre', 'group'),
    offset: fc.nat(8),
    limit: fc.integer({ min: 1, max: 40 }),
    rankingScoreThreshold: fc.constantFrom(null, 0.5),
  })
  await fc.assert(
    fc.asyncProperty(bodies, fc.constantFrom(...NAMES), async (request, name) => {
      const body = { ...request, facets: BUCKETED, attributesToRetrieve: ['id'] }
      const { offset, limit, ...paged } = body
      const all = (await post(alone, SEARCH, { ...paged, hitsPerPage: 1 })) as Body
      const total = Number(all['totalHits'])
      // Duplicates behind a full page are not known, and a page behind all hits ranks none.
      fc.pre(offset < total && total < offset + limit)
      const wanted = comparable(await post(alone, SEARCH, body), undefined)
      expect(wanted['estimatedTotalHits']).toBe(all['totalHits'])
      expect(comparable(await post(network.get(name)!, SEARCH, body), undefined)).toEqual(wanted)
    }),
    { numRuns: RUNS },
  )
}, 120_000)

test('merges hits by words and by vector as one instance does', async () => {
  const bodies = fc.record({
    q: words,
    filter: filters,
    // Hits of the two lists are compared by distances in another way.
    sort: sorts.map((sort) => [...sort.filter((one) => !one.startsWith('_geo')), 'id:asc']),
    // Words alone never suffice: no weighted score of them reaches 0.45.
    semanticRatio: fc.constantFrom(0.6, 0.7, 0.8),
    vector: fc.constantFrom([0.3, -0.7, 0.5], [-1, 0.2, 0.1]),
    boosts: fc.constantFrom(undefined, [{ field: 'price', function: 'log' }]),
    limit: fc.integer({ min: 1, max: 40 }),
  })
  await fc.assert(
    fc.asyncProperty(bodies, fc.constantFrom(...NAMES), async (request, name) => {
      const { semanticRatio, ...rest } = request
      const hybrid = { embedder: 'own', semanticRatio }
      const body = { ...rest, hybrid, attributesToRetrieve: ['id'], showRankingScore: true }
      const wanted = comparable(await post(alone, SEARCH, body), undefined)
      expect(comparable(await post(network.get(name)!, SEARCH, body), undefined)).toEqual(wanted)
    }),
    { numRuns: RUNS / 2 },
  )
}, 120_000)

test('finds the same hits with multi-search and federated search', async () => {
  const list = fc.array(requests, { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(list, fc.constantFrom(...NAMES), async (searches, name) => {
      const queries = searches.map((request) => ({ ...request, indexUid: 'films' }))
      const answers = async (server: TestServer): Promise<readonly Body[]> => {
        const { results } = (await post(server, '/multi-search', { queries })) as {
          readonly results: readonly unknown[]
        }
        return results.map((one, at) => comparable(one, searches[at]!.distinct))
      }
      expect(await answers(network.get(name)!)).toEqual(await answers(alone))
      // A single instance orders distances of merged searches in the opposite direction.
      const sort = searches[0]!.sort.filter((one) => !one.startsWith('_geo'))
      const merged = searches.map(({ q, filter }) => {
        const only = filter === undefined ? {} : { filter }
        return { q: `${q} stone`, sort, ...only, indexUid: 'films', attributesToRetrieve: ['id'] }
      })
      const federation = { limit: 30, facetsByIndex: { films: ['genre', 'price'] } }
      const one = (server: TestServer): Promise<unknown> =>
        post(server, '/multi-search', { queries: merged, federation })
      expect(comparable(await one(network.get(name)!), undefined)).toEqual(
        comparable(await one(alone), undefined),
      )
    }),
    { numRuns: RUNS / 4 },
  )
}, 120_000)

test('orders ties equally from every instance, page by page', async () => {
  const bodies = fc.record({
    q: fc.constantFrom('', 'stone', 'river light'),
    filter: fc.constantFrom(undefined, 'price > 5'),
    distinct: fc.constantFrom(undefined, 'genre'),
    offset: fc.nat(30),
    limit: fc.nat(40),
  })
  await fc.assert(
    fc.asyncProperty(bodies, async (request) => {
      const found: unknown[] = []
      for (const each of network.values()) {
        const { hits } = (await post(each, SEARCH, request)) as Found
        found.push(hits.map(({ id }) => id))
      }
      expect(found[1]).toEqual(found[0])
      expect(found[2]).toEqual(found[0])
    }),
    { numRuns: RUNS / 2 },
  )
  const { hits } = (await post(network.get('b')!, SEARCH, { limit: 300 })) as Found
  const ids = hits.map(({ id }) => id)
  expect(ids).toEqual(ids.toSorted((a, b) => a - b))
}, 120_000)

test('returns the same similar documents, also for a document on another instance', async () => {
  const bodies = fc.record(
    {
      id: fc.nat(245),
      filter: filters,
      offset: fc.nat(20),
      limit: fc.nat(30),
      rankingScoreThreshold: fc.constantFrom(null, 0.5, 0.9),
      showRankingScore: fc.boolean(),
      retrieveVectors: fc.boolean(),
    },
    { requiredKeys: ['id'] },
  )
  await fc.assert(
    fc.asyncProperty(bodies, fc.constantFrom(...NAMES), async (request, name) => {
      const body = { ...request, embedder: 'own', attributesToRetrieve: ['id', 'title'] }
      const similar = async (server: TestServer) => {
        const answer = await server.ask('POST', '/indexes/films/similar', body)
        const { processingTimeMs: _, estimatedTotalHits: total, ...rest } = answer.body as Body
        // For a document with two vectors, the number of examined documents is not determined.
        const isKnown = request.id % 7 !== 0 || (request.rankingScoreThreshold ?? null) === null
        return { status: answer.status, total: isKnown ? total : null, rest }
      }
      expect(await similar(network.get(name)!)).toEqual(await similar(alone))
    }),
    { numRuns: RUNS },
  )
}, 120_000)

test('returns the same pages of documents', async () => {
  const bodies = fc.record({
    filter: filters,
    sort: sorts.map((sort) => [...sort, 'id:asc']),
    offset: fc.nat(30),
    limit: fc.nat(40),
    fields: fc.constantFrom(['id'], ['id', 'title', 'tags']),
  })
  await fc.assert(
    fc.asyncProperty(bodies, fc.constantFrom(...NAMES), async (request, name) => {
      const path = '/indexes/films/documents/fetch'
      const wanted = await post(alone, path, request)
      expect(await post(network.get(name)!, path, request)).toEqual(wanted)
    }),
    { numRuns: RUNS },
  )
}, 120_000)

test('returns the first facet values of all instances together, in each order', async () => {
  const request = { facets: ['group', 'tags', 'price', 'genre', 'id'], limit: 0 }
  for (const order of ['alpha', 'count']) {
    const faceting = { maxValuesPerFacet: 3, sortFacetValuesBy: { '*': order } }
    for (const each of [alone, network.get('a')!]) {
      await each.ask('PATCH', '/indexes/films/settings', { faceting })
    }
    for (const each of [alone, ...network.values()]) await each.idle()
    const wanted = comparable(await post(alone, SEARCH, request), undefined)
    for (const each of network.values()) {
      expect(comparable(await post(each, SEARCH, request), undefined)).toEqual(wanted)
    }
  }
})

test('gives documents the scores that one index would give them', async () => {
  const rules = { rankingRules: ['bm25', 'sort'], attributeWeights: { title: 2 } }
  for (const each of [alone, network.get('a')!]) {
    await each.ask('PATCH', '/indexes/films/settings', rules)
  }
  for (const each of [alone, ...network.values()]) await each.idle()
  const scored = fc.record({
    q: words,
    filter: filters,
    sort: fc.constant(['id:asc']),
    matchingStrategy: fc.constantFrom('any', 'last'),
    limit: fc.integer({ min: 1, max: 40 }),
    rankingScoreThreshold: fc.constantFrom(undefined, 0.3),
    attributesToRetrieve: fc.constant(['id']),
    showRankingScore: fc.constant(true),
  })
  await fc.assert(
    fc.asyncProperty(scored, fc.constantFrom(...NAMES), async (request, name) => {
      const wanted = comparable(await post(alone, SEARCH, request), undefined)
      const found = comparable(await post(network.get(name)!, SEARCH, request), undefined)
      // A threshold is known of the ranked documents only, so that the total is an estimate.
      expect(found['hits']).toEqual(wanted['hits'])
    }),
    { numRuns: RUNS },
  )
}, 120_000)
