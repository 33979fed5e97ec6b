// The driver of ranking: each rule splits the buckets of the previous rule, depth first, until the
// page is full (docs/search-semantics.md#ranking). Documents that are equal under all rules are in
// ascending order of id, or in the order of `ties`.
import type { DocId } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { QueryGraph } from '../query-graph/index.ts'
import { LeftDocuments } from './left-documents.ts'
import type { BucketSource, Delayed, RankingRule, Scorer } from './rule.ts'
import { globalScore, type ScoreDetail } from './scores.ts'

/** Selects one document for each distinct value during one ranking. Stateful. */
export interface Distinct {
  /** Returns true if no admitted document shares a value with `id`, and admits it. */
  admit(id: DocId): boolean
  /**
   * All documents of the index that share a value with an admitted one, including the admitted
   * ones.
   */
  excluded(): IdSet
  /**
   * True if duplicates stay candidates until ranking reaches them, because the caller counts the
   * remaining documents itself.
   */
  readonly countedLater: boolean
  /** True if duplicates are not subtracted even then: the order of the ranking does not matter. */
  readonly countsAll?: boolean
}

/** Orders documents that are equal under all rules. */
export interface TieOrder {
  /** Returns the first documents of a set, at most `count`. */
  first(documents: IdSet, count: number): Uint32Array
  /** Returns the order as sets in which ids ascend; absent if it has no such form. */
  groups?(documents: IdSet): readonly IdSet[]
}

/** Chooses the best documents of a ranking by their scores multiplied by factors. */
export interface Booster {
  /** True if no later document can be among the best. */
  readonly isFull: boolean
  /** Returns the documents of a bucket that may be among the best. `scores`: those so far. */
  narrowed(documents: IdSet, scores: readonly ScoreDetail[]): IdSet
  /**
   * Returns true if the following rules need not rank the documents of a bucket unless `resume` is
   * called with one of them, which then is a bucket. `scores`: those so far.
   */
  defers(documents: IdSet, scores: readonly ScoreDetail[], resume: (id: DocId) => void): boolean
  /** Resumes those deferred documents that the order needs. */
  finish(): void
  /** Receives documents that are equal under all rules; `first` puts some of them in order. */
  take(documents: IdSet, scores: readonly ScoreDetail[], first: TieOrder['first']): void
}

export type BucketSortOptions = {
  readonly offset: number
  readonly limit: number
  /**
   * True if every hit needs the score of every rule; otherwise a bucket of one document is not
   * split.
   */
  readonly withScores: boolean
  /** Hits with a lower score are dropped. */
  readonly threshold: number | null
  readonly distinct: Distinct | null
  /** Null or absent: by ascending id. */
  readonly ties?: TieOrder | null
  /** Returns true when time is up: the remaining documents are then returned unranked. */
  readonly isLate: () => boolean
  /** Documents for which a delayed rule is evaluated at the same time; absent means BATCH_MAX. */
  readonly batchMax?: number
  /** Receives the hits instead of the page; without a distinct field. */
  readonly booster?: Booster | null
}

export type RankedHit = {
  readonly id: DocId
  readonly scores: readonly ScoreDetail[]
  /** Factor of search rules for the score; absent for 1. */
  readonly scale?: number
}

export type Ranking = {
  readonly hits: readonly RankedHit[]
  /** The documents counted as found; its size is the reported total. */
  readonly candidates: IdSet
  /** True if time ran out. */
  readonly degraded: boolean
}

/** Ranks `universe`. `graph` is the query graph; a placeholder search may pass any graph. */
export function bucketSort(
  rules: readonly RankingRule[],
  universe: IdSet,
  graph: QueryGraph,
  options: BucketSortOptions,
): Ranking {
  const sort = new BucketSort(rules, universe, options)
  if (universe.size >= options.offset) sort.fill(0, universe, graph)
  else sort.countOnly(universe)
  options.booster?.finish()
  return sort.ranking()
}

/** Deeper pages are ranked without delayed rules. */
const DELAYED_HITS_MAX = 1000
/** Documents for which a delayed rule is evaluated at the same time: at first, and at most. */
const BATCH_MIN = 256
const BATCH_MAX = 4096

class BucketSort {
  readonly #rules: readonly RankingRule[]
  readonly #options: BucketSortOptions
  #scores: ScoreDetail[] = []
  readonly #hits: RankedHit[] = []
  #candidates: IdSet
  /**
   * With a distinct field: admitted documents, and visited documents that share a value with one.
   */
  readonly #admitted: number[] = []
  readonly #duplicates: number[] = []
  /** The delayed rule whose best bucket is being ranked. */
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

  /** The candidates; of documents that share a value, only those that count. */
  #counted(): IdSet {
    const { distinct } = this.#options
    if (distinct === null || distinct.countsAll === true) return this.#candidates
    const admitted = setOf(this.#admitted)
    const duplicates = distinct.countedLater ? setOf(this.#duplicates) : distinct.excluded()
    return this.#candidates.andNot(duplicates).or(admitted)
  }

  get #isFull(): boolean {
    const { booster = null, limit } = this.#options
    return booster === null ? this.#hits.length >= limit : booster.isFull
  }

  /** For a page after the last hit: selects one document of each value for the count. */
  countOnly(universe: IdSet): void {
    const { distinct } = this.#options
    if (distinct === null || distinct.countedLater) return
    for (const id of universe.toArray()) if (distinct.admit(id)) this.#admitted.push(id)
  }

  fill(depth: number, all: IdSet, graph: QueryGraph): void {
    if (this.#isFull || all.isEmpty) return
    const universe = this.#options.booster?.narrowed(all, this.#scores) ?? all
    if (universe.isEmpty) return
    const rule = this.#rules[depth]
    if (rule !== undefined && this.#isDeferred(depth, universe, graph)) return
    if (this.#delayed !== null && rule !== undefined) {
      if (universe.size <= this.#batchMax || rule.graphUse === 'none') {
        this.#fillBest(depth, universe, graph, this.#delayed)
        return
      }
    }
    const isAlone = !this.#options.withScores && depth > 0 && universe.size === 1
    if (rule === undefined || (isAlone && (this.#options.booster ?? null) === null)) {
      this.#emit(universe)
      return
    }
    const delayed = this.#mayDelay(depth)
      ? (rule.delay?.(universe, graph, this.#room) ?? null)
      : null
    if (delayed !== null) this.#fillDelayed(depth, delayed, universe)
    else if (isScoring(rule)) this.#fillScored(depth, rule, universe, graph)
    else this.#fillFrom(depth, rule.open(universe, graph), universe)
  }

  #isDeferred(depth: number, bucket: IdSet, graph: QueryGraph): boolean {
    const { booster = null } = this.#options
    if (booster === null || this.#options.withScores) return false
    const scores = [...this.#scores]
    return booster.defers(bucket, scores, (id) => {
      this.#scores = [...scores]
      this.fill(depth, IdSet.of([id]), graph)
    })
  }

  /** Ranks documents that have a number each, and lets the following rules rank equal ones. */
  #fillScored(depth: number, rule: ScoringRule, universe: IdSet, graph: QueryGraph): void {
    const { distinct, isLate, threshold } = this.#options
    let wanted = distinct === null && threshold === null ? this.#room : universe.size
    for (let left = universe; !left.isEmpty && !this.#isFull; wanted = left.size) {
      const scorer = rule.scorer(left)
      const { ids, isCut, scores } = scorer.best(wanted, isLate)
      this.#degraded ||= isCut
      for (let at = 0; at < ids.length && !this.#isFull; ) {
        const from = at
        while (at < ids.length && scores[at] === scores[from]) at++
        const score = scorer.scoreOf(scores[from]!, ids[from]!)
        if (this.#fillEqual(depth, score, ids.subarray(from, at), graph)) continue
        this.#drop(left.andNot(setOf(ids.subarray(0, from))))
        return
      }
      // Scores of a later pass may be cut by time, so no document is read again.
      left = left.andNot(setOf(ids))
    }
  }

  /** Returns false if these documents, of one number, are below the threshold. */
  #fillEqual(depth: number, score: ScoreDetail, ids: Uint32Array, graph: QueryGraph): boolean {
    this.#scores.push(score)
    const isShown = !this.#isBelowThreshold()
    if (isShown) this.fill(depth + 1, IdSet.ofSorted(ids), graph)
    this.#scores.pop()
    return isShown
  }

  #fillFrom(depth: number, source: BucketSource, universe: IdSet): void {
    const { distinct, threshold } = this.#options
    // Duplicates that the caller counts are ranked too, because those below the threshold do not.
    const ranksAll = threshold !== null && distinct?.countedLater === true
    const left = new LeftDocuments(universe)
    while (!left.isEmpty && !this.#isFull) {
      if (this.#options.isLate()) {
        this.#emitUnranked(left.read())
        return
      }
      const bucket = source.next(left.read())
      if (bucket === null) return
      left.take(bucket.ids)
      this.#scores.push(bucket.score)
      if (this.#isBelowThreshold()) this.#drop(bucket.ids.or(left.read()))
      else if (!this.#skipWhole(bucket.ids)) this.fill(depth + 1, bucket.ids, bucket.graph)
      this.#scores.pop()
      if (distinct !== null && !ranksAll && !this.#isFull) left.remove(distinct.excluded())
    }
  }

  /**
   * With a delayed rule, the following rules rank all documents that may be in its best bucket;
   * membership is evaluated for documents in that order until the page is full. This requires that
   * the result of following rules for a document does not depend on the other documents.
   */
  #mayDelay(depth: number): boolean {
    const { offset, limit, distinct, threshold, booster = null } = this.#options
    if (this.#delayed !== null || distinct !== null || threshold !== null) return false
    if (booster !== null) return false
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
    const left = this.#isFull ? IdSet.empty : universe.andNot(delayed.foundBest())
    if (left.isEmpty) return
    if (this.#options.isLate()) this.#emitUnranked(left)
    else this.#fillFrom(depth, delayed.laterBuckets(left), left)
  }

  /**
   * Continues with the members of the best bucket: used for few documents, and before a rule that
   * may make buckets of single documents.
   */
  #fillBest(depth: number, universe: IdSet, graph: QueryGraph, delayed: Delayed): void {
    this.#delayed = null
    this.fill(depth, IdSet.ofSorted(delayed.best(universe.toArray())), graph)
    this.#delayed = delayed
  }

  get #batchMax(): number {
    return this.#options.batchMax ?? BATCH_MAX
  }

  #isBelowThreshold(): boolean {
    const { threshold } = this.#options
    return threshold !== null && globalScore(this.#scores) < threshold
  }

  #drop(ids: IdSet): void {
    this.#candidates = this.#candidates.andNot(ids)
  }

  /** Skips a bucket that is entirely before the page, without ranking inside it. */
  #skipWhole(ids: IdSet): boolean {
    const { offset, distinct, threshold } = this.#options
    if (this.#delayed !== null || distinct !== null || threshold !== null) return false
    if (this.#skipped + ids.size > offset) return false
    this.#skipped += ids.size
    return true
  }

  #emitUnranked(left: IdSet): void {
    this.#degraded = true
    // `#fillDelayed` returns all remaining documents of the delayed rule.
    if (this.#delayed !== null) return
    this.#scores.push({ kind: 'skipped' })
    if (!this.#isBelowThreshold()) this.#emit(left)
    else this.#drop(left)
    this.#scores.pop()
  }

  #emit(universe: IdSet): void {
    const { booster = null, offset, distinct } = this.#options
    if (booster !== null) {
      booster.take(universe, this.#scores, (some, count) => this.#inOrder(some, count))
      if (this.#options.threshold !== null) this.#candidates = this.#candidates.or(universe)
      return
    }
    if (this.#delayed !== null) {
      this.#emitBest(universe, this.#delayed)
      return
    }
    if (distinct === null) {
      this.#takePage(this.#inOrder(universe, this.#room))
      if (this.#options.threshold !== null) this.#candidates = this.#candidates.or(universe)
      return
    }
    // A bucket made by rules is read to its end, so that its duplicates are not counted as found.
    const isWhole = this.#rules.length > 0 && !distinct.countedLater
    for (const id of this.#inOrder(universe, universe.size)) {
      if (this.#isFull && !isWhole) return
      if (!distinct.admit(id)) {
        this.#duplicates.push(id)
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

  /** Documents still needed, including those to be skipped. */
  get #room(): number {
    const { offset, limit } = this.#options
    return offset - this.#skipped + limit - this.#hits.length
  }

  /** Adds ids to the page; `ids` are at most `#room`. */
  #takePage(ids: Uint32Array): void {
    const skip = Math.min(ids.length, this.#options.offset - this.#skipped)
    this.#skipped += skip
    for (let i = skip; i < ids.length; i++) this.#take(ids[i]!)
  }

  /** Adds members of a delayed rule's best bucket, until the page is full. */
  #emitBest(universe: IdSet, delayed: Delayed): void {
    const { ties = null } = this.#options
    if (ties !== null && ties.groups === undefined) {
      this.#takePage(ties.first(IdSet.ofSorted(delayed.best(universe.toArray())), this.#room))
      return
    }
    for (const group of ties?.groups?.(universe) ?? [universe]) {
      this.#emitBestById(group.toArray(), delayed)
    }
  }

  #emitBestById(ids: Uint32Array, delayed: Delayed): void {
    let step = Math.min(BATCH_MIN, this.#batchMax)
    for (let at = 0; at < ids.length && !this.#isFull; step = Math.min(step * 2, this.#batchMax)) {
      if (this.#options.isLate()) return
      const best = delayed.best(ids.subarray(at, at + step))
      this.#takePage(best.subarray(0, this.#room))
      at += step
    }
  }

  #take(id: DocId): void {
    this.#hits.push({ id, scores: this.#options.withScores ? [...this.#scores] : [] })
  }
}

const setOf = (ids: ArrayLike<DocId> & Iterable<DocId>): IdSet =>
  IdSet.ofSorted(Uint32Array.from(ids).sort())

/** A rule that gives each document a number. */
type ScoringRule = { scorer(universe: IdSet): Scorer }

const isScoring = (rule: RankingRule): rule is RankingRule & ScoringRule =>
  rule.scorer !== undefined
