// What a connection is doing, so that a silent one can be told from one that waits for us. Requests
// that were sent ahead wait for their turn: a connection has one answered at a time, and the next
// one when the system has taken the answer. A client that asks for much and reads little, or that
// sends ahead for as long as it can, costs as much as one answer.
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { PROBE_MS, PROBES_MAX } from './limits.ts'

export type Connection = {
  /** Requests that were begun and have no answer yet. */
  open: number
  /** How many of them wait for bytes of their body. */
  reading: number
  /** What is answered now. */
  current: ServerResponse | null
  /** Begins the requests that were sent ahead, in their order. */
  readonly ahead: (() => void)[]
  /** Made when first asked for; its signal fires when the connection ends. */
  abort: AbortController | null
}

const connections = new WeakMap<Socket, Connection>()

export function connectionOf(socket: Socket): Connection {
  const known = connections.get(socket)
  if (known !== undefined) return known
  const made: Connection = { open: 0, reading: 0, current: null, ahead: [], abort: null }
  connections.set(socket, made)
  // A client that has closed its half may wait for an answer, or be gone.
  socket.once('end', () => probe(socket, made, 0))
  return made
}

/**
 * Calls `begin` when it is this request's turn: at once, unless it was sent ahead. Streams of
 * HTTP/2 have no order and a flow control of their own.
 */
export function takeTurn(
  connection: Connection,
  response: ServerResponse,
  begin: () => void,
): void {
  connection.open++
  if (response.req.httpVersionMajor > 1) {
    begin()
    return
  }
  const beginNow = (): void => {
    connection.current = response
    begin()
  }
  if (connection.current === null) beginNow()
  else connection.ahead.push(beginNow)
}

/** An answer was handed to the socket; the next request's turn comes when it has left. */
export function endTurn(socket: Socket, connection: Connection, response: ServerResponse): void {
  connection.open--
  if (response.req.httpVersionMajor > 1) return
  if (connection.ahead.length === 0) {
    connection.current = null
    return
  }
  const goOn = (): void => {
    if (!socket.destroyed) {
      connection.ahead.shift()?.()
      return
    }
    connection.open -= connection.ahead.length
    connection.ahead.length = 0
    connection.current = null
  }
  if (response.closed || socket.destroyed) goOn()
  else response.once('close', goOn)
}

/**
 * A client that has closed its half cannot be told from one that has gone, but by writing: an
 * interim answer, which the one passes over and the system of the other refuses. It is for requests
 * that take long; what they do is given up when nobody waits.
 */
function probe(socket: Socket, connection: Connection, count: number): void {
  if (connection.open === 0 || socket.destroyed || count === PROBES_MAX) return
  const timer = setTimeout(() => {
    const { current } = connection
    if (current !== null && !current.headersSent && current.req.httpVersionMinor === 1) {
      current.writeProcessing()
    }
    probe(socket, connection, count + 1)
  }, PROBE_MS)
  timer.unref()
}

/** Whether silence of the client is no fault of its own: it waits for an answer. */
export const isWaiting = (socket: Socket): boolean => {
  const connection = connections.get(socket)
  return connection !== undefined && connection.open > connection.reading
}

/**
 * Whether something else than the answer to a request may be written now: none is to come, or it
 * is the one to the request whose body has just turned out to be broken.
 */
export const mayRefuse = (socket: Socket): boolean => {
  const connection = connections.get(socket)
  if (connection === undefined || connection.open === 0) return true
  const { current } = connection
  return current !== null && !current.req.complete && !current.headersSent
}

/**
 * Fires when the client has gone. One for all requests of a connection: a controller a request
 * would double what the server does for one (35 µs to 48 µs with its listener and its garbage).
 */
export function signalOf(socket: Socket, connection: Connection): AbortSignal {
  if (connection.abort === null) {
    const abort = new AbortController()
    connection.abort = abort
    if (socket.destroyed) abort.abort()
    else socket.once('close', () => abort.abort())
  }
  return connection.abort.signal
}
