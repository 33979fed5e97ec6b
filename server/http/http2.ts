// HTTP/2 for clients that negotiate it in the TLS handshake. HTTP/1.1 stays with Node's own server,
// because Node's combined server lacks its limits and timeouts; a socket that speaks HTTP/2 is
// passed to a second server that never listens.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import {
  constants,
  createServer,
  type Http2ServerRequest,
  type ServerHttp2Session,
} from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { HTTP2, isWaiting } from './connection.ts'
import {
  HEADER_BYTES_MAX,
  PIPELINED_MAX,
  RESETS_MAX,
  RESETS_PER_SECOND_MAX,
} from './messages/index.ts'

/** Memory that one connection may hold, in megabytes. */
const SESSION_MEGABYTES_MAX = 10

type Session = {
  readonly requests: Set<Http2ServerRequest>
  /** Number of streams reset early, reduced as time passes. */
  resets: number
  /** When `resets` was last updated, on the clock of `performance.now()`. */
  countedAt: number
}
type Sessions = Map<ServerHttp2Session, Session>

/** Adds HTTP/2 to `server`; its listeners receive the requests of both protocols. */
export function addHttp2(server: Server): void {
  const sessions: Sessions = new Map()
  const http2 = createServer({
    maxSessionMemory: SESSION_MEGABYTES_MAX,
    settings: { maxConcurrentStreams: PIPELINED_MAX, maxHeaderListSize: HEADER_BYTES_MAX },
    maxSendHeaderBlockLength: HEADER_BYTES_MAX,
  })
  http2.on('session', (session) => trackSession(server, sessions, session))
  for (const event of ['request', 'checkContinue'] as const) {
    http2.on(event, (request: Http2ServerRequest, response) => {
      trackRequest(sessions, request, server.requestTimeout)
      // Requests and answers of both protocols are alike in all members that we use.
      server.emit(
        event,
        request as unknown as IncomingMessage,
        response as unknown as ServerResponse,
      )
    })
  }
  const [speakHttp1, ...others] = server.listeners('secureConnection')
  server.removeAllListeners('secureConnection')
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === HTTP2) http2.emit('connection', socket)
    else speakHttp1!.call(server, socket)
  })
  for (const other of others) server.on('secureConnection', other as () => void)
  closeWith(server, sessions)
}

function trackSession(server: Server, sessions: Sessions, session: ServerHttp2Session): void {
  const requests = new Set<Http2ServerRequest>()
  sessions.set(session, { requests, resets: 0, countedAt: performance.now() })
  session.once('close', () => sessions.delete(session))
  // The client broke the protocol or the connection was cut: the session ends.
  session.on('error', () => session.destroy())
  session.setTimeout(server.timeout, () => {
    const waits = [...requests].some(({ socket }) => isWaiting(socket))
    if (!waits) session.destroy()
  })
}

/** Starts a request. Its body has to end within `ms`, as in HTTP/1.1. */
function trackRequest(sessions: Sessions, request: Http2ServerRequest, ms: number): void {
  const { stream } = request
  const http2 = stream.session as ServerHttp2Session
  const session = sessions.get(http2)
  session?.requests.add(request)
  const late = setTimeout(() => {
    if (!request.complete) stream.close(constants.NGHTTP2_CANCEL)
  }, ms)
  late.unref()
  stream.once('close', () => {
    clearTimeout(late)
    if (session === undefined) return
    session.requests.delete(request)
    if (stream.rstCode === constants.NGHTTP2_NO_ERROR || !isResetTooOften(session)) return
    // Starting a request costs us more than canceling it costs the client.
    http2.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM)
  })
}

function isResetTooOften(session: Session): boolean {
  const now = performance.now()
  const forgiven = ((now - session.countedAt) / 1000) * RESETS_PER_SECOND_MAX
  session.resets = Math.max(0, session.resets - forgiven) + 1
  session.countedAt = now
  return session.resets > RESETS_MAX
}

/** Closes sessions together with the connections of HTTP/1.1: idle ones first, then all. */
function closeWith(server: Server, sessions: Sessions): void {
  const [closeIdle, closeAll] = [server.closeIdleConnections, server.closeAllConnections]
  server.closeIdleConnections = () => {
    closeIdle.call(server)
    for (const session of sessions.keys()) if (!session.closed) session.close()
  }
  server.closeAllConnections = () => {
    closeAll.call(server)
    for (const session of sessions.keys()) session.destroy()
  }
}
