// Ranks documents whose scores boosts multiply. The result is that of ranking all documents, and
// sorting them by their multiplied scores; buckets are cut before to those that can be in it.
import { IdSet } from '../../../format/idset/index.ts'
import type { Factors } from '../boosts/index.ts'
import type { QueryGraph } from '../query-graph/index.ts'
import {
  type Booster,
  type BucketSortOptions,
  boundedScore,
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

type Keyed = {
  readonly hit: RankedHit
  /** Of a deferred hit, the best that it can have. */
  readonly key: MergeKey
  /** The worst that it can have. */
  readonly least: MergeKey
  /** Its place among equal hits. */
  readonly at: number
  /** Ranks a deferred hit; null for others. */
  readonly resume: (() => void) | null
}

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
  const best = new Best(
    factors,
    // Vectors are compared with few of the documents.
    rules[0]?.name === 'vectorSort' ? factors.max : factors.tableWith(universe).bound(universe),
    isCut ? offset + limit : Number.POSITIVE_INFINITY,
  )
  const ranked = bucketSort(rules, universe, graph, {
    ...options,
    offset: 0,
    limit: Number.MAX_SAFE_INTEGER,
    withScores: options.withScores || !isCut,
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
  /** Hits that the last cut left. */
  #kept = 0
  /** The place of the next hit among equal ones. */
  #next = 0
  #isFinishing = false
  /** No document has a larger factor. */
  readonly #most: number
  isFull: boolean

  constructor(factors: Factors, most: number, needed: number) {
    this.#factors = factors
    this.#most = most
    this.#needed = needed
    this.isFull = needed === 0
  }

  narrowed(documents: IdSet, scores: readonly ScoreDetail[]): IdSet {
    const isFew = this.#last === null && documents.size <= this.#needed
    if (isFew || this.#needed === Number.POSITIVE_INFINITY) return documents
    const last = this.#last
    const most = mergeKey(scores, 1, 0, null, this.#most)
    if (last !== null && compareFirstParts(most, last) > 0) {
      this.isFull = true
      return IdSet.empty
    }
    const { low, high } = boundsOf(scores)
    if (high === 0) return documents
    const needed = last === null ? 0 : scoreFor(most, last) / high
    if (low === 0 && needed === 0) return documents
    const table = this.#factors.tableWith(documents)
    const isMany = documents.size > this.#needed && low > 0
    const among = isMany ? (table.nthLargest(documents, this.#needed) * low) / high : 0
    return table.atLeast(documents, Math.max(among, needed) * SLACK)
  }

  take(documents: IdSet, scores: readonly ScoreDetail[], first: TieOrder['first']): void {
    const table = this.#factors.tableWith(documents)
    const isMany = documents.size > this.#needed
    const border = isMany ? table.nthLargest(documents, this.#needed) : 0
    const best = isMany ? table.atLeast(documents, border) : documents
    const above = isMany ? table.atLeast(best, nextAbove(border)) : best
    const chosen = [first(above, above.size)]
    const equal = best.andNot(above)
    if (!equal.isEmpty) chosen.push(first(equal, this.#needed - above.size))
    const details = [...scores]
    for (const some of chosen) for (const id of some) this.#hold(id, details, table.at(id))
    this.#cutIfMany()
  }

  defers(id: number, scores: readonly ScoreDetail[], resume: () => void): boolean {
    // Any other score is compared before those of the following rules.
    if (this.#isFinishing || scores.length === 0) return false
    if (scores.some((detail) => rankOf(detail) === null)) return false
    const factor = this.#factors.tableWith(IdSet.of([id])).at(id)
    const key = mergeKey(scores, 1, 0, null, factor)
    const least = withScore(key, boundsOf(scores).low * factor)
    this.#held.push({ hit: { id, scores, scale: factor }, key, least, at: this.#next++, resume })
    this.#cutIfMany()
    return true
  }

  finish(): void {
    this.#isFinishing = true
    this.#cut()
    for (const one of this.#unclear()) {
      this.#held = this.#held.filter((other) => other !== one)
      this.isFull = false
      this.#next = one.at
      one.resume?.()
    }
  }

  /** Returns the deferred hits of the first places whose order is not known. */
  #unclear(): readonly Keyed[] {
    this.#sort()
    const unclear: Keyed[] = []
    for (let from = 0; from < this.#held.length && from < this.#needed; ) {
      let to = from + 1
      let least = scoreIn(this.#held[from]!.least)
      for (; to < this.#held.length; to++) {
        const { key, least: its } = this.#held[to]!
        if (scoreIn(key) < least * SLACK - 2 * Number.EPSILON) break
        least = Math.min(least, scoreIn(its))
      }
      if (to > from + 1) unclear.push(...this.#held.slice(from, to).filter(isDeferred))
      from = to
    }
    return unclear
  }

  #hold(id: number, scores: readonly ScoreDetail[], factor: number): void {
    const key = mergeKey(scores, 1, 0, null, factor)
    const hit = factor === 1 ? { id, scores } : { id, scores, scale: factor }
    this.#held.push({ hit, key, least: key, at: this.#next++, resume: null })
  }

  #cutIfMany(): void {
    if (this.#last === null || this.#held.length > this.#kept + HELD_BEYOND) this.#cut()
  }

  /** Keeps the needed hits, and deferred ones that may be better than one of them. */
  #cut(): void {
    if (this.#held.length < this.#needed || this.#needed === 0) return
    this.#held.sort((a, b) => compareInOrder(a.least, b.least) || a.at - b.at)
    const last = this.#held[this.#needed - 1]!.least
    this.#held = this.#held.filter(
      (one, i) =>
        i < this.#needed || (one.resume !== null && compareFirstParts(one.key, last) <= 0),
    )
    this.#last = last
    this.#kept = this.#held.length
  }

  /** Equal hits stay in the order in which the rules found them. */
  #sort(): void {
    this.#held.sort((a, b) => compareInOrder(a.key, b.key) || a.at - b.at)
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

const isDeferred = ({ resume }: Keyed): boolean => resume !== null

const withScore = (key: MergeKey, score: number): MergeKey => ({
  ...key,
  parts: [{ kind: 'score', score }],
})

/** The first number of a key; 0 for a key that begins with a sort, which no deferred hit has. */
function scoreIn({ parts }: MergeKey): number {
  const part = parts[0]
  return part?.kind === 'score' ? part.score : 0
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
    else if (detail.kind === 'bm25') {
      return { low: boundedScore(detail.score), high: boundedScore(detail.score) }
    } else if (detail.kind === 'vectorSort') {
      return { low: detail.similarity ?? 0, high: detail.similarity ?? 0 }
    }
  }
  if (merged === null) return { low: 0, high: 1 }
  // The best bucket of all finer rules has the score of the bucket itself.
  return { low: (merged.rank - 1) / merged.max, high: localScore(merged) }
}

const oneNumber = new Float64Array(1)
const itsBits = new BigUint64Array(oneNumber.buffer)

/** Returns the smallest number above a `border` of 0 or more. */
function nextAbove(border: number): number {
  oneNumber[0] = border
  itsBits[0]! += 1n
  return oneNumber[0]
}
