// The definition of a task kind, and the parts that batches share.
export {
  commitBatch,
  hooksOf,
  indexExists,
  indexNotFound,
  uncommitted,
  withIndexName,
} from './commit.ts'
export { deleteExpired, deleteFound, expiredOf } from './delete-found.ts'
export type { DumpOptions, SnapshotOptions, StoreOptions } from './options.ts'
export { type BatchTarget, batchTarget, newTarget } from './target.ts'
export {
  type BatchRun,
  type ChangeWork,
  contentOf,
  runningTasks,
  type TaskEnvironment,
  type TaskKind,
  type Topology,
} from './task-kind.ts'
export { targetsKind } from './task-targets.ts'
