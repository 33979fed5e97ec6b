// The state of a connection, so that a silent client can be distinguished from one that waits for
// an answer. Pipelined requests wait for their turn: a connection has one request answered at a
// time, and the next begins when the system has accepted the answer. So a client that requests much
// and reads little, or pipelines as much as it can, costs no more than one answer.
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { PROBE_MS, PROBES_MAX } from './messages/index.ts'

/** The name of HTTP/2 in the TLS handshake. */
export const HTTP2 = 'h2'

export type Connection = {
  /** Number of requests that have begun and have no answer yet. */
  open: number
  /** Number of these that wait for bytes of their body. */
  reading: number
  /** The answer in progress, or null. */
  current: ServerResponse | null
  /** Starts the pipelined requests, in order. */
  readonly ahead: (() => void)[]
  /** Created on first use; its signal fires when the connection ends. */
  abort: AbortController | null
}

const connections = new WeakMap<Socket, Connection>()

export function connectionOf(socket: Socket): Connection {
  const cached = connections.get(socket)
  if (cached !== undefined) return cached
  const created: Connection = { open: 0, reading: 0, current: null, ahead: [], abort: null }
  connections.set(socket, created)
  // A client that has closed its half may wait for an answer, or have disconnected.
  socket.once('end', () => probe(socket, created, 0))
  return created
}

/**
 * Calls `begin` when it is this request's turn: immediately, unless it was pipelined. HTTP/2
 * streams have no order, and their own flow control.
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

/**
 * Called when an answer was handed to the socket; the next request begins when the answer has left
 * it.
 */
export function endTurn(socket: Socket, connection: Connection, response: ServerResponse): void {
  connection.open--
  if (response.req.httpVersionMajor > 1) return
  if (connection.ahead.length === 0) {
    connection.current = null
    return
  }
  const startNext = (): void => {
    if (!socket.destroyed) {
      connection.ahead.shift()?.()
      return
    }
    connection.open -= connection.ahead.length
    connection.ahead.length = 0
    connection.current = null
  }
  if (response.closed || socket.destroyed) startNext()
  else response.once('close', startNext)
}

/**
 * Only writing shows whether a client that has closed its half is still there: an interim answer is
 * skipped by a client that is, and refused by the system of one that is not. This is for requests
 * that take long; their work is given up when the client is gone.
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

/** Returns true if the client is silent because it waits for an answer. */
export const isWaiting = (socket: Socket): boolean => {
  const connection = connections.get(socket)
  return connection !== undefined && connection.open > connection.reading
}

/** Returns true if a request has begun on the connection and has no answer yet. */
export const hasRequest = (socket: Socket): boolean => (connections.get(socket)?.open ?? 0) > 0

/**
 * Returns true if an error may be written instead of an answer: either no answer is due, or it is
 * due to the request whose body has just turned out to be broken.
 */
export const canWriteError = (socket: Socket): boolean => {
  const connection = connections.get(socket)
  if (connection === undefined || connection.open === 0) return true
  const { current } = connection
  return current !== null && !current.req.complete && !current.headersSent
}

/**
 * Returns the signal that fires when the client disconnects. All requests of a connection share it:
 * a controller per request, with its listener and garbage, would be a large part of the cost of a
 * request.
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
