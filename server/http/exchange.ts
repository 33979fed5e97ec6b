// A request as its handler sees it: what the client sent, read when the handler asks for it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiError } from '../errors/index.ts'
import type { Authorise } from './authorise.ts'
import { type Connection, signalOf } from './connection.ts'
import type { HttpLog } from './log.ts'
import {
  type BodyAccount,
  BodyShare,
  type BodySink,
  type BodySource,
  bodyKind,
  type Caller,
  type Deliveries,
  type JsonBody,
  pourBody,
  type RawRequest,
  type Route,
  readJson,
  requireJson,
  type Terms,
  type Timeouts,
  type Watch,
  type WholeBody,
} from './messages/index.ts'
import { requestUid } from './request-uid.ts'
import type { Router } from './router.ts'

/** What is recorded about a request while it is answered. */
export type RequestTrace = {
  route: Route | null
  error: ApiError | null
  idleMs: number
  /** The memory that the body holds until the answer is sent, or null without a body. */
  share: BodyShare | null
  body: unknown
}

export type ExchangeOptions = {
  readonly router: Router
  readonly authorise: Authorise
  /** Largest body of any route in bytes, after decoding. */
  readonly bodyBytesMax: number
  /** The same for JSON other than documents; `bodyBytesMax` applies if it is lower. */
  readonly jsonBytesMax: number
  /** Memory for all bodies together, in bytes; by default derived from the limits above. */
  readonly bodyAccountBytes?: number
  /** Memory for all answers that wait for their clients, in bytes. */
  readonly answersBytesMax?: number
  readonly log: HttpLog
  /** Returns true if the log receives the bodies of this route; by default no route. */
  readonly logsBody?: (route: Route) => boolean
  readonly timeouts?: Timeouts
  /** Reads JSON bodies as routes declare them; by default on the main thread. */
  readonly readBody?: ReadBody
}

/** `details` are the reader's arguments besides the body. @throws ApiError */
export type ReadBody = <T>(
  source: BodySource,
  body: JsonBody<T>,
  details: readonly unknown[],
) => Promise<T>

/** The parts that all requests of a server share. */
export type Shared = ExchangeOptions & {
  readonly timeouts: Timeouts
  readonly readBody: ReadBody
  readonly account: BodyAccount
  readonly watch: Watch
  readonly deliveries: Deliveries
}

function abortOnClose(response: ServerResponse): AbortController {
  const abort = new AbortController()
  if (response.closed || response.destroyed) abort.abort()
  else response.once('close', () => abort.abort())
  return abort
}

export class Exchange implements RawRequest, BodySource {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #connection: Connection
  readonly #shared: Shared
  readonly #awaitsContinue: boolean
  readonly #trace: RequestTrace
  #abort: AbortController | null = null
  #uid: string | null = null
  readonly params: RawRequest['params']
  readonly query: string
  readonly caller: Caller

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    connection: Connection,
    params: RawRequest['params'],
    query: string,
    caller: Caller,
    common: Shared,
    awaitsContinue: boolean,
    trace: RequestTrace,
  ) {
    this.#trace = trace
    this.#request = request
    this.#response = response
    this.#connection = connection
    this.#shared = common
    this.#awaitsContinue = awaitsContinue
    this.params = params
    this.query = query
    this.caller = caller
    // An unread body may never come, so the connection cannot carry another request.
    if (awaitsContinue) response.shouldKeepAlive = false
  }

  get uid(): string {
    this.#uid ??= requestUid()
    return this.#uid
  }

  get address(): string {
    return this.#request.socket.remoteAddress ?? ''
  }

  get signal(): AbortSignal {
    // Streams of HTTP/2 end separately, and a client may reset them as fast as it opens them.
    if (this.#request.httpVersionMajor > 1) {
      this.#abort ??= abortOnClose(this.#response)
      return this.#abort.signal
    }
    return signalOf(this.#request.socket, this.#connection)
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  json(): Promise<WholeBody> {
    requireJson(this.#request.headers['content-type'])
    return this.#reading(readJson(this.#request, this.#terms()))
  }

  read<T>(body: JsonBody<T>): Promise<T> {
    const reading = this.#shared.readBody(this, body, body.details(this.params))
    const { route } = this.#trace
    if (route === null || this.#shared.logsBody?.(route) !== true) return reading
    return reading.then((read) => {
      this.#trace.body = read
      return read
    })
  }

  pour(sink: BodySink): Promise<void> {
    return this.#reading(pourBody(this.#request, this.#terms(), sink))
  }

  #terms(): Terms {
    const { bodyBytesMax, jsonBytesMax, account, watch, timeouts } = this.#shared
    const { route } = this.#trace
    const isLong = route === null || bodyKind(route) !== 'json'
    const share = new BodyShare(account)
    this.#trace.share = share
    const bytesMax = isLong ? bodyBytesMax : jsonBytesMax
    return { bytesMax, isLong, share, watch, timeouts, begin: this.#begin }
  }

  /** Asks the client for the body that it holds back. */
  readonly #begin = (): void => {
    if (!this.#awaitsContinue) return
    this.#response.shouldKeepAlive = true
    this.#response.writeContinue()
  }

  #reading<T>(work: Promise<T>): Promise<T> {
    const connection = this.#connection
    connection.reading++
    const beganAt = performance.now()
    return work.finally(() => {
      connection.reading--
      this.#trace.idleMs += performance.now() - beganAt
    })
  }
}
