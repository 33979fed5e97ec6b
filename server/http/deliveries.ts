// Answers that their clients have yet to take. Small ones fit in the buffers of the system; large
// ones are held in memory for as long as it takes, so that is limited: by a minimum rate, and by a
// total past which the oldest ones are given up.
import type { ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import {
  ANSWERS_BYTES_MAX,
  BYTES_PER_SECOND_MIN,
  type Timeouts,
  TRACKED_ANSWER_BYTES_MIN,
} from './limits.ts'
import type { Watch, Watched } from './watch.ts'

type Delivery = { readonly bytes: number; waitedMs: number }

export class Deliveries implements Watched {
  readonly #timeouts: Timeouts
  readonly #watch: Watch
  readonly #bytesMax: number
  /** In the order in which they were answered. */
  readonly #pending = new Map<ServerResponse, Delivery>()
  #bytes = 0

  constructor(timeouts: Timeouts, watch: Watch, bytesMax = ANSWERS_BYTES_MAX) {
    this.#timeouts = timeouts
    this.#watch = watch
    this.#bytesMax = bytesMax
  }

  /** How many bytes wait for their clients. */
  get bytes(): number {
    return this.#bytes
  }

  /** Looks after an answer that was handed to its socket. */
  track(response: ServerResponse): void {
    const bytes = unsentBytes(response)
    if (bytes < TRACKED_ANSWER_BYTES_MIN || response.closed) return
    if (this.#pending.size === 0) this.#watch.add(this)
    this.#pending.set(response, { bytes, waitedMs: 0 })
    this.#bytes += bytes
    response.once('close', () => this.#forget(response))
  }

  check(elapsedMs: number): void {
    const { bodyMs, silentMs } = this.#timeouts
    for (const [response, delivery] of this.#pending) {
      delivery.waitedMs += elapsedMs
      const { bytes, waitedMs } = delivery
      const isSlow = waitedMs > bodyMs + (bytes / BYTES_PER_SECOND_MIN) * 1000
      const isTooMuch = this.#bytes > this.#bytesMax && waitedMs >= silentMs
      if (!isSlow && !isTooMuch) continue
      this.#forget(response)
      response.destroy()
    }
  }

  #forget(response: ServerResponse): void {
    const delivery = this.#pending.get(response)
    if (delivery === undefined) return
    this.#pending.delete(response)
    this.#bytes -= delivery.bytes
    if (this.#pending.size === 0) this.#watch.delete(this)
  }
}

/** In HTTP/2 the stream has them, in HTTP/1.1 the socket. */
const unsentBytes = (response: ServerResponse): number => {
  const { stream } = response as unknown as { readonly stream?: ServerHttp2Stream }
  return stream?.writableLength ?? response.socket?.writableLength ?? 0
}
