// Lists of tasks and batches: which ones, which page, what comes back.
import type { Micros } from '../../model/index.ts'
import type { TaskStatus } from './types.ts'

/**
 * Filters of a task or batch list. A present list restricts even when it is empty (it matches
 * nothing).
 */
export type TaskFilter = {
  readonly uids: readonly number[] | null
  readonly batchUids: readonly number[] | null
  readonly canceledBy: readonly number[] | null
  readonly kinds: readonly string[] | null
  readonly statuses: readonly TaskStatus[] | null
  readonly indexUids: readonly string[] | null
  readonly afterEnqueuedAt: Micros | null
  readonly beforeEnqueuedAt: Micros | null
  readonly afterStartedAt: Micros | null
  readonly beforeStartedAt: Micros | null
  readonly afterFinishedAt: Micros | null
  readonly beforeFinishedAt: Micros | null
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
