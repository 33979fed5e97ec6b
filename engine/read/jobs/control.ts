// Decides when a search has to end early: its time is up, or no client waits for its answer any
// more.
import { Canceled } from '../../model/index.ts'
import type { LackedVector } from './lacked-vectors.ts'
import { WHOLE_MS_MIN } from './limits.ts'

/** Returns true if the job was canceled. `late` is called when ranking ran out of time. */
export type Watch = {
  (): boolean
  readonly late?: () => void
  /** Returns true if other searches wait for the thread that this job has held for long. */
  readonly isPreempted?: () => boolean
  /** Called when a hybrid search has no vector because the client sent none. */
  readonly lacksVector?: (search: LackedVector) => void
}

/** The reason why work was ended: `isPreempted` if others waited, else the time limit `ms`. */
export type TimeUp = { readonly ms: number; readonly isPreempted: boolean }

/**
 * The time limits of one search, counted from its start. When the cutoff has passed, ranking stops
 * and the hits found so far are the answer. Steps that cannot stop halfway, above all a filter, end
 * with a fault; they have at least `WHOLE_MS_MIN`, even if the cutoff is shorter.
 */
export class SearchControl {
  readonly #now: () => number
  readonly #start: number
  readonly #cutoffMs: number
  readonly #watch: Watch

  /** `now`: milliseconds of a monotonic clock. */
  constructor(cutoffMs: number, watch: Watch, now = (): number => performance.now()) {
    this.#now = now
    this.#start = now()
    this.#cutoffMs = cutoffMs
    this.#watch = watch
  }

  /** Returns true if ranking has to stop now. @throws Canceled */
  readonly isLate = (): boolean => {
    this.requireWanted()
    if (this.#now() < this.#start + this.#cutoffMs && !this.#isPreempted()) return false
    this.#watch.late?.()
    return true
  }

  /** @throws Canceled, and the error of `fault` when the time of the search is up */
  requireTime(fault: (time: TimeUp) => Error): void {
    this.#require(this.#start, this.wholeMs, fault)
  }

  /** Milliseconds for a step that cannot stop halfway. */
  get wholeMs(): number {
    return Math.max(this.#cutoffMs, WHOLE_MS_MIN)
  }

  /**
   * Returns a function to call repeatedly during a step that cannot stop halfway and has a time
   * limit of `ms` from now. It throws Canceled, and the error of `fault` when the time is up.
   */
  checkpoint(ms: number, fault: (time: TimeUp) => Error): () => void {
    const start = this.#now()
    return () => this.#require(start, ms, fault)
  }

  #require(start: number, ms: number, fault: (time: TimeUp) => Error): void {
    this.requireWanted()
    const now = this.#now()
    if (now >= start + ms) throw fault({ ms, isPreempted: false })
    if (this.#isPreempted()) throw fault({ ms: Math.round(now - this.#start), isPreempted: true })
  }

  /**
   * Call between two searches of one request. @throws Canceled, and the error of `fault` when
   * others wait for the thread
   */
  requireTurn(fault: (ms: number) => Error): void {
    this.requireWanted()
    if (this.#isPreempted()) throw fault(Math.round(this.#now() - this.#start))
  }

  noteLackedVector(search: LackedVector): void {
    this.#watch.lacksVector?.(search)
  }

  /** @throws Canceled when no client waits for the answer any more */
  requireWanted(): void {
    if (this.#watch()) throw new Canceled()
  }

  #isPreempted(): boolean {
    return this.#watch.isPreempted?.() === true
  }
}

/** Durations of the steps of a search, for `performanceDetails`. */
export class StepTimes {
  readonly #steps = new Map<string, number>()
  readonly #begun = performance.now()
  #since = this.#begun

  /** Adds the time since the last call to the step `name`. */
  done(name: string): void {
    const now = performance.now()
    this.add(name, now - this.#since)
    this.#since = now
  }

  /** Whole milliseconds since the work began. */
  elapsedMs(): number {
    return Math.floor(performance.now() - this.#begun)
  }

  /** Adds `ms`, measured elsewhere, to the step `name`. */
  add(name: string, ms: number): void {
    this.#steps.set(name, (this.#steps.get(name) ?? 0) + ms)
  }

  /** Step → readable duration. */
  texts(): ReadonlyMap<string, string> {
    return new Map([...this.#steps].map(([name, ms]) => [name, durationText(ms)]))
  }
}

/** `1.20s`, `3.41ms`, `295.29µs`. */
export function durationText(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)}s`
  return ms >= 1 ? `${ms.toFixed(2)}ms` : `${(ms * 1000).toFixed(2)}µs`
}
