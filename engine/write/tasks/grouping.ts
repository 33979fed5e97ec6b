// When the next batch begins. Each commit gives searches a new view, and they compute part of what
// they keep again. At rest a batch begins at once, so that a document is found some milliseconds
// after it was sent. The more of their time the search threads work, the further apart are the
// batches: the tasks that come in meanwhile are one batch, one commit and one view.
import type { Micros } from './types.ts'

export type GroupingOptions = {
  /** The share of their time in which search threads have worked lately, from 0 to 1. */
  readonly searchShare: () => number
  readonly now: () => Micros
  readonly sleep: (ms: number) => Promise<void>
}

/**
 * The time between the begins of two batches where the search threads have no time left. With the
 * batch itself a document is found within a second; where a batch takes longer than this the next
 * one follows at once.
 */
export const DISTANCE_MS = 700
/** Up to this share batches keep no distance: a client that looks again and again is no load. */
export const LOW_SHARE = 0.35
/** From this share on they keep the whole distance; between the two it grows. */
export const HIGH_SHARE = 0.85
/** How often the share is looked at. */
export const LOOK_MS = 10

export class Grouping {
  readonly #options: GroupingOptions
  #beganAt = Number.NEGATIVE_INFINITY

  constructor(options: GroupingOptions) {
    this.#options = options
  }

  /** A batch begins. */
  began(): void {
    this.#beganAt = this.#options.now() / 1000
  }

  /**
   * Resolves when a batch may begin. `mayWait`: whether what is to be done may wait. Between two
   * looks nothing is noticed, so it may be late by LOOK_MS.
   */
  async wait(mayWait: () => boolean): Promise<void> {
    const { now, sleep, searchShare } = this.#options
    while (now() / 1000 < this.#beganAt + distanceMs(searchShare()) && mayWait()) {
      await sleep(LOOK_MS)
    }
  }
}

function distanceMs(share: number): number {
  const part = (share - LOW_SHARE) / (HIGH_SHARE - LOW_SHARE)
  return DISTANCE_MS * Math.min(1, Math.max(0, part))
}
