// What a batch is to do, and what comes back: the contract between the queue and the
// processor.
import type { BatchUid, TaskUid } from '../../../format/ids.ts'
import type { NextTask } from './autobatch.table.ts'
import type {
  Batch,
  BatchProgressStep,
  Micros,
  QueuedContent,
  TaskDetails,
  TaskError,
} from './types.ts'

export type PlannedTask = {
  readonly uid: TaskUid
  /** As it is called now; null for tasks not tied to one index. */
  readonly indexUid: string | null
  readonly content: QueuedContent
  /** What it is to a batch of an index; `alone` for kinds with a queue of their own. */
  readonly role: NextTask
  readonly enqueuedAt: Micros
  /**
   * false: the task is only marked succeeded, because a later one of the batch undoes all it could
   * do. Its body is not even read.
   */
  readonly runs: boolean
}

/** What the tasks of a batch amount to, in the order of `BatchPlan.tasks`. */
export type BatchWork = {
  /** A state of `autobatch.table.ts`, the name of a kind whose tasks run alone, or `ORPHANS`. */
  readonly kind: string
  /** null: the batch is not about one index. */
  readonly indexUid: string | null
  /**
   * Whether one of the tasks, absorbed ones included, may create the index if there is none;
   * otherwise the batch fails then.
   */
  readonly mayCreate: boolean
}

export type BatchPlan = {
  readonly uid: BatchUid
  readonly startedAt: Micros
  /** Why the batch holds no more. */
  readonly strategy: string
  /** Ascending by uid. */
  readonly tasks: readonly PlannedTask[]
  readonly work: BatchWork
}

export type TaskOutcome = {
  readonly uid: TaskUid
  /** null: succeeded. */
  readonly error: TaskError | null
  /**
   * Members of the details that change, counts above all; null: as enqueued, or zeroed on failure.
   */
  readonly result: TaskDetails | null
}

type Stats = Batch['stats']

export type BatchResult = {
  /** Of every task with `runs`, in any order. */
  readonly outcomes: readonly TaskOutcome[]
  /**
   * Indexes that have exchanged their names, or old and new name of a renamed one; earlier tasks
   * follow.
   */
  readonly swapped?: readonly (readonly [string, string])[]
  readonly writeChannelCongestion?: Stats['writeChannelCongestion']
  readonly internalDatabaseSizes?: Stats['internalDatabaseSizes']
  readonly embedderRequests?: Stats['embedderRequests']
}

/** How a batch ended, ready to be committed. */
export type SealedBatch = {
  readonly uid: BatchUid
  /** The record: goes into the manifest edit that commits the batch, and into the task log. */
  readonly payload: Uint8Array
}

export type BatchControl = {
  /**
   * Aborted when the batch is canceled or the engine closes. Nothing may be committed afterwards.
   */
  readonly signal: AbortSignal
  /** The steps inside "processing tasks", outermost first. Call it whenever one of them changes. */
  readonly progress: (steps: readonly BatchProgressStep[]) => void
  /** Fixes how the batch ends. Called once, right before the commit. */
  readonly seal: (result: BatchResult) => Promise<SealedBatch>
}

export type BatchEnd =
  /** The sealed batch is durable with everything it did. */
  | { readonly kind: 'committed'; readonly sealed: SealedBatch }
  /** Nothing was changed outside of the queue, which has to make the outcomes durable itself. */
  | { readonly kind: 'uncommitted'; readonly result: BatchResult }
  /** The signal was heeded: nothing happened. */
  | { readonly kind: 'aborted' }

export interface Processor {
  /**
   * Does the work of one batch. A rejection fails all its tasks: with the fault's own words, with
   * what the world did (StorageError), or as a crash.
   */
  run(plan: BatchPlan, control: BatchControl): Promise<BatchEnd>
}
