// The queue from its clients' side: accepted tasks, limits, bodies.
import { describe, expect, it } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import { EngineFault, StorageError } from '../../model/index.ts'
import type { TaskRequest } from '../task-data/types.ts'
import { MemoryTaskLog } from './test-memory-log.ts'
import {
  createsIndex,
  deletesIds,
  deletesIndex,
  exports,
  filterOf,
  imports,
  openQueue,
  openRunning,
  page,
  runAll,
  START,
  swaps,
  untilProcessing,
} from './test-support.ts'

it('a repeated task of another instance is the one it created, unless it is another task', async () => {
  const { queue } = await openQueue()
  const origin = { remoteName: 'a', taskUid: asTaskUid(7), networkVersion: 'v' }
  const network = { kind: 'origin', origin } as const
  const sent = (request: TaskRequest, isRepeated = true) =>
    queue.register({ ...request, network, registration: { uid: null, isDry: false, isRepeated } })
  const first = await sent(imports('mine', [{ id: 1 }]), false)
  expect((await sent(imports('mine', [{ id: 1 }]))).uid).toBe(first.uid)
  // The number was used by a sender that knew it before the leader used it.
  const other = await sent(imports('payroll', [{ id: 1 }]))
  expect(other.uid).toBe(first.uid + 1)
  expect((await sent(deletesIndex('payroll'))).uid).toBe(first.uid + 2)
  expect((await sent(deletesIndex('payroll'))).uid).toBe(first.uid + 2)
})

describe('register', () => {
  it('returns the accepted task, with uids from 0', async () => {
    const { queue } = await openQueue()
    const first = await queue.register({ ...imports('pens', [{ id: 1 }]), customMetadata: 'm' })
    expect(first).toEqual({
      uid: 0,
      indexUid: 'pens',
      status: 'enqueued',
      kind: 'documentAdditionOrUpdate',
      enqueuedAt: START + 1000,
      customMetadata: 'm',
    })
    expect((await queue.register(swaps(['a', 'b']))).uid).toBe(1)
    expect(await queue.lists.task(asTaskUid(0), null)).toEqual({
      ...first,
      batchUid: null,
      canceledBy: null,
      details: { receivedDocuments: 1, indexedDocuments: null },
      error: null,
      startedAt: null,
      finishedAt: null,
    })
    expect(await queue.lists.task(asTaskUid(2), null)).toBeNull()
  })

  it('shows a task only when its record is durable', async () => {
    const log = new MemoryTaskLog()
    log.isHeld = true
    const { queue } = await openQueue({ log })
    let isAccepted = false
    const accepted = queue.register(createsIndex('a')).then(() => {
      isAccepted = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(isAccepted).toBe(false)
    expect(await queue.lists.task(asTaskUid(0), null)).toBeNull()
    log.flush()
    await accepted
    expect(await queue.lists.task(asTaskUid(0), null)).not.toBeNull()
  })

  it('shares syncs among concurrent tasks', async () => {
    const { queue, log } = await openQueue()
    const tasks = await Promise.all(
      Array.from({ length: 10_000 }, (_, i) => queue.register(imports(`i${i % 7}`, [{ id: i }]))),
    )
    expect(tasks.map(({ uid }) => uid)).toEqual(Array.from({ length: 10_000 }, (_, i) => i))
    expect(log.groups).toBeLessThan(10)
    expect(queue.lists.counts().statuses.enqueued).toBe(10_000)
  })

  it('rethrows an error of the log and does not reuse the uid', async () => {
    const { queue, log } = await openQueue()
    log.failure = new StorageError('no_space', 'tasks', 'No space left on device')
    await expect(queue.register(createsIndex('a'))).rejects.toThrow(StorageError)
    log.failure = null
    expect((await queue.register(createsIndex('a'))).uid).toBe(1)
    const { results, total } = await queue.lists.tasks(filterOf({}), page(), null)
    expect([results.map(({ uid }) => uid), total]).toEqual([[1], 1])
  })

  it('refuses writes when the queue is full, except tasks that free space', async () => {
    const { queue } = await openQueue({ queueBytesMax: 200 })
    for (let i = 0; i < 4; i++) await queue.register(createsIndex('a'))
    const refused = queue.register(createsIndex('a'))
    await expect(refused).rejects.toThrow(EngineFault)
    await expect(refused).rejects.toMatchObject({
      code: 'no_space_left_on_device',
      message:
        'Svc cannot receive write operations because the limit of the task database has been ' +
        'reached. Please delete tasks to continue performing write operations.',
    })
    await expect(
      queue.registerDeletion(filterOf({ uids: [asTaskUid(99)] }), '?', null),
    ).rejects.toThrow()
    expect((await queue.registerDeletion(filterOf({ uids: [asTaskUid(1)] }), '?', null)).uid).toBe(
      4,
    )
  })
})

describe('too many tasks', () => {
  const limits = { taskCountMax: 6, autoDeletionCount: 4 }

  it('deletes the oldest finished ones', async () => {
    const running = await openRunning({ queueOptions: limits })
    await runAll(
      running,
      [1, 2, 3, 4, 5].map((i) => createsIndex(`i${i}`)),
    )
    expect(running.queue.lists.counts().statuses.succeeded).toBe(5)
    await runAll(running, [createsIndex('i6')])
    const { results } = await running.queue.lists.tasks(filterOf({}), page(), null)
    expect(results.map(({ uid }) => uid)).toEqual([6, 5, 4])
    expect(results[0]).toMatchObject({
      kind: 'taskDeletion',
      details: { matchedTasks: 4, deletedTasks: 4 },
    })
    expect(results[0]!.details!['originalFilter']).toMatch(
      /^\?beforeEnqueuedAt=2024-08-08T09:01:13\.\d{6}001Z&statuses=succeeded,failed,canceled$/,
    )
  })

  it('reports when none can be deleted', async () => {
    const { queue, reports } = await openQueue(limits)
    for (let i = 0; i < 6; i++) await queue.register(createsIndex('a'))
    expect(await queue.deleteOldTasks()).toBeNull()
    expect(reports).toEqual(['The task queue is almost full, but no task can be deleted yet.'])
  })
})

describe('bodies', () => {
  it('are removed when their task has finished, unused ones at start', async () => {
    const { queue, log, bodies } = await openQueue()
    for (const file of [1, 2, 3]) bodies.files.add(file)
    await queue.register(imports('a', [{ id: 1 }], { file: 1 }))
    await queue.register(imports('b', [{ id: 1 }], { file: 2 }))
    await queue.sweepBodies()
    expect([...bodies.files]).toEqual([1, 2])
    await queue.registerCancelation(filterOf({ uids: [asTaskUid(0)] }), '?', null)
    const { lifecycle } = queue
    const plan = (await lifecycle.begin(() => null, { tasksMax: 10, bytesMax: 10 }))!
    await lifecycle.settle(await lifecycle.sealOwn(plan), false)
    expect([...bodies.files]).toEqual([2])
    await queue.close()

    const again = await openQueue({ log: new MemoryTaskLog(log.disk), bodies })
    bodies.files.add(1)
    await again.queue.sweepBodies()
    expect([...bodies.files]).toEqual([2])
  })

  it('can be read until their task has finished', async () => {
    const running = await openRunning()
    const { queue, scheduler } = running
    await queue.register(exports())
    await untilProcessing(queue)
    await queue.register(imports('pens', [{ id: 1 }]))
    const body = await queue.lists.body(asTaskUid(1), null)
    expect(new TextDecoder().decode(body!.inline!)).toBe('[{"id":1}]')
    expect(await queue.lists.body(asTaskUid(1), () => false)).toBeNull()
    expect(await queue.lists.body(asTaskUid(0), null)).toBeNull()
    expect(await queue.lists.body(asTaskUid(9), null)).toBeNull()
    await queue.registerCancelation(filterOf({ uids: [asTaskUid(0)] }), '?', null)
    await scheduler.idle()
    expect(await queue.lists.body(asTaskUid(1), null)).toBeNull()
  })

  it('reports one that cannot be removed', async () => {
    const { queue, bodies, reports } = await openQueue()
    bodies.files.add(9)
    bodies.failing = true
    await queue.sweepBodies()
    expect(reports).toHaveLength(1)
  })
})

describe('deletions by ids', () => {
  it('know their count without decoding ids', async () => {
    const { queue, log } = await openQueue()
    await queue.register(deletesIds('a', ['x', 'y', 'x']))
    await queue.close()
    const again = await openQueue({ log: new MemoryTaskLog(log.disk) })
    expect(await again.queue.lists.task(asTaskUid(0), null)).toMatchObject({
      details: { providedIds: 3, deletedDocuments: null, originalFilter: null },
    })
  })
})
