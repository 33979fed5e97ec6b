// The server itself: sockets, their limits, stopping. One Node server per address, all with one
// listener.
import { lookup } from 'node:dns/promises'
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { isIP, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { canWriteError, HTTP2, isWaiting } from './connection.ts'
import { ConnectionLimit, type ConnectionMeasures, connectionsMax } from './connection-limit.ts'
import type { ExchangeOptions } from './exchange.ts'
import { type Listener, listener } from './listener.ts'
import { HEADER_BYTES_MAX, TIMEOUTS, type Timeouts } from './messages/index.ts'
import { type ParserFault, refuseUnread } from './refused.ts'

export type Address = { readonly host: string; readonly port: number }

/** Creates a Node server; TLS uses another factory. */
export type ServerMaker = (options: ServerOptions) => Server

/** Milliseconds between two looks at the requests that still run. */
const HOLD_POLL_MS = 5

export type HttpServerOptions = ExchangeOptions & {
  /** Open connections, on all addresses together; absent: as many as the system allows. */
  readonly connectionsMax?: number
}

export class HttpServer {
  #options: ExchangeOptions
  readonly #timeouts: Timeouts
  readonly #make: ServerMaker
  #listener: Listener
  readonly #servers: Server[] = []
  /** Requests wait for it while the engine is replaced; null at other times. */
  #held: Promise<void> | null = null
  #release: () => void = () => undefined
  readonly #connections: ConnectionLimit

  constructor(options: HttpServerOptions, make: ServerMaker = createServer) {
    this.#options = options
    this.#timeouts = options.timeouts ?? TIMEOUTS
    this.#make = make
    this.#listener = listener(options)
    this.#connections = new ConnectionLimit(options.connectionsMax ?? connectionsMax())
  }

  get connections(): ConnectionMeasures {
    return this.#connections.measures
  }

  /**
   * Listens on every available address of the host; if the port is 0, the port chosen for the first
   * address is used for all. @throws the system's error if no address is available
   */
  async listen(address: Address): Promise<Address> {
    const hosts = isIP(address.host) === 0 ? await addressesOf(address.host) : [address.host]
    let port = address.port
    let refusal: unknown = null
    for (const host of hosts) {
      try {
        port = await this.#listenOn({ host, port })
      } catch (error) {
        // A name may resolve to an address that this machine does not have; a port in use is an
        // error.
        if ((error as NodeJS.ErrnoException).code !== 'EADDRNOTAVAIL') throw error
        refusal = error
      }
    }
    if (this.#servers.length === 0) throw refusal
    return { host: address.host, port }
  }

  /**
   * Lets new requests wait until `replace` is called. Resolves when the running ones have been
   * answered, or after `ms`.
   */
  async hold(ms: number): Promise<void> {
    this.#held ??= new Promise((resolve) => {
      this.#release = resolve
    })
    const end = performance.now() + ms
    while (this.#connections.isBusy && performance.now() < end) await sleep(HOLD_POLL_MS)
  }

  /** Answers requests by other options from now on, those that wait included. */
  replace(options: ExchangeOptions): void {
    this.#options = options
    this.#listener = listener(options)
    this.#held = null
    this.#release()
  }

  /** Accepts no more requests and waits for running ones, up to a time limit. */
  async stop(): Promise<void> {
    const { stopMs } = this.#timeouts
    const closed = Promise.all(this.#servers.map((server) => close(server)))
    const idle = setInterval(() => {
      this.#each((server) => server.closeIdleConnections())
      this.#connections.closeUnused()
    }, 20)
    const deadline = setTimeout(() => this.#each((server) => server.closeAllConnections()), stopMs)
    try {
      await closed
    } finally {
      clearInterval(idle)
      clearTimeout(deadline)
    }
  }

  #serve(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void {
    this.#connections.used(request.socket)
    if (this.#held !== null) {
      void this.#held.then(() => {
        if (!response.destroyed) this.#serve(request, response, awaitsContinue)
      })
      return
    }
    this.#listener(request, response, awaitsContinue)
  }

  #each(action: (server: Server) => void): void {
    for (const server of this.#servers) action(server)
  }

  #listenOn({ host, port }: Address): Promise<number> {
    const { headersMs, requestMs, idleMs, keepAliveMs, probeMs, checkMs } = this.#timeouts
    const server = this.#make({
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: checkMs,
      keepAlive: true,
      keepAliveInitialDelay: probeMs,
      noDelay: true,
    })
    this.#limitConnections(server)
    // A client that has sent everything may close its half and still gets the answer.
    Object.assign(server, { httpAllowHalfOpen: true })
    server.setTimeout(idleMs, (socket: Socket) => {
      if (!isWaiting(socket)) socket.destroy()
    })
    server.on('request', (request, response) => this.#serve(request, response, false))
    server.on('checkContinue', (request, response) => this.#serve(request, response, true))
    server.on('clientError', (fault: ParserFault, socket: Socket) => {
      if (canWriteError(socket)) refuseUnread(fault, socket, this.#options.router)
      else socket.destroy()
    })
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, () => {
        server.removeListener('error', reject)
        this.#servers.push(server)
        const bound = server.address()
        resolve(typeof bound === 'object' && bound !== null ? bound.port : port)
      })
    })
  }

  #limitConnections(server: Server): void {
    const limit = this.#connections
    const isTls = server.listenerCount('secureConnection') > 0
    server.on('connection', (socket: Socket) => {
      if (!isTls) limit.mayClose(socket)
      limit.opened(socket)
    })
    // Requests know the socket of TLS. A session of HTTP/2 is no socket with a request at a time.
    server.on('secureConnection', (socket: TLSSocket) => {
      if (socket.alpnProtocol !== HTTP2) limit.mayClose(socket)
    })
  }
}

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
  })

/** Returns the addresses of a host without duplicates, in the order of the resolver. */
async function addressesOf(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true })
  return [...new Set(found.map(({ address }) => address))]
}
