// The chat side of the scripted provider: streams one scripted reply per request, and ranks
// documents by the words that they share with a query.
import type { ServerResponse } from 'node:http'
import type { Json } from './test-answers.ts'
import { wordVector } from './test-provider-vectors.ts'

/** A function call; its arguments in one piece or several. */
type PlayedCall = {
  readonly id: string
  readonly name: string
  readonly arguments: string | readonly string[]
}

/** A reply of the model: a refusal, raw events, or a text and calls. */
export type PlayedReply = {
  readonly status?: number
  readonly body?: Json
  readonly events?: readonly Json[]
  /** Content type, if it is not an event stream. */
  readonly type?: string
  readonly text?: string | readonly string[]
  readonly tools?: readonly PlayedCall[]
  readonly finish?: string
  readonly usage?: Json
}

const LAST_WORDS: PlayedReply = { text: 'Nothing more to say.' }
const CREATED = 1_700_000_000

export class PlayedChat {
  #replies: PlayedReply[] = []
  #answered = 0

  set(replies: readonly PlayedReply[]): void {
    this.#replies = [...replies]
    this.#answered = 0
  }

  /** `model` is that of the request. */
  answer(response: ServerResponse, model: Json): void {
    const reply = this.#replies.shift() ?? LAST_WORDS
    const id = `chatcmpl-${++this.#answered}`
    const { status, body = {}, type = 'text/event-stream' } = reply
    if (status !== undefined) {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
      return
    }
    response.writeHead(200, { 'content-type': type })
    for (const event of reply.events ?? eventsOf(reply, id, model)) {
      response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    }
    response.end('data: [DONE]\n\n')
  }
}

function eventsOf(reply: PlayedReply, id: string, model: Json): readonly Json[] {
  const { text = [], tools = [], finish, usage } = reply
  const head = { id, object: 'chat.completion.chunk', created: CREATED, model }
  const chunk = (delta: Json, reason: string | null = null): Json => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: reason, logprobs: null }],
  })
  const texts = typeof text === 'string' ? [text] : text
  const reason = finish ?? (tools.length > 0 ? 'tool_calls' : 'stop')
  return [
    chunk({ role: 'assistant', content: '' }),
    ...texts.map((content) => chunk({ content })),
    ...tools.flatMap((call, index) => piecesOf(call, index).map((piece) => chunk(piece))),
    chunk({}, reason),
    ...(usage === undefined ? [] : [{ ...head, choices: [], usage }]),
  ]
}

function piecesOf({ id, name, arguments: given }: PlayedCall, index: number): readonly Json[] {
  const [first = '', ...rest] = typeof given === 'string' ? ['', given] : given
  const begin = { index, id, type: 'function', function: { name, arguments: first } }
  const more = rest.map((piece) => ({ index, function: { arguments: piece } }))
  return [begin, ...more].map((call): Json => ({ tool_calls: [call] }))
}

const RANKING_DIMENSIONS = 64
const LEFT_OUT = 'drop me'

/** Ranks documents by likeness to the query, best first; leaves out documents that request it. */
export function ranked(query: string, documents: readonly string[]): Json {
  const wanted = wordVector(query, RANKING_DIMENSIONS)
  const results = documents.flatMap((document, index) => {
    if (document.includes(LEFT_OUT)) return []
    const own = wordVector(shownText(document), RANKING_DIMENSIONS)
    const score = own.reduce((sum, value, at) => sum + value * wanted[at]!, 0)
    return [{ index, relevance_score: Number(score.toFixed(6)) }]
  })
  return {
    results: results.sort((a, b) => b.relevance_score - a.relevance_score || a.index - b.index),
  }
}

/** Returns the values of a document, without members that a search adds. */
function shownText(document: string): string {
  const members = Object.entries(JSON.parse(document) as { readonly [name: string]: Json })
  return members
    .filter(([name]) => !name.startsWith('_'))
    .map(([, value]) => String(value))
    .join(' ')
}

/** Returns the request with built-in prompts replaced by their form; lists of indexes stay. */
export function withoutPrompts(body: Json): Json {
  const request = structuredClone(body) as {
    messages: { role: string; content: string }[]
    tools?: { function: { description: string; parameters: { properties: Described } } }[]
  }
  const [leading] = request.messages
  if (leading?.role === 'system' || leading?.role === 'developer') leading.content = PROMPT
  for (const { function: definition } of request.tools ?? []) {
    definition.description = PROMPT + behind(definition.description, /\n\n - [\w-]+: /)
    for (const [name, property] of Object.entries(definition.parameters.properties)) {
      const lists = name === 'filter' ? behind(property.description, /\n## /) : ''
      property.description = PROMPT + lists
    }
  }
  return request as unknown as Json
}

type Described = { [name: string]: { description: string } }
const PROMPT = '<prompt>'

const behind = (text: string, mark: RegExp): string => {
  const at = text.search(mark)
  return at < 0 ? '' : text.slice(at)
}
