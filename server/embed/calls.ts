// Runs requests of the HTTP API without HTTP: the same routes, readers and checks, in this process.
// Everything is allowed, because the program that opened the engine could read the files anyway.

import type { Engine } from '../../engine/index.ts'
import { decoder } from '../../format/bytes/index.ts'
import { type BodyName, BodyReader } from '../bodies/index.ts'
import { RELEASE } from '../config/index.ts'
import { EVERYTHING, Router, requestUid } from '../http/index.ts'
import type { BodySink, JsonBody, RawRequest, Reply, WholeBody } from '../http/messages/index.ts'
import { Log } from '../log/index.ts'
import { EventTally, Metrics, RequestTally, StatsHistory } from '../metrics/index.ts'
import { aloneService } from '../network/index.ts'
import { taskStreams } from '../routes/context/index.ts'
import { allRoutes } from '../routes/index.ts'
import { SvcSearchError } from './errors.ts'

/** A body as a stream: its type and its bytes. */
export type Body = {
  readonly contentType: string
  readonly bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>
}

export type Call = {
  readonly method: string
  /** Decoded parts of the path. */
  readonly parts: readonly string[]
  /** Without its `?`. */
  readonly query?: string
  readonly body?: Body
  readonly signal?: AbortSignal | undefined
}

const NEVER = new AbortController().signal

export class Calls {
  readonly #router: Router
  readonly #bodies: BodyReader
  readonly #history: StatsHistory

  /**
   * `bodiesWorker`: entry file of the thread that reads large bodies, or null to read them inline.
   */
  constructor(
    engine: Engine,
    bodiesWorker: URL | null,
    report: (message: string, error: unknown) => void,
  ) {
    this.#bodies = new BodyReader({ file: bodiesWorker, report })
    const events = new EventTally()
    this.#history = new StatsHistory(() => engine.administration.sizes(), Date.now)
    const instances = aloneService(engine, report)
    this.#router = new Router(
      allRoutes({
        engine,
        registrationOf: () => undefined,
        release: RELEASE,
        models: null,
        personalizer: null,
        masterKey: null,
        launchWebhook: null,
        instances,
        log: new Log({ level: 'OFF', mode: 'human', write: () => undefined, now: Date.now }),
        metrics: new Metrics({
          engine,
          requests: new RequestTally(),
          events,
          network: () => instances.measures(),
          now: Date.now,
        }),
        streams: taskStreams(engine),
        history: this.#history,
        authorise: () => EVERYTHING,
        readBody: (source, body, details) =>
          this.#bodies.read(source, body.reader as BodyName, ...(details as [])) as Promise<never>,
        events,
      }),
    )
  }

  /** @throws SvcSearchError route_not_found, and errors of the route */
  async call({ method, parts, query = '', body, signal = NEVER }: Call): Promise<Reply> {
    const match = this.#router.match(parts)
    const route = match?.resource.routes.get(method)
    if (match === null || route === undefined) {
      const path = parts.map((part) => encodeURIComponent(String(Buffer.from(part)))).join('/')
      const message = `there is no route \`${method} /${path}\``
      throw new SvcSearchError('route_not_found', message)
    }
    return route.handle(this.#request(match.params, query, body, signal))
  }

  #request(
    params: RawRequest['params'],
    query: string,
    body: Body | undefined,
    signal: AbortSignal,
  ): RawRequest {
    const header = (name: string): string | undefined =>
      name === 'content-type' ? body?.contentType : undefined
    const source = { signal, header, json: () => wholeOf(body) }
    const read = <T>(wanted: JsonBody<T>): Promise<T> =>
      this.#bodies.read(
        source,
        wanted.reader as BodyName,
        ...(wanted.details(params) as []),
      ) as Promise<never>
    return {
      uid: requestUid(),
      params,
      query,
      caller: EVERYTHING,
      address: '',
      signal,
      header,
      read,
      pour: (sink) => pour(body, sink, signal),
    }
  }

  close(): Promise<void> {
    this.#history.stop()
    return this.#bodies.close()
  }
}

/** Bodies passed in memory are neither compressed nor counted. */
const wholeOf = async (body: Body | undefined): Promise<WholeBody> => ({
  bytes: await joined(body),
  packing: null,
  hold: () => undefined,
})

async function joined(body: Body | undefined): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of body?.bytes ?? []) pieces.push(piece)
  return Buffer.concat(pieces)
}

async function pour(body: Body | undefined, sink: BodySink, signal: AbortSignal): Promise<void> {
  for await (const piece of body?.bytes ?? []) {
    signal.throwIfAborted()
    await sink.write(piece)
  }
}

/** Returns the answer as a value that shares nothing with the engine. */
export function answerOf({ status, body, parts, pieces, contentType }: Reply): unknown {
  if (pieces !== undefined) {
    void pieces[Symbol.asyncIterator]().return?.()
    throw new SvcSearchError(
      'route_not_found',
      'this route streams without an end and is only available over HTTP',
    )
  }
  if (parts !== undefined) return JSON.parse(decoder.decode(Buffer.concat(parts)))
  if (body === undefined) return null
  const text = textOf(body)
  if (status >= 400) throw new SvcSearchError('internal', text, { type: 'internal' })
  const isJson = contentType === undefined || contentType.startsWith('application/json')
  return isJson ? JSON.parse(text) : text
}

const textOf = (body: unknown): string => {
  if (typeof body === 'string') return body
  return body instanceof Uint8Array ? decoder.decode(body) : JSON.stringify(body)
}
