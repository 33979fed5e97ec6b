// Tasks of a leader that remotes have not confirmed: their backlog and bodies, cancelations that
// ask the remotes, and rewrites of the log that wait for them.
import { describe, expect, it } from 'vitest'
import { asTaskUid, type TaskUid } from '../../../format/ids.ts'
import { RECORD_ANSWERS, RECORD_ENQUEUED, RECORD_KEPT } from '../../../format/tasks/index.ts'
import type { RemoteResult } from '../../network/records/index.ts'
import { allSucceeded } from '../batching/outcomes.ts'
import type { TaskRequest } from '../task-data/types.ts'
import type { TaskQueue } from './queue.ts'
import { MemoryTaskLog } from './test-memory-log.ts'
import {
  createsIndex,
  filterOf,
  imports,
  type Opened,
  openQueue,
  page,
  request,
  swaps,
  until,
} from './test-support.ts'

const NO_LIMITS = { tasksMax: 9, bytesMax: Number.POSITIVE_INFINITY }
const ACCEPTED: RemoteResult = { taskUid: asTaskUid(70), error: null }
const LATE: RemoteResult = {
  error: { message: 'm', code: 'remote_timeout', type: 'system', link: '' },
  isFinal: false,
}
const [FIRST, SECOND, THIRD] = [0, 1, 2].map(asTaskUid) as [TaskUid, TaskUid, TaskUid]

const sent = (one: TaskRequest, ...remotes: readonly string[]): TaskRequest => ({
  ...one,
  network: { kind: 'leader', version: 'v', remotes },
})

/** Returns an import with a body file; its documents have 10 bytes. */
const withFile = (file: number): TaskRequest => imports('a', [{ id: 1 }], { file })

/** Runs one batch: all tasks that wait in an index, or one cancelation. */
async function runOne({ lifecycle }: TaskQueue): Promise<void> {
  const plan = (await lifecycle.begin(() => null, NO_LIMITS))!
  const sealed = lifecycle.isOwnWork(plan)
    ? await lifecycle.sealOwn(plan)
    : await lifecycle.seal(plan, allSucceeded(plan))
  await lifecycle.settle(sealed, false)
}

/** A queue with an import for each number of a file, sent to the remotes `b` and `c`. */
async function openWith(...files: readonly number[]): Promise<Opened> {
  const opened = await openQueue()
  for (const file of files) {
    opened.bodies.files.add(file)
    await opened.queue.register(sent(withFile(file), 'b', 'c'))
  }
  return opened
}

const reopened = ({ log, bodies }: Opened): Promise<Opened> =>
  openQueue({ log: new MemoryTaskLog(log.disk), bodies })

describe('the backlog of a remote', () => {
  it('has the tasks that it has not confirmed, and the log from the oldest one', async () => {
    const { queue, log } = await openQueue()
    expect(queue.backlogs.of('b')).toEqual({ tasks: 0, logBytes: 0, fileBytes: 0 })
    await queue.register(sent(withFile(1), 'b'))
    const { bytes } = log
    await queue.register(sent(withFile(2), 'b', 'c'))
    expect(queue.backlogs.of('b')).toEqual({ tasks: 2, logBytes: log.bytes - 32, fileBytes: 20 })
    expect(queue.backlogs.of('c')).toEqual({ tasks: 1, logBytes: log.bytes - bytes, fileBytes: 10 })
    await queue.backlogs.answered(FIRST, 'b', ACCEPTED)
    await queue.backlogs.answered(SECOND, 'c', LATE)
    expect(['b', 'c', 'd'].map((remote) => queue.backlogs.of(remote).tasks)).toEqual([1, 1, 0])
    expect(queue.backlogs.of('b').logBytes).toBe(log.bytes - bytes)
  })

  it('holds the body of an ended task until every remote has confirmed it', async () => {
    const opened = await openWith(1, 2)
    const { queue, bodies } = opened
    await runOne(queue)
    await queue.sweepBodies()
    expect([...bodies.files]).toEqual([1, 2])
    await queue.backlogs.answered(FIRST, 'b', ACCEPTED)
    expect([...bodies.files]).toEqual([1, 2])
    await queue.backlogs.answered(FIRST, 'c', ACCEPTED)
    expect([...bodies.files]).toEqual([2])
    const { queue: again } = await reopened(opened)
    expect((await again.lists.task(FIRST, null))?.remoteResults).toEqual({
      b: ACCEPTED,
      c: ACCEPTED,
    })
    expect(again.upkeep.cut?.bodies).toEqual([2])
  })

  it('can be dropped, and is dropped again after a restart', async () => {
    const opened = await openWith(1, 2, 3)
    const { queue, bodies } = opened
    await runOne(queue)
    await queue.backlogs.drop('b', THIRD)
    expect([queue.backlogs.of('b').tasks, bodies.files.size]).toEqual([1, 3])
    await queue.backlogs.answered(THIRD, 'b', ACCEPTED)
    await queue.backlogs.drop('c', SECOND)
    expect([...bodies.files]).toEqual([2, 3])
    const { queue: again } = await reopened(opened)
    await again.backlogs.drop('c', THIRD)
    expect([again.backlogs.of('b').tasks, [...bodies.files]]).toEqual([2, [2, 3]])
    await again.backlogs.dropAgain()
    expect([again.backlogs.of('b').tasks, [...bodies.files]]).toEqual([0, [3]])
  })

  it('forgets the answers to a deleted task', async () => {
    const opened = await openWith(1)
    const { queue, log } = opened
    await runOne(queue)
    for (const remote of ['b', 'c']) await queue.backlogs.answered(FIRST, remote, ACCEPTED)
    await queue.registerDeletion(filterOf({ uids: [0] }), '?', null)
    await runOne(queue)
    expect(log.disk.entries.filter(({ type }) => type === RECORD_ANSWERS)).toHaveLength(2)
    const again = await reopened(opened)
    expect(await again.queue.lists.task(FIRST, null)).toBeNull()
    await again.queue.upkeep.rewrite()
    expect(again.log.disk.entries.some(({ type }) => type === RECORD_ANSWERS)).toBe(false)
  })
})

describe('a deletion', () => {
  it('keeps a task that a remote has not confirmed', async () => {
    const { queue } = await openWith(1, 2)
    await runOne(queue)
    for (const remote of ['b', 'c']) await queue.backlogs.answered(SECOND, remote, ACCEPTED)
    await queue.registerDeletion(filterOf({ uids: [0, 1] }), '?', null)
    await runOne(queue)
    const { results } = await queue.lists.tasks(filterOf({}), page(), null)
    expect(results.map(({ uid }) => uid)).toEqual([2, 0])
  })
})

describe('a cancelation', () => {
  /** Cancels tasks; `tooLate` have run on remotes. Returns the tasks that remotes were asked about. */
  async function canceled({ queue }: Opened, uids: readonly number[], tooLate: readonly TaskUid[]) {
    const asked: (readonly TaskUid[])[] = []
    queue.lifecycle.onCanceling = async (given) => {
      asked.push(given)
      return new Set(tooLate)
    }
    await queue.registerCancelation(filterOf({ uids }), '?', null)
    await runOne(queue)
    return asked
  }
  const statuses = async ({ queue }: Opened) =>
    (await queue.lists.tasks(filterOf({}), page({ reverse: true }), null)).results.map(
      ({ status }) => status,
    )

  it('asks about the tasks that remotes may have, and spares those that ran there', async () => {
    const opened = await openWith(1, 2)
    await opened.queue.register(createsIndex('z'))
    expect(await canceled(opened, [0, 1, 2], [SECOND])).toEqual([[0, 1]])
    expect(await statuses(opened)).toEqual(['canceled', 'enqueued', 'canceled', 'succeeded'])
    expect(await opened.queue.lists.task(asTaskUid(3), null)).toMatchObject({
      details: { canceledTasks: 2 },
    })
  })

  it('asks about no task that has ended, or that no remote can have', async () => {
    const opened = await openWith(1)
    await runOne(opened.queue)
    await opened.queue.register(createsIndex('z'))
    expect(await canceled(opened, [0, 1], [])).toEqual([])
    expect(await statuses(opened)).toEqual(['succeeded', 'canceled', 'succeeded'])
  })

  it('cancels the task on remotes too, and needs its body no longer', async () => {
    const opened = await openWith(1)
    await canceled(opened, [0], [])
    const { unconfirmed } = opened.queue.network
    expect([...opened.bodies.files]).toEqual([])
    expect(unconfirmed.canceledDue('b', 9)).toEqual([0])
    expect(unconfirmed.oldestDue('b')).toBe(-1)
  })

  it('of a topology change is for later changes on other instances', async () => {
    const opened = await openQueue()
    const change = request(null, { kind: 'networkTopologyChange', change: {} })
    await opened.queue.register(sent(change, 'b'))
    expect(await canceled(opened, [0], [])).toEqual([[0]])
    expect(await statuses(opened)).toEqual(['canceled', 'succeeded'])
    const { unconfirmed } = opened.queue.network
    expect([unconfirmed.canceledDue('b', 9), unconfirmed.oldestDue('b')]).toEqual([[], 0])
  })

  it('comes too late for a topology change that is committed', async () => {
    const opened = await openQueue()
    const change = request(null, { kind: 'networkTopologyChange', change: {} })
    await opened.queue.register(sent(change, 'b'))
    opened.queue.network.committed = 0
    expect(await canceled(opened, [0], [])).toEqual([])
    expect(await statuses(opened)).toEqual(['enqueued', 'succeeded'])
    expect(opened.queue.network.unconfirmed.oldestDue('b')).toBe(0)
  })
})

describe('a rewrite of the log', () => {
  const types = ({ log }: Opened) => log.disk.entries.map(({ type }) => type)
  const isKept = (opened: Opened): boolean => types(opened).includes(RECORD_KEPT)

  it('waits until remotes have confirmed the tasks that have ended', async () => {
    const opened = await openWith(1)
    const { queue } = opened
    await queue.register(sent(createsIndex('z'), 'b'))
    await runOne(queue)
    let isDone = false
    const rewriting = queue.upkeep.rewrite().then(() => {
      isDone = true
    })
    for (const remote of ['b', 'c']) {
      await new Promise((resolve) => setImmediate(resolve))
      expect([isDone, isKept(opened), queue.upkeep.cut]).toEqual([false, false, null])
      await queue.backlogs.answered(FIRST, remote, ACCEPTED)
    }
    await rewriting
    expect(types(opened).filter((type) => type === RECORD_KEPT)).toHaveLength(1)
    expect(types(opened).filter((type) => type === RECORD_ENQUEUED)).toHaveLength(1)
    expect((await queue.lists.task(FIRST, null))?.remoteResults).toEqual({
      b: ACCEPTED,
      c: ACCEPTED,
    })
    const again = await reopened(opened)
    expect(again.queue.network.unconfirmed.oldestDue('b')).toBe(1)
  })

  it('requests that ended tasks are published, and waits for no other ones', async () => {
    const published: number[] = []
    const unpublished = {
      from: SECOND,
      publish: () => {
        published.push(unpublished.from)
        unpublished.from = asTaskUid(unpublished.from + 1)
      },
    }
    const opened = await openQueue({ unpublished })
    for (const name of ['x', 'y', 'z', 'w']) await opened.queue.register(createsIndex(name))
    for (let batch = 0; batch < 3; batch++) await runOne(opened.queue)
    await opened.queue.upkeep.rewrite()
    expect(published).toEqual([1, 2])
    expect(types(opened).filter((type) => type === RECORD_KEPT)).toHaveLength(3)
  })

  it('ends early when the queue closes', async () => {
    const opened = await openWith(1)
    await runOne(opened.queue)
    const rewriting = opened.queue.upkeep.rewrite()
    await opened.queue.upkeep.close()
    await rewriting
    expect(isKept(opened)).toBe(false)
  })

  it('is tried again only when the remote that it waited for has answered', async () => {
    const opened = await openQueue({ rewriteBytesMin: 1000 })
    const { queue } = opened
    const { lifecycle, upkeep } = queue
    await queue.register(sent(imports('a', [{ id: 'x'.repeat(3000) }]), 'b'))
    await runOne(queue)
    upkeep.maintain()
    expect(upkeep.cut).toBeNull()
    // An exchange of names ends the rewrite.
    await queue.register(swaps(['p', 'q']))
    const plan = (await lifecycle.begin(() => null, NO_LIMITS))!
    const result = { ...allSucceeded(plan), swapped: [['p', 'q'] as const] }
    await lifecycle.settle(await lifecycle.seal(plan, result), false)
    await until(() => upkeep.cut !== null)
    upkeep.maintain()
    expect(upkeep.cut).not.toBeNull()
    await queue.backlogs.answered(FIRST, 'b', ACCEPTED)
    upkeep.maintain()
    expect(upkeep.cut).toBeNull()
    await until(() => isKept(opened))
    expect(opened.reports).toEqual([])
  })
})
