// What was asked for, in which order does it run, how did it end?
export type { BatchLimits, IndexFacts } from './autobatch.ts'
export type { IndexLookup } from './choose.ts'
export type { TaskCounts } from './counts.ts'
export type { EveryTask } from './every.ts'
export { type ImportedBatch, type ImportedTask, TaskLogWriter } from './import.ts'
export type { BatchLifecycle, BodyFiles } from './lifecycle.ts'
export { NO_FILTER } from './listing.ts'
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
  BatchWork,
  PlannedTask,
  Processor,
  SealedBatch,
  TaskOutcome,
} from './plan.ts'
export { type QueueOptions, TaskQueue } from './queue.ts'
export { Scheduler, type SchedulerOptions, taskErrorOf } from './scheduler.ts'
export {
  type Batch,
  type BatchProgress,
  type BatchProgressStep,
  type Micros,
  type Registration,
  type StagedBody,
  TASK_KINDS,
  TASK_STATUSES,
  type Task,
  type TaskContent,
  type TaskDetails,
  type TaskError,
  type TaskKind,
  type TaskRequest,
  type TaskStatus,
} from './types.ts'
export { batchView, summaryView, taskView, type View } from './views.ts'
export { formatBytes, formatDuration, formatMicros } from './words.ts'
