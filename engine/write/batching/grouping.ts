// When the next batch may begin. Each commit gives searches a new view, and they recompute part of
// their caches. When searches are few a batch begins immediately, so that a document is found some
// milliseconds after it was sent. The busier the search threads are, the longer the distance
// between batches: tasks that arrive meanwhile share one batch, one commit and one view.
import type { Micros } from '../task-data/index.ts'

export type GroupingOptions = {
  /** Returns the share of time that the search threads have recently worked, from 0 to 1. */
  readonly searchShare: () => number
  readonly now: () => Micros
  readonly sleep: (ms: number) => Promise<void>
}

/**
 * Milliseconds between the starts of two batches when the search threads are fully busy. Including
 * the batch itself, a document is found within a second; if a batch takes longer than this, the
 * next one follows immediately.
 */
export const DISTANCE_MS = 700
/** Up to this share batches keep no distance: a single client that polls is no load. */
export const LOW_SHARE = 0.35
/** From this share on batches keep the whole distance; between the two it grows linearly. */
export const HIGH_SHARE = 0.85
/** Milliseconds between two readings of the share. */
export const POLL_MS = 10

export class Grouping {
  readonly #options: GroupingOptions
  #beganAt = Number.NEGATIVE_INFINITY

  constructor(options: GroupingOptions) {
    this.#options = options
  }

  /** Records the start of a batch. */
  began(): void {
    this.#beganAt = this.#options.now() / 1000
  }

  /**
   * Resolves when a batch may begin. `mayWait`: returns whether the waiting tasks may wait longer.
   * Both are read every `POLL_MS`, so the start may be late by that much.
   */
  async wait(mayWait: () => boolean): Promise<void> {
    const { now, sleep, searchShare } = this.#options
    while (now() / 1000 < this.#beganAt + distanceMs(searchShare()) && mayWait()) {
      await sleep(POLL_MS)
    }
  }
}

function distanceMs(share: number): number {
  const part = (share - LOW_SHARE) / (HIGH_SHARE - LOW_SHARE)
  return DISTANCE_MS * Math.min(1, Math.max(0, part))
}
