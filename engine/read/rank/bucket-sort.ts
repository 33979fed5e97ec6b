// The driver: each rule splits the buckets of the rule before it, depth first, until the page is
// full (search semantics §7.2, §7.3, §7.4, §9.3, §11). What is equal under all rules comes by
// ascending document id.
import { IdSet } from '../../../format/idset/index.ts'
import type { QueryGraph } from '../query/index.ts'
import type { RankingRule } from './rule.ts'
import { globalScore, type ScoreDetail } from './scores.ts'

/** Decides which documents stand for others, in one ranking: it remembers. */
export interface Distinct {
  /** Whether no document let pass before shares a value with `id`; if so it is let pass. */
  admit(id: number): boolean
  /** All documents of the index that share a value with one let pass, those included. */
  excluded(): IdSet
  /**
   * Losers stay candidates until ranking comes to them: somebody counts what is left afterwards.
   */
  readonly countedLater: boolean
}

export type BucketSortOptions = {
  readonly offset: number
  readonly limit: number
  /** Every hit gets the verdict of every rule; else a bucket of one is not looked into. */
  readonly withScores: boolean
  /** Hits below it are dropped. */
  readonly threshold: number | null
  readonly distinct: Distinct | null
  /** True when no time is left: what remains is given out unranked. */
  readonly isLate: () => boolean
}

export type RankedHit = { readonly id: number; readonly scores: readonly ScoreDetail[] }

export type Ranking = {
  readonly hits: readonly RankedHit[]
  /** What counts as found; its size is the reported total. */
  readonly candidates: IdSet
  /** Time ran out. */
  readonly degraded: boolean
}

/**
 * Ranks `universe`. `graph` is what the query means; for a placeholder search any graph will do.
 */
export function bucketSort(
  rules: readonly RankingRule[],
  universe: IdSet,
  graph: QueryGraph,
  options: BucketSortOptions,
): Ranking {
  const sort = new BucketSort(rules, universe, options)
  if (universe.size >= options.offset) sort.fill(0, universe, graph)
  else sort.countOnly(universe)
  return sort.ranking()
}

class BucketSort {
  readonly #rules: readonly RankingRule[]
  readonly #options: BucketSortOptions
  readonly #scores: ScoreDetail[] = []
  readonly #hits: RankedHit[] = []
  #candidates: IdSet
  /** With a distinct field: documents let pass, and those met that another one stands for. */
  readonly #admitted: number[] = []
  readonly #refused: number[] = []
  #skipped = 0
  #degraded = false

  constructor(rules: readonly RankingRule[], universe: IdSet, options: BucketSortOptions) {
    this.#rules = rules
    this.#options = options
    this.#candidates = universe
  }

  ranking(): Ranking {
    return { hits: this.#hits, candidates: this.#counted(), degraded: this.#degraded }
  }

  /** The candidates, of documents that share a value only those that count. */
  #counted(): IdSet {
    const { distinct } = this.#options
    if (distinct === null) return this.#candidates
    const admitted = setOf(this.#admitted)
    const losers = distinct.countedLater ? setOf(this.#refused) : distinct.excluded()
    return this.#candidates.andNot(losers).or(admitted)
  }

  get #isFull(): boolean {
    return this.#hits.length >= this.#options.limit
  }

  /** For a page behind the end: takes those from the candidates that others stand for. */
  countOnly(universe: IdSet): void {
    const { distinct } = this.#options
    if (distinct === null || distinct.countedLater) return
    for (const id of universe.toArray()) if (distinct.admit(id)) this.#admitted.push(id)
  }

  fill(depth: number, universe: IdSet, graph: QueryGraph): void {
    if (this.#isFull || universe.isEmpty) return
    const rule = this.#rules[depth]
    if (rule === undefined || (!this.#options.withScores && depth > 0 && universe.size === 1)) {
      this.#emit(universe)
      return
    }
    const source = rule.open(universe, graph)
    let left = universe
    while (!left.isEmpty && !this.#isFull) {
      if (this.#options.isLate()) {
        this.#emitUnranked(left)
        return
      }
      const bucket = source.next(left)
      if (bucket === null) return
      left = left.andNot(bucket.ids)
      this.#scores.push(bucket.score)
      if (this.#isBelowThreshold()) this.#drop(bucket.ids.or(left))
      else if (!this.#skipWhole(bucket.ids)) this.fill(depth + 1, bucket.ids, bucket.graph)
      this.#scores.pop()
      if (this.#options.distinct !== null && !this.#isFull) {
        left = left.andNot(this.#options.distinct.excluded())
      }
    }
  }

  #isBelowThreshold(): boolean {
    const { threshold } = this.#options
    return threshold !== null && globalScore(this.#scores) < threshold
  }

  #drop(ids: IdSet): void {
    this.#candidates = this.#candidates.andNot(ids)
  }

  /** Passes over a bucket that lies before the page, without ranking inside it. */
  #skipWhole(ids: IdSet): boolean {
    const { offset, distinct, threshold } = this.#options
    if (distinct !== null || threshold !== null) return false
    if (this.#skipped + ids.size > offset) return false
    this.#skipped += ids.size
    return true
  }

  #emitUnranked(left: IdSet): void {
    this.#degraded = true
    this.#scores.push({ kind: 'skipped' })
    if (!this.#isBelowThreshold()) this.#emit(left)
    else this.#drop(left)
    this.#scores.pop()
  }

  #emit(universe: IdSet): void {
    const { offset, limit, distinct } = this.#options
    if (distinct === null) {
      const room = offset - this.#skipped + limit - this.#hits.length
      const page = universe.first(room)
      const skip = Math.min(page.length, offset - this.#skipped)
      this.#skipped += skip
      for (let i = skip; i < page.length; i++) this.#take(page[i]!)
      if (this.#options.threshold !== null) this.#candidates = this.#candidates.or(universe)
      return
    }
    // A bucket that rules made is looked at to its end, so that its losers do not count as found.
    const isWhole = this.#rules.length > 0 && !distinct.countedLater
    for (const id of universe.toArray()) {
      if (this.#isFull && !isWhole) return
      if (!distinct.admit(id)) {
        this.#refused.push(id)
        continue
      }
      this.#admitted.push(id)
      if (this.#skipped < offset) this.#skipped++
      else if (!this.#isFull) this.#take(id)
    }
  }

  #take(id: number): void {
    this.#hits.push({ id, scores: this.#options.withScores ? [...this.#scores] : [] })
  }
}

const setOf = (ids: readonly number[]): IdSet => IdSet.ofSorted(Uint32Array.from(ids).sort())
