// Ranking: rules split candidates into buckets, best first.
export {
  type Booster,
  type BucketSortOptions,
  bucketSort,
  type Distinct,
  type RankedHit,
  type Ranking,
  type TieOrder,
} from './bucket-sort.ts'

export type { Retriever, Window } from './retriever.ts'
export type { BucketSource, RankingRule, RuleContext } from './rule.ts'
export { keywordRules, placeholderRules, type ValueRules } from './rule-list.ts'
export {
  boundedScore,
  globalScore,
  localScore,
  mergeRanks,
  type Rank,
  rankOf,
  type ScoreDetail,
  type SortValue,
  scaledScore,
} from './scores.ts'
export { type SortedBuckets, SortRule } from './sort-rule.ts'
export { VectorRule, vectorRules } from './vector-rule.ts'
