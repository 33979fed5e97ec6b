// The Model Context Protocol of a running server: messages, tools, rights, and two thousand hostile
// messages that must neither fail the server nor show what their sender may not see.
import { createHmac } from 'node:crypto'
import { request as ask, type Dispatcher } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { randomOf } from '../../engine/store/storage/index.ts'
import { startServer, type TestServer } from '../testing/test-server.ts'
import { TOOL_ANSWER_BYTES_MAX } from './limits.ts'

const MASTER = 'a-master-key-for-tests-only'
/** Occurs in every document that the keys and tokens below do not show. */
const SECRET = 'kept-from-the-key'
const VERSION = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }

type Body = {
  readonly [member: string]: unknown
  readonly result?: { readonly [member: string]: unknown }
  readonly error?: { readonly code: number; readonly data: { readonly errorName: string } }
}
type Answer = { readonly status: number; readonly body: Body; readonly text: string }

let server: TestServer
const keys: { [name: string]: string } = {}

async function send(method: string, path: string, body: unknown, key: string): Promise<Answer> {
  // It costs a fraction of `fetch`.
  const answer = await ask(server.url + path, {
    method: method as Dispatcher.HttpMethod,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await answer.body.text()
  return { status: answer.statusCode, text, body: (text === '' ? {} : JSON.parse(text)) as Body }
}

const say = (message: unknown, key = MASTER): Promise<Answer> => send('POST', '/mcp', message, key)
const request = (method: string, params: object = {}): object => ({
  jsonrpc: '2.0',
  id: 7,
  method,
  params,
})
const call = (name: unknown, given: unknown, key = MASTER): Promise<Answer> =>
  say(request('tools/call', { name, arguments: given, _meta: VERSION }), key)

async function newKey(actions: readonly string[], indexes: readonly string[]): Promise<Body> {
  const body = { actions, indexes, expiresAt: null }
  return (await send('POST', '/keys', body, MASTER)).body
}

function tokenOf({ uid, key }: Body, searchRules: object): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = part({ searchRules, apiKeyUid: uid })
  const message = `${part({ alg: 'HS256', typ: 'JWT' })}.${claims}`
  const signature = createHmac('sha256', String(key)).update(message).digest('base64url')
  return `${message}.${signature}`
}

beforeAll(async () => {
  server = await startServer({ MASTER_KEY: MASTER })
  expect((await say(request('server/discover'))).body).toMatchObject({
    code: 'feature_not_enabled',
  })
  await send('PATCH', '/experimental-features', { mcpRoute: true }, MASTER)
  const settings = { filterableAttributes: ['tenant', 'kind'] }
  for (const index of ['shop', 'hidden']) {
    await send('PATCH', `/indexes/${index}/settings`, settings, MASTER)
    const secret = index === 'hidden' ? SECRET : 'plain'
    const documents = [
      { id: 1, name: `blue mug ${secret}`, kind: 'mug', tenant: 1 },
      { id: 2, name: `red bowl ${SECRET}`, kind: SECRET, tenant: 2 },
    ]
    await send('POST', `/indexes/${index}/documents`, documents, MASTER)
  }
  await server.idle()
  const search = await newKey(['search'], ['shop'])
  keys['nothing'] = String((await newKey(['tasks.get'], ['*'])).key)
  keys['wrong'] = 'no-key-at-all'
  keys['tenant'] = tokenOf(search, { shop: { filter: 'tenant = 1' } })
  keys['forged'] = `${tokenOf(search, { '*': null })}x`
  keys['elsewhere'] = tokenOf(search, { hidden: null })
})
afterAll(() => server.stop())

describe('messages', () => {
  test('server/discover describes the server', async () => {
    const { status, body } = await say(request('server/discover', { _meta: VERSION }))
    expect(status).toBe(200)
    expect(body).toMatchObject({
      jsonrpc: '2.0',
      id: 7,
      result: {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        ttlMs: 3_600_000,
        cacheScope: 'public',
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'Svc Search' } },
      },
    })
  })

  test('tools/list names four tools with schemas of objects', async () => {
    const { body } = await say(request('tools/list'))
    const tools = body.result!['tools'] as readonly { name: string; inputSchema: object }[]
    expect(tools.map(({ name }) => name)).toEqual([
      'listIndexes',
      'describeIndex',
      'searchInIndexes',
      'facetSearch',
    ])
    for (const { inputSchema } of tools) expect(inputSchema).toMatchObject({ type: 'object' })
    expect(tools[3]!.inputSchema).toMatchObject({ properties: { indexUid: { type: 'string' } } })
  })

  test('older clients begin with a handshake; a notification gets no answer', async () => {
    const begin = (protocolVersion: string) => say(request('initialize', { protocolVersion }))
    expect((await begin('2025-06-18')).body.result).toMatchObject({ protocolVersion: '2025-06-18' })
    expect((await begin('2024-01-01')).body.result).toMatchObject({ protocolVersion: '2025-11-25' })
    const sent = await say({ jsonrpc: '2.0', method: 'notifications/initialized' })
    expect([sent.status, sent.text]).toEqual([202, ''])
    expect((await say(request('ping'))).body.result).toEqual({})
  })

  test('unknown versions, methods and tools are errors of JSON-RPC', async () => {
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '1999-12-31' }
    expect((await say(request('tools/list', { _meta }))).body.error).toMatchObject({
      code: -32022,
      data: { supported: ['2026-07-28'], requested: '1999-12-31' },
    })
    expect((await say(request('resources/list'))).body.error!.code).toBe(-32601)
    expect((await call('deleteIndex', {})).body.error!.code).toBe(-32602)
    expect((await call('listIndexes', [])).body.error!.code).toBe(-32602)
  })

  test('a body of another form is 400; without a key 401; other methods 405', async () => {
    for (const message of ['', '{', '[]', '{}', { ...request('ping'), id: null }]) {
      expect((await say(message)).status).toBe(400)
    }
    const bare = await fetch(`${server.url}/mcp`, { method: 'POST', body: '{}' })
    expect(bare.status).toBe(401)
    expect(await bare.json()).toMatchObject({ code: 'missing_authorization_header' })
    expect((await fetch(`${server.url}/mcp`)).status).toBe(405)
  })
})

describe('tools', () => {
  const answerOf = async (name: string, given: object, key?: string) => {
    const { body } = await call(name, given, key)
    const { content, structuredContent } = body.result!
    const [{ text }] = content as [{ text: string }]
    expect(JSON.parse(text)).toEqual(structuredContent)
    return structuredContent as { readonly [member: string]: unknown }
  }

  test('answer as their routes do', async () => {
    expect(await answerOf('listIndexes', { limit: 1, offset: 1 })).toMatchObject({
      results: [{ uid: 'shop' }],
      offset: 1,
      limit: 1,
      total: 2,
    })
    const described = await answerOf('describeIndex', { indexUid: 'shop' })
    expect(described).toMatchObject({ limit: 5, total: 2, results: [{ id: 1 }, { id: 2 }] })
    const queries = [{ indexUid: 'shop', q: 'mug' }]
    expect(await answerOf('searchInIndexes', { queries })).toMatchObject({
      results: [{ indexUid: 'shop', hits: [{ id: 1 }] }],
    })
    expect(await answerOf('searchInIndexes', { queries, federation: {} })).toMatchObject({
      hits: [{ id: 1, _federation: { indexUid: 'shop' } }],
    })
    const either = { indexUid: 'shop', q: 'nothing OR mug', querySyntax: 'boolean' }
    expect(await answerOf('searchInIndexes', { queries: [either] })).toMatchObject({
      results: [{ indexUid: 'shop', estimatedTotalHits: 1 }],
    })
    const facet = { indexUid: 'shop', facetName: 'kind', facetQuery: 'mu' }
    expect(await answerOf('facetSearch', facet)).toMatchObject({
      facetHits: [{ value: 'mug', count: 1 }],
    })
  })

  test('searches of an index with the rule `bm25` need any word, unless the agent asks otherwise', async () => {
    const documents = [
      { id: 1, text: 'a cable for screens' },
      { id: 2, text: 'a phone' },
    ]
    const settings = { rankingRules: ['bm25'] }
    await send('PATCH', '/indexes/scored/settings', settings, MASTER)
    for (const index of ['scored', 'classic']) {
      await send('POST', `/indexes/${index}/documents`, documents, MASTER)
    }
    await server.idle()
    const found = async (query: object): Promise<readonly unknown[]> => {
      const queries = [{ q: 'which cable charges phones', ...query }]
      const { results } = await answerOf('searchInIndexes', { queries })
      return (results as readonly [{ hits: readonly { id: number }[] }])[0].hits.map(({ id }) => id)
    }
    expect(await found({ indexUid: 'scored' })).toEqual([1, 2])
    expect(await found({ indexUid: 'scored', matchingStrategy: 'last' })).toEqual([])
    expect(await found({ indexUid: 'classic' })).toEqual([])
    for (const index of ['scored', 'classic']) {
      await send('DELETE', `/indexes/${index}`, undefined, MASTER)
    }
    await server.idle()
  })

  test.each([
    ['listIndexes', { limit: -1 }, -32602, 'invalid_index_limit'],
    ['listIndexes', { limit: 'many' }, -32602, 'bad_request'],
    ['listIndexes', { page: 1 }, -32602, 'bad_request'],
    ['describeIndex', {}, -32602, 'bad_request'],
    ['describeIndex', { indexUid: 'shop', limit: 900 }, -32602, 'bad_request'],
    ['describeIndex', { indexUid: 'none' }, -32602, 'index_not_found'],
    ['describeIndex', { indexUid: '../keys' }, -32602, 'invalid_index_uid'],
    ['searchInIndexes', { queries: [{}] }, -32602, 'missing_index_uid'],
    ['searchInIndexes', { queries: 1 }, -32602, 'bad_request'],
    ['facetSearch', { indexUid: 'shop' }, -32602, 'missing_facet_search_facet_name'],
    ['facetSearch', { indexUid: 5 }, -32602, 'bad_request'],
  ] as const)('%s of %j is refused', async (name, given, code, errorName) => {
    const { status, body } = await call(name, given)
    expect(status).toBe(200)
    expect(body.error).toMatchObject({ code, data: { errorName } })
  })

  test('a tool needs the right of its route', async () => {
    const refused = { code: -32603, data: { statusCode: 403, errorName: 'invalid_api_key' } }
    for (const key of [keys['tenant']!, keys['nothing']!, keys['wrong']!]) {
      expect((await call('listIndexes', {}, key)).body.error).toMatchObject(refused)
      expect((await call('describeIndex', { indexUid: 'shop' }, key)).body.error).toMatchObject(
        refused,
      )
    }
  })

  test('the rules of a tenant token hold', async () => {
    const queries = [{ indexUid: 'shop', q: '' }]
    const found = await answerOf('searchInIndexes', { queries }, keys['tenant'])
    expect(JSON.stringify(found)).not.toContain(SECRET)
    expect(found).toMatchObject({ results: [{ hits: [{ id: 1 }] }] })
    const facet = { indexUid: 'shop', facetName: 'kind' }
    expect(await answerOf('facetSearch', facet, keys['tenant'])).toMatchObject({
      facetHits: [{ value: 'mug' }],
    })
  })

  test('an answer that is too large is refused', async () => {
    const name = 'x'.repeat(TOOL_ANSWER_BYTES_MAX / 4)
    const documents = [1, 2, 3, 4, 5].map((id) => ({ id, name }))
    await send('POST', '/indexes/large/documents', documents, MASTER)
    await server.idle()
    expect((await call('describeIndex', { indexUid: 'large' })).body.error).toMatchObject({
      data: { errorName: 'answer_too_large' },
    })
    await fetch(`${server.url}/indexes/large`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${MASTER}` },
    })
  })
})

test('two thousand hostile messages show nothing and fail nothing', async () => {
  const { pick, message } = hostile(1)
  const senders = ['nothing', 'wrong', 'tenant', 'forged', 'elsewhere'] as const
  const statuses = new Set<number>()
  for (let round = 0; round < 100; round++) {
    const sent = Array.from({ length: 20 }, () => ({ of: message(), by: pick(senders) }))
    const answers = await Promise.all(sent.map(({ of, by }) => say(of, keys[by])))
    answers.forEach(({ status, text }, i) => {
      statuses.add(status)
      const { of, by } = sent[i]!
      const what = `${by}: ${JSON.stringify(of)} → ${status} ${text}`
      expect(status, what).toBeLessThan(500)
      // A query or a name that holds the secret is repeated in the answer; documents are not.
      if (!JSON.stringify(of).includes(SECRET)) expect(text, what).not.toContain(SECRET)
      expect(text, what).not.toContain('"internal"')
      expect(text, what).not.toContain('    at ')
    })
  }
  expect([...statuses].sort()).toEqual([200, 202, 400])
  expect((await say(request('ping'))).status).toBe(200)
})

/** Makes messages that are wrong in places: in their form, their names, their filters. */
function hostile(seed: number) {
  const random = randomOf(seed)
  const pick = <T>(from: readonly T[]): T => from[random.below(from.length)]!
  const deep = '['.repeat(300) + ']'.repeat(300)
  const odd = (): unknown =>
    pick<unknown>([null, true, -1, 1e308, '', '*', '../x', {}, [], [[]], { __proto__: null }, '\0'])
  const index = (): unknown => pick<unknown>(['shop', 'hidden', '*', 'shop/../hidden', odd()])
  const filter = (): unknown =>
    pick<unknown>([
      'tenant = 2',
      'tenant = 1 OR tenant = 2',
      ['tenant = 2', ['tenant EXISTS']],
      `NOT (tenant = 1)`,
      '_foreign(hidden, id = 1)',
      '((((',
      odd(),
    ])
  const query = (): unknown =>
    pick<() => unknown>([
      () => ({ indexUid: index(), q: pick(['', 'red', 'mug']), filter: filter() }),
      () => ({ indexUid: index(), facets: ['*'], attributesToRetrieve: ['*'], limit: 1e9 }),
      () => ({ indexUid: index(), federationOptions: { remote: 'x', weight: odd() } }),
      () => ({ indexUid: index(), hybrid: odd(), vector: odd(), useNetwork: pick([true, false]) }),
      odd,
    ])()
  const given = (): unknown =>
    pick<() => unknown>([
      () => ({ queries: Array.from({ length: random.below(4) }, query) }),
      () => ({ queries: [query()], federation: { facetsByIndex: { hidden: ['kind'] } } }),
      () => ({ queries: [query()], federation: odd() }),
      () => ({ indexUid: index(), facetName: pick(['kind', 'name', 'tenant']), filter: filter() }),
      () => ({ indexUid: index(), facetQuery: odd(), facetName: odd() }),
      () => ({ indexUid: index() }),
      () => ({ offset: odd(), limit: odd() }),
      odd,
    ])()
  const name = (): unknown =>
    pick<unknown>(['listIndexes', 'describeIndex', 'searchInIndexes', 'facetSearch', 'keys', odd()])
  const method = (): unknown =>
    pick<unknown>(['tools/call', 'tools/call', 'tools/list', 'server/discover', 'x', odd()])
  const params = (): unknown =>
    pick<() => unknown>([
      () => ({ name: name(), arguments: given() }),
      () => ({ name: name(), arguments: given(), _meta: pick<unknown>([VERSION, odd()]) }),
      odd,
    ])()
  const message = (): unknown =>
    pick<() => unknown>([
      () => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: params() }),
      () => ({
        jsonrpc: '2.0',
        id: pick<unknown>([1, 'a', odd()]),
        method: method(),
        params: params(),
      }),
      () => ({ jsonrpc: '2.0', method: method(), params: params() }),
      () => ({ jsonrpc: pick<unknown>(['2.0', '1.0', odd()]), id: 1, method: method() }),
      () => [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }],
      () =>
        JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: params() }).slice(1),
      () =>
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"facetSearch","arguments":${deep}}}`,
      odd,
    ])()
  return { pick, message }
}
