// A network as seen from one instance: searches that use it, hits that name their remote, and
// remotes that cannot be reached. Also chat workspaces, whose keys are never shown.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from './test-server.ts'

type Body = { readonly [member: string]: unknown }

let server: TestServer

beforeAll(async () => {
  server = await startServer()
  await server.ask('PATCH', '/experimental-features', { network: true, chatCompletions: true })
  await server.ask('POST', '/indexes/parks/documents', [{ id: 1, name: 'Otter' }])
  await server.idle()
})

afterAll(async () => {
  await server.stop()
})

const ask = async (method: string, path: string, body?: unknown): Promise<Body> => {
  const answer = await server.ask(method, path, body)
  return { status: answer.status, ...(answer.body as object) }
}
const search = (body: object) => ask('POST', '/indexes/parks/search', body)
const here = { indexUid: 'parks', queriesPosition: 0, remote: 'here' }

test('answers a search with `useNetwork` for this instance', async () => {
  expect(await search({ useNetwork: true })).toMatchObject({ hits: [], estimatedTotalHits: 0 })
  const remotes = { here: { url: 'http://a' }, there: { url: 'http://b' } }
  await ask('PATCH', '/network', { self: 'here', addRemotes: remotes })
  const answer = await search({ useNetwork: true, q: 'otter' })
  expect(answer).toMatchObject({
    hits: [{ id: 1, _federation: here }],
    remoteErrors: { there: { code: 'remote_could_not_send_request', type: 'system' } },
  })
  expect((await search({ useNetwork: false })).hits).toEqual([{ id: 1, name: 'Otter' }])
  const queries = [{ indexUid: 'parks', useNetwork: true }, { indexUid: 'parks' }]
  const { results } = await ask('POST', '/multi-search', { queries })
  expect(results).toMatchObject([
    { hits: [{ _federation: here }], remoteErrors: { there: {} } },
    { hits: [{ id: 1, name: 'Otter' }] },
  ])
  const fetched = await ask('POST', '/indexes/parks/documents/fetch', { useNetwork: true })
  expect(fetched).toMatchObject({ total: 1, remoteErrors: { there: {} } })
  expect(fetched.results).toEqual([{ id: 1, name: 'Otter' }])
  await ask('PATCH', '/network', { removeRemotes: ['here'] })
  const elsewhere = await ask('POST', '/indexes/parks/documents/fetch', { useNetwork: true })
  expect(elsewhere).toMatchObject({ results: [], total: 0, remoteErrors: { there: {} } })
  expect(await search({ useNetwork: true })).toMatchObject({
    hits: [],
    remoteErrors: { there: {} },
  })
})

test('sends each query of a federation to one instance', async () => {
  const federated = (...options: readonly object[]) =>
    ask('POST', '/multi-search', {
      federation: {},
      queries: options.map((federationOptions) => ({ indexUid: 'parks', federationOptions })),
    })
  const own = await federated({ remote: 'here' })
  expect(own).toMatchObject({ hits: [{ _federation: here }], remoteErrors: {} })
  expect(await federated({ remote: 'there' })).toMatchObject({
    hits: [],
    remoteErrors: { there: {} },
  })
  const both = await federated({ remote: 'there' }, { weight: 1 })
  expect(both.hits).toMatchObject([{ _federation: { ...here, queriesPosition: 1 } }])
  expect(both.remoteErrors).toHaveProperty('there')
  expect(await federated({ weight: 1 })).not.toHaveProperty('remoteErrors')
  expect(await federated({}, { remote: 'nobody' })).toMatchObject({
    status: 400,
    message:
      'Inside `.queries[1]`: Invalid `.federation_options.remote`: remote `nobody` is not registered',
  })
})

test('changes a network under a new version, or not at all', async () => {
  const before = await ask('GET', '/network')
  expect(before.version).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
  for (const body of [{ remotes: { n: {} } }, { leader: 'x' }, { previousRemotes: {} }, [], 1]) {
    expect((await ask('PATCH', '/network', body)).status).toBe(400)
  }
  const shards = { s: { remotes: ['here'] } }
  const led = { self: 'here', leader: 'here', remotes: { here: { url: 'http://a' } }, shards }
  // No server listens at the address of this instance.
  const unreachable = { code: 'remote_could_not_send_request', status: 502 }
  expect(await ask('PATCH', '/network', led)).toMatchObject(unreachable)
  expect(await ask('GET', '/network')).toEqual(before)
  const after = await ask('PATCH', '/network', {})
  expect(String(after.version) > String(before.version)).toBe(true)
})

test('masks keys of workspaces in every answer', async () => {
  const apiKey = 'a-very-secret-key-of-mine'
  const answers = [
    await ask('PATCH', '/chats/a/settings', { apiKey }),
    await ask('PATCH', '/chats/a/settings', { orgId: 'o' }),
    await ask('GET', '/chats/a/settings'),
  ]
  for (const answer of answers) {
    expect(answer.apiKey).toBe('a-vXXXXX...')
    expect(JSON.stringify(answer)).not.toContain(apiKey)
  }
  expect(await ask('DELETE', '/chats/a/settings')).toMatchObject({ apiKey: null })
  expect((await ask('DELETE', '/chats/a')).status).toBe(204)
})

test.each([
  [{}, 400, 'bad_request'],
  [{ model: 'm', messages: [] }, 502, 'remote_could_not_send_request'],
  [
    { model: 'm', messages: [], stream: true, n: 3 },
    501,
    'unimplemented_multi_choice_chat_completions',
  ],
  [{ model: 'm', messages: [], stream: true, n: 1, temperature: 'hot' }, 400, 'bad_request'],
  [{ model: 'm', messages: [], stream: 'yes' }, 400, 'bad_request'],
  [{ model: 'm', messages: [], stream: true, tools: [1] }, 400, 'bad_request'],
  [
    { model: 'm', messages: [], stream: true, tools: [{ function: { name: 'mine' } }] },
    501,
    'unimplemented_external_function_calling',
  ],
  [
    {
      model: 'm',
      messages: [],
      stream: true,
      tools: [{ function: { name: '_meiliSearchInIndex' } }],
    },
    400,
    'bad_request',
  ],
])('answers a completion %j with %i %s', async (body, status, code) => {
  await ask('PATCH', '/chats/c/settings', { baseUrl: 'http://127.0.0.1:9' })
  expect(await ask('POST', '/chats/c/chat/completions', body)).toMatchObject({ status, code })
})
