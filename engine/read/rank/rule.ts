// What a ranking rule is: something that splits a set of documents into buckets, best first. The
// driver (`bucket-sort.ts`) opens a rule on every bucket of the rule before it.
import type { IdSet } from '../../../format/idset/index.ts'
import type { QueryGraph, TermSpace } from '../query/index.ts'
import type { ScoreDetail } from './scores.ts'

/** Documents that a rule holds for equal, and what the query may still mean for them. */
export type Bucket = {
  readonly ids: IdSet
  readonly graph: QueryGraph
  readonly score: ScoreDetail
}

/** A rule at work on one set of documents. */
export interface BucketSource {
  /**
   * The next bucket among `left`, the documents not yet given out (it only shrinks between calls);
   * null when there is none. Buckets are disjoint; an empty one is possible and skipped.
   */
  next(left: IdSet): Bucket | null
}

/**
 * A rule on a set of documents so large that it looks at few of them where it can: which are in the
 * best bucket is told when rules behind it have put the documents in order.
 */
export interface Delayed {
  /** The verdict on the best bucket, and what the query may mean there. */
  readonly score: ScoreDetail
  readonly graph: QueryGraph
  /** Those of ascending `ids` that are in the best bucket, ascending. Each is asked for once. */
  best(ids: Uint32Array): Uint32Array
  /** The members of the best bucket that were told so far. */
  told(): IdSet
  /** The buckets behind the best one, of the documents `left`. */
  rest(left: IdSet): BucketSource
}

/**
 * What a rule does with the graph: `none` does not look at it, `keeps` passes it on as it is where
 * it has one path, `narrows` passes on what its documents match.
 */
export type GraphUse = 'none' | 'keeps' | 'narrows'

export interface RankingRule {
  /** The name in `rankingRules`, for timings. */
  readonly name: string
  /** Absent: it narrows. */
  readonly graphUse?: GraphUse
  open(universe: IdSet, graph: QueryGraph): BucketSource
  /**
   * The rule, if it need not look at all documents at once; null: it has to, or they are few. Only
   * asked where no rule behind it depends on which documents are in the best bucket.
   */
  delay?(universe: IdSet, graph: QueryGraph): Delayed | null
}

/** What rules need to know beside the graph. */
export type RuleContext = {
  readonly space: TermSpace
  /** The weight of a field in the order of searchable attributes, 0 first; null: not searchable. */
  readonly weightOf: (field: number) => number | null
  /** The largest weight there is. */
  readonly weightMax: number
  /** Searchable field ids. */
  readonly searchableFields: () => readonly number[]
  /** From how many documents on rules are delayed; absent: see `delayed-proximity.ts`. */
  readonly delayedMin?: number
}
