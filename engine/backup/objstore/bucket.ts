// A bucket: objects by key, and multipart uploads.
import { encoder } from '../../../format/bytes/index.ts'
import { drain, isSuccess, serverError } from './answers.ts'
import { type BucketOptions, BucketRequests } from './bucket-requests.ts'
import { unquoted, uploadEtag } from './etags.ts'
import { LIST_PAGES_MAX, SHOWN_ANSWER_MAX } from './limits.ts'
import { bodyOf, type StoreBody, type StoreRequest } from './transport.ts'
import {
  completionXml,
  hasRoot,
  type ListedObject,
  type ListedUpload,
  listedIn,
  nextUploadsIn,
  rootOf,
  textIn,
  uploadsIn,
} from './xml.ts'

/** `etag`: null if the store has none. */
export type ReadObject = { readonly bytes: Uint8Array; readonly etag: string | null }

const NOT_FOUND = 404
/** Answers to a conditional write of an object that is not as expected. */
const CHANGED: ReadonlySet<number> = new Set([404, 409, 412])

export class Bucket {
  readonly #options: BucketOptions
  readonly #requests: BucketRequests

  constructor(options: BucketOptions) {
    this.#options = options
    this.#requests = new BucketRequests(options)
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
    await this.#requests.run({ method: 'PUT', key, body })
  }

  /**
   * Writes an object if it has this ETag, or for null if it does not exist. Returns its new ETag,
   * or null if the store refused: then an earlier attempt of this call may have been executed.
   */
  async putIf(key: string, body: StoreBody, etag: string | null): Promise<string | null> {
    const condition = etag === null ? { 'if-none-match': '*' } : { 'if-match': etag }
    const answer = await this.#requests.send({ method: 'PUT', key, headers: condition, body })
    if (CHANGED.has(answer.status)) {
      await drain(answer)
      return null
    }
    await this.#requests.expect(answer)
    const { etag: written } = answer.headers
    if (written === undefined)
      throw serverError('S3 HTTP error: an object was taken without an ETag')
    return written
  }

  /** Returns a short object, or null if it does not exist. A longer one is cut. */
  async read(key: string, bytesMax: number): Promise<ReadObject | null> {
    const answer = await this.#requests.send({ method: 'GET', key })
    if (answer.status === NOT_FOUND) {
      await drain(answer)
      return null
    }
    await this.#requests.expectStart(answer)
    const chunks: Uint8Array[] = []
    let bytes = 0
    try {
      for await (const chunk of answer.body) {
        bytes += chunk.length
        chunks.push(chunk)
        if (bytes > bytesMax) break
      }
    } catch (error) {
      this.#requests.throwIfFinal(error, true)
    }
    return { bytes: Buffer.concat(chunks), etag: answer.headers['etag'] ?? null }
  }

  /** Returns the bytes of an object, or null if it does not exist. */
  async size(key: string): Promise<number | null> {
    return (await this.#properties(key))?.bytes ?? null
  }

  /** Returns null if the object does not exist. */
  async #properties(key: string): Promise<{ bytes: number; etag: string | null } | null> {
    const answer = await this.#requests.send({ method: 'HEAD', key })
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
    const tries = this.#requests.backoff()
    for (;;) {
      const headers: StoreRequest['headers'] = at === 0 ? {} : { range: `bytes=${at}-` }
      const answer = await this.#requests.send({ method: 'GET', key, headers })
      if (answer.status === 416) return
      if (answer.status === NOT_FOUND && missing !== undefined) throw missing()
      await this.#requests.expectStart(answer)
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
        this.#requests.throwIfFinal(error, tries.isLast)
        await tries.pause()
      }
    }
  }

  async delete(key: string): Promise<void> {
    const answer = await this.#requests.send({ method: 'DELETE', key })
    if (answer.status === NOT_FOUND) return void (await drain(answer))
    await this.#requests.expect(answer)
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
      const text = await this.#requests.run({ method: 'GET', key: '', query })
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
      const answer = await this.#requests.send({
        method: 'GET',
        key: '',
        query: { ...first, ...query },
      })
      const text = await this.#requests.text(answer)
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
    const text = await this.#requests.run({ method: 'POST', key, query })
    const xml = await rootOf(text, 'InitiateMultipartUploadResult')
    const id = xml === null ? null : textIn(xml, 'UploadId')
    if (id === null) throw serverError('S3 XML error: the answer names no upload')
    return id
  }

  /** Uploads a part, numbered from 1; returns its ETag. */
  async part(key: string, uploadId: string, number: number, body: StoreBody): Promise<string> {
    const query = { partNumber: String(number), uploadId }
    const answer = await this.#requests.send({ method: 'PUT', key, query, body })
    await this.#requests.expect(answer)
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
    const answer = await this.#requests.send({ method: 'POST', key, query, headers, body })
    if (answer.status === NOT_FOUND && (await this.#consistsOf(key, etags, bytes))) {
      return void (await drain(answer))
    }
    const isRefused = answer.status >= 400 && answer.status < 500
    const text = await this.#requests.expect(
      answer,
      isRefused ? 'invalid_s_3_snapshot_request' : undefined,
    )
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
    const answer = await this.#requests.send({ method: 'DELETE', key, query: { uploadId } })
    if (answer.status === NOT_FOUND) return void (await drain(answer))
    await this.#requests.expect(answer)
  }
}

const MARKERS = ['key-marker', 'upload-id-marker']
