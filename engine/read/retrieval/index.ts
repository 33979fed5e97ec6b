// The documents that one search finds, by words, vectors and filters.
export { appliedRules, inlineRuleOutcomes } from './applied-rules.ts'
export { filtered, readFilter, withoutNegatives } from './candidates.ts'
export { ForeignIndexes, type ForeignTarget, Hydrator, Target } from './foreign.ts'
export {
  countedOnce,
  type KeywordOptions,
  KeywordRetriever,
  type Query,
  readQuery,
} from './keywords.ts'
export { MatchingValues } from './matching-values.ts'
export { byExternalId, type KeyPart, type MergeKey, mergeKey, mergeLists } from './merge-order.ts'
export { type Pins, type PlacedHit, pinsOf, placed, windowBefore } from './pins.ts'
export { isForMerging, type Plan, type QueryPlan } from './plan.ts'
export { controlOf, metadataOf, ofShards, type Prepared, prepare, timeOfAll } from './prepare.ts'
export { embedderOf, queryVector, requireDimensions } from './query-vector.ts'
export { retrieverOf } from './retrievers.ts'
export { type Scales, scalesOf } from './scales.ts'
export { SortRules, valueOrder } from './value-rules.ts'
export { withTies } from './vector-ties.ts'
export { scoreBy } from './vectors.ts'
