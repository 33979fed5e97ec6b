// A single timer for all transfers of a server that must keep a minimum rate, in place of one timer
// for each.
//
// A check may end a request, which costs far more than a check. When thousands are late at the same
// time, a few are ended in each turn of the event loop, so that other requests run in between.
import { CHECKS_PER_TURN_MAX } from './limits.ts'

export type Watched = {
  /**
   * `elapsedMs`: milliseconds since the last call or since adding, without pauses of the process.
   */
  check(elapsedMs: number): void
}

export class Watch {
  readonly #everyMs: number
  /** Members in the order in which they were added, with the time of the last check. */
  readonly #watched = new Map<Watched, number>()
  #timer: NodeJS.Timeout | null = null
  /** The members not checked in this round yet, or null if the round is over. */
  #round: Iterator<Watched> | null = null

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  add(watched: Watched): void {
    this.#watched.set(watched, performance.now())
    if (this.#timer !== null) return
    this.#timer = setInterval(this.#tick, this.#everyMs)
    this.#timer.unref()
  }

  delete(watched: Watched): void {
    this.#watched.delete(watched)
  }

  readonly #tick = (): void => {
    if (this.#watched.size === 0) {
      if (this.#timer !== null) clearInterval(this.#timer)
      this.#timer = null
      return
    }
    // The last round still runs; elapsed times are not lost, because each member has its own.
    if (this.#round !== null) return
    this.#round = [...this.#watched.keys()].values()
    this.#checkSome()
  }

  readonly #checkSome = (): void => {
    const now = performance.now()
    for (let count = 0; count < CHECKS_PER_TURN_MAX; count++) {
      const next = this.#round!.next()
      if (next.done === true) {
        this.#round = null
        return
      }
      this.#check(next.value, now)
    }
    setImmediate(this.#checkSome)
  }

  #check(watched: Watched, now: number): void {
    const lastAt = this.#watched.get(watched)
    // Deleted since the round began.
    if (lastAt === undefined) return
    this.#watched.set(watched, now)
    // A pause of the process is not the fault of its clients.
    watched.check(Math.min(now - lastAt, 2 * this.#everyMs))
  }
}
