// Applies the end of a batch to the state of the queue: outcomes of its tasks, cancelations,
// exchanges of names, deletions. The same for a batch that has just ended and a replayed record.
import { asTaskUid, nextAfter, type TaskUid } from '../../../format/ids.ts'
import { type BatchView, UID_NONE } from '../../../format/tasks/index.ts'
import { FLAG_INLINE, holdsEndedSecret, rowIn, STATUS, type TaskState } from '../task-data/index.ts'

const U32_MAX = 0xffffffff
/** Number of tasks changed before other work may run. */
const STRIDE = 4096
/** Bytes of a record in addition to its payload. */
const RECORD_OVERHEAD_BYTES = 32

/**
 * Applies the end of a batch. Yields regularly so that other work may run. Body files no longer
 * needed are added to `bodiesOut`. `offset` is NaN until the record is in the log.
 */
export function* applyBatchEnd(
  state: TaskState,
  view: BatchView,
  offset: number,
  recordBytes: number,
  bodiesOut: number[],
): Generator<void, void> {
  state.nextBatch = nextAfter(state.nextBatch, view.uid)
  if (!Number.isNaN(offset)) state.nextSavedBatch = nextAfter(state.nextSavedBatch, view.uid)
  const row = state.batches.put({
    uid: view.uid,
    kinds: view.kinds,
    statuses: view.statuses,
    startedAt: view.startedAt,
    finishedAt: view.finishedAt,
    indexes: view.indexes.map((name) => state.names.numberOfBytes(name)),
  })
  state.batches.offset[row] = offset
  state.batches.recordBytes[row] = Math.min(recordBytes, U32_MAX)
  state.batches.tasks[row] = 0
  for (let i = 0; i < view.outcomeUids.length; i++) {
    endTask(state, view, view.outcomeUids[i]!, view.outcomeStatuses[i]!, UID_NONE, bodiesOut)
    if (i % STRIDE === STRIDE - 1) yield
  }
  const canceled = view.canceled?.toArray() ?? []
  for (let i = 0; i < canceled.length; i++) {
    endTask(state, view, asTaskUid(canceled[i]!), STATUS.canceled, view.canceledBy, bodiesOut)
    if (i % STRIDE === STRIDE - 1) yield
  }
  if (view.swapped.length > 0) swapNames(state, view)
  if (view.deleted !== null) yield* deleteTasks(state, view.deleted.toArray())
}

function endTask(
  state: TaskState,
  view: BatchView,
  uid: TaskUid,
  status: number,
  canceledBy: TaskUid,
  bodiesOut: number[],
): void {
  const row = state.tasks.find(uid)
  if (row < 0 || !state.mayEnd(row)) return
  const chunk = state.tasks.chunkOf(row)
  const r = rowIn(row)
  state.network.ended(uid, status === STATUS.succeeded)
  state.tasks.setStatus(row, status)
  chunk.batch[r] = view.uid
  chunk.canceledBy[r] = canceledBy
  chunk.startedAt[r] = view.startedAt
  chunk.finishedAt[r] = view.finishedAt
  if (holdsEndedSecret(state.kinds, chunk, r)) state.endedSecrets++
  if ((chunk.flags[r]! & FLAG_INLINE) !== 0) state.garbageBytes += chunk.bodyBytes[r]!
  const { unconfirmed } = state.network
  const isVoid = status === STATUS.canceled && isWrite(state, chunk.kind[r]!)
  if (isVoid) unconfirmed.canceled(uid)
  const file = state.bodies.get(uid)
  if (file !== undefined) {
    state.bodies.delete(uid)
    if (!isVoid && unconfirmed.isOpen(uid)) unconfirmed.heldBodies.set(uid, file)
    else bodiesOut.push(file)
  }
  const batch = state.isReplaying ? -1 : state.batches.find(view.uid)
  if (batch >= 0) state.batches.tasks[batch]!++
}

/** False for a topology change: a later change cancels it on other instances. */
const isWrite = ({ kinds }: TaskState, kind: number): boolean =>
  kinds.names[kind] !== 'networkTopologyChange'

function* deleteTasks(state: TaskState, uids: ArrayLike<number>): Generator<void, void> {
  for (let i = 0; i < uids.length; i++) {
    deleteTask(state, asTaskUid(uids[i]!))
    if (i % STRIDE === STRIDE - 1) yield
  }
  yield* state.tasks.tidy()
  state.batches.tidy()
}

function deleteTask(state: TaskState, uid: TaskUid): void {
  const row = state.tasks.find(uid)
  if (row < 0) return
  const chunk = state.tasks.chunkOf(row)
  const r = rowIn(row)
  if (chunk.status[r]! < STATUS.succeeded) return
  state.tasks.remove(row)
  state.network.removed(uid)
  state.named.delete(uid)
  const inline = (chunk.flags[r]! & FLAG_INLINE) !== 0 ? chunk.bodyBytes[r]! : 0
  state.garbageBytes += chunk.recordBytes[r]! - inline + RECORD_OVERHEAD_BYTES
  if (state.isReplaying || chunk.batch[r] === UID_NONE) return
  const batch = state.batches.find(chunk.batch[r]!)
  if (batch < 0 || --state.batches.tasks[batch]! > 0) return
  state.garbageBytes += state.batches.recordBytes[batch]! + RECORD_OVERHEAD_BYTES
  state.batches.remove(batch)
}

/**
 * Applies an exchange of names: tasks older than the swap that name one index of a pair now name
 * the other.
 */
function swapNames(state: TaskState, view: BatchView): void {
  const other = new Map<number, number>()
  for (const [left, right] of view.swapped) {
    const pair = [state.names.numberOfBytes(left), state.names.numberOfBytes(right)] as const
    other.set(pair[0], pair[1])
    other.set(pair[1], pair[0])
  }
  const table = Uint32Array.from({ length: state.names.count }, (_, i) => other.get(i) ?? i)
  for (const chunk of state.tasks.chunks) {
    for (let r = 0; r < chunk.rows && chunk.uid[r]! < view.swappedBefore; r++) {
      chunk.index[r] = table[chunk.index[r]!]!
    }
  }
  for (const [uid, names] of state.named) {
    if (uid < view.swappedBefore)
      state.named.set(
        uid,
        names.map((name) => table[name]!),
      )
  }
  state.swaps++
  if (!state.isReplaying) state.rebuildPending()
}
