// The retriever of a search whose documents rules scale: the documents of each weight are ranked
// separately, and their hits merged by scaled scores.
import { IdSet } from '../../../format/idset/index.ts'
import type { SearchRequest } from '../../model/index.ts'
import { DISTINCT_SENT_MAX, type SearchableView } from '../jobs/index.ts'
import type { RankedHit, Ranking, Retriever, Window } from '../rank/index.ts'
import type { OneOfEach } from './hybrid.ts'
import { countedOnce, type KeywordOptions, thresholdFor } from './keywords.ts'
import { compareInOrder, type MergeKey, mergeKey } from './merge-order.ts'
import type { ScaleGroup } from './scales.ts'

type Keyed = { readonly hit: RankedHit; readonly key: MergeKey }

export type ScaledParts = {
  /** Computes all scores of its hits. */
  readonly inner: Retriever
  readonly groups: readonly ScaleGroup[]
  /** Returns null if hits are not reduced to one for each value. */
  readonly distinct: () => OneOfEach | null
}

export class ScaledRetriever implements Retriever {
  readonly #view: SearchableView
  readonly #request: SearchRequest
  readonly #options: KeywordOptions
  readonly #parts: ScaledParts

  constructor(
    view: SearchableView,
    request: SearchRequest,
    options: KeywordOptions,
    parts: ScaledParts,
  ) {
    this.#view = view
    this.#request = request
    this.#options = options
    this.#parts = parts
  }

  /** @throws StorageError, Canceled */
  retrieve(universe: IdSet, window: Window): Ranking {
    const { inner, groups } = this.#parts
    const rest = groups.reduce((left, { ids }) => left.andNot(ids), universe)
    if (rest.size === universe.size) return inner.retrieve(universe, window)
    const whole = { ...window, offset: 0, limit: window.offset + window.limit }
    const first = inner.retrieve(rest, whole)
    const keyed = first.hits.map((hit): Keyed => ({ hit, key: keyOf(hit) }))
    let { candidates, degraded } = first
    // No score is above 1 before it is multiplied.
    const most = this.#options.scales?.factors?.max ?? 1
    for (const { weight, ids } of groups) {
      const scaled = { ...whole, scale: weight }
      if ((thresholdFor(this.#request, scaled) ?? 0) > most) continue
      const found = inner.retrieve(universe.and(ids), scaled)
      for (const { id, scores, scale = 1 } of found.hits) {
        const hit = { id, scores, scale: Math.min(scale * weight, Number.MAX_VALUE) }
        keyed.push({ hit, key: keyOf(hit) })
      }
      candidates = candidates.or(found.candidates)
      degraded ||= found.degraded
    }
    const hits = this.#best(keyed, whole.limit)
    const counted = this.#counted(candidates, hits, window)
    return { hits: hits.slice(window.offset), candidates: counted, degraded }
  }

  matching(universe: IdSet): IdSet | null {
    return this.#parts.inner.matching(universe)
  }

  /** Returns the best hits in order, one for each distinct value. */
  #best(keyed: Keyed[], needed: number): readonly RankedHit[] {
    // Hits that tie stay in the order of the ranking of their group.
    keyed.sort((a, b) => compareInOrder(a.key, b.key))
    const distinct = this.#parts.distinct()
    const hits: RankedHit[] = []
    for (const { hit } of keyed) {
      if (hits.length >= needed) break
      if (distinct === null || distinct.admit(hit.id)) hits.push(hit)
    }
    return hits
  }

  /** Of documents that share a distinct value, a hit counts if there is one. */
  #counted(candidates: IdSet, hits: readonly RankedHit[], { finite }: Window): IdSet {
    const distinct = this.#parts.distinct()
    const { distinctField, keepsDuplicates = false } = this.#options
    // Another instance counts them.
    const isWhole = finite && keepsDuplicates && candidates.size <= DISTINCT_SENT_MAX
    if (distinct === null || isWhole) return candidates
    for (const { id } of hits) distinct.admit(id)
    const counted = candidates.andNot(distinct.excluded()).or(IdSet.of(hits.map(({ id }) => id)))
    const field = finite ? this.#view.fieldId(distinctField!) : null
    return field === null ? counted : countedOnce(this.#view, field, counted, this.#options)
  }
}

const keyOf = ({ scores, scale }: RankedHit): MergeKey => mergeKey(scores, 1, 0, null, scale)
