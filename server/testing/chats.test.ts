// Chat completions end to end: a client, the server, and a scripted provider.

import { createHmac } from 'node:crypto'
import { request as requestHttp } from 'node:http'
import OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { KiB, MiB } from '../../format/bytes/index.ts'
import {
  type ChatProvider,
  calls,
  chunkOf,
  eventOf,
  says,
  startChatProvider,
  streams,
} from './test-chat-provider.ts'
import { startServer, type TestServer } from './test-server.ts'

const MASTER = 'a-master-key-of-sixteen'
const SEARCH = '_meiliSearchInIndex'
const REPORTS = ['_meiliSearchProgress', '_meiliSearchSources', '_meiliAppendConversationMessage']
const TOOLS = REPORTS.map((name) => ({ type: 'function', function: { name } }))
const CARS = [
  { id: 1, name: 'Red car', price: 9000, colour: 'red', secret: 'x1' },
  { id: 2, name: 'Blue car', price: 4000, colour: 'blue', secret: 'x2' },
]

let server: TestServer
let provider: ChatProvider

/** Sends a request with the master key. */
async function ask(method: string, path: string, body?: unknown, key = MASTER): Promise<Response> {
  return fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  })
}

const json = async (response: Promise<Response>): Promise<Record<string, unknown>> =>
  (await (await response).json()) as Record<string, unknown>

beforeAll(async () => {
  provider = await startChatProvider()
  server = await startServer({ MASTER_KEY: MASTER })
  await ask('PATCH', '/experimental-features', { chatCompletions: true })
  await ask('PATCH', '/indexes/cars/settings', {
    filterableAttributes: ['price', 'colour'],
    displayedAttributes: ['id', 'name', 'price', 'colour'],
    chat: { description: 'All cars', documentTemplate: '{{doc.name}}, {{doc.secret}}' },
  })
  await ask('POST', '/indexes/cars/documents', CARS)
  await ask('POST', '/indexes/boats/documents', [{ id: 1, name: 'Canoe' }])
  await server.idle()
  const apiKey = 'sk-very-secret'
  await ask('PATCH', '/chats/main/settings', { baseUrl: `${provider.url}/v1`, apiKey })
})

afterEach(() => {
  provider.answer()
  ;(provider.requests as unknown[]).length = 0
})

afterAll(async () => {
  await server.stop()
  await provider.stop()
})

const USER = [{ role: 'user', content: 'Which cars?' }]

type Event = Record<string, unknown> & {
  readonly choices?: readonly {
    readonly delta: {
      readonly content?: string | null
      readonly tool_calls?: readonly { readonly function: { name: string; arguments: string } }[]
    }
  }[]
  readonly error?: Record<string, unknown>
}

async function eventsOf(response: Response): Promise<readonly (Event | string)[]> {
  const blocks = (await response.text()).split('\n\n').filter((block) => block !== '')
  return blocks.map((block) => {
    if (!block.startsWith('data: {')) return block
    return JSON.parse(block.slice('data: '.length)) as Event
  })
}

const complete = async (more: object = {}, key = MASTER): Promise<readonly (Event | string)[]> => {
  const body = { model: 'gpt-4o', stream: true, messages: USER, ...more }
  const response = await ask('POST', '/chats/main/chat/completions', body, key)
  expect(response.status).toBe(200)
  return eventsOf(response)
}

const errorsIn = (events: readonly (Event | string)[]): readonly unknown[] =>
  events.flatMap((event) => (typeof event === 'object' && event.error ? [event.error] : []))

const textIn = (events: readonly (Event | string)[]): string =>
  events
    .map((event) => (typeof event === 'object' ? (event.choices?.[0]?.delta.content ?? '') : ''))
    .join('')

const reportsIn = (events: readonly (Event | string)[]): readonly (readonly [string, unknown])[] =>
  events.flatMap((event) => {
    const called = typeof event === 'object' ? event.choices?.[0]?.delta.tool_calls : undefined
    return (called ?? []).map(({ function: { name, arguments: given } }): [string, unknown] => [
      name,
      JSON.parse(given),
    ])
  })

const lastMessages = (round: number): readonly unknown[] =>
  provider.requests[round]!.body.messages.slice(USER.length + 1)

describe('a stream', () => {
  test('forbids proxies to cache or buffer it, and begins with the time to reconnect after', async () => {
    provider.answer(says('Two ', 'cars.'))
    const body = { model: 'gpt-4o', stream: true, messages: USER }
    const response = await ask('POST', '/chats/main/chat/completions', body)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'x-accel-buffering': 'no',
      'cache-control': 'no-cache',
    })
    const events = await eventsOf(response)
    expect([events[0], events.at(-1)]).toEqual(['retry: 10000', 'data: [DONE]'])
    expect(textIn(events)).toBe('Two cars.')
    expect(JSON.stringify(events)).not.toContain('usage":{')
  })

  test('passes text on as the model sends it', async () => {
    let goOn = (): void => undefined
    provider.answer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(eventOf(chunkOf({ content: 'first' })))
      goOn = () => response.end(eventOf(chunkOf({ content: 'last' }, 'stop')))
    })
    const body = { model: 'm', stream: true, messages: USER }
    const response = await ask('POST', '/chats/main/chat/completions', body)
    const reader = response.body!.getReader()
    let text = ''
    while (!text.includes('first')) text += Buffer.from((await reader.read()).value!).toString()
    goOn()
    while (!text.includes('[DONE]')) text += Buffer.from((await reader.read()).value!).toString()
    expect(text).toContain('last')
  })
})

describe('searching', () => {
  test('gives the model whole documents, and the client only displayed fields', async () => {
    provider.answer(calls([SEARCH, { index_uid: 'cars', q: 'red', filter: '' }]), says('Red.'))
    const events = await complete({ tools: TOOLS })
    expect(textIn(events)).toBe('Red.')
    const { secret: _, ...shown } = CARS[0]!
    const tool = { role: 'tool', content: 'Red car, x1', tool_call_id: 'call_0' }
    const reports = reportsIn(events)
    expect(reports.map(([name]) => name)).toEqual([
      ...REPORTS.slice(0, 1),
      REPORTS[2],
      REPORTS[1],
      REPORTS[2],
    ])
    expect(reports[2]![1]).toEqual({ call_id: 'call_0', sources: [shown] })
    expect(reports[3]![1]).toEqual(tool)
    expect(lastMessages(1)).toEqual([expect.objectContaining({ role: 'assistant' }), tool])
  })

  test('finds documents with any word of a question where `bm25` ranks them', async () => {
    const asked = async (): Promise<string> => {
      const question = { index_uid: 'boats', q: 'which canoe would you buy', filter: '' }
      provider.answer(calls([SEARCH, question]), says('So.'))
      ;(provider.requests as unknown[]).length = 0
      await complete({ tools: TOOLS })
      return JSON.stringify(lastMessages(1).slice(1))
    }
    expect(await asked()).not.toContain('Canoe')
    await ask('PUT', '/indexes/boats/settings/ranking-rules', ['bm25'])
    await server.idle()
    expect(await asked()).toContain('Canoe')
    const searchParameters = { matchingStrategy: 'last' }
    await ask('PATCH', '/indexes/boats/settings', { chat: { searchParameters } })
    await server.idle()
    expect(await asked()).not.toContain('Canoe')
    await ask('PATCH', '/indexes/boats/settings', { chat: null, rankingRules: null })
    await server.idle()
  })

  test('searches with the query syntax that the settings of the index choose', async () => {
    const asked = async (): Promise<string> => {
      provider.answer(
        calls([SEARCH, { index_uid: 'boats', q: 'submarine OR canoe', filter: '' }]),
        says('So.'),
      )
      ;(provider.requests as unknown[]).length = 0
      await complete({ tools: TOOLS })
      return JSON.stringify(lastMessages(1).slice(1))
    }
    expect(await asked()).not.toContain('Canoe')
    const change = async (searchParameters: object): Promise<unknown> => {
      const answer = await json(
        ask('PATCH', '/indexes/boats/settings', { chat: { searchParameters } }),
      )
      await server.idle()
      return answer['code'] ?? answer['status']
    }
    expect(await change({ querySyntax: 'boolean' })).toBe('enqueued')
    expect(await asked()).toContain('Canoe')
    const hybrid = { embedder: 'e', fusion: 'rrf' }
    expect(await change({ hybrid, querySyntax: null })).toBe('enqueued')
    expect(await json(ask('GET', '/indexes/boats/settings/chat'))).toMatchObject({
      searchParameters: { hybrid: { embedder: 'e', semanticRatio: 0.5, fusion: 'rrf' } },
    })
    expect(await change({ querySyntax: 'fancy' })).toBe('invalid_settings_index_chat')
    await ask('PATCH', '/indexes/boats/settings', { chat: null })
    await server.idle()
  })

  test('describes indexes and the most frequent values of their fields to the model', async () => {
    await complete()
    const definition = JSON.stringify(provider.requests[0]!.body.tools)
    expect(definition).toContain('- cars: All cars')
    expect(definition).toContain('colour: red, blue.\\nprice: 9000, 4000.')
    expect(definition).toContain('"enum":["boats","cars"]')
  })

  test('continues after an invalid search, and reports the reason to the model', async () => {
    provider.answer(
      calls(
        [SEARCH, { index_uid: 'cars', q: '', filter: 'nope = 1' }],
        [SEARCH, { index_uid: 'cars', q: '', filter: 'price >' }],
        [SEARCH, { index_uid: 'none', q: '', filter: '' }],
        [SEARCH, '{"index_uid"'],
        [SEARCH, { q: 'x' }],
        ['weather', {}],
      ),
      says('So.'),
    )
    const events = await complete()
    expect(textIn(events)).toBe('So.')
    const contents = lastMessages(1).slice(1) as readonly { readonly content: string }[]
    expect(contents.map(({ content }) => content.split('\n')[0])).toEqual([
      'Attribute `nope` is not filterable. Available filterable attribute patterns are: `colour`, `price`.',
      'the search tool call failed with Index `cars`: Was expecting a value but instead got nothing.',
      'the search tool call failed with Index `none` not found.',
      expect.stringContaining('the arguments are not JSON'),
      '`index_uid` should be a text',
    ])
    expect(errorsIn(events)).toMatchObject([
      { type: 'response_error', code: '400' },
      { type: 'response_error', code: '404' },
    ])
  })

  test('ends after twenty rounds', async () => {
    provider.answer(...Array.from({ length: 30 }, () => calls([SEARCH, { index_uid: 'cars' }])))
    const events = await complete()
    expect(provider.requests).toHaveLength(20)
    expect(events.at(-1)).toBe('data: [DONE]')
  })

  test('runs calls that arrive in one chunk with the finish reason', async () => {
    const call = { index: 0, id: 'c', type: 'function' }
    const given = JSON.stringify({ index_uid: 'cars', q: 'blue' })
    const piece = { tool_calls: [{ ...call, function: { name: SEARCH, arguments: given } }] }
    provider.answer(streams(chunkOf(piece, 'tool_calls')), says('Blue.'))
    expect(textIn(await complete())).toBe('Blue.')
    expect(lastMessages(1)[1]).toMatchObject({ content: 'Blue car, x2' })
  })
})

describe('rights', () => {
  const keyOf = async (more: object): Promise<{ key: string; uid: string }> =>
    (await json(ask('POST', '/keys', { expiresAt: null, ...more }))) as never
  const tokenOf = ({ key, uid }: { key: string; uid: string }, searchRules: unknown): string => {
    const part = (value: unknown): string =>
      Buffer.from(JSON.stringify(value)).toString('base64url')
    const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ apiKeyUid: uid, searchRules })}`
    return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`
  }
  const content = (): unknown => (lastMessages(1)[1] as { readonly content: unknown }).content

  test('of a key apply to each search', async () => {
    const actions = ['search', 'chatCompletions']
    const { key } = await keyOf({ actions, indexes: ['cars'] })
    provider.answer(calls([SEARCH, { index_uid: 'boats' }]))
    await complete({}, key)
    expect(content()).toBe(
      'the search tool call failed with The API key cannot acces the index `boats`, ' +
        'authorized indexes are ["cars"].',
    )
    expect(JSON.stringify(provider.requests[0]!.body.tools)).not.toContain('boats')
  })

  test('that lack searching leave the model without documents', async () => {
    const { key } = await keyOf({ actions: ['chatCompletions'], indexes: ['*'] })
    provider.answer(calls([SEARCH, { index_uid: 'cars' }]))
    expect(errorsIn(await complete({}, key))).toMatchObject([{ code: '403' }])
    expect(content()).toContain('The provided API key is invalid.')
    expect(JSON.stringify(provider.requests[0]!.body.tools)).not.toContain('blue')
  })

  test('of a tenant token narrow the hits and the descriptions of indexes', async () => {
    const made = await keyOf({ actions: ['search', 'chatCompletions'], indexes: ['*'] })
    const token = tokenOf(made, { cars: { filter: 'colour = blue' } })
    provider.answer(calls([SEARCH, { index_uid: 'cars', filter: 'price > 0' }]))
    await complete({}, token)
    expect(content()).toBe('Blue car, x2')
    const definition = JSON.stringify(provider.requests[0]!.body.tools)
    expect(definition).toContain('colour: blue.')
    expect(definition).not.toMatch(/red[,.]/)
    expect(definition).not.toContain('boats')
  })

  test('end with the key, also during a conversation', async () => {
    const { key, uid } = await keyOf({ actions: ['search', 'chatCompletions'], indexes: ['*'] })
    provider.answer((response, request) => {
      void ask('DELETE', `/keys/${uid}`).then(() =>
        calls([SEARCH, { index_uid: 'cars' }])(response, request),
      )
    })
    expect(errorsIn(await complete({}, key))).toMatchObject([{ code: '403' }])
  })

  test('are an error when no index accepts the filter of the token', async () => {
    const made = await keyOf({ actions: ['search', 'chatCompletions'], indexes: ['*'] })
    const token = tokenOf(made, { cars: { filter: 'nope = 1' } })
    const body = { model: 'm', stream: true, messages: USER }
    const response = await ask('POST', '/chats/main/chat/completions', body, token)
    expect([response.status, (await json(Promise.resolve(response)))['code']]).toEqual([
      400,
      'invalid_search_filter',
    ])
    expect(provider.requests).toHaveLength(0)
  })
})

describe('a provider that', () => {
  const faultOf = async (more?: object): Promise<unknown> => {
    const events = await complete(more)
    expect(events.at(-1)).toBe('data: [DONE]')
    return errorsIn(events)[0]
  }

  test('refuses a request is quoted, without the key', async () => {
    provider.answer((response) => {
      const message = 'Incorrect API key: sk-very-secret'
      response.writeHead(401, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message, type: 'auth', code: 'bad_key' } }))
    })
    expect(await faultOf()).toMatchObject({
      type: 'auth',
      code: 'bad_key',
      message: 'Incorrect API key: XXX...',
    })
  })

  test.each([
    ['answers with a page', 200, 'text/html', '<p>hello</p>', 'reqwest_error'],
    ['redirects', 307, 'text/plain', '', 'reqwest_error'],
    ['breaks JSON', 200, 'text/event-stream', 'data: {"a\n\n', 'json_deserialize_error'],
    [
      'sends a line without an end',
      200,
      'text/event-stream',
      `data: ${'x'.repeat(600_000)}`,
      'parser_error',
    ],
  ] as const)('%s', async (_, status, type, body, fault) => {
    provider.answer((response) => {
      response.writeHead(status, { 'content-type': type, location: `${provider.url}/elsewhere` })
      response.end(body)
    })
    expect(await faultOf()).toMatchObject({ type: fault })
    expect(provider.requests).toHaveLength(1)
  })

  test('cuts its answer short is reported', async () => {
    provider.answer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(eventOf(chunkOf({ content: 'begin' })), () => response.destroy())
    })
    expect(await faultOf()).toMatchObject({ type: 'transport_error' })
  })

  test('never ends its answer is cut off', async () => {
    let written = 0
    provider.answer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const comment = Buffer.alloc(64 * KiB, ':\n')
      const more = (): void => {
        written += comment.length
        if (!response.destroyed) response.write(comment, more)
      }
      more()
    })
    expect(await faultOf()).toMatchObject({ type: 'stream_ended' })
    expect(written).toBeLessThan(80 * MiB)
  })

  test('calls functions too often is stopped', async () => {
    provider.answer(calls(...Array.from({ length: 40 }, () => [SEARCH, {}] as const)))
    expect(await faultOf()).toMatchObject({ type: 'invalid_argument' })
    provider.answer(calls([SEARCH, 'x'.repeat(300_000)]))
    expect(await faultOf()).toMatchObject({ type: 'invalid_argument' })
  })

  test('is not reachable is reported', async () => {
    await ask('PATCH', '/chats/gone/settings', { baseUrl: 'http://127.0.0.1:9/v1' })
    const body = { model: 'm', stream: true, messages: USER }
    const path = '/chats/gone/chat/completions'
    const events = await eventsOf(await ask('POST', path, body))
    expect(errorsIn(events)).toMatchObject([{ type: 'transport_error', code: null }])
    const whole = await ask('POST', path, { ...body, stream: false })
    expect(await whole.json()).toMatchObject({ code: 'remote_could_not_send_request' })
    await ask('PATCH', '/chats/gone/settings', { baseUrl: 'no address' })
    const wrong = await eventsOf(await ask('POST', path, body))
    expect(errorsIn(wrong)).toMatchObject([{ type: 'transport_error' }])
  })
})

test('a client that disconnects cancels the request to the model', async () => {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  provider.answer((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(eventOf(chunkOf({ content: 'begin' })), open)
  })
  const before = provider.aborted()
  const { hostname, port } = new URL(server.url)
  const client = requestHttp({
    hostname,
    port,
    method: 'POST',
    path: '/chats/main/chat/completions',
    headers: { authorization: `Bearer ${MASTER}`, 'content-type': 'application/json' },
  })
  client.on('error', () => undefined)
  client.end(JSON.stringify({ model: 'm', stream: true, messages: USER }))
  await opened
  client.destroy()
  await expect.poll(() => provider.aborted(), { timeout: 10_000 }).toBe(before + 1)
})

describe('without streaming', () => {
  test('an answer is a completion with its usage', async () => {
    provider.answer(calls([SEARCH, { index_uid: 'cars', q: 'red' }]), says('The ', 'red one.'))
    const body = { model: 'gpt-4o', messages: USER }
    const response = await ask('POST', '/chats/main/chat/completions', body)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      id: 'answer',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'The red one.', refusal: null },
          finish_reason: 'stop',
          logprobs: null,
        },
      ],
      usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 },
      service_tier: null,
      system_fingerprint: null,
    })
    expect(provider.requests[1]!.body['stream']).toBe(true)
  })

  test('a refusal by the provider becomes the answer', async () => {
    provider.answer((response) => {
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message: 'no such model', type: 'x' } }))
    })
    const body = { model: 'm', stream: false, messages: USER }
    const response = await ask('POST', '/chats/main/chat/completions', body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      code: 'remote_bad_request',
      message: 'Chat provider: no such model',
    })
  })
})

describe('the official client', () => {
  const client = (): OpenAI =>
    new OpenAI({ apiKey: MASTER, baseURL: `${server.url}/chats/main`, maxRetries: 0 })

  test('reads a stream', async () => {
    provider.answer(calls([SEARCH, { index_uid: 'cars', q: 'car' }]), says('Two ', 'of them.'))
    const stream = await client().chat.completions.create({
      model: 'gpt-4o',
      stream: true,
      messages: [{ role: 'user', content: 'How many?' }],
    })
    let text = ''
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    expect(text).toBe('Two of them.')
  })

  test('gets an answer without streaming, and receives errors', async () => {
    const messages = [{ role: 'user', content: 'Hi' }] as const
    const ask = { model: 'gpt-4o', messages: [...messages] }
    const answer = await client().chat.completions.create(ask)
    expect(answer.choices[0]!.message.content).toBe('Done.')
    await expect(client().chat.completions.create({ ...ask, n: 2 })).rejects.toMatchObject({
      status: 501,
    })
  })
})
