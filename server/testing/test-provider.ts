// A scripted provider of embeddings on the loopback interface: answers like OpenAI, like Ollama, or
// as a conversation sets, fails on request, and records the requests that it receives.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Json } from './test-answers.ts'
import { type LoopbackServer, startLoopback } from './test-loopback.ts'
import { PlayedChat, ranked, withoutPrompts } from './test-provider-chat.ts'
import { wordVector } from './test-provider-vectors.ts'

type Members = { readonly [name: string]: Json }

/** A fault for some requests to a path. */
export type PlayedFault = {
  /** Applies only to requests that contain this text. */
  readonly when?: string
  /** How often it happens; 0 means always; default 1. */
  readonly times?: number
  readonly status?: number
  readonly body?: Json
  readonly headers?: { readonly [name: string]: string }
  /** Milliseconds before the answer. */
  readonly delay?: number
  /** The answer as text. */
  readonly raw?: string
  /** Other dimensions, another number of vectors, or this value in place of each vector. */
  readonly dims?: number
  readonly count?: number
  readonly value?: Json
  /** Cuts the connection. */
  readonly close?: boolean
}

/** How a path answers. */
export type PlayedRoute = {
  /** Templates of a `rest` embedder. */
  readonly request?: Json
  readonly response?: Json
  readonly dims?: number
  /** The required authorization header. */
  readonly auth?: string
  readonly faults?: readonly PlayedFault[]
}

/** The form in which recorded requests are returned. */
export type RecordedForm = 'requests' | 'ordered' | 'texts' | 'count'

type ReceivedRequest = {
  readonly method: string
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body: Json
  readonly texts: readonly Json[]
}

type Work = {
  readonly inputs: readonly Json[]
  readonly dimensions: number
  readonly answer: (vectors: readonly Json[]) => Json
}

const TRIAL = /^test\b/
const HEADERS_SHOWN = /^(authorization|content-type|api-key|openai-.*|x-.*)$/
const MODEL_DIMENSIONS = new Map([
  ['text-embedding-3-small', 1536],
  ['text-embedding-3-large', 3072],
  ['text-embedding-ada-002', 1536],
])
const DIMENSIONS = 16

export class PlayedProvider {
  readonly #routes = new Map<string, PlayedRoute>()
  readonly #left = new Map<PlayedFault, number>()
  readonly chat = new PlayedChat()
  #server: LoopbackServer | null = null
  #received: ReceivedRequest[] = []

  static async start(): Promise<PlayedProvider> {
    const provider = new PlayedProvider()
    provider.#server = await startLoopback((request, response, text) =>
      provider.#serve(request, response, text),
    )
    return provider
  }

  get url(): string {
    return this.#server!.url
  }

  stop(): Promise<void> {
    return this.#server!.stop()
  }

  /** null removes a path. */
  set(routes: { readonly [path: string]: PlayedRoute | null }): void {
    for (const [path, route] of Object.entries(routes)) {
      if (route === null) this.#routes.delete(path)
      else this.#routes.set(path, route)
      for (const fault of route?.faults ?? []) {
        this.#left.set(fault, fault.times === 0 ? Number.POSITIVE_INFINITY : (fault.times ?? 1))
      }
    }
  }

  /** Returns the requests since the last call; trial requests of embedders only if `withTrials`. */
  takeRequests(how: RecordedForm, withTrials: boolean, hidesPrompts = false): Json {
    const received = this.#received
      .splice(0)
      .filter(({ texts }) => withTrials || texts.length === 0 || !texts.every(isTrial))
    if (how === 'count' || how === 'texts') return byPath(received, how)
    const shown = received.map(({ texts: _, body, ...request }) =>
      masked({ ...request, body: hidesPrompts ? withoutPrompts(body) : body }),
    )
    return how === 'ordered' ? shown : inOrder(shown)
  }

  async #serve(request: IncomingMessage, response: ServerResponse, text: string): Promise<void> {
    const path = request.url!
    const route = this.#routes.get(path)
    const body = parsed(text)
    const work = workOf(path, route, body)
    const { method = '', headers } = request
    const known = Object.entries(headers).filter(([name]) => HEADERS_SHOWN.test(name))
    const sent = Object.fromEntries(known.sort(([a], [b]) => (a < b ? -1 : 1)))
    const texts = work?.inputs ?? []
    const headersShown = sent as ReceivedRequest['headers']
    this.#received.push({ method, path, headers: headersShown, body: unpacked(body), texts })
    const fault = this.#faultOf(route, text)
    if (fault?.delay !== undefined) await rest(fault.delay)
    if (fault?.close) return void request.socket.destroy()
    const isRanking = path.endsWith('/rerank')
    if (path.split('?')[0]!.endsWith('/chat/completions')) {
      return this.chat.answer(response, member(body, 'model') ?? null)
    }
    if (isRanking && fault?.status === undefined && fault?.raw === undefined) {
      response.writeHead(200, { 'content-type': 'application/json' })
      const query = String(member(body, 'query'))
      response.end(JSON.stringify(ranked(query, member(body, 'documents') as string[])))
      return
    }
    if (work === null && fault?.status === undefined && fault?.raw === undefined) {
      response.writeHead(404, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message: `no such path ${path}` } }))
      return
    }
    const { status, answer } = answerTo(work, route, fault, headers.authorization, body)
    response.writeHead(status, { 'content-type': 'application/json', ...fault?.headers })
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  }

  #faultOf(route: PlayedRoute | undefined, text: string): PlayedFault | undefined {
    const fault = route?.faults?.find(
      (one) => this.#left.get(one)! > 0 && (one.when === undefined || text.includes(one.when)),
    )
    if (fault !== undefined) this.#left.set(fault, this.#left.get(fault)! - 1)
    return fault
  }
}

/** Parses documents to be ranked, which are sent as JSON in strings. */
function unpacked(body: Json): Json {
  const documents = member(body, 'documents')
  if (!Array.isArray(documents)) return body
  const read = documents.map((text: Json) => {
    const { _federation: _, ...document } = parsed(String(text)) as { [name: string]: Json }
    return document
  })
  return { ...(body as Members), documents: read }
}

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

function answerTo(
  work: Work | null,
  route: PlayedRoute | undefined,
  fault: PlayedFault | undefined,
  authorization: string | undefined,
  body: Json,
): { readonly status: number; readonly answer: Json } {
  if (fault?.raw !== undefined) return { status: fault.status ?? 200, answer: fault.raw }
  if (fault?.status !== undefined) {
    const refusal = { error: { message: `told to answer ${fault.status}` } }
    return { status: fault.status, answer: fault.body ?? refusal }
  }
  if (route?.auth !== undefined && authorization !== route.auth) {
    return { status: 401, answer: { error: { message: 'wrong or missing key' } } }
  }
  if (member(body, 'model') === 'absent') {
    return { status: 404, answer: { error: 'model "absent" not found, try pulling it first' } }
  }
  return { status: 200, answer: work === null ? null : work.answer(vectorsOf(work, fault)) }
}

function vectorsOf({ inputs, dimensions }: Work, fault: PlayedFault | undefined): readonly Json[] {
  if (fault?.value !== undefined) return inputs.map(() => fault.value!)
  const length = fault?.dims ?? dimensions
  if (fault?.count === undefined) return inputs.map((input) => wordVector(plainText(input), length))
  return Array.from({ length: fault.count }, (_, i) => wordVector(`filler ${i}`, dimensions))
}

/** Returns the work that a path does, or null if the path is unknown. */
function workOf(path: string, route: PlayedRoute | undefined, body: Json): Work | null {
  const { request = null, response, dims } = route ?? {}
  if (response !== undefined) {
    return {
      inputs: inputsBy(request, body),
      dimensions: dims ?? DIMENSIONS,
      answer: (vectors) => filled(response, vectors),
    }
  }
  const model = member(body, 'model')
  const dimensions = dims ?? dimensionsOf(model ?? null, member(body, 'dimensions'))
  if (path.endsWith('/api/embed')) {
    const inputs = listOf(member(body, 'input'))
    return { inputs, dimensions, answer: (embeddings) => ({ embeddings }) }
  }
  if (path.endsWith('/api/embeddings')) {
    const inputs = listOf(member(body, 'prompt'))
    return { inputs, dimensions, answer: ([embedding = null]) => ({ embedding }) }
  }
  if (!path.endsWith('/embeddings')) return null
  const answer = (vectors: readonly Json[]): Json => ({
    data: vectors.map((embedding, index) => ({ index, embedding })),
  })
  return { inputs: listOf(member(body, 'input')), dimensions, answer }
}

/** Names of Ollama models end with their dimensions. */
function dimensionsOf(model: Json, requested: Json | undefined): number {
  if (typeof requested === 'number') return requested
  const name = String(model)
  return MODEL_DIMENSIONS.get(name) ?? Number(/-(\d+)$/.exec(name)?.[1] ?? DIMENSIONS)
}

type Place = { readonly path: readonly string[]; readonly inner: readonly string[] | null }

/** The placeholder of a template; `inner` is its path within each item of the array there. */
function placeIn(template: Json, path: readonly string[] = []): Place | null {
  if (template === '{{text}}' || template === '{{fragment}}') return { path, inner: null }
  if (Array.isArray(template) && template[1] === '{{..}}') {
    const inner = placeIn(template[0] as Json)
    return inner === null ? null : { path, inner: inner.path }
  }
  if (typeof template !== 'object' || template === null) return null
  for (const [name, part] of Object.entries(template)) {
    const place = placeIn(part as Json, [...path, name])
    if (place !== null) return place
  }
  return null
}

function inputsBy(template: Json, body: Json): readonly Json[] {
  const place = placeIn(template)
  if (place === null) return []
  const { path, inner } = place
  const value = at(body, path)
  if (inner === null) return [value]
  return Array.isArray(value) ? value.map((item: Json) => at(item, inner)) : []
}

const at = (value: Json, path: readonly string[]): Json =>
  path.reduce<Json>((inside, step) => member(inside, step) ?? null, value)

function filled(template: Json, vectors: readonly Json[]): Json {
  if (template === '{{embedding}}') return vectors[0] ?? null
  if (Array.isArray(template)) {
    const [item, mark] = template as readonly Json[]
    if (mark === '{{..}}') return vectors.map((vector) => filled(item!, [vector]))
    return template.map((part: Json) => filled(part, vectors))
  }
  if (typeof template !== 'object' || template === null) return template
  const parts = Object.entries(template).map(([name, part]) => [name, filled(part, vectors)])
  return Object.fromEntries(parts)
}

/** Joins all strings, numbers and booleans of a value. */
function plainText(value: Json): string {
  if (typeof value !== 'object' || value === null) return value === null ? '' : String(value)
  return Object.values(value)
    .map(plainText)
    .filter((text) => text !== '')
    .join(' ')
}

const isTrial = (text: Json): boolean => typeof text === 'string' && TRIAL.test(text)

/** Replaces texts of trials, which each engine chooses itself. */
function masked(value: Json): Json {
  if (isTrial(value)) return '<probe>'
  if (Array.isArray(value)) return value.map(masked)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, masked(part)]))
}

function byPath(received: readonly ReceivedRequest[], how: 'count' | 'texts'): Json {
  const paths = [...new Set(received.map(({ path }) => path))].sort()
  const shown = paths.map((path) => {
    const own = received.filter((request) => request.path === path)
    if (how === 'count') return [path, own.length]
    return [path, inOrder(own.flatMap(({ texts }) => texts.map(masked)))]
  })
  return Object.fromEntries(shown)
}

/** Sorts by JSON text, because requests arrive in any order. */
const inOrder = (values: readonly Json[]): readonly Json[] => {
  const keyed = values.map((value) => [JSON.stringify(value), value] as const)
  return keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, value]) => value)
}

const listOf = (value: Json | undefined): readonly Json[] => {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

const member = (value: Json, name: string): Json | undefined =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Members)[name]
    : undefined

/** Parses JSON, or returns the text if it is not JSON. */
function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return text
  }
}
