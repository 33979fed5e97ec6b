// The queue on files: the power fails at every step of its work, on a disk that forgets unsynced
// data.

import { describe, expect, it } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import { TASKS } from '../../store/catalog/index.ts'
import { RotatingLog } from '../../store/logs/index.ts'
import { PowerOff } from '../../store/storage/fake-failures.ts'
import { FakeDisk, randomOf } from '../../store/storage/index.ts'
import { taskKinds } from '../../task-kinds/index.ts'
import { allSucceeded } from '../batching/outcomes.ts'
import type { BatchPlan } from '../batching/plan.ts'
import type { TaskStatus } from '../task-data/types.ts'
import { TaskQueue } from './queue.ts'
import {
  createsIndex,
  deletesIds,
  filterOf,
  imports,
  MemoryBodies,
  setsSettings,
  steppingClock,
} from './test-support.ts'

const NO_LIMITS = { tasksMax: 4, bytesMax: Number.POSITIVE_INFINITY }
const ALL = { from: null, limit: 1000, reverse: true }

function newDisk(seed: number): FakeDisk {
  const disk = new FakeDisk(seed)
  const fs = disk.mount()
  fs.makeDirectory(TASKS)
  fs.syncDirectory('')
  return disk
}

async function openOn(disk: FakeDisk): Promise<TaskQueue> {
  const fs = disk.mount()
  return TaskQueue.open({
    kinds: taskKinds,
    log: await RotatingLog.open(fs, {
      folder: TASKS,
      name: 'tasks',
      kind: 'TASK',
      drawLogSalt: () => 7,
    }),
    bodies: new MemoryBodies(),
    now: steppingClock(),
    report: () => undefined,
  })
}

/** Whether small batches ended before those that they ran beside. */
const besides = new Set<boolean>()

/** The states that clients have seen; `null`: deleted. */
type Acknowledged = Map<number, TaskStatus | null>

async function workOn(queue: TaskQueue, acknowledged: Acknowledged, seed: number): Promise<void> {
  const random = randomOf(seed)
  const requests = [
    imports('a', [{ id: 1, text: 'x'.repeat(600) }]),
    deletesIds('a', ['1']),
    setsSettings('b', { stopWords: ['the'] }),
    imports('c', [{ id: 1 }]),
    createsIndex('c'),
  ]
  for (let round = 0; round < 8; round++) {
    const together = Array.from({ length: 1 + random.below(4) }, () =>
      queue.register(requests[random.below(requests.length)]!).then(({ uid }) => {
        acknowledged.set(uid, 'enqueued')
      }),
    )
    const failed = (await Promise.allSettled(together)).find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
    if (random.below(4) === 0) await queue.upkeep.rewrite()
    if (random.below(3) === 0) {
      const { uid } = await queue.registerDeletion(
        filterOf({ uids: [asTaskUid(0), asTaskUid(3), asTaskUid(7)] }),
        '?',
        null,
      )
      acknowledged.set(uid, 'enqueued')
    }
    await runBatches(queue, acknowledged, round % 2 === 0)
  }
}

/** Runs a batch and, if there is one, a small one beside it. */
async function runBatches(
  queue: TaskQueue,
  acknowledged: Acknowledged,
  endsFirst: boolean,
): Promise<void> {
  const { lifecycle } = queue
  const plan = await lifecycle.begin(() => null, NO_LIMITS)
  if (plan === null) return
  const isAlone = lifecycle.mayHaveBeside === 'never'
  const small = isAlone
    ? null
    : await lifecycle.beginBeside(() => ({ primaryKey: null }), NO_LIMITS)
  if (small !== null) besides.add(endsFirst)
  if (small !== null && endsFirst) await endBatch(queue, small, acknowledged)
  await endBatch(queue, plan, acknowledged)
  if (small !== null && !endsFirst) await endBatch(queue, small, acknowledged)
}

async function endBatch(
  queue: TaskQueue,
  plan: BatchPlan,
  acknowledged: Acknowledged,
): Promise<void> {
  const { lifecycle } = queue
  const isDeletion = plan.work.kind === 'taskDeletion'
  const sealed = isDeletion
    ? await lifecycle.sealOwn(plan)
    : await lifecycle.seal(plan, allSucceeded(plan, { indexedDocuments: 1 }))
  const ended = await lifecycle.settle(sealed, false)
  for (const uid of ended.toArray()) acknowledged.set(uid, 'succeeded')
  const left = await queue.lists.tasks(filterOf({}), ALL, null)
  const there = new Set(left.results.map(({ uid }) => uid))
  for (const uid of acknowledged.keys()) if (!there.has(asTaskUid(uid))) acknowledged.set(uid, null)
}

async function check(queue: TaskQueue, acknowledged: Acknowledged): Promise<void> {
  const { results } = await queue.lists.tasks(filterOf({}), ALL, null)
  const there = new Map(results.map((task) => [task.uid, task]))
  for (const [uid, status] of acknowledged) {
    const task = there.get(asTaskUid(uid))
    if (status === null) expect(task, `task ${uid} was deleted`).toBeUndefined()
    if (status === 'succeeded' && task !== undefined) expect(task.status).toBe('succeeded')
    if (status === 'enqueued') expect(task, `task ${uid} was accepted`).toBeDefined()
  }
  for (const task of results) {
    if (task.finishedAt === null) continue
    expect(await queue.lists.batch(task.batchUid!, null), `batch of ${task.uid}`).not.toBeNull()
  }
}

describe('power failures', () => {
  it('lose no acknowledged task at any step', { timeout: 120_000 }, async () => {
    const whole = newDisk(1)
    const from = whole.steps
    await workOn(await openOn(whole), new Map(), 1)
    const steps = whole.steps - from
    expect(steps).toBeGreaterThan(40)
    expect(besides.size, 'small batches ended first, and last').toBe(2)
    for (let cut = 0; cut < steps; cut++) {
      const disk = newDisk(cut)
      const acknowledged: Acknowledged = new Map()
      disk.powerOffAfter(cut)
      try {
        await workOn(await openOn(disk), acknowledged, 1)
      } catch (error) {
        if (!(error instanceof PowerOff)) throw error
      }
      disk.crash(cut)
      const again = await openOn(disk)
      await check(again, acknowledged)
      const last = Math.max(-1, ...acknowledged.keys())
      expect((await again.register(createsIndex('z'))).uid).toBeGreaterThan(last)
      await again.upkeep.rewrite()
      await check(again, acknowledged)
      await again.close()
    }
  })
})
