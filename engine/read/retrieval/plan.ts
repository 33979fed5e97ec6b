// The work of one request in one index: its checked queries, and the parts of the answer that it
// needs.
import type { IdSet } from '../../../format/idset/index.ts'
import type { Features, SearchRequest } from '../../model/index.ts'
import type { CountedFacet } from '../facets/index.ts'
import type { SearchControl, StepTimes } from '../jobs/index.ts'
import type { Window } from '../rank/index.ts'
import type { SearchRule } from '../search-rules/index.ts'
import type { ForeignIndexes } from './foreign.ts'
import type { Prepared } from './prepare.ts'

export type QueryPlan = {
  readonly request: SearchRequest
  readonly prepared: Prepared
  /** Factor for the scores of its hits. */
  readonly weight: number
  /** Position of the query in the request; the smaller one comes first in a tie. */
  readonly position: number
  /** Null if hits do not show their origin. */
  readonly origin: HitsOrigin | null
  /** True if its hits are merged with those of the same query on other instances, and no others. */
  readonly isShared?: boolean
  /** The name under which its steps are timed. */
  readonly step: string
}

/**
 * What hits show about their origin: only their place, or everything that a merging instance needs,
 * either inside the hit (`all`) or outside of it (`beside`). `remote` is null if the instance has
 * no name.
 */
export type HitsOrigin = {
  readonly remote: string | null
  readonly detail: 'place' | 'all' | 'beside'
  /** Whether the merging instance may have only what hits show. */
  readonly hidesValues: boolean
}

/** Returns true if the hits are merged with those of other instances. */
export const isForMerging = (origin: HitsOrigin | null): boolean =>
  origin !== null && origin.detail !== 'place'

export type Plan = {
  readonly queries: readonly QueryPlan[]
  /**
   * The window that each query ranks. Begins at 0 if the part is merged with others, because the
   * page is not known before.
   */
  readonly window: Window
  /** Hits come from these documents alone, while all that are found count; absent: from all. */
  readonly after?: IdSet
  /** Number of hits of all queries together that merging may need. */
  readonly hitsMax: number
  /** True if every hit needs a score: keys need them, so all merged parts do. */
  readonly withScores: boolean
  /** True if other instances answer as well: ties between hits are then broken by external id. */
  readonly isOfNetwork: boolean
  /** The field of which each value is shown once among all parts; null if hits are not compared. */
  readonly distinctField: string | null
  /** As of `KeywordOptions`. */
  readonly keepsDuplicates?: boolean
  /** Null if no facets were requested. */
  readonly facets: readonly CountedFacet[] | null
  /** Active rules in their order. */
  readonly rules: readonly SearchRule[]
  readonly features: Features
  readonly foreign: ForeignIndexes | null
  /** Creates the control of the next step with a separate time limit: a ranking, or the facets. */
  readonly controlFor: () => SearchControl
  /** The control of the whole request, which may have to end between two queries. */
  readonly turn: SearchControl
  readonly times: StepTimes
}
