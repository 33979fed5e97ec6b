// One open stream: the groups of events that wait until its client has read the previous ones. The
// server never waits for a listener; one that reads too slowly is disconnected, which tells its
// client that events are missing.
import { LISTENER_BYTES_MAX, LISTENER_STALL_MS } from './limits.ts'

const END: IteratorReturnResult<undefined> = { value: undefined, done: true }

export class Listener implements AsyncIterable<Uint8Array> {
  readonly #isValid: () => boolean
  readonly #onClosed: () => void
  readonly #disconnect = new AbortController()
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  /** When the oldest of `#waiting` came. */
  #waitingSince = 0
  #isEnded = false
  #wake: (() => void) | null = null

  /** `isValid`: whether the caller still has its rights. `onClosed` is called once. */
  constructor(isValid: () => boolean, onClosed: () => void) {
    this.#isValid = isValid
    this.#onClosed = onClosed
  }

  /** Fires when the client is to be disconnected. */
  get disconnect(): AbortSignal {
    return this.#disconnect.signal
  }

  /** Sends `group`, which is shared with other listeners, once the client has read enough. */
  send(group: Uint8Array): void {
    if (this.#isEnded) return
    const isFirst = this.#waiting.length === 0
    if (!isFirst && this.#waitingBytes + group.length > LISTENER_BYTES_MAX) {
      this.#drop()
      return
    }
    if (isFirst) this.#waitingSince = performance.now()
    this.#waiting.push(group)
    this.#waitingBytes += group.length
    this.#wake?.()
  }

  /** Ends the stream of a caller that lost its rights, and of a client that reads nothing. */
  check(now: number): void {
    const isStalled = this.#waiting.length > 0 && now - this.#waitingSince > LISTENER_STALL_MS
    if (isStalled) this.#drop()
    else if (!this.#isValid()) this.end()
  }

  /** Ends the stream after the waiting events. */
  end(): void {
    this.#isEnded = true
    this.#wake?.()
  }

  #drop(): void {
    this.#waiting = []
    this.end()
    this.#disconnect.abort()
  }

  /** Supports one reader. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    return {
      next: async () => {
        for (;;) {
          const value = this.#waiting.shift()
          if (value !== undefined) {
            this.#waitingBytes -= value.length
            this.#waitingSince = performance.now()
            return { value, done: false }
          }
          if (this.#isEnded) return this.#close()
          await new Promise<void>((resolve) => {
            this.#wake = resolve
          })
          this.#wake = null
        }
      },
      return: () => Promise.resolve(this.#close()),
    }
  }

  #close(): IteratorReturnResult<undefined> {
    this.#waiting = []
    this.end()
    this.#onClosed()
    return END
  }
}
