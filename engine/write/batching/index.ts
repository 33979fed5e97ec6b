// The tasks that form the next batch, and the details of a batch.
export { DetailsSum } from './accumulate.ts'
export type { BatchLimits } from './autobatch.ts'
export {
  type Choice,
  chooseBatch,
  hasEffect,
  type IndexLookup,
  indexUidOf,
  ORPHANS,
  roleOf,
} from './choose.ts'
export { chooseBeside, isLong, mayHaveBeside } from './choose-beside.ts'
export { Grouping } from './grouping.ts'
export {
  allFailed,
  allSucceeded,
  clearSucceeded,
  completed,
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
export { Retries, type RetryOptions } from './retries.ts'
