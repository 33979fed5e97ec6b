// Lists of tasks and batches: their pages as recorded from the reference, filters, visibility, and
// all of them for a dump.
import { beforeAll, describe, expect, it } from 'vitest'
import { asBatchUid, asIndexUid, asTaskUid } from '../../../format/ids.ts'
import type { Visibility } from '../../model/index.ts'
import type { TaskPage } from '../task-data/lists.ts'
import {
  clears,
  createsIndex,
  deletesFilter,
  deletesIndex,
  exports,
  filterOf,
  imports,
  openQueue,
  openRunning,
  type PlainFilter,
  page,
  type Running,
  request,
  runAll,
  START,
  setsSettings,
  swaps,
  untilProcessing,
  updatesIndex,
} from '../tasks/test-support.ts'

/** Returns `{uids, total, from, next}` of a list of tasks. */
async function listed(
  { queue }: Pick<Running, 'queue'>,
  filter: PlainFilter,
  of: Partial<TaskPage> = {},
  visible: Visibility = null,
): Promise<object> {
  const { results, ...rest } = await queue.lists.tasks(filterOf(filter), page(of), visible)
  return { uids: results.map(({ uid }) => uid), ...rest }
}

async function listedBatches(
  { queue }: Pick<Running, 'queue'>,
  filter: PlainFilter,
  of: Partial<TaskPage> = {},
  visible: Visibility = null,
): Promise<object> {
  const { results, ...rest } = await queue.lists.batches(filterOf(filter), page(of), visible)
  return { uids: results.map(({ uid }) => uid), ...rest }
}

describe('pages of tasks', () => {
  let running: Running
  beforeAll(async () => {
    running = await openRunning()
    await runAll(running, [
      createsIndex('lamps', 'sku'),
      imports('lamps', [{ sku: 1 }, { sku: 2 }]),
      setsSettings('lamps', { stopWords: null }),
      createsIndex('bulbs'),
      imports('bulbs', [{ watt: 40 }]),
      clears('bulbs'),
      deletesIndex('wires'),
    ])
  })

  it.each([
    [{}, { limit: 3 }, [6, 5, 4], 7, 6, 3],
    [{}, { limit: 3, from: 3 }, [3, 2, 1], 7, 3, 0],
    [{}, { limit: 3, from: 0 }, [0], 7, 0, null],
    [{}, { limit: 0 }, [], 7, null, 6],
    [{}, { limit: 0, from: 2 }, [], 7, null, 2],
    [{ statuses: ['canceled'] }, { limit: 0 }, [], 0, null, null],
    [{}, { limit: 1_000_000 }, [6, 5, 4, 3, 2, 1, 0], 7, 6, null],
    [{}, { limit: 4_294_967_295 }, [6, 5, 4, 3, 2, 1, 0], 7, 6, null],
    [{}, { from: 100, limit: 2 }, [6, 5], 7, 6, 4],
    [{}, { from: 4_294_967_295, limit: 1 }, [6], 7, 6, 5],
    [{}, { reverse: true, limit: 2 }, [0, 1], 7, 0, 2],
    [{}, { reverse: true, limit: 2, from: 2 }, [2, 3], 7, 2, 4],
    [{}, { reverse: true, from: 6, limit: 5 }, [6], 7, 6, null],
    [{}, { reverse: true, from: 50 }, [], 7, null, null],
    [{}, { reverse: true, limit: 0 }, [], 7, null, 0],
    [{ statuses: ['failed'] }, { limit: 1 }, [6], 2, 6, 4],
    [{ statuses: ['failed'] }, { limit: 1, from: 4 }, [4], 2, 4, null],
    [{ statuses: ['failed'] }, { limit: 1, reverse: true }, [4], 2, 4, 6],
    [{ indexUids: ['lamps'] }, { limit: 2, from: 1 }, [1, 0], 3, 1, null],
    [{}, { limit: 7 }, [6, 5, 4, 3, 2, 1, 0], 7, 6, null],
    [{}, { limit: 6 }, [6, 5, 4, 3, 2, 1], 7, 6, 0],
    [{ uids: [0, 2, 4] }, { from: 3 }, [2, 0], 3, 2, null],
    [{ uids: [0, 2, 4] }, { from: 3, reverse: true }, [4], 3, 4, null],
  ] as const)('%j %j', async (filter, of, uids, total, from, next) => {
    expect(await listed(running, filter, of)).toEqual({ uids, total, from, next })
  })

  it.each([
    [{}, { limit: 2 }, [6, 5], 7, 6, 4],
    [{}, { limit: 2, from: 2 }, [2, 1], 7, 2, 0],
    [{}, { limit: 0 }, [], 7, null, 6],
    [{}, { reverse: true, limit: 2, from: 3 }, [3, 4], 7, 3, 5],
    [{}, { from: 99, limit: 1 }, [6], 7, 6, 5],
    [{ statuses: ['failed'] }, { limit: 1 }, [6], 2, 6, 4],
  ] as const)('of batches %j %j', async (filter, of, uids, total, from, next) => {
    expect(await listedBatches(running, filter, of)).toEqual({ uids, total, from, next })
  })
})

describe('filters', () => {
  let running: Running
  beforeAll(async () => {
    running = await openRunning()
    await runAll(running, [
      createsIndex('lamps', 'sku'),
      imports('lamps', [{ sku: 1 }]),
      setsSettings('lamps', { stopWords: null }),
      createsIndex('bulbs'),
      imports('bulbs', [{ watt: 40 }]),
      clears('bulbs'),
      deletesIndex('wires'),
      swaps(['lamps', 'bulbs']),
      updatesIndex('bulbs', null, 'globes'),
      deletesFilter('lamps', 'colour = red'),
      request(null, { kind: 'dumpCreation', keys: [], instanceUid: null }),
    ])
    await running.queue.registerCancelation(
      filterOf({ uids: [asTaskUid(0), asTaskUid(1), asTaskUid(2)] }),
      '?uids=0,1,2',
      null,
    )
    await running.scheduler.idle()
    await running.queue.registerDeletion(filterOf({ uids: [asTaskUid(3)] }), '?uids=3', null)
    await running.scheduler.idle()
  })

  it.each([
    ['everything', {}, [12, 11, 10, 9, 8, 7, 6, 5, 4, 2, 1, 0], 12],
    ['uids, unknown and repeated ones', { uids: [1, 2, 2, 99] }, [2, 1], 2],
    ['no uid at all', { uids: [] }, [], 0],
    ['the last uid there can be', { uids: [4_294_967_295] }, [], 0],
    ['statuses', { statuses: ['failed', 'canceled'] }, [9, 6, 4], 3],
    ['no status', { statuses: [] }, [], 0],
    ['types', { kinds: ['indexDeletion', 'documentAdditionOrUpdate'] }, [6, 4, 1], 3],
    ['types and statuses', { kinds: ['documentAdditionOrUpdate'], statuses: ['failed'] }, [4], 1],
    ['an index after a swap: counted, not shown', { indexUids: ['lamps'] }, [9, 5, 4], 4],
    ['the new name of a rename', { indexUids: ['globes'] }, [8, 2, 1, 0], 5],
    ['the old name of a rename', { indexUids: ['bulbs'] }, [8], 1],
    ['a swap by its index', { indexUids: ['lamps'], kinds: ['indexSwap'] }, [], 1],
    ['an unknown index', { indexUids: ['nowhere'] }, [], 0],
    ['batches', { batchUids: [2, 3] }, [2], 1],
    ['a batch that never was', { batchUids: [77] }, [], 0],
    ['canceled by', { canceledBy: [11] }, [], 0],
    ['several conditions', { uids: [1, 4, 6], statuses: ['failed'], indexUids: ['wires'] }, [6], 1],
    ['after a time', { afterEnqueuedAt: START + 1e9 }, [], 0],
    ['before a time', { beforeFinishedAt: START }, [], 0],
  ] as const)('%s', async (_, filter, uids, total) => {
    expect(await listed(running, filter)).toMatchObject({ uids, total })
  })

  it('times exclude their bounds', async () => {
    const task = await running.queue.lists.task(asTaskUid(4), null)
    const { enqueuedAt, startedAt, finishedAt } = task!
    const at = (filter: PlainFilter) => listed(running, { uids: [asTaskUid(4)], ...filter })
    const found = { uids: [4], total: 1 }
    const missed = { uids: [], total: 0 }
    expect(await at({ afterEnqueuedAt: enqueuedAt })).toMatchObject(missed)
    expect(await at({ afterEnqueuedAt: enqueuedAt - 1 })).toMatchObject(found)
    expect(await at({ beforeEnqueuedAt: enqueuedAt })).toMatchObject(missed)
    expect(await at({ beforeEnqueuedAt: enqueuedAt + 1 })).toMatchObject(found)
    expect(await at({ afterStartedAt: startedAt })).toMatchObject(missed)
    expect(await at({ beforeStartedAt: startedAt! + 1 })).toMatchObject(found)
    expect(await at({ beforeFinishedAt: finishedAt })).toMatchObject(missed)
    expect(await at({ afterFinishedAt: finishedAt! - 1 })).toMatchObject(found)
  })

  it('names follow swaps and renames, details of renames and batches do not', async () => {
    const { queue } = running
    expect(await queue.lists.task(asTaskUid(1), null)).toMatchObject({ indexUid: 'globes' })
    expect(await queue.lists.task(asTaskUid(4), null)).toMatchObject({ indexUid: 'lamps' })
    expect(await queue.lists.task(asTaskUid(7), null)).toMatchObject({
      indexUid: null,
      details: { swaps: [{ indexes: ['lamps', 'globes'], rename: false }] },
    })
    expect(await queue.lists.task(asTaskUid(8), null)).toMatchObject({
      indexUid: 'bulbs',
      details: { primaryKey: null, oldIndexUid: 'bulbs', newIndexUid: 'globes' },
    })
    expect(await queue.lists.batch(asBatchUid(1), null)).toMatchObject({
      stats: { indexUids: { lamps: 1 } },
    })
    expect(await queue.lists.batch(asBatchUid(7), null)).toMatchObject({
      details: { swaps: [{ indexes: ['lamps', 'bulbs'], rename: false }] },
    })
  })

  it('removes a batch with its last task', async () => {
    expect(await running.queue.lists.batch(asBatchUid(3), null)).toBeNull()
    expect(await running.queue.lists.task(asTaskUid(3), null)).toBeNull()
  })

  it('counts', () => {
    const { statuses, kinds, indexes, oldestWaiting } = running.queue.lists.counts()
    expect(statuses).toEqual({ enqueued: 0, processing: 0, succeeded: 9, failed: 3, canceled: 0 })
    expect(kinds).toMatchObject({ documentAdditionOrUpdate: 2, taskDeletion: 1, export: 0 })
    expect(Object.fromEntries(indexes)).toEqual({ globes: 3, bulbs: 1, lamps: 3, wires: 1 })
    expect(oldestWaiting).toBeNull()
  })
})

describe('visibility', () => {
  let running: Running
  const shops: Visibility = (uid) => uid.startsWith('shop')
  const others: Visibility = (uid) => uid === 'other'
  beforeAll(async () => {
    running = await openRunning()
    await runAll(running, [
      imports('shop', [{ id: 1 }]),
      setsSettings('shop', { filterableAttributes: ['kind'] }),
      createsIndex('other'),
      imports('shop-2', [{ id: 1 }]),
      swaps(['shop', 'other']),
      swaps(['shop', 'other']),
      swaps(['shop', 'shop-2']),
      request(null, { kind: 'dumpCreation', keys: [], instanceUid: null }),
      deletesIndex('shop-9'),
    ])
  })

  it('a restricted caller sees tasks of its own indexes, but the total of all', async () => {
    const all = { total: 9, next: null }
    expect(await listed(running, {}, {}, shops)).toEqual({ uids: [8, 3, 1, 0], from: 8, ...all })
    expect(await listed(running, {}, {}, others)).toEqual({ uids: [2], from: 2, ...all })
    expect(await listed(running, {}, { limit: 2 }, shops)).toEqual({ uids: [8], from: 8, ...all })
    expect(await listed(running, {}, { limit: 2 }, others)).toEqual({
      uids: [],
      from: null,
      ...all,
    })
    expect(await listed(running, { indexUids: [asIndexUid('other')] }, {}, shops)).toMatchObject({
      uids: [],
      total: 3,
    })
  })

  it('lookups follow the same rule', async () => {
    const { queue } = running
    expect(await queue.lists.task(asTaskUid(0), shops)).not.toBeNull()
    expect(await queue.lists.task(asTaskUid(0), others)).toBeNull()
    expect(await queue.lists.task(asTaskUid(4), shops)).toBeNull()
    expect(await queue.lists.task(asTaskUid(7), shops)).toBeNull()
    expect(await queue.lists.batch(asBatchUid(0), shops)).not.toBeNull()
    expect(await queue.lists.batch(asBatchUid(0), others)).toBeNull()
    expect(await queue.lists.batch(asBatchUid(6), shops)).toBeNull()
  })

  it('batches are seen by the indexes they had', async () => {
    expect(await listedBatches(running, {}, {}, shops)).toMatchObject({ uids: [8, 3, 1, 0] })
    expect(await listedBatches(running, {}, {}, others)).toMatchObject({ uids: [2], total: 9 })
    expect(await listedBatches(running, {})).toMatchObject({ uids: [8, 7, 6, 5, 4, 3, 2, 1, 0] })
  })

  it('a rename is visible to callers that may see both names', async () => {
    await runAll(running, [updatesIndex('shop', null, 'outside')])
    expect(await listed(running, { uids: [asTaskUid(9)] }, {}, shops)).toMatchObject({
      uids: [],
      total: 1,
    })
    expect(await listedBatches(running, { uids: [asTaskUid(9)] }, {}, shops)).toMatchObject({
      uids: [],
    })
    expect(await running.queue.lists.batch(asBatchUid(9), shops)).toBeNull()
    const both: Visibility = (uid) => shops(uid) || uid === 'outside'
    expect(await listedBatches(running, { uids: [asTaskUid(9)] }, {}, both)).toMatchObject({
      uids: [9],
    })
  })

  it('a batch is seen by callers that see all of its tasks, also if its uid is that of another', async () => {
    const mixed = await openRunning()
    const { queue, scheduler } = mixed
    // Two tasks in one batch: from here on, uids of batches and tasks differ.
    await runAll(mixed, [createsIndex('shop')])
    await queue.register(exports())
    await untilProcessing(queue)
    await queue.register(imports('shop', [{ id: 1 }]))
    await queue.register(imports('shop', [{ id: 2 }]))
    await queue.register(imports('secret', [{ id: 2 }]))
    await queue.registerCancelation(filterOf({ uids: [asTaskUid(1)] }), '?', null)
    await scheduler.idle()
    await runAll(mixed, [
      updatesIndex('shop', null, 'secret-2'),
      createsIndex('shop'),
      swaps(['shop', 'secret']),
      swaps(['shop', 'shop-2']),
    ])
    const seen = async (visible: Visibility) => {
      const { results } = await queue.lists.batches(filterOf({}), page(), visible)
      for (const { uid } of results) expect(await queue.lists.batch(uid, visible)).not.toBeNull()
      const all = (await queue.lists.batches(filterOf({}), page(), null)).results
      for (const { uid } of all) {
        const isListed = results.some((one) => one.uid === uid)
        expect((await queue.lists.batch(uid, visible)) !== null, `${uid}`).toBe(isListed)
      }
      const tasks = (await queue.lists.tasks(filterOf({}), page({ limit: 100 }), null)).results
      const visibleTasks = (await queue.lists.tasks(filterOf({}), page({ limit: 100 }), visible))
        .results
      const uids = new Set(visibleTasks.map(({ uid }) => uid))
      for (const { uid } of results) {
        expect(
          tasks.filter((task) => task.batchUid === uid).every((task) => uids.has(task.uid)),
        ).toBe(true)
      }
      return JSON.stringify(results)
    }
    for (const visible of [shops, others, (uid: string) => uid === 'shop', () => false]) {
      expect(await seen(visible)).not.toMatch(/secret|swaps|Export/)
    }
    expect(await seen((uid) => /shop|secret/.test(uid))).toContain('secret-2')
    expect(await seen(() => true)).not.toMatch(/swaps|originalFilter/)
    const { results } = await queue.lists.batches(
      filterOf({ indexUids: [asIndexUid('shop')] }),
      page(),
      null,
    )
    expect(JSON.stringify(results)).toContain('swaps')
  })

  it('freezes targets among visible tasks', async () => {
    const uids = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(asTaskUid)
    const { uid } = await running.queue.registerCancelation(filterOf({ uids }), '?', shops)
    const task = await running.queue.lists.task(uid, null)
    expect(task!.details).toMatchObject({ matchedTasks: 3 })
    await running.scheduler.idle()
  })
})

describe('batches of other tasks', () => {
  it('are found by the indexes and kinds they had, each condition separately', async () => {
    const running = await openRunning()
    const { queue, scheduler } = running
    await runAll(running, [createsIndex('seed')])
    await queue.register(exports())
    await untilProcessing(queue)
    await queue.register(imports('p', [{ id: 1 }, { id: 2 }]))
    await queue.register(imports('p', [{ id: 3 }]))
    await queue.register(imports('q', [{ id: 3 }]))
    expect(await listedBatches(running, { statuses: ['processing'] })).toMatchObject({ uids: [1] })
    expect(await listedBatches(running, { statuses: ['enqueued'] })).toMatchObject({ uids: [] })
    expect(await listedBatches(running, { uids: [asTaskUid(1)] })).toMatchObject({
      uids: [],
      total: 0,
    })
    expect(await listed(running, { batchUids: [asBatchUid(1)] })).toMatchObject({
      uids: [1],
      total: 1,
    })
    await queue.registerCancelation(filterOf({ kinds: ['export'] }), '?types=export', null)
    await scheduler.idle()

    expect(await listedBatches(running, { uids: [asTaskUid(2), asTaskUid(3)] })).toMatchObject({
      uids: [2],
      total: 1,
    })
    expect(
      await listedBatches(running, { uids: [asTaskUid(2)], batchUids: [asBatchUid(3)] }),
    ).toMatchObject({ uids: [] })
    expect(await listedBatches(running, { canceledBy: [asTaskUid(5)] })).toMatchObject({
      uids: [1],
    })
    expect(
      await listedBatches(running, { indexUids: [asIndexUid('p'), asIndexUid('q')] }),
    ).toMatchObject({ uids: [3, 2] })
    expect(
      await listedBatches(running, { kinds: ['export'], statuses: ['succeeded'] }),
    ).toMatchObject({ uids: [1], total: 1 })
    expect(await listedBatches(running, { afterEnqueuedAt: START + 1e9 })).toMatchObject({
      total: 0,
    })
    const { finishedAt } = (await queue.lists.batch(asBatchUid(2), null))!
    expect(await listedBatches(running, { afterFinishedAt: finishedAt })).toMatchObject({
      uids: [3],
    })

    await runAll(running, [swaps(['p', 'q'])])
    expect(await listedBatches(running, { indexUids: [asIndexUid('q')] })).toMatchObject({
      uids: [4, 3],
    })
  })
})

describe('all tasks and batches, for a dump', () => {
  async function dumped({ queue }: Pick<Running, 'queue'>) {
    const tasks: (readonly [uid: number, hasContent: boolean])[] = []
    for await (const { task, content } of queue.lists.everyTask()) {
      tasks.push([task.uid, content !== null])
    }
    const batches: number[] = []
    for await (const { uid } of queue.lists.everyBatch()) batches.push(uid)
    return { tasks, batches }
  }

  it('are those that exist, by uid; contents come without ended secrets', async () => {
    const running = await openRunning()
    const { queue, scheduler } = running
    await queue.register(exports())
    await untilProcessing(queue)
    await queue.register(createsIndex('a'))
    expect(await dumped(running)).toEqual({
      tasks: [
        [0, true],
        [1, true],
      ],
      batches: [],
    })
    await queue.registerCancelation(filterOf({ uids: [asTaskUid(0)] }), '?', null)
    await scheduler.idle()
    await queue.registerDeletion(filterOf({ uids: [asTaskUid(1)] }), '?', null)
    await scheduler.idle()
    const { tasks, batches } = await dumped(running)
    expect(tasks).toEqual([
      [0, false],
      // Stored with its result.
      [2, false],
      [3, true],
    ])
    expect(batches).toEqual([0, 2])
  })

  it('omit a task that is deleted meanwhile', async () => {
    const running = await openRunning()
    await runAll(running, [createsIndex('a'), createsIndex('b'), createsIndex('c')])
    const seen: number[] = []
    for await (const { task } of running.queue.lists.everyTask()) {
      seen.push(task.uid)
      if (task.uid !== 0) continue
      await running.queue.registerDeletion(filterOf({ uids: [asTaskUid(1)] }), '?', null)
      await running.scheduler.idle()
    }
    expect(seen).toEqual([0, 2])
  })
})

it('finds the contents of unfinished tasks of some kinds, ascending', async () => {
  const { queue } = await openQueue()
  for (const one of [imports('a', []), createsIndex('b'), clears('a'), imports('c', [])]) {
    await queue.register(one)
  }
  const found = await queue.lists.unfinished(['documentAdditionOrUpdate', 'indexCreation'])
  expect(found.map(({ uid, content }) => [uid, content.kind])).toEqual([
    [0, 'documentAdditionOrUpdate'],
    [1, 'indexCreation'],
    [3, 'documentAdditionOrUpdate'],
  ])
  const [first] = found
  expect(first!.enqueuedAt).toBe((await queue.lists.task(asTaskUid(0), null))!.enqueuedAt)
  expect(await queue.lists.contentOf(asTaskUid(2))).toMatchObject({ kind: 'documentDeletion' })
  expect(await queue.lists.contentOf(asTaskUid(9))).toBeNull()
  expect(await queue.lists.enqueuedView(asTaskUid(1))).toMatchObject({ uid: 1 })

  const running = await openRunning()
  await runAll(running, [createsIndex('a')])
  expect(await running.queue.lists.unfinished(['indexCreation'])).toEqual([])
})

it('lets other work run while many tasks are read', async () => {
  const { queue } = await openQueue()
  const names = Array.from({ length: 600 }, (_, i) => `i${i}`)
  await Promise.all(names.map((name) => queue.register(createsIndex(name))))
  const turnsIn = async (work: () => Promise<unknown>): Promise<number> => {
    let turns = 0
    let isOver = false
    const tick = (): void => {
      if (isOver) return
      turns++
      setImmediate(tick)
    }
    setImmediate(tick)
    await work()
    isOver = true
    return turns
  }
  const readAll = async (): Promise<void> => {
    for await (const { task } of queue.lists.everyTask()) expect(task.status).toBe('enqueued')
  }
  const listed = () => queue.lists.tasks(filterOf({}), page({ limit: 600 }), null)
  const works = [readAll, listed, () => queue.lists.unfinished(['indexCreation'])]
  for (const [i, work] of works.entries()) {
    const turns = await turnsIn(work)
    // A turn for each 128 tasks of a dump, for each 256 of a list.
    const wanted = i === 0 ? 4 : 2
    expect(turns).toBeGreaterThanOrEqual(wanted)
    expect(turns).toBeLessThan(wanted * 4)
  }
})
