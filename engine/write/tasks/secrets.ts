// Secrets that a client gives to one task and that nothing needs once the task has ended, such as
// the key of the server an export goes to. The record of the task holds it; dumps leave it out from
// the end of the task on, and the log is rewritten without it.
import { STATUS, type TaskKinds } from './kinds.ts'
import { DEAD, type TaskChunk, type TaskTable } from './task-table.ts'

/** Whether the task in row `r` has ended and its record, as it was enqueued, holds a secret. */
export function holdsEndedSecret(kinds: TaskKinds, chunk: TaskChunk, r: number): boolean {
  const status = chunk.status[r]!
  const isEnded = status >= STATUS.succeeded && status !== DEAD
  return isEnded && kinds.holdsSecret(chunk.kind[r]!) && chunk.offset[r]! > 0
}

/** How many tasks have one; after a rewrite, those that ended while their record was copied. */
export function countEndedSecrets(kinds: TaskKinds, tasks: TaskTable): number {
  let count = 0
  for (const chunk of tasks.chunks) {
    for (let r = 0; r < chunk.rows; r++) if (holdsEndedSecret(kinds, chunk, r)) count++
  }
  return count
}
