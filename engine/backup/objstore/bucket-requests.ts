// Requests to a bucket, signed in their query string. A request is repeated, after growing pauses,
// while the store cannot be reached, is busy or fails; any other refusal is final.
import { setMaxListeners } from 'node:events'
import { Canceled, EngineFault } from '../../model/index.ts'
import { Backoff } from '../../time/index.ts'
import { drain, isSuccess, serverError } from './answers.ts'
import type { Credentials } from './credentials.ts'
import { encodedSegment } from './keys.ts'
import {
  RETRY_MS_MAX,
  RETRY_PAUSE_GROWTH,
  RETRY_PAUSE_MS_MAX,
  RETRY_PAUSE_MS_MIN,
  SHOWN_ANSWER_MAX,
} from './limits.ts'
import {
  type StoreAnswer,
  type StoreBody,
  type StoreRequest,
  type Transport,
  TransportFault,
} from './transport.ts'
import { readAll } from './xml.ts'

export type BucketOptions = {
  readonly transport: Transport
  /** `https://…`, without the bucket's name. */
  readonly url: string
  readonly region: string
  readonly name: string
  readonly credentials: Credentials
  /** Seconds for which a signature is valid. */
  readonly signatureSeconds: number
  readonly signal: AbortSignal
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Milliseconds of a clock that is never set: limits repetitions. By default `now`. */
  readonly steadyMs?: () => number
  readonly retryPauseMs?: number
  readonly retryMsMax?: number
}

type BucketRequest = Pick<StoreRequest, 'method'> & {
  readonly key: string
  readonly query?: { readonly [name: string]: string }
  readonly headers?: StoreRequest['headers']
  readonly body?: StoreBody
}

const NOT_IMPLEMENTED = 501
const TOO_MANY = 429

export class BucketRequests {
  readonly #options: BucketOptions
  readonly #base: string
  /** The key of a day's signatures, which costs four of the five hashes of a signature. */
  readonly #signingKeys = new Map<string, ArrayBuffer>()

  constructor(options: BucketOptions) {
    this.#options = options
    // Each running request adds a listener: more than Node.js allows before it warns of a leak.
    setMaxListeners(0, options.signal)
    this.#base = `${options.url.replace(/\/+$/, '')}/${encodeURIComponent(options.name)}`
  }

  /** Sends a request; returns the body of a successful answer. @throws EngineFault, Canceled */
  async run(request: BucketRequest): Promise<string> {
    return this.expect(await this.send(request))
  }

  /** Returns the last answer, with any status. @throws EngineFault, Canceled */
  async send(request: BucketRequest): Promise<StoreAnswer> {
    const tries = this.backoff()
    for (;;) {
      const { isLast } = tries
      try {
        const answer = await this.#sendOnce(request)
        const { status } = answer
        const isBusy = (status >= 500 && status !== NOT_IMPLEMENTED) || status === TOO_MANY
        if (!isBusy || isLast) return answer
        await drain(answer)
      } catch (error) {
        this.throwIfFinal(error, isLast)
      }
      await tries.pause()
    }
  }

  async #sendOnce({
    method,
    key,
    query = {},
    headers = {},
    body,
  }: BucketRequest): Promise<StoreAnswer> {
    const { transport, signal, credentials } = this.#options
    if (signal.aborted) throw new Canceled()
    const url = await this.#signed(method, key, query)
    const { accessKey, secretKey, sessionToken } = credentials
    const secrets = [accessKey, secretKey, sessionToken ?? '']
    return transport({ method, url, headers, body: body ?? null, secrets, signal })
  }

  /** Returns if another attempt may help. @throws Canceled, EngineFault */
  throwIfFinal(error: unknown, isLast: boolean): void {
    if (this.#options.signal.aborted) throw new Canceled()
    if (!(error instanceof TransportFault)) throw error
    if (!error.mayRetry || isLast) throw serverError(`S3 HTTP error: ${error.message}`)
  }

  /** Signs the query string and the host, without the body, at the current time. */
  async #signed(
    method: string,
    key: string,
    query: { readonly [name: string]: string },
  ): Promise<string> {
    const { credentials, region, signatureSeconds, now } = this.#options
    const { AwsV4Signer } = await import('aws4fetch')
    const path = key.split('/').map(encodedSegment).join('/')
    const url = new URL(key === '' ? this.#base : `${this.#base}/${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    url.searchParams.set('X-Amz-Expires', String(signatureSeconds))
    const { accessKey, secretKey, sessionToken } = credentials
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      accessKeyId: accessKey,
      secretAccessKey: secretKey,
      ...(sessionToken === null ? {} : { sessionToken }),
      service: 's3',
      region,
      cache: this.#signingKeys,
      signQuery: true,
      datetime: new Date(now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    })
    return (await signer.sign()).url.href
  }

  /** Returns the body of a successful answer. @throws EngineFault */
  async expect(answer: StoreAnswer, code?: 'invalid_s_3_snapshot_request'): Promise<string> {
    const text = await this.text(answer)
    if (isSuccess(answer)) return text
    const words = `S3 error: status: ${answer.status}, body: ${text.slice(0, SHOWN_ANSWER_MAX)}`
    throw new EngineFault(code ?? 's_3_snapshot_server_error', words)
  }

  async expectStart(answer: StoreAnswer): Promise<void> {
    if (!isSuccess(answer)) await this.expect(answer)
  }

  /** Returns the body of an answer. @throws EngineFault, Canceled */
  async text(answer: StoreAnswer): Promise<string> {
    try {
      return await readAll(answer.body)
    } catch (error) {
      if (this.#options.signal.aborted) throw new Canceled()
      if (!(error instanceof TransportFault)) throw error
      throw serverError(`S3 HTTP error: ${error.message}`)
    }
  }

  backoff(): Backoff {
    const { retryMsMax = RETRY_MS_MAX, retryPauseMs = RETRY_PAUSE_MS_MIN } = this.#options
    return new Backoff({
      pauseMs: retryPauseMs,
      pauseMsMax: RETRY_PAUSE_MS_MAX,
      growth: RETRY_PAUSE_GROWTH,
      totalMsMax: retryMsMax,
      now: this.#options.steadyMs ?? this.#options.now,
      signal: this.#options.signal,
    })
  }
}
