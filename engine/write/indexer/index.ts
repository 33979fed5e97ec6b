// From documents to segments: what a batch changes, what a rebuild makes, what a merge leaves.

export { type Builders, type BuilderThreadData, serveBuilds, startBuilders } from './builders.ts'
export { JobCanceled } from './canceled.ts'
export { readDeletedIds } from './deleted-ids.ts'
export { IndexInPlace } from './in-place.ts'
export {
  bodyPath,
  type JobEnvironment,
  runDocuments,
  runMerge,
  runRebuild,
} from './jobs.ts'
export {
  type BodyTransfer,
  type Indexing,
  IndexPool,
  type IndexPoolOptions,
  type JobHooks,
} from './pool.ts'
export {
  type BodyMessage,
  cancelSlot,
  type DocumentsResult,
  INDEX_PROTOCOL,
  type IndexJob,
  type IndexMessage,
  type IndexReply,
  type IndexThreadData,
  type JobRequest,
  type JobResult,
  type OperationOutcome,
  SHARED_NEXT_SEGMENT,
  type WireBody,
  type WireOperation,
} from './protocol.ts'
export { INLINE_BYTES_MAX, type NewSegment, removeSegment, SegmentSink } from './segment-sink.ts'
export { IndexCore, type IndexCoreOptions } from './worker-core.ts'
