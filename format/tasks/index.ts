// Records of the task log: tasks, batches and how they ended. Layout: ./TASKS.md
export { TASK_KIND_COUNT_MAX, UID_NONE } from './limits.ts'
export { jsonOf, textOf, utf8Of } from './members.ts'
export { batchOfView, keptOfView, optionalText, viewOfBatch } from './of-view.ts'
export {
  type BatchRecord,
  type BatchView,
  DELETION_BITS,
  DELETION_SHIFT,
  decodeAnswers,
  decodeBatch,
  decodeEnqueued,
  decodeHead,
  decodeKept,
  type EnqueuedView,
  encodeAnswers,
  encodeBatch,
  encodeEnqueued,
  encodeHead,
  encodeKept,
  FLAG_MAY_CREATE,
  FLAG_RESET,
  FLAG_SKIP_CREATION,
  FLAG_UPDATE,
  type KeptView,
  type OutcomeRecord,
  RECORD_ANSWERS,
  RECORD_BATCH,
  RECORD_ENQUEUED,
  RECORD_HEAD,
  RECORD_KEPT,
} from './records-v1.ts'
