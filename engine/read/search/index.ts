// Searches and document lookups over leased views, on search threads.
export type { CallerId } from './accounts.ts'
export { answerTooLarge } from './answer.ts'
export {
  type Explained,
  type ExplainedNode,
  type ExplainedOpening,
  type ExplainedWords,
  explainSearch,
} from './explain.ts'
export { indexNotFound, ofQuery } from './faults.ts'
export type { ForeignAccess } from './foreign.ts'
export { SearchInPlace } from './in-place.ts'
export { lackedVectorNotes } from './lacked-vectors.ts'
export { ANSWER_BYTES_MAX } from './limits.ts'
export { SearchPool } from './pool.ts'
export {
  isCanceled,
  isHurried,
  type JobRequest,
  type SearchMessage,
  type SearchReply,
  type SearchThreadData,
  type ViewsRequest,
} from './protocol.ts'
export { retryWhileBusy } from './retry-while-busy.ts'
export { addHash, type DigestAnswer } from './run-digest.ts'
export { type MergedIndex, runInstances } from './run-instances.ts'
export type { Admission, Searching, SearchLoad } from './searching.ts'
export { WorkerCore } from './worker-core.ts'
