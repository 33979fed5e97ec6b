// The share of the time of all search threads in which they worked, over about the last second. One
// moment says little: between two searches of the same client every thread may be idle for a
// millisecond although the processors have no room left.

/** Time in which what was counts for 1/e of what is. */
const MEMORY_MS = 500

export class BusyShare {
  readonly #threads: number
  readonly #now: () => number
  #busy = 0
  #share = 0
  #at: number

  /** `now`: milliseconds of a monotonic clock. */
  constructor(threads: number, now: () => number) {
    this.#threads = threads
    this.#now = now
    this.#at = now()
  }

  /** From now on so many threads work. */
  note(busy: number): void {
    this.#advance()
    this.#busy = busy
  }

  /** From 0 to 1. */
  get share(): number {
    this.#advance()
    return this.#share
  }

  #advance(): void {
    const now = this.#now()
    const kept = Math.exp((this.#at - now) / MEMORY_MS)
    this.#share = this.#share * kept + (this.#busy / this.#threads) * (1 - kept)
    this.#at = now
  }
}
