// Ranking: rules split candidates into buckets, best first.
export { AttributeRankRule } from './attribute-rank-rule.ts'
export {
  type BucketSortOptions,
  bucketSort,
  type Distinct,
  type RankedHit,
  type Ranking,
} from './bucket-sort.ts'
export { ExactAttributeRule, ExactWordsRule } from './exactness-rule.ts'
export { ProximityRule } from './proximity-rule.ts'
export type { Retriever, Window } from './retriever.ts'
export type { Bucket, BucketSource, RankingRule, RuleContext } from './rule.ts'
export { keywordRules, placeholderRules, type ValueRules } from './rule-list.ts'
export {
  type ExactMatch,
  globalScore,
  localScore,
  mergeRanks,
  type Rank,
  rankOf,
  type ScoreDetail,
  type SortValue,
} from './scores.ts'
export { type SortedBuckets, SortRule } from './sort-rule.ts'
export { TypoRule } from './typo-rule.ts'
export { WordPositionRule } from './word-position-rule.ts'
export { WordsRule } from './words-rule.ts'
