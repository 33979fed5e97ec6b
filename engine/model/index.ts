// Plain types that the engine and its callers share: requests, answers, features, times. Imports
// nothing of the engine.
export {
  BOOST_FUNCTIONS,
  BOOST_SHAPES,
  type Boost,
  type BoostPlace,
  wholeSecond,
} from './boosts.ts'
export { Canceled } from './canceled.ts'
export type {
  BodyFormat,
  DocumentsRequest,
  FieldsFilter,
  FieldsRequest,
} from './documents.ts'
export {
  abridged,
  boundary,
  EngineFault,
  type FaultCode,
  type FaultDetail,
  type StorageCode,
  StorageError,
} from './errors.ts'
export {
  attributeOf,
  CALENDAR_UNITS,
  type CalendarUnit,
  COUNTING_ORDERS,
  type CountingOrder,
  type FacetOptions,
  type FacetRange,
  type FacetRequest,
  rangeKey,
  requestedFacets,
} from './facet-request.ts'
export { FEATURES, type Feature, type Features, type FeaturesPatch } from './features.ts'
export type { FollowStatus } from './follow.ts'
export type {
  ForeignCondition,
  ForeignEndpoint,
  ForeignRequest,
  Hydration,
} from './foreign.ts'
export type {
  DatabaseSizes,
  DatabaseStats,
  IndexInfo,
  IndexStats,
  Visibility,
} from './indexes.ts'
export type { Micros } from './micros.ts'
export {
  type OutgoingAnswer,
  OutgoingFault,
  type OutgoingRequest,
  type Send,
} from './outgoing.ts'
export type { Publication, PublishStatus } from './publish.ts'
export {
  type AnswerState,
  DEFAULT_FEDERATION,
  DEFAULT_SEARCH,
  type DocumentsContext,
  type DocumentsMerge,
  type FacetSearchRequest,
  type FederatedSearch,
  type Federation,
  type Fusion,
  type Hybrid,
  type IndexAccess,
  type IndexSearch,
  type InstancesMerge,
  type JsonBytes,
  type JsonPieces,
  type MatchingStrategy,
  type Merger,
  type NetworkAnswer,
  type QuerySyntax,
  type SearchContext,
  type SearchRequest,
  type SearchStatistics,
  type SimilarMerge,
  type SimilarRequest,
  type SlottedVector,
  type SuggestRequest,
} from './search.ts'
export type {
  InlineRule,
  InlineRuleOutcomes,
  PinAction,
  RuleActions,
  RuleConditions,
  ScaleAction,
} from './search-rules.ts'
export { isPassing, isSystemError, storageCodeOf, withScarcity } from './system-error.ts'
export { fromWire, toWire, type WireError } from './wire-error.ts'
