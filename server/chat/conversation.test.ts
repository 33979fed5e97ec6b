// Conversations with a model that answers from a script: searches that it calls for, reports to the
// client, faults of model and transport, and the limits.
import { describe, expect, test } from 'vitest'
import { type StoreRequest, TransportFault } from '../../engine/backup.ts'
import type { CompletionRequest } from '../parse/index.ts'
import { type ChatEvent, Conversation, REPORTS } from './conversation.ts'
import {
  ANSWER_BYTES_MAX,
  CHUNKS_A_TURN,
  CONVERSATION_BYTES_MAX,
  ERROR_BYTES_MAX,
  ROUNDS_MAX,
} from './limits.ts'
import { ModelBody } from './model-body.ts'
import { SEARCH_FUNCTION, type SearchOutcome, searchDefinition } from './search-tool.ts'

type Json = { readonly [member: string]: unknown }
type Script = {
  readonly status?: number
  readonly type?: string
  /** The events of each round, the last one for all further rounds; texts are sent as they are. */
  readonly rounds: readonly (readonly (Json | string)[])[]
  readonly functions?: readonly string[]
  readonly workspace?: Json
  readonly outcome?: SearchOutcome
  readonly transport?: (request: StoreRequest) => Promise<never>
  readonly signal?: AbortSignal
}

const FOUND: SearchOutcome = { kind: 'found', content: 'the documents', sources: '[{"id":1}]' }

const chunkOf = (delta: Json, reason: string | null = null, more: Json = {}): Json => ({
  id: 'a',
  object: 'o',
  model: 'm',
  created: 7,
  choices: [{ index: 0, delta, finish_reason: reason }],
  ...more,
})
const callOf = (args: string, index = 0, name: string = SEARCH_FUNCTION): Json =>
  chunkOf({
    tool_calls: [{ index, id: `call-${index}`, function: { name, arguments: args } }],
  })
const END_OF_CALLS = chunkOf({}, 'tool_calls')
const STOP = chunkOf({ content: 'hi' }, 'stop')
const SEARCH = callOf('{"index_uid":"a","q":"x","filter":""}')

/** Runs a conversation, and returns its events with the requests, the searches and the usage. */
async function converse(script: Script) {
  const requests: { readonly url: string; readonly body: Json; readonly bytes: number }[] = []
  const searches: unknown[] = []
  const usages: unknown[] = []
  const transport = async (request: StoreRequest) => {
    if (script.transport !== undefined) return script.transport(request)
    const pieces: Uint8Array[] = []
    for await (const piece of request.body!.open()) pieces.push(piece)
    const whole = Buffer.concat(pieces)
    const { bytes } = request.body!
    requests.push({ url: request.url, body: JSON.parse(whole.toString()) as Json, bytes })
    expect(bytes).toBe(whole.length)
    const { rounds } = script
    const events = rounds[Math.min(requests.length, rounds.length) - 1]!
    return {
      status: script.status ?? 200,
      headers: { 'content-type': script.type ?? 'text/event-stream; charset=utf-8' },
      body: (async function* () {
        for (const event of events) {
          const text = typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`
          yield Buffer.from(text)
        }
      })(),
    }
  }
  const conversation = new Conversation({
    transport: transport as never,
    workspace: { source: 'openAi', baseUrl: null, apiKey: 'k', ...script.workspace } as never,
    prompt: 'be kind',
    request: {
      messages: Buffer.from('{"role":"user","content":"q"}'),
      members: ',"model":"gpt-4o"',
      model: 'gpt-4o',
      functions: script.functions ?? [],
    } as unknown as CompletionRequest,
    tool: {
      definition: '{"name":"search"}',
      search: (given) => {
        searches.push(given)
        return Promise.resolve(script.outcome ?? FOUND)
      },
    },
    signal: script.signal ?? new AbortController().signal,
    onUsage: (model, usage) => usages.push([model, usage]),
  })
  const events: ChatEvent[] = []
  for await (const event of conversation.events()) events.push(event)
  return { events, requests, searches, usages }
}

/** The events in short: contents of chunks, reported functions, faults with their type. */
const short = (events: readonly ChatEvent[]): readonly unknown[] =>
  events.map((event) => {
    if (event.kind === 'fault') return [event.fault.type, event.isEnd]
    const { content, tool_calls: calls } = event.chunk.choices[0]!.delta
    return calls === null ? content : calls[0]!.function
  })

const messagesOf = ({ body }: { readonly body: Json }): readonly Json[] =>
  body['messages'] as readonly Json[]

describe('a conversation', () => {
  test('without a search is one request, whose chunks are passed on', async () => {
    const { events, requests, searches } = await converse({
      rounds: [[chunkOf({ content: 'a' }), chunkOf({ content: 'b' }, 'stop'), 'data: [DONE]\n\n']],
    })
    expect(short(events)).toEqual(['a', 'b'])
    expect(searches).toEqual([])
    expect(requests).toMatchObject([
      {
        url: 'https://api.openai.com/v1/chat/completions',
        body: {
          messages: [
            { role: 'system', content: 'be kind' },
            { role: 'user', content: 'q' },
          ],
          stream: true,
          stream_options: { include_usage: true },
          tools: [{ name: 'search' }],
          model: 'gpt-4o',
        },
      },
    ])
  })

  test.each([
    ['a chunk of its own', [SEARCH, END_OF_CALLS]],
    ['the chunk with the calls', [{ ...SEARCH, ...endOf(SEARCH) }]],
  ])('runs the searches that end with %s, and asks again', async (_, round) => {
    const { events, requests, searches } = await converse({ rounds: [round, [STOP]] })
    expect(searches).toEqual([{ indexUid: 'a', q: 'x', filter: null }])
    expect(short(events)).toEqual(['hi'])
    expect(messagesOf(requests[1]!).slice(2)).toEqual([
      {
        role: 'assistant',
        tool_calls: [
          {
            id: 'call-0',
            type: 'function',
            function: { name: SEARCH_FUNCTION, arguments: '{"index_uid":"a","q":"x","filter":""}' },
          },
        ],
      },
      { role: 'tool', content: 'the documents', tool_call_id: 'call-0' },
    ])
  })

  function endOf(chunk: Json): Json {
    const [choice] = chunk['choices'] as readonly Json[]
    return { choices: [{ ...choice, finish_reason: 'tool_calls' }] }
  }

  test('ignores unknown functions, and reports nothing without a search', async () => {
    const { searches, requests, events } = await converse({
      rounds: [[callOf('{}', 0, 'other'), END_OF_CALLS], [STOP]],
      functions: Object.values(REPORTS),
    })
    expect(searches).toEqual([])
    expect(messagesOf(requests[1]!)[2]).toEqual({ role: 'assistant', tool_calls: [] })
    expect(short(events)).toEqual(['hi'])
  })

  test('reports what the client declared, in order', async () => {
    const all = await converse({
      rounds: [[SEARCH, END_OF_CALLS], [STOP]],
      functions: Object.values(REPORTS),
    })
    const names = short(all.events).map((one) => (one as Json)['name'])
    const { progress, sources, message } = REPORTS
    expect(names).toEqual([progress, message, sources, message, undefined])
    const args = (at: number): unknown =>
      JSON.parse(String((short(all.events)[at] as Json)['arguments']))
    expect(args(0)).toEqual({
      call_id: 'call-0',
      function_name: SEARCH_FUNCTION,
      function_arguments: '{"index_uid":"a","q":"x","filter":""}',
    })
    expect(args(2)).toEqual({ call_id: 'call-0', sources: [{ id: 1 }] })
    expect(args(3)).toEqual({ role: 'tool', content: 'the documents', tool_call_id: 'call-0' })
    const one = await converse({ rounds: [[SEARCH, END_OF_CALLS], [STOP]], functions: [sources] })
    expect(short(one.events)).toMatchObject([{ name: sources }, 'hi'])
  })

  test.each<[SearchOutcome, content: string, events: readonly unknown[]]>([
    [{ kind: 'wrong', message: 'no filter' }, 'no filter', ['[]', 'hi']],
    [
      { kind: 'refused', status: 404, message: 'no index' },
      'the search tool call failed with no index',
      [['response_error', false], 'hi'],
    ],
  ])('goes on after %j', async (outcome, content, expected) => {
    const { events, requests } = await converse({
      rounds: [[SEARCH, END_OF_CALLS], [STOP]],
      functions: [REPORTS.sources],
      outcome,
    })
    expect(messagesOf(requests[1]!)[3]).toMatchObject({ role: 'tool', content })
    const shown = short(events).map((one) => {
      const args = (one as Json)['arguments']
      return typeof args === 'string' ? JSON.stringify((JSON.parse(args) as Json)['sources']) : one
    })
    expect(shown).toEqual(expected)
    const fault = events.find((event) => event.kind === 'fault')
    expect(fault?.fault.code ?? null).toBe(outcome.kind === 'refused' ? '404' : null)
  })

  test('tells the model that its arguments are wrong', async () => {
    const { searches, requests } = await converse({ rounds: [[callOf('{'), END_OF_CALLS], [STOP]] })
    expect(searches).toEqual([])
    expect(messagesOf(requests[1]!)[3]!['content']).toMatch(/^the arguments are not JSON/)
  })

  test('has a limited number of rounds', async () => {
    const { requests, searches } = await converse({ rounds: [[SEARCH, END_OF_CALLS]] })
    expect([requests.length, searches.length]).toEqual([ROUNDS_MAX, ROUNDS_MAX])
  })

  test('counts the tokens of each answer', async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
    const { usages, events } = await converse({
      rounds: [[STOP, chunkOf({}, null, { choices: [], usage }), STOP]],
    })
    expect(usages).toEqual([['m', usage]])
    // A chunk without choices is the last one.
    expect(short(events)).toEqual(['hi'])
  })

  test('with Azure begins behind a chunk without choices', async () => {
    const empty = chunkOf({}, null, { choices: [] })
    const azure = { source: 'azureOpenAi', baseUrl: 'http://a', deploymentId: 'd', apiVersion: '1' }
    const of = async (workspace: Json, rounds: readonly Json[]) =>
      short((await converse({ rounds: [rounds], workspace })).events)
    expect(await of(azure, [empty, STOP])).toEqual(['hi'])
    expect(await of(azure, [STOP, empty, STOP])).toEqual(['hi'])
    expect(await of({}, [empty, STOP])).toEqual([])
  })

  test('lets other work run between many chunks', async () => {
    let turns = 0
    const count = (): void => {
      turns++
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    const chunk = `data: ${JSON.stringify(chunkOf({ content: 'x' }))}\n\n`
    const turnsOf = async (chunks: number): Promise<number> => {
      turns = 0
      await converse({ rounds: [[chunk.repeat(chunks)]] })
      return turns
    }
    expect(await turnsOf(CHUNKS_A_TURN - 1)).toBe(0)
    expect(await turnsOf(2 * CHUNKS_A_TURN)).toBe(2)
    clearImmediate(timer)
  })
})

describe('a conversation ends with a fault', () => {
  const faultOf = async (script: Partial<Script>) => {
    const { events } = await converse({ rounds: [[STOP]], ...script })
    const last = events.at(-1)
    if (last?.kind !== 'fault') return null
    expect(last.isEnd).toBe(true)
    return { type: last.fault.type, status: last.fault.status, message: last.fault.message }
  }

  test('if the model refuses, or answers with something else than a stream', async () => {
    const refusal = '{"error":{"message":"pay","type":"quota"}}'
    expect(await faultOf({ status: 429, rounds: [[refusal]] })).toEqual({
      type: 'quota',
      status: 429,
      message: 'pay',
    })
    expect(await faultOf({ type: 'application/json', rounds: [['{}']] })).toMatchObject({
      type: 'reqwest_error',
      status: 200,
      message: 'the provider of the model answered with status 200: {}',
    })
    expect(await faultOf({ type: 'text/event-streams' })).toMatchObject({ type: 'reqwest_error' })
    expect(await faultOf({ type: 'Text/Event-Stream' })).toBeNull()
    expect(await faultOf({ status: 201 })).toMatchObject({ type: 'reqwest_error' })
  })

  test('of which the beginning is read', async () => {
    let sent = 0
    const piece = Buffer.alloc(ERROR_BYTES_MAX / 2, 'x')
    const pieces = async function* () {
      for (; ; sent++) yield piece
    }
    const answer = { status: 500, headers: {}, body: pieces() }
    const fault = await faultOf({ transport: () => Promise.resolve(answer as never) })
    expect([fault?.type, sent]).toEqual(['reqwest_error', 1])
    const broken = async function* () {
      yield Buffer.from('{"error":{"message":"own"}}')
      throw new TransportFault(false, 'reset')
    }
    const half = { status: 500, headers: {}, body: broken() }
    expect(await faultOf({ transport: () => Promise.resolve(half as never) })).toMatchObject({
      message: 'own',
    })
  })

  test('if the model cannot be reached', async () => {
    const transport = () => Promise.reject(new TransportFault(true, 'no route'))
    expect(await faultOf({ transport })).toEqual({
      type: 'transport_error',
      status: null,
      message: 'no route',
    })
    for (const baseUrl of ['nowhere', 'ftp://a']) {
      expect(await faultOf({ workspace: { baseUrl } })).toMatchObject({
        type: 'transport_error',
        message: 'the `baseUrl` of the chat is not an http or https URL',
      })
    }
    expect(await faultOf({ workspace: { baseUrl: 'http://a' } })).toBeNull()
  })

  test('if the answer is too large, or no chunk', async () => {
    const comment = `:${'x'.repeat(1024 * 256 - 2)}\n`
    const pieces = ANSWER_BYTES_MAX / comment.length
    const full = Array<string>(pieces).fill(comment)
    expect(await faultOf({ rounds: [full] })).toBeNull()
    expect(await faultOf({ rounds: [[...full, '\n']] })).toMatchObject({ type: 'stream_ended' })
    expect(await faultOf({ rounds: [['data: {}\n\n']] })).toMatchObject({
      type: 'json_deserialize_error',
    })
  })

  test('but not if the client has gone, or the code has one', async () => {
    const control = new AbortController()
    const transport = ({ signal }: StoreRequest) => {
      control.abort(new Error('gone'))
      expect(signal?.aborted).toBe(true)
      return Promise.reject(signal!.reason as Error)
    }
    const run = converse({ rounds: [], transport, signal: control.signal })
    await expect(run).rejects.toThrow('gone')
    const early = { rounds: [], signal: AbortSignal.abort(new Error('left')) }
    const refused = ({ signal }: StoreRequest) => Promise.reject(signal!.reason as Error)
    await expect(converse({ ...early, transport: refused })).rejects.toThrow('left')
    const broken = () => Promise.reject(new RangeError('ours'))
    await expect(converse({ rounds: [], transport: broken })).rejects.toThrow('ours')
  })
})

test('messages of a conversation have a limited size', () => {
  const request = { messages: Buffer.from('{}'), members: '', model: 'm' } as never
  const bodyOf = () => new ModelBody(request, { source: 'openAi' } as never, 'p', '{}')
  const used = bodyOf()
    .pieces()
    .reduce((sum, { length }) => sum + length, 0)
  // A comma, and the braces, the name and the quotes of the message.
  const room = CONVERSATION_BYTES_MAX - used - ',{"a":""}'.length
  const body = bodyOf()
  body.add({ a: 'x'.repeat(room) })
  expect(() => body.add({})).toThrow(expect.objectContaining({ type: 'invalid_argument' }))
  expect(() => bodyOf().add({ a: 'x'.repeat(room + 1) })).toThrow('larger than')
})

test('the search function names the indexes with their fields', () => {
  const prompts = {
    system: 's',
    searchDescription: 'Search.',
    searchQParam: 'the words',
    searchFilterParam: 'the filter',
    searchIndexUidParam: 'the index',
  }
  const indexes = [
    { uid: 'a', description: 'films', facets: [['genre', ['x', 'y']]] },
    { uid: 'b', description: 'books', facets: [] },
  ]
  expect(JSON.parse(searchDefinition(prompts, indexes as never))).toEqual({
    type: 'function',
    function: {
      name: SEARCH_FUNCTION,
      description: 'Search.\n\n - a: films\n\n\n\n - b: books\n\n',
      parameters: {
        type: 'object',
        properties: {
          index_uid: { type: 'string', enum: ['a', 'b'], description: 'the index' },
          q: { type: 'string', description: 'the words' },
          filter: {
            type: 'string',
            description:
              'the filter\n## Facet distributions of the a index\ngenre: x, y.\n\n' +
              '\n## Facet distributions of the b index\n\n',
          },
        },
        required: ['index_uid', 'q', 'filter'],
        additionalProperties: false,
      },
      strict: true,
    },
  })
})
