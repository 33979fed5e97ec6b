// Tasks and batches of another database: a queue opened on the log shows the same.
import { describe, expect, it } from 'vitest'
import { asBatchUid, asIndexUid, asTaskUid } from '../../../format/ids.ts'
import {
  decodeBatch,
  decodeHead,
  RECORD_ANSWERS,
  RECORD_BATCH,
} from '../../../format/tasks/index.ts'
import { type TaskContent, taskKinds } from '../../task-kinds/index.ts'
import {
  INLINE_BODY_BYTES_MAX,
  INLINE_BODY_BYTES_MAX_CROWDED,
  QUEUE_BYTES_MAX,
} from '../task-data/limits.ts'
import type { Task } from '../task-data/types.ts'
import { type ImportedBatch, type ImportedTask, TaskLogWriter } from './import.ts'
import { MemoryTaskLog } from './test-memory-log.ts'
import { createsIndex, filterOf, imports, openQueue, page, START, swaps } from './test-support.ts'

const FINISHED: Task = {
  uid: asTaskUid(2),
  batchUid: asBatchUid(7),
  indexUid: asIndexUid('pens'),
  status: 'failed',
  kind: 'documentAdditionOrUpdate',
  canceledBy: null,
  details: { receivedDocuments: 3, indexedDocuments: 0 },
  error: { code: 'missing_document_id', message: 'no id' },
  enqueuedAt: START,
  startedAt: START + 1,
  finishedAt: START + 2,
  nanos: { enqueuedAt: 1, startedAt: 2, finishedAt: 3 },
  customMetadata: 'mine',
}
const CANCELED: Task = {
  ...FINISHED,
  uid: asTaskUid(4),
  status: 'canceled',
  canceledBy: asTaskUid(5),
  details: null,
  error: null,
  nanos: undefined,
  network: { kind: 'leader', version: 'v', remotes: ['b'] },
  remoteResults: { b: { taskUid: asTaskUid(9), error: null } },
}

const BATCH: ImportedBatch = {
  uid: asBatchUid(7),
  details: { receivedDocuments: 3 },
  stats: {
    totalNbTasks: 2,
    status: { failed: 1, canceled: 1 },
    types: { documentAdditionOrUpdate: 2, indexSwap: 0 },
    indexUids: { pens: 2 },
    progressTrace: { indexing: 3 },
    writeChannelCongestion: null,
    internalDatabaseSizes: null,
    embedderRequests: null,
  },
  startedAt: START + 1,
  finishedAt: START + 2,
  strategy: 'all of them',
}

const ended = (task: Task): ImportedTask => ({ ...task, names: [], count: 3, content: null })
const waiting = (uid: number, { indexUid, content }: ReturnType<typeof createsIndex>) =>
  ({ ...ended(FINISHED), uid: asTaskUid(uid), indexUid, content }) as ImportedTask

async function written(tasks: readonly ImportedTask[], batches: readonly ImportedBatch[] = []) {
  const log = new MemoryTaskLog()
  const writer = new TaskLogWriter(log, taskKinds)
  for (const task of tasks) await writer.task(task)
  for (const batch of batches) await writer.batch(batch)
  await writer.finish()
  return log
}

describe('an imported', () => {
  it('task that has ended is shown as it was', async () => {
    const log = await written([ended(FINISHED), ended(CANCELED)], [BATCH])
    const { queue } = await openQueue({ log })
    expect(await queue.lists.task(FINISHED.uid, null)).toEqual(FINISHED)
    expect(await queue.lists.task(CANCELED.uid, null)).toEqual(CANCELED)
    expect(log.disk.entries.filter(({ type }) => type === RECORD_ANSWERS)).toHaveLength(1)
  })

  it('batch is shown as it was, and found by its tasks', async () => {
    const log = await written([ended(FINISHED), ended(CANCELED)], [BATCH])
    const { queue } = await openQueue({ log })
    const { strategy, ...members } = BATCH
    expect(await queue.lists.batch(BATCH.uid, null)).toEqual({
      ...members,
      batchStrategy: strategy,
      progress: null,
    })
    const uidsBy = async (filter: Parameters<typeof filterOf>[0]) =>
      (await queue.lists.batches(filterOf(filter), page(), null)).results.map(({ uid }) => uid)
    expect(await uidsBy({ statuses: ['canceled'] })).toEqual([7])
    expect(await uidsBy({ statuses: ['succeeded'] })).toEqual([])
    expect(await uidsBy({ kinds: ['documentAdditionOrUpdate'] })).toEqual([7])
    expect(await uidsBy({ kinds: ['indexSwap'] })).toEqual([])
    expect(await uidsBy({ indexUids: ['pens'] })).toEqual([7])
  })

  it('batch does not end before it began', async () => {
    const log = await written([ended(FINISHED)], [{ ...BATCH, finishedAt: START - 5 }])
    const { payload } = log.disk.entries.find(({ type }) => type === RECORD_BATCH)!
    expect(decodeBatch(payload).finishedAt).toBe(START + 1)
  })

  it('task that waits is enqueued, in the order of the uids', async () => {
    const content: TaskContent = { kind: 'indexCreation', primaryKey: 'id' }
    const log = await written([
      waiting(3, { ...createsIndex('a'), content }),
      waiting(6, swaps(['a', 'b'])),
      waiting(9, imports('a', [{ id: 1 }])),
    ])
    const { queue } = await openQueue({ log })
    const { results } = await queue.lists.tasks(filterOf({}), page({ reverse: true }), null)
    expect(results.map(({ uid, status, kind }) => [uid, status, kind])).toEqual([
      [3, 'enqueued', 'indexCreation'],
      [6, 'enqueued', 'indexSwap'],
      [9, 'enqueued', 'documentAdditionOrUpdate'],
    ])
    expect(results[0]).toMatchObject({ enqueuedAt: START, customMetadata: 'mine' })
    const plan = await queue.lifecycle.begin(() => null, { tasksMax: 1, bytesMax: 1 })
    expect(plan!.tasks[0]).toMatchObject({ uid: 3, content })
    expect((await queue.register(createsIndex('b'))).uid).toBe(10)
  })
})

describe('the writer', () => {
  it('ends with a head that has the next uids, when everything is durable', async () => {
    const log = await written([ended(FINISHED), ended(CANCELED)], [BATCH])
    expect(decodeHead(log.disk.entries.at(-1)!.payload)).toEqual({ nextTask: 5, nextBatch: 8 })
    log.isHeld = true
    let isDone = false
    const finished = new TaskLogWriter(log, taskKinds).finish().then(() => {
      isDone = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(isDone).toBe(false)
    log.flush()
    await finished
  })

  it('waits for the log after 1024 records', async () => {
    const log = new MemoryTaskLog()
    log.isHeld = true
    const writer = new TaskLogWriter(log, taskKinds)
    for (let uid = 0; uid < 1023; uid++) await writer.task(waiting(uid, createsIndex('a')))
    let isDone = false
    const last = writer.task(waiting(1023, createsIndex('a'))).then(() => {
      isDone = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect([isDone, log.waiting]).toEqual([false, 1024])
    log.flush()
    await last
    await writer.task(waiting(1024, createsIndex('a')))
  })

  it('stores smaller bodies inside records when the log is a quarter full', () => {
    const inlineMaxAt = (bytes: number): number =>
      new TaskLogWriter({ bytes } as MemoryTaskLog, taskKinds).inlineBytesMax
    expect(inlineMaxAt(QUEUE_BYTES_MAX / 4)).toBe(INLINE_BODY_BYTES_MAX)
    expect(inlineMaxAt(QUEUE_BYTES_MAX / 4 + 1)).toBe(INLINE_BODY_BYTES_MAX_CROWDED)
  })
})
