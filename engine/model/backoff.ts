// Trying again: how long to wait between tries, and for how long at all.
import { setTimeout as sleep } from 'node:timers/promises'

export type BackoffOptions = {
  /** The pause after the first try; later ones are `growth` times as long, up to `pauseMsMax`. */
  readonly pauseMs: number
  readonly pauseMsMax: number
  readonly growth: number
  /** No try begins later than this after the first one. */
  readonly totalMsMax: number
  /** Milliseconds of any clock. */
  readonly now: () => number
  /** Ends a pause early. */
  readonly signal: AbortSignal
}

/** A pause is up to half longer or shorter, so that clients do not all come back at once. */
const JITTER = 0.5

/** A part of a pause, from half of it to all, drawn anew each time. */
export const partOfPause = (ms: number): number => ms * (1 - JITTER * Math.random())

/** The pauses between the tries of one request. */
export class Backoff {
  readonly #options: BackoffOptions
  #pauseMs: number
  #until: number

  constructor(options: BackoffOptions) {
    this.#options = options
    this.#pauseMs = options.pauseMs
    this.#until = options.now() + options.totalMsMax
  }

  /** Whether the time is over before another try could begin. */
  get isLast(): boolean {
    return this.#options.now() + this.#pauseMs > this.#until
  }

  /** A try has got further than all before it: the time begins anew. */
  extend(): void {
    this.#until = this.#options.now() + this.#options.totalMsMax
  }

  /** Waits before the next try; returns early when the signal is aborted. */
  async pause(): Promise<void> {
    const { growth, pauseMsMax, signal } = this.#options
    const ms = this.#pauseMs * (1 + JITTER * (2 * Math.random() - 1))
    this.#pauseMs = Math.min(this.#pauseMs * growth, pauseMsMax)
    try {
      await sleep(ms, undefined, { signal })
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}
