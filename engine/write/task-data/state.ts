// The state of the queue in memory, and the effect of each log record on it. Replaying a log at
// start and applying the same records one by one use the same functions and yield the same state.
//
// Invariants: a task is in the table once, batches have at least one task or are removed · the
// status "processing" and batches without an end exist in memory only · a finished task never
// changes, except that its index may be renamed.
//
// This is one file, because every record changes several of its tables together.

import { assert, refuse } from '../../../format/errors.ts'
import type { BatchUid, TaskUid } from '../../../format/ids.ts'
import {
  type BatchView,
  decodeAnswers,
  decodeBatch,
  decodeEnqueued,
  decodeHead,
  decodeKept,
  type EnqueuedView,
  type KeptView,
  RECORD_ANSWERS,
  RECORD_BATCH,
  RECORD_ENQUEUED,
  RECORD_HEAD,
  RECORD_KEPT,
  textOf,
  UID_NONE,
} from '../../../format/tasks/index.ts'
import type { RemoteResults } from '../../model/index.ts'
import { BatchTable } from './batch-table.ts'
import { STATUS, type TaskKinds } from './kinds.ts'
import type { LogEntry } from './log.ts'
import { Names, NO_NAME } from './names.ts'
import { PendingTasks } from './pending.ts'
import { readResults } from './remote-results.ts'
import { holdsEndedSecret } from './secrets.ts'
import { NetworkTasks, unpackMetadata } from './task-network.ts'
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
/** Number of tasks changed before other work may run. */
const STRIDE = 4096
/** Bytes of a record in addition to its payload. */
const RECORD_OVERHEAD_BYTES = 32

export class TaskState {
  readonly kinds: TaskKinds
  readonly tasks = new TaskTable()
  readonly batches = new BatchTable()
  readonly names = new Names()
  /**
   * The further indexes that tasks name: those of swaps, pair after pair, and the new names of
   * renames.
   */
  readonly named = new Map<number, number[]>()
  /** Body files of unfinished tasks. */
  readonly bodies = new Map<number, number>()
  readonly network = new NetworkTasks()
  /** The highest number of a body file in the log, or 0. */
  lastBodyFile = 0
  readonly pending: PendingTasks
  nextTask = 0
  /** Larger than the uid of every applied task; uids up to `nextTask` may still be appended. */
  nextApplied = 0
  nextBatch = 0
  /** Above the uid of every batch whose record is, or was, in the log. */
  nextSavedBatch = 0
  /** Number of name exchanges; after one, copies of names must be read again. */
  swaps = 0
  /** Estimated bytes of the log that a rewrite would drop. */
  garbageBytes = 0
  /** Ended tasks whose record in the log still holds a secret; a rewrite drops it. */
  endedSecrets = 0
  #replaying = false

  constructor(kinds: TaskKinds) {
    this.kinds = kinds
    this.pending = new PendingTasks(kinds, (uid) => this.waits(uid))
  }

  /** Begins a replay. Call `replay` for each record of the log, then `endReplay`. */
  beginReplay(): void {
    this.#replaying = true
  }

  endReplay(): void {
    this.#replaying = false
    this.#countBatches()
    this.rebuildPending()
  }

  /** Applies one record of the log. @throws CorruptionError, VersionError */
  replay(entry: LogEntry): void {
    const { type, payload, offset } = entry
    if (type === RECORD_ENQUEUED) this.enqueued(decodeEnqueued(payload), offset, payload.length)
    else if (type === RECORD_BATCH) {
      for (const _ of this.batchEnded(decodeBatch(payload), offset, payload.length, []));
    } else if (type === RECORD_KEPT) this.finishedTask(decodeKept(payload), offset, payload.length)
    else if (type === RECORD_HEAD) {
      const { nextTask, nextBatch } = decodeHead(payload)
      this.nextTask = Math.max(this.nextTask, nextTask)
      this.nextApplied = Math.max(this.nextApplied, nextTask)
      this.nextBatch = Math.max(this.nextBatch, nextBatch)
      this.nextSavedBatch = Math.max(this.nextSavedBatch, nextBatch)
    } else if (type === RECORD_ANSWERS) {
      const { uid, answers } = decodeAnswers(payload)
      this.answered(uid, readResults(textOf(answers)))
    } else refuse(SECTION, offset, 'bad_value', 'a type of record', type)
  }

  /** Applies answers of remotes. Returns the body file that is no longer needed, or null. */
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
    const { network } = unpackMetadata(hasNetwork(view) ? view.metadata : null)
    if (network !== null) {
      this.network.added(view.uid, network, view.bodyFile === null ? 0 : view.bodyBytes)
    }
    if (!this.#replaying) this.pending.add(view.uid, view.kind, this.#waitsFor(row))
  }

  /** Applies a finished task of a rewritten log. */
  finishedTask(view: KeptView, offset: number, recordBytes: number): void {
    if (view.status < STATUS.succeeded || view.status >= TASK_STATUSES.length) {
      refuse(SECTION, offset, 'bad_value', 'a final status', view.status)
    }
    const row = this.#appendTask(view, offset)
    const chunk = this.tasks.chunkOf(row)
    const r = rowIn(row)
    const { network } = unpackMetadata(hasNetwork(view) ? view.metadata : null)
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
    this.nextTask = Math.max(this.nextTask, view.uid + 1)
    this.nextApplied = Math.max(this.nextApplied, view.uid + 1)
    return row
  }

  /**
   * Applies the end of a batch. Yields regularly so that other work may run. Body files no longer
   * needed are added to `bodiesOut`. `offset` is NaN until the record is in the log.
   */
  *batchEnded(
    view: BatchView,
    offset: number,
    recordBytes: number,
    bodiesOut: number[],
  ): Generator<void, void> {
    this.nextBatch = Math.max(this.nextBatch, view.uid + 1)
    if (!Number.isNaN(offset)) this.nextSavedBatch = Math.max(this.nextSavedBatch, view.uid + 1)
    const row = this.batches.put({
      uid: view.uid,
      kinds: view.kinds,
      statuses: view.statuses,
      startedAt: view.startedAt,
      finishedAt: view.finishedAt,
      indexes: view.indexes.map((name) => this.names.numberOfBytes(name)),
    })
    this.batches.offset[row] = offset
    this.batches.recordBytes[row] = Math.min(recordBytes, U32_MAX)
    this.batches.tasks[row] = 0
    for (let i = 0; i < view.outcomeUids.length; i++) {
      this.#taskEnded(view, view.outcomeUids[i]!, view.outcomeStatuses[i]!, UID_NONE, bodiesOut)
      if (i % STRIDE === STRIDE - 1) yield
    }
    const canceled = view.canceled?.toArray() ?? []
    for (let i = 0; i < canceled.length; i++) {
      this.#taskEnded(view, canceled[i]!, STATUS.canceled, view.canceledBy, bodiesOut)
      if (i % STRIDE === STRIDE - 1) yield
    }
    if (view.swapped.length > 0) this.#swapNames(view)
    if (view.deleted !== null) yield* this.#deleteTasks(view.deleted.toArray())
  }

  #taskEnded(
    view: BatchView,
    uid: TaskUid,
    status: number,
    canceledBy: number,
    bodiesOut: number[],
  ): void {
    const row = this.tasks.find(uid)
    if (row < 0 || !this.#mayEnd(row)) return
    const chunk = this.tasks.chunkOf(row)
    const r = rowIn(row)
    this.network.ended(uid, status === STATUS.succeeded)
    this.tasks.setStatus(row, status)
    chunk.batch[r] = view.uid
    chunk.canceledBy[r] = canceledBy
    chunk.startedAt[r] = view.startedAt
    chunk.finishedAt[r] = view.finishedAt
    if (holdsEndedSecret(this.kinds, chunk, r)) this.endedSecrets++
    if ((chunk.flags[r]! & FLAG_INLINE) !== 0) this.garbageBytes += chunk.bodyBytes[r]!
    const { unconfirmed } = this.network
    const isVoid = status === STATUS.canceled && this.#isWrite(chunk.kind[r]!)
    if (isVoid) unconfirmed.canceled(uid)
    const file = this.bodies.get(uid)
    if (file !== undefined) {
      this.bodies.delete(uid)
      if (!isVoid && unconfirmed.isOpen(uid)) unconfirmed.heldBodies.set(uid, file)
      else bodiesOut.push(file)
    }
    const batch = this.#replaying ? -1 : this.batches.find(view.uid)
    if (batch >= 0) this.batches.tasks[batch]!++
  }

  /** False for a topology change: a later change cancels it on other instances. */
  #isWrite(kind: number): boolean {
    return this.kinds.names[kind] !== 'networkTopologyChange'
  }

  /** Returns whether a task has changed anything, or may have because it was deleted. */
  hasRun(uid: TaskUid): boolean {
    const row = this.tasks.find(uid)
    return row < 0 || this.tasks.chunkOf(row).status[rowIn(row)] === STATUS.succeeded
  }

  /** Returns whether a task may end: failed tasks of some kinds are tried again, and end again. */
  #mayEnd(row: number): boolean {
    const chunk = this.tasks.chunkOf(row)
    const status = chunk.status[rowIn(row)]!
    if (status < STATUS.succeeded) return true
    return status === STATUS.failed && this.kinds.isRetried(chunk.kind[rowIn(row)]!)
  }

  *#deleteTasks(uids: ArrayLike<number>): Generator<void, void> {
    for (let i = 0; i < uids.length; i++) {
      this.#deleteTask(uids[i]!)
      if (i % STRIDE === STRIDE - 1) yield
    }
    yield* this.tasks.tidy()
    this.batches.tidy()
  }

  #deleteTask(uid: TaskUid): void {
    const row = this.tasks.find(uid)
    if (row < 0) return
    const chunk = this.tasks.chunkOf(row)
    const r = rowIn(row)
    if (chunk.status[r]! < STATUS.succeeded) return
    this.tasks.remove(row)
    this.network.removed(uid)
    this.named.delete(uid)
    const inline = (chunk.flags[r]! & FLAG_INLINE) !== 0 ? chunk.bodyBytes[r]! : 0
    this.garbageBytes += chunk.recordBytes[r]! - inline + RECORD_OVERHEAD_BYTES
    if (this.#replaying || chunk.batch[r] === UID_NONE) return
    const batch = this.batches.find(chunk.batch[r]!)
    if (batch < 0 || --this.batches.tasks[batch]! > 0) return
    this.garbageBytes += this.batches.recordBytes[batch]! + RECORD_OVERHEAD_BYTES
    this.batches.remove(batch)
  }

  /**
   * Applies an exchange of names: tasks older than the swap that name one index of a pair now name
   * the other.
   */
  #swapNames(view: BatchView): void {
    const other = new Map<number, number>()
    for (const [left, right] of view.swapped) {
      const pair = [this.names.numberOfBytes(left), this.names.numberOfBytes(right)] as const
      other.set(pair[0], pair[1])
      other.set(pair[1], pair[0])
    }
    const table = Uint32Array.from({ length: this.names.count }, (_, i) => other.get(i) ?? i)
    for (const chunk of this.tasks.chunks) {
      for (let r = 0; r < chunk.rows && chunk.uid[r]! < view.swappedBefore; r++) {
        chunk.index[r] = table[chunk.index[r]!]!
      }
    }
    for (const [uid, names] of this.named) {
      if (uid < view.swappedBefore)
        this.named.set(
          uid,
          names.map((name) => table[name]!),
        )
    }
    this.swaps++
    if (!this.#replaying) this.rebuildPending()
  }

  /** Notes that the record of an ended batch is in the log. */
  batchSaved(uid: BatchUid, offset: number): void {
    this.nextSavedBatch = Math.max(this.nextSavedBatch, uid + 1)
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
    this.nextBatch = Math.max(this.nextBatch, uid + 1)
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

  /** Shows a task as processing before its batch begins. Not durable. */
  beginEarly(uid: TaskUid, startedAt: number): void {
    const row = this.tasks.find(uid)
    if (row < 0 || this.tasks.chunkOf(row).status[rowIn(row)] !== STATUS.enqueued) return
    this.tasks.setStatus(row, STATUS.processing)
    this.tasks.chunkOf(row).startedAt[rowIn(row)] = startedAt
  }

  /** Shows the task as enqueued again. */
  endEarly(uid: TaskUid): void {
    const row = this.tasks.find(uid)
    if (row < 0 || this.tasks.chunkOf(row).status[rowIn(row)] !== STATUS.processing) return
    if (this.tasks.chunkOf(row).batch[rowIn(row)] !== UID_NONE) return
    this.tasks.setStatus(row, STATUS.enqueued)
    this.tasks.chunkOf(row).startedAt[rowIn(row)] = Number.NaN
  }

  /** Returns the body files that tasks of the log still need. */
  neededBodies(): readonly number[] {
    return [...this.bodies.values(), ...this.network.unconfirmed.heldBodies.values()]
  }

  waits(uid: TaskUid): boolean {
    const row = this.tasks.find(uid)
    return row >= 0 && this.#mayEnd(row)
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
        if (this.#mayEnd(row)) {
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

  /**
   * Counts the tasks of each batch after the whole log was read; batches without tasks are removed.
   */
  #countBatches(): void {
    this.batches.tasks.fill(0)
    for (const chunk of this.tasks.chunks) {
      for (let r = 0; r < chunk.rows; r++) {
        if (chunk.status[r] === DEAD || chunk.batch[r] === UID_NONE) continue
        const row = this.batches.find(chunk.batch[r]!)
        if (row >= 0) this.batches.tasks[row]!++
      }
    }
    for (let row = this.batches.rows - 1; row >= 0; row--) {
      if (this.batches.isAlive(row) && this.batches.tasks[row] === 0) this.batches.remove(row)
    }
    this.batches.tidy()
  }
}

/** Returns true if the metadata contains a network; its first byte shows this without decoding. */
const hasNetwork = ({ metadata }: EnqueuedView | KeptView): boolean => metadata?.[0] === 0
