// The interface that finds the documents of a search and orders them. A search uses only this
// interface, so it is independent of whether words, vectors or several retrievers decide.
import type { IdSet } from '../../../format/idset/index.ts'
import type { Ranking } from './bucket-sort.ts'

/** The part of a ranking that is needed. */
export type Window = {
  /** Hits before the first returned one. */
  readonly offset: number
  readonly limit: number
  /** True for numbered pages and exact totals: the number of candidates has to be exact. */
  readonly finite: boolean
  /** Factor of all scores before they are compared with a threshold; absent for 1. */
  readonly scale?: number
}

export interface Retriever {
  /**
   * Returns the hits of `window` among `universe`, best first, and all documents counted as found.
   * Ties are in ascending order of id. Stops early when time is up: see `Ranking.degraded`.
   */
  retrieve(universe: IdSet, window: Window): Ranking
  /**
   * Returns the documents of `universe` that `retrieve` counts as found, or null if the order or the
   * scores of hits decide about that.
   */
  matching(universe: IdSet): IdSet | null
}
