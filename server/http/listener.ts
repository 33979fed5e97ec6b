// Requests and their answers. Faults are reported in the order of the checks: preflight, path,
// method, authorisation, and then the inputs that the handler reads.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import { ApiError, toApiError } from '../errors/index.ts'
import { unpack } from '../unpack/index.ts'
import { type Connection, connectionOf, endTurn, takeTurn } from './connection.ts'
import {
  Exchange,
  type ExchangeOptions,
  type ReadBody,
  type RequestTrace,
  type Shared,
} from './exchange.ts'
import type { HttpLog } from './log.ts'
import {
  BODY_ACCOUNT_BYTES,
  BodyAccount,
  DECODER_ROOM_BYTES,
  Deliveries,
  PIPELINED_MAX,
  preflight,
  type Reply,
  type Route,
  sendContent,
  sendEmpty,
  sendError,
  sendReply,
  TIMEOUTS,
  Watch,
} from './messages/index.ts'
import { readTarget } from './target.ts'

const readInline: ReadBody = async (source, body, details) => {
  const { bytes, packing, hold } = await source.json()
  const unpacked = packing === null ? bytes : unpack(bytes, packing)
  if (packing !== null) await hold(unpacked.length)
  return body.read(unpacked, ...(details as readonly never[]))
}

function shared(options: ExchangeOptions): Shared {
  const { bodyBytesMax, jsonBytesMax, timeouts = TIMEOUTS, readBody = readInline } = options
  const accountBytes =
    options.bodyAccountBytes ?? Math.max(BODY_ACCOUNT_BYTES, bodyBytesMax + DECODER_ROOM_BYTES)
  const watch = new Watch(timeouts.paceMs)
  return {
    ...options,
    jsonBytesMax: Math.min(jsonBytesMax, bodyBytesMax),
    timeouts,
    readBody,
    account: new BodyAccount(accountBytes, timeouts.roomMs),
    watch,
    deliveries: new Deliveries(timeouts, watch, options.answersBytesMax),
  }
}

/**
 * The listener of a server's requests. `awaitsContinue`: the client sends its body after `100
 * Continue`.
 */
export type Listener = (
  request: IncomingMessage,
  response: ServerResponse,
  awaitsContinue?: boolean,
) => void

export function listener(options: ExchangeOptions): Listener {
  const common = shared(options)
  const { log } = common
  const { drainMs } = common.timeouts
  return (request, response, awaitsContinue = false) => {
    const connection = connectionOf(request.socket)
    if (connection.open >= PIPELINED_MAX) return void request.socket.destroy()
    const beganAt = performance.now()
    const trace: RequestTrace = {
      route: null,
      error: null,
      idleMs: 0,
      share: null,
      body: undefined,
    }
    takeTurn(connection, response, () => {
      void respond(common, request, response, connection, awaitsContinue, trace).finally(() => {
        trace.share?.release()
        common.deliveries.track(response)
        endTurn(request.socket, connection, response)
        if (!request.complete) limitDraining(request, drainMs)
        const millis = performance.now() - beganAt
        log.answered({ request, status: response.statusCode, beganAt, millis, ...trace })
      })
    })
  }
}

/** Never rejects: a failure becomes the answer, or the connection ends. */
async function respond(
  options: Shared,
  request: IncomingMessage,
  response: ServerResponse,
  connection: Connection,
  awaitsContinue: boolean,
  trace: RequestTrace,
): Promise<void> {
  const acceptEncoding = request.headers['accept-encoding']
  try {
    const { method = '', headers } = request
    if (hasTwoHosts(request.rawHeaders)) return refuseRequest(response)
    const requestedMethod = headers['access-control-request-method']
    if (method === 'OPTIONS' && requestedMethod !== undefined) {
      return answerPreflight(response, requestedMethod, headers['access-control-request-headers'])
    }
    const { parts, query } = readTarget(request.url ?? '/')
    const match = parts === null ? null : options.router.match(parts)
    if (match === null) throw new ApiError('route_not_found', 'No route has this path.')
    // The content of an answer to HEAD is left out by Node.
    const route = match.resource.routes.get(method === 'HEAD' ? 'GET' : method)
    if (route === undefined) return sendEmpty(response, 405, ['Allow', match.resource.allow])
    trace.route = route
    const admitted = options.authorise(route, headers.authorization, match.params)
    // Most callers are admitted synchronously; only a token that has to be verified costs a turn of
    // the loop.
    const caller = admitted instanceof Promise ? await admitted : admitted
    const exchange = new Exchange(
      request,
      response,
      connection,
      match.params,
      query,
      caller,
      options,
      awaitsContinue,
      trace,
    )
    const reply = await route.handle(exchange)
    const release = options.deliveries.admit(bytesOf(reply))
    await sendReply(response, reply, acceptEncoding).finally(release)
  } catch (failure) {
    // Every failure becomes the answer; a failure of the server is also reported.
    const error = toApiError(failure)
    trace.error = error
    await answerFailure(options.log, response, trace.route, error, acceptEncoding)
  }
}

/** Returns the size of a reply in bytes, for replies that can be large: finished JSON. */
function bytesOf({ body, parts = [] }: Reply): number {
  const bytes = body instanceof Uint8Array ? body.length : 0
  return parts.reduce((sum, { length }) => sum + length, bytes)
}

/** Detects two `Host` headers (RFC 9112, section 3.2): a proxy may have used the other one. */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length === HOST.length && name.toLowerCase() === HOST) hosts++
  }
  return hosts > 1
}

const HOST = 'host'

/** The rest of the connection cannot be trusted either. */
function refuseRequest(response: ServerResponse): void {
  response.shouldKeepAlive = false
  sendEmpty(response, 400, [])
}

/**
 * Returns true if the client has disconnected. In HTTP/2 the stream knows this, the response does
 * not.
 */
function isDisconnected(response: ServerResponse): boolean {
  const { stream } = response as unknown as { readonly stream?: ServerHttp2Stream }
  return response.destroyed || stream?.destroyed === true
}

/** Resolves when the answer has its status: compressing takes a turn of the loop. */
async function answerFailure(
  log: HttpLog,
  response: ServerResponse,
  route: Route | null,
  error: ApiError,
  acceptEncoding: string | undefined,
): Promise<void> {
  const isGone = isDisconnected(response)
  if (route !== null && error.status >= 500 && !isGone) log.failed(route, error)
  if (response.headersSent || isGone) {
    response.destroy()
    return
  }
  await sendError(response, error, acceptEncoding).catch(() => response.destroy())
}

function answerPreflight(
  response: ServerResponse,
  method: string,
  headers: string | undefined,
): void {
  const answer = preflight(method, headers)
  if (answer.allowed) sendEmpty(response, 200, answer.headers)
  else sendContent(response, 400, 'text/plain; charset=utf-8', answer.text, null)
}

/** Limits how long a client may go on sending a refused body. */
function limitDraining(request: IncomingMessage, ms: number): void {
  const timer = setTimeout(() => {
    if (!request.complete) request.socket.destroy()
  }, ms)
  timer.unref()
  request.once('close', () => clearTimeout(timer))
}
