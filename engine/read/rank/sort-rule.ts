// sort and custom rules: documents in the order of a field's values
// (docs/search-semantics.md#sort-and-rules-on-fields). The columns layer supplies values and order;
// this class only passes buckets on.
import type { IdSet } from '../../../format/idset/index.ts'
import type { QueryGraph } from '../query-graph/index.ts'
import type { Bucket, BucketSource, RankingRule } from './rule.ts'
import type { ScoreDetail } from './scores.ts'

/** Buckets of equal keys in order; `left` only shrinks between calls. */
export interface SortedBuckets {
  next(left: IdSet): { readonly ids: IdSet; readonly score: ScoreDetail } | null
}

export class SortRule implements RankingRule {
  readonly name = 'sort'
  readonly graphUse = 'none'
  readonly #sorted: (universe: IdSet) => SortedBuckets

  /** `sorted` starts a walk over the keys of a set of documents. */
  constructor(sorted: (universe: IdSet) => SortedBuckets) {
    this.#sorted = sorted
  }

  open(universe: IdSet, graph: QueryGraph): BucketSource {
    const sorted = this.#sorted(universe)
    return {
      next(left: IdSet): Bucket | null {
        const bucket = sorted.next(left)
        return bucket === null ? null : { ...bucket, graph }
      },
    }
  }
}
