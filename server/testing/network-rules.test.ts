// Search rules and foreign filters in searches over two instances: every instance scales its own
// documents, outcomes of conditions come with the merged answer, and a foreign condition matches
// documents of both.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from './test-server.ts'

type Body = { readonly [member: string]: unknown }
type Hit = {
  readonly id: number
  readonly _rankingScore: number
  readonly _federation: { readonly remote: string }
}

let servers: readonly TestServer[]

const PEOPLE = 1000
/** Documents of an instance: those whose id leaves `part` when divided by two. */
const half = <T extends { readonly id: number }>(all: readonly T[], part: number): readonly T[] =>
  all.filter(({ id }) => id % 2 === part)
const MUGS = Array.from({ length: 12 }, (_, id) => ({
  id,
  name: id % 3 === 0 ? 'mug' : 'blue mug',
  stock: id % 4 === 0 ? 'low' : 'high',
  maker: id * 50,
}))
const MAKERS = Array.from({ length: PEOPLE + 1 }, (_, id) => ({ id, town: 'x', rank: id }))

beforeAll(async () => {
  servers = await Promise.all([startServer(), startServer()])
  const remotes = { a: { url: servers[0]!.url }, b: { url: servers[1]!.url } }
  for (const [part, server] of servers.entries()) {
    const features = { network: true, dynamicSearchRules: true, foreignKeys: true }
    await server.ask('PATCH', '/experimental-features', features)
    await server.ask('PATCH', '/network', { self: 'ab'[part], remotes })
    await server.ask('PATCH', '/indexes/makers/settings', { filterableAttributes: ['rank'] })
    await server.ask('POST', '/indexes/makers/documents', half(MAKERS, part))
    await server.ask('PATCH', '/indexes/mugs/settings', {
      filterableAttributes: ['stock', 'maker'],
      foreignKeys: [{ foreignIndexUid: 'makers', fieldName: 'maker' }],
    })
    await server.ask('POST', '/indexes/mugs/documents', half(MUGS, part))
    await server.idle()
  }
})

afterAll(async () => {
  for (const server of servers) await server.stop()
})

const search = async (body: object, path = '/indexes/mugs/search'): Promise<Body> => {
  const headers = { 'content-type': 'application/json', 'svc-include-metadata': 'true' }
  const sent = { method: 'POST', headers, body: JSON.stringify(body) }
  return (await (await fetch(servers[0]!.url + path, sent)).json()) as Body
}

const inlineRule = {
  uid: 'r',
  conditions: { query: { words: 'mug' } },
  actions: {
    scale: [
      { filter: 'stock = low', weight: 0.5 },
      { ids: ['5'], weight: 0 },
    ],
    pin: [{ id: '7', position: 0 }],
  },
}

test.each(['mug', ''])(
  'hits of both instances for `%s` are in order of scaled scores',
  async (q) => {
    const request = { q, useNetwork: true, limit: 50, showRankingScore: true }
    const rule = { ...inlineRule, conditions: {} }
    const answer = await search({ ...request, inlineRule: rule })
    const hits = answer.hits as Hit[]
    expect(answer.remoteErrors).toEqual({})
    expect(hits.map(({ id }) => id).sort((a, b) => a - b)).toEqual([
      0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11,
    ])
    expect(hits[0]!.id).toBe(7)
    expect(new Set(hits.map(({ _federation }) => _federation.remote)).size).toBe(2)
    const scores = hits.slice(1).map((hit) => hit._rankingScore)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect(hits.slice(-3).map(({ id }) => id % 4)).toEqual([0, 0, 0])
    for (const limit of [1, 4]) {
      const page = await search({ ...request, inlineRule: rule, offset: 2, limit })
      expect(page.hits).toEqual(hits.slice(2, 2 + limit))
    }
  },
)

test('metadata have the outcomes of conditions', async () => {
  const { metadata } = await search({ q: 'tea', useNetwork: true, inlineRule })
  expect(metadata).toMatchObject({
    inlineRuleConditionOutcomes: {
      satisfiesActiveCondition: true,
      satisfiesQueryWordsCondition: { missingWord: { word: 'mug' } },
    },
  })
  const federated = await search(
    {
      federation: {},
      queries: [
        { indexUid: 'mugs', q: 'mug', useNetwork: false },
        { indexUid: 'mugs', q: 'mug', useNetwork: true, inlineRule },
        { indexUid: 'mugs', q: 'mug', federationOptions: { remote: 'b' }, inlineRule },
      ],
    },
    '/multi-search',
  )
  const all = federated.metadata as Body[]
  expect(all.map((one) => one.inlineRuleConditionOutcomes)).toEqual([
    undefined,
    { satisfiesActiveCondition: true, satisfiesQueryWordsCondition: 'satisfied' },
    { satisfiesActiveCondition: true, satisfiesQueryWordsCondition: 'satisfied' },
  ])
  const pinned = (federated.hits as Hit[]).filter(({ id }) => id === 7)
  expect(pinned).toHaveLength(1)
})

test('a foreign condition matches a thousand documents of all instances, and no more', async () => {
  const found = await search({
    useNetwork: true,
    filter: `_foreign(maker, rank < ${PEOPLE})`,
    limit: 50,
  })
  expect((found.hits as Hit[]).map(({ id }) => id).sort((a, b) => a - b)).toEqual(
    MUGS.map(({ id }) => id),
  )
  expect(
    await search({ useNetwork: true, filter: `_foreign(maker, rank <= ${PEOPLE})` }),
  ).toMatchObject({
    code: 'invalid_search_filter',
    message: expect.stringContaining('matches more than 1000 documents'),
  })
})
