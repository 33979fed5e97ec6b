// The interface of ranking rules: a rule splits a set of documents into buckets, best first. The
// driver (`bucket-sort.ts`) opens a rule on every bucket of the previous rule.
import type { DocId, FieldId } from '../../../format/ids.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import type { Relevance, Scored } from '../bm25/index.ts'
import type { QueryGraph, TermSpace } from '../query-graph/index.ts'
import type { ScoreDetail } from './scores.ts'

/** Documents that a rule ranks equal, and the readings of the query that they match. */
export type Bucket = {
  readonly ids: IdSet
  readonly graph: QueryGraph
  readonly score: ScoreDetail
}

/** A rule applied to one set of documents. */
export interface BucketSource {
  /**
   * Returns the next bucket among `left`, the documents not returned yet (it only shrinks between
   * calls), or null at the end. Buckets are disjoint; empty ones are allowed and skipped.
   */
  next(left: IdSet): Bucket | null
}

/**
 * A rule applied to a large set of documents without reading all of them: it decides which
 * documents are in its best bucket after the following rules have ordered them.
 */
export interface Delayed {
  /** The score of the best bucket, and the query graph in it. */
  readonly score: ScoreDetail
  readonly graph: QueryGraph
  /**
   * Returns the members of the best bucket among ascending `ids`, ascending. Each id is passed
   * once.
   */
  best(ids: Uint32Array): Uint32Array
  /** All members of the best bucket returned so far. */
  foundBest(): IdSet
  /** Returns the buckets after the best one, of the documents `left`. */
  laterBuckets(left: IdSet): BucketSource
}

/**
 * How a rule uses the graph: `none` ignores it, `keeps` passes a graph with one path on unchanged,
 * `narrows` passes on the part that its documents match.
 */
export type GraphUse = 'none' | 'keeps' | 'narrows'

/** A rule that gives each document a number, applied to one set of documents. */
export interface Scorer {
  /**
   * Returns at least the `count` best documents with all that equal the last one, or all. Stops
   * reading when `isLate` returns true.
   */
  best(count: number, isLate: () => boolean): Scored
  /** Returns the score of the documents with this number, of which `id` is one. */
  scoreOf(number: number, id: DocId): ScoreDetail
}

export interface RankingRule {
  /** The name in `rankingRules`, for timings. */
  readonly name: string
  /** Absent means `narrows`. */
  readonly graphUse?: GraphUse
  open(universe: IdSet, graph: QueryGraph): BucketSource
  /** The other form of a rule that numbers documents: without a set for each number. */
  scorer?(universe: IdSet): Scorer
  /**
   * Returns the delayed form of the rule, or null if all documents have to be read or there are
   * few. `hits`: number of documents that the page needs. Called only if the following rules do not
   * depend on which documents are in the best bucket.
   */
  delay?(universe: IdSet, graph: QueryGraph, hits: number): Delayed | null
}

/** The inputs of rules beside the graph. */
export type RuleContext = {
  readonly space: TermSpace
  /**
   * Returns the weight of a field in the order of searchable attributes (0 is the first), or null
   * if it is not searchable.
   */
  readonly weightOf: (field: FieldId) => number | null
  /** The largest weight. */
  readonly weightMax: number
  /** Searchable field ids. */
  readonly searchableFields: () => readonly number[]
  /** Scores documents by the whole query, for the rule `bm25`. */
  readonly relevance: () => Relevance
  /** Number of documents from which rules are delayed; absent means DELAYED_DOCUMENTS_MIN. */
  readonly delayedMin?: number
  /** As of DELAY_COST, which absent means. */
  readonly delayCost?: number
}
