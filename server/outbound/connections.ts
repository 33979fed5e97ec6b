// Connections to other instances, kept for the next call. This is a client for short calls to few
// servers over plain HTTP/1.1: a call costs the main thread 0.06 ms. With Node's client, which
// creates a request, a response and two streams for each, it costs 0.17 ms.
import { connect, type LookupFunction, type Socket } from 'node:net'
import { OutgoingFault, type OutgoingRequest } from '../../engine/index.ts'
import { AnswerBuffer } from './answer-buffer.ts'
import { type AnswerHead, AnswerParser, BadAnswer } from './answer-parser.ts'
import {
  ANSWER_BYTES_MAX,
  IDLE_CONNECTIONS_MAX,
  IDLE_SOCKET_MS,
  JOINED_BYTES_MAX,
} from './limits.ts'

/** A server, as a URL names it. */
export type Target = {
  readonly host: string
  readonly port: number
  /** Value of the header `Host`. */
  readonly hostHeader: string
  /** Path and query. */
  readonly path: string
}

export type WholeAnswer = { readonly head: AnswerHead; readonly body: Uint8Array }

export type ConnectionsParts = {
  readonly lookup: LookupFunction
  /** Makes a failure of the connection an error of the call. */
  readonly failed: (error: NodeJS.ErrnoException) => Error
  /** The error of a call that has run out of time. */
  readonly late: () => Error
}

/** A call that waits for its answer. */
type Call = {
  readonly parser: AnswerParser
  readonly buffer: AnswerBuffer
  readonly end: (error: Error | null) => void
}

type Connection = {
  readonly socket: Socket
  readonly key: string
  call: Call | null
  /** When the connection may not be used any longer, on the clock of `performance.now()`. */
  idleUntil: number
}

/** A server closes idle connections at its own time; a call must not meet that moment. */
const MARGIN_MS = 1000

export class Connections {
  readonly #parts: ConnectionsParts
  /** Idle connections by server, the latest used one last. */
  readonly #idle = new Map<string, Connection[]>()
  #sweep: NodeJS.Timeout | null = null

  constructor(parts: ConnectionsParts) {
    this.#parts = parts
  }

  /** Number of idle connections. */
  get idleCount(): number {
    let count = 0
    for (const list of this.#idle.values()) count += list.length
    return count
  }

  /**
   * Sends a request and receives the whole answer, in at most `totalMs`. `head`: the first lines of
   * the request. Rejects with the errors of `ConnectionsParts`, or an OutgoingFault for an answer
   * that is too large.
   */
  call(target: Target, head: string, request: OutgoingRequest): Promise<WholeAnswer> {
    const { body, signal, totalMs = 0, answerBytesMax = ANSWER_BYTES_MAX } = request
    const { take, isShared = false, connectMs } = request
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(this.#parts.failed(abortError(signal)))
        return
      }
      const connection = this.#acquire(target)
      const { socket } = connection
      const buffer = new AnswerBuffer(answerBytesMax, isShared)
      const parser = new AnswerParser((chunk) => {
        const fits =
          take === undefined ||
          (buffer.length + chunk.length <= answerBytesMax && take(chunk.length))
        if (!fits) throw new OutgoingFault('tooLarge', 'the answer is too large')
        buffer.add(chunk)
      })
      const timer = setTimeout(() => end(this.#parts.late()), totalMs)
      const limit = socket.connecting && connectMs !== undefined && connectMs < totalMs
      const connecting = limit
        ? setTimeout(() => {
            if (socket.connecting) end(this.#parts.failed(new Error(SLOW)))
          }, connectMs)
        : null
      const abort = (): void => end(this.#parts.failed(abortError(signal)))
      const end = (error: Error | null): void => {
        if (connection.call === null) return
        connection.call = null
        clearTimeout(timer)
        if (connecting !== null) clearTimeout(connecting)
        signal?.removeEventListener('abort', abort)
        if (error === null) {
          this.#release(connection, parser.head!)
          resolve({ head: parser.head!, body: buffer.bytes() })
          return
        }
        socket.destroy()
        reject(error)
      }
      signal?.addEventListener('abort', abort, { once: true })
      connection.call = { parser, buffer, end }
      write(socket, head, body)
    })
  }

  #acquire(target: Target): Connection {
    const key = `${target.host} ${target.port}`
    const idle = this.#idle.get(key)
    const now = performance.now()
    for (let found = idle?.pop(); found !== undefined; found = idle?.pop()) {
      if (found.idleUntil > now && found.socket.writable && found.socket.readable) {
        found.socket.ref()
        return found
      }
      found.socket.destroy()
    }
    return this.#open(target, key)
  }

  #open({ host, port }: Target, key: string): Connection {
    const { lookup } = this.#parts
    const socket = connect({ host, port, lookup, noDelay: true, keepAlive: true })
    const connection: Connection = { socket, key, call: null, idleUntil: 0 }
    socket.on('data', (chunk: Buffer) => this.#received(connection, chunk))
    socket.on('error', (error) => connection.call?.end(this.#parts.failed(error)))
    socket.on('end', () => this.#closed(connection))
    socket.on('close', () => this.#closed(connection))
    return connection
  }

  #received(connection: Connection, chunk: Buffer): void {
    const { call, socket } = connection
    // No answer is due.
    if (call === null) {
      socket.destroy()
      return
    }
    try {
      call.parser.read(chunk)
      if (call.parser.isComplete) call.end(null)
    } catch (error) {
      if (error instanceof OutgoingFault) call.end(error)
      else if (error instanceof BadAnswer) call.end(this.#parts.failed(error))
      else throw error
    }
  }

  #closed(connection: Connection): void {
    const { call, socket, key } = connection
    socket.destroy()
    if (call === null) {
      const idle = this.#idle.get(key)
      const at = idle?.indexOf(connection) ?? -1
      if (at >= 0) idle!.splice(at, 1)
      return
    }
    try {
      call.parser.close()
      call.end(null)
    } catch (error) {
      if (!(error instanceof BadAnswer)) throw error
      call.end(this.#parts.failed(error))
    }
  }

  /** Keeps the connection for the next call, unless the server closes it. */
  #release(connection: Connection, { keepsAlive, idleSeconds }: AnswerHead): void {
    const { socket, key } = connection
    const serverMs = idleSeconds === null ? IDLE_SOCKET_MS : idleSeconds * 1000 - MARGIN_MS
    const ms = Math.min(IDLE_SOCKET_MS, serverMs)
    const isUsable = keepsAlive && ms > 0 && socket.writable && socket.writableLength === 0
    if (!isUsable || this.idleCount >= IDLE_CONNECTIONS_MAX) {
      socket.destroy()
      return
    }
    connection.idleUntil = performance.now() + ms
    socket.unref()
    const idle = this.#idle.get(key)
    if (idle === undefined) this.#idle.set(key, [connection])
    else idle.push(connection)
    this.#sweep ??= setInterval(() => this.#closeIdle(), IDLE_SOCKET_MS / 2).unref()
  }

  #closeIdle(): void {
    const now = performance.now()
    for (const [key, idle] of this.#idle) {
      const kept = idle.filter(({ idleUntil }) => idleUntil > now)
      if (kept.length === 0) this.#idle.delete(key)
      else this.#idle.set(key, kept)
      for (const connection of idle) if (connection.idleUntil <= now) connection.socket.destroy()
    }
    if (this.#idle.size > 0 || this.#sweep === null) return
    clearInterval(this.#sweep)
    this.#sweep = null
  }
}

const SLOW = 'connecting took too long'

const abortError = (signal: AbortSignal | null): Error =>
  signal?.reason instanceof Error ? signal.reason : new Error('aborted')

/** A short request leaves in one packet and with one call of the system. */
function write(socket: Socket, head: string, body: Uint8Array | null): void {
  const bodyBytes = body?.length ?? 0
  if (bodyBytes > JOINED_BYTES_MAX) {
    socket.cork()
    socket.write(head, 'latin1')
    socket.write(body!)
    socket.uncork()
    return
  }
  const all = Buffer.allocUnsafe(head.length + bodyBytes)
  all.write(head, 'latin1')
  if (body !== null) all.set(body, head.length)
  socket.write(all)
}
