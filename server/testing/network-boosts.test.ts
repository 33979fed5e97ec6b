// Boosts in searches over two instances: the order and the scores are those of one instance that
// holds all documents.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from './test-server.ts'

type Hit = { readonly id: number; readonly _rankingScore: number }

let servers: readonly TestServer[]
let whole: TestServer

/** A whole second, as `now` in boosts is, so that nothing was made after it. */
const NOW = Math.floor(Date.now() / 1000) * 1000
const MUGS = Array.from({ length: 60 }, (_, id) => ({
  id,
  name: id % 3 === 0 ? 'mug' : 'blue mug of tea',
  stock: id % 4 === 0 ? 'low' : 'high',
  sales: (id * 37) % 61,
  made: new Date(NOW - ((id * 17) % 59) * 86_400_000).toISOString(),
}))
const SETTINGS = { filterableAttributes: ['stock', 'made'], sortableAttributes: ['sales'] }

beforeAll(async () => {
  servers = await Promise.all([startServer(), startServer()])
  whole = await startServer()
  const remotes = { a: { url: servers[0]!.url }, b: { url: servers[1]!.url } }
  for (const [part, server] of [...servers, whole].entries()) {
    if (part < 2) {
      await server.ask('PATCH', '/experimental-features', { network: true })
      await server.ask('PATCH', '/network', { self: 'ab'[part], remotes })
    }
    await server.ask('PATCH', '/indexes/mugs/settings', SETTINGS)
    const own = part === 2 ? MUGS : MUGS.filter(({ id }) => id % 2 === part)
    await server.ask('POST', '/indexes/mugs/documents', own)
    await server.idle()
  }
})

afterAll(async () => {
  for (const server of [...servers, whole]) await server.stop()
})

const hitsOf = async (server: TestServer, body: object): Promise<readonly Hit[]> => {
  const headers = { 'content-type': 'application/json' }
  const sent = {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...body, showRankingScore: true }),
  }
  const answer = await fetch(`${server.url}/indexes/mugs/search`, sent)
  const { hits } = (await answer.json()) as { readonly hits: readonly Hit[] }
  return hits.map(({ id, _rankingScore }) => ({ id, _rankingScore }))
}

const DECAY = { field: 'made', shape: 'exp', origin: 'now', scale: 864_000 }
const BOOSTS = [
  [{ filter: 'stock = low', weight: 0.4 }],
  [{ field: 'sales', function: 'saturation', pivot: 20 }],
  [DECAY, { filter: 'stock = low', weight: 2 }],
]

test('boosts of a search', async () => {
  for (const boosts of BOOSTS) {
    for (const request of [{ q: 'mug tea' }, { q: '' }, { q: 'mug', rankingScoreThreshold: 0.3 }]) {
      const body = { ...request, boosts, boostsNow: NOW, offset: 3, limit: 25 }
      const expected = await hitsOf(whole, body)
      expect(expected.length).toBeGreaterThan(5)
      expect(await hitsOf(servers[0]!, { ...body, useNetwork: true })).toEqual(expected)
    }
  }
})

test('boosts of the setting mean one moment', async () => {
  for (const server of [...servers, whole]) {
    await server.ask('PUT', '/indexes/mugs/settings/boosts', [DECAY])
    await server.idle()
  }
  const body = { q: 'mug', limit: 60 }
  // `now` is the second in which the search arrives.
  const before = Math.floor(Date.now() / 1000) * 1000
  const scores = await hitsOf(servers[0]!, { ...body, useNetwork: true })
  const after = Math.floor(Date.now() / 1000) * 1000
  // The factor of each document tells which moment was read as `now`.
  const plain = new Map(
    (await hitsOf(whole, { ...body, boosts: [] })).map((hit) => [hit.id, hit._rankingScore]),
  )
  const moments = scores.map(({ id, _rankingScore }) => {
    const factor = _rankingScore / plain.get(id)!
    const age = (Math.log(factor) / Math.log(0.5)) * DECAY.scale
    return Date.parse(MUGS[id]!.made) + age * 1000
  })
  expect(scores).toHaveLength(60)
  const least = Math.min(...moments)
  expect(Math.max(...moments) - least).toBeLessThan(0.5)
  expect(least).toBeGreaterThan(before - 1)
  expect(least).toBeLessThan(after + 1)
})
