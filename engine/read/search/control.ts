// When a search has to end early: its time is up, or no client waits for it any more.
import { Canceled } from '../../model/index.ts'
import { WHOLE_MS_MIN } from './limits.ts'

/** Tells whether a job was called off; hears that its time was up. */
export type Watch = {
  (): boolean
  readonly late?: () => void
  /** Whether others wait for the thread that the job holds for long. */
  readonly isHurried?: () => boolean
}

/** `TimeUp` says which of the two ended the work. */
export type TimeUp = { readonly ms: number; readonly isHurried: boolean }

/**
 * The time of one search, from its start. Ranking stops where it is when the cutoff has passed, and
 * what was found so far is the answer. What cannot be left half done, a filter above all, ends with
 * a fault; it has `WHOLE_MS_MIN` also where the cutoff is shorter.
 */
export class SearchControl {
  readonly #now: () => number
  readonly #start: number
  readonly #cutoffMs: number
  readonly #watch: Watch

  /** `now`: milliseconds on a clock that does not go back. */
  constructor(cutoffMs: number, watch: Watch, now = (): number => performance.now()) {
    this.#now = now
    this.#start = now()
    this.#cutoffMs = cutoffMs
    this.#watch = watch
  }

  /** Whether ranking is to stop where it is. @throws Canceled */
  readonly isLate = (): boolean => {
    this.requireWanted()
    if (this.#now() < this.#start + this.#cutoffMs && !this.#isHurried()) return false
    this.#watch.late?.()
    return true
  }

  /** @throws Canceled, and what `fault` makes of the time when that is up */
  requireTime(fault: (time: TimeUp) => Error): void {
    this.#require(this.#start, this.wholeMs, fault)
  }

  /** Milliseconds for what cannot be left half done. */
  get wholeMs(): number {
    return Math.max(this.#cutoffMs, WHOLE_MS_MIN)
  }

  /**
   * For a step that cannot be left half done and has `ms` of its own, from now: a function to call
   * again and again. It throws Canceled, and what `fault` makes of the time when that is up.
   */
  checkpoint(ms: number, fault: (time: TimeUp) => Error): () => void {
    const start = this.#now()
    return () => this.#require(start, ms, fault)
  }

  #require(start: number, ms: number, fault: (time: TimeUp) => Error): void {
    this.requireWanted()
    const now = this.#now()
    if (now >= start + ms) throw fault({ ms, isHurried: false })
    if (this.#isHurried()) throw fault({ ms: Math.round(now - this.#start), isHurried: true })
  }

  /**
   * Between two searches of one request. @throws Canceled, and what `fault` makes of the time
   * so far when others wait for the thread
   */
  requireTurn(fault: (ms: number) => Error): void {
    this.requireWanted()
    if (this.#isHurried()) throw fault(Math.round(this.#now() - this.#start))
  }

  /** @throws Canceled when nothing waits for the answer any more */
  requireWanted(): void {
    if (this.#watch()) throw new Canceled()
  }

  #isHurried(): boolean {
    return this.#watch.isHurried?.() === true
  }
}

/** What took how long, for `performanceDetails`. */
export class StepTimes {
  readonly #steps = new Map<string, number>()
  readonly #begun = performance.now()
  #since = this.#begun

  /** What happened since the last call was the step of this name, or more of it. */
  done(name: string): void {
    const now = performance.now()
    this.add(name, now - this.#since)
    this.#since = now
  }

  /** Whole milliseconds since the work began. */
  elapsedMs(): number {
    return Math.floor(performance.now() - this.#begun)
  }

  /** Adds to a step what was measured elsewhere. */
  add(name: string, ms: number): void {
    this.#steps.set(name, (this.#steps.get(name) ?? 0) + ms)
  }

  /** Step → duration for people. */
  texts(): ReadonlyMap<string, string> {
    return new Map([...this.#steps].map(([name, ms]) => [name, durationText(ms)]))
  }
}

/** `1.20s`, `3.41ms`, `295.29µs`. */
export function durationText(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)}s`
  return ms >= 1 ? `${ms.toFixed(2)}ms` : `${(ms * 1000).toFixed(2)}µs`
}
