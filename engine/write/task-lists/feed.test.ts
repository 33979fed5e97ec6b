// Changes of tasks and batches as a follower of the queue gets them.
import { expect, test, vi } from 'vitest'
import { asBatchUid } from '../../../format/ids.ts'
import type { Visibility } from '../../model/index.ts'
import { FEED_PROGRESS_MS, FEED_TASKS_MAX } from '../task-data/limits.ts'
import { TaskReader } from '../task-data/reader.ts'
import type { Batch } from '../task-data/types.ts'
import {
  createsIndex,
  exports,
  filterOf,
  imports,
  openQueue,
  openRunning,
  type Running,
  swaps,
  untilProcessing,
} from '../tasks/test-support.ts'
import type { FeedEvent, FeedFollower } from './feed.ts'

function follower(visible: Visibility = null) {
  const tasks: (readonly [uid: number, status: string, batch: number | null])[] = []
  const batches: (readonly [uid: number, hasEnded: boolean])[] = []
  let losses = 0
  const event = (one: FeedEvent): void => {
    if (!one.isVisible(visible)) return
    if (one.kind === 'task') tasks.push([one.task.uid, one.task.status, one.task.batchUid])
    else batches.push([one.batch.uid, one.batch.finishedAt !== null])
  }
  const made: FeedFollower = { event, lost: () => losses++ }
  return { made, tasks, batches, losses: () => losses }
}

async function finish({ queue, scheduler }: Running): Promise<void> {
  await scheduler.idle()
  await queue.feed.idle()
}

test('each status comes once, as it was, although the task has ended when it is read', async () => {
  const running = await openRunning()
  const { made, tasks, batches } = follower()
  running.queue.feed.follow(made)
  await Promise.all([
    running.queue.register(imports('a', [{ id: 1 }])),
    running.queue.register(imports('a', [{ id: 2 }])),
  ])
  await finish(running)
  for (const uid of [0, 1]) {
    expect(tasks.filter(([of]) => of === uid)).toEqual([
      [uid, 'enqueued', null],
      [uid, 'processing', 0],
      [uid, 'succeeded', 0],
    ])
  }
  expect(batches).toEqual([
    [0, false],
    [0, true],
  ])
})

test('a restricted follower gets the tasks and batches of its indexes', async () => {
  const running = await openRunning()
  const { made, tasks, batches } = follower((uid) => uid === 'a')
  running.queue.feed.follow(made)
  for (const one of [createsIndex('a'), createsIndex('b'), swaps(['a', 'b'])]) {
    await running.queue.register(one)
    await finish(running)
  }
  expect(tasks.map(([, status]) => status)).toEqual(['enqueued', 'processing', 'succeeded'])
  expect(new Set(batches.map(([uid]) => uid))).toEqual(new Set([0]))
})

test('changes beyond the limit are lost, and later ones come', async () => {
  const { queue } = await openQueue()
  await queue.register(createsIndex('a'))
  const { made, tasks, losses } = follower()
  queue.feed.follow(made)
  queue.feed.enqueued(new Uint32Array(FEED_TASKS_MAX))
  queue.feed.enqueued([0])
  await queue.feed.idle()
  expect([losses(), tasks]).toEqual([1, []])
  queue.feed.enqueued([0])
  await queue.feed.idle()
  expect(tasks).toEqual([[0, 'enqueued', null]])
})

test('nothing comes after the follower has left', async () => {
  const running = await openRunning()
  const { made, tasks } = follower()
  running.queue.feed.follow(made)
  await running.queue.register(createsIndex('a'))
  running.queue.feed.follow(null)
  await finish(running)
  expect(tasks).toEqual([])
})

test('a running batch reports its state at most once per pause, and not after its end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const running = await openRunning()
    const { queue, scheduler } = running
    await queue.register(exports())
    await untilProcessing(queue)
    const view = await queue.lists.batch(asBatchUid(0), null)
    let views = 0
    const progress = (of: Batch | null = view) =>
      queue.feed.progressed(asBatchUid(0), () => {
        views++
        return of
      })
    // There is no follower.
    progress()
    const { made, batches } = follower()
    queue.feed.follow(made)
    for (let i = 0; i < 3; i++) progress()
    expect(views).toBe(0)
    await vi.advanceTimersByTimeAsync(FEED_PROGRESS_MS)
    await queue.feed.idle()
    expect([views, batches]).toEqual([1, [[0, false]]])
    progress(null)
    await vi.advanceTimersByTimeAsync(FEED_PROGRESS_MS)
    await queue.feed.idle()
    expect([views, batches.length]).toEqual([2, 1])
    progress()
    queue.feed.follow(null)
    await vi.advanceTimersByTimeAsync(FEED_PROGRESS_MS)
    expect(views).toBe(2)
    await queue.registerCancelation(filterOf({}), '?', null)
    await scheduler.idle()
  } finally {
    vi.useRealTimers()
  }
})

test('changes that cannot be read are lost, with a report, and later ones come', async () => {
  const { queue, reports } = await openQueue()
  await queue.register(createsIndex('a'))
  const { made, tasks, losses } = follower()
  queue.feed.follow(made)
  const read = vi.spyOn(TaskReader.prototype, 'unfinishedTask')
  read.mockRejectedValueOnce(new Error('no'))
  queue.feed.enqueued([0])
  await queue.feed.idle()
  read.mockRestore()
  expect([losses(), tasks]).toEqual([1, []])
  expect(reports).toEqual(['Changes of tasks could not be read for their listeners.'])
  queue.feed.enqueued([0])
  await queue.feed.idle()
  expect(tasks).toEqual([[0, 'enqueued', null]])
})

test('exactly so many changes may wait', async () => {
  const { queue } = await openQueue()
  const { made, losses } = follower()
  queue.feed.follow(made)
  queue.feed.enqueued(new Uint32Array(FEED_TASKS_MAX).fill(7))
  expect(losses()).toBe(0)
  queue.feed.enqueued([7])
  expect(losses()).toBe(1)
})
