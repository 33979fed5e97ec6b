// The driver: each rule splits the buckets of the rule before it, depth first, until the page is
// full (search semantics §7.2, §7.3, §7.4, §9.3, §11). What is equal under all rules comes by
// ascending document id, or in an order that is given.
import { IdSet } from '../../../format/idset/index.ts'
import type { QueryGraph } from '../query/index.ts'
import type { BucketSource, Delayed, RankingRule } from './rule.ts'
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

/** The order of what is equal under all rules. */
export interface TieOrder {
  /** The first documents of a set, at most `count`. */
  first(documents: IdSet, count: number): Uint32Array
}

export type BucketSortOptions = {
  readonly offset: number
  readonly limit: number
  /** Every hit gets the verdict of every rule; else a bucket of one is not looked into. */
  readonly withScores: boolean
  /** Hits below it are dropped. */
  readonly threshold: number | null
  readonly distinct: Distinct | null
  /** null or absent: by ascending id. */
  readonly ties?: TieOrder | null
  /** True when no time is left: what remains is given out unranked. */
  readonly isLate: () => boolean
  /** Documents that a delayed rule is asked about at once; absent: some thousand. */
  readonly askedMax?: number
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

/** Pages that reach further are filled by looking at all documents. */
const DELAYED_HITS_MAX = 1000
/** Documents that a delayed rule is asked about at once: at first, and at most. */
const ASKED_MIN = 256
const ASKED_MAX = 4096

class BucketSort {
  readonly #rules: readonly RankingRule[]
  readonly #options: BucketSortOptions
  readonly #scores: ScoreDetail[] = []
  readonly #hits: RankedHit[] = []
  #candidates: IdSet
  /** With a distinct field: documents let pass, and those met that another one stands for. */
  readonly #admitted: number[] = []
  readonly #refused: number[] = []
  /** The delayed rule within whose best bucket documents are being ranked. */
  #delayed: Delayed | null = null
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
    if (this.#delayed !== null && rule !== undefined) {
      if (universe.size <= this.#askedMax || rule.graphUse === 'none') {
        this.#fillAsked(depth, universe, graph, this.#delayed)
        return
      }
    }
    if (rule === undefined || (!this.#options.withScores && depth > 0 && universe.size === 1)) {
      this.#emit(universe)
      return
    }
    const delayed = this.#mayDelay(depth) ? (rule.delay?.(universe, graph) ?? null) : null
    if (delayed === null) this.#fillFrom(depth, rule.open(universe, graph), universe)
    else this.#fillDelayed(depth, delayed, universe)
  }

  #fillFrom(depth: number, source: BucketSource, universe: IdSet): void {
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

  /**
   * Rules behind this one rank all documents that may be in its best bucket; which are is asked
   * when their turn comes, until the page is full. So rules behind it must do the same whether
   * others are among them or not.
   */
  #mayDelay(depth: number): boolean {
    const { offset, limit, distinct, threshold } = this.#options
    if (this.#delayed !== null || distinct !== null || threshold !== null) return false
    if (offset + limit > DELAYED_HITS_MAX) return false
    let isNarrowed = false
    for (let i = depth + 1; i < this.#rules.length; i++) {
      const use = this.#rules[i]!.graphUse ?? 'narrows'
      if (use === 'none') continue
      if (isNarrowed) return false
      isNarrowed = use === 'narrows'
    }
    return true
  }

  #fillDelayed(depth: number, delayed: Delayed, universe: IdSet): void {
    this.#delayed = delayed
    this.#scores.push(delayed.score)
    this.fill(depth + 1, universe, delayed.graph)
    this.#scores.pop()
    this.#delayed = null
    const left = this.#isFull ? IdSet.empty : universe.andNot(delayed.told())
    if (left.isEmpty) return
    if (this.#options.isLate()) this.#emitUnranked(left)
    else this.#fillFrom(depth, delayed.rest(left), left)
  }

  /**
   * Goes on with those that are in the best bucket, where documents are few, or where a rule may
   * make buckets of single ones.
   */
  #fillAsked(depth: number, universe: IdSet, graph: QueryGraph, delayed: Delayed): void {
    this.#delayed = null
    this.fill(depth, IdSet.ofSorted(delayed.best(universe.toArray())), graph)
    this.#delayed = delayed
  }

  get #askedMax(): number {
    return this.#options.askedMax ?? ASKED_MAX
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
    if (this.#delayed !== null || distinct !== null || threshold !== null) return false
    if (this.#skipped + ids.size > offset) return false
    this.#skipped += ids.size
    return true
  }

  #emitUnranked(left: IdSet): void {
    this.#degraded = true
    // Who began the delayed rule gives out what is left of all of it.
    if (this.#delayed !== null) return
    this.#scores.push({ kind: 'skipped' })
    if (!this.#isBelowThreshold()) this.#emit(left)
    else this.#drop(left)
    this.#scores.pop()
  }

  #emit(universe: IdSet): void {
    const { offset, distinct } = this.#options
    if (this.#delayed !== null) {
      this.#emitAsked(universe, this.#delayed)
      return
    }
    if (distinct === null) {
      this.#takePage(this.#inOrder(universe, this.#room))
      if (this.#options.threshold !== null) this.#candidates = this.#candidates.or(universe)
      return
    }
    // A bucket that rules made is looked at to its end, so that its losers do not count as found.
    const isWhole = this.#rules.length > 0 && !distinct.countedLater
    for (const id of this.#inOrder(universe, universe.size)) {
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

  #inOrder(documents: IdSet, count: number): Uint32Array {
    const { ties = null } = this.#options
    return ties === null ? documents.first(count) : ties.first(documents, count)
  }

  /** Documents that are still wanted, those to be skipped included. */
  get #room(): number {
    const { offset, limit } = this.#options
    return offset - this.#skipped + limit - this.#hits.length
  }

  /** Gives out ids, not more than there is room for. */
  #takePage(ids: Uint32Array): void {
    const skip = Math.min(ids.length, this.#options.offset - this.#skipped)
    this.#skipped += skip
    for (let i = skip; i < ids.length; i++) this.#take(ids[i]!)
  }

  /** Gives out those that are in the best bucket of a delayed rule, until the page is full. */
  #emitAsked(universe: IdSet, delayed: Delayed): void {
    const { ties = null } = this.#options
    const ids = universe.toArray()
    if (ties !== null) {
      this.#takePage(ties.first(IdSet.ofSorted(delayed.best(ids)), this.#room))
      return
    }
    let step = Math.min(ASKED_MIN, this.#askedMax)
    for (let at = 0; at < ids.length && !this.#isFull; step = Math.min(step * 2, this.#askedMax)) {
      if (this.#options.isLate()) return
      const best = delayed.best(ids.subarray(at, at + step))
      this.#takePage(best.subarray(0, this.#room))
      at += step
    }
  }

  #take(id: number): void {
    this.#hits.push({ id, scores: this.#options.withScores ? [...this.#scores] : [] })
  }
}

const setOf = (ids: readonly number[]): IdSet => IdSet.ofSorted(Uint32Array.from(ids).sort())
