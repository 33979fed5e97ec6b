// Embedders end to end: the official client of the API, the server, and a scripted provider; and
// providers that are slow, unreachable, wrong or busy while documents are embedded.
import { Meilisearch } from 'meilisearch'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { PlayedProvider, type PlayedRoute } from './test-provider.ts'
import { startServer, type TestServer } from './test-server.ts'

const MASTER = 'a-master-key-of-sixteen'
const TEMPLATES = {
  request: { texts: ['{{text}}', '{{..}}'] },
  response: { vectors: ['{{embedding}}', '{{..}}'] },
}
const ROUTE: PlayedRoute = { ...TEMPLATES, dims: 16 }
const FILMS = [
  { id: 1, title: 'red automobile' },
  { id: 2, title: 'fast car' },
  { id: 3, title: 'ship at sea' },
]

type Shown = { readonly [name: string]: unknown; readonly meaning: { readonly apiKey: string } }
type WithVectors = {
  readonly [name: string]: unknown
  readonly _vectors: {
    readonly meaning: { readonly embeddings: number[][]; readonly regenerate: boolean }
  }
}

let server: TestServer
let provider: PlayedProvider
let client: Meilisearch
let film = 0
/** Returns a new index for each test. */
const fresh = () => client.index(`films-${++film}`)
const embedder = () => ({
  source: 'rest' as const,
  url: `${provider.url}/r`,
  apiKey: 'a-secret-of-the-provider',
  documentTemplate: '{{doc.title}}',
  ...TEMPLATES,
})

beforeAll(async () => {
  provider = await PlayedProvider.start()
  server = await startServer({
    MASTER_KEY: MASTER,
    EXPERIMENTAL_REST_EMBEDDER_MAX_RETRY_DURATION_SECONDS: '0',
  })
  client = new Meilisearch({ host: server.url, apiKey: MASTER })
})

afterEach(() => provider.set({ '/r': ROUTE }))

afterAll(async () => {
  await server.stop()
  await provider.stop()
})

test('keys and headers that cannot be sent are refused when they are set', async () => {
  const refusal = async (more: object): Promise<unknown> => {
    const response = await fetch(`${server.url}/indexes/refused/settings`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${MASTER}`, 'content-type': 'application/json' },
      body: JSON.stringify({ embedders: { e: more } }),
    })
    const { code, message } = (await response.json()) as { code?: string; message?: string }
    expect(JSON.stringify(message)).not.toContain('SECRET')
    return [response.status, code, message?.split(':')[0]]
  }
  const refused = (place: string) => [400, 'invalid_settings_embedders', `\`.embedders.e${place}\``]
  expect(await refusal({ apiKey: 'SECRET\n' })).toEqual(refused('.apiKey'))
  const headers = { ...embedder(), headers: { 'X-A': 'SECRET\r\nb' } }
  expect(await refusal(headers)).toEqual(refused('.headers.X-A'))
  expect(await refusal({ headers: { 'X A': 'SECRET' } })).toEqual(refused('.headers.X A'))
  expect(await refusal({ headers: { 'Content-Length': '5' } })).toEqual(
    refused('.headers.Content-Length'),
  )
})

describe('the official client', () => {
  beforeAll(() => provider.set({ '/r': ROUTE }))

  test('sets, reads and resets embedders, keys masked', async () => {
    const films = fresh()
    await films.updateEmbedders({ meaning: embedder() }).waitTask()
    const { meaning } = (await films.getEmbedders()) as unknown as Shown
    expect(meaning).toMatchObject({ source: 'rest', documentTemplate: '{{doc.title}}' })
    expect(meaning.apiKey).not.toContain('provider')
    await films.resetEmbedders().waitTask()
    expect(await films.getEmbedders()).toEqual({})
  })

  test('searches by meaning, by vector, and for similar documents', async () => {
    const films = fresh()
    await films.updateEmbedders({ meaning: embedder() }).waitTask()
    await films.addDocuments(FILMS).waitTask()
    const meant = await films.search('speedy vehicle', {
      hybrid: { embedder: 'meaning', semanticRatio: 1 },
      retrieveVectors: true,
      showRankingScore: true,
    })
    expect(meant.hits.map(({ id }) => id)).toEqual([2, 1, 3])
    expect(meant).toMatchObject({ semanticHitCount: 3 })
    const [best] = meant.hits
    const { embeddings, regenerate } = (best as WithVectors)._vectors.meaning
    expect(regenerate).toBe(true)
    const near = await films.search('', {
      vector: embeddings[0]!,
      hybrid: { embedder: 'meaning', semanticRatio: 1 },
      limit: 1,
    })
    expect(near.hits[0]!['id']).toBe(2)
    const similar = await films.searchSimilarDocuments({ id: 2, embedder: 'meaning', limit: 1 })
    expect(similar.hits[0]!['id']).toBe(1)
    const shown = await films.getDocuments({ retrieveVectors: true, limit: 1 })
    expect((shown.results[0] as WithVectors)._vectors.meaning.embeddings[0]).toHaveLength(16)
  })

  test('combines keywords and meaning: in single, multi and federated searches', async () => {
    const films = fresh()
    await films.updateFilterableAttributes(['id']).waitTask()
    await films.updateEmbedders({ meaning: embedder() }).waitTask()
    await films.addDocuments(FILMS).waitTask()
    const half = { embedder: 'meaning', semanticRatio: 0.5 }
    const idsOf = (hits: readonly { readonly [name: string]: unknown }[]) =>
      hits.map(({ id }) => id)
    const mixed = await films.search('fast vehicle', { hybrid: half, facets: ['id'] })
    expect(idsOf(mixed.hits).slice(0, 2)).toEqual([2, 1])
    expect(mixed.facetDistribution).toEqual({ id: { 1: 1, 2: 1, 3: 1 } })
    const words = await films.search('ship', { hybrid: { ...half, semanticRatio: 0 } })
    expect(idsOf(words.hits)).toEqual([3])
    const page = { filter: 'id != 2', hybrid: half, hitsPerPage: 1, page: 1 }
    const paged = await films.search('fast vehicle', page)
    expect(paged).toMatchObject({ hits: [{ id: 1 }], totalHits: 2, totalPages: 2 })
    const queries = [
      { indexUid: films.uid, q: 'vessel', hybrid: { ...half, semanticRatio: 1 }, limit: 1 },
      { indexUid: films.uid, q: 'red', limit: 1 },
    ]
    const { results } = await client.multiSearch({ queries })
    expect(results.map(({ hits }) => idsOf(hits))).toEqual([[3], [1]])
    const unlimited = queries.map(({ limit: _, ...query }) => query)
    const merged = await client.multiSearch({ federation: { limit: 2 }, queries: unlimited })
    expect(new Set(idsOf(merged.hits))).toEqual(new Set([3, 1]))
    const rest = await films.searchSimilarDocuments({
      id: 1,
      embedder: 'meaning',
      filter: 'id > 2',
      showRankingScoreDetails: true,
    })
    expect(idsOf(rest.hits)).toEqual([3])
    expect(rest.hits[0]).toHaveProperty('_rankingScoreDetails.vectorSort.similarity')
    expect(await films.getDocument(1, { retrieveVectors: true } as never)).toHaveProperty(
      '_vectors.meaning.embeddings',
    )
    await expect(
      films.search('x', { hybrid: { embedder: 'other', semanticRatio: 1 } }),
    ).rejects.toThrow('Cannot find embedder with name `other`')
  })

  test('sends its own vectors, and gets an error for documents without them', async () => {
    const films = fresh()
    await films.updateEmbedders({ own: { source: 'userProvided', dimensions: 2 } }).waitTask()
    const bare = await films.addDocuments([{ id: 9, title: 'none' }]).waitTask()
    expect(bare.error).toMatchObject({ code: 'vector_embedding_error' })
    const own = [
      { id: 1, title: 'a', _vectors: { own: [1, 0] } },
      { id: 2, title: 'b', _vectors: { own: null } },
    ]
    expect((await films.addDocuments(own).waitTask()).error).toBeNull()
    const stats = await films.getStats()
    expect(stats).toMatchObject({ numberOfEmbeddings: 1, numberOfEmbeddedDocuments: 1 })
  })
})

describe('a provider that is', () => {
  const added = async (fault: NonNullable<PlayedRoute['faults']>[number]) => {
    const films = fresh()
    await films.updateEmbedders({ meaning: { ...embedder(), dimensions: 16 } }).waitTask()
    await films.addDocuments([{ id: 7, title: 'before' }]).waitTask()
    provider.set({ '/r': { ...ROUTE, faults: [fault] } })
    const { error } = await films.addDocuments(FILMS).waitTask()
    const { total } = await films.getDocuments()
    return { error: error?.message ?? null, total }
  }

  test.each([
    ['lying about dimensions', { dims: 8, times: 0 }, 'got embeddings of dimensions `8`'],
    ['short of vectors', { count: 2, times: 0 }, 'containing 3 embeddings, got only 2'],
    ['talking nonsense', { raw: '<html>', times: 0 }, 'error deserializing the response body'],
    ['gone', { close: true, times: 0 }, 'could not reach embedding server'],
    ['refusing', { status: 403, times: 0 }, 'received unexpected HTTP 403'],
    ['busy for good', { status: 429, times: 0 }, 'sent too many requests'],
  ])('%s leaves documents unchanged', async (_, fault, words) => {
    const { error, total } = await added(fault)
    expect(error).toContain(words)
    expect(error).not.toContain('a-secret')
    expect(total).toBe(1)
  })

  const KEY = 'a-secret-of-the-provider'
  test.each([
    ['in a refusal', { status: 401, raw: `{"error":"wrong key ${KEY}"}` }],
    ['with escapes', { status: 400, raw: `{"error":"\\u0061-secret-of-the-provider"}` }],
    ['in Base64', { status: 418, raw: Buffer.from(`user:${KEY}`).toString('base64') }],
    ['in an answer that is not JSON', { raw: `wrong key ${KEY}` }],
    ['in an answer of another form', { raw: `{"vectors":"wrong key ${KEY}"}` }],
    ['in place of a vector', { value: [KEY] }],
  ])('repeating the key %s does not tell it to tasks and searches', async (_, fault) => {
    const words = /a-secret|-of-the-|provider$|OnNlY|LXNlY3|ZWNyZX/
    const { error } = await added({ ...fault, times: 0 })
    expect(error).toContain('XXX...')
    expect(error).not.toMatch(words)
    const hybrid = { embedder: 'meaning', semanticRatio: 1 }
    const search = client.index(`films-${film}`).search('x', { hybrid })
    const { message } = await search.then(
      () => expect.fail('found'),
      (refusal: Error) => refusal,
    )
    expect(message).toContain('XXX...')
    expect(message).not.toMatch(words)
  })

  test.each(['1e999', '1e39'])('answering with %s is refused', async (number) => {
    const raw = `{"vectors":[[${new Array(16).fill(number).join()}]]}`
    const { error, total } = await added({ raw, times: 0 })
    expect(error).toContain('expected a finite f32')
    expect(total).toBe(1)
  })

  test('busy for a while, or slow, is waited for', async () => {
    const busy = { status: 429, times: 2, headers: { 'retry-after': '3600' } }
    expect(await added(busy)).toEqual({ error: null, total: 4 })
    expect(await added({ delay: 300 })).toEqual({ error: null, total: 4 })
  })

  test('silent does not block a task that is canceled', async () => {
    const films = fresh()
    await films.updateEmbedders({ meaning: { ...embedder(), dimensions: 16 } }).waitTask()
    provider.set({ '/r': { ...ROUTE, faults: [{ delay: 60_000, times: 0 }] } })
    const { taskUid } = await films.addDocuments(FILMS)
    await expect.poll(async () => (await client.tasks.getTask(taskUid)).status).toBe('processing')
    await client.tasks.cancelTasks({ uids: [taskUid] }).waitTask()
    expect((await client.tasks.getTask(taskUid)).status).toBe('canceled')
    expect((await films.getDocuments()).total).toBe(0)
    provider.set({ '/r': ROUTE })
    expect((await films.addDocuments(FILMS).waitTask()).error).toBeNull()
  })
})
