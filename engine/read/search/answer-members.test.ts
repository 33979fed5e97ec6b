// The members of answers besides the hits: of a search, of several, of a federated one, and of
// answers of several instances that are merged; and the statistics for scores over a network.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import {
  DEFAULT_FEDERATION,
  type Federation,
  type InstancesMerge,
  type SearchRequest,
} from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  openTestEngine,
  PLAIN_SEARCH,
  type TestEngine,
} from '../../testing/index.ts'

const [FILMS, BOOKS] = [asIndexUid('films'), asIndexUid('books')]
const NETWORK = { self: 'a', remoteErrors: { b: { code: 'gone' } } }
const SEMANTIC: Partial<SearchRequest> = {
  hybrid: { embedder: 'e', semanticRatio: 1 },
  vector: Float64Array.of(1, 0),
  retrieveVectors: true,
}

let engine: TestEngine
beforeAll(async () => {
  engine = await openTestEngine(new FakeDisk().mount())
  for (const uid of [FILMS, BOOKS]) {
    const embedders = { e: { source: 'userProvided', dimensions: 2 } }
    await changeSettings(engine, uid, { embedders, filterableAttributes: ['kind'] })
    const documents = [0, 1, 2].map((id) => ({
      id,
      title: ['river', 'stone river', 'stone'][id],
      kind: ['b', 'a', 'b'][id],
      _vectors: { e: [1, id] },
    }))
    await addDocuments(engine, uid, documents, { primaryKey: 'id' })
  }
  await engine.idle()
})
afterAll(() => engine.close())

function context() {
  let count = 0
  return {
    requestUid: 'r',
    queryUid: () => `q${count++}`,
    features: engine.administration.features,
    signal: new AbortController().signal,
  }
}
const parsed = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString())
const request = (wanted: Partial<SearchRequest>): SearchRequest => ({ ...PLAIN_SEARCH, ...wanted })

type Parsed = {
  readonly hits: readonly { readonly id: number }[]
  readonly [name: string]: unknown
}

/** Returns the members in their order, and the steps whose times are shown. */
function membersOf(bytes: Uint8Array): readonly (readonly [string, unknown])[] {
  const { hits, processingTimeMs, performanceDetails, ...members }: Parsed = parsed(bytes)
  expect(processingTimeMs).toBeGreaterThanOrEqual(0)
  const steps = performanceDetails === undefined ? null : Object.keys(performanceDetails as object)
  const ids = hits.map(({ id }) => id)
  return Object.entries({ ids, ...members, steps })
}

const search = async (wanted: Partial<SearchRequest>) =>
  membersOf(await engine.queries.search(FILMS, request(wanted), context()))

const federated = (
  searches: readonly (readonly [typeof FILMS, Partial<SearchRequest>])[],
  federation: Partial<Federation>,
) =>
  engine.queries.federatedSearch(
    searches.map(([indexUid, wanted]) => {
      return { indexUid, request: request(wanted), weight: 1, queryPosition: null }
    }),
    { ...DEFAULT_FEDERATION, ...federation },
    context(),
  )

/** Merges the answer of this instance alone. */
async function merged(kind: InstancesMerge['kind'], more: Partial<Federation> = {}) {
  const wanted = { q: 'river', ...SEMANTIC }
  const merger = { by: 'self', form: 'partial' } as const
  const bytes = await federated([[FILMS, wanted]], { merger })
  const merge: InstancesMerge = {
    ...NETWORK,
    answers: [{ remote: 'a', bytes, isOwn: true }],
    federation: { ...DEFAULT_FEDERATION, ...more },
    queries: [{ indexUid: FILMS, q: 'river', position: 0 }],
    kind,
  }
  return membersOf(await engine.queries.mergeInstances(merge, context(), Date.now()))
}

const STEPS = ['filter', 'tokenize query', 'rank']
const FORMAT = 'search > format hits'
const FACETS = [' > compute facet distribution', ' > compute facet stats', ''].map(
  (part) => `search > facet distribution${part}`,
)

const OF_FILMS = { queryUid: 'q0', indexUid: 'films', primaryKey: 'id' }
const OF_RIVER = { query: 'river', ...OF_FILMS }
const page = (limit: number, estimatedTotalHits: number) => ({
  limit,
  offset: 0,
  estimatedTotalHits,
  requestUid: 'r',
})

describe('the members of an answer', () => {
  it('to a search over the network', async () => {
    const wanted = { q: 'river', showPerformanceDetails: true, network: NETWORK }
    expect(await search(wanted)).toEqual(
      Object.entries({
        ids: [0, 1],
        query: 'river',
        ...page(1000, 2),
        metadata: { ...OF_RIVER, remote: 'a' },
        remoteErrors: NETWORK.remoteErrors,
        steps: ['wait in queue', ...STEPS.map((step) => `search > ${step}`), FORMAT],
      }),
    )
  })

  it('names the steps of facets and groups', async () => {
    const facets = { facets: ['kind'] as readonly string[] }
    const wanted = { ...facets, distinct: 'kind', hitsPerGroup: 1, showPerformanceDetails: true }
    const { steps } = Object.fromEntries(await search(wanted))
    expect((steps as string[]).slice(4)).toEqual([...FACETS, FORMAT, 'search > groups'])
    const federation = { facetsByIndex: { films: ['kind'] }, showPerformanceDetails: true }
    const all = Object.fromEntries(membersOf(await federated([[FILMS, {}]], federation)))
    const federating = ['federating > merge', ...FACETS, FORMAT]
    expect((all['steps'] as string[]).slice(5)).toEqual(federating)
  })

  it('to a semantic search, whose vector is shown on request', async () => {
    const shown = {
      ids: [0, 1],
      query: 'river',
      queryVector: [1, 0],
      ...page(2, 3),
      metadata: OF_RIVER,
      semanticHitCount: 2,
      steps: null,
    }
    const wanted = { q: 'river', ...SEMANTIC, limit: 2 }
    expect(await search(wanted)).toEqual(Object.entries(shown))
    const { queryVector: _, ...without } = shown
    expect(await search({ ...wanted, retrieveVectors: false })).toEqual(Object.entries(without))
  })

  it('to a search with a typo', async () => {
    expect(await search({ q: 'rivet', showCorrection: true })).toEqual(
      Object.entries({
        ids: [0, 1],
        query: 'rivet',
        correctedQuery: 'river',
        ...page(1000, 2),
        metadata: { ...OF_RIVER, query: 'rivet' },
        steps: null,
      }),
    )
  })

  it('to several searches', async () => {
    const wanted = [FILMS, BOOKS].map((indexUid) => ({
      indexUid,
      request: request({ q: 'stone' }),
    }))
    const pieces = await engine.queries.multiSearch(wanted, context())
    const all = parsed(Buffer.concat([...pieces])).results
    expect(all.map((one: object) => Object.keys(one))).toEqual(
      Array.from({ length: 2 }, () => [
        ...['indexUid', 'hits', 'query', 'processingTimeMs', 'limit', 'offset'],
        ...['estimatedTotalHits', 'requestUid', 'metadata'],
      ]),
    )
    expect(all.map(({ metadata }: Parsed) => metadata)).toEqual([
      { ...OF_FILMS, query: 'stone' },
      { ...OF_FILMS, query: 'stone', indexUid: 'books', queryUid: 'q1' },
    ])
  })

  it('to a federated search, by the numbers of its searches', async () => {
    const searches = [
      [FILMS, { q: 'river', ...SEMANTIC }],
      [BOOKS, { q: 'rivet', showCorrection: true }],
      [FILMS, { ...SEMANTIC, vector: Float64Array.of(0, 1) }],
    ] as const
    const federation = { limit: 3, network: NETWORK, showPerformanceDetails: true }
    expect(membersOf(await federated(searches, federation))).toEqual(
      Object.entries({
        ids: [0, 2, 1],
        correctedQueries: { 1: 'river' },
        queryVectors: { 0: [1, 0], 2: [0, 1] },
        ...page(3, 5),
        metadata: [
          { ...OF_RIVER, remote: 'a' },
          { ...OF_RIVER, query: 'rivet', queryUid: 'q1', indexUid: 'books', remote: 'a' },
          { ...OF_FILMS, queryUid: 'q2', remote: 'a' },
        ],
        semanticHitCount: 3,
        remoteErrors: NETWORK.remoteErrors,
        steps: [
          ...['wait in queue', 'federating > check'],
          // The searches of `books` run first.
          ...[1, 0, 2].flatMap((at) => STEPS.map((step) => `search > queries[${at}] > ${step}`)),
          ...['federating > merge', FORMAT],
        ],
      }),
    )
  })

  it('to a federated search by words alone', async () => {
    const answer = membersOf(await federated([[FILMS, { q: 'river' }]], {}))
    const metadata = [OF_RIVER]
    const members = { ids: [0, 1], ...page(20, 2), metadata, steps: null }
    expect(answer).toEqual(Object.entries(members))
  })

  it.each([
    ['single', { query: 'river', queryVector: [1, 0] }, { ...OF_RIVER, remote: 'a' }],
    [
      'listed',
      { indexUid: 'films', query: 'river', queryVector: [1, 0] },
      { ...OF_RIVER, remote: 'a' },
    ],
    ['federated', { queryVectors: { 0: [1, 0] } }, [{ ...OF_RIVER, remote: 'a' }]],
  ] as const)('to a %s search, merged of instances', async (kind, own, metadata) => {
    const showPerformanceDetails = kind === 'listed'
    const answer = await merged(kind, { showPerformanceDetails })
    const members = {
      ids: [0, 1, 2],
      ...own,
      ...page(20, 3),
      metadata,
      remoteErrors: NETWORK.remoteErrors,
      semanticHitCount: 3,
      steps: showPerformanceDetails ? [] : null,
    }
    expect(new Map(answer)).toEqual(new Map(Object.entries(members)))
  })
})

it('the statistics of a query count the documents and words of this instance', async () => {
  const statistics = async (q: string | null) =>
    parsed(await engine.queries.statistics(FILMS, request({ q }), context()))
  expect(await statistics('river stone')).toEqual({
    documents: 3,
    words: { id: 3, title: 4, kind: 3 },
    // The third word is both, joined.
    frequencies: [
      [2, 2, 2],
      [2, 2, 2],
      [0, 0, 0],
    ],
  })
  expect(await statistics(null)).toEqual({ documents: 0, words: {}, frequencies: [] })
})
