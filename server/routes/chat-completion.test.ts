// One completion, with a model that answers from a script: as an answer or as a stream, its usage,
// and its slot, which is free again at its end.
import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { DEFAULT_WORKSPACE } from '../../engine/ai/chats/index.ts'
import { ChatSlots } from '../chat/index.ts'
import { ApiError } from '../errors/index.ts'
import { type Completion, complete } from './chat-completion.ts'

test.each([true, false])('a failure frees the slot, with streaming %j', async (stream) => {
  const slots = new ChatSlots(1)
  const { signal } = new AbortController()
  const request = { context: { signal }, body: { stream } }
  const completion = { options: { models: null }, slots, request } as unknown as Completion
  const message = 'Models are asked by the server alone.'
  for (let i = 0; i < 2; i++) await expect(complete(completion)).rejects.toThrow(message)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

const USAGE = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
const chunkOf = (delta: object, reason: string | null, more: object = {}) => ({
  id: 'a',
  object: 'chat.completion.chunk',
  model: 'm',
  created: 7,
  choices: [{ index: 0, delta, finish_reason: reason }],
  ...more,
})
const SEARCH = { name: '_meiliSearchInIndex', arguments: '{"index_uid":"a","q":"x","filter":""}' }
/** A round in which the model calls for a search, and one with its answer. */
const ROUNDS = [
  [
    chunkOf({ tool_calls: [{ index: 0, id: 'call', function: SEARCH }] }, null),
    chunkOf({}, 'tool_calls', { usage: USAGE }),
  ],
  [chunkOf({ content: 'hi' }, 'stop', { usage: USAGE })],
]

/** Asks for a completion of an instance without indexes. */
function asked(stream: boolean, control = new AbortController()) {
  const slots = new ChatSlots(1)
  const answers: unknown[] = []
  const signals: AbortSignal[] = []
  let round = 0
  const models = async ({ signal }: { readonly signal: AbortSignal }) => {
    signals.push(signal)
    const events = ROUNDS[Math.min(round++, ROUNDS.length - 1)]!
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: (async function* () {
        for (const event of events) yield Buffer.from(`data: ${JSON.stringify(event)}\n\n`)
      })(),
    }
  }
  const engine = {
    documents: { listIndexes: () => [] },
    administration: { features: {} },
    network: { get: () => ({ remotes: new Map() }) },
  }
  const { signal } = control
  const completion = {
    options: { models, engine, events: { chatAnswer: (...all: unknown[]) => answers.push(all) } },
    slots,
    uid: 'w',
    workspace: { ...DEFAULT_WORKSPACE, source: 'openAi', apiKey: 'k' },
    state: undefined,
    request: {
      caller: { visible: null, isValid: () => true },
      context: { signal },
      body: {
        stream,
        messages: Buffer.from('{"role":"user","content":"q"}'),
        members: ',"model":"gpt-4o"',
        model: 'gpt-4o',
        functions: [],
      },
    },
  } as unknown as Completion
  const isFree = (): boolean => {
    try {
      slots.take()()
      return true
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return false
    }
  }
  return { reply: complete(completion), answers, signal, signals, isFree }
}

test('an answer has its text and the sum of the usage, and frees the slot', async () => {
  const { reply, answers, signal, isFree } = asked(false)
  const { status, body } = await reply
  expect(status).toBe(200)
  expect(body).toMatchObject({
    choices: [{ message: { content: 'hi' } }],
    usage: { prompt_tokens: 2, completion_tokens: 4, total_tokens: 6 },
  })
  expect(answers).toEqual(Array(2).fill(['w', 'm', { prompt: 1, completion: 2 }]))
  expect([isFree(), getEventListeners(signal, 'abort')]).toEqual([true, []])
})

test('a stream has headers against buffering, and holds its slot until it ends', async () => {
  const { reply, signal, isFree } = asked(true)
  const { status, contentType, headers, pieces, filler } = await reply
  expect([status, contentType, headers, filler]).toEqual([
    200,
    'text/event-stream',
    ['X-Accel-Buffering', 'no', 'Cache-Control', 'no-cache'],
    ':\n',
  ])
  expect([isFree(), getEventListeners(signal, 'abort').length]).toEqual([false, 1])
  let text = ''
  for await (const piece of pieces!) text += String(Buffer.from(piece))
  expect(text).toContain('"content":"hi"')
  expect([isFree(), getEventListeners(signal, 'abort')]).toEqual([true, []])
})

test('the model is no longer asked once the client has left', async () => {
  const control = new AbortController()
  control.abort()
  const early = asked(false, control)
  await early.reply.catch(() => undefined)
  expect(early.signals.filter((signal) => !signal.aborted)).toEqual([])
  const later = new AbortController()
  const { reply, signals, isFree } = asked(true, later)
  const { pieces } = await reply
  const iterator = pieces![Symbol.asyncIterator]()
  await iterator.next()
  later.abort()
  expect(signals.map(({ aborted }) => aborted)).toEqual(signals.map(() => true))
  await iterator.return?.()
  expect(isFree()).toBe(true)
})
