// All methods of the official client, each called once: a method without a call fails here.
// `client.test.ts` shows how an application uses them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Index, Meilisearch, MeilisearchApiError } from 'meilisearch'
import { generateTenantToken } from 'meilisearch/token'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Program, startProgram } from '../parts/program.ts'

const KEY = 'a key of sixteen bytes or more'
const root = mkdtempSync(join(tmpdir(), 'svc-surface-'))
const called = new Set<string>()

/** Records the called methods; classes are named by `family`. */
function watched<T extends object>(family: string, object: T): T {
  return new Proxy(object, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      called.add(`${family}.${String(name)}`)
      return value.bind(target)
    },
  })
}

const methodsOf = (family: string, object: object): readonly string[] =>
  Object.getOwnPropertyNames(Object.getPrototypeOf(object))
    .filter((name) => name !== 'constructor' && typeof Reflect.get(object, name) === 'function')
    .map((name) => `${family}.${name}`)

type Book = { readonly id: number; readonly title?: string; readonly author?: unknown }

let program: Program
let plain: Meilisearch
let client: Meilisearch
let books: Index<Book>
let tasks: Meilisearch['tasks']
let batches: Meilisearch['batches']

beforeAll(async () => {
  const words = ['--master-key', KEY, '--snapshot-dir', join(root, 'snapshots')]
  words.push('--dump-dir', join(root, 'dumps'))
  program = startProgram({ db: join(root, 'data.ms'), words })
  const host = await program.url
  const defaultWaitOptions = { timeout: 30_000, interval: 10 }
  plain = new Meilisearch({ host, apiKey: KEY, defaultWaitOptions })
  client = watched('client', plain)
  books = watched('index', plain.index<Book>('books'))
  tasks = watched('tasks', plain.tasks)
  batches = watched('batches', plain.batches)
}, 60_000)

afterAll(async () => {
  await program.stop()
  rmSync(root, { recursive: true })
})

/** Returns code and status of a refused call. */
async function refusal(work: Promise<unknown>): Promise<{ code: unknown; status: number }> {
  const error = await work.then(
    () => expect.unreachable('it was not refused'),
    (found: unknown) => found,
  )
  if (!(error instanceof MeilisearchApiError)) throw error
  return { code: error.cause?.code, status: error.response.status }
}

describe('the client', () => {
  it('reads version, health and statistics', async () => {
    expect(await client.health()).toEqual({ status: 'available' })
    expect(await client.isHealthy()).toBe(true)
    expect(await client.getVersion()).toHaveProperty('pkgVersion')
    expect(await client.getStats()).toMatchObject({ lastUpdate: null, indexes: {} })
    const flags = {
      network: true,
      chatCompletions: true,
      foreignKeys: true,
      dynamicSearchRules: true,
      editDocumentsByFunction: true,
      renderRoute: true,
      getTaskDocumentsRoute: true,
    }
    expect(await client.updateExperimentalFeatures(flags)).toMatchObject(flags)
    expect(await client.getExperimentalFeatures()).toMatchObject({ ...flags, metrics: false })
    expect(await client.createSnapshot().waitTask()).toMatchObject({
      status: 'succeeded',
      type: 'snapshotCreation',
    })
    expect(await client.createDump().waitTask()).toMatchObject({ status: 'succeeded' })
  })

  it('makes, reads, changes and deletes indexes', async () => {
    await client.createIndex('books', { primaryKey: 'id' }).waitTask()
    await client.createIndex('other').waitTask()
    expect((await client.getIndexes()).results.map(({ uid }) => uid)).toEqual(['books', 'other'])
    expect(await client.getRawIndexes({ limit: 1, offset: 1 })).toMatchObject({
      results: [{ uid: 'other' }],
      offset: 1,
      limit: 1,
      total: 2,
    })
    expect((await client.getIndex('books')).primaryKey).toBe('id')
    expect(await client.getRawIndex('other')).toMatchObject({ uid: 'other', primaryKey: null })
    await client.updateIndex('other', { primaryKey: 'key' }).waitTask()
    expect(await client.index('other').fetchPrimaryKey()).toBe('key')
    await client.swapIndexes([{ indexes: ['books', 'other'], rename: false }]).waitTask()
    await client.swapIndexes([{ indexes: ['books', 'other'], rename: false }]).waitTask()
    expect(await books.getRawInfo()).toMatchObject({ uid: 'books', primaryKey: 'id' })
    expect((await books.fetchInfo()).createdAt).toBeInstanceOf(Date)
    expect(await books.fetchPrimaryKey()).toBe('id')
    await books.update({ primaryKey: 'id' }).waitTask()
    await client.deleteIndex('other').waitTask()
    expect(await client.deleteIndexIfExists('other')).toBe(true)
    const gone = watched('index', plain.index('gone'))
    expect(await gone.delete().waitTask()).toMatchObject({ status: 'failed' })
    expect(await books.compact().waitTask()).toMatchObject({ status: 'succeeded' })
  })

  it('writes and reads documents', async () => {
    const all = [1, 2, 3, 4].map((id) => ({ id, title: `Book ${id}` }))
    await books.addDocuments(all).waitTask()
    for (const one of books.addDocumentsInBatches(all, 3)) await one.waitTask()
    await books.addDocumentsFromString('{"id":5}\n{"id":6}', 'application/x-ndjson').waitTask()
    await books.updateDocuments([{ id: 5, title: 'Five' }]).waitTask()
    for (const one of books.updateDocumentsInBatches([{ id: 5 }, { id: 6 }], 1))
      await one.waitTask()
    await books.updateDocumentsFromString('id:number,title\n6,Six', 'text/csv').waitTask()
    await books.updateFilterableAttributes(['id', 'author', 'title']).waitTask()
    expect(await books.getDocument(6)).toEqual({ id: 6, title: 'Six' })
    const page = await books.getDocuments({ filter: 'id > 4', fields: ['title'], limit: 1 })
    expect(page).toEqual({ results: [{ title: 'Five' }], offset: 0, limit: 1, total: 2 })
    const edit = { function: 'doc.title = doc.title.to_upper()', filter: 'id = 6' }
    await books.updateDocumentsByFunction(edit).waitTask()
    expect(await books.getDocument('6')).toEqual({ id: 6, title: 'SIX' })
    await books.deleteDocument(6).waitTask()
    await books.deleteDocuments([5]).waitTask()
    await books.deleteDocuments({ filter: 'id = 4' }).waitTask()
    expect(await books.getStats()).toMatchObject({ numberOfDocuments: 3 })
    const fields = await books.getFields({ filter: { attributePatterns: ['ti*'] } })
    expect(fields.results).toMatchObject([{ name: 'title', filterable: { enabled: true } }])
  })

  it('searches', async () => {
    expect((await books.search('book')).hits).toHaveLength(3)
    expect((await books.searchGet('book', { filter: 'id = 1' })).hits).toHaveLength(1)
    const { facetHits } = await books.searchForFacetValues({ facetName: 'title' })
    expect(facetHits).toHaveLength(3)
    expect(await refusal(books.searchSimilarDocuments({ id: 1, embedder: 'e' }))).toEqual({
      code: 'invalid_similar_embedder',
      status: 400,
    })
    const { results } = await client.multiSearch({ queries: [{ indexUid: 'books', q: '2' }] })
    expect(results[0]?.hits).toMatchObject([{ id: 2 }])
    const { key, uid } = await client.createKey({
      actions: ['search'],
      indexes: ['books'],
      expiresAt: null,
    })
    const searchRules = { books: { filter: 'id = 3' } }
    const apiKey = await generateTenantToken({ apiKey: key, apiKeyUid: uid, searchRules })
    const tenant = new Meilisearch({ host: await program.url, apiKey })
    expect((await tenant.index('books').search('')).hits).toMatchObject([{ id: 3 }])
  })

  it('reads tasks and batches', async () => {
    const { results } = await tasks.getTasks({ limit: 3, types: ['documentAdditionOrUpdate'] })
    expect(results).toHaveLength(3)
    expect(await tasks.getTask(results[0]!.uid)).toEqual(results[0])
    expect(await refusal(tasks.getTaskDocuments(results[0]!.uid))).toEqual({
      code: 'task_file_not_found',
      status: 404,
    })
    const uids = results.map(({ uid }) => uid)
    expect(await tasks.waitForTask(uids[0]!)).toMatchObject({ status: 'succeeded' })
    expect(await tasks.waitForTasks(uids)).toHaveLength(3)
    for await (const task of tasks.waitForTasksIter(uids)) expect(task.uid).toBeTypeOf('number')
    const canceled = await tasks.cancelTasks({ statuses: ['enqueued'] }).waitTask()
    expect(canceled).toMatchObject({ status: 'succeeded', details: { matchedTasks: 0 } })
    const deleted = await tasks.deleteTasks({ uids: [0] }).waitTask()
    expect(deleted).toMatchObject({ status: 'succeeded', details: { deletedTasks: 1 } })
    const listed = await batches.getBatches({ limit: 1 })
    expect(await batches.getBatch(listed.results[0]!.uid)).toEqual(listed.results[0])
  })

  it('manages keys and webhooks', async () => {
    const key = await client.createKey({ actions: ['*'], indexes: ['*'], expiresAt: null })
    expect(await client.getKey(key.uid)).toEqual(key)
    expect(await client.updateKey(key.key, { name: 'mine' })).toMatchObject({ name: 'mine' })
    expect((await client.getKeys({ limit: 1 })).results[0]).toMatchObject({ uid: key.uid })
    await client.deleteKey(key.uid)
    expect(await refusal(client.getKey(key.uid))).toEqual({
      code: 'api_key_not_found',
      status: 404,
    })
    const url = 'https://example.com/hook'
    const { uuid } = await client.createWebhook({
      url,
      headers: { authorization: 'Bearer abcdef' },
    })
    expect(await client.getWebhook(uuid)).toMatchObject({
      headers: { authorization: 'Bearer XXX...' },
    })
    await client.updateWebhook(uuid, { url: `${url}/2` })
    expect((await client.getWebhooks()).results).toMatchObject([{ uuid, url: `${url}/2` }])
    await client.deleteWebhook(uuid)
  })

  it('manages rules, templates, chats', async () => {
    const pin = { selector: { indexUid: 'books', id: '2' }, action: { type: 'pin', position: 0 } }
    const rule = { description: 'two first', actions: [pin] } as never
    await client.updateDynamicSearchRule('r', rule).waitTask()
    // The client is older than the object of lists, which its list becomes.
    expect(await client.getDynamicSearchRule('r')).toMatchObject({
      uid: 'r',
      actions: { pin: [{ indexUid: 'books', id: '2', position: 0 }] },
    })
    expect((await client.getDynamicSearchRules()).results).toHaveLength(1)
    expect((await books.search('')).hits[0]).toMatchObject({ id: 2 })
    await client.deleteDynamicSearchRule('r').waitTask()
    await client.deleteAllDynamicSearchRules().waitTask()
    const rendered = await client.renderTemplate({
      template: { kind: 'inlineDocumentTemplate', inline: 'On {{ doc.title }}' },
      input: { kind: 'indexDocument', indexUid: 'books', id: '1' },
    } as never)
    expect(rendered).toMatchObject({ rendered: 'On Book 1' })
    const chat = watched('chat', client.chat('help'))
    const baseUrl = 'http://127.0.0.1:1/v1'
    await chat.update({ source: 'vLlm', baseUrl, apiKey: 'a-secret-of-mine' } as never)
    expect(await chat.get()).toMatchObject({ source: 'vLlm', apiKey: 'a-XXXX...' })
    const messages = [{ role: 'user', content: 'hi' }]
    const completion = { model: 'm', messages, stream: true } as never
    const stream = await chat.streamCompletion(completion)
    // The server does not call a private address: the stream reports that and ends.
    const received = await new Response(stream).text()
    expect(received).toMatch(/"type":"error"[\s\S]*data: \[DONE\]/)
    expect(received).not.toContain('a-secret-of-mine')
    await chat.reset()
    expect((await client.getChatWorkspaces()).results).toEqual([{ uid: 'help' }])
    expect(await client.getChatWorkspace('help')).toEqual({ uid: 'help' })
    await client.deleteChatWorkspace('help')
  })

  it('describes a network', async () => {
    expect(await client.getNetwork()).toMatchObject({ self: null, leader: null })
    const remotes = { me: { url: 'http://127.0.0.1:1', searchApiKey: 'k' } }
    await client.updateNetwork({ self: 'me', remotes } as never)
    expect(await client.getNetwork()).toMatchObject({ self: 'me', remotes })
    // Loopback addresses may not be called here: the server refuses with a message.
    const shards = { s: { remotes: ['me'] } }
    const answers: readonly Promise<unknown>[] = [
      client.initializeNetwork({ self: 'me', remotes, shards } as never),
      client.addRemote({ name: 'b', url: 'http://127.0.0.1:2' } as never),
      client.removeRemote({ name: 'b' } as never),
      client.addRemotesToShard('s', ['me']),
      client.removeRemotesFromShard('s', ['me']),
    ]
    for (const { status, reason } of (await Promise.allSettled(answers)) as {
      status: string
      reason?: unknown
    }[]) {
      if (status === 'rejected' && reason instanceof MeilisearchApiError) {
        expect([400, 502]).toContain(reason.response.status)
      }
    }
  })
})

/** Setting as methods name it → a value, and the value after a reset. */
const SETTINGS: readonly (readonly [name: string, value: unknown, restored: unknown])[] = [
  ['Pagination', { maxTotalHits: 50 }, { maxTotalHits: 1000 }],
  ['Synonyms', { a: ['b'] }, {}],
  ['StopWords', ['the'], []],
  ['RankingRules', ['words'], expect.arrayContaining(['typo'])],
  ['DistinctAttribute', 'title', null],
  ['FilterableAttributes', ['title'], []],
  ['SortableAttributes', ['title'], []],
  ['SearchableAttributes', ['title'], ['*']],
  ['DisplayedAttributes', ['title'], ['*']],
  ['TypoTolerance', { enabled: false }, { enabled: true }],
  ['Faceting', { maxValuesPerFacet: 7 }, { maxValuesPerFacet: 100 }],
  ['SeparatorTokens', ['|'], []],
  ['NonSeparatorTokens', ['#'], []],
  ['Dictionary', ['J. R.'], []],
  ['ProximityPrecision', 'byAttribute', 'byWord'],
  ['Embedders', { e: { source: 'userProvided', dimensions: 3 } }, {}],
  ['SearchCutoffMs', 500, null],
  ['LocalizedAttributes', [{ attributePatterns: ['title'], locales: ['fra'] }], null],
  ['ForeignKeys', [{ foreignIndexUid: 'people', fieldName: 'author' }], []],
  ['FacetSearch', false, true],
  ['PrefixSearch', 'disabled', 'indexingTime'],
]

describe('settings', () => {
  const ask = (method: string, ...args: readonly unknown[]): unknown =>
    (Reflect.get(books, method) as (...asked: readonly unknown[]) => unknown)(...args)
  const like = (value: unknown): unknown =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !('asymmetricMatch' in value)
      ? expect.objectContaining(value)
      : value
  const done = async (method: string, ...args: readonly unknown[]): Promise<void> => {
    const task = ask(method, ...args) as { waitTask: () => Promise<{ status: string }> }
    expect(await task.waitTask()).toMatchObject({ status: 'succeeded' })
  }

  /** A document without vectors must say so, or the embedder is refused. */
  const optOut = async (): Promise<void> => {
    const { results } = await books.getDocuments({ limit: 1000 })
    const updates = results.map(({ id }) => ({ id, _vectors: { e: null } }))
    expect(await books.updateDocuments(updates).waitTask()).toMatchObject({ status: 'succeeded' })
  }

  it.each(SETTINGS)('%s', async (name, value, restored) => {
    if (name === 'Embedders') await optOut()
    await done(`update${name}`, value)
    const read = await ask(`get${name}`)
    expect(read).toEqual(name === 'Embedders' ? { e: expect.anything() } : like(value))
    await done(`reset${name}`)
    expect(await ask(`get${name}`)).toEqual(like(restored))
  })

  it('all together', async () => {
    await done('updateChat', { description: 'Books' })
    expect(await books.getChat()).toMatchObject({ description: 'Books' })
    await done('updateSettings', { stopWords: ['a'], prefixSearch: 'disabled' })
    expect(await books.getSettings()).toMatchObject({ stopWords: ['a'], prefixSearch: 'disabled' })
    await done('resetSettings')
    expect(await books.getSettings()).toMatchObject({ stopWords: [], chat: { description: '' } })
    await books.deleteAllDocuments().waitTask()
    expect(await books.getStats()).toMatchObject({ numberOfDocuments: 0 })
  })
})

/** Methods that send no request. */
const MAKERS = ['client.index', 'client.chat']

it('calls every method', () => {
  const all = [
    ...methodsOf('client', plain),
    ...methodsOf('index', plain.index('a')),
    ...methodsOf('tasks', plain.tasks),
    ...methodsOf('batches', plain.batches),
    ...methodsOf('chat', plain.chat('a')),
  ]
  expect(all.length).toBeGreaterThan(150)
  expect(all.filter((name) => !called.has(name) && !MAKERS.includes(name))).toEqual([])
})
