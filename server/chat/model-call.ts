// One request to a model, with its answer as chunks. Nothing is retried, because the client sees
// the chunks as they arrive.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Transport, TransportFault } from '../../engine/backup.ts'
import type { ChatWorkspace } from '../../engine/index.ts'
import { chatError } from './chat-error.ts'
import { type Chunk, readChunk } from './chunks.ts'
import { endpointOf } from './endpoint.ts'
import { EventStreamParser } from './event-stream.ts'
import { ANSWER_BYTES_MAX, ANSWER_MS_MAX, CHUNKS_A_TURN, ERROR_BYTES_MAX } from './limits.ts'
import { refusalOf } from './refusal.ts'

export type ModelRequest = {
  readonly workspace: ChatWorkspace
  /** The body: JSON, in pieces. */
  readonly body: readonly Uint8Array[]
  /** Fires when the client disconnects. */
  readonly signal: AbortSignal
}

const END = '[DONE]'
const EVENT_STREAM = /^text\/event-stream\b/i

/**
 * Yields the chunks of the answer as they are requested: leaving the loop ends the request. @throws
 * ChatError, or the reason of the signal
 */
export async function* askModel(
  transport: Transport,
  { workspace, body, signal }: ModelRequest,
): AsyncGenerator<Chunk, void, undefined> {
  const { url, headers } = endpointOf(workspace)
  const timed = new TimedSignal(signal, ANSWER_MS_MAX)
  const bytes = body.reduce((sum, { length }) => sum + length, 0)
  try {
    const answer = await transport({
      method: 'POST',
      url: checkedUrl(url),
      headers,
      body: { bytes, open: () => piecesOf(body) },
      signal: timed.signal,
    })
    const isStream = EVENT_STREAM.test(answer.headers['content-type'] ?? '')
    if (answer.status !== 200 || !isStream) {
      throw refusalOf(workspace.source, answer.status, await beginningOf(answer.body))
    }
    yield* chunksIn(answer.body)
  } catch (error) {
    if (error instanceof TransportFault) throw chatError('transport_error', error.message)
    if (timed.isLate && !signal.aborted) {
      const words = `the model did not finish its answer within ${ANSWER_MS_MAX / 1000} s`
      throw chatError('stream_ended', words)
    }
    throw error
  } finally {
    timed.end()
  }
}

/** A signal that fires with another one, or after a timeout. */
class TimedSignal {
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal
  readonly #timer: NodeJS.Timeout
  isLate = false

  constructor(outer: AbortSignal, ms: number) {
    this.#outer = outer
    this.#timer = setTimeout(() => {
      this.isLate = true
      this.#controller.abort()
    }, ms)
    if (outer.aborted) this.#controller.abort(outer.reason)
    else outer.addEventListener('abort', this.#pass)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Removes the listener, because the outer signal may live longer. */
  end(): void {
    clearTimeout(this.#timer)
    this.#outer.removeEventListener('abort', this.#pass)
  }

  readonly #pass = (): void => this.#controller.abort(this.#outer.reason)
}

/** @throws ChatError transport_error */
function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href
  throw chatError('transport_error', 'the `baseUrl` of the chat is not an http or https URL')
}

async function* piecesOf(body: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, undefined> {
  yield* body
}

async function* chunksIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<Chunk, void, undefined> {
  const parser = new EventStreamParser()
  let bytes = 0
  let untilTurn = CHUNKS_A_TURN
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > ANSWER_BYTES_MAX) {
      const words = `the answer of the model is larger than ${ANSWER_BYTES_MAX} bytes`
      throw chatError('stream_ended', words)
    }
    for (const data of parser.push(piece)) {
      if (data === END) return
      yield readChunk(data)
      if (--untilTurn > 0) continue
      untilTurn = CHUNKS_A_TURN
      await nextTurn()
    }
  }
}

/** Returns the first ERROR_BYTES_MAX bytes. If the connection breaks, the bytes received so far. */
async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const piece of body) {
      pieces.push(piece)
      bytes += piece.length
      if (bytes >= ERROR_BYTES_MAX) break
    }
  } catch (error) {
    if (!(error instanceof TransportFault)) throw error
  }
  return Buffer.concat(pieces).subarray(0, ERROR_BYTES_MAX)
}
