// What finds the documents of a search and puts them in order. A search is written against this
// interface alone: it does not know whether words, vectors or several retrievers together decide.
import type { IdSet } from '../../../format/idset/index.ts'
import type { Ranking } from './bucket-sort.ts'

/** The part of a ranking that is needed. */
export type Window = {
  /** Hits before the first one that is given out. */
  readonly offset: number
  readonly limit: number
  /** Pages are counted: the number of candidates has to be exact. */
  readonly finite: boolean
}

export interface Retriever {
  /**
   * The hits of `window` among `universe`, best first, and all documents that count as found.
   * Equally good documents come by ascending id. Stops early when time is up: see
   * `Ranking.degraded`.
   */
  retrieve(universe: IdSet, window: Window): Ranking
}
