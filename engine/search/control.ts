// When a search has to end early: its time is up, or nobody waits for it any more.

/** Thrown where a search finds that it was called off. */
export class SearchCanceled extends Error {
  override readonly name = 'SearchCanceled'
}

/** Tells whether a job was called off; hears that its time was up. */
export type Watch = { (): boolean; readonly late?: () => void }

/** Time is looked at once in so many questions; a question comes once per bucket of a rule. */
export class SearchControl {
  readonly #deadline: number
  readonly #isCanceled: Watch

  /** `deadline` on the clock of `performance.now()`. */
  constructor(deadline: number, isCanceled: Watch) {
    this.#deadline = deadline
    this.#isCanceled = isCanceled
  }

  /** Whether ranking is to stop where it is. @throws SearchCanceled */
  readonly isLate = (): boolean => {
    if (this.#isCanceled()) throw new SearchCanceled()
    if (performance.now() < this.#deadline) return false
    this.#isCanceled.late?.()
    return true
  }
}

/** What took how long, for `performanceDetails`. */
export class StepTimes {
  readonly #steps = new Map<string, number>()
  #since = performance.now()

  /** What happened since the last call was the step of this name, or more of it. */
  done(name: string): void {
    const now = performance.now()
    this.add(name, now - this.#since)
    this.#since = now
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
