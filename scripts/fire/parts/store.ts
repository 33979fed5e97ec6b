// An object store of a run, in memory, with pages as long as those of real stores. Instances reach
// it by ways that fail: each is a proxy in front of it, of one instance or of several.
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  BUCKET,
  STORE_KEY,
  type StoreStyle,
  StrictStore,
  type Trouble,
} from '../../../server/testing/index.ts'
import { ALLOWS_LOOPBACK } from './instance.ts'

const PAGE_MAX = 1000

/** Options of an instance that uses a store. */
export const storeWords = (url: string): readonly string[] => [
  '--objstore-bucket-url',
  url,
  '--objstore-bucket-region',
  'us-east-1',
  '--objstore-bucket-name',
  BUCKET,
  '--objstore-snapshot-prefix',
  'fire',
  '--objstore-access-key',
  STORE_KEY,
  '--objstore-secret-key',
  STORE_KEY,
  '--experimental-objstore-multipart-part-size',
  '11MiB',
  ...ALLOWS_LOOPBACK,
]

export class FireStore {
  readonly #store: StrictStore
  readonly #server: Server
  port = 0

  private constructor(style: StoreStyle) {
    const keys = { accessKey: STORE_KEY, secretKey: STORE_KEY, region: 'us-east-1' }
    this.#store = new StrictStore({ style, bucket: BUCKET, ...keys, pageMax: PAGE_MAX })
    this.#server = this.#store.server()
  }

  static async start(seed: number): Promise<FireStore> {
    const store = new FireStore(seed % 2 === 0 ? 'hyperscale' : 'appliance')
    store.port = await listening(store.#server, 0)
    return store
  }

  /** The objects by key; tests read and change them. */
  get objects(): StrictStore['objects'] {
    return this.#store.objects
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

export type WayRequest = { readonly method: string; readonly url: string }
export type WayAnswer = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export class StoreWay {
  readonly #server = createServer((incoming, response) => this.#pass(incoming, response))
  readonly #port: number
  #isCut = false
  /** Called for every request; null passes it on unchanged. */
  trouble: (request: WayRequest) => Trouble | null = () => null
  /** Replaces an answer of the store; null leaves it as it is. */
  lie: (request: WayRequest, answer: WayAnswer) => string | null = () => null
  /** Requests that change the store, since the beginning. */
  readonly changes: string[] = []

  private constructor(port: number) {
    this.#port = port
    this.#server.on('connection', (socket) => {
      socket.on('error', ignoreBroken)
      if (this.#isCut) socket.resetAndDestroy()
    })
  }

  static async start({ port }: FireStore): Promise<StoreWay> {
    const way = new StoreWay(port)
    await listening(way.#server, 0)
    return way
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Breaks all connections and refuses new ones, or accepts them again. */
  cut(isCut: boolean): void {
    this.#isCut = isCut
    this.breakAll()
  }

  breakAll(): void {
    this.#server.closeAllConnections()
  }

  /** Accepts no connections for `ms` milliseconds. */
  async restart(ms: number): Promise<void> {
    const { port } = this.#server.address() as AddressInfo
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.breakAll()
    await closed
    await new Promise((resolve) => setTimeout(resolve, ms))
    await listening(this.#server, port)
  }

  stop(): void {
    this.breakAll()
    this.#server.close()
  }

  #pass(incoming: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '', headers } = incoming
    const asked = { method, url }
    const trouble = this.trouble(asked)
    if (trouble?.kind === 'reset') return void incoming.socket.destroy()
    if (trouble?.kind === 'hang') return void incoming.resume()
    if (trouble?.kind === 'status') {
      incoming.resume().on('end', () => response.writeHead(trouble.status).end(trouble.body ?? ''))
      return
    }
    const options = { host: '127.0.0.1', port: this.#port, method, path: url, headers }
    const inner = request(options, (found) => {
      if (method !== 'GET' && method !== 'HEAD') this.changes.push(`${method} ${url}`)
      if (trouble?.kind === 'lost') return void incoming.socket.destroy()
      const chunks: Uint8Array[] = []
      found.on('data', (chunk: Uint8Array) => chunks.push(chunk))
      found.on('end', () => {
        const body = Buffer.concat(chunks)
        const answer = { status: found.statusCode ?? 500, headers: found.headers, body }
        const ms = trouble?.kind === 'slow' ? trouble.ms : 0
        setTimeout(() => this.#answer(asked, response, answer, trouble), ms)
      })
    })
    inner.on('error', () => incoming.socket.destroy())
    // A client was killed in the middle of its body: the store must not wait for the rest.
    incoming.on('close', () => {
      if (!incoming.complete) inner.destroy()
    })
    incoming.pipe(inner)
  }

  #answer(
    asked: WayRequest,
    response: ServerResponse,
    answer: WayAnswer,
    trouble: Trouble | null,
  ): void {
    const lie = this.lie(asked, answer)
    const { 'content-length': length, 'transfer-encoding': coding, ...headers } = answer.headers
    const body = lie === null ? answer.body : Buffer.from(lie)
    const hasLength = asked.method === 'HEAD' && length !== undefined
    response.writeHead(answer.status, {
      ...headers,
      ...(hasLength ? { 'content-length': length } : {}),
      ...(asked.method === 'HEAD' || answer.status === 204 || coding !== undefined
        ? {}
        : { 'content-length': body.length }),
    })
    if (trouble?.kind !== 'half') return void response.end(body)
    response.write(body.subarray(0, body.length / 2), () => response.destroy())
  }
}

/** Ignores errors of connections, which break on purpose. */
const ignoreBroken = (): void => undefined

async function listening(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
