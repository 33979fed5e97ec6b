// Ranks documents whose scores boosts multiply. The result is that of ranking all documents, and
// sorting them by their multiplied scores; buckets are cut before to those that can be in it.
import { IdSet } from '../../../format/idset/index.ts'
import type { Factors } from '../boosts/index.ts'
import type { QueryGraph } from '../query-graph/index.ts'
import {
  type Booster,
  type BucketSortOptions,
  bucketSort,
  localScore,
  mergeRanks,
  type Rank,
  type RankedHit,
  type Ranking,
  type RankingRule,
  rankOf,
  type ScoreDetail,
  scaledScore,
  type TieOrder,
} from '../rank/index.ts'
import { compareFirstParts, compareInOrder, type MergeKey, mergeKey } from './merge-order.ts'

type Keyed = { readonly hit: RankedHit; readonly key: MergeKey }

/** As `bucketSort`, but with multiplied scores, with which `threshold` is compared. */
export function boostedSort(
  rules: readonly RankingRule[],
  universe: IdSet,
  graph: QueryGraph,
  options: BucketSortOptions,
  factors: Factors,
): Ranking {
  const { offset, limit, threshold, distinct } = options
  const isCut = distinct === null && threshold === null
  const best = new Best(factors, isCut ? offset + limit : Number.POSITIVE_INFINITY)
  const ranked = bucketSort(rules, universe, graph, {
    ...options,
    offset: 0,
    limit: Number.MAX_SAFE_INTEGER,
    withScores: true,
    threshold: threshold === null ? null : threshold / factors.max,
    distinct: null,
    booster: best,
  })
  const { hits: all, below } = best.hits(threshold)
  const candidates = below.isEmpty ? ranked.candidates : ranked.candidates.andNot(below)
  if (distinct === null) {
    return { ...ranked, hits: all.slice(offset, offset + limit), candidates }
  }
  const admitted: RankedHit[] = []
  const duplicates: number[] = []
  for (const hit of all) {
    if (admitted.length >= offset + limit) break
    if (distinct.admit(hit.id)) admitted.push(hit)
    else duplicates.push(hit.id)
  }
  const hits = admitted.slice(offset)
  if (distinct.countsAll === true) return { ...ranked, hits, candidates }
  const excluded = distinct.countedLater ? IdSet.of(duplicates) : distinct.excluded()
  const counted = candidates.andNot(excluded).or(IdSet.of(admitted.map(({ id }) => id)))
  return { ...ranked, hits, candidates: counted }
}

/** Hits held beside those needed, so that they are not sorted after each bucket. */
const HELD_BEYOND = 32
/** Allows for rounding when bounds are compared. */
const SLACK = 1 - 1e-12

class Best implements Booster {
  readonly #factors: Factors
  /** Infinite if all hits are. */
  readonly #needed: number
  #held: Keyed[] = []
  /** The key of the last needed hit; null until there are as many. */
  #last: MergeKey | null = null
  isFull: boolean

  constructor(factors: Factors, needed: number) {
    this.#factors = factors
    this.#needed = needed
    this.isFull = needed === 0
  }

  narrowed(documents: IdSet, scores: readonly ScoreDetail[]): IdSet {
    const isFew = this.#last === null && documents.size <= this.#needed
    if (isFew || this.#needed === Number.POSITIVE_INFINITY) return documents
    const last = this.#last
    const most = mergeKey(scores, 1, 0, null, this.#factors.max)
    if (last !== null && compareFirstParts(most, last) > 0) {
      this.isFull = true
      return IdSet.empty
    }
    const { low, high } = boundsOf(scores)
    if (high === 0) return documents
    const needed = last === null ? 0 : scoreFor(most, last) / high
    if (low === 0 && needed === 0) return documents
    const factors = this.#factors.of(documents)
    const isMany = documents.size > this.#needed
    const among = isMany ? (nthLargest(factors, this.#needed) * low) / high : 0
    const least = Math.max(among, needed) * SLACK
    return least === 0
      ? documents
      : IdSet.ofSorted(documents.toArray().filter((_, i) => factors[i]! >= least))
  }

  take(documents: IdSet, scores: readonly ScoreDetail[], first: TieOrder['first']): void {
    const ids = documents.toArray()
    const factors = this.#factors.of(documents)
    const known = new Map<number, number>()
    const chosen: Uint32Array[] = []
    const isMany = documents.size > this.#needed
    const border = isMany ? nthLargest(factors, this.#needed) : Number.NEGATIVE_INFINITY
    const above = ids.filter((_, i) => factors[i]! > border)
    chosen.push(first(IdSet.ofSorted(above), above.length))
    if (isMany) {
      const equal = IdSet.ofSorted(ids.filter((_, i) => factors[i] === border))
      chosen.push(first(equal, this.#needed - above.length))
    }
    for (let i = 0; i < ids.length; i++) known.set(ids[i]!, factors[i]!)
    const details = [...scores]
    for (const some of chosen) {
      for (const id of some) this.#hold(id, details, known.get(id)!)
    }
    if (this.#last === null || this.#held.length > this.#needed + HELD_BEYOND) this.#cut()
  }

  #hold(id: number, scores: readonly ScoreDetail[], factor: number): void {
    const key = mergeKey(scores, 1, 0, null, factor)
    this.#held.push({ hit: factor === 1 ? { id, scores } : { id, scores, scale: factor }, key })
  }

  #cut(): void {
    if (this.#held.length < this.#needed) return
    this.#sort()
    this.#held.length = this.#needed
    this.#last = this.#held[this.#needed - 1]!.key
  }

  /** Equal hits stay in the order in which the rules found them. */
  #sort(): void {
    this.#held.sort((a, b) => compareInOrder(a.key, b.key))
  }

  /** Returns the hits in order, and the documents whose score is below the threshold. */
  hits(threshold: number | null): { readonly hits: readonly RankedHit[]; readonly below: IdSet } {
    this.#sort()
    const hits: RankedHit[] = []
    const below: number[] = []
    for (const { hit } of this.#held) {
      const isBelow = threshold !== null && scaledScore(hit.scores, hit.scale) < threshold
      if (isBelow) below.push(hit.id)
      else hits.push(hit)
    }
    return { hits, below: IdSet.of(below) }
  }
}

/** Returns the multiplied score without which a document cannot be among the best, or 0. */
function scoreFor(most: MergeKey, last: MergeKey): number {
  const at = most.parts.findIndex(({ kind }) => kind === 'score')
  const part = last.parts[at]
  if (at < 0 || part?.kind !== 'score') return 0
  const before = (key: MergeKey): MergeKey => ({ ...key, parts: key.parts.slice(0, at) })
  if (compareFirstParts(before(most), before(last)) !== 0) return 0
  return Math.max(0, part.score - Number.EPSILON)
}

/** Returns the bounds of the first score of all documents in a bucket, before multiplication. */
function boundsOf(scores: readonly ScoreDetail[]): { readonly low: number; readonly high: number } {
  let merged: Rank | null = null
  for (const detail of scores) {
    const rank = rankOf(detail)
    if (rank !== null) merged = mergeRanks(merged ?? { rank: 1, max: 1 }, rank)
    else if (merged !== null) return { low: localScore(merged), high: localScore(merged) }
    else if (detail.kind === 'vectorSort') {
      return { low: detail.similarity ?? 0, high: detail.similarity ?? 0 }
    }
  }
  if (merged === null) return { low: 0, high: 1 }
  // The best bucket of all finer rules has the score of the bucket itself.
  return { low: (merged.rank - 1) / merged.max, high: localScore(merged) }
}

/** Returns the `n`th largest of at least `n` values, `n` from 1 on. Linear on average. */
function nthLargest(values: Float64Array, n: number): number {
  const left = values.slice()
  let low = 0
  let high = left.length - 1
  const target = n - 1
  while (low < high) {
    const pivot = left[(low + high) >>> 1]!
    let i = low
    let j = high
    while (i <= j) {
      while (left[i]! > pivot) i++
      while (left[j]! < pivot) j--
      if (i > j) break
      const moved = left[i]!
      left[i++] = left[j]!
      left[j--] = moved
    }
    if (target <= j) high = j
    else if (target >= i) low = i
    else break
  }
  return left[target]!
}
