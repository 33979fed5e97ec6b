// Restart at any point. Random work, with a power failure at any time: the disk then holds all
// durable data, perhaps some pending data, and the batches of the manifest. After reopening,
// nothing acknowledged is missing and nothing has happened that was not requested.

import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { CorruptionError } from '../../../format/errors.ts'
import { asBatchUid, asIndexUid, asTaskUid } from '../../../format/ids.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import { decodeBatch, encodeHead, RECORD_HEAD, RECORD_KEPT } from '../../../format/tasks/index.ts'
import { StorageError } from '../../model/index.ts'
import type { TaskContent } from '../../task-kinds/index.ts'
import { allSucceeded } from '../batching/outcomes.ts'
import type { BatchPlan, SealedBatch } from '../batching/plan.ts'
import type { Batch, Task, TaskRequest } from '../task-data/types.ts'
import type { TaskQueue } from './queue.ts'
import { MemoryTaskLog } from './test-memory-log.ts'
import {
  createsIndex,
  deletesIds,
  exports,
  filterOf,
  imports,
  type Opened,
  openQueue,
  setsSettings,
  swaps,
  until,
  updatesIndex,
} from './test-support.ts'

const INDEXES = ['a', 'b', 'c']
const NO_LIMITS = { tasksMax: 5, bytesMax: Number.POSITIVE_INFINITY }
const ALL = { from: null, limit: 1000, reverse: true }

type BesideEnd = 'none' | 'earlier' | 'later' | 'never'

type Operation =
  | { readonly kind: 'register'; readonly request: TaskRequest }
  | { readonly kind: 'cancel'; readonly uids: readonly number[] }
  | { readonly kind: 'delete'; readonly uids: readonly number[] }
  /**
   * Runs a batch; `recorded`: whether its record had time to reach the log. `beside`: whether a small
   * batch runs beside it, and which of the two ends first.
   */
  | { readonly kind: 'batch'; readonly recorded: boolean; readonly beside: BesideEnd }
  | { readonly kind: 'abort' }
  | { readonly kind: 'rewrite' }
  | { readonly kind: 'tryRewrite' }
  | { readonly kind: 'crash'; readonly lucky: number; readonly waiting: readonly TaskRequest[] }

const index = fc.constantFrom(...INDEXES)
const uids = fc.uniqueArray(fc.integer({ min: 0, max: 20 }), { maxLength: 6 })
const anyRequest: fc.Arbitrary<TaskRequest> = fc.oneof(
  index.map((uid) => imports(uid, [{ id: 1 }])),
  fc.tuple(index, fc.nat(99)).map(([uid, file]) => imports(uid, [{ id: 1 }], { file })),
  index.map((uid) => deletesIds(uid, ['1', '2'])),
  index.map((uid) => setsSettings(uid, { stopWords: ['x'] })),
  index.map((uid) => createsIndex(uid)),
  fc.tuple(index, index).map(([a, b]) => swaps([a, b])),
  fc.tuple(index, index).map(([a, b]) => updatesIndex(a, null, b)),
)
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 8, arbitrary: anyRequest.map((request) => ({ kind: 'register', request }) as const) },
  { weight: 1, arbitrary: uids.map((all) => ({ kind: 'cancel', uids: all }) as const) },
  { weight: 1, arbitrary: uids.map((all) => ({ kind: 'delete', uids: all }) as const) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.boolean(), fc.constantFrom<BesideEnd>('none', 'earlier', 'later', 'never'))
      .map(([recorded, beside]) => ({ kind: 'batch', recorded, beside }) as const),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'abort' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'rewrite' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'tryRewrite' } as const) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.nat(4), fc.array(anyRequest, { maxLength: 4 }))
      .map(([lucky, waiting]) => ({ kind: 'crash', lucky, waiting }) as const),
  },
)

/** Several lives of the same database. */
class World {
  opened: Opened
  /** Batches committed outside of the log, as the manifest holds them. */
  manifest: Uint8Array[] = []
  /** Every uid ever assigned. */
  readonly given = new Set<number>()
  /** The states that clients have seen: tasks as last seen, without deleted ones. */
  known = new Map<number, Task>()

  private constructor(opened: Opened) {
    this.opened = opened
  }

  static async create(): Promise<World> {
    return new World(await openQueue())
  }

  get queue(): TaskQueue {
    return this.opened.queue
  }

  async look(): Promise<void> {
    const { results } = await this.queue.lists.tasks(filterOf({}), ALL, null)
    this.known = new Map(results.map((task) => [task.uid, task]))
  }

  async register(request: TaskRequest): Promise<void> {
    const { uid } = await this.queue.register(request)
    expect(this.given.has(uid), 'a uid is given once').toBe(false)
    this.given.add(uid)
  }

  async batch(recorded: boolean, beside: BesideEnd = 'none'): Promise<void> {
    const { lifecycle } = this.queue
    const plan = await lifecycle.begin(() => null, NO_LIMITS)
    if (plan === null) return
    const mayHaveBeside = beside !== 'none' && lifecycle.mayHaveBeside !== 'never'
    const small = mayHaveBeside
      ? await lifecycle.beginBeside(() => ({ primaryKey: null }), NO_LIMITS)
      : null
    if (small !== null && beside === 'earlier') await this.end(small, true)
    await this.end(plan, recorded)
    if (small !== null && beside === 'later') await this.end(small, recorded)
    if (small !== null && beside === 'never') lifecycle.requeue(small.uid)
  }

  async end(plan: BatchPlan, recorded: boolean): Promise<void> {
    const { lifecycle } = this.queue
    if (plan.work.kind === 'taskCancelation' || plan.work.kind === 'taskDeletion') {
      await lifecycle.settle(await lifecycle.sealOwn(plan), false)
      return
    }
    const swapped = plan.tasks.flatMap(({ content: anyContent, indexUid }) => {
      const content = anyContent as TaskContent
      if (content.kind === 'indexSwap') return content.swaps.map(({ indexes }) => indexes)
      const renames = content.kind === 'indexUpdate' && content.newUid !== null
      return renames && content.newUid !== indexUid ? [[indexUid!, content.newUid!] as const] : []
    })
    const sealed: SealedBatch = await lifecycle.seal(plan, {
      ...allSucceeded(plan, { n: 1 }),
      swapped,
    })
    this.manifest.push(sealed.payload)
    if (!recorded) this.opened.log.failure = new StorageError('io', 'tasks', 'no')
    await lifecycle.settle(sealed, true)
    await new Promise((resolve) => setImmediate(resolve))
    this.opened.log.failure = null
    if (recorded) await lifecycle.saved()
  }

  async abort(): Promise<void> {
    const { lifecycle } = this.queue
    const plan = await lifecycle.begin(() => null, NO_LIMITS)
    if (plan !== null) lifecycle.requeue(plan.uid)
  }

  async rewrite(): Promise<void> {
    await this.queue.lifecycle.saved()
    await this.queue.upkeep.rewrite()
  }

  /** The power fails while requests are pending, some of which may be on disk. */
  async crash(lucky: number, waiting: readonly TaskRequest[]): Promise<void> {
    await this.look()
    const { log } = this.opened
    log.isHeld = true
    for (const request of waiting) void this.queue.register(request)
    const disk = log.crash(lucky)
    this.opened = await openQueue({ log: new MemoryTaskLog(disk) })
    await this.queue.lifecycle.recover(this.manifest)
    for (const entry of disk.entries) if (entry.type === 1) this.given.add(uidOf(entry.payload))
    await this.check(waiting.length)
  }

  /** Known tasks are unchanged; at most `more` tasks are new. */
  async check(more: number): Promise<void> {
    const before = this.known
    await this.look()
    for (const [uid, task] of before) {
      const now = this.known.get(uid)
      const running = task.status === 'processing'
      expect(now, `task ${uid}`).toEqual(
        running ? { ...task, status: 'enqueued', batchUid: null, startedAt: null } : task,
      )
    }
    expect(this.known.size).toBeLessThanOrEqual(before.size + more)
    await this.consistent()
  }

  /** Every finished task has a batch, and every batch has tasks. */
  async consistent(): Promise<void> {
    const { results } = await this.queue.lists.batches(filterOf({}), ALL, null)
    const batches = new Map<number, Batch>(results.map((batch) => [batch.uid, batch]))
    const used = new Set<number>()
    for (const task of this.known.values()) {
      const isFinished = task.finishedAt !== null
      expect(isFinished).toBe(['succeeded', 'failed', 'canceled'].includes(task.status))
      if (!isFinished) continue
      const batch = batches.get(task.batchUid!)
      expect(batch, `batch ${task.batchUid} of task ${task.uid}`).toBeDefined()
      expect(batch!.finishedAt).toBe(task.finishedAt)
      used.add(batch!.uid)
    }
    for (const uid of batches.keys()) expect(used.has(uid), `batch ${uid} has tasks`).toBe(true)
    const { statuses } = this.queue.lists.counts()
    expect(Object.values(statuses).reduce((a, b) => a + b)).toBe(this.known.size)
  }

  async do(operation: Operation): Promise<void> {
    switch (operation.kind) {
      case 'register':
        return this.register(operation.request)
      case 'cancel': {
        const filter = filterOf({ uids: operation.uids.map(asTaskUid) })
        const { uid } = await this.queue.registerCancelation(filter, '?', null)
        this.given.add(uid)
        return
      }
      case 'delete': {
        const filter = filterOf({ uids: operation.uids.map(asTaskUid) })
        const { uid } = await this.queue.registerDeletion(filter, '?', null)
        this.given.add(uid)
        return
      }
      case 'batch':
        return this.batch(operation.recorded, operation.beside)
      case 'abort':
        return this.abort()
      case 'rewrite':
        return this.rewrite()
      case 'tryRewrite':
        return this.tryRewrite()
      case 'crash':
        return this.crash(operation.lucky, operation.waiting)
    }
  }

  /** A rewritten log that cannot take over changes nothing. */
  async tryRewrite(): Promise<void> {
    await this.queue.lifecycle.saved()
    await this.look()
    const rewriting = this.queue.upkeep.rewrite()
    await new Promise((resolve) => setImmediate(resolve))
    this.opened.log.failure = new StorageError('no_space', 'tasks', 'no')
    await rewriting.catch((error: unknown) => expect(error).toBeInstanceOf(StorageError))
    this.opened.log.failure = null
    await this.check(0)
  }
}

const uidOf = (payload: Uint8Array): number =>
  new DataView(payload.buffer, payload.byteOffset).getUint32(4, true)

describe('restart', () => {
  it('at any point loses no task and adds no task', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 30 }), async (operations) => {
        const world = await World.create()
        for (const one of operations) await world.do(one)
        await world.crash(0, [])
        while (world.queue.lifecycle.running.length === 0) {
          await world.batch(true)
          if (world.queue.lists.counts().statuses.enqueued === 0) break
        }
        await world.crash(0, [])
        await world.rewrite()
        await world.crash(0, [])
      }),
      { numRuns: 80 },
    )
  })

  it('refuses a record of another type, and the same task twice', async () => {
    const { queue, log } = await openQueue()
    await queue.register(createsIndex('a'))
    const [first] = log.disk.entries
    for (const second of [{ ...first!, type: 9 }, first!]) {
      const entries = [first!, { ...second, offset: log.bytes }]
      await expect(openQueue({ log: new MemoryTaskLog({ entries }) })).rejects.toThrow(
        CorruptionError,
      )
    }
  })

  it('leaves uids unused that a head names', async () => {
    const { queue, log } = await openQueue()
    await queue.register(createsIndex('a'))
    const payload = encodeHead({ nextTask: asTaskUid(7), nextBatch: asBatchUid(5) })
    for (const at of [0, 1]) {
      const entries = log.disk.entries.toSpliced(at, 0, { type: RECORD_HEAD, payload, offset: 9 })
      const again = await openQueue({ log: new MemoryTaskLog({ entries }) })
      expect([again.queue.nextTask, again.queue.upkeep.cut?.nextTask]).toEqual([7, 7])
      expect((await again.queue.lifecycle.begin(() => null, NO_LIMITS))?.uid).toBe(5)
    }
  })

  it('begins no batch of no task', async () => {
    const { queue } = await openQueue()
    expect(await queue.lifecycle.begin(() => null, NO_LIMITS)).toBeNull()
    await queue.register(createsIndex('a'))
    expect(await queue.lifecycle.begin(() => null, { ...NO_LIMITS, tasksMax: 0 })).toBeNull()
    expect(queue.lists.counts().statuses.enqueued).toBe(1)
  })

  it('makes the tasks of a batch wait again whose contents cannot be read', async () => {
    const { queue, log } = await openQueue()
    await queue.register(createsIndex('a'))
    await queue.close()
    const again = await openQueue({ log: new MemoryTaskLog(log.disk) })
    const failure = new StorageError('io', 'tasks', 'no')
    vi.spyOn(again.log, 'read').mockRejectedValueOnce(failure)
    const { lifecycle, lists } = again.queue
    await expect(lifecycle.begin(() => null, NO_LIMITS)).rejects.toBe(failure)
    expect([lifecycle.running, lists.counts().statuses.enqueued]).toEqual([[], 1])
    expect((await lifecycle.begin(() => null, NO_LIMITS))?.uid).toBe(0)
  })

  it('ends no batch before it began, although the clock goes back', async () => {
    let now = 5e6
    const { queue } = await openQueue({ now: () => now-- })
    await queue.register(createsIndex('a'))
    const plan = (await queue.lifecycle.begin(() => null, NO_LIMITS))!
    await queue.lifecycle.settle(await queue.lifecycle.seal(plan, allSucceeded(plan)), false)
    expect((await queue.lists.task(asTaskUid(0), null))?.finishedAt).toBe(plan.startedAt)
    expect((await queue.lists.batch(asBatchUid(0), null))?.finishedAt).toBe(plan.startedAt)
  })

  it('makes running tasks wait again without their batch', async () => {
    const { queue, log } = await openQueue()
    await queue.register(imports('a', [{ id: 1 }]))
    await queue.lifecycle.begin(() => null, NO_LIMITS)
    expect(await queue.lists.task(asTaskUid(0), null)).toMatchObject({
      status: 'processing',
      batchUid: 0,
    })
    const again = await openQueue({ log: new MemoryTaskLog(log.crash(0)) })
    expect(await again.queue.lists.task(asTaskUid(0), null)).toMatchObject({
      status: 'enqueued',
      batchUid: null,
    })
    expect(await again.queue.lists.batch(asBatchUid(0), null)).toBeNull()
    const plan = await again.queue.lifecycle.begin(() => null, NO_LIMITS)
    expect(plan!.uid).toBe(0)
  })

  it('restores a committed batch with a lost record from the manifest, once', async () => {
    const { queue, log } = await openQueue()
    await queue.register(createsIndex('a'))
    await queue.register(createsIndex('b'))
    await queue.register(swaps(['a', 'b']))
    await queue.register(createsIndex('a'))
    const sealed: Uint8Array[] = []
    for (let i = 0; i < 3; i++) {
      const plan = (await queue.lifecycle.begin(() => null, NO_LIMITS))!
      const swapped = plan.work.kind === 'indexSwap' ? [['a', 'b'] as const] : []
      const end = await queue.lifecycle.seal(plan, { ...allSucceeded(plan), swapped })
      sealed.push(end.payload)
      if (i < 2) {
        await queue.lifecycle.settle(end, true)
        await queue.lifecycle.saved()
      }
    }
    const disk = log.crash(0)
    for (let i = 0; i < 2; i++) {
      const again = await openQueue({ log: new MemoryTaskLog(disk) })
      expect(again.queue.lists.counts().statuses.enqueued).toBe(i === 0 ? 2 : 1)
      await again.queue.lifecycle.recover(sealed)
      await again.queue.lifecycle.saved()
      const { results } = await again.queue.lists.tasks(filterOf({}), ALL, null)
      expect(results.map(({ indexUid, status }) => [indexUid, status])).toEqual([
        ['b', 'succeeded'],
        ['a', 'succeeded'],
        [null, 'succeeded'],
        ['a', 'enqueued'],
      ])
    }
  })
})

describe('a long batch with a small one beside it', () => {
  /** Returns the sealed outcomes; the record of the small batch is in the log, the other one is not. */
  async function smallEnded() {
    const opened = await openQueue()
    const { queue } = opened
    await queue.register(imports('a', [{ id: 1 }]))
    await queue.register(imports('b', [{ id: 1 }]))
    const long = (await queue.lifecycle.begin(() => null, NO_LIMITS))!
    const small = (await queue.lifecycle.beginBeside(() => ({ primaryKey: null }), NO_LIMITS))!
    expect([long.uid, small.uid]).toEqual([0, 1])
    const [first, second] = await Promise.all(
      [small, long].map((plan) => queue.lifecycle.seal(plan, allSucceeded(plan))),
    )
    await queue.lifecycle.settle(first!, true)
    await queue.lifecycle.saved()
    return { ...opened, sealed: [first!.payload, second!.payload], ended: second! }
  }

  const statesOf = async (queue: TaskQueue) => {
    const { results } = await queue.lists.tasks(filterOf({}), ALL, null)
    return results.map(({ status, batchUid }) => [status, batchUid])
  }

  it('has ended after a restart if the manifest has its end', async () => {
    const { log, sealed } = await smallEnded()
    const disk = log.crash(0)
    for (let restarts = 0; restarts < 3; restarts++) {
      const { queue } = await openQueue({ log: new MemoryTaskLog(disk) })
      await queue.lifecycle.recover(sealed)
      expect(await statesOf(queue)).toEqual([
        ['succeeded', 0],
        ['succeeded', 1],
      ])
      const { results } = await queue.lists.batches(filterOf({}), ALL, null)
      expect(results.map(({ uid }) => uid)).toEqual([0, 1])
      if (restarts === 1) await queue.upkeep.rewrite()
    }
  })

  it('runs again after a restart if the manifest lacks its end, under an unused uid', async () => {
    const { log, sealed } = await smallEnded()
    const { queue } = await openQueue({ log: new MemoryTaskLog(log.crash(0)) })
    await queue.lifecycle.recover(sealed.slice(0, 1))
    expect(await statesOf(queue)).toEqual([
      ['enqueued', null],
      ['succeeded', 1],
    ])
    const plan = await queue.lifecycle.begin(() => null, NO_LIMITS)
    expect(plan?.uid).toBe(2)
  })

  it('may end while the log is rewritten', async () => {
    const { queue, log, ended } = await smallEnded()
    const rewriting = queue.upkeep.rewrite()
    await queue.lifecycle.settle(ended, true)
    await rewriting
    await queue.lifecycle.saved()
    for (const one of [queue, (await openQueue({ log: new MemoryTaskLog(log.crash(0)) })).queue]) {
      expect(await statesOf(one)).toEqual([
        ['succeeded', 0],
        ['succeeded', 1],
      ])
    }
  })

  it('is aborted without the small one, whose uid stays', async () => {
    const { queue, ended } = await smallEnded()
    queue.lifecycle.requeue(ended.view.uid)
    const again = await queue.lifecycle.begin(() => null, NO_LIMITS)
    expect(again?.uid).toBe(2)
    expect(await queue.lists.batch(asBatchUid(0), null)).toBeNull()
    expect((await queue.lists.batches(filterOf({}), ALL, null)).results).toHaveLength(2)
  })
})

describe('rewriting', () => {
  it('drops bodies, deleted tasks and outcomes, and keeps visible data', async () => {
    const { queue, log } = await openQueue()
    const large = { id: 1, text: 'x'.repeat(10_000) }
    for (let i = 0; i < 20; i++) await queue.register(imports('a', [large]))
    await queue.register({ ...setsSettings('b', { stopWords: ['y'] }), customMetadata: 'mine' })
    for (let i = 0; i < 5; i++) {
      const plan = (await queue.lifecycle.begin(() => null, NO_LIMITS))!
      const error = { code: 'internal', message: 'no' }
      const outcomes = plan.tasks.map(({ uid }, n) => ({
        uid,
        error: n === 1 ? error : null,
        result: n === 1 ? null : { indexedDocuments: 1 },
      }))
      await queue.lifecycle.settle(await queue.lifecycle.seal(plan, { outcomes }), false)
    }
    await queue.register(imports('c', [large]))
    await queue.registerDeletion(
      filterOf({
        uids: [asTaskUid(0), asTaskUid(1), asTaskUid(2), asTaskUid(3), asTaskUid(4), asTaskUid(5)],
      }),
      '?',
      null,
    )
    const deletion = (await queue.lifecycle.begin(() => null, NO_LIMITS))!
    await queue.lifecycle.settle(await queue.lifecycle.sealOwn(deletion), false)

    const shown = async (of: TaskQueue) => ({
      tasks: await of.lists.tasks(filterOf({}), ALL, null),
      batches: await of.lists.batches(filterOf({}), ALL, null),
      counts: of.lists.counts(),
    })
    const before = await shown(queue)
    const { bytes } = log
    await queue.upkeep.rewrite()
    expect(log.bytes).toBeLessThan(bytes / 10)
    expect(log.disk.entries.filter(({ type }) => type === RECORD_KEPT)).toHaveLength(16)
    expect(await shown(queue)).toEqual(before)
    const again = await openQueue({ log: new MemoryTaskLog(log.disk) })
    expect(await shown(again.queue)).toEqual(before)
    await again.queue.upkeep.rewrite()
    expect(await shown(again.queue)).toEqual(before)
    expect((await again.queue.register(createsIndex('d'))).uid).toBe(23)
  })

  it('continues while tasks arrive and batches end', async () => {
    const { queue, log } = await openQueue()
    for (let i = 0; i < 3000; i++) void queue.register(imports('a', [{ id: i }]))
    await queue.register(imports('a', [{ id: 'last' }]))
    const limits = { tasksMax: 100, bytesMax: Number.POSITIVE_INFINITY }
    let isDone = false
    const rewriting = queue.upkeep.rewrite().then(() => {
      isDone = true
    })
    let registered = 3001
    const look = async (): Promise<void> => {
      while (!isDone) {
        await new Promise((resolve) => setImmediate(resolve))
        const uid = registered % 3000
        expect(await queue.lists.task(asTaskUid(uid), null)).toMatchObject({
          uid,
          kind: 'documentAdditionOrUpdate',
        })
      }
    }
    const looking = look()
    while (!isDone) {
      void queue.register(imports(`n${registered % 3}`, [{ id: 1 }]))
      registered++
      const plan = await queue.lifecycle.begin(() => null, limits)
      if (plan !== null) {
        const end = await queue.lifecycle.seal(plan, allSucceeded(plan, { indexedDocuments: 1 }))
        await queue.lifecycle.settle(end, registered % 2 === 0)
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
    await rewriting
    await looking
    await queue.lifecycle.saved()
    const last = await queue.register(createsIndex('z'))
    expect(last.uid).toBe(registered)
    const before = await queue.lists.tasks(filterOf({}), { ...ALL, limit: 10_000 }, null)
    expect(before.results).toHaveLength(registered + 1)
    const again = await openQueue({ log: new MemoryTaskLog(log.disk) })
    const after = await again.queue.lists.tasks(filterOf({}), { ...ALL, limit: 10_000 }, null)
    expect(after).toEqual(before)
  })

  it('copies much that arrives meanwhile in further rounds, each record once', async () => {
    const { queue, log } = await openQueue()
    for (let i = 0; i < 1000; i++) void queue.register(createsIndex('a'))
    await queue.register(createsIndex('b'))
    const scans = vi.spyOn(log, 'scan')
    const rewriting = queue.upkeep.rewrite()
    await until(() => scans.mock.calls.length > 0)
    const text = 'x'.repeat(150_000)
    for (let i = 0; i < 2; i++) await queue.register(imports('c', [{ id: i, text }]))
    await rewriting
    const { calls } = scans.mock
    expect(calls).toHaveLength(3)
    expect(calls.map(([from]) => from)).toEqual([0, ...calls.slice(0, 2).map(([, to]) => to)])
    const uids = log.disk.entries.slice(1).map(({ payload }) => uidOf(payload))
    expect(uids).toEqual(Array.from({ length: 1003 }, (_, uid) => uid))
    const again = await openQueue({ log: new MemoryTaskLog(log.disk) })
    const page = { ...ALL, limit: 2000 }
    expect(await again.queue.lists.tasks(filterOf({}), page, null)).toEqual(
      await queue.lists.tasks(filterOf({}), page, null),
    )
  })

  it('does not disturb reads during the takeover', async () => {
    const first = await openQueue()
    for (let i = 0; i < 300; i++) void first.queue.register(imports('a', [{ id: i }]))
    await first.queue.register(imports('a', [{ id: 'last' }]))
    const plan = (await first.queue.lifecycle.begin(() => null, NO_LIMITS))!
    const end = await first.queue.lifecycle.seal(plan, allSucceeded(plan, { indexedDocuments: 1 }))
    await first.queue.lifecycle.settle(end, false)
    const { queue } = await openQueue({ log: new MemoryTaskLog(first.log.disk) })
    let isDone = false
    const rewriting = queue.upkeep.rewrite().then(() => {
      isDone = true
    })
    for (let uid = 300; uid >= 0; uid--) {
      await new Promise((resolve) => setImmediate(resolve))
      expect(await queue.lists.task(asTaskUid(uid), null)).toMatchObject({ uid })
      if (isDone && uid > 20) uid -= 5
    }
    await rewriting
  })

  it('is discarded if names are exchanged meanwhile', async () => {
    const { queue, log } = await openQueue()
    await queue.register(createsIndex('a'))
    await queue.register(swaps(['a', 'b']))
    for (let i = 0; i < 1000; i++) await queue.register(createsIndex('c'))
    const settle = async (): Promise<void> => {
      const plan = (await queue.lifecycle.begin(() => null, NO_LIMITS))!
      const swapped = plan.work.kind === 'indexSwap' ? [['a', 'b'] as const] : []
      const end = await queue.lifecycle.seal(plan, { ...allSucceeded(plan), swapped })
      await queue.lifecycle.settle(end, false)
    }
    await settle()
    const rewriting = queue.upkeep.rewrite()
    await settle()
    await rewriting
    expect(log.disk.entries.some(({ type }) => type === RECORD_KEPT)).toBe(false)
    expect(await queue.lists.task(asTaskUid(0), null)).toMatchObject({ indexUid: 'b' })
    const again = await openQueue({ log: new MemoryTaskLog(log.disk) })
    expect(await again.queue.lists.task(asTaskUid(0), null)).toMatchObject({ indexUid: 'b' })
    await again.queue.upkeep.rewrite()
    expect(await again.queue.lists.task(asTaskUid(0), null)).toMatchObject({ indexUid: 'b' })
  })

  it('begins automatically when half of the log is garbage', async () => {
    const { queue, log } = await openQueue({ rewriteBytesMin: 1000 })
    await queue.register(imports('a', [{ id: 'x'.repeat(3000) }]))
    queue.upkeep.maintain()
    expect(log.bytes).toBeGreaterThan(3000)
    const plan = (await queue.lifecycle.begin(() => null, NO_LIMITS))!
    await queue.lifecycle.settle(await queue.lifecycle.seal(plan, allSucceeded(plan)), false)
    queue.upkeep.maintain()
    while (log.bytes > 1000) await new Promise((resolve) => setImmediate(resolve))
    await queue.close()
    expect(log.disk.entries.map(({ type }) => type)).toEqual([4, 3, 2])
  })
})

describe('the key of an export', () => {
  const KEY = 'marker-of-a-secret-key'
  /** That key in answers, masked by the server: no secret. */
  const KEY_AS_SHOWN = `mar${'X'.repeat(5)}...`
  const holdsKey = ({ disk }: MemoryTaskLog): boolean =>
    disk.entries.some(({ payload }) => Buffer.from(payload).includes(KEY))
  const exportsWithKey = (): TaskRequest => {
    const request = exports()
    return { ...request, content: { ...request.content, apiKey: KEY } as TaskContent }
  }
  async function runOne(queue: TaskQueue): Promise<void> {
    const plan = (await queue.lifecycle.begin(() => null, NO_LIMITS))!
    await queue.lifecycle.settle(await queue.lifecycle.seal(plan, allSucceeded(plan)), false)
  }
  async function keysInDump(queue: TaskQueue): Promise<readonly unknown[]> {
    const keys: unknown[] = []
    for await (const { content } of queue.lists.everyTask()) {
      const taskContent = content as TaskContent | null
      keys.push(taskContent?.kind === 'export' ? taskContent.apiKey : null)
    }
    return keys
  }

  it('is removed from log and dumps when its task has ended', async () => {
    const { queue, log } = await openQueue()
    await queue.register(exportsWithKey())
    queue.upkeep.maintain()
    expect(holdsKey(log)).toBe(true)
    expect(await keysInDump(queue)).toEqual([KEY])
    await runOne(queue)
    expect(holdsKey(log)).toBe(true)
    expect(await keysInDump(queue)).toEqual([null])
    queue.upkeep.maintain()
    await until(() => !holdsKey(log))
    expect(await queue.lists.task(asTaskUid(0), null)).toMatchObject({
      details: { apiKey: KEY_AS_SHOWN },
    })
    const { bytes } = log
    queue.upkeep.maintain()
    await queue.close()
    expect(log.bytes).toBe(bytes)
  })

  it('is removed from a log that was closed, and after a failed rewrite', async () => {
    const first = await openQueue()
    await first.queue.register(exportsWithKey())
    await runOne(first.queue)
    await first.queue.close()
    const { queue, log, reports } = await openQueue({ log: new MemoryTaskLog(first.log.disk) })
    log.failure = new StorageError('no_space', 'tasks', 'full')
    queue.upkeep.maintain()
    await until(() => reports.length === 1)
    queue.upkeep.maintain()
    log.failure = null
    expect([reports.length, holdsKey(log)]).toEqual([1, true])
    await queue.register(exportsWithKey())
    await runOne(queue)
    queue.upkeep.maintain()
    await until(() => !holdsKey(log))
  })

  it('stays through a rewrite while its task waits', async () => {
    const { queue, log } = await openQueue()
    await queue.register(exportsWithKey())
    await queue.register(exportsWithKey())
    const rewriting = queue.upkeep.rewrite()
    await runOne(queue)
    await rewriting
    queue.upkeep.maintain()
    await until(() => log.disk.entries.some(({ type }) => type === RECORD_KEPT))
    expect(await keysInDump(queue)).toEqual([null, KEY])
    const waiting = await queue.lifecycle.begin(() => null, NO_LIMITS)
    expect(waiting?.tasks[0]?.content).toMatchObject({ kind: 'export', apiKey: KEY })
  })
})

describe('a large cancelation', () => {
  it('is one record, and one step', async () => {
    const { queue, log } = await openQueue()
    for (let i = 0; i < 20_000; i++) void queue.register(imports('a', [{ id: i }]))
    await queue.register(createsIndex('b'))
    await queue.registerCancelation(
      filterOf({ indexUids: [asIndexUid('a')] }),
      '?indexUids=a',
      null,
    )
    const cancelation = (await queue.lifecycle.begin(() => null, NO_LIMITS))!
    const sealed = await queue.lifecycle.sealOwn(cancelation)
    expect(sealed.payload.length).toBeLessThan(9000)
    expect(decodeBatch(sealed.payload).canceled!.size).toBe(20_000)
    const ended: IdSet = await queue.lifecycle.settle(sealed, false)
    expect(ended.size).toBe(20_001)
    expect(queue.lists.counts().statuses).toMatchObject({
      canceled: 20_000,
      enqueued: 1,
      succeeded: 1,
    })
    expect(await queue.lists.batch(asBatchUid(0), null)).toMatchObject({
      details: { receivedDocuments: 20_000, indexedDocuments: 0, canceledTasks: 20_000 },
    })
    const again = await openQueue({ log: new MemoryTaskLog(log.disk) })
    expect(again.queue.lists.counts()).toEqual(queue.lists.counts())
  })
})
