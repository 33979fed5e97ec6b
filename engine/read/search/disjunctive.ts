// The candidates of disjunctive facets: the documents found without the conditions of the filter on
// the facet's own field (docs/search-semantics.md#disjunctive-facets).
import type { IdSet } from '../../../format/idset/index.ts'
import type { SearchableView, SearchControl } from '../jobs/index.ts'
import type { Retriever } from '../rank/index.ts'
import {
  type KeywordOptions,
  type Pins,
  type Plan,
  pinsOf,
  type QueryPlan,
  retrieverOf,
  type Scales,
  scalesOf,
  windowBefore,
} from '../retrieval/index.ts'
import type { AppliedRule } from '../search-rules/index.ts'
import { type Universes, universesWithout } from './universes.ts'

/** A query whose hits were ranked. */
export type RankedQuery = {
  readonly view: SearchableView
  readonly plan: Plan
  readonly query: QueryPlan
  /** The rules that apply with the whole filter; they apply without its conditions too. */
  readonly applied: readonly AppliedRule[]
  readonly retriever: Retriever
  readonly options: KeywordOptions
}

/** Everything is computed on first use. */
export class DisjunctiveCandidates {
  readonly #ranked: RankedQuery
  #universes: Universes | null = null
  /** The documents that match the query, with the fewest conditions; undefined: not computed. */
  #matching: IdSet | null | undefined

  constructor(ranked: RankedQuery) {
    this.#ranked = ranked
  }

  /**
   * Returns null if the filter has no conditions of its own on the field.
   * @throws EngineFault, StorageError, Canceled, VectorNeeded
   */
  of(field: string, control: SearchControl): IdSet | null {
    const { view, plan, query, applied } = this.#ranked
    this.#universes ??= universesWithout(view, query, plan, control)
    const { widest, without } = this.#universes
    const universe = without.get(field)
    if (universe === undefined) return null
    const pins = pinsOf(view, applied, universe)
    const organic = universe.andNot(pins.ids)
    if (this.#matching === undefined) this.#matching = this.#matchingIn(widest, control)
    const found = this.#matching?.and(organic) ?? this.#rankedIn(organic, pins, control)
    return pins.hits.length === 0 ? found : found.or(pins.ids)
  }

  /** Returns null if the ranking decides which documents count as found. */
  #matchingIn(universe: IdSet, control: SearchControl): IdSet | null {
    const matching = this.#ranked.retriever.matching(universe)
    if (matching === null) return null
    const scales = this.#scales(universe, control)
    return scales === null ? matching : matching.andNot(scales.hidden)
  }

  /** Ranks as for the hits. Instances that merge do not compare the documents of these facets. */
  #rankedIn(organic: IdSet, pins: Pins, control: SearchControl): IdSet {
    const { view, plan, query, options } = this.#ranked
    const scales = this.#scales(organic, control)
    const own = { ...options, keepsDuplicates: false, scales, control }
    const { retriever } = retrieverOf(view, query, own)
    const universe = scales === null ? organic : organic.andNot(scales.hidden)
    return retriever.retrieve(universe, windowBefore(plan.window, pins)).candidates
  }

  #scales(universe: IdSet, control: SearchControl): Scales | null {
    const { view, plan, query, applied } = this.#ranked
    const { boosts } = query.prepared
    if (applied.length + boosts.length === 0) return null
    return scalesOf(view, applied, boosts, universe, plan.features, control)
  }
}
