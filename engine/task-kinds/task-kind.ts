// A kind of task, whole: how it lives in the queue, how dumps hold it, and how its batches run. One
// module of this folder says all of it; the row of `kinds.table.ts` makes it known to everybody.
import type { DumpedKind } from '../backup/dumps/index.ts'
import type { WireOperation } from '../write/indexer/index.ts'
import type {
  BatchControl,
  BatchEnd,
  BatchPlan,
  PlannedTask,
  QueuedContent,
  TaskDetails,
} from '../write/tasks/index.ts'
import type { TaskEnvironment } from './environment.ts'

/**
 * Does the work of one batch. A rejection fails all its tasks: with the fault's own words, with
 * what the world did (StorageError), or as a crash.
 */
export type BatchRun = (
  environment: TaskEnvironment,
  plan: BatchPlan,
  control: BatchControl,
) => Promise<BatchEnd>

/** What a kind is to a batch of changes of documents. */
export type DocumentOperation<Content extends QueuedContent = QueuedContent> = {
  /** The task as index threads are told it. `contains`: filters may say CONTAINS. */
  operation(content: Content, contains: boolean): WireOperation
  /** What a success shows that met so many documents. */
  counts(documents: number): TaskDetails
}

export interface TaskKind<
  Content extends QueuedContent = QueuedContent,
  Work extends QueuedContent = Content,
> extends DumpedKind<Content, Work> {
  /**
   * Batches that this kind runs, by `BatchPlan.work.kind`: its own name where its tasks run alone,
   * otherwise a state of the table of batches. Empty where the queue does the work itself.
   */
  readonly runs: { readonly [work: string]: BatchRun }
  readonly documents?: DocumentOperation<Work>
}

/** What the first task of a batch asks for, which is all of the batch where tasks run alone. */
export const contentOf = <Content extends QueuedContent>(plan: BatchPlan): Content =>
  plan.tasks[0]!.content as Content

/** The tasks of a batch that do something, with what they ask for. */
export const runningTasks = (plan: BatchPlan): readonly PlannedTask[] =>
  plan.tasks.filter(({ runs }) => runs)
