// Registry of all task kinds. To add a kind: write one module and add one row to `kinds.table.ts`.
import { TaskKinds } from '../write/tasks/index.ts'
import { KINDS } from './kinds.table.ts'
import type { TaskKind as TaskKindModule } from './task-kind.ts'

export { encodedDeletion } from './document-deletion.ts'
export { encodedEdition } from './document-edition.ts'
export { instanceUidChange, instanceUidOf, sweepDump } from './dump-batch.ts'
export { exportedIndex } from './export-batch.ts'
export { LiveViews } from './live-views.ts'
export type { DumpOptions, StoreOptions } from './options.ts'
export type { Runner } from './runner.ts'
export { encodedSettings } from './settings-update.ts'
export { snapshotFileName } from './snapshot-batch.ts'
export {
  type ConsistentCut,
  type CutParts,
  emptyStaging,
  takeConsistentCut,
} from './snapshot-cut.ts'
export {
  digestsOf,
  namingStore,
  openBucket,
  storeTurnsOf,
  storeWords,
} from './snapshot-upload.ts'
export type { ChangeWork, TaskKind as TaskKindModule } from './task-kind.ts'
export {
  type Administered,
  type RunnerOptions,
  type RunnerParts,
  TaskRunner,
} from './task-runner.ts'
export { noteOldSegments } from './upgrade.ts'
export { enqueueUpgrade } from './upgrade-batch.ts'

type ContentOf<Module> = Module extends { encode(content: infer Content): unknown }
  ? Content
  : never

/** The content of any task. */
export type TaskContent = ContentOf<(typeof KINDS)[number]>
export type TaskKind = TaskContent['kind']

/** All kinds of tasks. */
export const taskKinds: TaskKinds<TaskKindModule> = new TaskKinds<TaskKindModule>(KINDS)

/** In the order in which error messages list them. */
export const TASK_KINDS = taskKinds.names as readonly TaskKind[]
