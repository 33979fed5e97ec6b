// Pages of tasks and batches in their public form.
export { type EveryTask, everyBatch, everyTask } from './every.ts'
export { NO_FILTER, pageOfBatches, pageOfTasks, seesBatchAt, type UidPage } from './listing.ts'
export { batchView, summaryView, taskView, type View } from './views.ts'
