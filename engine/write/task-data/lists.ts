// Requests for lists of tasks and batches, and their results.
import type { BatchUid, IndexUid, TaskUid } from '../../../format/ids.ts'
import type { Micros } from '../../model/index.ts'
import type { TaskStatus } from './types.ts'

/**
 * Filters of a list of tasks or batches. A list that is not null restricts even if it is empty
 * (nothing matches).
 */
export type TaskFilter = {
  readonly uids: readonly TaskUid[] | null
  readonly batchUids: readonly BatchUid[] | null
  readonly canceledBy: readonly TaskUid[] | null
  readonly kinds: readonly string[] | null
  readonly statuses: readonly TaskStatus[] | null
  readonly indexUids: readonly IndexUid[] | null
  readonly afterEnqueuedAt: Micros | null
  readonly beforeEnqueuedAt: Micros | null
  readonly afterStartedAt: Micros | null
  readonly beforeStartedAt: Micros | null
  readonly afterFinishedAt: Micros | null
  readonly beforeFinishedAt: Micros | null
}

/** Matches everything. */
export const NO_FILTER: TaskFilter = {
  uids: null,
  batchUids: null,
  canceledBy: null,
  kinds: null,
  statuses: null,
  indexUids: null,
  afterEnqueuedAt: null,
  beforeEnqueuedAt: null,
  afterStartedAt: null,
  beforeStartedAt: null,
  afterFinishedAt: null,
  beforeFinishedAt: null,
}

export type TaskPage = {
  readonly from: number | null
  readonly limit: number
  readonly reverse: boolean
}

export type TaskList<T> = {
  readonly results: readonly T[]
  readonly total: number
  readonly from: number | null
  readonly next: number | null
}
