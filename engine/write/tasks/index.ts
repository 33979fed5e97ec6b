// The task queue: registers tasks, orders them in batches, records their outcomes.
export type { Backlog } from './backlogs.ts'
export type { IndexScope, Numbering } from './contained.ts'
export { type ImportedBatch, type ImportedTask, TaskLogWriter } from './import.ts'

export type { BodyFiles } from './lifecycle.ts'

export { TaskQueue } from './queue.ts'

export type { UnpublishedTasks } from './rewrite.ts'
export { Scheduler } from './scheduler.ts'
