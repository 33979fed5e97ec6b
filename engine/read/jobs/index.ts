// The requests of search threads, and the control that ends a search early.
export { SearchControl, StepTimes, type TimeUp, type Watch } from './control.ts'
export { indexNotFound, ofQuery, othersWait, placing, UNPLACED_IN_FEDERATION } from './faults.ts'
export { isBlank, kindOf, type SearchKind } from './kind.ts'
export { type LackedVector, lackedVectorNotes } from './lacked-vectors.ts'
export {
  ACCOUNTS_MAX,
  AHEAD_MS,
  ANNOUNCED_MS,
  ANSWER_BYTES_MAX,
  CHECK_INTERVAL_MS,
  COLD_MS,
  COLD_WAIT_MS,
  DEBT_MS_MAX,
  DISTINCT_ORDERED_MAX,
  DISTINCT_SENT_MAX,
  FACET_BUCKETS_MAX,
  FOREIGN_HITS_MAX,
  HITS_MS_MAX,
  INSTANCE_HEAD_BYTES_MAX,
  JOBS_PER_THREAD,
  LAST_SHARE,
  PARTIAL_HITS_MAX,
  PREEMPT_AFTER_MS,
  RECENT_MS,
  RESERVE_LONG_MS,
  RESERVE_MAIN_SHARE,
  RESERVE_OPEN_MS,
  RESERVE_WAIT_MS,
  RESERVE_WARM_MS,
  SEARCH_BYTES_MAX,
  SEARCHES_MS_MAX,
  SEARCHES_PER_PIECE_MAX,
  SENT_FACET_VALUES_MAX,
  SHARED_BYTES_MIN,
  SLICE_MS,
  TIES_READ_MAX,
  WARM_DOCUMENTS_MIN,
  WARM_THREADS,
} from './limits.ts'
export {
  type AnyJob,
  type DigestChunk,
  type ExportChunk,
  type FacetSearchJob,
  type FederatedJob,
  type ForeignAccess,
  type InstancesJob,
  isCanceled,
  isPreempted,
  type JobRequest,
  preemptionCell,
  type SearchesJob,
  type SearchJob,
  type SearchMessage,
  type SearchReply,
  type SearchThreadData,
  type SimilarJob,
  type SuggestJob,
  type ViewKey,
  type ViewsJob,
  type ViewsRequest,
  type WarmUpJob,
  type WarmUpPiece,
} from './protocol.ts'
export { pseudonymOf } from './pseudonyms.ts'
export { SearchableView } from './searchable-view.ts'
export { isLarge } from './size.ts'
export { type NeededVector, VectorNeeded } from './vector-needed.ts'
