// `hitsPerGroup` on a whole server, compared with one search for each group.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from './test-server.ts'

const root = mkdtempSync(join(tmpdir(), 'svc-groups-'))
let server: TestServer
beforeAll(async () => {
  server = await startServer({ DB_PATH: join(root, 'db') })
  const settings = {
    filterableAttributes: ['brand', 'tags', 'price'],
    sortableAttributes: ['price'],
  }
  await server.ask('PATCH', '/indexes/lamps/settings', settings)
  const lamps = Array.from({ length: 120 }, (_, id) => ({
    id,
    title: ['a lamp', 'the lamp of a large room', 'lampe', 'chair'][id % 4],
    price: (id * 7) % 31,
    ...(id % 11 === 0 ? {} : { brand: `B${id % 7}` }),
    tags: [id % 5, `t${id % 9}`],
  }))
  // Several segments, and documents that were replaced.
  await server.ask('POST', '/indexes/lamps/documents?primaryKey=id', lamps.slice(0, 70))
  await server.idle()
  await server.ask('POST', '/indexes/lamps/documents', lamps.slice(50))
  await server.idle()
})
afterAll(async () => {
  await server.stop()
  rmSync(root, { recursive: true })
})

type Hit = { readonly id: number; readonly brand?: string; readonly tags: readonly unknown[] }
type Group = { readonly totalHits: number; readonly hits: readonly Hit[] }
type Answer = { readonly hits: readonly Hit[]; readonly groups: readonly Group[] }
const search = async (body: object): Promise<Answer> =>
  (await server.ask('POST', '/indexes/lamps/search', body)).body as Answer

test.each([
  {},
  { q: 'lamp' },
  { q: 'lamp', filter: 'price > 10', sort: ['price:desc'] },
  { q: 'lamp room', matchingStrategy: 'all' },
  { sort: ['price:asc'], limit: 3, offset: 2 },
  { q: 'lamp', hitsPerPage: 2, page: 2, attributesToHighlight: ['title'], showRankingScore: true },
])('the groups of %j are what a search for each value finds', async (request) => {
  const { hits, groups } = await search({ ...request, distinct: 'brand', hitsPerGroup: 3 })
  expect(groups).toHaveLength(hits.length)
  expect(hits.length).toBeGreaterThan(1)
  for (const [at, { totalHits, hits: shown }] of groups.entries()) {
    const hit = hits[at]!
    expect(shown[0]).toEqual(hit)
    if (hit.brand === undefined) {
      expect([totalHits, shown]).toEqual([1, [hit]])
      continue
    }
    const {
      filter = 'price >= 0',
      page: _,
      offset: __,
      ...rest
    } = request as { filter?: string; page?: number; offset?: number }
    const one = await search({
      ...rest,
      limit: undefined,
      hitsPerPage: 100,
      filter: `${filter} AND brand = ${hit.brand}`,
    })
    expect(totalHits).toBe(one.hits.length)
    expect(shown).toEqual(one.hits.slice(0, 3))
  }
})

test('a group of several values holds the documents that share one of them', async () => {
  const { hits, groups } = await search({ distinct: 'tags', hitsPerGroup: 100 })
  const [first] = hits
  const shared = await search({ limit: 200, filter: `tags IN [${first!.tags.join(', ')}]` })
  expect(groups[0]!.hits.map(({ id }) => id)).toEqual(shared.hits.map(({ id }) => id))
})

test('is offered by query strings and lists, and refused where hits have no groups', async () => {
  const get = await server.ask('GET', '/indexes/lamps/search?distinct=brand&hitsPerGroup=2&limit=1')
  expect(get.body).toMatchObject({ groups: [{ hits: [{ id: 0 }] }] })
  const query = { indexUid: 'lamps', distinct: 'brand', hitsPerGroup: 2 }
  const list = await server.ask('POST', '/multi-search', { queries: [query] })
  expect(list.body).toMatchObject({ results: [{ groups: expect.any(Array) }] })
  const refused = [
    await server.ask('POST', '/indexes/lamps/search', { hitsPerGroup: 2 }),
    await server.ask('POST', '/indexes/lamps/search', { distinct: 'brand', hitsPerGroup: 0 }),
    await server.ask('POST', '/indexes/lamps/search', { distinct: 'brand', hitsPerGroup: 101 }),
    await server.ask('POST', '/multi-search', { federation: {}, queries: [query] }),
  ]
  for (const { status, body } of refused) {
    expect([status, body]).toMatchObject([400, { code: 'invalid_search_hits_per_group' }])
  }
})
