// The retriever of hybrid search: merges keyword hits and vector hits into one list
// (docs/search-semantics.md#hybrid).
import type { DocId } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { Hybrid, SearchRequest } from '../../model/index.ts'
import type { VectorNeeded } from '../jobs/index.ts'
import {
  type RankedHit,
  type Ranking,
  type Retriever,
  scaledScore,
  type Window,
} from '../rank/index.ts'
import { fused, RANKS_MAX } from './fusion.ts'
import { compareKeys, type MergeKey, mergeKey } from './merge-order.ts'

/** Keyword hits suffice alone if the weighted score of each is at least this. */
const GOOD_ENOUGH = 0.45

/**
 * Keeps the first of all hits that share a value. `excluded` returns the documents that share a
 * value with a kept hit, the kept hits included.
 */
export type OneOfEach = {
  readonly admit: (id: DocId) => boolean
  readonly excluded: () => IdSet
}

/** `excluded`: documents that are not counted as found, because a hit shares a value with them. */
type Merged = { readonly hits: readonly RankedHit[]; readonly excluded: IdSet }

export type HybridParts = {
  readonly keywords: Retriever
  /** Null if the query has no vector, so that only words decide. */
  readonly vectors: Retriever | null
  /**
   * Removes the documents that the query's negative words exclude; applied to vector hits as well.
   */
  readonly within: (universe: IdSet) => IdSet
  /** Thrown if the keyword hits do not suffice; null if no vector can be computed. */
  readonly needed: VectorNeeded | null
  /** Returns null if hits are not reduced to one for each value. */
  readonly distinct: () => OneOfEach | null
  /** Returns the candidates with each distinct value once. */
  readonly countedOnce: (candidates: IdSet) => IdSet
}

/** Returns the factor of the scores of the hits by words or by vector, or 1 where ranks decide. */
export function listWeight({ fusion, semanticRatio }: Hybrid, isByVector: boolean): number {
  if (fusion === 'rrf') return 1
  return isByVector ? semanticRatio : 1 - semanticRatio
}

export class HybridRetriever implements Retriever {
  readonly #parts: HybridParts
  readonly #ratio: number
  readonly #isByRank: boolean
  readonly #countTotal: boolean

  constructor(parts: HybridParts, { hybrid, countTotal }: SearchRequest) {
    this.#parts = parts
    this.#countTotal = countTotal
    this.#ratio = hybrid!.semanticRatio
    this.#isByRank = hybrid!.fusion === 'rrf'
  }

  /** @throws StorageError, Canceled, VectorNeeded */
  retrieve(universe: IdSet, window: Window): Ranking {
    const { keywords, vectors, within, needed: missing } = this.#parts
    const needed = window.offset + window.limit
    const depth = this.#isByRank && vectors !== null ? Math.max(needed, RANKS_MAX) : needed
    const whole = { ...window, offset: 0, limit: depth }
    if (missing !== null && this.#isByRank) throw missing
    const words = keywords.retrieve(universe, whole)
    const isEnough = !this.#isByRank && isGoodEnough(words.hits, needed, this.#ratio)
    if (missing !== null && !isEnough) throw missing
    if (vectors === null || isEnough) {
      return { ...words, hits: words.hits.slice(window.offset) }
    }
    const near = vectors.retrieve(within(universe), whole)
    const { hits, excluded } = this.#isByRank
      ? this.#first(fused(words.hits, near.hits, this.#ratio), needed)
      : this.#merged(words.hits, near.hits, needed)
    const found = words.candidates.or(near.candidates)
    return {
      hits: hits.slice(window.offset),
      candidates: this.#counted(found, excluded, window),
      degraded: words.degraded || near.degraded,
    }
  }

  /**
   * Each list may count another document for a distinct value. Pages count both, as recorded, but
   * not fewer documents than there are values.
   */
  #counted(found: IdSet, excluded: IdSet, { finite }: Window): IdSet {
    const shown = found.andNot(excluded)
    if (!finite) return shown
    const once = this.#parts.countedOnce(found)
    return this.#countTotal || once.size > shown.size ? once : shown
  }

  /** The scores of the page decide whether vectors are searched. */
  matching(): null {
    return null
  }

  #first(sorted: readonly RankedHit[], needed: number): Merged {
    const distinct = this.#parts.distinct()
    if (distinct === null) return { hits: sorted.slice(0, needed), excluded: IdSet.empty }
    const hits: RankedHit[] = []
    for (const hit of sorted) {
      if (hits.length >= needed) break
      if (distinct.admit(hit.id)) hits.push(hit)
    }
    return { hits, excluded: withoutHits(distinct, hits) }
  }

  /** Both lists are sorted. Of equally good hits the vector hit comes first. */
  #merged(words: readonly RankedHit[], near: readonly RankedHit[], needed: number): Merged {
    const wordKeys = words.map(({ scores, scale }) =>
      mergeKey(scores, 1 - this.#ratio, 1, null, scale),
    )
    const nearKeys = near.map(({ scores, scale }) => mergeKey(scores, this.#ratio, 0, null, scale))
    const distinct = this.#parts.distinct()
    const seen = new Set<number>()
    const hits: RankedHit[] = []
    const take = (hit: RankedHit): void => {
      if (seen.has(hit.id)) return
      seen.add(hit.id)
      if (distinct === null || distinct.admit(hit.id)) hits.push(hit)
    }
    let w = 0
    let n = 0
    while (w < words.length && n < near.length && hits.length < needed) {
      if (isBefore(nearKeys[n]!, wordKeys[w]!)) take(near[n++]!)
      else take(words[w++]!)
    }
    for (; w < words.length && hits.length < needed; w++) take(words[w]!)
    for (; n < near.length && hits.length < needed; n++) take(near[n]!)
    if (distinct === null) return { hits, excluded: IdSet.empty }
    return { hits, excluded: withoutHits(distinct, hits) }
  }
}

const withoutHits = (distinct: OneOfEach, hits: readonly RankedHit[]): IdSet =>
  distinct.excluded().andNot(IdSet.of(hits.map(({ id }) => id)))

const isBefore = (a: MergeKey, b: MergeKey): boolean => compareKeys(a, b) <= 0

const isGoodEnough = (hits: readonly RankedHit[], needed: number, ratio: number): boolean =>
  hits.length >= needed &&
  hits.every(({ scores, scale }) => scaledScore(scores, scale) * (1 - ratio) >= GOOD_ENOUGH)
