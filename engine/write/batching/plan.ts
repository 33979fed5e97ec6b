// The work and the outcome of a batch: the contract between the queue and the processor.
import type { BatchUid, IndexUid, TaskUid } from '../../../format/ids.ts'
import type { BatchView } from '../../../format/tasks/index.ts'
import type {
  Batch,
  BatchProgressStep,
  Micros,
  QueuedContent,
  TaskDetails,
  TaskError,
  TaskRole,
} from '../task-data/index.ts'

export type PlannedTask = {
  readonly uid: TaskUid
  /** The present name of the index; null for tasks not tied to one index. */
  readonly indexUid: IndexUid | null
  readonly content: QueuedContent
  /** The role in a batch of an index; `alone` for kinds with a separate queue. */
  readonly role: TaskRole
  readonly enqueuedAt: Micros
  /**
   * false: the task is only marked as succeeded, because a later task of the batch undoes
   * everything that it could do. Its body is not even read.
   */
  readonly hasEffect: boolean
}

/** The work of a batch, derived from its tasks. */
export type BatchWork = {
  /** A state of `autobatch.table.ts`, the name of a kind whose tasks run alone, or `ORPHANS`. */
  readonly kind: string
  /** null if the batch is not tied to one index. */
  readonly indexUid: IndexUid | null
  /**
   * Whether one of the tasks, absorbed ones included, may create a missing index; otherwise the
   * batch fails if the index does not exist.
   */
  readonly mayCreate: boolean
}

export type BatchPlan = {
  readonly uid: BatchUid
  readonly startedAt: Micros
  /** Why the batch ends where it does. */
  readonly strategy: string
  /** Ascending by uid. */
  readonly tasks: readonly PlannedTask[]
  readonly work: BatchWork
}

export type TaskOutcome = {
  readonly uid: TaskUid
  /** null if the task succeeded. */
  readonly error: TaskError | null
  /** Members of the details that change, mostly counts; null: as enqueued, or zeroed on failure. */
  readonly result: TaskDetails | null
}

type Stats = Batch['stats']

export type BatchResult = {
  /** The outcome of each task with `hasEffect`, in any order. */
  readonly outcomes: readonly TaskOutcome[]
  /**
   * Pairs of indexes that exchanged their names, or the old and new name of a renamed one; older
   * tasks follow the new names.
   */
  readonly swapped?: readonly (readonly [string, string])[]
  readonly writeChannelCongestion?: Stats['writeChannelCongestion']
  readonly internalDatabaseSizes?: Stats['internalDatabaseSizes']
  readonly embedderRequests?: Stats['embedderRequests']
}

/** The outcome of a batch, encoded for its commit. */
export type SealedBatch = {
  readonly view: BatchView
  /** The record, which goes into the manifest edit that commits the batch and into the task log. */
  readonly payload: Uint8Array
}

export type BatchControl = {
  /**
   * Aborted when the batch is canceled or the engine closes. Nothing may be committed afterwards.
   */
  readonly signal: AbortSignal
  /** Whether this is a small batch that runs beside a long one. */
  readonly isBeside: boolean
  /** Reports the steps inside "processing tasks", outermost first. Call it whenever one changes. */
  readonly progress: (steps: readonly BatchProgressStep[]) => void
  /** Names the counts of calls of embedders, which lists of batches show while the batch runs. */
  readonly countRequests: (counts: () => Stats['embedderRequests']) => void
  /** Encodes the outcome of the batch. Called once, right before the commit. */
  readonly seal: (result: BatchResult) => Promise<SealedBatch>
}

export type BatchEnd =
  /** The sealed batch and all its changes are durable. */
  | { readonly kind: 'committed'; readonly sealed: SealedBatch }
  /** Nothing was changed outside of the queue, which makes the outcomes durable itself. */
  | { readonly kind: 'uncommitted'; readonly result: BatchResult }
  /** The batch stopped because of the signal; nothing was changed. */
  | { readonly kind: 'aborted' }

export interface Processor {
  /**
   * Does the work of one batch. A rejection fails all its tasks: with the message of the
   * EngineFault, with a description of the StorageError, or as an internal error.
   */
  run(plan: BatchPlan, control: BatchControl): Promise<BatchEnd>
}
