// A model provider for tests: a server in this process that gives scripted answers, one per
// request, and records the requests.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { startLoopback } from './test-loopback.ts'

export type ModelRequestRecord = {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: {
    readonly messages: readonly { readonly role: string; readonly content?: unknown }[]
    readonly tools: readonly { readonly function: { readonly parameters: unknown } }[]
    readonly [member: string]: unknown
  }
}

/** Answers one request. */
export type ModelAnswer = (response: ServerResponse, request: ModelRequestRecord) => void

export type ChatProvider = {
  readonly url: string
  readonly requests: readonly ModelRequestRecord[]
  /** Number of requests whose connection the client closed before the answer. */
  readonly aborted: () => number
  /** Sets the answers to the next requests, in order; later ones get a short text. */
  readonly answer: (...answers: readonly ModelAnswer[]) => void
  readonly stop: () => Promise<void>
}

export async function startChatProvider(): Promise<ChatProvider> {
  const requests: ModelRequestRecord[] = []
  let answers: ModelAnswer[] = []
  let aborted = 0
  const { url, stop } = await startLoopback((request, response, text) => {
    response.on('close', () => {
      if (!response.writableFinished) aborted++
    })
    const one = {
      path: request.url!,
      headers: request.headers,
      body: JSON.parse(text) as ModelRequestRecord['body'],
    }
    requests.push(one)
    const answer = answers.shift() ?? says('Done.')
    answer(response, one)
  })
  return {
    url,
    requests,
    aborted: () => aborted,
    answer: (...next) => {
      answers = [...next]
    },
    stop,
  }
}

export const eventOf = (data: unknown): string =>
  `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`

/** Returns a chunk of an answer. */
export const chunkOf = (
  delta: object,
  reason: string | null = null,
  more: object = {},
): object => ({
  id: 'answer',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: reason }],
  ...more,
})

/** Returns an answer with these events; strings are sent unchanged. */
export const streams =
  (...events: readonly unknown[]): ModelAnswer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of events) response.write(eventOf(event))
    response.end(eventOf('[DONE]'))
  }

/** Returns an answer with a text in pieces. */
export const says = (...pieces: readonly string[]): ModelAnswer =>
  streams(
    chunkOf({ role: 'assistant', content: '' }),
    ...pieces.map((content) => chunkOf({ content })),
    chunkOf({}, 'stop'),
    {
      ...chunkOf({}),
      choices: [],
      usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 },
    },
  )

/** Returns an answer that calls functions: `[name, arguments]` each. */
export const calls = (...called: readonly (readonly [string, unknown])[]): ModelAnswer =>
  streams(
    ...called.map(([name, given], index) => {
      const json = typeof given === 'string' ? given : JSON.stringify(given)
      const call = { index, id: `call_${index}`, type: 'function' }
      return chunkOf({ tool_calls: [{ ...call, function: { name, arguments: json } }] })
    }),
    chunkOf({}, 'tool_calls'),
  )
