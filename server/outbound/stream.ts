// Requests whose bodies are too large for memory or arrive in pieces, for object stores and models.
// The same policy of addresses applies.
import { Readable } from 'node:stream'
import {
  type StoreAnswer,
  type StoreBody,
  type StoreRequest,
  type Transport,
  TransportFault,
} from '../../engine/backup.ts'
import type { IpNetworks } from '../config/index.ts'
import { type AnswerHeaders, Connections } from './connections.ts'
import { failureOf } from './failure.ts'
import { first, headersProblem, sentHeaders } from './headers.ts'
import { MODEL_SILENCE_MS, READ_AHEAD_BYTES, STORE_SILENCE_MS } from './limits.ts'
import { maskedTransport } from './masked.ts'

/**
 * Returns a client that calls only addresses allowed by `networks`. It follows no redirects,
 * because signatures name a host.
 */
export function streamingCaller(
  networks: IpNetworks,
  silenceMs: number = STORE_SILENCE_MS,
  keepAlive = true,
): Transport {
  const connections = new Connections(networks, keepAlive)
  return maskedTransport(async (request) => {
    const problem = headersProblem(request.headers)
    if (problem !== null) throw new TransportFault(false, problem)
    return streamed(request, silenceMs, connections)
  })
}

/**
 * The client for models. It opens a connection per request: requests are not retried, so none may
 * use a connection that the provider is closing.
 */
export const modelCaller = (networks: IpNetworks): Transport =>
  streamingCaller(networks, MODEL_SILENCE_MS, false)

function streamed(
  request: StoreRequest,
  timeoutMs: number,
  connections: Connections,
): Promise<StoreAnswer> {
  const { method, body, signal } = request
  const url = new URL(request.url)
  const length = body === null ? {} : { 'content-length': String(body.bytes) }
  const headers = { ...sentHeaders(request.headers, url), ...length }
  // An error of the body's own source, such as a file, is not the other side's fault.
  let sourceError: unknown = null
  const sent = bodyStream(body, (error) => {
    sourceError = error
  })
  const reasonOf = (error: Error): unknown => {
    if (sourceError !== null) return sourceError
    return signal.aborted ? signal.reason : faultOf(error)
  }
  return new Promise((resolve, reject) => {
    let answer: Readable
    const call = { url, method, headers, body: sent, timeoutMs, signal }
    const cancel = connections.call(call, {
      head: (status, answered, resume) => {
        answer = answerStream(resume, () => cancel(new Error('not read to its end')))
        resolve({ status, headers: firstValues(answered), body: answer })
      },
      chunk: (bytes) => answer.push(bytes),
      end: () => answer.push(null),
      fail: (error) => {
        const reason = reasonOf(error)
        reject(reason)
        answer?.destroy(reason as Error)
      },
    })
  })
}

/** `failed` is called with an error of the source. */
function bodyStream(body: StoreBody | null, failed: (error: unknown) => void): Readable | null {
  if (body === null || body.bytes === 0) return null
  const chunks = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* body.open()
    } catch (error) {
      failed(error)
      throw error
    }
  }
  return Readable.from(chunks(), { highWaterMark: 1 })
}

/** Calls `left` when the reader destroys the stream. */
function answerStream(resume: () => void, left: () => void): Readable {
  const stream = new Readable({
    highWaterMark: READ_AHEAD_BYTES,
    read: resume,
    destroy: (error, done) => {
      left()
      done(error)
    },
  })
  // Its reader receives the error, also one that begins later.
  return stream.on('error', () => undefined)
}

function firstValues(headers: AnswerHeaders): StoreAnswer['headers'] {
  const values = Object.entries(headers).map(([name, value]) => [name, first(value!)])
  return Object.fromEntries(values)
}

function faultOf(error: NodeJS.ErrnoException): TransportFault {
  const { isRejected, message } = failureOf(error)
  return new TransportFault(!isRejected, message)
}
