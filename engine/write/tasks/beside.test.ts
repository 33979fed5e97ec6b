// Small batches beside a long one: which end first, what waits for both, cancelations, failures,
// and random work that ends as if one batch had run after another.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvariantError } from '../../../format/errors.ts'
import { asBatchUid, asIndexUid, asTaskUid } from '../../../format/ids.ts'
import { StorageError } from '../../model/index.ts'
import type { BatchControl, BatchEnd, BatchPlan, Processor } from '../batching/plan.ts'
import { LONG_BATCH_DOCUMENTS_MIN } from '../task-data/limits.ts'
import type { TaskRequest } from '../task-data/types.ts'
import { Beside } from './beside.ts'
import {
  clears,
  createsIndex,
  deletesIds,
  exports,
  filterOf,
  imports,
  openRunning,
  type Running,
  setsSettings,
  swaps,
  until,
  updatesIndex,
} from './test-support.ts'

const ALL = { from: null, limit: 1000, reverse: true }
const MANY = Array.from({ length: LONG_BATCH_DOCUMENTS_MIN }, (_, i) => String(i))
/** A request whose batch is long from its start. */
const long = (indexUid: string): TaskRequest => deletesIds(indexUid, MANY)
const small = (indexUid: string, id = 1): TaskRequest => imports(indexUid, [{ id }])

/** Passes batches on; those of a blocked index only when it is released, or they are aborted. */
class Gate implements Processor {
  readonly blocked = new Set<string>()
  /** Whether each batch was said to run beside another one. */
  readonly areBeside: boolean[] = []
  /** Indexes of the batches in the order of their begin and of their end. */
  readonly began: string[] = []
  readonly ended: string[] = []
  #waiting: (() => void)[] = []
  readonly #inner: () => Processor

  constructor(inner: () => Processor) {
    this.#inner = inner
  }

  async run(plan: BatchPlan, control: BatchControl): Promise<BatchEnd> {
    const name = plan.work.indexUid ?? plan.work.kind
    this.began.push(name)
    this.areBeside.push(control.isBeside)
    control.progress([{ currentStep: 'indexing', finished: 0, total: 1 }])
    while (this.blocked.has(name) && !control.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve)
        control.signal.addEventListener('abort', () => resolve(), { once: true })
      })
    }
    if (control.signal.aborted) return { kind: 'aborted' }
    const end = await this.#inner().run(plan, control)
    if (end.kind !== 'aborted') this.ended.push(name)
    return end
  }

  release(...names: readonly string[]): void {
    for (const name of names) this.blocked.delete(name)
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

type Lanes = Running & { readonly gate: Gate }

/** Number of batches that were found to be long. */
let longs = 0

async function opened(longBatchMs = 1e6, blocked: readonly string[] = ['a']): Promise<Lanes> {
  longs = 0
  const gate = new Gate(() => running.engine)
  for (const name of blocked) gate.blocked.add(name)
  const running: Running = await openRunning({
    processor: gate,
    longBatchMs,
    onLong: () => longs++,
  })
  for (const name of ['a', 'b', 'c']) {
    running.engine.indexes.set(name, { primaryKey: 'id', documents: new Map(), settings: {} })
  }
  return { ...running, gate }
}

const statusesOf = async ({ queue }: Lanes): Promise<readonly string[]> =>
  (await queue.lists.tasks(filterOf({}), ALL, null)).results.map(({ status }) => status)

const hasEnded = ({ queue }: Lanes, uid: number) => until(() => queue.hasEnded(asTaskUid(uid)))

/** Lets the event loop turn, so that everything that can begin has begun. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 200; turns++) await new Promise((resolve) => setImmediate(resolve))
}

describe('small batches', () => {
  it('of other indexes end while a long one runs, each under its own uid', async () => {
    const lanes = await opened()
    const { queue, gate, scheduler } = lanes
    await queue.register(long('a'))
    await queue.register(small('b'))
    await hasEnded(lanes, 1)
    await queue.register(small('c'))
    await hasEnded(lanes, 2)
    await queue.register(small('b', 2))
    await hasEnded(lanes, 3)
    expect(await statusesOf(lanes)).toEqual(['processing', 'succeeded', 'succeeded', 'succeeded'])
    gate.release('a')
    await scheduler.idle()
    expect(gate.ended).toEqual(['b', 'c', 'b', 'a'])
    expect(gate.areBeside).toEqual([false, true, true, true])
    const { results } = await queue.lists.batches(filterOf({}), ALL, null)
    expect(results.map(({ uid, stats }) => [uid, Object.keys(stats.indexUids)])).toEqual([
      [0, ['a']],
      [1, ['b']],
      [2, ['c']],
      [3, ['b']],
    ])
  })

  it('are shown as processing together with the long one', async () => {
    const { queue, gate, scheduler } = await opened(1e6, ['a', 'b'])
    await queue.register(long('a'))
    await queue.register(small('b'))
    await until(() => gate.began.length === 2)
    const filter = filterOf({ statuses: ['processing'] })
    const { results } = await queue.lists.batches(filter, ALL, null)
    expect(results.map(({ uid, progress }) => [uid, progress?.steps.at(-1)?.currentStep])).toEqual([
      [0, 'indexing'],
      [1, 'indexing'],
    ])
    expect(['a', 'b', 'c'].map((uid) => queue.isIndexing(asIndexUid(uid)))).toEqual([
      true,
      true,
      false,
    ])
    gate.release('a')
    await until(() => queue.hasEnded(asTaskUid(0)))
    expect(queue.lifecycle.running.map(({ uid }) => uid)).toEqual([1])
    await queue.register(small('c'))
    await settled()
    expect(gate.began, 'the next batch begins when both have ended').toEqual(['a', 'b'])
    gate.release('b')
    await scheduler.idle()
    expect(gate.began).toEqual(['a', 'b', 'c'])
  })

  it('begin beside any batch of one index when it has run for some time', async () => {
    const lanes = await opened(5)
    const { queue, gate, scheduler } = lanes
    await queue.register(setsSettings('a', { stopWords: ['x'] }))
    await queue.register(small('b'))
    await hasEnded(lanes, 1)
    expect([gate.ended, longs]).toEqual([['b'], 1])
    gate.release('a')
    await scheduler.idle()
  })

  it('wait behind a batch that is not long', async () => {
    const { queue, gate, scheduler } = await opened()
    await queue.register(small('a'))
    await queue.register(small('b'))
    await settled()
    expect([gate.began, longs]).toEqual([['a'], 0])
    gate.release('a')
    await scheduler.idle()
    expect(gate.ended).toEqual(['a', 'b'])
  })

  it.each([
    ['the same index', [small('a')]],
    ['an index with an older large task', [long('b'), small('b')]],
    ['an index with an older change of settings', [setsSettings('b', {}), small('b')]],
    ['an index that an older swap names', [swaps(['b', 'c']), small('b')]],
    ['no documents', [clears('b'), createsIndex('d'), updatesIndex('c', 'id')]],
  ])('do not begin for %s', async (_, requests) => {
    const { queue, gate, scheduler } = await opened()
    await queue.register(long('a'))
    for (const one of requests) await queue.register(one)
    await settled()
    expect(gate.began).toEqual(['a'])
    gate.release('a')
    await scheduler.idle()
  })

  it('do not begin beside a batch of all indexes, nor while one waits', async () => {
    const { queue, gate, scheduler } = await opened(0, ['a', 'export'])
    await queue.register(exports())
    await queue.register(small('b'))
    await until(() => gate.began.length === 1)
    await new Promise((resolve) => setTimeout(resolve, 5))
    await settled()
    expect(gate.began).toEqual(['export'])
    await queue.registerCancelation(filterOf({ uids: [0] }), '?', null)
    await scheduler.idle()
    await queue.register(long('a'))
    await queue.register(exports())
    await queue.register(small('b', 2))
    await settled()
    expect(gate.began.slice(1)).toEqual(['b', 'a'])
    gate.release('a', 'export')
    await until(() => gate.began.includes('export', 1))
    await queue.registerCancelation(filterOf({ uids: [4] }), '?', null)
    await scheduler.idle()
    expect(gate.ended).toEqual(['b', 'a', 'b'])
  })
})

describe('cancelations beside a long batch', () => {
  it('of the small one, of a waiting task, and of the long one', async () => {
    const lanes = await opened(1e6, ['a', 'b'])
    const { queue, gate, scheduler } = lanes
    await queue.register(long('a'))
    await queue.register(small('b'))
    await queue.register(small('c'))
    await until(() => gate.began.length === 2)
    await queue.registerCancelation(filterOf({ uids: [1] }), '?', null)
    await hasEnded(lanes, 2)
    expect((await statusesOf(lanes)).slice(0, 3)).toEqual(['processing', 'canceled', 'succeeded'])
    await queue.register(small('b', 3))
    await queue.registerCancelation(filterOf({ uids: [4] }), '?', null)
    await hasEnded(lanes, 5)
    expect((await queue.lists.task(asTaskUid(4), null))?.status).toBe('canceled')
    await queue.registerCancelation(filterOf({ uids: [0] }), '?', null)
    await scheduler.idle()
    expect(await queue.lists.task(asTaskUid(0), null)).toMatchObject({
      status: 'canceled',
      canceledBy: 6,
    })
    expect(gate.ended).toEqual(['c'])
  })

  it('that name the long one wait until it has stopped', async () => {
    const lanes = await opened()
    const { queue, gate, scheduler } = lanes
    await queue.register(long('a'))
    await until(() => gate.began.length === 1)
    await queue.registerCancelation(filterOf({ uids: [0] }), '?', null)
    await queue.register(small('b'))
    gate.release('a')
    await scheduler.idle()
    expect(await statusesOf(lanes)).toEqual(['canceled', 'succeeded', 'succeeded'])
    expect((await queue.lists.task(asTaskUid(1), null))?.details).toMatchObject({
      matchedTasks: 1,
      canceledTasks: 1,
    })
  })

  it('delete ended tasks, but wait for the end of tasks that run', async () => {
    const lanes = await opened()
    const { queue, gate, scheduler } = lanes
    await queue.register(long('a'))
    await queue.register(small('b'))
    await hasEnded(lanes, 1)
    await queue.registerDeletion(filterOf({ uids: [1] }), '?', null)
    await hasEnded(lanes, 2)
    expect(await queue.lists.task(asTaskUid(1), null)).toBeNull()
    await queue.registerDeletion(filterOf({ uids: [0] }), '?', null)
    await settled()
    expect(queue.hasEnded(asTaskUid(3))).toBe(false)
    gate.release('a')
    await scheduler.idle()
    expect(await queue.lists.task(asTaskUid(0), null)).toBeNull()
  })
})

describe('failures beside a long batch', () => {
  it('of the disk: the small batch runs after the long one', async () => {
    const { queue, gate, engine, scheduler } = await opened()
    let refusals = 0
    engine.refuses = ({ work }) => {
      if (work.indexUid !== 'b' || refusals > 0) return null
      refusals++
      return new StorageError('no_space', 'segments', 'full')
    }
    await queue.register(long('a'))
    await queue.register(small('b'))
    await settled()
    expect([gate.began, refusals]).toEqual([['a', 'b'], 1])
    expect((await queue.lists.task(asTaskUid(1), null))?.status).toBe('enqueued')
    gate.release('a')
    await scheduler.idle()
    expect(gate.ended).toEqual(['a', 'b'])
  })

  it('of the log: the end of a small batch that failed is tried again', async () => {
    const { queue, gate, log, scheduler } = await opened()
    await queue.register(long('a'))
    await until(() => gate.began.length === 1)
    await queue.register(imports('nowhere', [{ id: 1 }], { allowIndexCreation: false }))
    log.failure = new StorageError('io', 'tasks', 'no')
    await settled()
    log.failure = null
    gate.release('a')
    await scheduler.idle()
    expect(gate.began).toEqual(['a', 'nowhere', 'nowhere'])
    expect((await queue.lists.task(asTaskUid(1), null))?.error?.code).toBe('index_not_found')
  })

  it('of the thread: the small batch is tried again alone, and fails if it fails again', async () => {
    for (const crashes of [1, 2]) {
      const { queue, gate, engine, scheduler } = await opened()
      let left = crashes
      engine.refuses = ({ work }) => {
        return work.indexUid === 'b' && left-- > 0 ? new TypeError('broken') : null
      }
      await queue.register(long('a'))
      await queue.register(small('b'))
      await settled()
      expect(queue.hasEnded(asTaskUid(1))).toBe(false)
      gate.release('a')
      await scheduler.idle()
      expect(gate.began).toEqual(['a', 'b', 'b'])
      const status = crashes === 1 ? 'succeeded' : 'failed'
      expect((await queue.lists.task(asTaskUid(1), null))?.status).toBe(status)
    }
  })

  it('of ours stop the scheduler when the long one has ended', async () => {
    const { queue, gate, scheduler } = await opened()
    await queue.register(long('a'))
    await until(() => gate.began.length === 1)
    queue.lifecycle.beginBeside = () => Promise.reject(new InvariantError('broken'))
    await queue.register(small('b'))
    await settled()
    gate.release('a')
    await expect(scheduler.idle()).rejects.toThrow('broken')
  })

  it('closing aborts both', async () => {
    const lanes = await opened(1e6, ['a', 'b'])
    await lanes.queue.register(long('a'))
    await lanes.queue.register(small('b'))
    await until(() => lanes.gate.began.length === 2)
    await lanes.scheduler.close()
    expect(await statusesOf(lanes)).toEqual(['enqueued', 'enqueued'])
  })
})

describe('random work', () => {
  const name = fc.constantFrom('a', 'b', 'c')
  const anyRequest: fc.Arbitrary<TaskRequest> = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(name, fc.nat(9)).map(([uid, id]) => imports(uid, [{ id, v: id * 7 }])),
    },
    {
      weight: 3,
      arbitrary: fc.tuple(name, fc.nat(9)).map(([uid, id]) => deletesIds(uid, [`${id}`])),
    },
    { weight: 2, arbitrary: name.map(long) },
    name.map(clears),
    name.map((uid) => setsSettings(uid, { stopWords: [uid] })),
    fc.tuple(name, name).map(([a, b]) => swaps([a, b])),
  )
  type Step = TaskRequest | 'release' | 'turn'
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 5, arbitrary: anyRequest },
    fc.constantFrom<Step>('release', 'turn', 'turn'),
  )

  /** Runs the work; with `lanes`, all batches of an index end only when they are released. */
  async function results(steps: readonly Step[], lanes: boolean) {
    const world = await opened(lanes ? 0 : 1e6, lanes ? ['a', 'b', 'c'] : [])
    const { queue, gate, engine, scheduler } = world
    for (const one of steps) {
      if (one === 'release') {
        gate.release('a', 'b', 'c')
        for (const uid of ['a', 'b', 'c']) if (lanes) gate.blocked.add(uid)
      } else if (one === 'turn') await new Promise((resolve) => setTimeout(resolve, 2))
      else await queue.register(one)
      if (!lanes) await scheduler.idle()
    }
    const both = gate.began.length - gate.ended.length
    gate.release('a', 'b', 'c')
    await scheduler.idle()
    const { results: tasks } = await queue.lists.tasks(filterOf({}), ALL, null)
    const indexes = [...engine.indexes].map(([uid, { documents, settings }]) => {
      return [uid, [...documents].sort(([a], [b]) => (a < b ? -1 : 1)), settings]
    })
    return { both, tasks: tasks.map(({ status, error }) => [status, error?.code]), indexes }
  }

  it('ends as if one batch had run after another', { timeout: 60_000 }, async () => {
    let most = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 16 }), async (steps) => {
        const beside = await results(steps, true)
        const after = await results(steps, false)
        expect(beside.tasks).toEqual(after.tasks)
        expect(beside.indexes.toSorted()).toEqual(after.indexes.toSorted())
        most = Math.max(most, beside.both)
      }),
      { numRuns: 60 },
    )
    expect(most, 'two batches ran at the same time').toBe(2)
  })
})

it('a batch that ended beside another one keeps its uid in lookups', async () => {
  const lanes = await opened()
  const { queue, gate, scheduler } = lanes
  await queue.register(long('a'))
  await queue.register(small('b'))
  await hasEnded(lanes, 1)
  gate.release('a')
  await scheduler.idle()
  expect((await queue.lists.batch(asBatchUid(0), null))?.stats.indexUids).toEqual({ a: 1 })
  expect((await queue.lists.batch(asBatchUid(1), null))?.stats.indexUids).toEqual({ b: 1 })
})

describe('the gate of small batches', () => {
  /** A gate; each batch ends when the test ends it, with this result or failure. */
  function gateOf() {
    const ends: ((result: boolean | Error) => void)[] = []
    const beside = new Beside({
      longMs: 1e6,
      onOpen: () => undefined,
      wait: async () => undefined,
      run: () =>
        new Promise<boolean>((resolve, reject) => {
          ends.push((result) => (result instanceof Error ? reject(result) : resolve(result)))
        }),
    })
    return { beside, ends }
  }

  it('runs one batch after another until none could run', async () => {
    const { beside, ends } = gateOf()
    beside.open('now')
    await until(() => ends.length === 1)
    ends[0]!(true)
    await until(() => ends.length === 2)
    beside.wake()
    ends[1]!(false)
    await until(() => ends.length === 3)
    ends[2]!(false)
    await settled()
    expect(ends).toHaveLength(3)
    await beside.closed()
  })

  it('begins no batch when it is closed, and reports once what stopped it', async () => {
    const { beside, ends } = gateOf()
    beside.wake()
    await settled()
    expect(ends).toHaveLength(0)
    beside.open('now')
    await until(() => ends.length === 1)
    ends[0]!(new Error('broken'))
    await settled()
    beside.wake()
    await settled()
    expect(ends).toHaveLength(1)
    await expect(beside.closed()).rejects.toThrow('broken')
    await beside.closed()
  })

  it('is closed when the last batch has ended', async () => {
    const { beside, ends } = gateOf()
    beside.open('now')
    await until(() => ends.length === 1)
    let isClosed = false
    const closing = beside.closed().then(() => {
      isClosed = true
    })
    await settled()
    expect(isClosed).toBe(false)
    ends[0]!(true)
    await closing
    expect(ends).toHaveLength(1)
  })
})
