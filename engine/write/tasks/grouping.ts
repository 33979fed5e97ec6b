// When the next batch begins. Each commit gives searches a new view, and part of what they had
// computed is of no use to them any more. At rest a batch begins at once, so that a document is
// found some milliseconds after it was sent. While searches run, batches keep a short distance,
// and while searches wait for a thread a long one: the tasks that come in meanwhile are one batch,
// one commit and one view.
import type { Micros } from './types.ts'

export type GroupingOptions = {
  /** Whether a search runs now. */
  readonly searchesRun: () => boolean
  /** Whether a search waits for a thread now. */
  readonly searchesWait: () => boolean
  readonly now: () => Micros
  readonly sleep: (ms: number) => Promise<void>
}

/**
 * The distance between the end of a batch and the begin of the next one while searches wait. With
 * the batch itself a document is found within a second.
 */
export const DISTANCE_MS = 400
/**
 * The same while searches run: at most twenty views a second. With a million documents, two clients
 * that search and 100 tasks a second, batches had two to four tasks before, and a search cost 81 ms
 * of CPU, indexing included; now they have eight, and it costs 68.
 */
export const SHORT_DISTANCE_MS = 50
/** How often it is looked whether searches still wait. */
export const LOOK_MS = 10

export class Grouping {
  readonly #options: GroupingOptions
  #endedAt = Number.NEGATIVE_INFINITY

  constructor(options: GroupingOptions) {
    this.#options = options
  }

  /** A batch has ended. */
  ended(): void {
    this.#endedAt = this.#options.now() / 1000
  }

  /**
   * Resolves when a batch may begin. `mayWait`: whether what is to be done may wait. Between two
   * looks nothing is noticed, so it may be late by LOOK_MS.
   */
  async wait(mayWait: () => boolean): Promise<void> {
    const { now, sleep } = this.#options
    while (now() / 1000 < this.#endedAt + this.#distanceMs() && mayWait()) await sleep(LOOK_MS)
  }

  #distanceMs(): number {
    const { searchesRun, searchesWait } = this.#options
    if (searchesWait()) return DISTANCE_MS
    return searchesRun() ? SHORT_DISTANCE_MS : 0
  }
}
