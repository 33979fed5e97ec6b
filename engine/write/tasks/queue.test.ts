// The queue from its clients' side: accepted tasks, limits, bodies.
import { describe, expect, it, vi } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import { EngineFault, StorageError } from '../../model/index.ts'
import {
  AUTO_DELETION_COUNT_MIN,
  INLINE_BODY_BYTES_MAX,
  INLINE_BODY_BYTES_MAX_CROWDED,
  LOG_BYTES_MAX,
  TASK_UID_MAX,
} from '../task-data/limits.ts'
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

  it('takes a requested uid, if it was not given before', async () => {
    const { queue } = await openQueue()
    const at = (uid: number | null, isDry = false) =>
      queue.register({
        ...createsIndex('a'),
        registration: { uid: uid === null ? null : asTaskUid(uid), isDry },
      })
    expect((await at(7)).uid).toBe(7)
    await expect(at(7)).rejects.toMatchObject({
      code: 'bad_request',
      message: 'Received bad task id: 7 should be >= to 8.',
    })
    expect([(await at(8)).uid, queue.nextTask]).toEqual([8, 9])
    expect(await at(12, true)).toMatchObject({ uid: 12, indexUid: 'a', status: 'enqueued' })
    expect([queue.nextTask, queue.lists.counts().statuses.enqueued]).toEqual([9, 2])
    expect((await at(TASK_UID_MAX)).uid).toBe(TASK_UID_MAX)
    await expect(at(null)).rejects.toMatchObject({ code: 'no_space_left_on_device' })
  })

  it('of a dry cancelation or deletion changes nothing', async () => {
    const { queue } = await openQueue()
    await queue.register(createsIndex('a'))
    await queue.lifecycle.begin(() => null, { tasksMax: 1, bytesMax: 1 })
    const [running] = queue.lifecycle.running
    const registered = vi.spyOn(queue.lifecycle, 'registered')
    const filter = filterOf({ uids: [0] })
    const dry = { uid: null, isDry: true }
    expect((await queue.registerCancelation(filter, '?', null, dry)).uid).toBe(1)
    expect((await queue.registerDeletion(filter, '?', null, dry)).uid).toBe(1)
    expect([running!.controller.signal.aborted, queue.nextTask]).toEqual([false, 1])
    expect(registered).not.toHaveBeenCalled()
  })

  it('refuses every task of a queue that only reads, and copies of canceled ones', async () => {
    const reader = await openQueue({ refusal: () => new EngineFault('bad_request', 'reads only') })
    await expect(reader.queue.register(createsIndex('a'))).rejects.toThrow('reads only')
    const { queue } = await openQueue()
    const origin = { remoteName: 'l', taskUid: asTaskUid(7), networkVersion: 'v' }
    queue.network.refuse(origin)
    const copy = (taskUid: number) => {
      const network = {
        kind: 'origin',
        origin: { ...origin, taskUid: asTaskUid(taskUid) },
      } as const
      return queue.register({ ...createsIndex('a'), network })
    }
    await expect(copy(7)).rejects.toMatchObject({ code: 'bad_request' })
    expect((await copy(8)).uid).toBe(0)
  })

  it('wakes the scheduler, and tells that a task was registered', async () => {
    const { queue } = await openQueue()
    const calls: string[] = []
    queue.onWaiting = () => void calls.push('wake')
    queue.onRegistered = () => void calls.push('registered')
    await queue.register(createsIndex('a'))
    expect(calls).toEqual(['wake', 'registered'])
    queue.wake()
    expect(calls).toHaveLength(3)
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

describe('a full log', () => {
  it('stores smaller bodies inside records from a quarter on', async () => {
    const { queue, log } = await openQueue({ queueBytesMax: 128 })
    expect([queue.usedBytes, queue.inlineBytesMax]).toEqual([32, INLINE_BODY_BYTES_MAX])
    await queue.register(createsIndex('a'))
    expect(queue.usedBytes).toBe(log.bytes)
    expect(queue.inlineBytesMax).toBe(INLINE_BODY_BYTES_MAX_CROWDED)
  })

  it('refuses writes at its whole length, garbage included', async () => {
    const log = new MemoryTaskLog()
    const { queue } = await openQueue({ log, queueBytesMax: Number.POSITIVE_INFINITY })
    const bytes = vi.spyOn(log, 'bytes', 'get').mockReturnValue(LOG_BYTES_MAX)
    await queue.register(createsIndex('a'))
    bytes.mockReturnValue(LOG_BYTES_MAX + 1)
    await expect(queue.register(createsIndex('a'))).rejects.toMatchObject({
      code: 'no_space_left_on_device',
    })
    await queue.registerDeletion(filterOf({ uids: [0] }), '?', null)
  })

  it('has about the used bytes after a rewrite', async () => {
    const running = await openRunning()
    const { queue, log } = running
    const large = imports('a', [{ id: 'x'.repeat(3000) }])
    await runAll(running, [large, large, large])
    /** Rewrites the log; returns the bytes by which the estimate was wrong. */
    const rewritten = async (): Promise<number> => {
      const used = queue.usedBytes
      await queue.upkeep.rewrite()
      expect(queue.usedBytes).toBe(log.bytes)
      return Math.abs(used - log.bytes)
    }
    expect(await rewritten()).toBeLessThan(100)
    await queue.registerDeletion(filterOf({ uids: [1, 2] }), '?', null)
    await running.scheduler.idle()
    expect(await rewritten()).toBeLessThan(30)
    await runAll(running, [large])
    await queue.registerDeletion(filterOf({ uids: [4] }), '?', null)
    await running.scheduler.idle()
    expect(await rewritten()).toBeLessThan(30)
  })

  it('tells its length before and after a rewrite', async () => {
    const running = await openRunning()
    const { log, queue } = running
    await runAll(running, [imports('a', [{ id: 'x'.repeat(3000) }])])
    const before = log.bytes
    expect(await queue.upkeep.compact()).toEqual({ before, after: log.bytes })
    expect(log.bytes).toBeLessThan(before)
  })

  it('is copied up to the tasks that are accepted', async () => {
    const { queue, log } = await openQueue()
    expect(queue.upkeep.cut).toEqual({ bytes: log.bytes, nextTask: 0, bodies: [] })
    await queue.register(imports('a', [{ id: 1 }], { file: 3 }))
    const { bytes } = log
    log.isHeld = true
    const accepted = queue.register(createsIndex('a'))
    expect(queue.upkeep.cut).toEqual({ bytes, nextTask: 1, bodies: [3] })
    log.flush()
    await accepted
    expect(queue.upkeep.cut).toEqual({ bytes: log.bytes, nextTask: 2, bodies: [3] })
    expect(queue.lastBodyFile).toBe(3)
  })
})

describe('tasks that are held', () => {
  it('run only when they are released; a running batch with one of them waits again', async () => {
    const { queue } = await openQueue()
    let wakes = 0
    for (const name of ['a', 'a', 'b']) await queue.register(imports(name, [{ id: 1 }]))
    queue.onWaiting = () => wakes++
    const limits = { tasksMax: 1, bytesMax: 100 }
    const plan = (await queue.lifecycle.begin(() => null, limits))!
    let isHeld = false
    const holding = queue.hold([0, 9].map(asTaskUid), 1e6).then(() => {
      isHeld = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect([isHeld, queue.lifecycle.running[0]!.controller.signal.aborted]).toEqual([false, true])
    queue.lifecycle.requeue(plan.uid)
    await holding
    expect(await queue.lifecycle.begin(() => null, limits)).toBeNull()
    queue.release([1, 9].map(asTaskUid))
    expect(wakes).toBe(0)
    queue.release([0, 1].map(asTaskUid))
    expect(wakes).toBe(1)
    expect((await queue.lifecycle.begin(() => null, limits))?.tasks[0]?.uid).toBe(0)
  })

  it('are released after some time', async () => {
    const { queue } = await openQueue()
    await queue.register(createsIndex('a'))
    const woken = new Promise<void>((resolve) => {
      queue.onWaiting = resolve
    })
    await queue.hold([asTaskUid(0)], 1)
    await woken
    expect(queue.network.held.size).toBe(0)
  })
})

describe('a task', () => {
  it('may be shown as processing before its batch begins, and as enqueued again', async () => {
    const { queue } = await openQueue()
    await queue.register(createsIndex('a'))
    const [uid, other] = [asTaskUid(0), asTaskUid(1)]
    const began = vi.spyOn(queue.feed, 'began')
    const enqueued = vi.spyOn(queue.feed, 'enqueued')
    queue.beginEarly(other)
    queue.beginEarly(uid)
    queue.beginEarly(uid)
    expect(await queue.lists.task(uid, null)).toMatchObject({
      status: 'processing',
      batchUid: null,
      startedAt: START + 3000,
    })
    expect(began.mock.calls).toEqual([[[uid], null, START + 3000]])
    queue.endEarly(uid)
    queue.endEarly(uid)
    expect(await queue.lists.task(uid, null)).toMatchObject({ status: 'enqueued', startedAt: null })
    expect(enqueued.mock.calls).toEqual([[[uid]]])
  })

  it('has changes of indexes before it, and has run or not', async () => {
    const running = await openRunning()
    const { queue } = running
    expect(queue.hasIndexTasksBefore(asTaskUid(9))).toBe(false)
    await runAll(running, [createsIndex('a'), createsIndex('a')])
    expect([0, 1, 2].map((uid) => queue.hasRun(asTaskUid(uid)))).toEqual([true, false, true])
    await queue.register(exports())
    await queue.register(createsIndex('b'))
    expect([2, 3, 4].map((uid) => queue.hasIndexTasksBefore(asTaskUid(uid)))).toEqual([
      false,
      false,
      true,
    ])
    await running.scheduler.close()
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
    for (let i = 0; i < 2; i++) expect(await queue.deleteOldTasks()).toBeNull()
    expect(reports).toEqual(['The task queue is almost full, but no task can be deleted yet.'])
  })

  it.each([
    [AUTO_DELETION_COUNT_MIN - 1, null],
    [AUTO_DELETION_COUNT_MIN, expect.objectContaining({ kind: 'taskDeletion' })],
  ])('deletes no fewer than its own task and one more: %i', async (autoDeletionCount, task) => {
    const running = await openRunning()
    await runAll(running, [createsIndex('a'), createsIndex('b'), createsIndex('c')])
    const { queue } = await openQueue({ taskCountMax: 3, autoDeletionCount, log: running.log })
    expect(await queue.deleteOldTasks()).toEqual(task)
  })

  it('has one deletion at a time, and none below the limit', async () => {
    const running = await openRunning()
    await runAll(
      running,
      [1, 2, 3, 4, 5].map((i) => createsIndex(`i${i}`)),
    )
    const { queue } = await openQueue({ ...limits, log: running.log })
    expect(await queue.deleteOldTasks()).toBeNull()
    await queue.register(createsIndex('i6'))
    expect(await queue.deleteOldTasks()).toMatchObject({ uid: 6, kind: 'taskDeletion' })
    expect(await queue.deleteOldTasks()).toBeNull()
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

  it('reports one that cannot be removed, and no error of ours', async () => {
    const { queue, bodies, reports } = await openQueue()
    bodies.files.add(9)
    bodies.failing = true
    await queue.sweepBodies()
    expect(reports).toHaveLength(1)
    bodies.remove = () => Promise.reject(new TypeError('ours'))
    await expect(queue.sweepBodies()).rejects.toThrow('ours')
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
