// The state of the queue in memory, and the effect of records of tasks on it. `tasks/batch-end.ts`
// applies the ends of batches. Replaying a log at start and applying the same records one by one
// use the same functions and yield the same state.
//
// Invariants: a task is in the table once, batches have at least one task or are removed · the
// status "processing" and batches without an end exist in memory only · a finished task never
// changes, except that its index may be renamed.
import { assert, refuse } from '../../../format/errors.ts'
import {
  asBatchUid,
  asTaskUid,
  type BatchUid,
  nextAfter,
  type TaskUid,
} from '../../../format/ids.ts'
import { type EnqueuedView, type KeptView, UID_NONE } from '../../../format/tasks/index.ts'
import type { RemoteResults } from '../../network/records/index.ts'
import { BatchTable } from './batch-table.ts'
import { STATUS, type TaskKinds } from './kinds.ts'
import { Names, NO_NAME } from './names.ts'
import { PendingTasks } from './pending.ts'
import { NetworkTasks, networkIn } from './task-network.ts'
import {
  CHUNK_ROWS,
  DEAD,
  FLAG_INLINE,
  FLAG_METADATA,
  FLAG_NAMED,
  rowIn,
  TaskTable,
} from './task-table.ts'
import { TASK_STATUSES } from './types.ts'

const SECTION = 'task log'
const U32_MAX = 0xffffffff

export class TaskState {
  readonly kinds: TaskKinds
  readonly tasks = new TaskTable()
  readonly batches = new BatchTable()
  readonly names = new Names()
  /**
   * The further indexes that tasks name: those of swaps, pair after pair, and the new names of
   * renames.
   */
  readonly named = new Map<TaskUid, number[]>()
  /** Body files of unfinished tasks. */
  readonly bodies = new Map<TaskUid, number>()
  readonly network = new NetworkTasks()
  /** The highest number of a body file in the log, or 0. */
  lastBodyFile = 0
  readonly pending: PendingTasks
  nextTask = asTaskUid(0)
  /** Larger than the uid of every applied task; uids up to `nextTask` may still be appended. */
  nextApplied = asTaskUid(0)
  nextBatch = asBatchUid(0)
  /** Above the uid of every batch whose record is, or was, in the log. */
  nextSavedBatch = asBatchUid(0)
  /** Number of name exchanges; after one, copies of names must be read again. */
  swaps = 0
  /** Estimated bytes of the log that a rewrite would drop. */
  garbageBytes = 0
  /** Ended tasks whose record in the log still holds a secret; a rewrite drops it. */
  endedSecrets = 0
  /** Whether the log is being read: queues and counts of batches are built after its end. */
  isReplaying = false

  constructor(kinds: TaskKinds) {
    this.kinds = kinds
    this.pending = new PendingTasks(kinds, (uid) => this.waits(uid))
  }

  /** Records answers of remotes. Returns the number of the body file to delete, or null. */
  answered(uid: TaskUid, answers: RemoteResults): number | null {
    return this.tasks.find(uid) < 0 ? null : this.network.unconfirmed.answered(uid, answers)
  }

  /** Applies an accepted task. @throws CorruptionError if the log holds it twice */
  enqueued(view: EnqueuedView, offset: number, recordBytes: number): void {
    const row = this.#appendTask(view, offset)
    const chunk = this.tasks.chunkOf(row)
    const r = rowIn(row)
    chunk.offset[r] = offset
    chunk.flags[r] =
      view.flags |
      (view.names.length > 0 ? FLAG_NAMED : 0) |
      (view.metadata !== null ? FLAG_METADATA : 0) |
      (view.inline !== null ? FLAG_INLINE : 0)
    chunk.primaryKey[r] = this.names.numberOfBytes(view.primaryKey)
    chunk.bodyBytes[r] = Math.min(view.bodyBytes, U32_MAX)
    chunk.recordBytes[r] = Math.min(recordBytes, U32_MAX)
    if (view.bodyFile !== null) {
      this.bodies.set(view.uid, view.bodyFile)
      this.lastBodyFile = Math.max(this.lastBodyFile, view.bodyFile)
    }
    const network = networkIn(view.metadata)
    if (network !== null) {
      this.network.added(view.uid, network, view.bodyFile === null ? 0 : view.bodyBytes)
    }
    if (!this.isReplaying) this.pending.add(view.uid, view.kind, this.#waitsFor(row))
  }

  /** Applies a finished task of a rewritten log. */
  finishedTask(view: KeptView, offset: number, recordBytes: number): void {
    if (view.status < STATUS.succeeded || view.status >= TASK_STATUSES.length) {
      refuse(SECTION, offset, 'bad_value', 'a final status', view.status)
    }
    const row = this.#appendTask(view, offset)
    const chunk = this.tasks.chunkOf(row)
    const r = rowIn(row)
    const network = networkIn(view.metadata)
    if (network !== null && network.kind !== 'leader') this.network.added(view.uid, network, 0)
    this.network.ended(view.uid, view.status === STATUS.succeeded)
    this.tasks.setStatus(row, view.status)
    chunk.offset[r] = -offset
    chunk.flags[r] =
      (view.names.length > 0 ? FLAG_NAMED : 0) | (view.metadata !== null ? FLAG_METADATA : 0)
    chunk.batch[r] = view.batch
    chunk.canceledBy[r] = view.canceledBy
    chunk.startedAt[r] = view.startedAt ?? Number.NaN
    chunk.finishedAt[r] = view.finishedAt ?? Number.NaN
    chunk.recordBytes[r] = Math.min(recordBytes, U32_MAX)
  }

  #appendTask(view: EnqueuedView | KeptView, offset: number): number {
    if (view.kind >= this.kinds.count) refuse(SECTION, offset, 'bad_value', 'a kind', view.kind)
    if (view.uid <= this.tasks.lastUid) {
      refuse(SECTION, offset, 'bad_order', `> ${this.tasks.lastUid}`, view.uid)
    }
    const row = this.tasks.append(view.uid)
    const chunk = this.tasks.chunkOf(row)
    const r = rowIn(row)
    chunk.kind[r] = view.kind
    chunk.index[r] = this.names.numberOfBytes(view.index)
    chunk.enqueuedAt[r] = view.enqueuedAt
    chunk.count[r] = view.count
    if (view.names.length > 0) {
      this.named.set(
        view.uid,
        view.names.map((name) => this.names.numberOfBytes(name)),
      )
    }
    this.nextTask = nextAfter(this.nextTask, view.uid)
    this.nextApplied = nextAfter(this.nextApplied, view.uid)
    return row
  }

  /** Returns whether a task has changed anything, or may have because it was deleted. */
  hasRun(uid: TaskUid): boolean {
    const row = this.tasks.find(uid)
    return row < 0 || this.tasks.chunkOf(row).status[rowIn(row)] === STATUS.succeeded
  }

  /** Returns whether a task may end: failed tasks of some kinds are tried again, and end again. */
  mayEnd(row: number): boolean {
    const chunk = this.tasks.chunkOf(row)
    const status = chunk.status[rowIn(row)]!
    if (status < STATUS.succeeded) return true
    return status === STATUS.failed && this.kinds.isRetried(chunk.kind[rowIn(row)]!)
  }

  /** Notes that the record of an ended batch is in the log. */
  batchSaved(uid: BatchUid, offset: number): void {
    this.nextSavedBatch = nextAfter(this.nextSavedBatch, uid)
    const row = this.batches.find(uid)
    if (row >= 0) this.batches.offset[row] = offset
  }

  /** Marks the tasks as running in batch `uid`. */
  beginBatch(uid: BatchUid, startedAt: number, uids: readonly TaskUid[]): void {
    let kinds = 0
    const indexes = new Set<number>()
    for (const task of uids) {
      const row = this.tasks.find(task)
      assert(row >= 0, 'the tasks of a batch exist')
      const chunk = this.tasks.chunkOf(row)
      const r = rowIn(row)
      this.tasks.setStatus(row, STATUS.processing)
      chunk.batch[r] = uid
      chunk.startedAt[r] = startedAt
      chunk.finishedAt[r] = Number.NaN
      kinds |= 1 << chunk.kind[r]!
      for (const index of this.indexesOf(row)) indexes.add(index)
    }
    this.nextBatch = nextAfter(this.nextBatch, uid)
    const statuses = 1 << STATUS.processing
    const finishedAt = Number.NaN
    const row = this.batches.put({
      uid,
      kinds,
      statuses,
      startedAt,
      finishedAt,
      indexes: [...indexes],
    })
    this.batches.tasks[row] = uids.length
  }

  /** Makes the tasks of a batch wait again and removes the batch. */
  requeueBatch(uid: BatchUid, uids: readonly TaskUid[]): void {
    for (const task of uids) {
      const row = this.tasks.find(task)
      if (row < 0 || this.tasks.chunkOf(row).status[rowIn(row)] !== STATUS.processing) continue
      const chunk = this.tasks.chunkOf(row)
      const r = rowIn(row)
      this.tasks.setStatus(row, STATUS.enqueued)
      chunk.batch[r] = UID_NONE
      chunk.startedAt[r] = Number.NaN
    }
    const row = this.batches.find(uid)
    if (row >= 0) this.batches.remove(row)
    if (this.nextBatch === uid + 1) this.nextBatch = uid
  }

  /**
   * Shows a task as processing before its batch begins; returns whether it waited. Not durable.
   */
  beginEarly(uid: TaskUid, startedAt: number): boolean {
    const row = this.tasks.find(uid)
    if (row < 0 || this.tasks.chunkOf(row).status[rowIn(row)] !== STATUS.enqueued) return false
    this.tasks.setStatus(row, STATUS.processing)
    this.tasks.chunkOf(row).startedAt[rowIn(row)] = startedAt
    return true
  }

  /** Shows the task as enqueued again; returns whether it was shown as processing. */
  endEarly(uid: TaskUid): boolean {
    const row = this.tasks.find(uid)
    if (row < 0 || this.tasks.chunkOf(row).status[rowIn(row)] !== STATUS.processing) return false
    if (this.tasks.chunkOf(row).batch[rowIn(row)] !== UID_NONE) return false
    this.tasks.setStatus(row, STATUS.enqueued)
    this.tasks.chunkOf(row).startedAt[rowIn(row)] = Number.NaN
    return true
  }

  /** Returns the body files that tasks of the log still need. */
  neededBodies(): readonly number[] {
    return [...this.bodies.values(), ...this.network.unconfirmed.heldBodies.values()]
  }

  waits(uid: TaskUid): boolean {
    const row = this.tasks.find(uid)
    return row >= 0 && this.mayEnd(row)
  }

  isFinished(uid: TaskUid): boolean {
    const row = this.tasks.find(uid)
    return row >= 0 && this.tasks.chunkOf(row).status[rowIn(row)]! >= STATUS.succeeded
  }

  /** Returns the numbers of all indexes that a task names, its own first. */
  indexesOf(row: number): readonly number[] {
    const chunk = this.tasks.chunkOf(row)
    const r = rowIn(row)
    const own = chunk.index[r] === NO_NAME ? [] : [chunk.index[r]!]
    if ((chunk.flags[r]! & FLAG_NAMED) === 0) return own
    return [...own, ...this.named.get(chunk.uid[r]!)!]
  }

  rebuildPending(): void {
    this.pending.clear()
    for (let c = 0; c < this.tasks.chunks.length; c++) {
      const chunk = this.tasks.chunks[c]!
      for (let r = 0; r < chunk.rows; r++) {
        if (chunk.status[r] === DEAD) continue
        const row = c * CHUNK_ROWS + r
        if (this.mayEnd(row)) {
          this.pending.add(chunk.uid[r]!, chunk.kind[r]!, this.#waitsFor(row))
        }
      }
    }
  }

  /** Returns the indexes in whose queues a task waits; a swap without indexes has its own queue. */
  #waitsFor(row: number): readonly number[] {
    const indexes = this.indexesOf(row)
    return indexes.length === 0 ? [NO_NAME] : indexes
  }
}
