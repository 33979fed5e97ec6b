// Pauses between repeated attempts, and the total time allowed for them.
import { setTimeout as systemSleep } from 'node:timers/promises'

export type BackoffOptions = {
  /**
   * Milliseconds after the first attempt; each later pause is `growth` times as long, up to
   * `pauseMsMax`.
   */
  readonly pauseMs: number
  readonly pauseMsMax: number
  readonly growth: number
  /** No attempt begins later than this many milliseconds after the first one. */
  readonly totalMsMax: number
  /** Milliseconds of any clock. */
  readonly now: () => number
  /** Ends a pause early. */
  readonly signal: AbortSignal
  /** Waits for a pause; absent: the system does. */
  readonly sleep?: typeof systemSleep
}

/** A pause is up to half longer or shorter, so that clients do not all return at the same time. */
const JITTER = 0.5

/** Returns a random part of a pause, between half of it and all of it. */
export const partOfPause = (ms: number): number => ms * (1 - JITTER * Math.random())

/** The pauses between the attempts of one request. */
export class Backoff {
  readonly #options: BackoffOptions
  #pauseMs: number
  #until: number

  constructor(options: BackoffOptions) {
    this.#options = options
    this.#pauseMs = options.pauseMs
    this.#until = options.now() + options.totalMsMax
  }

  /** True if the time limit is reached before another attempt could begin. */
  get isLast(): boolean {
    return this.#options.now() + this.#pauseMs > this.#until
  }

  /** Restarts the time limit, because an attempt made more progress than all before it. */
  extend(): void {
    this.#until = this.#options.now() + this.#options.totalMsMax
  }

  /** Waits before the next attempt; returns early when the signal is aborted. */
  async pause(): Promise<void> {
    const { growth, pauseMsMax, signal, sleep = systemSleep } = this.#options
    const ms = this.#pauseMs * (1 + JITTER * (2 * Math.random() - 1))
    this.#pauseMs = Math.min(this.#pauseMs * growth, pauseMsMax)
    try {
      await sleep(ms, undefined, { signal })
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}
