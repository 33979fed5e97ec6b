// A bucket: objects by key, over requests that are signed in their query string. A request is tried
// again, after longer and longer pauses, as long as the store cannot be reached, is busy or fails;
// anything else it refuses is final.
import { setMaxListeners } from 'node:events'
import { Backoff, Canceled, EngineFault } from '../../model/index.ts'
import type { Credentials } from './credentials.ts'
import {
  LIST_PAGES_MAX,
  RETRY_MS_MAX,
  RETRY_PAUSE_GROWTH,
  RETRY_PAUSE_MS_MAX,
  RETRY_PAUSE_MS_MIN,
  SHOWN_ANSWER_MAX,
} from './limits.ts'
import {
  bodyOf,
  type StoreAnswer,
  type StoreBody,
  type StoreRequest,
  type Transport,
  TransportFault,
} from './transport.ts'
import {
  completionXml,
  type ListedObject,
  listedIn,
  readAll,
  rootOf,
  textIn,
  uploadsIn,
} from './xml.ts'

export type BucketOptions = {
  readonly transport: Transport
  /** `https://…`, without the bucket's name. */
  readonly url: string
  readonly region: string
  readonly name: string
  readonly credentials: Credentials
  /** For how long a signature counts. */
  readonly signatureSeconds: number
  readonly signal: AbortSignal
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly retryPauseMs?: number
  readonly retryMsMax?: number
}

type Asked = Pick<StoreRequest, 'method'> & {
  readonly key: string
  readonly query?: { readonly [name: string]: string }
  readonly headers?: StoreRequest['headers']
  readonly body?: StoreBody
}

const NOT_FOUND = 404
const NOT_IMPLEMENTED = 501
const TOO_MANY = 429

export class Bucket {
  readonly #options: BucketOptions
  readonly #base: string

  constructor(options: BucketOptions) {
    this.#options = options
    // Each request on its way listens: more than Node.js takes for a leak.
    setMaxListeners(0, options.signal)
    this.#base = `${options.url.replace(/\/+$/, '')}/${encodeURIComponent(options.name)}`
  }

  get signal(): AbortSignal {
    return this.#options.signal
  }

  /** The same bucket, for as long as another signal lasts. */
  until(signal: AbortSignal): Bucket {
    return new Bucket({ ...this.#options, signal })
  }

  /** @throws EngineFault, Canceled, like all that follow */
  async put(key: string, body: StoreBody): Promise<void> {
    await this.#expect(await this.#ask({ method: 'PUT', key, body }))
  }

  /** Bytes of an object; null: there is none. */
  async size(key: string): Promise<number | null> {
    const answer = await this.#ask({ method: 'HEAD', key })
    await drain(answer)
    if (answer.status === NOT_FOUND) return null
    if (!isSuccess(answer)) throw serverError(`S3 error: status: ${answer.status}, body: `)
    return Number(answer.headers['content-length'] ?? Number.NaN)
  }

  /** The bytes of an object. Where a connection breaks, the rest is asked for anew. */
  async *get(key: string): AsyncGenerator<Uint8Array, void, undefined> {
    let at = 0
    const tries = this.#backoff()
    for (;;) {
      const headers: StoreRequest['headers'] = at === 0 ? {} : { range: `bytes=${at}-` }
      const answer = await this.#ask({ method: 'GET', key, headers })
      if (answer.status === 416) return
      await this.#expectStart(answer)
      let skip = answer.status === 206 ? 0 : at
      try {
        for await (const chunk of answer.body) {
          const rest = skip === 0 ? chunk : chunk.subarray(Math.min(skip, chunk.length))
          skip -= chunk.length - rest.length
          if (rest.length === 0) continue
          at += rest.length
          tries.extend()
          yield rest
        }
        return
      } catch (error) {
        this.#throwIfFinal(error, tries.isLast)
        await tries.pause()
      }
    }
  }

  async delete(key: string): Promise<void> {
    const answer = await this.#ask({ method: 'DELETE', key })
    if (answer.status === NOT_FOUND) return void (await drain(answer))
    await this.#expect(answer)
  }

  /** All objects whose keys begin with `prefix`, by key. */
  async list(prefix: string): Promise<readonly ListedObject[]> {
    const found: ListedObject[] = []
    let token: string | null = null
    for (let page = 0; page < LIST_PAGES_MAX; page++) {
      const more: { [name: string]: string } = token === null ? {} : { 'continuation-token': token }
      const query = { 'list-type': '2', prefix, ...more }
      const text = await this.#expect(await this.#ask({ method: 'GET', key: '', query }))
      const xml = await rootOf(text, 'ListBucketResult')
      if (xml === null) throw serverError('S3 XML error: no list of objects')
      found.push(...listedIn(xml))
      token = textIn(xml, 'NextContinuationToken')
      if (token === null || textIn(xml, 'IsTruncated') !== 'true') break
    }
    return found
  }

  /**
   * Uploads in parts that were begun under `prefix` and not ended; as many as the store tells at
   * once. Stores that do not tell have none.
   */
  async openUploads(prefix: string): Promise<readonly { key: string; uploadId: string }[]> {
    const answer = await this.#ask({ method: 'GET', key: '', query: { uploads: '', prefix } })
    const text = await this.#text(answer)
    const xml = isSuccess(answer) ? await rootOf(text, 'ListMultipartUploadsResult') : null
    return xml === null ? [] : uploadsIn(xml).filter(({ key }) => key.startsWith(prefix))
  }

  /** Begins an upload in parts; its id. */
  async begin(key: string): Promise<string> {
    const query = { uploads: '' }
    const text = await this.#expect(await this.#ask({ method: 'POST', key, query }))
    const xml = await rootOf(text, 'InitiateMultipartUploadResult')
    const id = xml === null ? null : textIn(xml, 'UploadId')
    if (id === null) throw serverError('S3 XML error: the answer names no upload')
    return id
  }

  /** Uploads a part, from 1; its ETag. */
  async part(key: string, uploadId: string, number: number, body: StoreBody): Promise<string> {
    const query = { partNumber: String(number), uploadId }
    const answer = await this.#ask({ method: 'PUT', key, query, body })
    await this.#expect(answer)
    const etag = answer.headers['etag']
    if (etag === undefined) throw serverError('S3 HTTP error: a part was taken without an ETag')
    return etag
  }

  /** Puts the parts together: from now on the object is there. */
  async complete(key: string, uploadId: string, etags: readonly string[]): Promise<void> {
    const body = bodyOf(new TextEncoder().encode(completionXml(etags)))
    const headers = { 'content-type': 'application/xml' }
    const query = { uploadId }
    const answer = await this.#ask({ method: 'POST', key, query, headers, body })
    const isRefused = answer.status >= 400 && answer.status < 500
    const text = await this.#expect(answer, isRefused ? 'invalid_s_3_snapshot_request' : undefined)
    // Stores answer before they are done, and say in the body how it went.
    const failure = await rootOf(text, 'Error')
    if (failure !== null) throw serverError(`S3 error: ${this.#shown(text)}`)
  }

  /** Forgets an upload and its parts. */
  async abort(key: string, uploadId: string): Promise<void> {
    const answer = await this.#ask({ method: 'DELETE', key, query: { uploadId } })
    if (answer.status === NOT_FOUND) return void (await drain(answer))
    await this.#expect(answer)
  }

  async #ask(asked: Asked): Promise<StoreAnswer> {
    const tries = this.#backoff()
    for (;;) {
      const { isLast } = tries
      try {
        const answer = await this.#once(asked)
        const { status } = answer
        const isBusy = (status >= 500 && status !== NOT_IMPLEMENTED) || status === TOO_MANY
        if (!isBusy || isLast) return answer
        await drain(answer)
      } catch (error) {
        this.#throwIfFinal(error, isLast)
      }
      await tries.pause()
    }
  }

  async #once({ method, key, query = {}, headers = {}, body }: Asked): Promise<StoreAnswer> {
    const { transport, signal } = this.#options
    if (signal.aborted) throw new Canceled()
    const url = await this.#signed(method, key, query)
    return transport({ method, url, headers, body: body ?? null, signal })
  }

  /** Returns when another try may help. @throws Canceled, EngineFault */
  #throwIfFinal(error: unknown, isLast: boolean): void {
    if (this.#options.signal.aborted) throw new Canceled()
    if (!(error instanceof TransportFault)) throw error
    if (!error.mayRetry || isLast) throw serverError(`S3 HTTP error: ${error.message}`)
  }

  /** Signed for this moment: query string, host alone, whatever the body. */
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
      signQuery: true,
      datetime: new Date(now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    })
    return (await signer.sign()).url.href
  }

  /** The body of an answer that went well. @throws EngineFault */
  async #expect(answer: StoreAnswer, code?: 'invalid_s_3_snapshot_request'): Promise<string> {
    const text = await this.#text(answer)
    if (isSuccess(answer)) return text
    const words = `S3 error: status: ${answer.status}, body: ${this.#shown(text)}`
    throw new EngineFault(code ?? 's_3_snapshot_server_error', words)
  }

  async #expectStart(answer: StoreAnswer): Promise<void> {
    if (!isSuccess(answer)) await this.#expect(answer)
  }

  async #text(answer: StoreAnswer): Promise<string> {
    try {
      return await readAll(answer.body)
    } catch (error) {
      if (this.#options.signal.aborted) throw new Canceled()
      if (!(error instanceof TransportFault)) throw error
      throw serverError(`S3 HTTP error: ${error.message}`)
    }
  }

  /** Without what is a secret: stores repeat what they were sent. */
  #shown(text: string): string {
    const { accessKey, secretKey, sessionToken } = this.#options.credentials
    let shown = text.slice(0, SHOWN_ANSWER_MAX)
    for (const secret of [secretKey, sessionToken, accessKey]) {
      if (secret !== null && secret !== '') shown = shown.replaceAll(secret, '…')
    }
    return shown
  }

  #backoff(): Backoff {
    const { retryMsMax = RETRY_MS_MAX, retryPauseMs = RETRY_PAUSE_MS_MIN } = this.#options
    return new Backoff({
      pauseMs: retryPauseMs,
      pauseMsMax: RETRY_PAUSE_MS_MAX,
      growth: RETRY_PAUSE_GROWTH,
      totalMsMax: retryMsMax,
      now: this.#options.now,
      signal: this.#options.signal,
    })
  }
}

const isSuccess = ({ status }: StoreAnswer): boolean => status >= 200 && status < 300

const serverError = (message: string): EngineFault =>
  new EngineFault('s_3_snapshot_server_error', message)

/** As signatures want it: everything but letters, digits and `-_.~`. */
const encodedSegment = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** Reads what nobody wants, so that the connection can be used again. */
async function drain({ body }: StoreAnswer): Promise<void> {
  try {
    await readAll(body)
  } catch (error) {
    if (!(error instanceof TransportFault)) throw error
  }
}
