// Answers that their clients have not read yet. Small ones fit in the buffers of the system; large
// ones are held in memory for as long as reading takes. Three limits apply: a minimum rate, a total
// above which the oldest answers are given up, and 1.25 times the total, above which no more are
// begun.
import type { ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import { ApiError } from '../../errors/index.ts'
import {
  ANSWERS_BYTES_MAX,
  BYTES_PER_SECOND_MIN,
  type Timeouts,
  TRACKED_ANSWER_BYTES_MIN,
} from './limits.ts'
import type { Watch, Watched } from './watch.ts'

/** No answer is begun while more than this multiple of the total waits. */
const HELD_SHARE_MAX = 1.25

const NOTHING_RESERVED = (): void => undefined

export class Deliveries {
  readonly #timeouts: Timeouts
  readonly #watch: Watch
  readonly #bytesMax: number
  #bytes = 0

  constructor(timeouts: Timeouts, watch: Watch, bytesMax = ANSWERS_BYTES_MAX) {
    this.#timeouts = timeouts
    this.#watch = watch
    this.#bytesMax = bytesMax
  }

  /** Number of bytes that wait for their clients. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * Reserves room for an answer that is about to be compressed and sent. The returned function
   * releases the room: call it when the answer is tracked instead, or has failed.
   * @throws ApiError too_many_answers
   */
  admit(bytes: number): () => void {
    if (bytes < TRACKED_ANSWER_BYTES_MIN) return NOTHING_RESERVED
    // A single answer is always sent.
    if (this.#bytes > 0 && this.#bytes + bytes > HELD_SHARE_MAX * this.#bytesMax) {
      throw new ApiError(
        'too_many_answers',
        `Unread answers use ${this.#bytes} bytes of memory, and there is no room for ` +
          `${bytes} more. Retry after 10s.`,
      )
    }
    this.#bytes += bytes
    return () => {
      this.#bytes -= bytes
    }
  }

  /** Watches an answer that was handed to its socket. */
  track(response: ServerResponse): void {
    const bytes = unsentBytes(response)
    if (bytes < TRACKED_ANSWER_BYTES_MIN || response.closed) return
    const { bodyMs, silentMs } = this.#timeouts
    const slowMs = bodyMs + (bytes / BYTES_PER_SECOND_MIN) * 1000
    let waitedMs = 0
    const delivery: Watched = {
      check: (elapsedMs) => {
        waitedMs += elapsedMs
        // The watch checks the oldest first, so they are given up first.
        const isTooMuch = this.#bytes > this.#bytesMax && waitedMs >= silentMs
        if (waitedMs <= slowMs && !isTooMuch) return
        forget()
        response.destroy()
      },
    }
    let isTracked = true
    const forget = (): void => {
      if (!isTracked) return
      isTracked = false
      this.#bytes -= bytes
      this.#watch.delete(delivery)
    }
    this.#bytes += bytes
    this.#watch.add(delivery)
    response.once('close', forget)
  }
}

/** In HTTP/2 the stream holds the unsent bytes, in HTTP/1.1 the socket. */
const unsentBytes = (response: ServerResponse): number => {
  const { stream } = response as unknown as { readonly stream?: ServerHttp2Stream }
  return stream?.writableLength ?? response.socket?.writableLength ?? 0
}
