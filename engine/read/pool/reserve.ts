// Decides when the last search thread works. With as many search threads as processors it competes
// with the main thread and V8's compiler for them, and it compiles the same functions and fills the
// same caches once more. While searches are short the other threads answer as many of them without
// it (reasons: `engine/runtime/V8-OPTIONS.md`, "The thread in reserve"), so it stays in reserve
// until one of these is true:
//
// 1. A search has waited for RESERVE_WAIT_MS, or it waits behind one that has run that long;
//    COLD_WAIT_MS while code is not compiled, see 3.
// 2. A search arrives that is expected to be heavy (`turns.ts`).
// 3. With all other threads busy the main thread would be busy for RESERVE_MAIN_SHARE of the time
//    at most. Then the threads are what limits the rate, and the last one can use the processor of
//    the main thread. A share is compared, not the time of a search, because it is the same on a
//    slow machine. This is not considered until the threads have worked for COLD_MS, because every
//    search is slow before its code is compiled. Only searches that ran without the last thread are
//    measured: with it, all of them share the processors and take longer.
//
// After 1 and 2 the thread works for RESERVE_OPEN_MS, so that not every search has to wait first,
// after 3 for RESERVE_LONG_MS; then the others show again whether they suffice.
import {
  COLD_MS,
  COLD_WAIT_MS,
  RESERVE_LONG_MS,
  RESERVE_MAIN_SHARE,
  RESERVE_OPEN_MS,
  RESERVE_WAIT_MS,
} from '../jobs/index.ts'

/** Searches of one measurement. The mean of 256 mixed searches varied from 0.5 to 0.8 ms. */
const MEASURED = 512
/** The share is compared after this many already if it is half of the limit or less. */
const MEASURED_MIN = 32

/** Clocks in milliseconds. */
export interface ReserveClock {
  now(): number
  /** The time for which the main thread has been busy. */
  mainBusy(): number
}

export class Reserve {
  /** False if all threads always work. */
  readonly isKept: boolean
  /** Number of threads that always work. */
  readonly #others: number
  readonly #clock: ReserveClock
  /** Thread time of all searches. */
  #workedMs = 0
  /** Number of measured searches, their thread time, and `mainBusy` when the first one ended. */
  #measured = 0
  #measuredMs = 0
  #mainBusyBefore = 0
  #openUntil = Number.NEGATIVE_INFINITY

  constructor(isKept: boolean, threads: number, clock: ReserveClock) {
    this.isKept = isKept
    this.#others = Math.max(1, threads - 1)
    this.#clock = clock
  }

  /** Returns whether the last thread may work. */
  get isOpen(): boolean {
    return !this.isKept || this.#clock.now() < this.#openUntil
  }

  /** Returns true until the threads have run most of the code of a search often. */
  get isCold(): boolean {
    return this.#workedMs < COLD_MS
  }

  /** Milliseconds that a search waits until the last thread works. */
  get waitMs(): number {
    return this.isCold ? COLD_WAIT_MS : RESERVE_WAIT_MS
  }

  /** Notes that another thread than the last one has worked on a request for `ms`. */
  worked(ms: number): void {
    this.#workedMs += ms
    if (this.isCold || this.isOpen) return
    if (this.#measured === 0) this.#mainBusyBefore = this.#clock.mainBusy()
    this.#measured++
    this.#measuredMs += ms
    if (this.#measured % MEASURED_MIN !== 0) return
    const share =
      ((this.#clock.mainBusy() - this.#mainBusyBefore) * this.#others) / this.#measuredMs
    const isComplete = this.#measured >= MEASURED
    if (share <= (isComplete ? RESERVE_MAIN_SHARE : RESERVE_MAIN_SHARE / 2))
      this.open(RESERVE_LONG_MS)
    else if (isComplete) this.#measureAnew()
  }

  /** Lets the last thread work for some time. */
  open(ms: number = RESERVE_OPEN_MS): void {
    this.#openUntil = Math.max(this.#openUntil, this.#clock.now() + ms)
    this.#measureAnew()
  }

  #measureAnew(): void {
    this.#measured = 0
    this.#measuredMs = 0
  }
}
