// Conditions on one element in every place that takes a filter: each finds the documents that a test
// of one document at a time finds, where plain conditions would find more.
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { randomOf } from '../../engine/store/storage/index.ts'
import { type ChatProvider, calls, says, startChatProvider } from './test-chat-provider.ts'
import { startServer, type TestServer } from './test-server.ts'

const MASTER = 'a-master-key-of-sixteen'
const COLOR = 'red'
const SIZE = 42
/** `[…]` around it means one variant. */
const INSIDE = `color = ${COLOR} AND size = ${SIZE}`
const FILTER = `variants[${INSIDE}]`
const COLORS = ['red', 'blue', 'green']
const COUNT = 60

type Variant = { readonly color: string; readonly size: number }
type Shirt = { readonly id: number; readonly variants: readonly Variant[] }

const random = randomOf(1)
const SHIRTS = Array.from({ length: COUNT }, (_, id) => ({
  id,
  name: id % 2 === 0 ? 'linen shirt' : 'shirt',
  maker: id % 7,
  variants: Array.from({ length: 1 + (id % 3) }, () => ({
    color: COLORS[random.below(3)]!,
    size: 41 + random.below(3),
  })),
  _vectors: { own: [Math.cos(id), Math.sin(id)] },
}))
/** Makers have variants of their own, those that they make. */
const MAKERS = Array.from({ length: 7 }, (_, id) => ({ id, variants: SHIRTS[id * 3]!.variants }))

const isMeant = ({ variants }: { readonly variants: readonly Variant[] }): boolean =>
  variants.some(({ color, size }) => color === COLOR && size === SIZE)
const idsOf = (shirts: readonly { readonly id: number }[]): readonly number[] =>
  shirts.map(({ id }) => id).sort((a, b) => a - b)

const MEANT = idsOf(SHIRTS.filter(isMeant))
const LOOSE = SHIRTS.filter(
  ({ variants }) =>
    variants.some(({ color }) => color === COLOR) && variants.some(({ size }) => size === SIZE),
)

const SETTINGS = {
  filterableAttributes: ['variants', 'maker', 'name'],
  foreignKeys: [{ foreignIndexUid: 'makers', fieldName: 'maker' }],
  embedders: { own: { source: 'userProvided', dimensions: 2 } },
}

type Body = { readonly [member: string]: unknown }
type Ask = (method: string, path: string, body?: unknown, key?: string) => Promise<Body>

const askOf =
  (server: () => TestServer): Ask =>
  async (method, path, body, key = MASTER) => {
    const answer = await fetch(server().url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
    return (await answer.json()) as Body
  }

let server: TestServer
let provider: ChatProvider
const ask = askOf(() => server)

function hitsIn(answer: Body): readonly number[] {
  const found = answer['hits'] ?? answer['results']
  if (!Array.isArray(found)) throw new Error(JSON.stringify(answer))
  return idsOf(found)
}

async function taskOf(method: string, path: string, body: unknown): Promise<Body> {
  const { taskUid } = await ask(method, path, body)
  await server.idle()
  return ask('GET', `/tasks/${taskUid}`)
}

async function fill(uid: string): Promise<void> {
  await ask('PATCH', `/indexes/${uid}/settings`, SETTINGS)
  await ask('POST', `/indexes/${uid}/documents?primaryKey=id`, SHIRTS)
  await server.idle()
}

function tokenOf({ uid, key }: Body, searchRules: object): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const message = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ searchRules, apiKeyUid: uid })}`
  return `${message}.${createHmac('sha256', String(key)).update(message).digest('base64url')}`
}

beforeAll(async () => {
  provider = await startChatProvider()
  server = await startServer({ MASTER_KEY: MASTER })
  const features = ['foreignKeys', 'dynamicSearchRules', 'editDocumentsByFunction', 'mcpRoute']
  const all = [...features, 'chatCompletions', 'network']
  await ask('PATCH', '/experimental-features', Object.fromEntries(all.map((name) => [name, true])))
  await ask('PATCH', '/indexes/makers/settings', { filterableAttributes: ['variants'] })
  await ask('POST', '/indexes/makers/documents?primaryKey=id', MAKERS)
  await fill('shirts')
})

afterAll(async () => {
  await server.stop()
  await provider.stop()
})

test('the documents tell conditions on one element from plain ones', () => {
  expect(MEANT.length).toBeGreaterThan(5)
  expect(LOOSE.length).toBeGreaterThan(MEANT.length + 5)
})

describe('reads', () => {
  const LIMIT = { limit: COUNT }
  const inQuery = `filter=${encodeURIComponent(FILTER)}&limit=${COUNT}`

  test.each([
    ['a search', 'POST', 'search', { filter: FILTER, ...LIMIT }],
    ['a list of filters', 'POST', 'search', { filter: [[FILTER, 'maker = 99']], ...LIMIT }],
    ['a search in a query string', 'GET', `search?${inQuery}`, undefined],
    ['documents/fetch', 'POST', 'documents/fetch', { filter: FILTER, ...LIMIT }],
    ['a list of documents', 'GET', `documents?${inQuery}`, undefined],
    ['a walk', 'POST', 'search', { filter: FILTER, searchAfter: null, ...LIMIT }],
  ])('%s', async (_, method, path, body) => {
    expect(hitsIn(await ask(method, `/indexes/shirts/${path}`, body))).toEqual(MEANT)
  })

  test('similar documents', async () => {
    const others = MEANT.filter((id) => id !== 0)
    const body = { id: 0, embedder: 'own', filter: FILTER, ...LIMIT }
    expect(hitsIn(await ask('POST', '/indexes/shirts/similar', body))).toEqual(others)
    const found = await ask('GET', `/indexes/shirts/similar?id=0&embedder=own&${inQuery}`)
    expect(hitsIn(found)).toEqual(others)
  })

  test('a search of vectors', async () => {
    const hybrid = { embedder: 'own', semanticRatio: 1 }
    const body = { vector: [1, 0], hybrid, filter: FILTER, ...LIMIT }
    expect(hitsIn(await ask('POST', '/indexes/shirts/search', body))).toEqual(MEANT)
  })

  test('facet searches', async () => {
    const body = { facetName: 'name', facetQuery: 'linen', filter: FILTER }
    const count = MEANT.filter((id) => id % 2 === 0).length
    expect((await ask('POST', '/indexes/shirts/facet-search', body))['facetHits']).toEqual([
      { value: 'linen shirt', count },
    ])
  })

  test('suggestions', async () => {
    const body = { q: 'line', filter: 'variants[color = red AND size = 99]' }
    const none = await ask('POST', '/indexes/shirts/suggest', body)
    expect(none['suggestions']).toEqual([])
    const some = await ask('POST', '/indexes/shirts/suggest', { ...body, filter: FILTER })
    expect(some['suggestions']).not.toEqual([])
  })

  test('several searches, and a federated one', async () => {
    const queries = [{ indexUid: 'shirts', filter: FILTER, ...LIMIT }]
    const { results } = await ask('POST', '/multi-search', { queries })
    expect(hitsIn((results as Body[])[0]!)).toEqual(MEANT)
    const federated = [{ indexUid: 'shirts', filter: FILTER }]
    const body = { federation: LIMIT, queries: federated }
    expect(hitsIn(await ask('POST', '/multi-search', body))).toEqual(MEANT)
  })

  test('a foreign condition', async () => {
    const makers = idsOf(MAKERS.filter(isMeant))
    const expected = idsOf(SHIRTS.filter(({ maker }) => makers.includes(maker)))
    expect(makers.length).toBeGreaterThan(0)
    expect(expected.length).toBeLessThan(COUNT)
    const body = { filter: `_foreign(maker, ${FILTER})`, ...LIMIT }
    expect(hitsIn(await ask('POST', '/indexes/shirts/search', body))).toEqual(expected)
    const both = { filter: `${FILTER} AND _foreign(maker, ${FILTER})`, ...LIMIT }
    expect(hitsIn(await ask('POST', '/indexes/shirts/search', both))).toEqual(
      expected.filter((id) => MEANT.includes(id)),
    )
  })

  test('tenant tokens, alone and with the filter of the search', async () => {
    const asked = { actions: ['search', 'chatCompletions'], indexes: ['*'], expiresAt: null }
    const key = await ask('POST', '/keys', asked)
    const token = tokenOf(key, { shirts: { filter: FILTER } })
    const find = (body: object) => ask('POST', '/indexes/shirts/search', body, token)
    expect(hitsIn(await find(LIMIT))).toEqual(MEANT)
    expect(hitsIn(await find({ filter: 'maker = 3', ...LIMIT }))).toEqual(
      MEANT.filter((id) => id % 7 === 3),
    )
    const facets = { facets: ['variants.size'], facetScope: 'match' }
    expect((await find(facets))['facetDistribution']).toEqual({
      'variants.size': { [SIZE]: MEANT.length },
    })
  })

  test('tools for agents', async () => {
    const call = (name: string, given: object) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
        arguments: given,
        _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' },
      },
    })
    const queries = [{ indexUid: 'shirts', filter: FILTER, ...LIMIT }]
    const { result } = await ask('POST', '/mcp', call('searchInIndexes', { queries }))
    const [{ text }] = (result as { content: [{ text: string }] }).content
    expect(hitsIn(JSON.parse(text).results[0])).toEqual(MEANT)
  })

  test('searches of a chat', async () => {
    const chat = { description: 'shirts', searchParameters: { limit: COUNT } }
    await taskOf('PATCH', '/indexes/shirts/settings', {
      chat: { ...chat, documentTemplate: '<{{doc.id}}>' },
    })
    const apiKey = 'sk-very-secret'
    await ask('PATCH', '/chats/main/settings', { baseUrl: `${provider.url}/v1`, apiKey })
    const given = { index_uid: 'shirts', q: '', filter: FILTER }
    provider.answer(calls(['_meiliSearchInIndex', given]), says('Those.'))
    const messages = [{ role: 'user', content: 'Which?' }]
    await fetch(`${server.url}/chats/main/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${MASTER}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', stream: true, messages }),
    }).then((answer) => answer.text())
    const text = JSON.stringify(provider.requests[1]!.body.messages)
    const found = [...text.matchAll(/<(\d+)>/g)].map(([, id]) => Number(id))
    expect(found.sort((a, b) => a - b)).toEqual(MEANT)
  })
})

describe('what changes the order of hits', () => {
  /** The score of each document that `body` finds. */
  async function scores(body: object): Promise<ReadonlyMap<number, number>> {
    const asked = { q: 'shirt', limit: COUNT, showRankingScore: true, ...body }
    const { hits } = await ask('POST', '/indexes/shirts/search', asked)
    return new Map(
      (hits as Body[]).map((hit) => [hit['id'] as number, Number(hit['_rankingScore'])]),
    )
  }

  async function expectHalved(body: object): Promise<void> {
    const [plain, changed] = [await scores({}), await scores(body)]
    const halved = [...plain].filter(([id, score]) => changed.get(id)! < score * 0.75)
    expect(idsOf(halved.map(([id]) => ({ id })))).toEqual(MEANT)
  }

  test('boosts of a search', () => expectHalved({ boosts: [{ filter: FILTER, weight: 0.5 }] }))

  test('a rule sent with a search', () =>
    expectHalved({
      inlineRule: { uid: 'r', actions: { scale: [{ filter: FILTER, weight: 0.5 }] } },
    }))

  test('a stored rule, and boosts of the index', async () => {
    const plain = await scores({})
    const halved = (changed: ReadonlyMap<number, number>) =>
      idsOf([...plain].flatMap(([id, score]) => (changed.get(id)! < score * 0.75 ? [{ id }] : [])))
    const rule = { active: true, actions: { scale: [{ filter: FILTER, weight: 0.5 }] } }
    await taskOf('PATCH', '/dynamic-search-rules/halves', rule)
    expect(halved(await scores({}))).toEqual(MEANT)
    await taskOf('DELETE', '/dynamic-search-rules/halves', undefined)
    expect(halved(await scores({}))).toEqual([])
    const boosts = [{ filter: FILTER, weight: 0.5 }]
    await taskOf('PUT', '/indexes/shirts/settings/boosts', boosts)
    expect(halved(await scores({}))).toEqual(MEANT)
    await taskOf('DELETE', '/indexes/shirts/settings/boosts', undefined)
  })

  test('a condition of a rule, which looks for values that the filter demands', async () => {
    const conditions = { filter: { values: { 'variants.color': COLOR, 'variants.size': SIZE } } }
    const pinned = MEANT.at(-1)!
    const pin = [{ id: String(pinned), indexUid: 'shirts', position: 0 }]
    const first = async (filter: string): Promise<unknown> => {
      const inlineRule = { uid: 'r', conditions, actions: { pin } }
      const { hits } = await ask('POST', '/indexes/shirts/search', { filter, inlineRule })
      return (hits as Shirt[])[0]?.id
    }
    expect(await first(FILTER)).toBe(pinned)
    expect(await first(`variants[color = ${COLOR}]`)).not.toBe(pinned)
    expect(await first(`NOT ${FILTER}`)).not.toBe(pinned)
  })
})

describe('writes', () => {
  test('an edition', async () => {
    await fill('edited')
    const edition = { filter: FILTER, function: 'doc.name = "chosen"' }
    const task = await taskOf('POST', '/indexes/edited/documents/edit', edition)
    expect(task).toMatchObject({ status: 'succeeded', details: { editedDocuments: MEANT.length } })
    const chosen = { filter: 'name = chosen', limit: COUNT }
    expect(hitsIn(await ask('POST', '/indexes/edited/search', chosen))).toEqual(MEANT)
  })

  test.each(['delete', 'delete-batch'])('a deletion by %s', async (route) => {
    const uid = `less-${route}`
    await fill(uid)
    const body = route === 'delete' ? { filter: FILTER } : MEANT
    const task = await taskOf('POST', `/indexes/${uid}/documents/${route}`, body)
    expect(task).toMatchObject({ details: { deletedDocuments: MEANT.length } })
    expect(hitsIn(await ask('GET', `/indexes/${uid}/documents?limit=${COUNT}`))).toEqual(
      idsOf(SHIRTS).filter((id) => !MEANT.includes(id)),
    )
    expect(hitsIn(await ask('POST', `/indexes/${uid}/search`, { filter: FILTER }))).toEqual([])
  })

  test('an export', async () => {
    const other = await startServer()
    await other.ask('PATCH', '/experimental-features', { foreignKeys: true, chatCompletions: true })
    const indexes = { shirts: { filter: FILTER } }
    expect(await taskOf('POST', '/export', { url: other.url, indexes })).toMatchObject({
      error: null,
    })
    await other.idle()
    const { body } = await other.ask('GET', `/indexes/shirts/documents?limit=${COUNT}`)
    expect(hitsIn(body as Body)).toEqual(MEANT)
    await other.stop()
  })
})

describe('a network', () => {
  let remotes: readonly TestServer[]

  beforeAll(async () => {
    remotes = await Promise.all([startServer(), startServer()])
    const urls = { a: { url: remotes[0]!.url }, b: { url: remotes[1]!.url } }
    for (const each of remotes) {
      await each.ask('PATCH', '/experimental-features', { network: true, foreignKeys: true })
    }
    const shards = { even: { remotes: ['a'] }, odd: { remotes: ['b'] } }
    await remotes[0]!.ask('PATCH', '/network', { self: 'a', leader: 'a', remotes: urls, shards })
    const leader = remotes[0]!
    await leader.ask('PATCH', '/indexes/makers/settings', { filterableAttributes: ['variants'] })
    await leader.ask('POST', '/indexes/makers/documents?primaryKey=id', MAKERS)
    await leader.ask('PATCH', '/indexes/shirts/settings', SETTINGS)
    await leader.ask('POST', '/indexes/shirts/documents?primaryKey=id', SHIRTS)
    await settle()
  })
  afterAll(async () => {
    for (const each of remotes) await each.stop()
  })

  /** Waits until no instance has a task left: the leader waits for the tasks of the others. */
  async function settle(): Promise<void> {
    for (const each of remotes) {
      let total: unknown = null
      while (total !== 0) {
        await each.idle()
        const { body } = await each.ask('GET', '/tasks?statuses=enqueued,processing')
        total = (body as Body)['total']
        if (total !== 0) await new Promise((go) => setTimeout(go, 20))
      }
    }
  }

  const find = async (at: number, path: string, body: object): Promise<Body> =>
    (await remotes[at]!.ask('POST', path, body)).body as Body

  test.each([0, 1])('searches of instance %i', async (at) => {
    const body = { filter: FILTER, limit: COUNT, useNetwork: true }
    expect(hitsIn(await find(at, '/indexes/shirts/search', body))).toEqual(MEANT)
    const queries = [{ indexUid: 'shirts', filter: FILTER, useNetwork: true }]
    const federation = { limit: COUNT }
    expect(hitsIn(await find(at, '/multi-search', { federation, queries }))).toEqual(MEANT)
    const shards = ['even', 'odd'].map((shard) =>
      find(at, '/indexes/shirts/search', { ...body, filter: `${FILTER} AND _shard = ${shard}` }),
    )
    const [even, odd] = (await Promise.all(shards)).map(hitsIn) as [number[], number[]]
    expect(even.length * odd.length).toBeGreaterThan(0)
    expect([...even, ...odd].sort((a, b) => a - b)).toEqual(MEANT)
  })

  test('foreign conditions, boosts, facets and lists of documents', async () => {
    const makers = idsOf(MAKERS.filter(isMeant))
    const foreign = { filter: `_foreign(maker, ${FILTER})`, limit: COUNT, useNetwork: true }
    expect(hitsIn(await find(0, '/indexes/shirts/search', foreign))).toEqual(
      idsOf(SHIRTS.filter(({ maker }) => makers.includes(maker))),
    )
    const boosts = [{ filter: FILTER, weight: 0 }]
    const boosted = { boosts, limit: COUNT, useNetwork: true }
    expect(hitsIn(await find(1, '/indexes/shirts/search', boosted))).toEqual(
      idsOf(SHIRTS).filter((id) => !MEANT.includes(id)),
    )
    const counted = { filter: FILTER, facets: ['variants.size'], facetScope: 'match', limit: 0 }
    const answer = await find(1, '/indexes/shirts/search', { ...counted, useNetwork: true })
    expect(answer['facetDistribution']).toEqual({ 'variants.size': { [SIZE]: MEANT.length } })
    const list = { filter: FILTER, limit: COUNT, useNetwork: true }
    expect(hitsIn(await find(0, '/indexes/shirts/documents/fetch', list))).toEqual(MEANT)
  })

  test('deletions by filter reach every instance', async () => {
    await find(0, '/indexes/shirts/documents/delete', { filter: FILTER })
    await settle()
    const body = { limit: COUNT, useNetwork: true }
    expect(hitsIn(await find(1, '/indexes/shirts/search', body))).toEqual(
      idsOf(SHIRTS).filter((id) => !MEANT.includes(id)),
    )
  })
})
