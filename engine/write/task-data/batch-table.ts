// All batches in columns, by ascending uid: 46 bytes each. The data that clients see of a batch is
// in its record; this table holds the columns that lists filter by, as they were when the batch
// ended.

import { lengthened } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'
import type { BatchUid, U32Of } from '../../../format/ids.ts'
import { lowerBound } from '../../../format/idset/index.ts'
import { NO_NAME } from './names.ts'

const ROWS_MIN = 1024
/** Marks a batch of several indexes; `#several` holds their numbers. */
const SEVERAL = 0xffffffff
const NO_INDEXES: readonly number[] = []

export type BatchRow = {
  readonly uid: BatchUid
  readonly kinds: number
  readonly statuses: number
  readonly startedAt: number
  /** NaN while the batch runs. */
  readonly finishedAt: number
  /** Numbers of `Names`. */
  readonly indexes: readonly number[]
}

export class BatchTable {
  /** Rows in use, including dead ones (batches without tasks). */
  rows = 0
  #dead = 0
  uid = new Uint32Array(ROWS_MIN) as U32Of<BatchUid>
  /** Log offset of the batch's record; NaN until it is in the log. */
  offset = new Float64Array(ROWS_MIN)
  nextOffset: Float64Array | null = null
  startedAt = new Float64Array(ROWS_MIN)
  finishedAt = new Float64Array(ROWS_MIN)
  kinds = new Uint32Array(ROWS_MIN)
  statuses = new Uint16Array(ROWS_MIN)
  /** Number of its tasks that still exist; at 0 the batch is removed. */
  tasks = new Uint32Array(ROWS_MIN)
  recordBytes = new Uint32Array(ROWS_MIN)
  #index = new Uint32Array(ROWS_MIN)
  readonly #several = new Map<BatchUid, readonly number[]>()

  get size(): number {
    return this.rows - this.#dead
  }

  /** Returns the row of a batch, or -1. Rows stay valid until older batches are added or removed. */
  find(uid: BatchUid): number {
    if (this.rows === 0) return -1
    const guess = uid - this.uid[0]!
    if (guess >= 0 && guess < this.rows && this.uid[guess] === uid) return this.#alive(guess)
    const row = lowerBound(this.uid, uid, this.rows)
    return row < this.rows && this.uid[row] === uid ? this.#alive(row) : -1
  }

  /**
   * Adds a batch, or replaces the batch with the same uid. A batch that is not the newest moves the
   * newer ones: a log holds a long batch behind those that ran beside it.
   */
  put(batch: BatchRow): number {
    let row = this.find(batch.uid)
    if (row < 0) {
      row = this.#makeRow(batch.uid)
      this.tasks[row] = 0
      if (this.nextOffset !== null) this.nextOffset[row] = Number.NaN
    }
    this.uid[row] = batch.uid
    this.offset[row] = Number.NaN
    this.startedAt[row] = batch.startedAt
    this.finishedAt[row] = batch.finishedAt
    this.kinds[row] = batch.kinds
    this.statuses[row] = batch.statuses
    this.recordBytes[row] = 0
    this.#setIndexes(row, batch)
    return row
  }

  indexesOf(row: number): readonly number[] {
    const index = this.#index[row]!
    if (index === SEVERAL) return this.#several.get(this.uid[row]!)!
    return index === NO_NAME ? NO_INDEXES : [index]
  }

  /** Returns whether one of the batch's indexes is marked in `marks`. */
  hasIndex(row: number, marks: Uint8Array): boolean {
    const index = this.#index[row]!
    if (index !== SEVERAL) return index !== NO_NAME && marks[index] === 1
    return this.indexesOf(row).some((one) => marks[one] === 1)
  }

  /** See `TaskTable`. */
  beginOffsets(): void {
    this.nextOffset = new Float64Array(this.uid.length).fill(Number.NaN)
  }

  endOffsets(takesOver: boolean): void {
    if (takesOver) for (let row = 0; row < this.rows; row++) this.#takeOffset(row)
    this.nextOffset = null
  }

  /** A batch whose record is not in the log yet will be appended to the new log. */
  #takeOffset(row: number): void {
    if (Number.isNaN(this.offset[row]!)) return
    this.offset[row] = this.nextOffset![row]!
    assert(!this.isAlive(row) || !Number.isNaN(this.offset[row]!), 'every batch is in the new log')
  }

  isAlive(row: number): boolean {
    return this.finishedAt[row] !== Number.NEGATIVE_INFINITY
  }

  remove(row: number): void {
    this.#several.delete(this.uid[row]!)
    this.finishedAt[row] = Number.NEGATIVE_INFINITY
    this.#dead++
    while (this.rows > 0 && !this.isAlive(this.rows - 1)) {
      this.rows--
      this.#dead--
    }
  }

  /** Closes gaps when they are most of the table; this changes rows. */
  tidy(): void {
    if (this.#dead < ROWS_MIN || this.#dead * 2 < this.rows) return
    let n = 0
    for (let row = 0; row < this.rows; row++) {
      if (!this.isAlive(row)) continue
      if (n !== row) for (const column of this.#columns()) column[n] = column[row]!
      n++
    }
    this.rows = n
    this.#dead = 0
  }

  /** Returns the row for a batch that the table lacks. */
  #makeRow(uid: BatchUid): number {
    const row = lowerBound(this.uid, uid, this.rows)
    if (row < this.rows && this.uid[row] === uid) {
      this.#dead--
      return row
    }
    if (this.rows === this.uid.length) this.#grow()
    for (const column of this.#columns()) column.copyWithin(row + 1, row, this.rows)
    this.rows++
    return row
  }

  #alive(row: number): number {
    return this.isAlive(row) ? row : -1
  }

  #setIndexes(row: number, batch: BatchRow): void {
    this.#several.delete(batch.uid)
    if (batch.indexes.length > 1) this.#several.set(batch.uid, batch.indexes)
    this.#index[row] = batch.indexes.length > 1 ? SEVERAL : (batch.indexes[0] ?? NO_NAME)
  }

  #columns(): readonly (Uint32Array | Uint16Array | Float64Array)[] {
    const all: (Uint32Array | Uint16Array | Float64Array)[] = [this.uid, this.offset, this.tasks]
    all.push(this.startedAt, this.finishedAt, this.kinds, this.statuses, this.recordBytes)
    all.push(this.#index)
    if (this.nextOffset !== null) all.push(this.nextOffset)
    return all
  }

  #grow(): void {
    const rows = this.rows * 2
    this.uid = lengthened(this.uid, rows)
    this.offset = lengthened(this.offset, rows)
    this.startedAt = lengthened(this.startedAt, rows)
    this.finishedAt = lengthened(this.finishedAt, rows)
    this.kinds = lengthened(this.kinds, rows)
    this.statuses = lengthened(this.statuses, rows)
    this.tasks = lengthened(this.tasks, rows)
    this.recordBytes = lengthened(this.recordBytes, rows)
    this.#index = lengthened(this.#index, rows)
    if (this.nextOffset !== null) {
      this.nextOffset = lengthened(this.nextOffset, rows).fill(Number.NaN, this.rows)
    }
  }
}
