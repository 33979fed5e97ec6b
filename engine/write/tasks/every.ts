// The whole queue, one task or batch after the other: what a dump holds of it. What comes in
// meanwhile is left out; what goes meanwhile is skipped.
import type { TaskReader } from './reader.ts'
import { holdsEndedSecret } from './secrets.ts'
import { pause } from './slices.ts'
import type { TaskState } from './state.ts'
import { DEAD, rowIn } from './task-table.ts'
import type { QueuedContent, Task } from './types.ts'

/** How many are read between two points at which others may run: 2 ms. */
const STRIDE = 128

export type EveryTask = {
  readonly task: Task
  /** null: it has finished, and the log no longer says what it asked for, or it is a secret. */
  readonly content: QueuedContent | null
}

/** @throws CorruptionError, StorageError */
export async function* everyTask(
  state: TaskState,
  reader: TaskReader,
): AsyncGenerator<EveryTask, void, undefined> {
  let read = 0
  for (const uid of taskUids(state)) {
    if (++read % STRIDE === 0) await pause()
    const row = state.tasks.find(uid)
    const isSecret = row >= 0 && holdsEndedSecret(state.kinds, state.tasks.chunkOf(row), rowIn(row))
    const content = isSecret ? null : await reader.contentIfKnown(uid)
    const task = await reader.task(uid)
    if (task !== null) yield { task, content }
  }
}

function taskUids(state: TaskState): Uint32Array {
  const uids = new Uint32Array(state.tasks.size)
  let count = 0
  for (const chunk of state.tasks.chunks) {
    for (let r = 0; r < chunk.rows; r++) {
      if (chunk.status[r] !== DEAD) uids[count++] = chunk.uid[r]!
    }
  }
  return uids.subarray(0, count)
}

/** The uids of batches that have ended. */
export async function* everyBatch(state: TaskState): AsyncGenerator<number, void, undefined> {
  const { batches } = state
  const uids: number[] = []
  for (let row = 0; row < batches.rows; row++) {
    if (batches.isAlive(row) && !Number.isNaN(batches.finishedAt[row]!)) {
      uids.push(batches.uid[row]!)
    }
  }
  for (const [i, uid] of uids.entries()) {
    if (i % STRIDE === STRIDE - 1) await pause()
    yield uid
  }
}
