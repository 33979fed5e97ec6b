// The whole queue, task by task and batch by batch, for a dump. Tasks that arrive meanwhile are
// omitted; tasks that are deleted meanwhile are skipped.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BatchUid, TaskUid, U32Of } from '../../../format/ids.ts'
import {
  DEAD,
  holdsEndedSecret,
  type QueuedContent,
  rowIn,
  type Task,
  type TaskReader,
  type TaskState,
} from '../task-data/index.ts'

/** Number of tasks read before other work may run: 2 ms. */
const STRIDE = 128

export type EveryTask = {
  readonly task: Task
  /**
   * null if the task has finished and the log no longer holds its content, or if the content is
   * secret.
   */
  readonly content: QueuedContent | null
}

/** @throws CorruptionError, StorageError */
export async function* everyTask(
  state: TaskState,
  reader: TaskReader,
): AsyncGenerator<EveryTask, void, undefined> {
  let read = 0
  for (const uid of taskUids(state)) {
    if (++read % STRIDE === 0) await nextTurn()
    const row = state.tasks.find(uid)
    const isSecret = row >= 0 && holdsEndedSecret(state.kinds, state.tasks.chunkOf(row), rowIn(row))
    const content = isSecret ? null : await reader.contentIfKnown(uid)
    const task = await reader.task(uid)
    if (task !== null) yield { task, content }
  }
}

function taskUids(state: TaskState): U32Of<TaskUid> {
  const uids = new Uint32Array(state.tasks.size) as U32Of<TaskUid>
  let count = 0
  for (const chunk of state.tasks.chunks) {
    for (let r = 0; r < chunk.rows; r++) {
      if (chunk.status[r] !== DEAD) uids[count++] = chunk.uid[r]!
    }
  }
  return uids.subarray(0, count) as U32Of<TaskUid>
}

/** Yields the uids of batches that have ended. */
export async function* everyBatch(state: TaskState): AsyncGenerator<BatchUid, void, undefined> {
  const { batches } = state
  const uids: BatchUid[] = []
  for (let row = 0; row < batches.rows; row++) {
    if (batches.isAlive(row) && !Number.isNaN(batches.finishedAt[row]!)) {
      uids.push(batches.uid[row]!)
    }
  }
  for (const [i, uid] of uids.entries()) {
    if (i % STRIDE === STRIDE - 1) await nextTurn()
    yield uid
  }
}
