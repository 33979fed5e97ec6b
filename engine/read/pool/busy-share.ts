// Measures the share of time in which the search threads worked, over about the last second. A
// single moment says little: between two searches of one client every thread may be idle for a
// millisecond although the processors are fully used.

/**
 * Time constant of the exponential average: after this time a measurement has 1/e of its weight.
 */
const MEMORY_MS = 500

/** After this time without a search the load has ended. */
const IDLE_MS = 50

export class BusyShare {
  readonly #threads: number
  readonly #now: () => number
  #busy = 0
  #share = 0
  #at: number
  /** When the last search ended. */
  #idleSince: number

  /** `now`: milliseconds of a monotonic clock. */
  constructor(threads: number, now: () => number) {
    this.#threads = threads
    this.#now = now
    this.#at = now()
    this.#idleSince = this.#at
  }

  /** Sets the number of threads that work from now on. */
  note(busy: number): void {
    this.#advance()
    if (busy === 0 && this.#busy > 0) this.#idleSince = this.#at
    this.#busy = busy
  }

  /** Share from 0 to 1; 0 while there are no searches. */
  get share(): number {
    this.#advance()
    const isIdle = this.#busy === 0 && this.#at - this.#idleSince >= IDLE_MS
    return isIdle ? 0 : this.#share
  }

  #advance(): void {
    const now = this.#now()
    const decay = Math.exp((this.#at - now) / MEMORY_MS)
    this.#share = this.#share * decay + (this.#busy / this.#threads) * (1 - decay)
    this.#at = now
  }
}
