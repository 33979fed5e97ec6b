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

export interface RankingRule {
  /** The name in `rankingRules`, for timings. */
  readonly name: string
  open(universe: IdSet, graph: QueryGraph): BucketSource
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
}
