// The tasks in memory and in records: kinds, columns, states, contents.
export {
  type BatchState,
  BEGINS,
  COMPATIBLE,
  MAY_HAVE_BESIDE,
  RUNNING,
  type StopReason,
  type TaskRole,
  WORK,
} from './autobatch.table.ts'
export { countTasks, type TaskCounts } from './counts.ts'
export type { DeletionWork, EditionContent, ImportContent } from './document-contents.ts'
export { finishedDetails, type OwnQueue, STATUS, TaskKinds } from './kinds.ts'
export {
  APPENDING_BYTES_MAX,
  AUTO_DELETION_COUNT,
  AUTO_DELETION_COUNT_MIN,
  FEED_PROGRESS_MS,
  FEED_TASKS_MAX,
  INLINE_BODY_BYTES_MAX,
  INLINE_BODY_BYTES_MAX_CROWDED,
  LOG_BYTES_MAX,
  LONG_BATCH_BYTES_MIN,
  LONG_BATCH_DOCUMENTS_MIN,
  LONG_BATCH_MS_MIN,
  PAGE_LIMIT_MAX,
  QUEUE_BYTES_MAX,
  RETRY_PAUSE_GROWTH,
  RETRY_PAUSE_MS_MAX,
  RETRY_PAUSE_MS_MIN,
  REWRITE_BYTES_MIN,
  REWRITE_FOR_SECRET_BYTES_MAX,
  REWRITE_GARBAGE_SHARE,
  REWRITE_GARBAGE_SHARE_LONG,
  SMALL_BATCH_BYTES_MAX,
  SMALL_BATCH_DOCUMENTS_MAX,
  TASK_COUNT_MAX,
  TASK_UID_MAX,
} from './limits.ts'
export { NO_FILTER, type TaskFilter, type TaskList, type TaskPage } from './lists.ts'
export type { LogEntry, TaskLog, TaskLogSuccessor } from './log.ts'
export {
  countByStatus,
  type Matcher,
  matchChunk,
  matcherOf,
  matchingUids,
  oldestFinished,
  seesTask,
  type VisibilityFilter,
  visibilityFilterOf,
} from './match.ts'
export { type BatchInfo, type TaskMoment, TaskReader } from './reader.ts'
export { badRecord, contentAs, contentJson, flagIf } from './record-values.ts'
export { readResults } from './remote-results.ts'
export { countEndedSecrets, holdsEndedSecret } from './secrets.ts'
export { inSlices } from './slices.ts'
export { TaskState } from './state.ts'
export { renamedSwaps } from './swaps.ts'
export type { AddRule, QueuedKind } from './task-kind.ts'
export { type ImportedPart, NetworkTasks, packMetadata, unpackMetadata } from './task-network.ts'
export { CHUNK_ROWS, DEAD, FLAG_INLINE, rowIn, TaskChunk } from './task-table.ts'
export {
  type AcceptedTask,
  type Batch,
  type BatchProgress,
  type BatchProgressStep,
  type EncodedContent,
  type Micros,
  type Nanos,
  type QueuedContent,
  type RecordMembers,
  type Registration,
  type StagedBody,
  TASK_STATUSES,
  type TargetsContent,
  type Task,
  type TaskDetails,
  type TaskError,
  type TaskRequest,
  type TaskStatus,
} from './types.ts'
export {
  formatBytes,
  formatDuration,
  formatMicros,
  formatMillis,
  formatSizeChange,
} from './words.ts'
