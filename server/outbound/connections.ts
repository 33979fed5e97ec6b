// Connections to other servers over HTTP/1.1: a client of undici for each, kept for the next call.
// A connection goes to an address that was checked: names are resolved here, every address of a
// name must be allowed, and sockets use only that result.
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import type { buildConnector, Client, Dispatcher } from 'undici'
import type { IpNetworks } from '../config/index.ts'
import {
  ANSWER_HEAD_BYTES_MAX,
  IDLE_CONNECTIONS_MAX,
  IDLE_MARGIN_MS,
  IDLE_SOCKET_MS,
  INTERIM_ANSWERS_MAX,
  TLS_SESSIONS_MAX,
} from './limits.ts'
import { mayCall } from './policy.ts'
import { undici } from './undici.ts'

/** Code of the error of a call to an address that may not be called. */
export const REJECTED = 'ESVCREJECTED'

/** Code of the error of a call without progress. */
export const TIMED_OUT = 'ESVCTIMEDOUT'

/** Returns the error of a call without progress. */
export const timedOut = (): Error =>
  Object.assign(new Error('operation timed out'), { code: TIMED_OUT })

/** Returns all addresses of a name. */
export type Resolve = (
  hostname: string,
  options: LookupOptions,
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void

const resolveAll: Resolve = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, callback)
}

export type Call = {
  readonly url: URL
  readonly method: string
  /** As they are sent: see `sentHeaders`. */
  readonly headers: { readonly [name: string]: string }
  /** A stream without the header `content-length` is sent in chunks. */
  readonly body: Uint8Array | Readable | null
  /** Milliseconds without progress after which the call fails. */
  readonly timeoutMs: number
  /** Milliseconds for connecting; absent means `timeoutMs`. */
  readonly connectMs?: number | undefined
  readonly signal: AbortSignal | null
}

/** Receives the answer to a call; an error of `head` or `chunk` ends the call. */
export type Receiver = {
  readonly head: (status: number, headers: AnswerHeaders, resume: () => void) => void
  /** Returns false to receive no more before `resume` is called. */
  readonly chunk: (bytes: Uint8Array) => boolean
  readonly end: () => void
  readonly fail: (error: NodeJS.ErrnoException) => void
}

/** Names are in lower case. */
export type AnswerHeaders = { readonly [name: string]: string | string[] | undefined }

/** Ends a call with an error, unless it has ended. */
export type Cancel = (error: Error) => void

type Open = (target: buildConnector.Options) => Socket

export class Connections {
  readonly #open: Open
  readonly #keepAlive: boolean
  /** Idle connections by origin, the latest used one last. */
  readonly #idle = new Map<string, Connection[]>()
  #idleCount = 0

  /** Opens connections only to addresses that `networks` allows, which `resolve` finds. */
  constructor(networks: IpNetworks, keepAlive: boolean, resolve: Resolve = resolveAll) {
    this.#open = opener(networks, resolve)
    this.#keepAlive = keepAlive
  }

  /** Sends a request. The receiver's `end` or `fail` is called once, and nothing after it. */
  call(call: Call, receiver: Receiver): Cancel {
    const { origin } = call.url
    const connection = this.#acquire(origin)
    return connection.call(call, receiver, () => this.#release(origin, connection))
  }

  #acquire(origin: string): Connection {
    const idle = this.#idle.get(origin)?.at(-1)
    if (idle === undefined) return new Connection(origin, this.#keepAlive, this.#open)
    this.#remove(origin, idle)
    return idle
  }

  #release(origin: string, connection: Connection): void {
    if (!this.#keepAlive || this.#idleCount >= IDLE_CONNECTIONS_MAX) {
      connection.close()
      return
    }
    const list = this.#idle.get(origin)
    if (list === undefined) this.#idle.set(origin, [connection])
    else list.push(connection)
    this.#idleCount++
    connection.onClose = () => this.#remove(origin, connection)
  }

  #remove(origin: string, connection: Connection): void {
    const list = this.#idle.get(origin)!
    connection.onClose = null
    list.splice(list.lastIndexOf(connection), 1)
    if (list.length === 0) this.#idle.delete(origin)
    this.#idleCount--
  }
}

/** A connection, which is opened with its first call, and again if the server has closed it. */
class Connection {
  readonly #client: Client
  readonly #reset: boolean
  #socket: Socket | null = null
  #times: Pick<Call, 'timeoutMs' | 'connectMs'> = { timeoutMs: 0 }
  #end: (error: Error | null) => void = noCall
  /** Called when the connection has closed, or null while a call uses it. */
  onClose: (() => void) | null = null

  constructor(origin: string, keepAlive: boolean, open: Open) {
    this.#reset = !keepAlive
    this.#client = new (undici().Client)(origin, {
      connect: (target, done) => this.#connect(() => open(target), done),
      // The time limits of calls are exact; those of undici are not.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_SOCKET_MS,
      keepAliveMaxTimeout: IDLE_SOCKET_MS,
      keepAliveTimeoutThreshold: IDLE_MARGIN_MS,
      maxHeaderSize: ANSWER_HEAD_BYTES_MAX,
    })
    this.#client.on('disconnect', () => this.onClose?.())
  }

  /** `release` is called when the connection can be used again. */
  call(call: Call, receiver: Receiver, release: () => void): Cancel {
    const { url, signal, timeoutMs, connectMs, method, headers, body } = call
    const abort = (): void => end(abortError(signal!))
    let hasEnded = false
    const end = (error: Error | null): void => {
      if (hasEnded) return
      hasEnded = true
      signal?.removeEventListener('abort', abort)
      this.#end = noCall
      this.#socket?.setTimeout(0)
      if (error === null) {
        release()
        receiver.end()
      } else {
        this.close(error)
        receiver.fail(error)
      }
    }
    if (signal?.aborted === true) {
      abort()
      return end
    }
    signal?.addEventListener('abort', abort, { once: true })
    this.#end = end
    this.#times = { timeoutMs, connectMs }
    this.#socket?.setTimeout(timeoutMs)
    const path = `${url.pathname}${url.search}`
    const options = { path, method, headers, body, reset: this.#reset }
    this.#client.dispatch(options, handlerOf(receiver, end))
    return end
  }

  close(error: Error = new Error('closed')): void {
    void this.#client.destroy(error)
    // A client waits for a connection that is being opened.
    this.#socket?.destroy()
  }

  #connect(open: () => Socket, done: buildConnector.Callback): void {
    const { timeoutMs, connectMs } = this.#times
    const socket = open()
    this.#socket = socket
    socket.setTimeout(timeoutMs, () => this.#end(timedOut()))
    const late = (): void => this.#end(new Error('connecting took too long'))
    const timer = connectMs === undefined ? undefined : setTimeout(late, connectMs)
    let isWaiting = true
    const opened = (error: Error | null): void => {
      clearTimeout(timer)
      if (!isWaiting) return
      isWaiting = false
      if (error === null) done(null, socket)
      else done(error, null)
    }
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => opened(null))
    socket.on('error', opened)
    socket.once('close', () => clearTimeout(timer))
  }
}

const noCall = (): void => undefined

const abortError = ({ reason }: AbortSignal): Error =>
  reason instanceof Error ? reason : new Error('aborted')

function handlerOf(
  receiver: Receiver,
  end: (error: Error | null) => void,
): Dispatcher.DispatchHandler {
  let interim = 0
  return {
    onRequestStart: noCall,
    onResponseStart: (controller, status, headers) => {
      if (status >= 200) receiver.head(status, headers, () => controller.resume())
      else if (++interim > INTERIM_ANSWERS_MAX) throw new Error('too many interim answers')
    },
    onResponseData: (controller, chunk) => {
      if (!receiver.chunk(chunk)) controller.pause()
    },
    onResponseEnd: () => end(null),
    onResponseError: (_, error) => end(error),
  }
}

function opener(networks: IpNetworks, resolve: Resolve): Open {
  const sessions = new Map<string, Buffer>()
  const lookup = checkedLookup(networks, resolve)
  return ({ protocol, hostname: host, port, servername: named }) => {
    if (isIP(host) !== 0 && !mayCall(host, networks, true)) throw rejected()
    const tcp = { host, lookup, noDelay: true, keepAlive: true }
    if (protocol === 'http:') return connectTcp({ ...tcp, port: Number(port || 80) })
    // Of the header `host`, if there is one.
    const servername = named || (isIP(host) === 0 ? host : '')
    const key = `${servername} ${host} ${port}`
    const session = sessions.get(key)
    const socket = connectTls({
      ...tcp,
      port: Number(port || 443),
      servername,
      ALPNProtocols: ['http/1.1'],
      ...(session === undefined ? {} : { session }),
    })
    return socket.on('session', (given) => {
      if (sessions.size >= TLS_SESSIONS_MAX) sessions.clear()
      sessions.set(key, given)
    })
  }
}

const rejected = (): Error => Object.assign(new Error('Rejected IP'), { code: REJECTED })

/** Fails for a name if any of its addresses may not be called. */
function checkedLookup(networks: IpNetworks, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, options, (error, addresses) => {
      if (error !== null) return callback(error, [])
      if (addresses.some(({ address }) => !mayCall(address, networks, false))) {
        return callback(rejected(), [])
      }
      if (options.all === true) return callback(null, addresses)
      const first = addresses[0]!
      callback(null, first.address, first.family)
    })
  }
}
