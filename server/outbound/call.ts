// Calls other servers over HTTP and HTTPS. The connection goes to the address that was checked:
// names are resolved here, every address of a name must be allowed, and sockets use only that
// result.
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import {
  type AgentOptions,
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import {
  type OutgoingAnswer,
  OutgoingFault,
  type OutgoingRequest,
  type Send,
} from '../../engine/index.ts'
import type { IpNetworks } from '../config/index.ts'
import { AnswerBuffer } from './answer-buffer.ts'
import { Connections } from './connections.ts'
import { headersProblem, sentHeaders } from './headers.ts'
import { ANSWER_BYTES_MAX, IDLE_SOCKET_MS, REDIRECTS_MAX } from './limits.ts'
import { maskedSend } from './masked.ts'
import { PlainRequests } from './plain-request.ts'
import { mayCall } from './policy.ts'

/** Error code of a socket whose address may not be called. */
export const REJECTED = 'ESVCREJECTED'

/** Returns all addresses of a name. */
export type Resolve = (
  hostname: string,
  options: LookupOptions,
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void

const resolveAll: Resolve = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, callback)
}

/**
 * Returns a client that calls only addresses allowed by `networks`; `follows`: redirects are
 * followed. Each new connection resolves its name with `resolve` and uses an address of that
 * result. `keepAlive`: connections are reused. `masksAll`: see `maskedSend`.
 */
export function caller(
  networks: IpNetworks,
  follows = false,
  resolve: Resolve = resolveAll,
  keepAlive = true,
  masksAll = false,
): Send {
  const lookup = checkedLookup(networks, resolve)
  const options = { keepAlive, timeout: IDLE_SOCKET_MS, lookup }
  const agents = agentsOf(options)
  const once = (request: OutgoingRequest): Promise<Hop> => sendOnce(request, networks, agents)
  const follow = async (request: OutgoingRequest): Promise<OutgoingAnswer> => {
    let current = request
    for (let hops = 0; ; hops++) {
      const { location, ...answer } = await once(current)
      if (!follows || location === null || hops === REDIRECTS_MAX) return answer
      current = redirected(current, location, answer.status)
    }
  }
  const withNode: Send = (request) =>
    request.totalMs === undefined ? follow(request) : inTime(request, follow)
  const send = follows || !keepAlive ? withNode : shortCalls(networks, lookup, withNode)
  return maskedSend(send, masksAll)
}

/** Sends short calls over plain HTTP without Node's client, all others with `withNode`. */
function shortCalls(networks: IpNetworks, lookup: LookupFunction, withNode: Send): Send {
  const failed = ({ code, message }: NodeJS.ErrnoException): OutgoingFault =>
    code === REJECTED ? rejected() : unreachable(code ?? message)
  const connections = new Connections({ lookup, failed, late: TOO_LATE })
  const requests = new PlainRequests()
  return async (request) => {
    const plain = requests.plain(request)
    if (plain === null) return withNode(request)
    const { target, head } = plain
    if (isIP(target.host) !== 0 && !mayCall(target.host, networks, true)) throw rejected()
    const { head: answer, body } = await connections.call(target, head, request)
    const { status, retryAfter } = answer
    return { status, body, ...(retryAfter === null ? {} : { retryAfter }) }
  }
}

/**
 * The client for providers of embeddings and ranking: follows redirects, and opens a connection per
 * request, because a reused connection that the provider closes while a request is sent would count
 * as a failed attempt.
 */
export const providerCaller = (networks: IpNetworks): Send =>
  caller(networks, true, resolveAll, false, true)

/**
 * The timer ends with the call; one of `AbortSignal.timeout` would fire for calls that were
 * answered long ago. @throws OutgoingFault unreachable, on a timeout
 */
async function inTime(
  request: OutgoingRequest,
  follow: (request: OutgoingRequest) => Promise<OutgoingAnswer>,
): Promise<OutgoingAnswer> {
  const { signal } = request
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(LATE), request.totalMs!).unref()
  const pass = (): void => stop.abort(signal?.reason)
  if (signal?.aborted === true) pass()
  signal?.addEventListener('abort', pass, { once: true })
  try {
    return await follow({ ...request, signal: stop.signal })
  } catch (error) {
    throw stop.signal.reason === LATE ? TOO_LATE() : error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', pass)
  }
}

type Agents = { readonly http: HttpAgent; readonly https: HttpsAgent }

/** The HTTPS agent is created on first use, because loading its modules takes 5 ms. */
export function agentsOf(options: AgentOptions): Agents {
  let https: HttpsAgent | null = null
  return {
    http: new HttpAgent(options),
    get https() {
      https ??= new HttpsAgent(options)
      return https
    },
  }
}

type Hop = OutgoingAnswer & { readonly location: string | null }

/**
 * Headers that describe the body and are not sent again after a redirect; any other header may hold
 * a secret.
 */
const OF_THE_BODY = /^(?:content-(?:type|encoding)|transfer-encoding)$/i

/**
 * Status 307 and 308 repeat the request, the others become a GET; secrets are not sent to another
 * origin.
 */
function redirected(request: OutgoingRequest, location: string, status: number): OutgoingRequest {
  const target = urlOf(location, request.url)
  const isElsewhere = target.origin !== new URL(request.url).origin
  const repeats = status === 307 || status === 308
  const headers = Object.entries(request.headers).filter(([name]) => {
    if (isElsewhere && !OF_THE_BODY.test(name)) return false
    return repeats || !/^(?:content-|transfer-encoding$)/i.test(name)
  })
  return {
    ...request,
    url: target.href,
    headers: Object.fromEntries(headers),
    ...(repeats ? {} : { method: 'GET', body: null }),
  }
}

function urlOf(text: string, base?: string): URL {
  const url = URL.canParse(text, base) ? new URL(text, base) : null
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  throw new OutgoingFault('address', `bad uri: \`${text}\` is not an http or https URL`)
}

/** @throws OutgoingFault */
async function sendOnce(
  outgoing: OutgoingRequest,
  networks: IpNetworks,
  agents: Agents,
): Promise<Hop> {
  const { method, headers, body, timeoutMs, signal } = outgoing
  const url = urlOf(outgoing.url)
  const problem = headersProblem(headers)
  if (problem !== null) throw new OutgoingFault('header', problem)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && !mayCall(host, networks, true)) throw rejected()
  const isHttps = url.protocol === 'https:'
  const make = isHttps ? requestHttps : requestHttp
  const agent = isHttps ? agents.https : agents.http
  const isChunked = headers['transfer-encoding'] === 'chunked'
  const length = body === null || isChunked ? {} : { 'content-length': String(body.length) }
  return new Promise((resolve, reject) => {
    const request = make(url, {
      method,
      agent,
      headers: { ...sentHeaders(headers), ...length },
    })
    if (signal !== null) destroyWith(request, signal)
    const fail = (error: NodeJS.ErrnoException): void => {
      reject(error.code === REJECTED ? rejected() : unreachable(error.code ?? error.message))
    }
    request.setTimeout(timeoutMs, () => request.destroy(new Error(TIMED_OUT)))
    if (outgoing.connectMs !== undefined) limitConnecting(request, outgoing.connectMs)
    request.on('error', fail)
    request.on('response', (response) => read(response, outgoing, resolve, fail, reject))
    request.end(body ?? undefined)
  })
}

/** Replaces Node's `signal` option, which also listens for the end of the request. */
function destroyWith(request: ClientRequest, signal: AbortSignal): void {
  const stop = (): void => {
    request.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
  }
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  request.once('close', () => signal.removeEventListener('abort', stop))
}

function read(
  response: IncomingMessage,
  { answerBytesMax = ANSWER_BYTES_MAX, take, isShared = false }: OutgoingRequest,
  resolve: (hop: Hop) => void,
  fail: (error: Error) => void,
  reject: (fault: OutgoingFault) => void,
): void {
  const buffer = new AnswerBuffer(answerBytesMax, isShared)
  response.on('data', (chunk: Uint8Array) => {
    const hasRoom =
      take === undefined || (buffer.length + chunk.length <= answerBytesMax && take(chunk.length))
    if (hasRoom) return buffer.add(chunk)
    reject(new OutgoingFault('tooLarge', 'the answer is too large'))
    response.destroy()
  })
  response.on('error', fail)
  response.on('end', () => {
    const status = response.statusCode ?? 0
    const isRedirect = status === 307 || status === 308 || (status >= 301 && status <= 303)
    const { location = null, 'retry-after': retryAfter } = response.headers
    resolve({
      status,
      body: buffer.bytes(),
      location: isRedirect ? location : null,
      ...(retryAfter === undefined ? {} : { retryAfter }),
    })
  })
}

const TIMED_OUT = 'operation timed out'
const LATE = new Error(TIMED_OUT)

/** Fails the request if no connection is made in time. */
function limitConnecting(request: ClientRequest, ms: number): void {
  request.once('socket', (socket) => {
    if (!socket.connecting) return
    const timer = setTimeout(() => request.destroy(new Error('connecting took too long')), ms)
    const stop = (): void => clearTimeout(timer)
    socket.once('connect', stop)
    socket.once('close', stop)
  })
}

const rejected = (): OutgoingFault => new OutgoingFault('rejected', 'bad uri: Rejected URI')

const TOO_LATE = (): OutgoingFault => unreachable(TIMED_OUT)

const unreachable = (reason: string): OutgoingFault =>
  new OutgoingFault('unreachable', `error sending request: ${reason}`, reason === TIMED_OUT)

/** Fails for a name if any of its addresses may not be called. */
export function checkedLookup(networks: IpNetworks, resolve: Resolve = resolveAll): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, options, (error, addresses) => {
      if (error !== null) return callback(error, [])
      if (addresses.some(({ address }) => !mayCall(address, networks, false))) {
        return callback(Object.assign(new Error('Rejected IP'), { code: REJECTED }), [])
      }
      if (options.all === true) return callback(null, addresses)
      const first = addresses[0]!
      callback(null, first.address, first.family)
    })
  }
}
