// Builds segments from documents: batches, rebuilds and merges.
export { AfterWork } from './after-work.ts'
export type { BodyTransfer } from './body-transfer.ts'
export {
  type BuilderThreadData,
  type BuildingThreads,
  serveBuilds,
  startBuilders,
} from './builders.ts'
export { chunkBytesOf } from './chunk-size.ts'

export { readDeletedIds } from './deleted-ids.ts'
export { IndexInPlace } from './in-place.ts'
export { bodyPath } from './jobs.ts'
export { type Indexing, IndexPool } from './pool.ts'
export {
  cancelSlot,
  type DocumentOperation,
  type DocumentsResult,
  heldSlot,
  type IndexMessage,
  type IndexReply,
  type IndexThreadData,
  rendersDocuments,
  SHARED_NEXT_SEGMENT,
} from './protocol.ts'
export { runRebuild } from './rebuild.ts'
export {
  discardSegment,
  INLINE_BYTES_MAX,
  type NewSegment,
  removeSegment,
  SegmentSink,
} from './segment-sink.ts'
export { NO_OFFER, type Offer } from './take-over.ts'

export { IndexCore } from './worker-core.ts'
