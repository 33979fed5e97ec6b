// Tasks as they are read back: from memory or the log, before and after their end, while the log
// is replaced, and after they were deleted.
import { describe, expect, it } from 'vitest'
import { asBatchUid, asTaskUid, type U32Of } from '../../../format/ids.ts'
import {
  type BatchView,
  encodeBatch,
  encodeEnqueued,
  encodeKept,
  RECORD_BATCH,
  RECORD_ENQUEUED,
  RECORD_KEPT,
  UID_NONE,
  utf8Of,
} from '../../../format/tasks/index.ts'
import { STATUS } from './kinds.ts'
import type { TaskLog } from './log.ts'
import { TaskReader } from './reader.ts'
import { packMetadata } from './task-network.ts'
import { rowIn } from './task-table.ts'
import { finishedOf, NAMING, PLAIN, RETRIED, setStatus, stateWith, viewOf } from './test-tasks.ts'

const B = asBatchUid
const [T0, T1, T2] = [0, 1, 2].map(asTaskUid) as [never, never, never]

/** `results` by task, as JSON; empty for none. */
const batchOf = (uid: number, results: readonly (readonly [uid: number, result: string])[]) => {
  const bytes = results.map(([, result]) => Buffer.from(result))
  let end = 0
  return {
    uid: B(uid),
    kinds: 1,
    statuses: 4,
    startedAt: 5,
    finishedAt: 6,
    indexes: [],
    info: utf8Of('{"details":{"d":1},"strategy":"s"}'),
    swapped: [],
    swappedBefore: 0,
    canceled: null,
    canceledBy: 0,
    deleted: null,
    outcomeUids: Uint32Array.from(results, ([task]) => task) as U32Of<never>,
    outcomeStatuses: Uint8Array.from(results, () => STATUS.succeeded),
    outcomeEnds: Uint32Array.from(bytes, ({ length }) => (end += length)),
    results: Uint8Array.from(Buffer.concat(bytes)),
  } as unknown as BatchView
}

/** The record of the task 0 in a rewritten log. */
const rewritten = (
  more: Pick<Parameters<typeof encodeKept>[0], 'details' | 'error'>,
): readonly [type: number, payload: Uint8Array] => [
  RECORD_KEPT,
  encodeKept({ ...finishedOf(0), index: null, metadata: null, names: [], ...more }),
]

function world(views: ReturnType<typeof viewOf>[]) {
  const state = stateWith(views)
  const records = new Map<number, readonly [type: number, payload: Uint8Array]>()
  for (const view of views) records.set(view.uid + 1, [RECORD_ENQUEUED, encodeEnqueued(view)])
  const reads: number[] = []
  /** Runs between a read and its result. */
  let between = (): void => undefined
  const log = {
    read: async (offset: number) => {
      reads.push(offset)
      const [type, payload] = records.get(offset)!
      between()
      return { offset, type, payload }
    },
  } as unknown as TaskLog
  const reader = new TaskReader(state, log)
  const during = (work: () => void): void => {
    between = () => {
      between = () => undefined
      work()
    }
  }
  /** Ends tasks in a batch whose record is at `offset`, or not in the log yet. */
  const end = (batch: BatchView, offset: number | null): void => {
    for (const [i, uid] of batch.outcomeUids.entries()) {
      const row = state.tasks.find(asTaskUid(uid))
      state.tasks.setStatus(row, batch.outcomeStatuses[i]!)
      state.tasks.chunkOf(row).batch[rowIn(row)] = batch.uid
      state.tasks.chunkOf(row).finishedAt[rowIn(row)] = 6
    }
    const row = state.batches.put({ ...batch, indexes: [] } as never)
    if (offset === null) return
    state.batches.offset[row] = offset
    records.set(offset, [RECORD_BATCH, encodeBatch(batch)])
  }
  const remove = (uid: number): void => state.tasks.remove(state.tasks.find(asTaskUid(uid)))
  return { state, records, reads, reader, during, end, remove }
}

describe('a task', () => {
  it('that waits has the members of its record and of its row', async () => {
    const { reader, reads } = world([
      viewOf(0, { kind: NAMING, index: 'a', names: ['b'], metadata: utf8Of('m') }),
    ])
    const expected = {
      uid: 0,
      batchUid: null,
      indexUid: 'a',
      status: 'enqueued',
      kind: 'naming',
      canceledBy: null,
      details: { names: ['b'] },
      error: null,
      enqueuedAt: 0,
      startedAt: null,
      finishedAt: null,
      nanos: undefined,
      customMetadata: 'm',
      network: undefined,
      remoteResults: undefined,
    }
    expect(await reader.task(T0)).toEqual(expected)
    expect(await reader.task(T0)).toEqual(expected)
    expect(reads, 'the log is read once').toEqual([1])
    expect(await reader.task(T1)).toBeNull()
  })

  it('is not read from the log if it was just written, or is passed', async () => {
    const views = [viewOf(0), viewOf(1)]
    const { reader, reads } = world(views)
    reader.rememberTask(views[0]!, 10)
    expect(await reader.task(T0)).toMatchObject({ uid: 0 })
    expect(await reader.task(T1, views[1])).toMatchObject({ uid: 1 })
    expect(reads).toEqual([])
  })

  it('that ended has its part of the batch', async () => {
    const { reader, end, state } = world([0, 1, 2, 3].map((uid) => viewOf(uid, { kind: NAMING })))
    const error = { code: 'c', message: 'm' }
    const results = [
      [0, '{"r":{"n":1}}'],
      [1, ''],
      [2, JSON.stringify({ e: error })],
    ] as const
    end(batchOf(7, results), 900)
    setStatus(state, 2, 'failed')
    const parts = async (uid: number) => {
      const { status, details, error: failure, batchUid } = (await reader.task(asTaskUid(uid)))!
      return [status, details, failure, batchUid]
    }
    expect(await parts(0)).toEqual(['succeeded', { names: [], n: 1 }, null, 7])
    expect(await parts(1)).toEqual(['succeeded', { names: [] }, null, 7])
    expect(await parts(2)).toEqual(['failed', { names: [], done: 0, hasFailed: true }, error, 7])
    expect(await parts(3)).toEqual(['enqueued', { names: [] }, null, null])
  })

  it('that ends while it is read is shown as ended', async () => {
    const { reader, during, end } = world([viewOf(0)])
    during(() => end(batchOf(7, [[0, '']]), 900))
    expect(await reader.task(T0)).toMatchObject({ status: 'succeeded', batchUid: 7 })
  })

  it('that is deleted while it is read is gone', async () => {
    const { reader, during, remove } = world([viewOf(0)])
    during(() => remove(0))
    expect(await reader.task(T0)).toBeNull()
  })

  it('of a leader has the answers of remotes', async () => {
    const network = { kind: 'leader', version: 'v', remotes: ['x'] } as const
    const { reader, state } = world([viewOf(0, { metadata: utf8Of(packMetadata('m', network)!) })])
    const answer = { taskUid: asTaskUid(4), error: null } as const
    state.answered(T0, { x: answer })
    expect(await reader.task(T0)).toMatchObject({
      customMetadata: 'm',
      network,
      remoteResults: { x: answer },
    })
  })

  it('shows its progress in the network until it has ended, or was canceled', async () => {
    const { reader, state } = world([viewOf(0)])
    const early = { moved: 1 }
    state.network.details.set(T0, early)
    expect((await reader.task(T0))!.details).toEqual(early)
    expect(await reader.enqueuedDetails(T0)).toEqual(early)
    setStatus(state, 0, 'canceled')
    state.batches.put({ ...batchOf(7, []), indexes: [] } as never)
    state.tasks.chunkOf(0).batch[0] = B(7)
    reader.rememberBatch(batchOf(7, []))
    expect((await reader.task(T0))!.details).toEqual(early)
    setStatus(state, 0, 'failed')
    expect((await reader.task(T0))!.details).toEqual({ names: [] })
  })

  it('can be shown as it was at a moment before its end', async () => {
    const { reader, end } = world([viewOf(0)])
    end(batchOf(7, [[0, '']]), 900)
    const moment = {
      status: STATUS.processing,
      batch: B(3),
      canceledBy: UID_NONE as never,
      startedAt: 4,
      finishedAt: Number.NaN,
    }
    expect(await reader.unfinishedTask(T0, moment)).toMatchObject({
      status: 'processing',
      batchUid: 3,
      startedAt: 4,
      finishedAt: null,
    })
    expect(await reader.unfinishedTask(T1, moment)).toBeNull()
    const finished = reader.unfinishedTask(T0, { ...moment, status: STATUS.succeeded })
    await expect(finished).rejects.toThrow('does not change')
  })
})

describe('the content of a task', () => {
  it('has present names of indexes', async () => {
    const { reader, state } = world([viewOf(0, { kind: NAMING, names: ['b'] }), viewOf(1)])
    expect(await reader.contentToRun(T0)).toEqual({ kind: 'naming', names: ['b'] })
    state.named.set(T0, [state.names.numberOf('c')])
    expect(await reader.contentToRun(T0)).toEqual({ kind: 'naming', names: ['c'] })
    expect(await reader.contentIfKnown(T0)).toEqual({ kind: 'naming', names: ['c'] })
    expect(await reader.enqueuedDetails(T0)).toEqual({ names: ['c'] })
    expect(reader.namesOf(T0)).toEqual(['c'])
    expect(await reader.contentIfKnown(T1)).toEqual({ kind: 'plain' })
    expect(await reader.contentIfKnown(T2)).toBeNull()
    await expect(reader.contentToRun(T2)).rejects.toThrow('not finished')
  })

  it('is unknown once the log was rewritten', async () => {
    const { reader, state, records } = world([viewOf(0), viewOf(1)])
    expect(await reader.enqueuedView(T0)).toMatchObject({ uid: 0 })
    setStatus(state, 0, 'succeeded')
    state.tasks.chunkOf(0).offset[0] = -700
    const error = { code: 'c', message: 'm' }
    records.set(700, rewritten({ details: '{"d":1}', error }))
    expect(await reader.contentIfKnown(T0)).toBeNull()
    expect(await reader.enqueuedView(T0)).toBeNull()
    expect(await reader.body(T0)).toBeNull()
    expect(await reader.task(T0)).toMatchObject({
      status: 'succeeded',
      details: { d: 1 },
      error: { code: 'c', message: 'm' },
    })
  })

  it('has a body while it waits, and its record until the log was rewritten', async () => {
    const inline = utf8Of('xy')
    const { reader, end, state, records } = world([
      viewOf(0, { kind: RETRIED, inline, bodyBytes: 2 }),
      viewOf(1),
    ])
    expect(await reader.body(T0)).toEqual({ file: null, inline, bytes: 2, documents: 0 })
    expect([await reader.body(T1), await reader.body(T2)]).toEqual([null, null])
    end(batchOf(7, [[0, '']]), 900)
    expect(await reader.body(T0)).toBeNull()
    expect(await reader.enqueuedView(T0)).toMatchObject({ uid: 0, kind: RETRIED, inline })
    expect(await reader.enqueuedView(T2)).toBeNull()
    state.tasks.chunkOf(0).offset[0] = -800
    records.set(800, rewritten({ details: null, error: null }))
    expect([await reader.enqueuedView(T0), await reader.body(T0)]).toEqual([null, null])
  })

  it('of a swap has present names also after a rewrite', async () => {
    const { reader, state, records } = world([viewOf(0)])
    setStatus(state, 0, 'succeeded')
    state.tasks.chunkOf(0).offset[0] = -700
    state.named.set(
      T0,
      ['x', 'y'].map((name) => state.names.numberOf(name)),
    )
    const details = '{"swaps":[{"indexes":["a","b"],"rename":true}]}'
    records.set(700, rewritten({ details, error: null }))
    expect((await reader.task(T0))!.details).toEqual({
      swaps: [{ indexes: ['x', 'y'], rename: true }],
    })
  })
})

describe('a batch', () => {
  it('is in memory until it is in the log, and cached from then on', async () => {
    const { reader, reads, end } = world([viewOf(0)])
    const batch = batchOf(7, [[0, '']])
    end(batch, null)
    expect(await reader.batchInfo(B(7)), 'it runs').toBeNull()
    reader.rememberBatch(batch)
    expect(await reader.batchInfo(B(7))).toEqual({ details: { d: 1 }, strategy: 's' })
    end(batch, 900)
    reader.batchSaved(batch, 10)
    expect(await reader.batchInfo(B(7))).toEqual({ details: { d: 1 }, strategy: 's' })
    expect(reads).toEqual([])
  })

  it('is read from the log once', async () => {
    const { reader, reads, end, state } = world([viewOf(0)])
    end(batchOf(7, [[0, '']]), 900)
    for (const _ of [1, 2]) expect(await reader.batchInfo(B(7))).toMatchObject({ strategy: 's' })
    expect(reads).toEqual([900])
    state.batches.remove(state.batches.find(B(7)))
    expect(await reader.batchInfo(B(7))).toBeNull()
  })

  it('that ended again is not lost when its first record is saved', async () => {
    const { reader, end } = world([viewOf(0)])
    const [first, second] = [batchOf(7, [[0, '']]), batchOf(7, [[0, '']])]
    end(second, null)
    reader.rememberBatch(first)
    reader.rememberBatch({ ...second, info: utf8Of('{"strategy":"second"}') })
    reader.batchSaved(first, 10)
    expect(await reader.batchInfo(B(7))).toEqual({ strategy: 'second' })
  })
})

it('reads wait while a rewritten log takes over', async () => {
  const { reader, reads, state, records } = world([viewOf(0, { kind: PLAIN })])
  reader.hold()
  let isDone = false
  const reading = reader.task(T0).then((task) => {
    isDone = true
    return task
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect([isDone, reads]).toEqual([false, []])
  state.tasks.chunkOf(0).offset[0] = 800
  records.set(800, records.get(1)!)
  reader.release()
  expect(await reading).toMatchObject({ uid: 0 })
  expect(reads).toEqual([800])
})
