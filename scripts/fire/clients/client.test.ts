// The server as an existing program uses it: the official client of the API, with the requests of
// an ordinary application, from the first index to the last deletion.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Index, Meilisearch, MeilisearchApiError } from 'meilisearch'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Program, startProgram } from '../parts/program.ts'

const KEY = 'a key of sixteen bytes or more'
const root = mkdtempSync(join(tmpdir(), 'svc-fire-'))

type Film = {
  readonly id: number
  readonly title: string
  readonly year: number
  readonly genres: readonly string[]
  readonly rating?: number
}

const FILMS: readonly Film[] = [
  { id: 1, title: 'The Quiet Harbour', year: 1994, genres: ['drama', 'sea'] },
  { id: 2, title: 'Harbour Lights', year: 2001, genres: ['sea'] },
  { id: 3, title: 'Mountain Song', year: 1994, genres: ['drama'] },
  { id: 4, title: 'Winter Paper', year: 2010, genres: ['comedy'] },
  { id: 5, title: 'A Song for the Mountain', year: 2015, genres: ['drama', 'comedy'] },
]

let program: Program
let client: Meilisearch
let films: Index<Film>
const patience = { timeout: 20_000, interval: 10 }

beforeAll(async () => {
  program = startProgram({ db: join(root, 'data.ms'), words: ['--master-key', KEY] })
  const host = await program.url
  client = new Meilisearch({ host, apiKey: KEY, defaultWaitOptions: patience })
  films = client.index<Film>('films')
}, 60_000)
afterAll(async () => {
  await program.stop()
  rmSync(root, { recursive: true })
})

const idsOf = (found: { readonly hits: readonly { readonly id: number }[] }): readonly number[] =>
  found.hits.map(({ id }) => id)

/** Returns code and status of a refused call. */
async function refusal(work: Promise<unknown>): Promise<{ code: unknown; status: number }> {
  const error = await work.then(
    () => expect.unreachable('it was not refused'),
    (found: unknown) => found,
  )
  if (!(error instanceof MeilisearchApiError)) throw error
  return { code: error.cause?.code, status: error.response.status }
}

describe('an application', () => {
  it('finds the server healthy', async () => {
    expect(await client.health()).toEqual({ status: 'available' })
    expect(await client.isHealthy()).toBe(true)
    expect((await client.getVersion()).pkgVersion).toMatch(/^\d+\.\d+\.\d+$/)
  })

  it('creates an index and adds documents', async () => {
    const created = await client.createIndex('films', { primaryKey: 'id' }).waitTask()
    expect(created).toMatchObject({ status: 'succeeded', type: 'indexCreation' })
    const added = await films.addDocuments([...FILMS]).waitTask()
    expect(added).toMatchObject({
      status: 'succeeded',
      type: 'documentAdditionOrUpdate',
      details: { receivedDocuments: 5, indexedDocuments: 5 },
    })
    expect((await films.getRawInfo()).primaryKey).toBe('id')
    expect(await films.getDocument(3)).toEqual(FILMS[2])
    const page = await films.getDocuments({ limit: 2, offset: 1, fields: ['id'] })
    expect(page).toEqual({ results: [{ id: 2 }, { id: 3 }], offset: 1, limit: 2, total: 5 })
  })

  it('changes settings', async () => {
    const settings = {
      filterableAttributes: ['year', 'genres'],
      sortableAttributes: ['year'],
      searchableAttributes: ['title'],
      synonyms: { port: ['harbour'] },
    }
    const changed = await films.updateSettings(settings).waitTask()
    expect(changed).toMatchObject({ status: 'succeeded', details: settings })
    expect(await films.getSettings()).toMatchObject(settings)
    await films.updateStopWords(['the']).waitTask()
    expect(await films.getStopWords()).toEqual(['the'])
    await films.resetStopWords().waitTask()
    expect(await films.getStopWords()).toEqual([])
  })

  it('searches: words, typos, prefixes, phrases', async () => {
    expect(idsOf(await films.search('harbour'))).toEqual([2, 1])
    expect(idsOf(await films.search('harbuor'))).toEqual([2, 1])
    expect(idsOf(await films.search('mount'))).toEqual([3, 5])
    expect(idsOf(await films.search('"mountain song"'))).toEqual([3])
    expect(idsOf(await films.searchGet('winter paper'))).toEqual([4])
    expect((await films.search('nothing like it')).hits).toEqual([])
  })

  it('searches: filters, facets, sorting, pages', async () => {
    expect(idsOf(await films.search('', { filter: 'year = 1994' }))).toEqual([1, 3])
    const both = [['genres = drama', 'genres = sea'], 'year > 2000']
    expect(idsOf(await films.search('', { filter: both }))).toEqual([2, 5])
    const sorted = await films.search('', { sort: ['year:desc'], limit: 2 })
    expect(idsOf(sorted)).toEqual([5, 4])
    const faceted = await films.search('song', { facets: ['genres', 'year'] })
    expect(faceted.facetDistribution).toEqual({
      genres: { comedy: 1, drama: 2 },
      year: { '1994': 1, '2015': 1 },
    })
    expect(faceted.facetStats).toEqual({ year: { min: 1994, max: 2015 } })
    const page = await films.search('', { page: 2, hitsPerPage: 2 })
    expect(page).toMatchObject({ page: 2, hitsPerPage: 2, totalHits: 5, totalPages: 3 })
    expect(idsOf(page)).toEqual([3, 4])
    const values = await films.searchForFacetValues({ facetName: 'genres', facetQuery: 'dr' })
    expect(values.facetHits).toEqual([{ value: 'drama', count: 3 }])
  })

  it('searches: formatted hits', async () => {
    const { hits } = await films.search('harbour', {
      attributesToRetrieve: ['title'],
      attributesToHighlight: ['title'],
      showMatchesPosition: true,
      showRankingScore: true,
      limit: 1,
    })
    expect(hits).toEqual([
      {
        title: 'Harbour Lights',
        _formatted: { title: '<em>Harbour</em> Lights' },
        _matchesPosition: { title: [{ start: 0, length: 7 }] },
        _rankingScore: expect.any(Number),
      },
    ])
  })

  it('searches: several at once, with separate results and as one list', async () => {
    const songs = client.index<{ id: number; title: string }>('songs')
    await songs.addDocuments([{ id: 1, title: 'Harbour song' }]).waitTask()
    const queries = [
      { indexUid: 'films', q: 'harbour', limit: 1, facets: ['year'] },
      { indexUid: 'songs', q: 'song' },
      { indexUid: 'films', q: 'winter' },
    ]
    const { results } = await client.multiSearch({ queries })
    expect(results.map(({ indexUid, hits }) => [indexUid, hits.length])).toEqual([
      ['films', 1],
      ['songs', 1],
      ['films', 1],
    ])
    expect(results[0]?.facetDistribution).toEqual({ year: { '1994': 1, '2001': 1 } })
    const merged = await client.multiSearch({
      federation: { limit: 3, facetsByIndex: { films: ['year'] }, mergeFacets: {} },
      queries: [
        { indexUid: 'films', q: 'harbour', federationOptions: { weight: 0.5 } },
        { indexUid: 'songs', q: 'harbour' },
      ],
    })
    expect(merged.hits.map(({ id, _federation: from }) => [from?.indexUid, id])).toEqual([
      ['songs', 1],
      ['films', 2],
      ['films', 1],
    ])
    expect(merged.facetDistribution).toEqual({ year: { '1994': 1, '2001': 1 } })
    const wrong = client.multiSearch({ federation: {}, queries: [{ indexUid: 'gone', q: '' }] })
    expect(await refusal(wrong)).toEqual({ code: 'index_not_found', status: 400 })
    const similar = films.searchSimilarDocuments({ id: 1, embedder: 'none' })
    expect(await refusal(similar)).toEqual({ code: 'invalid_similar_embedder', status: 400 })
    await client.deleteIndex('songs').waitTask()
  })

  it('updates and deletes documents', async () => {
    await films.updateDocuments([{ id: 2, rating: 8 }]).waitTask()
    expect(await films.getDocument(2)).toEqual({ ...FILMS[1], rating: 8 })
    await films.addDocuments([{ ...FILMS[3]!, title: 'Winter Stone' }]).waitTask()
    expect(idsOf(await films.search('paper'))).toEqual([])
    expect(idsOf(await films.search('stone'))).toEqual([4])
    await films.addDocumentsFromString('id:number,title\n9,From a table\n', 'text/csv').waitTask()
    expect(idsOf(await films.search('table'))).toEqual([9])
    await films.deleteDocument(9).waitTask()
    await films.deleteDocuments([1, 77]).waitTask()
    const gone = await films.deleteDocuments({ filter: 'year = 2015' }).waitTask()
    expect(gone).toMatchObject({ status: 'succeeded', details: { deletedDocuments: 1 } })
    expect((await films.getDocuments()).results.map(({ id }) => id)).toEqual([2, 3, 4])
    expect(await refusal(films.getDocument(1))).toEqual({ code: 'document_not_found', status: 404 })
  })

  it('reads statistics, tasks and batches', async () => {
    expect(await films.getStats()).toMatchObject({
      numberOfDocuments: 3,
      isIndexing: false,
      fieldDistribution: { id: 3, title: 3, year: 3, genres: 3, rating: 1 },
    })
    const stats = await client.getStats()
    expect(Object.keys(stats.indexes)).toEqual(['films'])
    const tasks = await client.tasks.getTasks({ indexUids: ['films'], types: ['settingsUpdate'] })
    expect(tasks.total).toBe(3)
    for (const task of tasks.results) expect(task.status).toBe('succeeded')
    const first = await client.tasks.getTask(0)
    expect(first).toMatchObject({ uid: 0, type: 'indexCreation', indexUid: 'films' })
    expect((await client.batches.getBatches({ limit: 1 })).results).toHaveLength(1)
  })

  it('gets errors for its mistakes', async () => {
    const search = refusal(films.search('', { filter: 'rating = 8' }))
    expect(await search).toEqual({ code: 'invalid_search_filter', status: 400 })
    const missing = refusal(client.index('nowhere').search(''))
    expect(await missing).toEqual({ code: 'index_not_found', status: 404 })
    const uid = refusal(client.createIndex('not a uid'))
    expect(await uid).toEqual({ code: 'invalid_index_uid', status: 400 })
    const again = await client.createIndex('films').waitTask()
    expect(again).toMatchObject({ status: 'failed', error: { code: 'index_already_exists' } })
    const stranger = new Meilisearch({ host: await program.url, apiKey: 'another key entirely' })
    expect(await refusal(stranger.getStats())).toEqual({ code: 'invalid_api_key', status: 403 })
  })

  it('swaps and deletes indexes, cancels and deletes tasks', async () => {
    await client
      .index('next')
      .addDocuments([{ id: 7, title: 'Next' }])
      .waitTask()
    await client.swapIndexes([{ indexes: ['films', 'next'], rename: false }]).waitTask()
    expect(idsOf(await films.search(''))).toEqual([7])
    await client.deleteIndex('next').waitTask()
    expect((await client.getIndexes()).results.map(({ uid }) => uid)).toEqual(['films'])
    await client.tasks.cancelTasks({ statuses: ['enqueued', 'processing'] }).waitTask()
    const before = (await client.tasks.getTasks({ limit: 1 })).total
    const removed = await client.tasks.deleteTasks({ statuses: ['failed'] }).waitTask()
    expect(removed).toMatchObject({ status: 'succeeded', details: { deletedTasks: 1 } })
    expect((await client.tasks.getTasks({ limit: 1 })).total).toBe(before)
    await films.deleteAllDocuments().waitTask()
    expect((await films.getStats()).numberOfDocuments).toBe(0)
  })

  it('deletes its index', async () => {
    expect((await program.stop()).code).toBe(0)
  })
})
