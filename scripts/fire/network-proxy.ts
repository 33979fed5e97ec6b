// A TCP proxy before an instance, through which the others reach it: it passes connections on,
// breaks them, or holds them without a word, as networks do when they part.

import type { AddressInfo } from 'node:net'
import { createServer, connect as open, type Server, type Socket } from 'node:net'

/** pass: as if it were not there. drop: connections break. hold: no byte gets through. */
export type ProxyMode = 'pass' | 'drop' | 'hold'

export class PartitionProxy {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #mode: ProxyMode = 'pass'
  /** Where connections go; null: the instance does not listen. */
  target: number | null = null

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

  /** Connections that are open are treated like new ones; what was held goes on afterwards. */
  set mode(mode: ProxyMode) {
    this.#mode = mode
    for (const socket of this.#sockets) {
      if (mode === 'drop') socket.destroy()
      else if (mode === 'hold') socket.pause()
      else socket.resume()
    }
  }

  /** Breaks all connections: the instance behind it is gone. */
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
    this.#join(socket, other)
    this.#join(other, socket)
    if (this.#mode === 'hold') this.mode = 'hold'
  }

  #join(from: Socket, to: Socket): void {
    this.#sockets.add(from)
    from.on('data', (bytes) => {
      // Written in full even when the other side is slow: bodies are small here.
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

/** Connections break here on purpose; `close` follows and does the rest. */
const ignoreBroken = (): void => undefined
