// The running queue: the batches formed from incoming tasks, as recorded from the reference;
// cancelations, deletions, failures of tasks, of batches, of workers and of the log.
import { beforeEach, describe, expect, it } from 'vitest'
import { InvariantError } from '../../../format/errors.ts'
import { asBatchUid, asTaskUid } from '../../../format/ids.ts'
import { EngineFault, StorageError } from '../../model/index.ts'
import { Grouping } from '../batching/grouping.ts'
import { allFailed } from '../batching/outcomes.ts'
import { RETRY_PAUSE_MS_MAX } from '../task-data/limits.ts'
import type { Task, TaskRequest } from '../task-data/types.ts'
import type { TaskQueue } from './queue.ts'
import {
  clears,
  createsIndex,
  deletesFilter,
  deletesIds,
  deletesIndex,
  exports,
  filterOf,
  imports,
  openRunning,
  type Running,
  request,
  setsSettings,
  swaps,
  until,
  untilProcessing,
  updatesIndex,
} from './test-support.ts'

let running: Running
beforeEach(async () => {
  running = await openRunning()
})

/**
 * Enqueues all requests while an export blocks the queue, then unblocks it and waits. Returns lines
 * like `2 b3 pens succeeded {…}`: uids and batches count from the first of these tasks.
 */
async function batched(requests: readonly TaskRequest[]): Promise<readonly string[]> {
  const { queue, scheduler } = running
  const blocker = await queue.register(exports())
  await untilProcessing(queue)
  for (const one of requests) await queue.register(one)
  await queue.registerCancelation(filterOf({ uids: [blocker.uid] }), '?', null)
  await scheduler.idle()
  const first = blocker.uid + 1
  const tasks = await Promise.all(
    requests.map((_, i) => queue.lists.task(asTaskUid(first + i), null)),
  )
  const batch = (await queue.lists.task(blocker.uid, null))!.batchUid! + 1
  return tasks.map((task) => lineOf(task!, first, batch))
}

const lineOf = (task: Task, first: number, batch: number): string =>
  `${task.uid - first} b${task.batchUid! - batch} ${task.indexUid} ${task.status} ` +
  `${JSON.stringify(task.details)}${task.error === null ? '' : ` ${task.error.code}`}`

const strategyOf = async (uid: number): Promise<string> =>
  (await running.queue.lists.batch(asBatchUid(uid), null))!.batchStrategy

describe('batches', () => {
  it('imports of one index despite other tasks between them', async () => {
    expect(
      await batched([
        imports('a1', [{ id: 1, v: 1 }]),
        imports('a1', [{ id: 2 }, { id: 1, v: 2 }]),
        imports('a1', [{ id: 1, w: 3 }], { method: 'update' }),
        imports('a2', [{ id: 9 }]),
        imports('a1', [{ id: 4 }]),
      ]),
    ).toEqual([
      '0 b0 a1 succeeded {"receivedDocuments":1,"indexedDocuments":1}',
      '1 b0 a1 succeeded {"receivedDocuments":2,"indexedDocuments":2}',
      '2 b0 a1 succeeded {"receivedDocuments":1,"indexedDocuments":1}',
      '3 b1 a2 succeeded {"receivedDocuments":1,"indexedDocuments":1}',
      '4 b0 a1 succeeded {"receivedDocuments":1,"indexedDocuments":1}',
    ])
    expect(running.engine.indexes.get('a1')!.documents.get('1')).toEqual({ id: 1, v: 2, w: 3 })
    expect(await strategyOf(1)).toBe('batched all enqueued tasks for index `a1`')
    expect(await strategyOf(2)).toBe('batched all enqueued tasks')
    expect(await running.queue.lists.batch(asBatchUid(1), null)).toMatchObject({
      details: { receivedDocuments: 5, indexedDocuments: 5 },
      stats: {
        totalNbTasks: 4,
        status: { succeeded: 4 },
        types: { documentAdditionOrUpdate: 4 },
        indexUids: { a1: 4 },
      },
      progress: null,
    })
  })

  it('deletions by ids among imports report the requested ids', async () => {
    expect(
      await batched([
        imports('a3', [{ id: 1 }]),
        deletesIds('a3', ['1']),
        deletesIds('a3', ['5', '6']),
        imports('a3', [{ id: 2 }]),
      ]),
    ).toEqual([
      '0 b0 a3 succeeded {"receivedDocuments":1,"indexedDocuments":1}',
      '1 b0 a3 succeeded {"providedIds":1,"deletedDocuments":1,"originalFilter":null}',
      '2 b0 a3 succeeded {"providedIds":2,"deletedDocuments":2,"originalFilter":null}',
      '3 b0 a3 succeeded {"receivedDocuments":1,"indexedDocuments":1}',
    ])
    expect(await batched([deletesIds('a3', ['2', '7'])])).toEqual([
      '0 b0 a3 succeeded {"providedIds":2,"deletedDocuments":1,"originalFilter":null}',
    ])
  })

  it('only settings', async () => {
    await batched([
      setsSettings('a4', { stopWords: ['x'] }),
      setsSettings('a4', { synonyms: { a: ['b'] }, stopWords: ['y'] }),
      setsSettings('a4', { synonyms: null }, { isDeletion: true }),
      imports('a4', [{ id: 1 }]),
    ])
    expect(await running.queue.lists.batch(asBatchUid(1), null)).toMatchObject({
      details: { stopWords: ['y'], synonyms: null },
      batchStrategy:
        'stopped before task with id 4 because it is a document operation ' +
        'which cannot be batched with settings changes',
    })
  })

  it('deletions by filter go before imports, and fail alone', async () => {
    expect(
      await batched([
        imports('a5', [{ id: 1 }]),
        setsSettings('a5', { filterableAttributes: ['id'] }),
        deletesFilter('a5', 'id = 1'),
        imports('a5', [{ id: 2 }]),
        deletesFilter('a5', 'id = 2'),
        deletesFilter('a5', 'nope = 2'),
      ]),
    ).toEqual([
      '0 b0 a5 succeeded {"receivedDocuments":1,"indexedDocuments":1}',
      '1 b1 a5 succeeded {"filterableAttributes":["id"]}',
      '2 b2 a5 succeeded {"providedIds":0,"deletedDocuments":1,"originalFilter":"\\"id = 1\\""}',
      '3 b2 a5 succeeded {"receivedDocuments":1,"indexedDocuments":1}',
      '4 b3 a5 succeeded {"providedIds":0,"deletedDocuments":1,"originalFilter":"\\"id = 2\\""}',
      '5 b3 a5 failed {"providedIds":0,"deletedDocuments":0,"originalFilter":"\\"nope = 2\\""} ' +
        'invalid_document_filter',
    ])
  })

  it('a clear absorbs what came before it', async () => {
    expect(
      await batched([
        imports('a6', [{ id: 1 }, { id: 2 }]),
        deletesIds('a6', ['1']),
        clears('a6'),
        clears('a6'),
        imports('a6', [{ id: 3 }]),
      ]),
    ).toEqual([
      '0 b0 a6 succeeded {"receivedDocuments":2,"indexedDocuments":null}',
      '1 b0 a6 succeeded {"providedIds":1,"deletedDocuments":null,"originalFilter":null}',
      '2 b0 a6 succeeded {"deletedDocuments":0}',
      '3 b0 a6 succeeded {"deletedDocuments":0}',
      '4 b1 a6 succeeded {"receivedDocuments":1,"indexedDocuments":1}',
    ])
    expect(running.engine.plans[1]!.tasks.map(({ hasEffect }) => hasEffect)).toEqual([
      false,
      false,
      true,
      true,
    ])
    expect(await strategyOf(1)).toBe(
      'stopped before task with id 5 because it is a settings change ' +
        'which cannot be batched with document operations',
    )
    expect(await batched([clears('a6'), clears('a6')])).toEqual([
      '0 b0 a6 succeeded {"deletedDocuments":1}',
      '1 b0 a6 succeeded {"deletedDocuments":0}',
    ])
  })

  it('settings with clears', async () => {
    expect(
      await batched([
        setsSettings('b6', { rankingRules: ['words'] }),
        clears('b6'),
        clears('b6'),
        setsSettings('b6', { rankingRules: ['typo'] }),
        deletesIds('b6', ['1']),
      ]),
    ).toEqual([
      '0 b0 b6 succeeded {"rankingRules":["words"]}',
      '1 b0 b6 succeeded {"deletedDocuments":0}',
      '2 b0 b6 succeeded {"deletedDocuments":0}',
      '3 b0 b6 succeeded {"rankingRules":["typo"]}',
      '4 b0 b6 succeeded {"providedIds":1,"deletedDocuments":null,"originalFilter":null}',
    ])
    expect(await running.queue.lists.batch(asBatchUid(1), null)).toMatchObject({
      details: { providedIds: 1, deletedDocuments: 0, rankingRules: ['typo'] },
    })
    expect(running.engine.indexes.get('b6')!.settings).toEqual({ rankingRules: ['typo'] })
  })

  it('a deletion of the index absorbs what came before it', async () => {
    await batched([imports('a7', [{ id: 1 }, { id: 2 }])])
    expect(
      await batched([
        imports('a7', [{ id: 3 }]),
        deletesIds('a7', ['1']),
        deletesIndex('a7'),
        imports('a7', [{ id: 8 }]),
      ]),
    ).toEqual([
      '0 b0 a7 succeeded {"receivedDocuments":1,"indexedDocuments":0}',
      '1 b0 a7 succeeded {"providedIds":1,"deletedDocuments":0,"originalFilter":null}',
      '2 b0 a7 succeeded {"deletedDocuments":2}',
      '3 b1 a7 succeeded {"receivedDocuments":1,"indexedDocuments":1}',
    ])
    expect(await batched([clears('a7'), setsSettings('a7', {}), deletesIndex('a7')])).toEqual([
      '0 b0 a7 succeeded {"deletedDocuments":1}',
      '1 b1 a7 succeeded {}',
      '2 b1 a7 succeeded {"deletedDocuments":0}',
    ])
    expect(await batched([imports('a7', [{ id: 3 }]), clears('a7'), deletesIndex('a7')])).toEqual([
      '0 b0 a7 succeeded {"receivedDocuments":1,"indexedDocuments":0}',
      '1 b0 a7 succeeded {"deletedDocuments":null}',
      '2 b0 a7 succeeded {"deletedDocuments":0}',
    ])
  })

  it('explicit keys', async () => {
    expect(
      await batched([
        imports('a8', [{ key: 1 }], { primaryKey: 'key' }),
        imports('a8', [{ key: 2 }]),
        imports('a8', [{ other: 3 }], { primaryKey: 'other' }),
        imports('a8', [{ key: 4 }], { primaryKey: 'key' }),
      ]),
    ).toEqual([
      '0 b0 a8 succeeded {"receivedDocuments":1,"indexedDocuments":1}',
      '1 b0 a8 succeeded {"receivedDocuments":1,"indexedDocuments":1}',
      '2 b1 a8 failed {"receivedDocuments":1,"indexedDocuments":0} ' +
        'index_primary_key_already_exists',
      '3 b2 a8 succeeded {"receivedDocuments":1,"indexedDocuments":1}',
    ])
  })

  it('an import that is refused fails alone', async () => {
    expect(
      await batched([
        imports('a9', [{ id: 1 }]),
        imports('a9', [{ bad: 1 }]),
        imports('a9', [{ id: 'no way' }]),
        imports('a9', [{ id: 5 }]),
      ]),
    ).toEqual([
      '0 b0 a9 succeeded {"receivedDocuments":1,"indexedDocuments":1}',
      '1 b0 a9 failed {"receivedDocuments":1,"indexedDocuments":0} missing_document_id',
      '2 b0 a9 failed {"receivedDocuments":1,"indexedDocuments":0} invalid_document_id',
      '3 b0 a9 succeeded {"receivedDocuments":1,"indexedDocuments":1}',
    ])
    expect(await running.queue.lists.batch(asBatchUid(1), null)).toMatchObject({
      details: { receivedDocuments: 4, indexedDocuments: 2 },
      stats: { status: { succeeded: 2, failed: 2 } },
    })
  })

  it('a batch that cannot run fails as a whole', async () => {
    expect(
      await batched([
        clears('b9'),
        deletesIds('b9', ['1']),
        deletesIds('b9', ['1']),
        imports('b9', [{ id: 1 }]),
      ]),
    ).toEqual([
      '0 b0 b9 failed {"deletedDocuments":0} index_not_found',
      '1 b0 b9 failed {"providedIds":1,"deletedDocuments":0,"originalFilter":null} index_not_found',
      '2 b0 b9 failed {"providedIds":1,"deletedDocuments":0,"originalFilter":null} index_not_found',
      '3 b1 b9 succeeded {"receivedDocuments":1,"indexedDocuments":1}',
    ])
    expect(await running.queue.lists.batch(asBatchUid(1), null)).toMatchObject({
      details: { providedIds: 2, deletedDocuments: 0 },
      stats: { status: { failed: 3 } },
    })
  })

  it('kinds with a separate queue come first; a swap is not overtaken', async () => {
    await batched([createsIndex('b1', 'id')])
    expect(
      await batched([
        imports('b1', [{ id: 1 }]),
        request(null, { kind: 'dumpCreation', keys: [], instanceUid: null }),
        request(null, { kind: 'snapshotCreation' }),
        request(null, { kind: 'snapshotCreation' }),
        updatesIndex('b1', 'x'),
        imports('b2', [{ id: 1 }]),
        swaps(['b1', 'b2']),
        imports('b1', [{ id: 3 }]),
        request('b1', { kind: 'indexCompaction' }),
        createsIndex('b1'),
      ]),
    ).toEqual([
      '0 b3 b2 succeeded {"receivedDocuments":1,"indexedDocuments":1}',
      '1 b2 null succeeded {"dumpUid":"20240808-090113348"}',
      '2 b1 null succeeded null',
      '3 b1 null succeeded null',
      '4 b4 b2 failed {"primaryKey":"x"} index_primary_key_already_exists',
      '5 b5 b1 succeeded {"receivedDocuments":1,"indexedDocuments":1}',
      '6 b6 null succeeded {"swaps":[{"indexes":["b1","b2"],"rename":false}]}',
      '7 b7 b1 succeeded {"receivedDocuments":1,"indexedDocuments":1}',
      '8 b0 b1 succeeded {"preCompactionSize":"2 KiB","postCompactionSize":"1 KiB"}',
      '9 b8 b1 failed {"primaryKey":null} index_already_exists',
    ])
  })

  it('limits', async () => {
    running = await openRunning({ limits: { tasksMax: 2, bytesMax: 25 } })
    const small = imports('a', [{ id: 1 }])
    expect(await batched([small, small, small])).toEqual([
      '0 b0 a succeeded {"receivedDocuments":1,"indexedDocuments":1}',
      '1 b0 a succeeded {"receivedDocuments":1,"indexedDocuments":1}',
      '2 b1 a succeeded {"receivedDocuments":1,"indexedDocuments":1}',
    ])
    const large = imports('a', [{ id: 12345678901 }])
    expect((await batched([large, small])).map((line) => line.slice(0, 4))).toEqual([
      '0 b0',
      '1 b1',
    ])
  })

  it('a limit of no tasks stops everything', async () => {
    running = await openRunning({ limits: { tasksMax: 0, bytesMax: 100 } })
    await running.queue.register(createsIndex('a'))
    await running.scheduler.idle()
    expect(await running.queue.lists.task(asTaskUid(0), null)).toMatchObject({ status: 'enqueued' })
  })
})

describe('the running batch', () => {
  it('shows its progress and its tasks as processing', async () => {
    const { queue, scheduler } = running
    await queue.register(createsIndex('pens'))
    await scheduler.idle()
    await queue.register(exports())
    await until(() => queue.lifecycle.running[0]?.view().progress?.steps.length === 2)
    expect(await queue.lists.task(asTaskUid(1), null)).toMatchObject({
      status: 'processing',
      batchUid: 1,
      finishedAt: null,
    })
    const batch = await queue.lists.batch(asBatchUid(1), null)
    expect(batch).toMatchObject({
      progress: {
        steps: [
          { currentStep: 'processing tasks', finished: 0, total: 2 },
          { currentStep: 'Exporting index `pens`', finished: 0, total: 1 },
        ],
        percentage: 0,
      },
      details: { url: 'http://127.0.0.1:9' },
      stats: { totalNbTasks: 1, status: { processing: 1 }, types: { export: 1 }, indexUids: {} },
      finishedAt: null,
    })
    expect(Object.keys(batch!.stats.progressTrace)).not.toHaveLength(0)
    expect(queue.lists.counts().statuses).toMatchObject({ processing: 1 })
    await scheduler.close()
    expect(await queue.lists.task(asTaskUid(1), null)).toMatchObject({
      status: 'enqueued',
      batchUid: null,
    })
  })
})

it('a running batch shows the calls of embedders so far', async () => {
  const embedderRequests = { total: 3, failed: 1, lastError: 'busy' }
  running = await openRunning({
    processor: {
      run: (plan, control) => {
        control.countRequests(() => embedderRequests)
        return running.engine.run(plan, control)
      },
    },
  })
  const { queue, scheduler } = running
  await queue.register(exports())
  await untilProcessing(queue)
  expect((await queue.lists.batch(asBatchUid(0), null))?.stats).toMatchObject({ embedderRequests })
  await scheduler.close()
})

describe('cancelations', () => {
  it('stop a running batch and take over its uid; the newest runs first', async () => {
    const { queue, scheduler } = running
    await queue.register(exports())
    await untilProcessing(queue)
    await queue.register({ ...imports('pens', [{ id: 1 }, { id: 2 }]), customMetadata: 'kept' })
    await queue.register(setsSettings('pens', { stopWords: ['a'] }))
    await queue.register(deletesFilter('pens', 'a = 1'))
    await queue.register(swaps(['pens', 'ink']))
    await queue.register(imports('pens', [{ id: 3 }]))
    await queue.registerCancelation(filterOf({ uids: [asTaskUid(1)] }), '?uids=1', null)
    await queue.registerCancelation(
      filterOf({ uids: [asTaskUid(2), asTaskUid(3), asTaskUid(4)] }),
      '?uids=2,3,4',
      null,
    )
    await queue.registerCancelation(filterOf({ uids: [asTaskUid(0)] }), '?uids=0', null)
    await scheduler.idle()
    const { results } = await queue.lists.tasks(
      filterOf({}),
      { from: null, limit: 20, reverse: true },
      null,
    )
    expect(results.map((task) => `${lineOf(task, 0, 0)} ${task.canceledBy}`)).toEqual([
      '0 b0 null canceled {"url":"http://127.0.0.1:9",' +
        '"indexes":{"*":{"filter":null,"overrideSettings":false}}} 8',
      '1 b2 pens canceled {"receivedDocuments":2,"indexedDocuments":0} 6',
      '2 b1 pens canceled {"stopWords":["a"]} 7',
      '3 b1 pens canceled {"providedIds":0,"deletedDocuments":0,"originalFilter":"\\"a = 1\\""} 7',
      '4 b1 null canceled {"swaps":[{"indexes":["pens","ink"],"rename":false}]} 7',
      '5 b3 pens succeeded {"receivedDocuments":1,"indexedDocuments":1} null',
      '6 b2 null succeeded {"matchedTasks":1,"canceledTasks":1,"originalFilter":"?uids=1"} null',
      '7 b1 null succeeded ' +
        '{"matchedTasks":3,"canceledTasks":3,"originalFilter":"?uids=2,3,4"} null',
      '8 b0 null succeeded {"matchedTasks":1,"canceledTasks":1,"originalFilter":"?uids=0"} null',
    ])
    expect(results[1]!.customMetadata).toBe('kept')
    expect(results[1]!.startedAt).toBe(results[6]!.startedAt)
    expect(await queue.lists.batch(asBatchUid(1), null)).toMatchObject({
      details: {
        providedIds: 0,
        deletedDocuments: 0,
        matchedTasks: 3,
        canceledTasks: 3,
        originalFilter: '"a = 1"&?uids=2,3,4',
        stopWords: ['a'],
        swaps: [{ indexes: ['pens', 'ink'], rename: false }],
      },
      stats: {
        totalNbTasks: 4,
        status: { succeeded: 1, canceled: 3 },
        types: { documentDeletion: 1, settingsUpdate: 1, indexSwap: 1, taskCancelation: 1 },
        indexUids: { pens: 2 },
      },
      batchStrategy:
        'created batch containing only task with id 7 of type `taskCancelation` ' +
        'that cannot be batched with any other task.',
    })
  })

  it('win over a failure that they cause', async () => {
    const { queue, scheduler, engine } = running
    const failure = { code: 'vector_embedding_error', message: 'the provider is away' }
    engine.endOfBlock = (plan) => ({ kind: 'uncommitted', result: allFailed(plan, failure) })
    await queue.register(exports())
    await untilProcessing(queue)
    await queue.registerCancelation(filterOf({ uids: [asTaskUid(0)] }), '?uids=0', null)
    await scheduler.idle()
    expect(await queue.lists.task(asTaskUid(0), null)).toMatchObject({
      status: 'canceled',
      error: null,
    })
    expect(await queue.lists.task(asTaskUid(1), null)).toMatchObject({
      status: 'succeeded',
      details: { matchedTasks: 1, canceledTasks: 1 },
    })
  })

  it('requeue the other tasks of the running batch', async () => {
    let abort: (() => void) | null = null
    const blocked = new Promise<void>((resolve) => {
      abort = resolve
    })
    running = await openRunning({
      processor: {
        run: async (plan, control) => {
          if (plan.tasks.length < 3) return running.engine.run(plan, control)
          await new Promise((resolve) => control.signal.addEventListener('abort', resolve))
          abort!()
          throw new Error('stopped')
        },
      },
    })
    const { queue, scheduler } = running
    await Promise.all([1, 2, 3].map((id) => queue.register(imports('a', [{ id }]))))
    await untilProcessing(queue)
    expect(queue.lists.counts().statuses).toMatchObject({ processing: 3 })
    await queue.registerCancelation(filterOf({ uids: [asTaskUid(1)] }), '?uids=1', null)
    await blocked
    await scheduler.idle()
    expect(await queue.lists.task(asTaskUid(0), null)).toMatchObject({
      status: 'succeeded',
      batchUid: 1,
    })
    expect(await queue.lists.task(asTaskUid(1), null)).toMatchObject({
      status: 'canceled',
      batchUid: 0,
    })
    expect(await queue.lists.task(asTaskUid(2), null)).toMatchObject({
      status: 'succeeded',
      batchUid: 1,
    })
    expect(await queue.lists.task(asTaskUid(3), null)).toMatchObject({
      status: 'succeeded',
      batchUid: 0,
    })
  })

  it('come too late for a committed batch', async () => {
    let release: (() => void) | null = null
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    running = await openRunning({
      processor: {
        run: async (plan, control) => {
          const end = await running.engine.run(plan, control)
          await held
          return end
        },
      },
    })
    const { queue, scheduler } = running
    await queue.register(createsIndex('a'))
    await untilProcessing(queue)
    await queue.registerCancelation(filterOf({ uids: [asTaskUid(0)] }), '?uids=0', null)
    release!()
    await scheduler.idle()
    expect(await queue.lists.task(asTaskUid(0), null)).toMatchObject({
      status: 'succeeded',
      batchUid: 0,
    })
    expect(await queue.lists.task(asTaskUid(1), null)).toMatchObject({
      batchUid: 1,
      details: { matchedTasks: 1, canceledTasks: 0 },
    })
  })

  it('cancel cancelations', async () => {
    const { queue, scheduler } = running
    await queue.register(exports())
    await untilProcessing(queue)
    await queue.register(createsIndex('a'))
    await Promise.all([
      queue.registerCancelation(filterOf({ uids: [asTaskUid(1)] }), '?uids=1', null),
      queue
        .registerCancelation(filterOf({ uids: [asTaskUid(1)] }), '?uids=1', null)
        .then(() =>
          queue.registerCancelation(
            filterOf({ uids: [asTaskUid(0), asTaskUid(2), asTaskUid(3)] }),
            '?uids=0,2,3',
            null,
          ),
        ),
    ])
    await scheduler.idle()
    expect(await queue.lists.task(asTaskUid(1), null)).toMatchObject({ status: 'succeeded' })
    expect(await queue.lists.task(asTaskUid(2), null)).toMatchObject({
      status: 'canceled',
      canceledBy: 4,
    })
    expect(await queue.lists.task(asTaskUid(3), null)).toMatchObject({
      status: 'canceled',
      details: { matchedTasks: 1, canceledTasks: 0 },
    })
  })
})

describe('deletions', () => {
  it('count each task once, keep unfinished ones, and run together', async () => {
    const { queue, scheduler } = running
    for (const uid of ['a', 'b', 'c']) await queue.register(createsIndex(uid))
    await scheduler.idle()
    await queue.register(exports())
    await untilProcessing(queue)
    await queue.register(createsIndex('d'))
    await queue.registerDeletion(
      filterOf({ uids: [asTaskUid(1), asTaskUid(3), asTaskUid(4)] }),
      '?uids=1,3,4',
      null,
    )
    await queue.registerDeletion(filterOf({ statuses: null }), '?statuses=*', null)
    await queue.registerDeletion(filterOf({ uids: [asTaskUid(99)] }), '?uids=99', null)
    await queue.registerCancelation(filterOf({ uids: [asTaskUid(3)] }), '?uids=3', null)
    await scheduler.idle()
    const { results } = await queue.lists.tasks(
      filterOf({}),
      { from: null, limit: 20, reverse: true },
      null,
    )
    expect(results.map((task) => lineOf(task, 0, 0))).toEqual([
      '4 b5 d succeeded {"primaryKey":null}',
      '5 b4 null succeeded {"matchedTasks":3,"deletedTasks":2,"originalFilter":"?uids=1,3,4"}',
      '6 b4 null succeeded {"matchedTasks":6,"deletedTasks":2,"originalFilter":"?statuses=*"}',
      '7 b4 null succeeded {"matchedTasks":0,"deletedTasks":0,"originalFilter":"?uids=99"}',
      '8 b3 null succeeded {"matchedTasks":1,"canceledTasks":1,"originalFilter":"?uids=3"}',
    ])
    expect(await queue.lists.batch(asBatchUid(4), null)).toMatchObject({
      details: {
        matchedTasks: 9,
        deletedTasks: 4,
        originalFilter: '?uids=1,3,4&?statuses=*&?uids=99',
      },
      batchStrategy:
        'stopped after the last task of type `taskDeletion` ' +
        'because they cannot be batched with tasks of any other type.',
    })
    expect(await queue.lists.batch(asBatchUid(0), null)).toBeNull()
    expect(await queue.lists.batch(asBatchUid(3), null)).not.toBeNull()
  })
})

describe('failures', () => {
  it.each([
    [new EngineFault('invalid_document_filter', 'no'), 'invalid_document_filter', 'no'],
    [new StorageError('missing', 'x', 'No such file'), 'io_error', 'No such file'],
    [new StorageError('corrupt', 'x', 'Bad bytes'), 'io_error', 'Bad bytes'],
    [
      new InvariantError('ids ascend'),
      'internal',
      'An unexpected crash occurred when processing the task: ids ascend',
    ],
    ['gone', 'internal', 'An unexpected crash occurred when processing the task: gone'],
  ])('%s fails all tasks of the batch', async (failure, code, message) => {
    const { queue, scheduler, engine, reports } = running
    engine.failure = failure
    await Promise.all([1, 2].map((id) => queue.register(imports('a', [{ id }]))))
    await scheduler.idle()
    expect(reports).toEqual(code === 'internal' ? ['Batch 0 crashed.'] : [])
    for (const uid of [0, 1]) {
      expect(await queue.lists.task(asTaskUid(uid), null)).toMatchObject({
        status: 'failed',
        error: { code, message },
        details: { receivedDocuments: 1, indexedDocuments: 0 },
      })
    }
    await queue.register(imports('a', [{ id: 3 }]))
    await scheduler.idle()
    expect(await queue.lists.task(asTaskUid(2), null)).toMatchObject({
      status: 'succeeded',
      batchUid: 1,
    })
  })

  const systemError = (code: string): Error => Object.assign(new Error(code), { code, errno: -1 })
  const FULL = new StorageError('no_space', 'x', 'the disk is full')

  it.each([
    FULL,
    new StorageError('too_many_open_files', 'x', 'too many'),
    new StorageError('io', 'x', 'the disk fails'),
    new StorageError('permission', 'x', 'read-only'),
    systemError('EMFILE'),
    systemError('ENOSPC'),
    systemError('ERR_WORKER_INIT_FAILED'),
  ])(
    '%s makes tasks wait, with one message when it begins and one when it ends',
    async (failure) => {
      const { queue, scheduler, engine, reports } = running
      engine.lastingFailure = failure
      await queue.register(imports('a', [{ id: 1 }]))
      await queue.register(setsSettings('b', { stopWords: ['x'] }))
      await until(() => engine.plans.length > 3)
      expect(await queue.lists.task(asTaskUid(0), null)).toMatchObject({
        finishedAt: null,
        error: null,
      })
      expect(queue.lifecycle.isRetrying).toBe(true)
      engine.lastingFailure = null
      await scheduler.idle()
      for (const uid of [0, 1])
        expect(await queue.lists.task(asTaskUid(uid), null)).toMatchObject({ status: 'succeeded' })
      expect(queue.lifecycle.isRetrying).toBe(false)
      expect(reports).toHaveLength(2)
      expect(reports[0]).toMatch(/^Tasks wait and are tried again, because .*: .*\.$/)
      expect(reports[1]).toBe('Tasks run again.')
    },
  )

  it.each([
    [3, [10, 5, 2, 4, 2, 4, 2, 4, 2, 2]],
    [1, [10, 5, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 1]],
  ])('a disk with space for %i tasks gets smaller batches', async (tasksMax, sizes) => {
    const { queue, scheduler, engine, reports } = running
    engine.refuses = ({ tasks }) => (tasks.length > tasksMax ? FULL : null)
    const ids = Array.from({ length: 10 }, (_, id) => id)
    await Promise.all(ids.map((id) => queue.register(imports('a', [{ id }]))))
    await scheduler.idle()
    for (const uid of ids) {
      expect(await queue.lists.task(asTaskUid(uid), null)).toMatchObject({ status: 'succeeded' })
    }
    expect(engine.plans.map(({ tasks }) => tasks.length)).toEqual(sizes)
    expect(engine.plans[2]!.strategy).toBe(
      'batched up to 2 tasks, because the disk had no space for more',
    )
    engine.refuses = () => null
    await Promise.all(ids.map((id) => queue.register(imports('a', [{ id }]))))
    await scheduler.idle()
    expect(engine.plans.at(-1)!.tasks).toHaveLength(10)
    expect(reports).toEqual([expect.stringMatching(/^Tasks wait .* full/), 'Tasks run again.'])
  })

  it('a closing queue does not wait for a pause', async () => {
    running = await openRunning({ retryPauseMs: RETRY_PAUSE_MS_MAX })
    running.engine.lastingFailure = FULL
    await running.queue.register(imports('a', [{ id: 1 }]))
    await until(() => running.queue.lifecycle.isRetrying)
    await running.scheduler.close()
    expect(running.engine.plans).toHaveLength(1)
    expect(await running.queue.lists.task(asTaskUid(0), null)).toMatchObject({ status: 'enqueued' })
  })

  it('a waiting task can be canceled during a pause', async () => {
    running = await openRunning({ retryPauseMs: RETRY_PAUSE_MS_MAX })
    const { queue, scheduler, engine } = running
    engine.lastingFailure = FULL
    await queue.register(imports('a', [{ id: 1 }]))
    await until(() => queue.lifecycle.isRetrying)
    await queue.registerCancelation(filterOf({ uids: [asTaskUid(0)] }), '?uids=0', null)
    await scheduler.idle()
    expect(await queue.lists.task(asTaskUid(0), null)).toMatchObject({
      status: 'canceled',
      canceledBy: 1,
    })
    expect(await queue.lists.task(asTaskUid(1), null)).toMatchObject({
      details: { canceledTasks: 1 },
    })
    expect(queue.lifecycle.isRetrying).toBe(false)
  })

  it.each([
    [FULL, 'no_space_left_on_device'],
    [new StorageError('too_many_open_files', 'x', 'too many'), 'too_many_open_files'],
    [new StorageError('io', 'x', 'the disk fails'), 'io_error'],
  ])('a task that writes outside of the database fails: %s', async (failure, code) => {
    const { queue, scheduler, engine } = running
    engine.failure = failure
    await queue.register(exports())
    await scheduler.idle()
    expect(await queue.lists.task(asTaskUid(0), null)).toMatchObject({
      status: 'failed',
      error: { code, message: failure.message },
    })
  })

  it('a log that refuses a commit is tried again', async () => {
    const { queue, scheduler, log, reports } = running
    const accepted = queue.register(deletesIndex('a'))
    await accepted
    log.failure = new StorageError('no_space', 'tasks', 'No space left')
    await until(() => reports.some((report) => report.startsWith('Tasks wait')))
    expect(await queue.lists.task(asTaskUid(0), null)).toMatchObject({ finishedAt: null })
    log.failure = null
    await scheduler.idle()
    expect(await queue.lists.task(asTaskUid(0), null)).toMatchObject({
      status: 'failed',
      batchUid: 0,
    })
  })

  it('a log that refuses the record of a committed batch gets it later', async () => {
    const { queue, scheduler, log } = running
    const accepted = queue.register(createsIndex('a'))
    await accepted
    log.failure = new StorageError('no_space', 'tasks', 'No space left')
    await scheduler.idle()
    expect(await queue.lists.task(asTaskUid(0), null)).toMatchObject({ status: 'succeeded' })
    expect(queue.lifecycle.isQuiet).toBe(false)
    log.failure = null
    await queue.lifecycle.saved()
    expect(log.disk.entries.map(({ type }) => type)).toEqual([1, 2])
  })

  it('an upgrade that failed blocks everything, and is tried again at start', async () => {
    const { queue, scheduler, engine, log } = running
    engine.failure = new EngineFault('internal', 'no')
    await queue.register(request(null, { kind: 'upgradeDatabase', from: 'v1.1.0', to: 'v1.50.0' }))
    await scheduler.idle()
    await queue.register(createsIndex('a'))
    await scheduler.idle()
    expect(await queue.lists.task(asTaskUid(0), null)).toMatchObject({
      status: 'failed',
      batchUid: 0,
    })
    expect(await queue.lists.task(asTaskUid(1), null)).toMatchObject({ status: 'enqueued' })
    await queue.close()

    const again = await openRunning({ queueOptions: { log } })
    again.scheduler.wake()
    await again.scheduler.idle()
    expect(await again.queue.lists.task(asTaskUid(0), null)).toMatchObject({
      status: 'succeeded',
      batchUid: 0,
    })
    expect(await again.queue.lists.task(asTaskUid(1), null)).toMatchObject({
      status: 'succeeded',
      batchUid: 1,
    })
  })
})

describe('an upgrade that failed', () => {
  it('can be canceled, and stays canceled', async () => {
    const { queue, scheduler, engine, log } = running
    engine.failure = new EngineFault('internal', 'no')
    await queue.register(request(null, { kind: 'upgradeDatabase', from: 'v1.1.0', to: 'v1.50.0' }))
    await scheduler.idle()
    const isFailed = filterOf({ statuses: ['failed'] })
    await queue.registerCancelation(isFailed, '?statuses=failed', null)
    await scheduler.idle()
    expect(await queue.lists.task(asTaskUid(0), null)).toMatchObject({
      status: 'canceled',
      canceledBy: 1,
    })
    expect(queue.waitingOfKind('upgradeDatabase')).toEqual([])
    await queue.close()

    const again = await openRunning({ queueOptions: { log } })
    again.scheduler.wake()
    await again.scheduler.idle()
    expect(await again.queue.lists.task(asTaskUid(0), null)).toMatchObject({ status: 'canceled' })
    expect(await again.queue.lists.task(asTaskUid(1), null)).toMatchObject({
      details: { canceledTasks: 1 },
    })
  })
})

describe('onFinished', () => {
  it('gets the tasks of each batch', async () => {
    const heard: string[] = []
    running = await openRunning({
      onFinished: (batch, tasks) => heard.push(`${batch}: ${tasks.toArray().join()}`),
    })
    await batched([createsIndex('a'), imports('b', [{ id: 1 }]), imports('b', [{ id: 2 }])])
    expect(heard).toEqual(['0: 0,4', '1: 1', '2: 2,3'])
  })
})

describe('while searches wait', () => {
  /** A scheduler that sees waiting searches; a sleep lasts until the test ends it. */
  async function openBehind(isAwaited = () => false) {
    const sleeping: (() => void)[] = []
    const clock = { nowMs: 1000 }
    const grouping = new Grouping({
      searchShare: () => 1,
      now: () => clock.nowMs * 1000,
      sleep: () => new Promise((resolve) => void sleeping.push(resolve)),
    })
    const opened = await openRunning({ grouping, isAwaited })
    const first = await opened.queue.register(imports('a', [{ id: 1 }]))
    await opened.scheduler.idle()
    return { ...opened, clock, sleeping, first: first.uid }
  }
  const batchOf = async (queue: TaskQueue, uid: number): Promise<number | null> =>
    (await queue.lists.task(asTaskUid(uid), null))!.batchUid

  it('tasks that arrive within a distance form one batch', async () => {
    const { queue, scheduler, clock, sleeping, first } = await openBehind()
    expect(await batchOf(queue, first)).toBe(0)
    for (const id of [2, 3, 4]) await queue.register(imports('a', [{ id }]))
    await until(() => sleeping.length === 1)
    expect((await queue.lists.task(asTaskUid(first + 1), null))!.status).toBe('enqueued')
    clock.nowMs += 1000
    sleeping[0]!()
    await scheduler.idle()
    const batches = [1, 2, 3].map((n) => batchOf(queue, first + n))
    expect(await Promise.all(batches)).toEqual([1, 1, 1])
  })

  it('a cancelation does not wait', async () => {
    const { queue, scheduler, sleeping, first } = await openBehind()
    const second = await queue.register(imports('a', [{ id: 2 }]))
    await until(() => sleeping.length === 1)
    await queue.registerCancelation(filterOf({ uids: [second.uid] }), '?', null)
    sleeping[0]!()
    await scheduler.idle()
    expect((await queue.lists.task(asTaskUid(first + 1), null))!.status).toBe('canceled')
  })

  it('a task that a request waits for does not wait', async () => {
    let isAwaited = false
    const { queue, scheduler, sleeping, first } = await openBehind(() => isAwaited)
    isAwaited = true
    await queue.register(imports('a', [{ id: 2 }]))
    await scheduler.idle()
    expect([sleeping.length, await batchOf(queue, first + 1)]).toEqual([0, 1])
  })

  it('closing does not wait', async () => {
    const { queue, scheduler, sleeping, first } = await openBehind()
    await queue.register(imports('a', [{ id: 2 }]))
    await until(() => sleeping.length === 1)
    const closed = scheduler.close()
    sleeping[0]!()
    await closed
    expect((await queue.lists.task(asTaskUid(first + 1), null))!.status).toBe('enqueued')
  })
})

describe('a topology change', () => {
  const CHANGE = { remoteName: 'a', taskUid: asTaskUid(7), networkVersion: 'v2' }
  const handsOver = (indexUid: string, id: number): TaskRequest => ({
    ...imports(indexUid, [{ id }]),
    network: {
      kind: 'import',
      change: CHANGE,
      source: {
        remoteName: 'b',
        indexName: indexUid,
        documentCount: 1,
        indexCount: 1,
        totalDocuments: 1,
        key: String(id),
      },
    },
  })

  it('ends with its imports: none runs among the writes behind it', async () => {
    const { queue, scheduler, engine } = running
    await queue.register(imports('pens', [{ id: 1 }]))
    await scheduler.idle()
    const change = await queue.register(
      request(null, { kind: 'networkTopologyChange', change: {} }),
    )
    queue.network.follow({ uid: change.uid, version: CHANGE.networkVersion })
    const imported = await queue.register(handsOver('pens', 2))
    const deletion = await queue.register(deletesIndex('pens'))
    await scheduler.idle()
    expect(await queue.lists.task(imported.uid, null)).toMatchObject({ status: 'succeeded' })
    expect(await queue.lists.task(deletion.uid, null)).toMatchObject({ status: 'enqueued' })
    // The import was pending when the change was canceled.
    await queue.registerCancelation(filterOf({ uids: [change.uid] }), '?', null)
    const late = await queue.register(handsOver('pens', 3))
    await scheduler.idle()
    expect(await queue.lists.task(change.uid, null)).toMatchObject({ status: 'canceled' })
    expect(await queue.lists.task(late.uid, null)).toMatchObject({
      status: 'canceled',
      error: null,
      details: { receivedDocuments: 1, indexedDocuments: 0 },
    })
    expect(await queue.lists.task(deletion.uid, null)).toMatchObject({ status: 'succeeded' })
    expect(engine.indexes.has('pens')).toBe(false)
    // It does not run under a later change either.
    const next = await queue.register(request(null, { kind: 'networkTopologyChange', change: {} }))
    queue.network.follow({ uid: next.uid, version: 'v3' })
    const later = await queue.register(handsOver('pens', 4))
    await scheduler.idle()
    expect(await queue.lists.task(later.uid, null)).toMatchObject({ status: 'canceled' })
    expect(engine.indexes.has('pens')).toBe(false)
  })
})
