// Rights between instances: a client with a key for one index, and copies of a leader.
import { createHmac } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../testing/test-server.ts'

const MASTER = 'a-master-key-of-16-bytes'
type Body = { readonly [member: string]: unknown }

const root = mkdtempSync(join(tmpdir(), 'svc-trust-'))
const servers = new Map<string, TestServer>()

const start = async (name: string): Promise<TestServer> => {
  const server = await startServer({ MASTER_KEY: MASTER, DB_PATH: join(root, name) })
  servers.set(name, server)
  return server
}

async function ask(
  name: string,
  method: string,
  path: string,
  body?: unknown,
  key = MASTER,
  headers: { readonly [name: string]: string } = {},
): Promise<{ readonly status: number; readonly body: Body; readonly text: string }> {
  const answer = await fetch(servers.get(name)!.url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  })
  const text = await answer.text()
  return { status: answer.status, text, body: (text === '' ? {} : JSON.parse(text)) as Body }
}

const newKey = async (name: string, actions: readonly string[], indexes: readonly string[]) => {
  const { body } = await ask(name, 'POST', '/keys', { actions, indexes, expiresAt: null })
  return String(body['key'])
}

const settled = async (...names: readonly string[]): Promise<void> => {
  const open = '/tasks?statuses=enqueued,processing&limit=1'
  for (;;) {
    const lists = await Promise.all(names.map((name) => ask(name, 'GET', open)))
    if (lists.every(({ body }) => body['total'] === 0)) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const NAMES = ['a', 'b'] as const

beforeAll(async () => {
  const remotes: Record<string, object> = {}
  for (const name of NAMES) {
    const { url } = await start(name)
    await ask(name, 'PATCH', '/experimental-features', { network: true, foreignKeys: true })
    const searchApiKey = await newKey(name, ['search', 'documents.get'], ['*'])
    remotes[name] = { url, searchApiKey, writeApiKey: await newKey(name, ['*'], ['*']) }
  }
  const shards = { s1: { remotes: ['a'] }, s2: { remotes: ['b'] } }
  const formed = await ask('a', 'PATCH', '/network', { self: 'a', leader: 'a', remotes, shards })
  expect(formed.status).toBe(202)
  await ask('a', 'POST', '/indexes', { uid: 'people', primaryKey: 'ssn' })
  await ask('a', 'PATCH', '/indexes/people/settings', {
    displayedAttributes: ['title'],
    searchableAttributes: ['title'],
    sortableAttributes: ['salary'],
    filterableAttributes: ['dept'],
    distinctAttribute: 'dept',
  })
  const people = Array.from({ length: 12 }, (_, i) => {
    return { ssn: `SSN-${i}`, title: `person ${i}`, salary: 7_000_001_000 + i, dept: `DEPT-${i}` }
  })
  await ask('a', 'POST', '/indexes/people/documents', people)
  const authors = Array.from({ length: 12 }, (_, id) => ({ id, secret: `SECRET-${id}` }))
  await ask('a', 'POST', '/indexes/authors/documents?primaryKey=id', authors)
  await ask('a', 'PATCH', '/indexes/authors/settings', { filterableAttributes: ['secret'] })
  await ask('a', 'PATCH', '/indexes/books/settings', {
    foreignKeys: [{ foreignIndexUid: 'authors', fieldName: 'author' }],
    filterableAttributes: ['author'],
  })
  const books = Array.from({ length: 24 }, (_, id) => ({ id, author: (id * 5) % 12 }))
  await ask('a', 'POST', '/indexes/books/documents?primaryKey=id', books)
  await settled(...NAMES)
}, 60_000)

afterAll(async () => {
  for (const server of servers.values()) await server.stop()
  rmSync(root, { recursive: true })
})

describe('an instance without a leader', () => {
  test('tells members alone the numbers of all documents and fields', async () => {
    await start('lone')
    await ask('lone', 'PATCH', '/experimental-features', { network: true })
    const settings = { displayedAttributes: ['title'], rankingRules: ['bm25'] }
    await ask('lone', 'PATCH', '/indexes/people/settings', settings)
    await ask('lone', 'POST', '/indexes/people/documents?primaryKey=id', [
      { id: 1, title: 'Ada', salary: 'seven' },
    ])
    await settled('lone')
    const asked = { queries: [{ indexUid: 'people', q: 'seven' }], federation: {}, shards: [] }
    const answer = (key: string): Promise<string> => {
      const body = { searches: [{ ...asked, asksStatistics: true }] }
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
      const url = `${servers.get('lone')!.url}/network/search`
      const sent = { method: 'POST', headers, body: JSON.stringify(body) }
      return fetch(url, sent).then((found) => found.text())
    }
    expect(await answer(MASTER)).toContain('"salary":1')
    const refused = await answer(await newKey('lone', ['search'], ['people']))
    expect(refused).toContain('invalid_api_key')
    expect(refused).not.toContain('salary')
  })
})

describe('a client with a key for one index', () => {
  const HEADERS = {
    'x-svc-proxy-origin-remote': 'a',
    'x-svc-proxy-origin-taskuid': '1000',
    'x-svc-proxy-origin-network-version': 'ffffffff-ffff-7fff-bfff-ffffffffffff',
  }

  test.each(NAMES)(
    'cannot write to %s as another instance, and learns no version',
    async (name) => {
      const key = await newKey(name, ['*'], ['mine'])
      const { body } = await ask(name, 'GET', '/network')
      const tasks = (await ask(name, 'GET', '/tasks')).body['total']
      const answer = await ask(name, 'POST', '/indexes/mine/documents', [{ id: 1 }], key, HEADERS)
      expect(answer).toMatchObject({ status: 403, body: { code: 'invalid_api_key' } })
      expect(answer.text).not.toContain(String(body['version']))
      expect((await ask(name, 'GET', '/tasks')).body['total']).toBe(tasks)
    },
  )

  test('learns no hidden values from routes between instances', async () => {
    const key = await newKey('a', ['search'], ['people'])
    const query = { indexUid: 'people', sort: ['salary:desc'] }
    const searches = [{ queries: [query], federation: { limit: 20 }, shards: [] }]
    const requests = [
      ['/network/search', { searches }],
      ['/network/foreign', { indexUid: 'people', ids: ['SSN-1'] }],
      ['/network/similar', { indexUid: 'people', id: 'SSN-1', embedder: 'e' }],
      ['/multi-search', { federation: {}, queries: [query] }],
    ] as const
    for (const [path, body] of requests) {
      const { text } = await ask('a', 'POST', path, body, key, { 'svc-proxy-search': 'true' })
      expect(text).not.toMatch(/SSN-|7000001\d{3}|DEPT-/)
    }
  })

  test('sees no documents of an index that it may not see, wherever they are', async () => {
    const key = await newKey('a', ['search', 'documents.get'], ['books'])
    const found = await ask('a', 'POST', '/indexes/books/search', { limit: 30 }, key)
    expect((found.body['hits'] as Body[]).map(({ author }) => typeof author)).toEqual(
      Array.from({ length: 24 }, () => 'number'),
    )
    const filter = '_foreign(author, secret = "SECRET-4")'
    for (const path of ['search', 'documents/fetch']) {
      const answer = await ask('a', 'POST', `/indexes/books/${path}`, { filter }, key)
      expect(answer).toMatchObject({ status: 404, body: { code: 'index_not_found' } })
    }
  })

  test('counts no facets beyond the filter of its token, on any instance', async () => {
    const sent = { actions: ['search'], indexes: ['books'], expiresAt: null }
    const { body } = await ask('a', 'POST', '/keys', sent)
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const searchRules = { books: { filter: 'author < 6' } }
    const claims = part({ apiKeyUid: body['uid'], searchRules })
    const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${claims}`
    const signature = createHmac('sha256', String(body['key'])).update(signed)
    const token = `${signed}.${signature.digest('base64url')}`
    const search = { filter: 'author = 2', disjunctiveFacets: ['author'], limit: 0 }
    for (const useNetwork of [true, false]) {
      const found = await ask(
        'a',
        'POST',
        '/indexes/books/search',
        { ...search, useNetwork },
        token,
      )
      const { author } = found.body['facetDistribution'] as { readonly author: object }
      expect(Object.keys(author).length).toBeGreaterThan(1)
      expect(Object.keys(author).filter((key) => Number(key) >= 6)).toEqual([])
      if (useNetwork) expect(author).toEqual({ 0: 2, 1: 2, 2: 2, 3: 2, 4: 2, 5: 2 })
    }
  })

  test('reads no keys of the network', async () => {
    const { text } = await ask(
      'a',
      'GET',
      '/network',
      undefined,
      await newKey('a', ['*.get'], ['*']),
    )
    expect(text).toContain('"writeApiKey"')
    expect(text).not.toMatch(/[0-9a-f]{64}/)
    expect((await ask('a', 'GET', '/network')).text).toMatch(/[0-9a-f]{64}/)
  })
})

test('foreign keys reach documents on all instances', async () => {
  for (const name of NAMES) {
    const all = await ask(name, 'POST', '/indexes/books/search', { limit: 30 })
    for (const { id, author } of all.body['hits'] as Body[]) {
      const of = (Number(id) * 5) % 12
      expect(author).toEqual({ id: of, secret: `SECRET-${of}` })
    }
    const filter = '_foreign(author, secret IN ["SECRET-4", "SECRET-5", "SECRET-11"])'
    const some = await ask(name, 'POST', '/indexes/books/search', { filter, limit: 30 })
    expect(some.body).toMatchObject({ estimatedTotalHits: 6, remoteErrors: {} })
    const pages = await ask(name, 'POST', '/indexes/books/documents/fetch', { filter })
    expect(pages.body).toMatchObject({ total: 6 })
    const queries = [{ indexUid: 'books', filter }]
    const several = await ask(name, 'POST', '/multi-search', { queries })
    const [first] = several.body['results'] as Body[]
    expect((first!['hits'] as Body[]).every(({ author }) => 'secret' in (author as Body))).toBe(
      true,
    )
    const federated = await ask(name, 'POST', '/multi-search', { queries, federation: {} })
    expect(federated.body['hits'] as Body[]).toHaveLength(6)
  }
})

test('a copy of the leader leaves the network, and changes nothing in it', async () => {
  await servers.get('a')!.idle()
  // The files of a running instance: as after a power failure.
  cpSync(join(root, 'a'), join(root, 'copy'), { recursive: true })
  rmSync(join(root, 'copy', 'LOCK'))
  await start('copy')
  while ((await ask('copy', 'GET', '/network')).body['self'] !== null) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  expect((await ask('copy', 'GET', '/network')).body).toMatchObject({ leader: null })
  const identities = await Promise.all(
    ['a', 'copy'].map(async (name) => (await ask(name, 'GET', '/network/identity')).body['id']),
  )
  expect(identities[0]).not.toBe(identities[1])
  expect((await ask('copy', 'POST', '/indexes/people/documents', [{ ssn: 'new' }])).status).toBe(
    202,
  )
  await settled('a', 'b', 'copy')
  expect((await ask('b', 'POST', '/indexes/people/documents/fetch', {})).body['total']).toBe(12)
  expect((await ask('a', 'POST', '/indexes/people/documents', [])).status).toBe(202)
})
