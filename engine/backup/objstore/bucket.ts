// A bucket: objects by key, over requests that are signed in their query string. A request is
// repeated, after growing pauses, while the store cannot be reached, is busy or fails; any other
// refusal is final.

import { setMaxListeners } from 'node:events'
import { encoder } from '../../../format/bytes/index.ts'
import { Canceled, EngineFault } from '../../model/index.ts'
import { Backoff } from '../../time/index.ts'
import { drain, isSuccess, serverError } from './answers.ts'
import type { Credentials } from './credentials.ts'
import { unquoted, uploadEtag } from './etags.ts'
import { encodedSegment } from './keys.ts'
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
  hasRoot,
  type ListedObject,
  type ListedUpload,
  listedIn,
  nextUploadsIn,
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

/** `etag`: null if the store has none. */
export type ReadObject = { readonly bytes: Uint8Array; readonly etag: string | null }

type BucketRequest = Pick<StoreRequest, 'method'> & {
  readonly key: string
  readonly query?: { readonly [name: string]: string }
  readonly headers?: StoreRequest['headers']
  readonly body?: StoreBody
}

const NOT_FOUND = 404
const NOT_IMPLEMENTED = 501
/** Answers to a conditional write of an object that is not as expected. */
const CHANGED: ReadonlySet<number> = new Set([404, 409, 412])
const TOO_MANY = 429

export class Bucket {
  readonly #options: BucketOptions
  readonly #base: string

  constructor(options: BucketOptions) {
    this.#options = options
    // Each running request adds a listener: more than Node.js allows before it warns of a leak.
    setMaxListeners(0, options.signal)
    this.#base = `${options.url.replace(/\/+$/, '')}/${encodeURIComponent(options.name)}`
  }

  get signal(): AbortSignal {
    return this.#options.signal
  }

  /** Returns the same bucket with another signal. */
  until(signal: AbortSignal): Bucket {
    return new Bucket({ ...this.#options, signal })
  }

  /** @throws EngineFault, Canceled, like all other methods */
  async put(key: string, body: StoreBody): Promise<void> {
    await this.#expect(await this.#send({ method: 'PUT', key, body }))
  }

  /**
   * Writes an object if it has this ETag, or for null if it does not exist. Returns its new ETag,
   * or null if the store refused: then an earlier attempt of this call may have been executed.
   */
  async putIf(key: string, body: StoreBody, etag: string | null): Promise<string | null> {
    const condition = etag === null ? { 'if-none-match': '*' } : { 'if-match': etag }
    const answer = await this.#send({ method: 'PUT', key, headers: condition, body })
    if (CHANGED.has(answer.status)) {
      await drain(answer)
      return null
    }
    await this.#expect(answer)
    const { etag: written } = answer.headers
    if (written === undefined)
      throw serverError('S3 HTTP error: an object was taken without an ETag')
    return written
  }

  /** Returns a short object, or null if it does not exist. A longer one is cut. */
  async read(key: string, bytesMax: number): Promise<ReadObject | null> {
    const answer = await this.#send({ method: 'GET', key })
    if (answer.status === NOT_FOUND) {
      await drain(answer)
      return null
    }
    await this.#expectStart(answer)
    const chunks: Uint8Array[] = []
    let bytes = 0
    try {
      for await (const chunk of answer.body) {
        bytes += chunk.length
        chunks.push(chunk)
        if (bytes > bytesMax) break
      }
    } catch (error) {
      this.#throwIfFinal(error, true)
    }
    return { bytes: Buffer.concat(chunks), etag: answer.headers['etag'] ?? null }
  }

  /** Returns the bytes of an object, or null if it does not exist. */
  async size(key: string): Promise<number | null> {
    return (await this.#properties(key))?.bytes ?? null
  }

  /** Returns null if the object does not exist. */
  async #properties(key: string): Promise<{ bytes: number; etag: string | null } | null> {
    const answer = await this.#send({ method: 'HEAD', key })
    await drain(answer)
    if (answer.status === NOT_FOUND) return null
    if (!isSuccess(answer)) throw serverError(`S3 error: status: ${answer.status}, body: `)
    const { 'content-length': length, etag } = answer.headers
    return { bytes: Number(length ?? Number.NaN), etag: etag ?? null }
  }

  /**
   * Yields the bytes of an object. If a connection breaks, the remaining bytes are requested again.
   * `missing`: creates the error for an object that does not exist.
   */
  async *get(key: string, missing?: () => Error): AsyncGenerator<Uint8Array, void, undefined> {
    let at = 0
    const tries = this.#backoff()
    for (;;) {
      const headers: StoreRequest['headers'] = at === 0 ? {} : { range: `bytes=${at}-` }
      const answer = await this.#send({ method: 'GET', key, headers })
      if (answer.status === 416) return
      if (answer.status === NOT_FOUND && missing !== undefined) throw missing()
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
    const answer = await this.#send({ method: 'DELETE', key })
    if (answer.status === NOT_FOUND) return void (await drain(answer))
    await this.#expect(answer)
  }

  /**
   * Returns all objects whose keys begin with `prefix`. A list with any other key is refused as a
   * whole: a store that ignores the prefix would have foreign objects read and deleted.
   */
  async list(prefix: string): Promise<readonly ListedObject[]> {
    const found: ListedObject[] = []
    const tokens = new Set<string>()
    let token: string | null = null
    for (let page = 0; page < LIST_PAGES_MAX; page++) {
      const more: { [name: string]: string } = token === null ? {} : { 'continuation-token': token }
      const query = { 'list-type': '2', 'encoding-type': 'url', prefix, ...more }
      const text = await this.#expect(await this.#send({ method: 'GET', key: '', query }))
      const xml = await rootOf(text, 'ListBucketResult')
      if (xml === null) throw serverError('S3 XML error: no list of objects')
      const page = listedIn(xml)
      if (!page.every(({ key }) => key.startsWith(prefix))) {
        throw serverError(`S3 XML error: the list of \`${prefix}\` holds objects of other places`)
      }
      found.push(...page)
      token = textIn(xml, 'NextContinuationToken')
      if (token === null || textIn(xml, 'IsTruncated') !== 'true') return found
      if (tokens.has(token)) break
      tokens.add(token)
    }
    throw serverError(`S3 XML error: the list of \`${prefix}\` does not end`)
  }

  /**
   * Returns all unfinished multipart uploads under `prefix`. Returns an empty list for stores
   * without this request.
   */
  async openUploads(prefix: string): Promise<readonly ListedUpload[]> {
    const found: ListedUpload[] = []
    let query: { readonly [name: string]: string } = {}
    for (let page = 0; page < LIST_PAGES_MAX; page++) {
      const first = { uploads: '', prefix, 'encoding-type': 'url' }
      const answer = await this.#send({ method: 'GET', key: '', query: { ...first, ...query } })
      const text = await this.#text(answer)
      const xml = isSuccess(answer) ? await rootOf(text, 'ListMultipartUploadsResult') : null
      if (xml === null) break
      found.push(...uploadsIn(xml).filter(({ key }) => key.startsWith(prefix)))
      const next = nextUploadsIn(xml)
      // A store that ignores the markers would return its first page again and again.
      if (next === null || MARKERS.every((name) => next[name] === query[name])) break
      query = next
    }
    return found
  }

  /** Begins a multipart upload; returns its id. */
  async begin(key: string): Promise<string> {
    const query = { uploads: '' }
    const text = await this.#expect(await this.#send({ method: 'POST', key, query }))
    const xml = await rootOf(text, 'InitiateMultipartUploadResult')
    const id = xml === null ? null : textIn(xml, 'UploadId')
    if (id === null) throw serverError('S3 XML error: the answer names no upload')
    return id
  }

  /** Uploads a part, numbered from 1; returns its ETag. */
  async part(key: string, uploadId: string, number: number, body: StoreBody): Promise<string> {
    const query = { partNumber: String(number), uploadId }
    const answer = await this.#send({ method: 'PUT', key, query, body })
    await this.#expect(answer)
    const etag = answer.headers['etag']
    if (etag === undefined) throw serverError('S3 HTTP error: a part was taken without an ETag')
    return etag
  }

  /**
   * Completes a multipart upload of `bytes` bytes: from now on the object exists. If an answer was
   * lost, the store no longer knows the upload when the request is repeated: then the object itself
   * shows whether these parts have become it.
   */
  async complete(
    key: string,
    uploadId: string,
    etags: readonly string[],
    bytes: number,
  ): Promise<void> {
    const body = bodyOf(encoder.encode(completionXml(etags)))
    const headers = { 'content-type': 'application/xml' }
    const query = { uploadId }
    const answer = await this.#send({ method: 'POST', key, query, headers, body })
    if (answer.status === NOT_FOUND && (await this.#consistsOf(key, etags, bytes))) {
      return void (await drain(answer))
    }
    const isRefused = answer.status >= 400 && answer.status < 500
    const text = await this.#expect(answer, isRefused ? 'invalid_s_3_snapshot_request' : undefined)
    // Stores answer before they have finished, and report the outcome in the body.
    if (await hasRoot(text, 'Error'))
      throw serverError(`S3 error: ${text.slice(0, SHOWN_ANSWER_MAX)}`)
  }

  /** Returns whether an object has that size and the ETag of an upload of these parts. */
  async #consistsOf(key: string, etags: readonly string[], bytes: number): Promise<boolean> {
    const expected = uploadEtag(etags)
    const found = expected === null ? null : await this.#properties(key)
    return found !== null && found.bytes === bytes && unquoted(found.etag ?? '') === expected
  }

  /** Removes an upload and its parts. */
  async abort(key: string, uploadId: string): Promise<void> {
    const answer = await this.#send({ method: 'DELETE', key, query: { uploadId } })
    if (answer.status === NOT_FOUND) return void (await drain(answer))
    await this.#expect(answer)
  }

  async #send(request: BucketRequest): Promise<StoreAnswer> {
    const tries = this.#backoff()
    for (;;) {
      const { isLast } = tries
      try {
        const answer = await this.#sendOnce(request)
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
  #throwIfFinal(error: unknown, isLast: boolean): void {
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
      signQuery: true,
      datetime: new Date(now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    })
    return (await signer.sign()).url.href
  }

  /** Returns the body of a successful answer. @throws EngineFault */
  async #expect(answer: StoreAnswer, code?: 'invalid_s_3_snapshot_request'): Promise<string> {
    const text = await this.#text(answer)
    if (isSuccess(answer)) return text
    const words = `S3 error: status: ${answer.status}, body: ${text.slice(0, SHOWN_ANSWER_MAX)}`
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

  #backoff(): Backoff {
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

const MARKERS = ['key-marker', 'upload-id-marker']
