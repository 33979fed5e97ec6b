// An object store in memory that follows the protocol strictly: it verifies signatures in query
// strings (version 4), returns lists in short pages, keeps parts of uploads, answers conditional
// writes, and imitates one of two vendors. For tests.
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

/**
 * How vendors differ where the protocol leaves it open: `hyperscale` has XML namespaces, quoted
 * tags and a length in every answer; `appliance` has no XML declaration, bare tags, empty elements
 * in place of absent ones, and chunked bodies.
 */
export type StoreStyle = 'hyperscale' | 'appliance'

type StrictOptions = {
  readonly style: StoreStyle
  readonly bucket: string
  readonly accessKey: string
  readonly secretKey: string
  readonly region: string
  /** Objects in one page of a list. */
  readonly pageMax?: number
  /** Smallest size of a part in bytes, except the last one. */
  readonly partBytesMin?: number
  /** Whether lists do not show an object yet. */
  readonly hides?: (key: string) => boolean
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

type Upload = { readonly key: string; readonly parts: Map<number, Stored> }
type Stored = { readonly bytes: Buffer; readonly etag: string }
type StoreRequest = {
  readonly method: string
  readonly url: URL
  readonly key: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}
type Answered = {
  readonly status: number
  readonly headers?: { readonly [name: string]: string }
  readonly body?: Buffer | string
}

class StoreError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(code)
  }
}

const MINUTES_OFF_MAX = 15
const PAGE_MAX = 3
const WEEK_S = 604_800

export class StrictStore {
  readonly objects = new Map<string, Stored>()
  readonly #options: StrictOptions
  readonly #uploads = new Map<string, Upload>()
  /** Continuation token → the key after which the list continues. Tokens are opaque to clients. */
  readonly #tokens = new Map<string, string>()
  #next = 1
  /** Uploads that waited for `100 Continue` before they sent their body. */
  continued = 0

  constructor(options: StrictOptions) {
    this.#options = options
  }

  server(): Server {
    const server = createServer()
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      this.#serve(request).then(
        (answered) => this.#send(request, response, answered),
        () => response.destroy(),
      )
    }
    server.on('request', answer)
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      this.continued++
      response.writeContinue()
      answer(request, response)
    })
    return server
  }

  async #serve(request: IncomingMessage): Promise<Answered> {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk as Uint8Array)
    const url = new URL(request.url ?? '/', `http://${request.headers.host ?? 'localhost'}`)
    const method = request.method ?? ''
    const root = `/${this.#options.bucket}`
    const path = url.pathname
    try {
      if (path !== root && !path.startsWith(`${root}/`)) throw new StoreError(404, 'NoSuchBucket')
      const body = Buffer.concat(chunks)
      const { headers } = request
      this.#checkSignature(method, url, headers)
      if (method === 'PUT' && headers['content-length'] === undefined) {
        throw new StoreError(411, 'MissingContentLength')
      }
      const key = decodeURIComponent(path.slice(root.length + 1))
      return this.#answer({ method, url, key, headers, body })
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      return this.#errorAnswer(error, path)
    }
  }

  #answer(request: StoreRequest): Answered {
    const { method, url, key } = request
    const { searchParams: query } = url
    if (key === '') {
      if (method !== 'GET') throw new StoreError(405, 'MethodNotAllowed')
      if (query.has('uploads')) return this.#openUploads(query)
      if (query.get('list-type') === '2') return this.#list(query)
      throw new StoreError(400, 'InvalidArgument')
    }
    if (query.has('uploads') && method === 'POST') return this.#begin(key)
    if (query.has('uploadId')) return this.#ofUpload(request, query.get('uploadId') ?? '')
    if (method === 'PUT') return this.#put(request)
    if (method === 'GET' || method === 'HEAD') return this.#get(request)
    if (method !== 'DELETE') throw new StoreError(405, 'MethodNotAllowed')
    this.objects.delete(key)
    return { status: 204 }
  }

  #put({ key, headers, body }: StoreRequest): Answered {
    const there = this.objects.get(key)
    const [mustMiss, mustMatch] = [headers['if-none-match'], headers['if-match']]
    if (mustMiss !== undefined && mustMiss !== '*') throw new StoreError(501, 'NotImplemented')
    const isRefused =
      (mustMiss === '*' && there !== undefined) ||
      (mustMatch !== undefined && (there === undefined || quoted(there.etag) !== mustMatch))
    if (isRefused) throw new StoreError(412, 'PreconditionFailed')
    const stored = storedOf(body)
    this.objects.set(key, stored)
    return { status: 200, headers: { etag: quoted(stored.etag) } }
  }

  #get({ key, headers }: StoreRequest): Answered {
    const found = this.objects.get(key)
    if (found === undefined) throw new StoreError(404, 'NoSuchKey')
    const { bytes, etag } = found
    const range = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '')
    const objectHeaders = { etag: quoted(etag), 'content-type': 'binary/octet-stream' }
    if (range === null) return { status: 200, headers: objectHeaders, body: bytes }
    const from = Number(range[1])
    if (from >= bytes.length) throw new StoreError(416, 'InvalidRange')
    const to = range[2] === '' ? bytes.length - 1 : Math.min(Number(range[2]), bytes.length - 1)
    const place = { 'content-range': `bytes ${from}-${to}/${bytes.length}` }
    return {
      status: 206,
      headers: { ...objectHeaders, ...place },
      body: bytes.subarray(from, to + 1),
    }
  }

  #list(query: URLSearchParams): Answered {
    const { bucket, pageMax = PAGE_MAX, hides = () => false } = this.#options
    const prefix = query.get('prefix') ?? ''
    const token = query.get('continuation-token')
    const after = token === null ? (query.get('start-after') ?? '') : this.#tokens.get(token)
    if (after === undefined) throw new StoreError(400, 'InvalidArgument')
    const keys = [...this.objects.keys()].filter(
      (key) => key.startsWith(prefix) && key > after && !hides(key),
    )
    keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    const max = Math.min(Number(query.get('max-keys') ?? pageMax), pageMax)
    const page = keys.slice(0, max)
    const isMore = page.length < keys.length
    const next = isMore ? this.#tokenFor(page.at(-1) ?? '') : null
    const isUrl = query.get('encoding-type') === 'url'
    const contents = page.map((key) => {
      const { bytes, etag } = this.objects.get(key)!
      return element('Contents', [
        element('Key', isUrl ? encodeURIComponent(key) : escaped(key)),
        element('LastModified', '2026-01-02T03:04:05.000Z'),
        element('ETag', this.#isPlain ? etag : `&quot;${etag}&quot;`),
        element('Size', String(bytes.length)),
        element('StorageClass', 'STANDARD'),
      ])
    })
    return this.#xml('ListBucketResult', [
      element('Name', bucket),
      element('Prefix', escaped(prefix)),
      element('KeyCount', String(page.length)),
      element('MaxKeys', String(max)),
      element('IsTruncated', String(isMore)),
      isUrl ? element('EncodingType', 'url') : '',
      next !== null || this.#isPlain ? element('NextContinuationToken', next ?? '') : '',
      ...contents,
    ])
  }

  #tokenFor(key: string): string {
    const token = `${this.#next++}/+=${createHash('sha1').update(key).digest('base64')}`
    this.#tokens.set(token, key)
    return token
  }

  #begin(key: string): Answered {
    const id = `upload-${this.#next++}`
    this.#uploads.set(id, { key, parts: new Map() })
    return this.#xml('InitiateMultipartUploadResult', [
      element('Bucket', this.#options.bucket),
      element('Key', escaped(key)),
      element('UploadId', id),
    ])
  }

  #openUploads(query: URLSearchParams): Answered {
    const prefix = query.get('prefix') ?? ''
    const open = [...this.#uploads].filter(([, { key }]) => key.startsWith(prefix))
    return this.#xml('ListMultipartUploadsResult', [
      element('IsTruncated', 'false'),
      ...open.map(([id, { key }]) =>
        element('Upload', [element('Key', escaped(key)), element('UploadId', id)]),
      ),
    ])
  }

  #ofUpload({ method, url, key, body }: StoreRequest, id: string): Answered {
    const upload = this.#uploads.get(id)
    if (upload?.key !== key) throw new StoreError(404, 'NoSuchUpload')
    if (method === 'DELETE') {
      this.#uploads.delete(id)
      return { status: 204 }
    }
    if (method === 'PUT') {
      const number = Number(url.searchParams.get('partNumber'))
      if (!(number >= 1 && number <= 10_000)) throw new StoreError(400, 'InvalidArgument')
      const part = storedOf(body)
      upload.parts.set(number, part)
      return { status: 200, headers: { etag: quoted(part.etag) } }
    }
    if (method !== 'POST') throw new StoreError(405, 'MethodNotAllowed')
    const whole = this.#completed(upload, body.toString())
    this.#uploads.delete(id)
    this.objects.set(key, whole)
    return this.#xml('CompleteMultipartUploadResult', [
      element('Key', escaped(key)),
      element('ETag', `&quot;${whole.etag}&quot;`),
    ])
  }

  #completed({ parts }: Upload, text: string): Stored {
    const { partBytesMin = 0 } = this.#options
    const named = [...text.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
      number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
      etag: (/<ETag>(.*?)<\/ETag>/.exec(part)?.[1] ?? '').replace(/&quot;|"/g, ''),
    }))
    if (named.length === 0) throw new StoreError(400, 'MalformedXML')
    const bytes: Buffer[] = []
    for (const [i, { number, etag }] of named.entries()) {
      const part = parts.get(number)
      if (part?.etag !== etag) throw new StoreError(400, 'InvalidPart')
      if (number <= (named[i - 1]?.number ?? 0)) throw new StoreError(400, 'InvalidPartOrder')
      const isShort = i < named.length - 1 && part.bytes.length < partBytesMin
      if (isShort) throw new StoreError(400, 'EntityTooSmall')
      bytes.push(part.bytes)
    }
    return storedOf(Buffer.concat(bytes))
  }

  /** Verifies signature version 4 in the query string; the body is unsigned. */
  #checkSignature(method: string, url: URL, headers: IncomingMessage['headers']): void {
    const { accessKey, secretKey, region, now = Date.now } = this.#options
    const query = url.searchParams
    const of = (name: string): string => query.get(`X-Amz-${name}`) ?? ''
    if (of('Algorithm') !== 'AWS4-HMAC-SHA256') throw new StoreError(403, 'AccessDenied')
    const [id, date = '', place = '', service = '', end = ''] = of('Credential').split('/')
    if (id !== accessKey) throw new StoreError(403, 'InvalidAccessKeyId')
    const isScope = place === region && service === 's3' && end === 'aws4_request'
    const stamp = of('Date')
    if (!isScope || !stamp.startsWith(date))
      throw new StoreError(400, 'AuthorizationQueryParametersError')
    const at = Date.parse(stamp.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'))
    const expires = Number(of('Expires'))
    if (!(expires >= 1 && expires <= WEEK_S)) {
      throw new StoreError(400, 'AuthorizationQueryParametersError')
    }
    const isEarly = at > now() + MINUTES_OFF_MAX * 60_000
    if (isEarly || now() > at + expires * 1000) throw new StoreError(403, 'AccessDenied')
    const signed = of('SignedHeaders').split(';')
    if (!signed.includes('host')) throw new StoreError(403, 'AccessDenied')
    const names = [...query].filter(([name]) => name !== 'X-Amz-Signature')
    const canonicalQuery = names
      .map(([name, value]) => `${strictly(name)}=${strictly(value)}`)
      .sort()
      .join('&')
    const canonical = [
      method,
      url.pathname
        .split('/')
        .map((part) => strictly(decodeURIComponent(part)))
        .join('/'),
      canonicalQuery,
      ...signed.map((name) => `${name}:${String(headers[name] ?? '').trim()}`),
      '',
      of('SignedHeaders'),
      'UNSIGNED-PAYLOAD',
    ].join('\n')
    const scope = `${date}/${place}/${service}/${end}`
    const text = ['AWS4-HMAC-SHA256', stamp, scope, sha256(canonical)].join('\n')
    const keys = [date, place, service, end]
    const start: Buffer | string = `AWS4${secretKey}`
    const signingKey = keys.reduce<Buffer | string>((key, part) => hmac(key, part), start)
    const wanted = hmac(signingKey, text).toString('hex')
    if (of('Signature') !== wanted) throw new StoreError(403, 'SignatureDoesNotMatch')
  }

  #errorAnswer({ status, code }: StoreError, path: string): Answered {
    const parts = [element('Code', code), element('Message', `refused: ${code}`)]
    const more = this.#isPlain ? [element('Resource', escaped(path))] : []
    return {
      ...this.#xml('Error', [...parts, ...more, element('RequestId', '4442587FB7D0A2F9')]),
      status,
    }
  }

  #xml(name: string, content: readonly string[]): Answered {
    const space = this.#isPlain ? '' : ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'
    const head = this.#isPlain ? '' : '<?xml version="1.0" encoding="UTF-8"?>\n'
    const body = `${head}<${name}${space}>${content.join('')}</${name}>`
    return { status: 200, headers: { 'content-type': 'application/xml' }, body }
  }

  get #isPlain(): boolean {
    return this.#options.style === 'appliance'
  }

  #send(request: IncomingMessage, response: ServerResponse, answered: Answered): void {
    const { status, headers = {}, body = '' } = answered
    const bytes = Buffer.from(body)
    const isChunked = this.#isPlain && request.method === 'GET'
    const hasBody = status !== 204 && request.method !== 'HEAD'
    const length = isChunked || status === 204 ? {} : { 'content-length': String(bytes.length) }
    response.writeHead(status, { server: this.#options.style, ...headers, ...length })
    if (!hasBody) response.end()
    else if (isChunked) {
      const middle = bytes.length >> 1
      response.write(bytes.subarray(0, middle), () => response.end(bytes.subarray(middle)))
    } else response.end(bytes)
  }
}

const storedOf = (bytes: Buffer): Stored => ({
  bytes,
  etag: createHash('md5').update(bytes).digest('hex'),
})

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const hmac = (key: Buffer | string, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest()

const quoted = (etag: string): string => `"${etag}"`

/** Percent-encodes all characters except letters, digits and `-_.~`, as signatures need it. */
const strictly = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )

const escaped = (text: string): string =>
  text.replace(/[&<>]/g, (letter) => `&#${letter.charCodeAt(0)};`)

const element = (name: string, content: string | readonly string[]): string =>
  `<${name}>${typeof content === 'string' ? content : content.join('')}</${name}>`
