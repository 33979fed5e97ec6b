// HTTP without sockets: a request is written to a server of Node as bytes of a connection in memory,
// and the bytes that it answers are read. Parsing, limits and the end of connections are those of
// Node and of the server.
import { createServer, type Server, type ServerOptions } from 'node:http'
import { Duplex } from 'node:stream'

export type WireRequest = {
  readonly method: string
  readonly path: string
  readonly host: string
  readonly headers: { readonly [name: string]: string }
  readonly body: Uint8Array | null
}

export type WireAnswer = {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: Buffer
}

/** The server's end of a connection. */
class Connection extends Duplex {
  readonly #sent: Uint8Array[] = []
  remoteAddress = '127.0.0.1'

  get answered(): Buffer {
    return Buffer.concat(this.#sent)
  }

  override _read(): void {
    // All bytes of the request were pushed at once.
  }

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    this.#sent.push(Uint8Array.from(chunk))
    done()
  }
}

/** Creates servers that listen at no address. */
export class Listening {
  #server: Server | null
  readonly #connections = new Set<Connection>()
  /** Called once the server accepts nothing more and all connections have ended. */
  #closed: (() => void) | null = null

  constructor(server: Server | null = null) {
    this.#server = server
  }

  /** Whether a server listens. */
  get isOpen(): boolean {
    return this.#server !== null
  }

  /** For `HttpServer`. */
  readonly make = (options: ServerOptions): Server => {
    const server = createServer(options)
    const port = 7700
    server.listen = ((_port: unknown, _host: unknown, done: () => void) => {
      this.#server = server
      done()
      return server
    }) as Server['listen']
    server.close = ((done: () => void) => {
      this.#server = null
      this.#closed = done
      this.#noteEnd()
      return server
    }) as Server['close']
    server.address = () => ({ address: '127.0.0.1', family: 'IPv4', port })
    return server
  }

  /**
   * Writes a request. `ended` receives the answer, or null if the connection ends without one. The
   * returned function ends the connection.
   */
  accept(request: WireRequest, ended: (answer: WireAnswer | null) => void): () => void {
    const connection = new Connection()
    let isOver = false
    const end = (): void => {
      if (isOver) return
      isOver = true
      ended(answerIn(connection.answered))
      // The client closes its end as well.
      connection.destroy()
    }
    connection.on('finish', end)
    connection.on('close', end)
    connection.on('error', end)
    if (this.#server === null) throw new Error('the server does not listen')
    this.#connections.add(connection)
    connection.once('close', () => {
      this.#connections.delete(connection)
      this.#noteEnd()
    })
    this.#server.emit('connection', connection)
    connection.push(bytesOf(request))
    return () => {
      isOver = true
      connection.destroy()
    }
  }

  #noteEnd(): void {
    if (this.#closed === null || this.#connections.size > 0) return
    this.#closed()
    this.#closed = null
  }
}

function bytesOf({ method, path, host, headers, body }: WireRequest): Buffer {
  const length = body === null ? [] : [`content-length: ${body.length}`]
  const named = Object.entries(headers)
    .filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()))
    .map(([name, value]) => `${name}: ${value}`)
  const lines = [`${method} ${path} HTTP/1.1`, `host: ${host}`, 'connection: close', ...named]
  const head = Buffer.from(`${[...lines, ...length].join('\r\n')}\r\n\r\n`)
  return body === null ? head : Buffer.concat([head, body])
}

const OWN_HEADERS: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding'])

/** Returns null if the bytes are not a whole answer. */
function answerIn(bytes: Buffer): WireAnswer | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [first = '', ...lines] = bytes.subarray(0, end).toString().split('\r\n')
  const headers: { [name: string]: string } = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  const rest = bytes.subarray(end + 4)
  const status = Number(first.split(' ')[1])
  const body = headers['transfer-encoding'] === 'chunked' ? unchunked(rest) : rest
  const length = Number(headers['content-length'] ?? body?.length)
  return body === null || body.length < length ? null : { status, headers, body }
}

function unchunked(bytes: Buffer): Buffer | null {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at)
    if (end < 0) return null
    const length = Number.parseInt(bytes.subarray(at, end).toString(), 16)
    if (length === 0) return Buffer.concat(parts)
    parts.push(bytes.subarray(end + 2, end + 2 + length))
    at = end + 4 + length
  }
}
