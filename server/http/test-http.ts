// Test support: a server on a free port, and a client that writes raw bytes.
import { connect, type Socket } from 'node:net'
import { masterKeyOnly } from './authorise.ts'
import { type JsonBody, type Route, TIMEOUTS } from './messages/index.ts'
import { Router } from './router.ts'
import { HttpServer, type HttpServerOptions } from './server.ts'

/** A body reader that returns the bytes of a JSON body in one piece. */
export const bytesBody = (kind: JsonBody['kind'] = 'json'): JsonBody<Uint8Array, never> => ({
  kind,
  reader: 'bytes',
  read: (body) => body,
  details: () => [],
  schema: () => ({}),
})

export type TestServer = {
  readonly port: number
  readonly url: string
  readonly http: HttpServer
  /** Messages of failures that were reported. */
  readonly failures: readonly string[]
  readonly stop: () => Promise<void>
}

/** Starts a server that stops quickly; all else is as in production by default. */
export async function testServer(
  routes: readonly Route[],
  options: Partial<HttpServerOptions> = {},
): Promise<TestServer> {
  const failures: string[] = []
  const http = new HttpServer({
    router: new Router(routes),
    authorise: masterKeyOnly(null),
    bodyBytesMax: 1_000_000,
    jsonBytesMax: 1_000_000,
    log: { failed: (_route, error) => failures.push(error.message), answered: () => undefined },
    timeouts: { ...TIMEOUTS, stopMs: 200 },
    ...options,
  })
  const { port } = await http.listen({ host: '127.0.0.1', port: 0 })
  return { port, url: `http://127.0.0.1:${port}`, http, failures, stop: () => http.stop() }
}

export type RawAnswer = {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

/** A connection on which requests are written byte by byte and answers are read one by one. */
export class RawClient {
  readonly socket: Socket
  #text = ''
  #isClosed = false
  #wake: () => void = () => undefined

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1')
    this.socket.on('data', (chunk) => {
      this.#text += chunk.toString('latin1')
      this.#wake()
    })
    this.socket.on('close', () => {
      this.#isClosed = true
      this.#wake()
    })
    // Some tests expect the server to cut the connection.
    this.socket.on('error', () => this.#wake())
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  write(bytes: string | Uint8Array): void {
    this.socket.write(bytes)
  }

  /** Returns the next answer, or null if the connection ends before it is complete. */
  async answer(): Promise<RawAnswer | null> {
    for (;;) {
      const found = this.#take()
      if (found !== null) return found
      if (this.#isClosed) return null
      await this.#news()
    }
  }

  async closed(): Promise<void> {
    while (!this.#isClosed) await this.#news()
  }

  end(): void {
    this.socket.destroy()
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #take(): RawAnswer | null {
    const end = this.#text.indexOf('\r\n\r\n')
    if (end < 0) return null
    const [first = '', ...lines] = this.#text.slice(0, end).split('\r\n')
    const status = Number(first.split(' ')[1])
    const headers: { [name: string]: string } = {}
    for (const line of lines) {
      const colon = line.indexOf(':')
      headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
    }
    const length = status < 200 ? 0 : Number(headers['content-length'] ?? 0)
    const start = end + 4
    if (this.#text.length < start + length) return null
    const body = this.#text.slice(start, start + length)
    this.#text = this.#text.slice(start + length)
    return { status, headers, body }
  }
}

/** Writes one request on a new connection and reads its answer. */
export async function raw(port: number, request: string | Uint8Array): Promise<RawAnswer | null> {
  const client = new RawClient(port)
  client.write(request)
  const answer = await client.answer()
  client.end()
  return answer
}
