// Routes of administration on a server with a master key: keys, webhooks, workspaces of chats, tasks,
// rules, and the features that routes need.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../testing/test-server.ts'

const MASTER = 'a-master-key-for-tests-only'
const LAUNCH = '00000000-0000-0000-0000-000000000000'
const LAUNCH_URL = 'http://127.0.0.1:9/launch'
const FEATURES = [
  'chatCompletions',
  'dynamicSearchRules',
  'getTaskDocumentsRoute',
  'logsRoute',
  'mcpRoute',
  'metrics',
  'network',
  'taskQueueCompactionRoute',
  'tasksStreamingRoute',
]

let server: TestServer
beforeAll(async () => {
  server = await startServer({ MASTER_KEY: MASTER, TASK_WEBHOOK_URL: LAUNCH_URL })
})
afterAll(() => server.stop())

async function send(method: string, path: string, body?: unknown, key = MASTER) {
  const answer = await fetch(server.url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type') === 'application/json'
  return { status: answer.status, body: isJson ? (JSON.parse(text) as unknown) : text }
}

/** The code of a refusal, and its message. */
const refused = async (...request: Parameters<typeof send>) => {
  const { status, body } = await send(...request)
  const { code, message } = body as { readonly code: string; readonly message: string }
  return [status, code, message]
}

test('a key is found by its id and by its text, changed and deleted', async () => {
  const actions = ['search', 'network.get', 'metrics.get']
  const given = { name: 'shop', actions, indexes: ['*'], expiresAt: null }
  const { status, body } = await send('POST', '/keys', given)
  const { uid, key } = body as { readonly uid: string; readonly key: string }
  expect([status, body]).toMatchObject([201, { ...given, description: null }])
  for (const name of [uid, uid.toUpperCase(), key, key.toUpperCase()]) {
    expect(await send('GET', `/keys/${name}`)).toEqual({ status: 200, body })
  }
  expect(await send('PATCH', `/keys/${key}`, { name: 'mall' })).toMatchObject({
    status: 200,
    body: { name: 'mall', uid, key },
  })
  const { body: page } = await send('GET', '/keys?limit=2&offset=1')
  expect(page).toMatchObject({ limit: 2, offset: 1, total: 5 })
  expect((page as { readonly results: unknown[] }).results).toHaveLength(2)
  expect(await send('DELETE', `/keys/${uid}`)).toMatchObject({ status: 204 })
  for (const name of [uid, key, 'nothing', MASTER]) {
    const words = `API key \`${name}\` not found.`
    expect(await refused('GET', `/keys/${name}`)).toEqual([404, 'api_key_not_found', words])
  }
})

test('a webhook keeps the headers that a change does not name; that of the start stays', async () => {
  const url = 'http://127.0.0.1:9/x'
  const { status, body } = await send('POST', '/webhooks', { url, headers: { a: 'b', c: 'd' } })
  const { uuid } = body as { readonly uuid: string }
  const made = { uuid, isEditable: true, url, headers: { a: 'b', c: 'd' } }
  const launch = { uuid: LAUNCH, isEditable: false, url: LAUNCH_URL, headers: {} }
  expect([status, body]).toEqual([201, made])
  expect((await send('GET', '/webhooks')).body).toEqual({ results: [launch, made] })
  const changed = { ...made, url: `${url}/y`, headers: { c: 'd' } }
  const path = `/webhooks/${uuid}`
  expect(await send('PATCH', path, { url: `${url}/y`, headers: { a: null } })).toEqual({
    status: 200,
    body: changed,
  })
  for (const [patch, code] of [
    [{ url: 'x' }, 'invalid_webhook_url'],
    [{ url: null }, 'invalid_webhook_url'],
    [{ headers: { 'a b': 'c' } }, 'invalid_webhook_headers'],
  ] as const) {
    expect((await refused('PATCH', path, patch)).slice(0, 2)).toEqual([400, code])
  }
  expect(await send('GET', path)).toEqual({ status: 200, body: changed })
  expect(await send('DELETE', path)).toEqual({ status: 204, body: '' })
  const words = `Webhook \`${uuid}\` not found.`
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const patch = method === 'PATCH' ? { url } : undefined
    expect(await refused(method, path, patch)).toEqual([404, 'webhook_not_found', words])
    if (method === 'GET') continue
    expect(await refused(method, `/webhooks/${LAUNCH}`, patch)).toEqual([
      400,
      'immutable_webhook',
      `Webhook \`${LAUNCH}\` is immutable. The webhook defined from the command line cannot be ` +
        'modified using the API.',
    ])
  }
  expect(await refused('GET', '/webhooks/x')).toEqual([
    400,
    'invalid_webhook_uuid',
    'Invalid UUID: invalid character: found `x` at 0',
  ])
})

test.each([
  ['GET', '/chats', 'listing the chats'],
  ['GET', '/chats/w', 'displaying a chat'],
  ['DELETE', '/chats/w', 'deleting a chat'],
  ['GET', '/chats/w/settings', 'using the /chats/settings route'],
  ['PATCH', '/chats/w/settings', 'using the /chats/settings route'],
  ['DELETE', '/chats/w/settings', 'using the /chats/settings route'],
  ['GET', '/tasks/0/documents', 'Getting the documents of an enqueued task'],
  ['POST', '/tasks/compact', 'Using the /tasks/compact route'],
  ['GET', '/tasks/stream', 'Using the /tasks/stream route'],
  ['GET', '/batches/stream', 'Using the /batches/stream route'],
  ['GET', '/metrics', 'Getting metrics'],
  ['GET', '/network', 'Using the /network route'],
  ['PATCH', '/network', 'Using the /network route'],
  ['GET', '/network/status', 'Using the /network/status route'],
  ['GET', '/network/replicas', 'Using the /network/replicas route'],
  ['POST', '/network/plan', 'Using the /network/plan route'],
  ['POST', '/network/repair', 'Using the /network/repair route'],
  ['GET', '/dynamic-search-rules/x', 'Calling the `GET /dynamic-search-rules/{:ruleUid}` route'],
  ['POST', '/dynamic-search-rules', 'Calling the `POST /dynamic-search-rules` route'],
])('%s %s needs its feature', async (method, path, action) => {
  await send('PATCH', '/experimental-features', Object.fromEntries(FEATURES.map((f) => [f, false])))
  const body = ['GET', 'DELETE'].includes(method) ? undefined : {}
  expect(await refused(method, path, body)).toEqual([
    400,
    'feature_not_enabled',
    expect.stringContaining(`${action} requires enabling the `),
  ])
})

describe('with all features', () => {
  beforeAll(async () => {
    const all = Object.fromEntries(FEATURES.map((name) => [name, true]))
    expect(await send('PATCH', '/experimental-features', all)).toMatchObject({ status: 200 })
  })

  test('the workspace of a chat hides its key, and is reset and deleted', async () => {
    const given = {
      source: 'openAi',
      apiKey: 'secret-key-of-a-model',
      prompts: { system: 'be brief' },
    }
    const changed = await send('PATCH', '/chats/w/settings', given)
    expect(changed).toMatchObject({ status: 200, body: { ...given, apiKey: 'secXXXXX...' } })
    expect(await send('GET', '/chats/w/settings')).toEqual(changed)
    const page = { results: [{ uid: 'w' }], offset: 0, limit: 1, total: 1 }
    expect((await send('GET', '/chats?limit=1')).body).toEqual(page)
    expect((await send('GET', '/chats?offset=1')).body).toMatchObject({ results: [], total: 1 })
    expect(await send('GET', '/chats/w')).toEqual({ status: 200, body: { uid: 'w' } })
    const reset = await send('DELETE', '/chats/w/settings')
    expect(reset).toMatchObject({ status: 200, body: { apiKey: null } })
    expect(JSON.stringify(reset.body)).not.toContain('be brief')
    const question = { model: 'm', messages: [{ role: 'user', content: 'x' }] }
    const tool = (name: string) => ({ tools: [{ type: 'function', function: { name } }] })
    for (const [workspace, more, refusal] of [
      [
        'w',
        { n: 2 },
        [
          501,
          'unimplemented_multi_choice_chat_completions',
          'You tried to specify n = 2 but only single choices are supported (n = 1).',
        ],
      ],
      ['v', {}, [404, 'chat_not_found', 'Chat `v` not found']],
      [
        'w',
        tool('_meiliSearchInIndex'),
        [400, 'bad_request', '_meiliSearchInIndex function is already defined.'],
      ],
      [
        'w',
        tool('other'),
        [
          501,
          'unimplemented_external_function_calling',
          'other: External functions are not supported yet.',
        ],
      ],
    ] as const) {
      const path = `/chats/${workspace}/chat/completions`
      expect(await refused('POST', path, { ...question, ...more })).toEqual(refusal)
    }
    expect(await send('DELETE', '/chats/w')).toEqual({ status: 204, body: '' })
    for (const method of ['GET', 'DELETE']) {
      const words = 'chat w not found'
      expect(await refused(method, '/chats/w')).toEqual([404, 'chat_not_found', words])
    }
    expect((await refused('GET', '/chats/a%20b')).slice(0, 2)).toEqual([400, 'invalid_index_uid'])
  })

  test('keys of remotes are shown to those who may change them', async () => {
    const { body } = await send('POST', '/keys', {
      actions: ['network.get', 'metrics.get'],
      indexes: ['*'],
      expiresAt: null,
    })
    const { key } = body as { readonly key: string }
    const a = {
      url: 'http://127.0.0.1:9',
      searchApiKey: 'search-key-secret',
      writeApiKey: 'write-key-secret',
    }
    await send('PATCH', '/network', { self: 'a', remotes: { a } })
    const seen = async (by: string) => (await send('GET', '/network', undefined, by)).body
    expect(await seen(MASTER)).toMatchObject({ remotes: { a } })
    expect(await seen(key)).toMatchObject({
      remotes: { a: { ...a, searchApiKey: 'seXXXX...', writeApiKey: 'wrXXXX...' } },
    })
    expect((await send('GET', '/network/status')).body).toMatchObject({
      self: 'a',
      leader: null,
      remotes: { a: { isSelf: true, isLeader: false, backlog: null } },
    })
    expect((await send('GET', '/metrics', undefined, key)).body).toContain(
      'svc_http_requests_total',
    )
    await send('PATCH', '/network', { self: null, remotes: null })
  })

  test('rules are filtered by the beginnings of words, and by whether they are active', async () => {
    const pin = { selector: { indexUid: 'a', id: '1' }, action: { type: 'pin', position: 0 } }
    const rule = { description: 'Summer sale', active: true, conditions: {}, actions: [pin] }
    await send('PATCH', '/dynamic-search-rules/promo', rule)
    await server.idle()
    const found = async (filter: object) => {
      const { body } = await send('POST', '/dynamic-search-rules', { filter })
      return (body as { readonly results: { uid: string }[] }).results.map(({ uid }) => uid)
    }
    expect(await found({})).toEqual(['promo'])
    expect(await found({ query: 'SAL summ' })).toEqual(['promo'])
    expect(await found({ query: 'summer ale' })).toEqual([])
    expect(await found({ active: false })).toEqual([])
    expect(await found({ active: true, query: 's' })).toEqual(['promo'])
    expect(await send('GET', '/dynamic-search-rules/promo')).toMatchObject({
      status: 200,
      body: { uid: 'promo', active: true, description: 'Summer sale' },
    })
    expect(await refused('GET', '/dynamic-search-rules/none')).toEqual([
      404,
      'dynamic_search_rule_not_found',
      'Dynamic search rule `none` not found.',
    ])
  })

  test('templates of settings are checked before a task is made', async () => {
    const e = { source: 'ollama', model: 'm', documentTemplate: '{{ x' }
    const patch = { embedders: { e } }
    expect(await refused('PATCH', '/indexes/films/settings', patch)).toEqual([
      400,
      'invalid_settings_embedders',
      expect.stringMatching(/^`\.embedders\.e\.documentTemplate`: Invalid template: /),
    ])
    expect((await send('GET', '/tasks?indexUids=films')).body).toMatchObject({ total: 0 })
  })

  test('logs, and the protocol for models, answer', async () => {
    expect(await send('POST', '/logs/stderr', { target: 'info' })).toEqual({
      status: 204,
      body: '',
    })
    const ping = { jsonrpc: '2.0', id: 1 }
    expect(await send('POST', '/mcp', { ...ping, method: 'ping' })).toEqual({
      status: 200,
      body: { ...ping, result: {} },
    })
  })

  test('after the list of tasks is compacted, the server wants a restart', async () => {
    expect(await send('GET', '/health')).toEqual({ status: 200, body: { status: 'available' } })
    expect(await send('POST', '/tasks/compact')).toEqual({
      status: 200,
      body: {
        preSize: expect.any(Number),
        postSize: expect.any(Number),
        status: 'succeeded',
        actionRequired: 'you must restart your instance',
      },
    })
    expect(await send('GET', '/health')).toEqual({ status: 500, body: { status: 'mustRestart' } })
  })
})
