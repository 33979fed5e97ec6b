// Records of the task log: tasks, batches and how they ended. Layout: ./TASKS.md
export {
  type BatchRecord,
  type BatchView,
  decodeBatch,
  encodeBatch,
  type OutcomeRecord,
} from './batch-record-v1.ts'
export { TASK_KIND_COUNT_MAX, UID_NONE } from './limits.ts'
export { jsonOf, textOf, utf8Of } from './members.ts'
export { batchOfView, keptOfView, optionalText, viewOfBatch } from './of-view.ts'
export {
  DELETION_BITS,
  DELETION_SHIFT,
  decodeAnswers,
  decodeEnqueued,
  decodeHead,
  decodeKept,
  type EnqueuedView,
  encodeAnswers,
  encodeEnqueued,
  encodeHead,
  encodeKept,
  FLAG_MAY_CREATE,
  FLAG_RESET,
  FLAG_SKIP_CREATION,
  FLAG_UPDATE,
  type KeptView,
  RECORD_ANSWERS,
  RECORD_BATCH,
  RECORD_ENQUEUED,
  RECORD_HEAD,
  RECORD_KEPT,
} from './records-v1.ts'
