// Walks over the hits of a search, on a whole server.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from './test-server.ts'

const DOCUMENTS = 5000
const root = mkdtempSync(join(tmpdir(), 'svc-walk-'))
let server: TestServer
beforeAll(async () => {
  server = await startServer({ DB_PATH: join(root, 'db') })
  await server.ask('PATCH', '/indexes/lamps/settings', { sortableAttributes: ['price'] })
  const lamps = Array.from({ length: DOCUMENTS }, (_, id) => ({ id, price: (id * 7919) % 1000 }))
  await server.ask('POST', '/indexes/lamps/documents?primaryKey=id', lamps)
  await server.idle()
})
afterAll(async () => {
  await server.stop()
  rmSync(root, { recursive: true })
})

type Page = {
  readonly hits: readonly { readonly id: number; readonly price: number }[]
  readonly cursor: string | null
}
const search = async (body: object) => server.ask('POST', '/indexes/lamps/search', body)

test('goes beyond `maxTotalHits`, without a gap or a double', async () => {
  const seen = new Set<number>()
  let last = -1
  for (let cursor: string | null = ''; cursor !== null; ) {
    const body = { sort: ['price:asc'], limit: 700, searchAfter: cursor }
    const page: Page = (await search(body)).body as Page
    for (const { id, price } of page.hits) {
      expect(price).toBeGreaterThanOrEqual(last)
      last = price
      seen.add(id)
    }
    cursor = page.cursor
  }
  expect(seen.size).toBe(DOCUMENTS)
})

test('is offered by query strings and lists, and refused with pages and in federations', async () => {
  const get = await server.ask('GET', '/indexes/lamps/search?limit=1&searchAfter=')
  expect((get.body as Page).cursor).toEqual(expect.any(String))
  const query = { indexUid: 'lamps', limit: 1, searchAfter: '' }
  const list = await server.ask('POST', '/multi-search', { queries: [query] })
  expect(list.body).toMatchObject({ results: [{ cursor: expect.any(String) }] })
  const { limit: _, ...federated } = query
  const refused = [
    await search({ searchAfter: 'x' }),
    await search({ searchAfter: '', page: 1 }),
    await server.ask('POST', '/multi-search', { federation: {}, queries: [federated] }),
  ]
  for (const { status, body } of refused) {
    expect([status, body]).toMatchObject([400, { code: 'invalid_search_search_after' }])
  }
})

test('of ranked hits ends with 410 when the index has changed', async () => {
  const first = (await search({ q: '1', limit: 1, searchAfter: '' })).body as Page
  await server.ask('POST', '/indexes/lamps/documents', [{ id: 1, price: 1 }])
  await server.idle()
  const { status, body } = await search({ q: '1', limit: 1, searchAfter: first.cursor })
  expect([status, body]).toMatchObject([410, { code: 'search_cursor_expired' }])
})
