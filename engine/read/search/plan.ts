// What one index is asked by one request: its queries, checked, and what is wanted of the answer.
import type { Features, SearchRequest } from '../../model/index.ts'
import type { Window } from '../rank/index.ts'
import type { SearchRule } from '../rules/index.ts'
import type { SearchControl, StepTimes } from './control.ts'
import type { ForeignIndexes } from './foreign.ts'
import type { Prepared } from './prepare.ts'

export type QueryPlan = {
  readonly request: SearchRequest
  readonly prepared: Prepared
  /** Factor of its scores. */
  readonly weight: number
  /** Among the queries of the request; the smaller one goes first where nothing else decides. */
  readonly position: number
  /** null: its hits tell nothing of where they come from. */
  readonly origin: HitsOrigin | null
}

/**
 * What hits tell of where they come from: their place, or also what another instance has to know
 * that merges them, which may stand beside the hits. `remote` null: their instance has no name.
 */
export type HitsOrigin = {
  readonly remote: string | null
  readonly tells: 'place' | 'all' | 'beside'
}

/** Whether hits are merged with those of other instances. */
export const isForMerging = (origin: HitsOrigin | null): boolean =>
  origin !== null && origin.tells !== 'place'

export type Plan = {
  readonly queries: readonly QueryPlan[]
  /**
   * What each query ranks. Begins at 0 where the part is merged with others: which of its hits are
   * on the page is not known before.
   */
  readonly window: Window
  /** Hits that merging may need of all queries together. */
  readonly hitsMax: number
  /** Every hit gets a score. Needed for keys, so for all parts that are merged. */
  readonly withScores: boolean
  /** Other instances answer as well: hits that no rule tells apart come in the order of all. */
  readonly isOfNetwork: boolean
  /** The field of which each value is shown once among all parts; null: hits are not compared. */
  readonly distinctField: string | null
  /** null: no facets are asked for. */
  readonly facetFields: readonly string[] | null
  /** Active ones in their order. */
  readonly rules: readonly SearchRule[]
  readonly features: Features
  readonly foreign: ForeignIndexes | null
  /** The time for the next step that has time of its own: a ranking, the facets. */
  readonly controlFor: () => SearchControl
  /** Of the whole request, which may have to end between two of its queries. */
  readonly turn: SearchControl
  readonly times: StepTimes
}
