// `countTotal` on a whole server: in bodies, query strings, lists of searches and federations.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from './test-server.ts'

const root = mkdtempSync(join(tmpdir(), 'svc-totals-'))
let server: TestServer
beforeAll(async () => {
  server = await startServer({ DB_PATH: join(root, 'db') })
  const settings = { filterableAttributes: ['brand'], pagination: { maxTotalHits: 5 } }
  await server.ask('PATCH', '/indexes/lamps/settings', settings)
  const title = (id: number): string => (id % 3 === 0 ? 'a lamp' : 'the lamp of a large room')
  const lamps = Array.from({ length: 90 }, (_, id) => ({ id, title: title(id), brand: id % 10 }))
  await server.ask('POST', '/indexes/lamps/documents?primaryKey=id', lamps)
  await server.idle()
})
afterAll(async () => {
  await server.stop()
  rmSync(root, { recursive: true })
})

type Answer = { readonly hits: readonly object[]; readonly estimatedTotalHits: number }
const search = async (body: object): Promise<Answer> =>
  (await server.ask('POST', '/indexes/lamps/search', body)).body as Answer

test.each([
  [{}, 90],
  [{ q: 'lamp' }, 90],
  [{ distinct: 'brand' }, 10],
  [{ q: 'lamp', distinct: 'brand' }, 10],
  [{ q: 'a lamp', rankingScoreThreshold: 0.99 }, 30],
])('the total of %j is exact beyond `maxTotalHits`', async (request, total) => {
  const counted = await search({ ...request, countTotal: true, limit: 2 })
  expect(counted.hits).toHaveLength(2)
  expect(counted.estimatedTotalHits).toBe(total)
  expect((await search({ ...request, countTotal: true })).hits).toHaveLength(5)
  const paged = await search({ ...request, hitsPerPage: 2 })
  expect(paged).toMatchObject({ totalHits: total })
})

test('query strings, lists and federations have it', async () => {
  const get = await server.ask(
    'GET',
    '/indexes/lamps/search?distinct=brand&limit=1&countTotal=true',
  )
  expect(get.body).toMatchObject({ estimatedTotalHits: 10 })
  const query = { indexUid: 'lamps', distinct: 'brand', limit: 1, countTotal: true }
  const list = await server.ask('POST', '/multi-search', { queries: [query] })
  expect(list.body).toMatchObject({ results: [{ estimatedTotalHits: 10 }] })
  const federation = { limit: 1, distinct: 'brand', countTotal: true }
  const federated = await server.ask('POST', '/multi-search', {
    federation,
    queries: [{ indexUid: 'lamps' }],
  })
  expect(federated.body).toMatchObject({ estimatedTotalHits: 10 })
  const refused = await server.ask('POST', '/multi-search', {
    federation: {},
    queries: [{ indexUid: 'lamps', countTotal: true }],
  })
  expect(refused.body).toMatchObject({ code: 'invalid_multi_search_query_pagination' })
})
