// The tables of tasks and batches, compared with plain maps.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asBatchUid, asTaskUid } from '../../../format/ids.ts'
import { UID_NONE } from '../../../format/tasks/index.ts'
import { BatchTable } from './batch-table.ts'
import { STATUS } from './kinds.ts'
import { CHUNK_ROWS, DEAD, rowIn, rowOf, TaskTable } from './task-table.ts'

/** A table of tasks with uids that leave gaps; each row holds its uid in several columns. */
function tableOf(count: number) {
  const table = new TaskTable()
  const uids = Array.from({ length: count }, (_, i) => i * 3 + 1)
  for (const uid of uids) {
    const row = table.append(asTaskUid(uid))
    const [chunk, r] = [table.chunkOf(row), rowIn(row)]
    chunk.count[r] = uid
    chunk.enqueuedAt[r] = uid
    chunk.offset[r] = uid
    chunk.kind[r] = uid % 7
    table.setStatus(row, uid % 5)
  }
  return { table, uids }
}

function expectTasks(table: TaskTable, uids: readonly number[]): void {
  expect(table.size).toBe(uids.length)
  const counts = new Uint32Array(5)
  for (const chunk of table.chunks) {
    expect(chunk.live).toBe(
      Array.from(chunk.status.subarray(0, chunk.rows)).filter((s) => s !== DEAD).length,
    )
    for (const [s, count] of chunk.statusCounts.entries()) counts[s]! += count
  }
  const expected = new Uint32Array(5)
  for (const uid of uids) {
    expected[uid % 5]!++
    const row = table.find(asTaskUid(uid))
    const [chunk, r] = [table.chunkOf(row), rowIn(row)]
    const seen = [chunk.uid[r], chunk.count[r], chunk.enqueuedAt[r], chunk.offset[r]]
    if (seen.some((one) => one !== uid) || chunk.kind[r] !== uid % 7) expect(seen).toEqual([uid])
  }
  expect([...counts]).toEqual([...expected])
}

describe('the table of tasks', () => {
  it('adds rows as enqueued, without times and batches', () => {
    const table = new TaskTable()
    expect([table.lastUid, table.find(asTaskUid(0))]).toEqual([-1, -1])
    const row = table.append(asTaskUid(4))
    const chunk = table.chunkOf(row)
    expect([chunk.status[0], chunk.batch[0], chunk.canceledBy[0]]).toEqual([
      STATUS.enqueued,
      UID_NONE,
      UID_NONE,
    ])
    expect([chunk.startedAt[0], chunk.finishedAt[0]]).toEqual([Number.NaN, Number.NaN])
    expect([table.lastUid, table.size, chunk.live, chunk.rows]).toEqual([4, 1, 1, 1])
    expect(() => table.append(asTaskUid(4))).toThrow('order of their uids')
  })

  it.each([1, CHUNK_ROWS, CHUNK_ROWS + 1])('finds each of %i tasks, and no other', (count) => {
    const { table, uids } = tableOf(count)
    expectTasks(table, uids)
    expect(table.lastUid).toBe(uids.at(-1))
    for (const uid of [0, 2, 3, uids.at(-1)! + 1, 1e9]) expect(table.find(asTaskUid(uid))).toBe(-1)
    expect(table.chunks).toHaveLength(count > CHUNK_ROWS ? 2 : 1)
  })

  it('keeps all columns when gaps are closed', () => {
    const { table, uids } = tableOf(2 * CHUNK_ROWS + 100)
    const isLeft = (uid: number): boolean => uid % 4 === 0 || uid === uids.at(-1)
    for (const uid of uids) if (!isLeft(uid)) table.remove(table.find(asTaskUid(uid)))
    const left = uids.filter(isLeft)
    expectTasks(table, left)
    expect(table.find(asTaskUid(uids.find((uid) => !isLeft(uid))!))).toBe(-1)
    for (const _ of table.tidy()) expectTasks(table, left)
    expectTasks(table, left)
    expect(table.chunks).toHaveLength(1)
    expect(table.chunks[0]!.rows).toBe(left.length)
    expect(rowOf(table.chunks[0]!, asTaskUid(left[1]!))).toBe(1)
    for (const uid of left) table.remove(table.find(asTaskUid(uid)))
    for (const _ of table.tidy());
    expect([table.size, table.lastUid]).toEqual([0, -1])
    table.append(asTaskUid(9e6))
    expect(table.find(asTaskUid(9e6))).toBeGreaterThanOrEqual(0)
  })

  it('does not join chunks that are too full for one', () => {
    const { table, uids } = tableOf(2 * CHUNK_ROWS)
    table.remove(table.find(asTaskUid(uids[0]!)))
    for (const _ of table.tidy());
    expect(table.chunks.map(({ rows }) => rows)).toEqual([CHUNK_ROWS - 1, CHUNK_ROWS])
    for (const uid of uids.slice(CHUNK_ROWS, -1)) table.remove(table.find(asTaskUid(uid)))
    for (const _ of table.tidy());
    expect(table.chunks.map(({ rows }) => rows)).toEqual([CHUNK_ROWS])
  })

  it.each([true, false])('changes to the offsets of a new log (takes over %s)', (takesOver) => {
    const { table, uids } = tableOf(3)
    table.beginOffsets()
    const [chunk] = table.chunks
    expect([...chunk!.nextOffset!.subarray(0, 3)]).toEqual([Number.NaN, Number.NaN, Number.NaN])
    for (let r = 0; r < 3; r++) chunk!.nextOffset![r] = 1000 + r
    table.endOffsets(takesOver)
    expect(chunk!.nextOffset).toBeNull()
    expect([...chunk!.offset.subarray(0, 3)]).toEqual(takesOver ? [1000, 1001, 1002] : uids)
  })

  it('gives chunks of tasks that arrive meanwhile room for new offsets', () => {
    const { table } = tableOf(CHUNK_ROWS)
    table.beginOffsets()
    table.append(asTaskUid(1e6))
    expect(table.chunks[1]!.nextOffset![0]).toBeNaN()
    table.endOffsets(false)
    for (let i = 1; i <= CHUNK_ROWS; i++) table.append(asTaskUid(1e6 + i))
    expect(table.chunks[2]!.nextOffset).toBeNull()
  })
})

type Batch = { readonly indexes: readonly number[]; readonly at: number }

function expectBatches(table: BatchTable, batches: ReadonlyMap<number, Batch>): void {
  expect(table.size).toBe(batches.size)
  const alive = Array.from({ length: table.rows }, (_, row) => row).filter((row) =>
    table.isAlive(row),
  )
  expect(alive.map((row) => table.uid[row])).toEqual([...batches.keys()].sort((a, b) => a - b))
  for (const [uid, { indexes, at }] of batches) {
    const row = table.find(asBatchUid(uid))
    expect(table.uid[row]).toBe(uid)
    expect(table.indexesOf(row)).toEqual(indexes)
    const members = [table.startedAt[row], table.finishedAt[row], table.kinds[row]]
    expect(members).toEqual([at, at + 1, uid % 5])
    for (const mark of [1, 2, 3]) {
      const marks = new Uint8Array(4)
      marks[mark] = 1
      marks[0] = 1
      expect(table.hasIndex(row, marks)).toBe(indexes.includes(mark))
    }
  }
}

const put = (table: BatchTable, uid: number, { indexes, at }: Batch): number =>
  table.put({
    uid: asBatchUid(uid),
    kinds: uid % 5,
    statuses: 1,
    startedAt: at,
    finishedAt: at + 1,
    indexes,
  })

describe('the table of batches', () => {
  it('holds batches in any order, replaced and removed', () => {
    const uid = fc.integer({ min: 0, max: 9 })
    const indexes = fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { maxLength: 3 })
    const step = fc.record({ uid, indexes, at: fc.nat(99), isRemoval: fc.boolean() })
    const property = fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const table = new BatchTable()
      const batches = new Map<number, Batch>()
      for (const { isRemoval, uid: one, ...batch } of steps) {
        const row = table.find(asBatchUid(one))
        expect(row >= 0).toBe(batches.has(one))
        if (isRemoval && row >= 0) {
          table.remove(row)
          batches.delete(one)
        } else if (!isRemoval) {
          put(table, one, batch)
          batches.set(one, batch)
        }
        expectBatches(table, batches)
      }
    })
    fc.assert(property, { numRuns: 80 })
  })

  it('grows, and closes gaps once they are most of it', () => {
    const table = new BatchTable()
    const batches = new Map<number, Batch>()
    for (let uid = 0; uid < 3000; uid++) {
      const batch = { indexes: uid % 3 === 0 ? [1, 2] : [3], at: uid }
      put(table, uid, batch)
      batches.set(uid, batch)
    }
    table.tidy()
    expect(table.rows).toBe(3000)
    for (let uid = 0; uid < 2000; uid++) {
      table.remove(table.find(asBatchUid(uid)))
      batches.delete(uid)
      if (uid === 1000) {
        table.tidy()
        expect(table.rows).toBe(3000)
      }
    }
    table.tidy()
    expect(table.rows).toBe(1000)
    expectBatches(table, batches)
  })

  it('a new or replaced batch is not in the log; only a new one has no tasks', () => {
    const table = new BatchTable()
    const row = put(table, 5, { indexes: [], at: 1 })
    expect([table.offset[row], table.tasks[row]]).toEqual([Number.NaN, 0])
    table.offset[row] = 9
    table.tasks[row] = 2
    table.recordBytes[row] = 7
    expect(put(table, 5, { indexes: [1], at: 2 })).toBe(row)
    expect([table.offset[row], table.tasks[row], table.recordBytes[row]]).toEqual([
      Number.NaN,
      2,
      0,
    ])
    table.tasks[row] = 2
    table.remove(row)
    expect(table.tasks[put(table, 5, { indexes: [], at: 1 })]).toBe(0)
  })

  it('changes to the offsets of a new log, except for batches that are in none', () => {
    const table = new BatchTable()
    for (const uid of [1, 2, 3]) put(table, uid, { indexes: [], at: 0 })
    table.offset.set([10, 20, Number.NaN])
    table.beginOffsets()
    table.nextOffset!.set([100, 200])
    // A batch that ends meanwhile, before the others.
    put(table, 0, { indexes: [], at: 0 })
    expect([...table.nextOffset!.subarray(0, 4)]).toEqual([Number.NaN, 100, 200, Number.NaN])
    table.endOffsets(true)
    expect([...table.offset.subarray(0, 4)]).toEqual([Number.NaN, 100, 200, Number.NaN])
    expect(table.nextOffset).toBeNull()
    table.beginOffsets()
    table.endOffsets(false)
    expect(table.offset[1]).toBe(100)
    table.beginOffsets()
    expect(() => table.endOffsets(true)).toThrow('every batch is in the new log')
  })
})
