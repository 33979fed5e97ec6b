// How fast a body has to arrive. JSON has a fixed time; longer bodies get more, as long as they
// keep a minimum rate. A body that is silent while others wait for its memory is ended to make
// room.
import { ApiError } from '../../errors/index.ts'
import type { BodyShare } from './body-account.ts'
import { BYTES_PER_SECOND_MIN, type Timeouts } from './limits.ts'
import type { Watched } from './watch.ts'

export class Arrival implements Watched {
  readonly #timeouts: Timeouts
  readonly #share: BodyShare
  readonly #isLong: boolean
  readonly #received: () => number
  /** True while the server, not the client, delays the body. */
  isHeld = false
  /** Ends the reading; set by the reader. */
  fail: (error: ApiError) => void = () => undefined
  #waitedMs = 0
  #silentMs = 0
  #lastReceived = 0

  /**
   * `isLong`: more bytes get more time. `received`: returns the bytes received so far, before
   * decoding.
   */
  constructor(timeouts: Timeouts, share: BodyShare, isLong: boolean, received: () => number) {
    this.#timeouts = timeouts
    this.#share = share
    this.#isLong = isLong
    this.#received = received
  }

  check(elapsedMs: number): void {
    if (this.isHeld) return
    const received = this.#received()
    this.#waitedMs += elapsedMs
    this.#silentMs = received === this.#lastReceived ? this.#silentMs + elapsedMs : 0
    this.#lastReceived = received
    const { bodyMs, silentMs } = this.#timeouts
    const { isWanted, bytes } = this.#share
    if (isWanted && bytes > 0 && this.#silentMs >= silentMs) {
      this.fail(late('The body stopped arriving while other requests waited for its memory.'))
      return
    }
    const earnedMs = this.#isLong ? (received / BYTES_PER_SECOND_MIN) * 1000 : 0
    if (this.#waitedMs > bodyMs + earnedMs) {
      this.fail(
        late(
          this.#isLong
            ? `The body arrives slower than ${BYTES_PER_SECOND_MIN} bytes a second.`
            : `The body did not arrive within ${bodyMs / 1000} seconds.`,
        ),
      )
    }
  }
}

const REQUEST_TIMEOUT = 408

const late = (message: string): ApiError => new ApiError('bad_request', message, REQUEST_TIMEOUT)
