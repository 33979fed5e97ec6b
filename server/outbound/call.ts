// Calls other servers over HTTP and HTTPS, with answers that fit in memory.
import { Readable } from 'node:stream'
import {
  type OutgoingAnswer,
  OutgoingFault,
  type OutgoingRequest,
  type Send,
} from '../../engine/index.ts'
import type { IpNetworks } from '../config/index.ts'
import { AnswerBuffer } from './answer-buffer.ts'
import {
  type AnswerHeaders,
  Connections,
  type Resolve,
  TIMED_OUT,
  timedOut,
} from './connections.ts'
import { failureOf } from './failure.ts'
import { first, headersProblem, sentHeaders } from './headers.ts'
import { ANSWER_BYTES_MAX, REDIRECTS_MAX } from './limits.ts'
import { maskedSend } from './masked.ts'

/**
 * Returns a client that calls only addresses allowed by `networks`; `follows`: redirects are
 * followed. Each new connection resolves its name with `resolve` and uses an address of that
 * result. `keepAlive`: connections are reused. `masksAll`: see `maskedSend`.
 */
export function caller(
  networks: IpNetworks,
  follows = false,
  resolve?: Resolve,
  keepAlive = true,
  masksAll = false,
): Send {
  const connections = new Connections(networks, keepAlive, resolve)
  const send: Send = async (request) => {
    const { totalMs } = request
    const end = totalMs === undefined ? null : performance.now() + totalMs
    let current = request
    for (let hops = 0; ; hops++) {
      const { location, ...answer } = await sendOnce(current, connections, end)
      if (!follows || location === null || hops === REDIRECTS_MAX) return answer
      current = redirected(current, location, answer.status)
    }
  }
  return maskedSend(send, masksAll)
}

/**
 * The client for providers of embeddings and ranking: follows redirects, and opens a connection per
 * request, because a reused connection that the provider closes while a request is sent would count
 * as a failed attempt.
 */
export const providerCaller = (networks: IpNetworks): Send =>
  caller(networks, true, undefined, false, true)

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

/**
 * `end`: when the call fails as too late, as of `performance.now`, or null. The timer ends with the
 * call; one of `AbortSignal.timeout` would fire for calls that were answered long ago.
 * @throws OutgoingFault
 */
async function sendOnce(
  outgoing: OutgoingRequest,
  connections: Connections,
  end: number | null,
): Promise<Hop> {
  const { method, headers, timeoutMs, connectMs, signal } = outgoing
  const { answerBytesMax = ANSWER_BYTES_MAX, take, isShared = false } = outgoing
  const url = urlOf(outgoing.url)
  const problem = headersProblem(headers)
  if (problem !== null) throw new OutgoingFault('header', problem)
  const isChunked = headers['transfer-encoding'] === 'chunked'
  const body = isChunked && outgoing.body !== null ? Readable.from([outgoing.body]) : outgoing.body
  const sent = sentHeaders(headers, url)
  return new Promise((resolve, reject) => {
    const buffer = new AnswerBuffer(answerBytesMax, isShared)
    let head: Omit<Hop, 'body'>
    const call = { url, method, headers: sent, body, timeoutMs, connectMs, signal }
    const late = (): void => cancel(timedOut())
    const timer = end === null ? undefined : setTimeout(late, end - performance.now()).unref()
    const cancel = connections.call(call, {
      head: (status, answered) => {
        head = headOf(status, answered)
      },
      chunk: (bytes) => {
        const hasRoom =
          take === undefined ||
          (buffer.length + bytes.length <= answerBytesMax && take(bytes.length))
        if (!hasRoom) throw new OutgoingFault('tooLarge', 'the answer is too large')
        buffer.add(bytes)
        return true
      },
      end: () => {
        clearTimeout(timer)
        resolve({ ...head, body: buffer.bytes() })
      },
      fail: (error) => {
        clearTimeout(timer)
        reject(error instanceof OutgoingFault ? error : faultOf(error))
      },
    })
  })
}

function headOf(status: number, headers: AnswerHeaders): Omit<Hop, 'body'> {
  const isRedirect = status === 307 || status === 308 || (status >= 301 && status <= 303)
  const { location, 'retry-after': retryAfter, 'svc-task-uid': taskUid } = headers
  return {
    status,
    location: isRedirect && location !== undefined ? first(location) : null,
    ...(retryAfter === undefined ? {} : { retryAfter: first(retryAfter) }),
    ...(taskUid === undefined ? {} : { taskUid: first(taskUid) }),
  }
}

function faultOf(error: NodeJS.ErrnoException): OutgoingFault {
  const { isRejected, message } = failureOf(error)
  return isRejected
    ? new OutgoingFault('rejected', message)
    : new OutgoingFault('unreachable', message, error.code === TIMED_OUT)
}
