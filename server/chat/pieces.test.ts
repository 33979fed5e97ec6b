// The parts of a conversation one by one: chunks of answers, gathered calls, bodies of requests,
// the search function, refusals of providers, addresses.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChatWorkspace } from '../../engine/index.ts'
import { asIndexUid } from '../../format/ids.ts'
import { ApiError } from '../errors/index.ts'
import type { CompletionRequest } from '../parse/index.ts'
import { ChatError, chatError, errorEvent } from './chat-error.ts'
import { type CallPiece, callChunk, readChunk } from './chunks.ts'
import { completionOf } from './completion.ts'
import type { ChatEvent } from './conversation.ts'
import { endpointOf, leadingRole, reportsUsage } from './endpoint.ts'
import { GatheredCalls } from './gathered-calls.ts'
import {
  ARGUMENTS_LENGTH_MAX,
  CALLS_MAX,
  COLLECTED_LENGTH_MAX,
  QUOTED_LENGTH_MAX,
} from './limits.ts'
import { ModelBody } from './model-body.ts'
import { refusalOf } from './refusal.ts'
import { readArguments, SEARCH_FUNCTION, searchDefinition } from './search-tool.ts'

const PROMPTS = {
  system: 's',
  searchDescription: 'd',
  searchQParam: 'q',
  searchFilterParam: 'f',
  searchIndexUidParam: 'i',
}
const WORKSPACE = {
  source: 'openAi',
  orgId: null,
  projectId: null,
  apiVersion: null,
  deploymentId: null,
  baseUrl: null,
  apiKey: 'secret-key',
  prompts: PROMPTS,
} as ChatWorkspace

const faultOf = (work: () => unknown): ChatError => {
  try {
    work()
  } catch (error) {
    expect(error).toBeInstanceOf(ChatError)
    return error as ChatError
  }
  throw new Error('nothing failed')
}

const orAbsent = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> =>
  fc.oneof(value, fc.constantFrom(null, undefined))

const sentDelta = fc.record({ content: orAbsent(fc.string()), role: orAbsent(fc.string()) })
const sentChunk = fc.record({
  id: fc.string(),
  object: fc.string(),
  model: fc.string(),
  created: fc.nat(),
  choices: fc.array(
    fc.record({ index: fc.nat(3), delta: sentDelta, finish_reason: orAbsent(fc.string()) }),
    { maxLength: 2 },
  ),
  system_fingerprint: orAbsent(fc.string()),
  stray: fc.jsonValue({ maxDepth: 1 }),
})

describe('a chunk', () => {
  test('keeps the known members; absent ones are null, others are dropped', () => {
    fc.assert(
      fc.property(sentChunk, (sent) => {
        const { id, object, model, created, choices, system_fingerprint = null } = sent
        expect(readChunk(JSON.stringify(sent))).toEqual({
          id,
          object,
          model,
          created,
          system_fingerprint,
          service_tier: null,
          usage: null,
          choices: choices.map(({ index, delta, finish_reason = null }) => ({
            index,
            delta: {
              content: delta.content ?? null,
              role: delta.role ?? null,
              function_call: null,
              tool_calls: null,
              refusal: null,
            },
            finish_reason,
            logprobs: null,
          })),
        })
      }),
      { numRuns: 100 },
    )
  })

  test('is refused as a fault of the model when any text arrives in its place', () => {
    const valid = { id: 'a', object: 'o', model: 'm', created: 1, choices: [] }
    const wrong = fc.tuple(fc.constantFrom(...Object.keys(valid)), fc.constantFrom(null, {}, true))
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      wrong.map(([name, value]) => JSON.stringify({ ...valid, [name]: value })),
    )
    fc.assert(
      fc.property(text, (data) => {
        expect(faultOf(() => readChunk(data)).type).toBe('json_deserialize_error')
      }),
      { numRuns: 200 },
    )
    expect(readChunk(JSON.stringify(valid)).choices).toEqual([])
  })

  test.each([
    ['"choices":[{"index":0,"delta":{},"logprobs":DEEP}]', 30_000],
    ['"choices":[{"index":0,"delta":{"function_call":DEEP}}]', 30_000],
    ['"choices":[],"usage":{"prompt_tokens":1e308,"completion_tokens":1,"total_tokens":1}', 0],
    ['"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":-5,"total_tokens":1}', 0],
    ['"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":0.5}', 0],
  ])('with %s is refused', (members, depth) => {
    const deep = `${'{"a":['.repeat(depth)}${']}'.repeat(depth)}`
    const data = `{"id":"a","object":"o","model":"m","created":1,${members.replace('DEEP', deep)}}`
    expect(faultOf(() => readChunk(data)).type).toBe('json_deserialize_error')
  })

  test('that calls a function of the client has the id of the answer and no usage', () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
    const sent = { id: 'a', object: 'o', model: 'm', created: 1, choices: [], usage }
    const chunk = callChunk(readChunk(JSON.stringify(sent)), 'call', 'report', '{}')
    expect(chunk).toMatchObject({ id: 'a', usage: null })
    expect(chunk.choices[0]!.delta.tool_calls).toEqual([
      { index: 0, id: 'call', type: 'function', function: { name: 'report', arguments: '{}' } },
    ])
    expect(readChunk(JSON.stringify(chunk))).toEqual(chunk)
  })
})

describe('calls', () => {
  const call = fc.record({ id: fc.uuid(), name: fc.string(), arguments: fc.string() })

  test('are gathered from pieces in any order of the calls', () => {
    const cuts = fc.array(fc.nat(20), { maxLength: 4 })
    fc.assert(
      fc.property(fc.array(fc.tuple(call, cuts), { maxLength: 5 }), fc.nat(), (cases, seed) => {
        const queues = cases.map(([sent, at], index) => piecesOf(sent, at, index))
        const gathered = new GatheredCalls()
        for (let turn = seed; queues.some((queue) => queue.length > 0); turn++) {
          const piece = queues[turn % queues.length]!.shift()
          if (piece !== undefined) gathered.add([piece])
        }
        expect(gathered.isEmpty).toBe(cases.length === 0)
        expect(gathered.take()).toEqual(cases.map(([sent]) => sent))
        expect(gathered.isEmpty).toBe(true)
      }),
      { numRuns: 100 },
    )
  })

  function piecesOf(
    { id, name, arguments: text }: { id: string; name: string; arguments: string },
    cuts: readonly number[],
    index: number,
  ): CallPiece[] {
    const pieces: CallPiece[] = [{ index, id, function: { name } }]
    let from = 0
    for (const cut of [...cuts].sort((a, b) => a - b)) {
      pieces.push({ index, function: { arguments: text.slice(from, cut) } })
      from = Math.max(from, cut)
    }
    return [...pieces, { index, id: null, function: { arguments: text.slice(from) } }]
  }

  test('are limited in number and in length, and start again after they were taken', () => {
    const gathered = new GatheredCalls()
    const many = Array.from({ length: CALLS_MAX }, (_, index) => ({ index }))
    gathered.add(many)
    expect(faultOf(() => gathered.add([{ index: CALLS_MAX }])).type).toBe('invalid_argument')
    expect(gathered.take()).toHaveLength(CALLS_MAX)
    const half = 'x'.repeat(ARGUMENTS_LENGTH_MAX / 2)
    gathered.add([0, 1].map((index) => ({ index, function: { arguments: half } })))
    const more = [{ index: 2, function: { arguments: 'x' } }]
    expect(faultOf(() => gathered.add(more)).type).toBe('invalid_argument')
    gathered.take()
    gathered.add(more)
    expect(gathered.take()).toHaveLength(1)
  })
})

describe('an answer without streaming', () => {
  const chunkOf = (delta: object, reason: string | null = null): ChatEvent => ({
    kind: 'chunk',
    chunk: readChunk(
      JSON.stringify({
        id: 'a',
        object: 'o',
        model: 'm',
        created: 7,
        choices: [{ index: 0, delta, finish_reason: reason }],
      }),
    ),
  })
  async function* eventsOf(events: readonly ChatEvent[]): AsyncGenerator<ChatEvent> {
    yield* events
  }
  const failureOf = async (events: readonly ChatEvent[]): Promise<ApiError> => {
    const error = await completionOf(eventsOf(events), () => null).catch((one: unknown) => one)
    expect(error).toBeInstanceOf(ApiError)
    return error as ApiError
  }

  test('joins the pieces of the text, and has the last reason and the usage', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string(), { minLength: 1, maxLength: 8 }), async (texts) => {
        const events = texts.map((content) => chunkOf({ content }))
        const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
        const all = [...events, chunkOf({}, 'stop'), chunkOf({})]
        expect(await completionOf(eventsOf(all), () => usage)).toMatchObject({
          id: 'a',
          object: 'chat.completion',
          created: 7,
          model: 'm',
          usage,
          choices: [
            {
              index: 0,
              message: { role: 'assistant', content: texts.join(''), refusal: null },
              finish_reason: 'stop',
            },
          ],
        })
      }),
      { numRuns: 50 },
    )
  })

  test('joins the pieces of a refusal', async () => {
    const pieces = ['no', null, ' way'].map((refusal) => chunkOf({ refusal }))
    expect(await completionOf(eventsOf(pieces), () => null)).toMatchObject({
      choices: [{ message: { content: null, refusal: 'no way' } }],
    })
  })

  test('has the calls of reports, and null for a text that never came', async () => {
    const piece = { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
    const { index: _, ...shown } = piece
    const answer = await completionOf(eventsOf([chunkOf({ tool_calls: [piece] })]), () => null)
    expect(answer).toMatchObject({
      choices: [{ message: { content: null, tool_calls: [shown] } }],
    })
  })

  test.each([
    [chatError('transport_error', 'gone'), 'remote_could_not_send_request'],
    [chatError('reqwest_error', 'no', null, 400), 'remote_bad_request'],
    [chatError('reqwest_error', 'no', null, 500), 'remote_bad_response'],
    [new ChatError('insufficient_quota', 'x', 'pay', null, 429), 'remote_bad_response'],
  ])('that fails with %s has the code %s', async (fault, code) => {
    const failure = await failureOf([{ kind: 'fault', fault, isEnd: true }])
    expect([failure.code, failure.message]).toEqual([code, `Chat provider: ${fault.message}`])
  })

  test('ignores faults of searches, and fails when it is empty or too long', async () => {
    const fault = chatError('response_error', 'a search failed')
    const events = [{ kind: 'fault', fault, isEnd: false } as const, chunkOf({ content: 'a' })]
    expect(await completionOf(eventsOf(events), () => null)).toMatchObject({ model: 'm' })
    expect((await failureOf([])).message).toContain('the answer was empty')
    const half = chunkOf({ content: 'x'.repeat(COLLECTED_LENGTH_MAX / 2) })
    const most = await completionOf(eventsOf([half, half]), () => null)
    const content = 'x'.repeat(COLLECTED_LENGTH_MAX)
    expect(most).toMatchObject({ choices: [{ message: { content } }] })
    const { code, message } = await failureOf([half, half, chunkOf({ content: 'x' })])
    expect([code, message]).toEqual([
      'remote_bad_response',
      expect.stringContaining('ask for a stream'),
    ])
  })
})

describe('the body of a request to a model', () => {
  const requestOf = (messages: readonly object[]): CompletionRequest =>
    ({
      messages: Buffer.from(messages.map((one) => JSON.stringify(one)).join(',')),
      members: ',"model":"gpt-4o","temperature":1',
      model: 'gpt-4o',
    }) as unknown as CompletionRequest

  test('is JSON with the prompt first, then the messages of client and searches', () => {
    const message = fc.record({ role: fc.constant('user'), content: fc.string() })
    const lists = fc.tuple(fc.array(message, { maxLength: 3 }), fc.array(message, { maxLength: 3 }))
    fc.assert(
      fc.property(lists, fc.string(), ([sent, added], prompt) => {
        const body = new ModelBody(requestOf(sent), WORKSPACE, prompt, '{"type":"function"}')
        for (const one of added) body.add(one)
        expect(JSON.parse(Buffer.concat(body.pieces()).toString())).toEqual({
          messages: [{ role: 'system', content: prompt }, ...sent, ...added],
          stream: true,
          stream_options: { include_usage: true },
          tools: [{ type: 'function' }],
          model: 'gpt-4o',
          temperature: 1,
        })
      }),
      { numRuns: 50 },
    )
  })
})

describe('the search function', () => {
  test('is described with its indexes and their facets', () => {
    const facets = [['genre', ['drama', 'crime']] as const]
    const indexes = [
      { uid: asIndexUid('films'), description: 'All films', facets },
      { uid: asIndexUid('books'), description: 'All books', facets: [] },
    ]
    const { function: described } = JSON.parse(searchDefinition(PROMPTS, indexes)) as {
      function: { name: string; description: string; parameters: { properties: object } }
    }
    expect(described.name).toBe(SEARCH_FUNCTION)
    expect(described.description).toMatch(/^d\n\n - films: All films\n\n\n\n - books: All books/)
    expect(described.parameters.properties).toMatchObject({
      index_uid: { enum: ['films', 'books'], description: 'i' },
      filter: { description: expect.stringContaining('genre: drama, crime.\n') },
    })
  })

  test('reads its arguments, or says to the model what is wrong', () => {
    const text = fc.string()
    fc.assert(
      fc.property(text, orAbsent(text), orAbsent(text), (indexUid, q, filter) => {
        const sent = { index_uid: indexUid, q, filter, stray: 1 }
        const wanted = { indexUid, q: q ?? null, filter: filter === '' ? null : (filter ?? null) }
        expect(readArguments(JSON.stringify(sent))).toEqual(wanted)
      }),
      { numRuns: 50 },
    )
    expect(readArguments('{"index_uid":')).toMatch(/^the arguments are not JSON: /)
    expect(readArguments('[]')).toMatch(/^the arguments should be /)
    expect(readArguments('{"index_uid":1}')).toMatch(/^`index_uid` should be /)
    expect(readArguments('{"index_uid":"a","q":[]}')).toMatch(/^`q` should be /)
  })
})

describe('a refusal of a provider', () => {
  const inside = { message: 'no', type: 't', param: 'p', code: 'c' }
  test.each([
    ['openAi', { error: inside }, ['t', 'c', 'no', 'p']],
    ['azureOpenAi', { error: { message: 'no' } }, ['unknown', null, 'no', null]],
    ['mistral', inside, ['t', 'c', 'no', 'p']],
    ['vLlm', { ...inside, code: 400 }, ['t', '400', 'no', 'p']],
    ['vLlm', { error: { message: 'no', code: 404 } }, ['unknown', '404', 'no', null]],
    ['openAi', inside, null],
    ['openAi', { error: { message: 'no', code: 1 } }, null],
    ['mistral', { error: inside }, null],
    ['openAi', [], null],
    ['openAi', 'text', null],
  ] as const)('of %s: %j', (source, answer, expected) => {
    const text = JSON.stringify(answer)
    const { type, code, message, param, status } = refusalOf(source, 418, Buffer.from(text))
    expect(status).toBe(418)
    const quoted = `the provider of the model answered with status 418: ${text}`
    expect([type, code, message, param]).toEqual(expected ?? ['reqwest_error', null, quoted, null])
  })

  test('that is not JSON is quoted in part', () => {
    const body = Buffer.from(`<p>down</p>${'x'.repeat(2 * QUOTED_LENGTH_MAX)}`)
    const fault = refusalOf('openAi', 502, body)
    expect(fault.message.length).toBeLessThan(QUOTED_LENGTH_MAX + 100)
    expect(fault.message).toContain('<p>down</p>')
    const event = errorEvent(fault)
    expect(event).toMatchObject({ type: 'error', error: { type: 'reqwest_error', code: null } })
  })
})

describe('an endpoint', () => {
  test.each([
    [{}, 'https://api.openai.com/v1/chat/completions'],
    [{ source: 'mistral' }, 'https://api.mistral.ai/v1/chat/completions'],
    [{ source: 'vLlm', baseUrl: 'http://a:1/v1' }, 'http://a:1/v1/chat/completions'],
    [{ source: 'vLlm', baseUrl: 'http://a:1/v1/' }, 'http://a:1/v1/chat/completions'],
    [
      { source: 'azureOpenAi', baseUrl: 'http://a', deploymentId: 'd/e', apiVersion: '1 2' },
      'http://a/openai/deployments/d%2Fe/chat/completions?api-version=1%202',
    ],
  ] as const)('of %j is %s', (members, url) => {
    expect(endpointOf({ ...WORKSPACE, ...members } as ChatWorkspace).url).toBe(url)
  })

  test('sends the key and, to OpenAI only, organization and project', () => {
    const ids = { orgId: 'org', projectId: 'project' }
    expect(endpointOf({ ...WORKSPACE, ...ids } as ChatWorkspace).headers).toMatchObject({
      authorization: 'Bearer secret-key',
      'openai-organization': 'org',
      'openai-project': 'project',
    })
    const others = endpointOf({ ...WORKSPACE, ...ids, source: 'mistral' } as ChatWorkspace).headers
    expect(Object.keys(others).sort()).toEqual(['accept', 'authorization', 'content-type'])
    const azure = endpointOf({ ...WORKSPACE, source: 'azureOpenAi' } as ChatWorkspace).headers
    expect(azure).toMatchObject({ 'api-key': 'secret-key' })
    expect(azure).not.toHaveProperty('authorization')
  })

  test.each([
    ['openAi', 'gpt-4o', 'system'],
    ['openAi', 'gpt-4o-mini', 'system'],
    ['openAi', 'gpt-3.5-turbo', 'system'],
    ['openAi', 'gpt-4.1-nano', 'system'],
    ['openAi', 'gpt-4omni', 'developer'],
    ['openAi', 'gpt-5', 'developer'],
    ['azureOpenAi', 'o3-mini', 'developer'],
    ['mistral', 'gpt-5', 'system'],
    ['vLlm', 'llama', 'system'],
  ] as const)('%s with the model %s takes instructions as %s', (source, model, role) => {
    expect(leadingRole(source, model)).toBe(role)
    expect(reportsUsage(source)).toBe(source === 'openAi' || source === 'azureOpenAi')
  })
})
