// Requests whose bodies are too large for memory or arrive in pieces, for object stores and models.
// The same policy of addresses applies.
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import {
  type StoreAnswer,
  type StoreBody,
  type StoreRequest,
  type Transport,
  TransportFault,
} from '../../engine/index.ts'
import type { IpNetworks } from '../config/index.ts'
import { agentsOf, checkedLookup, REJECTED } from './call.ts'
import { headersProblem, sentHeaders } from './headers.ts'
import { IDLE_SOCKET_MS, MODEL_SILENCE_MS, STORE_SILENCE_MS } from './limits.ts'
import { maskedTransport } from './masked.ts'
import { mayCall } from './policy.ts'

/**
 * Returns a client that calls only addresses allowed by `networks`. It follows no redirects,
 * because signatures name a host.
 */
export function streamingCaller(
  networks: IpNetworks,
  silenceMs: number = STORE_SILENCE_MS,
  keepAlive = true,
): Transport {
  const options = { keepAlive, timeout: IDLE_SOCKET_MS, lookup: checkedLookup(networks) }
  const agents = agentsOf(options)
  return maskedTransport(async (outgoing) => {
    const url = new URL(outgoing.url)
    const host = url.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0 && !mayCall(host, networks, true)) throw rejected()
    const problem = headersProblem(outgoing.headers)
    if (problem !== null) throw new TransportFault(false, problem)
    const isHttps = url.protocol === 'https:'
    const make = isHttps ? requestHttps : requestHttp
    const agent = isHttps ? agents.https : agents.http
    const { method, headers, body, signal } = outgoing
    const length = body === null ? {} : { 'content-length': String(body.bytes) }
    const sent = { ...sentHeaders(headers), ...length }
    return answerTo(make(url, { method, agent, headers: sent, signal }), outgoing, silenceMs)
  })
}

/**
 * The client for models. It opens a connection per request: requests are not retried, so none may
 * use a connection that the provider is closing.
 */
export const modelCaller = (networks: IpNetworks): Transport =>
  streamingCaller(networks, MODEL_SILENCE_MS, false)

function answerTo(
  request: ClientRequest,
  { body, signal }: StoreRequest,
  silenceMs: number,
): Promise<StoreAnswer> {
  return new Promise((resolve, reject) => {
    // An error of the body's own source, such as a file; it is not the other side's fault.
    let sourceError: unknown = null
    const fail = (error: NodeJS.ErrnoException): void => {
      if (sourceError !== null) reject(sourceError)
      else if (signal.aborted) reject(error)
      else reject(error.code === REJECTED ? rejected() : unreachable(error))
    }
    request.setTimeout(silenceMs, () => request.destroy(new Error('operation timed out')))
    request.on('error', fail)
    request.on('response', (response) => resolve(answerOf(response, signal)))
    if (body === null) request.end()
    else {
      send(request, body).catch((error: unknown) => {
        sourceError = error
        request.destroy(error as Error)
      })
    }
  })
}

/** Writes as fast as the other side reads. */
async function send(request: ClientRequest, body: StoreBody): Promise<void> {
  for await (const chunk of body.open()) {
    if (request.destroyed) return
    if (!request.write(chunk)) await drained(request)
  }
  request.end()
}

/** Resolves when more can be written, or when the request has ended. */
function drained(request: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      request.off('drain', end)
      request.off('close', end)
      resolve()
    }
    request.once('drain', end)
    request.once('close', end)
    if (request.destroyed) end()
  })
}

function answerOf(response: IncomingMessage, signal: AbortSignal): StoreAnswer {
  const headers: { [name: string]: string } = {}
  for (const [name, value] of Object.entries(response.headers)) {
    if (typeof value === 'string') headers[name] = value
  }
  return { status: response.statusCode ?? 0, headers, body: chunksOf(response, signal) }
}

async function* chunksOf(
  response: IncomingMessage,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const chunk of response) yield chunk as Uint8Array
  } catch (error) {
    if (signal.aborted) throw error
    throw unreachable(error as NodeJS.ErrnoException)
  }
}

const rejected = (): TransportFault => new TransportFault(false, 'bad uri: Rejected URI')

const unreachable = (error: NodeJS.ErrnoException): TransportFault =>
  new TransportFault(true, `error sending request: ${error.code ?? error.message}`)
