// One instance of a network under fire: a process that is killed, restarted or paused for a while,
// behind a TCP proxy through which the others reach it. The proxy passes connections on, breaks
// them, or holds them silently, as in a network partition.
import { type AddressInfo, createServer, connect as open, type Server, type Socket } from 'node:net'
import { ALLOWS_LOOPBACK, Instance, type InstanceOptions } from '../parts/instance.ts'

const WORDS = [...ALLOWS_LOOPBACK, '--max-indexing-threads', '1']
/** Short times, so that clients do not wait long for an instance that is down. */
const VARIABLES = { SVC_EXPERIMENTAL_PROXY_BACKOFF_TIMEOUT_SECONDS: '2' }

export class Member extends Instance {
  readonly proxy: PartitionProxy

  private constructor(options: InstanceOptions, proxy: PartitionProxy) {
    super(options)
    this.proxy = proxy
  }

  /** Starts an instance in a folder of its own, which may have a database. */
  static async start(
    name: string,
    root: string,
    { words = [], ...options }: Omit<InstanceOptions, 'name' | 'root'> = {},
  ): Promise<Member> {
    const all = { variables: VARIABLES, ...options, name, root, words: [...WORDS, ...words] }
    const member = new Member(all, await PartitionProxy.start())
    await member.start()
    return member
  }

  /** The address for the other instances, which is that of the proxy. */
  get url(): string {
    return this.proxy.url
  }

  override async start(more: readonly string[] = []): Promise<void> {
    await super.start(more)
    this.proxy.target = Number(new URL(await this.program!.url).port)
  }

  override async kill(): Promise<void> {
    this.proxy.target = null
    await super.kill()
    this.proxy.breakAll()
  }

  /** Ends the process and the proxy. */
  async end(): Promise<void> {
    this.signal('SIGCONT')
    await this.program?.stop()
    await this.kill()
    await this.proxy.stop()
  }
}

/** `pass`: forwards all bytes. `drop`: breaks connections. `hold`: forwards no bytes. */
type ProxyMode = 'pass' | 'drop' | 'hold'

class PartitionProxy {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #mode: ProxyMode = 'pass'
  /** The port of the instance, or null while the instance does not listen. */
  target: number | null = null
  /**
   * Receives the bytes of each request to the instance before they are forwarded. If it returns
   * true, the proxy holds them and everything after them.
   */
  holdsFrom: (bytes: Buffer) => boolean = () => false

  private constructor() {
    this.#server = createServer((socket) => this.#accept(socket))
  }

  static async start(): Promise<PartitionProxy> {
    const proxy = new PartitionProxy()
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Sets the mode of open and new connections. Bytes that were held are forwarded afterwards. */
  set mode(mode: ProxyMode) {
    this.#mode = mode
    for (const socket of this.#sockets) {
      if (mode === 'drop') socket.destroy()
      else if (mode === 'hold') socket.pause()
      else socket.resume()
    }
  }

  /** Breaks all connections, because the instance has ended. */
  breakAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async stop(): Promise<void> {
    this.breakAll()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #accept(socket: Socket): void {
    const { target } = this
    if (this.#mode === 'drop' || target === null) {
      socket.on('error', ignoreBroken)
      socket.resetAndDestroy()
      return
    }
    const other = open(target, '127.0.0.1')
    this.#join(socket, other, true)
    this.#join(other, socket, false)
    if (this.#mode === 'hold') this.mode = 'hold'
  }

  #join(from: Socket, to: Socket, isRequest: boolean): void {
    this.#sockets.add(from)
    from.on('data', (bytes: Buffer) => {
      if (isRequest && this.holdsFrom(bytes)) {
        this.mode = 'hold'
        from.unshift(bytes)
        return
      }
      // Does not wait for a slow receiver: bodies are small here.
      if (!to.destroyed) to.write(bytes)
    })
    from.on('end', () => to.end())
    from.on('error', ignoreBroken)
    from.on('close', () => {
      this.#sockets.delete(from)
      to.destroy()
    })
  }
}

/** Ignores errors of connections, which break on purpose; `close` follows and cleans up. */
const ignoreBroken = (): void => undefined
