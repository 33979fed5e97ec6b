// Single answers that clients rely on, each found by comparison with other servers of this API.
import { request } from 'node:http'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from './test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  await server.ask('POST', '/indexes/a/documents', [{ id: 1, t: 'x', n: 1 }])
  await server.ask('POST', '/indexes/b/documents', [{ id: 1, t: 'x', n: 1 }])
  for (const uid of ['a', 'b']) {
    await server.ask('PATCH', `/indexes/${uid}/settings`, { sortableAttributes: ['n'] })
  }
  await server.idle()
})
afterAll(() => server.stop())

const messageOf = async (path: string, body: object): Promise<string> =>
  ((await server.ask('POST', path, body)).body as { message: string }).message

test('keeps an index that is renamed to its own name', async () => {
  const before = await server.ask('GET', '/indexes/a')
  await server.ask('PATCH', '/indexes/a', { uid: 'a' })
  await server.idle()
  expect((await server.ask('GET', '/tasks?limit=1')).body).toMatchObject({
    results: [{ status: 'succeeded', details: { oldIndexUid: 'a', newIndexUid: 'a' } }],
  })
  expect(await server.ask('GET', '/indexes/a')).toEqual(before)
})

test('sets the primary key with an empty batch of documents', async () => {
  await server.ask('POST', '/indexes/empty/documents?primaryKey=key', [])
  await server.idle()
  expect((await server.ask('GET', '/indexes/empty')).body).toMatchObject({ primaryKey: 'key' })
})

test('compares each search with the last comparable one', async () => {
  const search = (indexUid: string, sort: string) => ({ indexUid, q: 'x', sort: [sort] })
  const message = await messageOf('/multi-search', {
    federation: {},
    queries: [search('a', 'n:asc'), search('b', 'n:desc'), search('a', 'n:asc')],
  })
  expect(message).toMatch(
    /^Inside `\.queries\[1\]`: The results of queries #2 and #1 are incompatible: /,
  )
})

test('reads a polygon in `sort` as the name of a field', async () => {
  const sort = (by: string) => messageOf('/indexes/a/search', { sort: [by] })
  expect(await sort('_geoPolygon([1,2],[3,4],[5,6]):asc')).toBe(
    'Index `a`: Attribute `_geoPolygon([1,2],[3,4],[5,6])` is not sortable. ' +
      'Available sortable attributes are: `n`.',
  )
  expect(await sort('_geoPolygon:asc')).toMatch(/^`_geoPolygon` is a reserved keyword/)
})

test('names the index in the error of too many fields', async () => {
  const names = Array.from({ length: 65_536 }, (_, i) => `f${i}`)
  const document = Object.fromEntries([['id', 1], ...names.map((name) => [name, 1])])
  await server.ask('POST', '/indexes/wide/documents', [document])
  await server.idle()
  expect((await server.ask('GET', '/tasks?limit=1')).body).toMatchObject({
    results: [
      {
        error: {
          code: 'max_fields_limit_exceeded',
          message: 'Index `wide`: A document cannot contain more than 65,535 fields.',
        },
      },
    ],
  })
})

test('encodes small answers for a client that accepts one encoding only', async () => {
  const get = (accept: string) =>
    new Promise<{ encoding: string | undefined; body: Buffer }>((resolve, reject) => {
      const headers = { 'accept-encoding': accept }
      const sent = request(`${server.url}/health`, { headers }, async (answer) => {
        const chunks: Buffer[] = []
        for await (const chunk of answer) chunks.push(chunk as Buffer)
        resolve({
          encoding: answer.headers['content-encoding'],
          body: Buffer.concat(chunks),
        })
      })
      sent.on('error', reject).end()
    })
  const small = await get('br')
  expect(small.encoding).toBe('br')
  expect(brotliDecompressSync(small.body).toString()).toBe('{"status":"available"}')
  expect((await get('GZIP')).encoding).toBe('gzip')
  expect((await get('gzip, deflate, br')).encoding).toBeUndefined()
  expect((await get('identity')).encoding).toBeUndefined()
})

test('distinguishes variants of characters in an attribute localized as Japanese', async () => {
  await server.ask('PATCH', '/indexes/locales/settings', {
    localizedAttributes: [
      { attributePatterns: ['*_ja'], locales: ['jpn'] },
      { attributePatterns: ['*_zh'], locales: ['cmn'] },
    ],
    filterableAttributes: ['name_ja', 'name_zh'],
  })
  await server.ask('POST', '/indexes/locales/documents', [
    { id: 1, name_zh: '进击的巨人' },
    { id: 2, name_ja: '進撃の巨人' },
  ])
  await server.ask('POST', '/indexes/plain/documents', [
    { id: 1, name: '进击的巨人' },
    { id: 2, name: '進撃の巨人' },
  ])
  await server.idle()
  const found = async (uid: string, request: object): Promise<unknown> => {
    const whole = { ...request, matchingStrategy: 'all' }
    const { body } = await server.ask('POST', `/indexes/${uid}/search`, whole)
    return (body as { hits: { id: number }[] }).hits.map(({ id }) => id).sort()
  }
  expect(await found('locales', { q: '進撃' })).toEqual([1])
  expect(await found('locales', { q: '進撃', locales: ['cmn'] })).toEqual([1])
  expect(await found('locales', { q: '進撃', locales: ['jpn'] })).toEqual([2])
  expect(await found('plain', { q: '進撃' })).toEqual([1, 2])
  expect(await found('plain', { q: '進撃', locales: ['ja'] })).toEqual([1, 2])
  const values = async (facetName: string, facetQuery: string): Promise<unknown> => {
    const request = { facetName, facetQuery }
    const { body } = await server.ask('POST', '/indexes/locales/facet-search', request)
    return (body as { facetHits: unknown[] }).facetHits.length
  }
  expect(await values('name_zh', '進撃')).toBe(1)
  expect(await values('name_ja', '進撃')).toBe(1)
  expect(await values('name_ja', '进击')).toBe(0)
})
