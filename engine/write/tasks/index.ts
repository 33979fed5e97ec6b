// The task queue: registers tasks, orders them in batches, records their outcomes.
export type { TaskCounts } from './counts.ts'
export type { EveryTask } from './every.ts'
export { Grouping } from './grouping.ts'
export { type ImportedBatch, type ImportedTask, TaskLogWriter } from './import.ts'
export { TaskKinds } from './kinds.ts'
export type { BodyFiles } from './lifecycle.ts'
export { NO_FILTER } from './listing.ts'
export type { TaskFilter, TaskList, TaskPage } from './lists.ts'
export type { LogEntry, TaskLog, TaskLogSuccessor } from './log.ts'
export {
  allFailed,
  allSucceeded,
  clearSucceeded,
  indexDeletionSucceeded,
  rulesClearSucceeded,
} from './outcomes.ts'
export type {
  BatchControl,
  BatchEnd,
  BatchPlan,
  BatchResult,
  PlannedTask,
  Processor,
  SealedBatch,
  TaskOutcome,
} from './plan.ts'
export { type Backlog, TaskQueue } from './queue.ts'
export {
  badRecord,
  contentAs,
  contentJson,
  flagIf,
  optionalText,
} from './record-values.ts'
export type { UnpublishedTasks } from './rewrite.ts'
export { Scheduler } from './scheduler.ts'
export { renamedSwaps } from './swaps.ts'
export type { QueuedKind } from './task-kind.ts'
export { type ImportedPart, unpackMetadata } from './task-network.ts'
export {
  type AcceptedTask,
  type Batch,
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
  type TaskRequest,
  type TaskStatus,
} from './types.ts'
export { batchView, summaryView, taskView, type View } from './views.ts'
export { formatBytes, formatMicros } from './words.ts'
