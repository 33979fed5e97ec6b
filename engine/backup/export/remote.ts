// The server that receives an export. A request is repeated, after growing pauses, while the other
// side cannot be reached or answers that it is busy; any other refusal ends the export.
import { decoder } from '../../../format/bytes/index.ts'
import { isValid, nullable, objectWith, open, text } from '../../../format/schema/index.ts'
import {
  Canceled,
  EngineFault,
  type OutgoingAnswer,
  OutgoingFault,
  type OutgoingRequest,
  type Send,
} from '../../model/index.ts'
import { Backoff } from '../../time/index.ts'
import {
  ANSWER_TIMEOUT_MS,
  RETRY_MS_MAX,
  RETRY_PAUSE_GROWTH,
  RETRY_PAUSE_MS_MAX,
  RETRY_PAUSE_MS_MIN,
} from './limits.ts'

/** Answers that a repetition may improve. */
const BUSY: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])
const OK = 200
const NOT_FOUND = 404

export type RemoteOptions = {
  readonly send: Send
  readonly url: string
  readonly apiKey: string | null
  readonly signal: AbortSignal
  /** Milliseconds of any clock. */
  readonly now: () => number
  readonly retryMsMax?: number
  readonly retryPauseMs?: number
}

type RemoteRequest = Pick<OutgoingRequest, 'method' | 'body'> & {
  readonly path: string
  readonly headers?: OutgoingRequest['headers']
  readonly timeoutMs?: number
}

export class Remote {
  readonly #options: RemoteOptions
  readonly #base: string

  constructor(options: RemoteOptions) {
    this.#options = options
    this.#base = options.url.replace(/\/+$/, '')
  }

  /** Returns whether the path exists. @throws EngineFault, Canceled, like all other methods */
  async has(path: string): Promise<boolean> {
    const answer = await this.#request({ method: 'GET', path, body: null })
    if (answer.status === NOT_FOUND) return false
    expectSuccess(answer)
    return true
  }

  /** Returns a JSON value, or null if the key may not read it or it does not exist. */
  async read(path: string): Promise<unknown> {
    const { status, body } = await this.#request({ method: 'GET', path, body: null })
    return status === OK ? jsonOf(body) : null
  }

  /** `advice`: returns a way out for the code of a refusal, or null. */
  async send(
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    value: unknown,
    advice?: Advice,
  ): Promise<void> {
    const body = Buffer.from(JSON.stringify(value))
    const headers = { 'content-type': 'application/json' }
    expectSuccess(await this.#request({ method, path, body, headers }), advice)
  }

  /** Sends newline-delimited JSON, packed with gzip. */
  async sendPacked(path: string, body: Uint8Array, timeoutMs: number): Promise<void> {
    const headers = { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' }
    expectSuccess(await this.#request({ method: 'POST', path, body, headers, timeoutMs }))
  }

  async #request(request: RemoteRequest): Promise<OutgoingAnswer> {
    const { retryMsMax = RETRY_MS_MAX, retryPauseMs = RETRY_PAUSE_MS_MIN } = this.#options
    const { now, signal } = this.#options
    const tries = new Backoff({
      pauseMs: retryPauseMs,
      pauseMsMax: RETRY_PAUSE_MS_MAX,
      growth: RETRY_PAUSE_GROWTH,
      totalMsMax: retryMsMax,
      now,
      signal,
    })
    for (;;) {
      const { isLast } = tries
      const answer = await this.#attempt(request, isLast)
      if (answer !== null && (isLast || !BUSY.has(answer.status))) return answer
      await tries.pause()
    }
  }

  /** Returns null if the other side was out of reach and there is time for another attempt. */
  async #attempt(request: RemoteRequest, isLast: boolean): Promise<OutgoingAnswer | null> {
    const { send, apiKey, signal } = this.#options
    const { method, path, body, headers = {}, timeoutMs = ANSWER_TIMEOUT_MS } = request
    if (signal.aborted) throw new Canceled()
    const key = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }
    try {
      const url = this.#base + path
      return await send({ method, url, headers: { ...headers, ...key }, body, timeoutMs, signal })
    } catch (error) {
      if (signal.aborted) throw new Canceled()
      if (!(error instanceof OutgoingFault)) throw error
      if (error.kind === 'unreachable' && !isLast) return null
      throw failed(`: ${error.message}`)
    }
  }
}

export type Advice = (code: string) => string | null

function expectSuccess({ status, body }: OutgoingAnswer, advice?: Advice): void {
  if (status >= 200 && status < 300) return
  const refusal = errorOf(body)
  if (refusal === null) throw failed(`: it answered with status ${status}`)
  const wayOut = advice?.(refusal.code) ?? null
  const more = wayOut === null ? '' : ` ${wayOut}`
  throw failed(` ${refusal.code} (${refusal.type}): ${refusal.message} <${refusal.link}>${more}`)
}

const failed = (reason: string): EngineFault =>
  new EngineFault('internal', `Failed to export documents to remote server${reason}`)

type ErrorTexts = { readonly [member in 'message' | 'code' | 'type' | 'link']: string }
type ErrorBody = Pick<ErrorTexts, 'code'> & {
  readonly [member in Exclude<keyof ErrorTexts, 'code'>]?: string | null
}
const maybeText = nullable(text)
const ERROR_BODY = open(
  objectWith<ErrorBody>({ code: text }, { message: maybeText, type: maybeText, link: maybeText }),
)

/** Returns the error object of an answer, or null if it has none. */
function errorOf(body: Uint8Array): ErrorTexts | null {
  const value = jsonOf(body)
  if (!isValid(ERROR_BODY, value)) return null
  const { code, message, type, link } = value
  return code === '' ? null : { code, message: message ?? '', type: type ?? '', link: link ?? '' }
}

/** Returns null if it is not JSON. */
function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(body))
  } catch (error) {
    // Not JSON: another server, or a proxy.
    if (!(error instanceof SyntaxError)) throw error
    return null
  }
}
