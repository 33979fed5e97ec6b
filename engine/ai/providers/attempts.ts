// One request to a provider. It is repeated while that may help: after busy or failing providers,
// failed connections, answers that are not JSON. Any other failure ends it.

import { setTimeout as sleep } from 'node:timers/promises'
import { decoder } from '../../../format/bytes/index.ts'
import { Canceled, type OutgoingAnswer, OutgoingFault } from '../../model/index.ts'
import { partOfPause } from '../../time/index.ts'
import { EmbeddingFailure, runtimeError, userError } from './failure.ts'
import { ANSWER_BYTES_MAX, ATTEMPTS_MAX, BUSY_PAUSE_MS, REPLY_LENGTH_MAX } from './limits.ts'
import type { EmbeddingRun, ProviderEnvironment, RequestHeaders } from './provider.ts'

/** The parts of messages that differ by provider. */
export type ProviderWords = {
  /** The name of the server that refused the key. */
  readonly server: string
  /** The end of the hint about the key. */
  readonly keyHint: string
  /** The text after "sent a bad request to embedding server". */
  readonly badRequestHint: string
  /** The message for a 404, or null to treat it like other unexpected answers. */
  readonly notFound: string | null
  /** Whether a 400 may mean that texts are too long. */
  readonly shortens: boolean
}

export type ProviderRequest = {
  readonly url: string
  readonly headers: RequestHeaders
  readonly body: Uint8Array
  readonly words: ProviderWords
}

/**
 * Sends a request and returns the result of `read` for the JSON of its answer. Errors of `read` end
 * it.
 * @throws EmbeddingFailure, Canceled
 */
export async function request<T>(
  outgoing: ProviderRequest,
  run: EmbeddingRun,
  environment: ProviderEnvironment,
  read: (answer: unknown) => T,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      const value = read(await answerTo(outgoing, run, environment))
      run.onRequest(null)
      return value
    } catch (error) {
      if (!(error instanceof EmbeddingFailure)) throw error
      run.onRequest(error.reason)
      const isLast = attempt + 1 >= (run.attemptsMax?.() ?? ATTEMPTS_MAX)
      const pauseMs = isLast ? null : pauseAfter(error, attempt, environment.pauseMsMax)
      if (pauseMs === null || isOver(run, environment, pauseMs)) throw error
      await pause(pauseMs, run.signal)
    }
  }
}

/** Returns the milliseconds until the next attempt, or null to stop. */
function pauseAfter(failure: EmbeddingFailure, attempt: number, pauseMsMax: number): number | null {
  if (!failure.isTemporary) return null
  const { retry, retryAfterMs } = failure
  const grown = 10 ** attempt + (retry === 'busy' ? BUSY_PAUSE_MS : 0)
  return Math.min(Math.max(partOfPause(Math.min(grown, pauseMsMax)), retryAfterMs), pauseMsMax)
}

const isOver = (
  { deadline }: EmbeddingRun,
  { now }: ProviderEnvironment,
  pauseMs: number,
): boolean => deadline !== null && now() + pauseMs >= deadline

async function pause(ms: number, signal: AbortSignal | null): Promise<void> {
  try {
    await sleep(ms, undefined, signal === null ? {} : { signal })
  } catch (error) {
    if (!isAborted(signal)) throw error
  }
  if (isAborted(signal)) throw new Canceled()
}

const isAborted = (signal: AbortSignal | null): boolean => signal?.aborted === true

/** Makes one attempt and returns the JSON of its answer. @throws EmbeddingFailure, Canceled */
async function answerTo(
  { url, headers, body, words }: ProviderRequest,
  { signal, deadline }: EmbeddingRun,
  { send, now, requestMs }: ProviderEnvironment,
): Promise<unknown> {
  if (isAborted(signal)) throw new Canceled()
  const left = deadline === null ? requestMs : Math.min(requestMs, deadline - now())
  const totalMs = Math.max(Math.ceil(left), 1)
  let answer: OutgoingAnswer
  try {
    answer = await send({
      method: 'POST',
      url,
      headers,
      body,
      timeoutMs: totalMs,
      totalMs,
      answerBytesMax: ANSWER_BYTES_MAX,
      signal,
    })
  } catch (error) {
    if (isAborted(signal)) throw new Canceled()
    if (!(error instanceof OutgoingFault)) throw error
    const retry = error.kind === 'unreachable' ? 'again' : 'never'
    throw runtimeError(`could not reach embedding server:\n  - ${error.message}`, retry)
  }
  if (answer.status < 200 || answer.status >= 300) throw refusal(answer, words)
  return jsonOf(answer)
}

function jsonOf({ body }: OutgoingAnswer): unknown {
  try {
    return JSON.parse(decoder.decode(body))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const reason = `error deserializing the response body as JSON:\n  - ${error.message}`
    throw runtimeError(reason, 'again')
  }
}

function refusal(answer: OutgoingAnswer, words: ProviderWords): EmbeddingFailure {
  const { status } = answer
  const reply = replyOf(answer)
  if (status === 401) {
    const hint = 'Hint: Check the `apiKey` parameter in the embedder configuration'
    return userError(
      `could not authenticate against ${words.server} server${reply}\n  - ${hint}${words.keyHint}`,
    )
  }
  if (status === 400) {
    const text = `sent a bad request to embedding server${words.badRequestHint}${reply}`
    return userError(text, words.shortens ? 'alone' : 'never')
  }
  if (status === 404 && words.notFound !== null) return userError(words.notFound + reply)
  if (status === 429) {
    const text = `sent too many requests to embedding server${reply}`
    return runtimeError(text, 'busy', retryAfterOf(answer))
  }
  if (status >= 500) {
    const text = `received internal error HTTP ${status} from embedding server${reply}`
    return runtimeError(text, 'again', retryAfterOf(answer))
  }
  return new EmbeddingFailure(
    `error: received unexpected HTTP ${status} from embedding server${reply}`,
  )
}

function replyOf({ body }: OutgoingAnswer): string {
  const text = decoder.decode(body)
  const isLong = text.length > REPLY_LENGTH_MAX
  const short = isLong ? `${text.slice(0, REPLY_LENGTH_MAX)}…` : text
  return `\n  - server replied with \`${short}\``
}

/** Reads `Retry-After` in seconds, as providers send it; dates are ignored. */
function retryAfterOf({ retryAfter = '' }: OutgoingAnswer): number {
  return /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1000 : 0
}
