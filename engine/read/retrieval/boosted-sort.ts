// Ranks documents whose scores boosts multiply. The result is that of ranking all documents, and
// sorting them by their multiplied scores; buckets are cut before to those that can be in it.
import type { DocId } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { Factors, FactorTable } from '../boosts/index.ts'
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
import {
  compareFirstParts,
  compareInOrder,
  mergeKey,
  type OrderKey,
  scaledKey,
} from './merge-order.ts'

type Keyed = {
  readonly hit: RankedHit
  /** Of a deferred hit, the best that it can have. */
  readonly key: OrderKey
  /** The worst that it can have. */
  readonly least: OrderKey
  /** Its place among equal hits. */
  readonly at: number
  /** Lets the next rule rank a deferred hit; null for hits that all rules have ranked. */
  readonly resume: Resume | null
}
type Resume = (id: DocId) => void

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
  // Vectors are compared with few of the documents.
  const whole = rules[0]?.name === 'vectorSort' ? null : factors.tableWith(universe)
  const best = new Best(
    (documents) => whole ?? factors.tableWith(documents),
    whole?.largest(universe) ?? factors.max,
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
/** The following rules add at least this to the lower bound of a score: ranks are 32-bit numbers. */
const FURTHER_MIN = 2 ** -33
/** Documents of a bucket that are deferred together; of more, some are mostly near each other. */
const DEFERRED_MAX = 16

class Best implements Booster {
  /** Returns a table that knows the factors of some documents. */
  readonly #tableWith: (documents: IdSet) => FactorTable
  /** Infinite if all hits are. */
  readonly #needed: number
  #held: Keyed[] = []
  /** The key of the last needed hit; null until there are as many. */
  #last: OrderKey | null = null
  /** Hits that the last cut left. */
  #kept = 0
  /** The place of the next hit among equal ones. */
  #next = 0
  /** True if the next bucket is to be ranked by one more rule. */
  #isResuming = false
  /** No document has a larger factor. */
  readonly #most: number
  isFull: boolean

  constructor(tableWith: (documents: IdSet) => FactorTable, most: number, needed: number) {
    this.#tableWith = tableWith
    this.#most = most
    this.#needed = needed
    this.isFull = needed === 0
  }

  narrowed(documents: IdSet, scores: readonly ScoreDetail[]): IdSet {
    const isFew = this.#last === null && documents.size <= this.#needed
    if (isFew || this.#needed === Number.POSITIVE_INFINITY) return documents
    const { low, high } = boundsOf(scores)
    const needed = this.#scoreNeeded(scores)
    if (needed > high * this.#most) {
      this.isFull = true
      return IdSet.empty
    }
    if (high === 0 || (low === 0 && needed === 0)) return documents
    const table = this.#tableWith(documents)
    const isMany = documents.size > this.#needed && low > 0
    const among = isMany ? (table.nthLargest(documents, this.#needed) * low) / high : 0
    return table.atLeast(documents, Math.max(among, needed / high) * SLACK)
  }

  /**
   * Returns the multiplied score without which a document of a bucket cannot be among the best, or
   * 0; infinite if no document can be.
   */
  #scoreNeeded(scores: readonly ScoreDetail[]): number {
    const last = this.#last
    if (last === null) return 0
    const [part] = last.parts
    if (part?.kind === 'score' && scores.length > 0 && areRanks(scores)) {
      return Math.max(0, part.score - Number.EPSILON)
    }
    const most = mergeKey(scores, 1, 0, null, this.#most)
    return compareFirstParts(most, last) > 0 ? Number.POSITIVE_INFINITY : scoreFor(most, last)
  }

  take(documents: IdSet, scores: readonly ScoreDetail[], first: TieOrder['first']): void {
    const table = this.#tableWith(documents)
    const isMany = documents.size > this.#needed
    const border = isMany ? table.nthLargest(documents, this.#needed) : 0
    const best = isMany ? table.atLeast(documents, border) : documents
    const above = isMany ? table.atLeast(best, nextAbove(border)) : best
    const chosen = [first(above, above.size)]
    const equal = isMany ? best.andNot(above) : IdSet.empty
    if (!equal.isEmpty) chosen.push(first(equal, this.#needed - above.size))
    const details = [...scores]
    const unscaled = mergeKey(details, 1, 0)
    for (const some of chosen) {
      for (const id of some) this.#hold(id, details, unscaled, table.at(id))
    }
    this.#cutIfMany()
  }

  defers(documents: IdSet, scores: readonly ScoreDetail[], resume: Resume): boolean {
    if (this.#isResuming) {
      this.#isResuming = false
      return false
    }
    // Any other score is compared before those of the following rules.
    if (scores.length === 0 || !areRanks(scores) || documents.size > DEFERRED_MAX) return false
    const { low, high } = boundsOf(scores)
    const least = low + FURTHER_MIN
    const table = this.#tableWith(documents)
    const ids = documents.toArray()
    // Sorts behind the following rules decide between scores of zero.
    if (ids.some((id) => table.at(id) === 0)) return false
    if (ids.length > 1 && !areApart(factorsOf(ids, table), least, high)) return false
    const details = [...scores]
    for (const id of ids) {
      const factor = table.at(id)
      const hit = { id, scores: details, scale: factor }
      const key = scoreKey(high * factor, factor)
      const worst = scoreKey(least * factor, factor)
      this.#held.push({ hit, key, least: worst, at: this.#next++, resume })
    }
    this.#cutIfMany()
    return true
  }

  finish(): void {
    this.#cut()
    for (let some = this.#unclear(); some.size > 0; some = this.#unclear()) {
      this.#held = this.#held.filter((one) => !some.has(one))
      for (const { at, hit, resume } of some) {
        this.isFull = false
        this.#next = at
        this.#isResuming = true
        resume!(hit.id)
      }
    }
  }

  /**
   * Returns deferred hits of the first places whose order is not known: of hits whose scores may be
   * equal, the one that is known least.
   */
  #unclear(): ReadonlySet<Keyed> {
    this.#sort()
    const unclear = new Set<Keyed>()
    for (let from = 0; from < this.#held.length && from < this.#needed; ) {
      let to = from + 1
      let least = scoreIn(this.#held[from]!.least)
      for (; to < this.#held.length; to++) {
        const { key, least: its } = this.#held[to]!
        if (scoreIn(key) < apartFrom(least)) break
        least = Math.min(least, scoreIn(its))
      }
      // More of the others are clear then.
      if (to > from + 1) {
        const widest = this.#held.slice(from, to).reduce((a, b) => (width(b) > width(a) ? b : a))
        if (widest.resume !== null) unclear.add(widest)
      }
      from = to
    }
    return unclear
  }

  /** `unscaled`: the key of the scores without a factor. */
  #hold(id: number, scores: readonly ScoreDetail[], unscaled: OrderKey, factor: number): void {
    const key = scaledKey(unscaled, factor)
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

const width = ({ key, least }: Keyed): number => scoreIn(key) - scoreIn(least)

const areRanks = (scores: readonly ScoreDetail[]): boolean =>
  scores.every((detail) => rankOf(detail) !== null)

const scoreKey = (score: number, scale: number): OrderKey => ({
  parts: [{ kind: 'score', score }],
  scale,
})

/** Returns true if scores between `low` and `high` are in the order of their factors. */
function areApart(factors: Float64Array, low: number, high: number): boolean {
  factors.sort()
  for (let i = 1; i < factors.length; i++) {
    if (high * factors[i - 1]! >= apartFrom(low * factors[i]!)) return false
  }
  return true
}

function factorsOf(ids: Uint32Array, table: FactorTable): Float64Array {
  const factors = new Float64Array(ids.length)
  for (let i = 0; i < ids.length; i++) factors[i] = table.at(ids[i]!)
  return factors
}

/** Scores below this one are certainly below `least`. */
const apartFrom = (least: number): number => least * SLACK - 2 * Number.EPSILON

/** The first number of a key; 0 for a key that begins with a sort, which no deferred hit has. */
function scoreIn({ parts }: OrderKey): number {
  const part = parts[0]
  return part?.kind === 'score' ? part.score : 0
}

/** Returns the multiplied score without which a document cannot be among the best, or 0. */
function scoreFor(most: OrderKey, last: OrderKey): number {
  const at = most.parts.findIndex(({ kind }) => kind === 'score')
  const part = last.parts[at]
  if (at < 0 || part?.kind !== 'score') return 0
  const before = (key: OrderKey): OrderKey => ({ ...key, parts: key.parts.slice(0, at) })
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
