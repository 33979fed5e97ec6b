// Calls the provider of personalization: sends documents as strings, receives their order. Failures
// that may be temporary are retried until the time limit; then there is no order.
import { setTimeout as sleep } from 'node:timers/promises'
import { type OutgoingAnswer, OutgoingFault, type Send } from '../../engine/index.ts'
import { count, isValid, list, object, open } from '../../format/schema/index.ts'
import { ApiError } from '../errors/index.ts'
import { ANSWER_BYTES_MAX, QUOTED_BYTES_MAX, REQUEST_SHARE } from './limits.ts'

/** The model that every request names. */
const MODEL = 'rerank-english-v3.0'
const TOO_MANY_REQUESTS = 429

export type ProviderOptions = {
  readonly url: string
  /** Must never occur in an error or a log. */
  readonly apiKey: string
  readonly send: Send
}

export type RankRequest = {
  readonly query: string
  readonly documents: readonly string[]
  /** Time limit of all attempts together. */
  readonly totalMs: number
  /** Fires when the client disconnects. */
  readonly signal: AbortSignal
}

const ANSWER = open(
  object<{ readonly results: readonly { readonly index: number }[] }>({
    results: list(open(object<{ readonly index: number }>({ index: count }))),
  }),
)

/** A failed attempt that may be retried; `pauseMs` is the shortest pause before that. */
type Again = { readonly pauseMs: number }

/**
 * Returns the positions of documents in their new order: some may be missing, repeated or out of
 * range. null if the provider returned no order in time. @throws ApiError if it refuses the request
 */
export async function rank(
  { url, apiKey, send }: ProviderOptions,
  { query, documents, totalMs, signal }: RankRequest,
): Promise<readonly number[] | null> {
  const body = Buffer.from(JSON.stringify({ query, documents, model: MODEL }))
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const deadline = performance.now() + totalMs
  for (let tries = 0; ; tries++) {
    const leftMs = deadline - performance.now()
    if (leftMs <= 0) return null
    const ms = Math.ceil(tries === 0 ? leftMs * REQUEST_SHARE : leftMs)
    const outcome = await attempt(send, {
      method: 'POST',
      url,
      headers,
      body,
      timeoutMs: ms,
      totalMs: ms,
      answerBytesMax: ANSWER_BYTES_MAX,
      signal,
    })
    if (!('pauseMs' in outcome)) return outcome
    const pauseMs = outcome.pauseMs + 10 ** tries * (1 + Math.random())
    if (performance.now() + pauseMs >= deadline) return null
    await sleep(pauseMs, undefined, { signal })
  }
}

async function attempt(
  send: Send,
  request: Parameters<Send>[0],
): Promise<readonly number[] | Again> {
  let answer: OutgoingAnswer
  try {
    answer = await send(request)
  } catch (error) {
    if (!(error instanceof OutgoingFault)) throw error
    // A wrong address cannot be cured by a retry.
    if (error.kind === 'unreachable') return { pauseMs: 0 }
    throw refused('remote_could_not_send_request', error.message)
  }
  const { status, body } = answer
  if (status === TOO_MANY_REQUESTS) return { pauseMs: 100 }
  if (status >= 500) return { pauseMs: 0 }
  if (status < 200 || status >= 300) throw refusal(status, body)
  return orderIn(body) ?? { pauseMs: 0 }
}

function orderIn(body: Uint8Array): readonly number[] | null {
  let answer: unknown
  try {
    answer = JSON.parse(Buffer.from(body).toString())
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return null
  }
  return isValid(ANSWER, answer) ? answer.results.map(({ index }) => index) : null
}

function refusal(status: number, body: Uint8Array): ApiError {
  const quoted = Buffer.from(body.subarray(0, QUOTED_BYTES_MAX)).toString()
  switch (status) {
    case 400:
      return refused('remote_bad_request', `Bad request: ${quoted}`)
    case 401:
      return refused('remote_invalid_api_key', 'Unauthorized: invalid API key')
    default:
      return refused('remote_bad_response', `Cohere API error: Status ${status}: ${quoted}`)
  }
}

const refused = (
  code:
    | 'remote_bad_request'
    | 'remote_bad_response'
    | 'remote_could_not_send_request'
    | 'remote_invalid_api_key',
  words: string,
): ApiError => new ApiError(code, `Personalization service: ${words}`)
