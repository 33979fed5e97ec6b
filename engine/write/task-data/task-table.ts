// All tasks in columns, by ascending uid. As objects they would take several times the memory, and
// a filter over all of them longer.
//
// Rows are stored in chunks of a fixed size, so that growth never copies and deletion changes few.
// A row number encodes the chunk and the row in it; it is valid until tasks are removed, so it must
// not be kept across an `await`.

import { assert } from '../../../format/errors.ts'
import type { BatchUid, TaskUid, U32Of } from '../../../format/ids.ts'
import { lowerBound } from '../../../format/idset/index.ts'
import { UID_NONE } from '../../../format/tasks/index.ts'
import { STATUS } from './kinds.ts'
import { TASK_STATUSES } from './types.ts'

const CHUNK_BITS = 14
export const CHUNK_ROWS: number = 1 << CHUNK_BITS
const ROW_MASK = CHUNK_ROWS - 1

/** The status of a removed row. */
export const DEAD = 255
/** In memory only: the task names further indexes, see `TaskState.named`. */
export const FLAG_NAMED = 0x8000
/** In memory only: the client sent metadata. */
export const FLAG_METADATA = 0x4000
/** In memory only: the body is inside the record. */
export const FLAG_INLINE = 0x2000

/** A block of rows. Missing times are NaN, missing uids `UID_NONE`. */
export class TaskChunk {
  /** Rows in use, dead ones included. */
  rows = 0
  live = 0
  readonly statusCounts: Uint32Array = new Uint32Array(TASK_STATUSES.length)
  readonly uid = new Uint32Array(CHUNK_ROWS) as U32Of<TaskUid>
  readonly status: Uint8Array = new Uint8Array(CHUNK_ROWS)
  readonly kind: Uint8Array = new Uint8Array(CHUNK_ROWS)
  readonly flags: Uint16Array = new Uint16Array(CHUNK_ROWS)
  readonly index: Uint32Array = new Uint32Array(CHUNK_ROWS)
  readonly primaryKey: Uint32Array = new Uint32Array(CHUNK_ROWS)
  readonly batch = new Uint32Array(CHUNK_ROWS) as U32Of<BatchUid>
  readonly canceledBy = new Uint32Array(CHUNK_ROWS) as U32Of<TaskUid>
  readonly count: Uint32Array = new Uint32Array(CHUNK_ROWS)
  /** Capped at 4 GiB, which exceeds the limit of a batch. */
  readonly bodyBytes: Uint32Array = new Uint32Array(CHUNK_ROWS)
  readonly recordBytes: Uint32Array = new Uint32Array(CHUNK_ROWS)
  readonly enqueuedAt: Float64Array = new Float64Array(CHUNK_ROWS)
  readonly startedAt: Float64Array = new Float64Array(CHUNK_ROWS)
  readonly finishedAt: Float64Array = new Float64Array(CHUNK_ROWS)
  /** Offset of the enqueued record; for a record of a finished task, the negated offset. */
  offset: Float64Array = new Float64Array(CHUNK_ROWS)
  /** Offsets in the log that is being written, NaN for tasks not written yet. */
  nextOffset: Float64Array | null = null
}

export class TaskTable {
  readonly chunks: TaskChunk[] = []
  size = 0
  #isRewriting = false

  /** The highest uid in the table, or -1. */
  get lastUid(): number {
    const chunk = this.chunks.at(-1)
    return chunk === undefined || chunk.rows === 0 ? -1 : chunk.uid[chunk.rows - 1]!
  }

  chunkOf(row: number): TaskChunk {
    return this.chunks[row >>> CHUNK_BITS]!
  }

  /** Appends an enqueued task with a uid higher than all others. Returns its row number. */
  append(uid: TaskUid): number {
    assert(uid > this.lastUid, 'tasks are appended in the order of their uids')
    let chunk = this.chunks.at(-1)
    if (chunk === undefined || chunk.rows === CHUNK_ROWS) {
      chunk = new TaskChunk()
      if (this.#isRewriting) chunk.nextOffset = new Float64Array(CHUNK_ROWS).fill(Number.NaN)
      this.chunks.push(chunk)
    }
    const r = chunk.rows++
    chunk.live++
    this.size++
    chunk.uid[r] = uid
    chunk.status[r] = STATUS.enqueued
    chunk.statusCounts[STATUS.enqueued]!++
    chunk.batch[r] = UID_NONE
    chunk.canceledBy[r] = UID_NONE
    chunk.startedAt[r] = Number.NaN
    chunk.finishedAt[r] = Number.NaN
    return ((this.chunks.length - 1) << CHUNK_BITS) | r
  }

  /** Allocates the offsets in a log that is being written. */
  beginOffsets(): void {
    this.#isRewriting = true
    for (const chunk of this.chunks) {
      chunk.nextOffset = new Float64Array(CHUNK_ROWS).fill(Number.NaN)
    }
  }

  /** Activates the new offsets, or discards them. */
  endOffsets(takesOver: boolean): void {
    this.#isRewriting = false
    for (const chunk of this.chunks) {
      if (takesOver) chunk.offset = chunk.nextOffset!
      chunk.nextOffset = null
    }
  }

  /** Returns the row number of a task, or -1. */
  find(uid: TaskUid): number {
    const at = this.#chunkFor(uid)
    if (at < 0) return -1
    const chunk = this.chunks[at]!
    const r = rowOf(chunk, uid)
    return r < 0 || chunk.status[r] === DEAD ? -1 : (at << CHUNK_BITS) | r
  }

  setStatus(row: number, status: number): void {
    const chunk = this.chunkOf(row)
    const r = row & ROW_MASK
    chunk.statusCounts[chunk.status[r]!]!--
    chunk.statusCounts[status]!++
    chunk.status[r] = status
  }

  /** Marks a row as removed; `tidy` frees its memory. */
  remove(row: number): void {
    const chunk = this.chunkOf(row)
    const r = row & ROW_MASK
    chunk.statusCounts[chunk.status[r]!]!--
    chunk.status[r] = DEAD
    chunk.live--
    this.size--
  }

  /** Closes the gaps of one chunk after another; row numbers change. */
  *tidy(): Iterable<void> {
    for (let i = 0; i < this.chunks.length; i++) {
      const chunk = this.chunks[i]!
      if (chunk.live < chunk.rows) {
        closeGaps(chunk)
        yield
      }
      const before = this.chunks[i - 1]
      if (chunk.rows === 0 || (before !== undefined && before.rows + chunk.rows <= CHUNK_ROWS)) {
        if (before !== undefined) moveRows(chunk, before)
        this.chunks.splice(i, 1)
        i--
        yield
      }
    }
  }

  #chunkFor(uid: TaskUid): number {
    const chunks = this.chunks
    let low = 0
    let high = chunks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (chunks[middle]!.uid[0]! <= uid) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}

/** Returns the row inside its chunk of a row number. */
export const rowIn = (row: number): number => row & ROW_MASK

/** Returns the row of a uid inside its chunk, dead or alive, or -1. */
export function rowOf(chunk: TaskChunk, uid: TaskUid): number {
  const uids = chunk.uid
  const guess = uid - uids[0]!
  if (guess < chunk.rows && uids[guess] === uid) return guess
  const row = lowerBound(uids, uid, chunk.rows)
  return row < chunk.rows && uids[row] === uid ? row : -1
}

type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array

function columnsOf(chunk: TaskChunk): readonly Column[] {
  const { uid, status, kind, flags, index, primaryKey, batch, canceledBy, count } = chunk
  const { bodyBytes, recordBytes, enqueuedAt, startedAt, finishedAt, offset, nextOffset } = chunk
  const all: Column[] = [uid, status, kind, flags, index, primaryKey, batch, canceledBy, count]
  all.push(bodyBytes, recordBytes, enqueuedAt, startedAt, finishedAt, offset)
  if (nextOffset !== null) all.push(nextOffset)
  return all
}

function closeGaps(chunk: TaskChunk): void {
  const liveRows = new Uint16Array(chunk.live)
  let n = 0
  for (let r = 0; r < chunk.rows; r++) if (chunk.status[r] !== DEAD) liveRows[n++] = r
  for (const column of columnsOf(chunk)) {
    for (let i = 0; i < n; i++) column[i] = column[liveRows[i]!]!
  }
  chunk.rows = n
}

/** Appends the rows of `from` to `to`, whose uids are all lower. */
function moveRows(from: TaskChunk, to: TaskChunk): void {
  const sources = columnsOf(from)
  const targets = columnsOf(to)
  for (let c = 0; c < sources.length; c++) {
    targets[c]!.set(sources[c]!.subarray(0, from.rows), to.rows)
  }
  for (let s = 0; s < from.statusCounts.length; s++) to.statusCounts[s]! += from.statusCounts[s]!
  to.rows += from.rows
  to.live += from.live
}
