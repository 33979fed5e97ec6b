// Reads the state of the queue from its log at the start.
import { refuse } from '../../../format/errors.ts'
import { asBatchUid, asTaskUid } from '../../../format/ids.ts'
import {
  decodeAnswers,
  decodeBatch,
  decodeEnqueued,
  decodeHead,
  decodeKept,
  RECORD_ANSWERS,
  RECORD_BATCH,
  RECORD_ENQUEUED,
  RECORD_HEAD,
  RECORD_KEPT,
  textOf,
  UID_NONE,
} from '../../../format/tasks/index.ts'
import {
  DEAD,
  type LogEntry,
  readResults,
  type TaskKinds,
  type TaskLog,
  TaskState,
} from '../task-data/index.ts'
import { applyBatchEnd } from './batch-end.ts'

/** Returns the state after all records of the log. @throws CorruptionError, VersionError */
export async function replayLog(kinds: TaskKinds, log: TaskLog): Promise<TaskState> {
  const state = new TaskState(kinds)
  state.isReplaying = true
  for await (const portion of log.scan(0, Number.MAX_SAFE_INTEGER)) {
    for (const entry of portion) applyRecord(state, entry)
  }
  state.isReplaying = false
  countBatches(state)
  state.rebuildPending()
  return state
}

/** @throws CorruptionError, VersionError */
function applyRecord(state: TaskState, { type, payload, offset }: LogEntry): void {
  if (type === RECORD_ENQUEUED) state.enqueued(decodeEnqueued(payload), offset, payload.length)
  else if (type === RECORD_BATCH) {
    for (const _ of applyBatchEnd(state, decodeBatch(payload), offset, payload.length, []));
  } else if (type === RECORD_KEPT) state.finishedTask(decodeKept(payload), offset, payload.length)
  else if (type === RECORD_HEAD) {
    const { nextTask, nextBatch } = decodeHead(payload)
    state.nextTask = asTaskUid(Math.max(state.nextTask, nextTask))
    state.nextApplied = asTaskUid(Math.max(state.nextApplied, nextTask))
    state.nextBatch = asBatchUid(Math.max(state.nextBatch, nextBatch))
    state.nextSavedBatch = asBatchUid(Math.max(state.nextSavedBatch, nextBatch))
  } else if (type === RECORD_ANSWERS) {
    const { uid, answers } = decodeAnswers(payload)
    state.answered(uid, readResults(textOf(answers)))
  } else refuse('task log', offset, 'bad_value', 'a type of record', type)
}

/**
 * Counts the tasks of each batch after the whole log was read; batches without tasks are removed.
 */
function countBatches({ tasks, batches }: TaskState): void {
  batches.tasks.fill(0)
  for (const chunk of tasks.chunks) {
    for (let r = 0; r < chunk.rows; r++) {
      if (chunk.status[r] === DEAD || chunk.batch[r] === UID_NONE) continue
      const row = batches.find(chunk.batch[r]!)
      if (row >= 0) batches.tasks[row]!++
    }
  }
  for (let row = batches.rows - 1; row >= 0; row--) {
    if (batches.isAlive(row) && batches.tasks[row] === 0) batches.remove(row)
  }
  batches.tidy()
}
