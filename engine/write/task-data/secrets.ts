// Secrets that belong to one task and are not needed once the task has ended, such as the key of
// the server that an export goes to. The record of the task holds the secret; after the end of the
// task, dumps omit it, and the log is rewritten without it.
import { STATUS, type TaskKinds } from './kinds.ts'
import { DEAD, type TaskChunk, type TaskTable } from './task-table.ts'

/** Returns whether the task in row `r` has ended and its original record holds a secret. */
export function holdsEndedSecret(kinds: TaskKinds, chunk: TaskChunk, r: number): boolean {
  const status = chunk.status[r]!
  const isEnded = status >= STATUS.succeeded && status !== DEAD
  return isEnded && kinds.holdsSecret(chunk.kind[r]!) && chunk.offset[r]! > 0
}

/**
 * Returns the number of such tasks; after a rewrite, tasks that ended while their record was
 * copied.
 */
export function countEndedSecrets(kinds: TaskKinds, tasks: TaskTable): number {
  let count = 0
  for (const chunk of tasks.chunks) {
    for (let r = 0; r < chunk.rows; r++) if (holdsEndedSecret(kinds, chunk, r)) count++
  }
  return count
}
