// The limit of open connections. A connection without a request makes room for a new one: the one
// whose last request is the longest ago. If all have requests, the new one is closed.
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { availableParallelism } from 'node:os'
import { hasRequest } from './connection.ts'
import {
  CONNECTIONS_MAX,
  CONNECTIONS_MIN,
  DESCRIPTORS_ASSUMED,
  DESCRIPTORS_PER_CONNECTION,
  DESCRIPTORS_PER_PROCESSOR,
  DESCRIPTORS_RESERVED,
} from './messages/index.ts'

export type ConnectionMeasures = { readonly open: number; readonly dropped: number }

export class ConnectionLimit {
  readonly #max: number
  /** Connections that may be closed while they have no request, by their last use. */
  readonly #sockets = new Set<Socket>()
  #open = 0
  #dropped = 0

  constructor(max: number) {
    this.#max = max
  }

  /** Connections that are open now, and those that were closed because there were too many. */
  get measures(): ConnectionMeasures {
    return { open: this.#open, dropped: this.#dropped }
  }

  /** Counts a new connection; closes an idle one or this one if there are too many. */
  opened(socket: Socket): void {
    this.#open++
    socket.once('close', () => this.#open--)
    if (this.#open <= this.#max) return
    const idle = this.#idle()
    this.#dropped++
    if (idle !== null) this.#sockets.delete(idle)
    const closed = idle ?? socket
    closed.destroy()
  }

  /** Notes a connection that may be closed while it has no request. */
  mayClose(socket: Socket): void {
    if (socket.destroyed) return
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
  }

  /** Notes a request on a connection. */
  used(socket: Socket): void {
    if (this.#sockets.delete(socket)) this.#sockets.add(socket)
  }

  /**
   * Closes connections on which no byte has arrived, which Node does not count as idle. Clients open
   * some in advance.
   */
  closeUnused(): void {
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
  }

  /** Whether a request has no answer yet; sessions of HTTP/2 do not count. */
  get isBusy(): boolean {
    for (const socket of this.#sockets) if (hasRequest(socket)) return true
    return false
  }

  #idle(): Socket | null {
    for (const socket of this.#sockets) if (!hasRequest(socket)) return socket
    return null
  }
}

/**
 * Returns the number of descriptors that the process may have, or null if it is unknown. Node
 * raises its own limit to the hard limit when it starts.
 */
export function descriptorsMax(read: () => string = readLimits): number | null {
  const found = /^Max open files +(\d+|unlimited)/m.exec(read())?.[1]
  if (found === undefined) return null
  return found === 'unlimited' ? Number.POSITIVE_INFINITY : Number(found)
}

/** Returns how many connections leave enough of the descriptors for files and threads. */
export function connectionsMax(
  descriptors: number | null = descriptorsMax(),
  processors: number = availableParallelism(),
): number {
  const reserved = DESCRIPTORS_RESERVED + DESCRIPTORS_PER_PROCESSOR * processors
  const left = (descriptors ?? DESCRIPTORS_ASSUMED) - reserved
  const count = Math.floor(left / DESCRIPTORS_PER_CONNECTION)
  return Math.min(Math.max(count, CONNECTIONS_MIN), CONNECTIONS_MAX)
}

/** Returns nothing on systems other than Linux. */
function readLimits(): string {
  if (process.platform !== 'linux') return ''
  try {
    return readFileSync('/proc/self/limits', 'latin1')
  } catch (error) {
    // No /proc.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    return ''
  }
}
