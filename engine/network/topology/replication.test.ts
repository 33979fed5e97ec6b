// Copies of tasks: what each remote has not confirmed, what is sent to it, and what is canceled on
// the instances that have a copy.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { asIndexUid, asTaskUid, type TaskUid } from '../../../format/ids.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  enqueue,
  openTestEngine,
  type TestEngine,
} from '../../testing/test-engine.ts'
import { NO_FILTER } from '../../write/task-data/index.ts'
import type { Network } from '../records/index.ts'
import { GROUP_MAX } from './limits.ts'
import { LocalReplication } from './replication.ts'
import { ledByA, V1, V2 } from './test-networks.ts'

it('leaves out changes of the network, and tasks that are gone', async () => {
  const named = ['indexCreation', 'networkTopologyChange', 'documentAdditionOrUpdate']
  const enqueuedView = async (uid: number) => (uid < named.length ? { kind: uid } : null)
  const replication = new LocalReplication(
    { queue: { lists: { enqueuedView } } } as never,
    { of: (kind: number) => ({ name: named[kind] }) } as never,
  )
  expect(await replication.writesOf([2, 1, 0, 3].map(asTaskUid))).toEqual([2, 0])
  expect(await replication.writesOf([])).toEqual([])
})

let open: TestEngine | null = null
afterEach(async () => {
  await open?.close()
  open = null
})
const opened = async (disk: FakeDisk, network: Network): Promise<TestEngine> => {
  open = await openTestEngine(disk.mount())
  await open.network.update(() => network)
  return open
}

const LED_BY_A = ledByA('b', 'c')
const CREATION = { kind: 'indexCreation', primaryKey: null } as const
const DONE = { taskUid: asTaskUid(50), error: null }

/** Registers a change of the network: index tasks behind it wait until it has ended. */
async function change(engine: TestEngine): Promise<TaskUid> {
  const before = engine.network.get()
  const after = { ...before, version: V2 }
  const lists = { absent: [], bringing: [], renewed: [], renewedShards: new Map() }
  const origin = { remoteName: 'a', taskUid: asTaskUid(70), networkVersion: V2 }
  const { uid } = await engine.topology.register(
    { before, after, ...lists, isReturning: false },
    before.self === before.leader
      ? { kind: 'leader', version: V2, remotes: ['b', 'c'] }
      : { kind: 'origin', origin },
  )
  return uid
}
const cancel = (engine: TestEngine, uids: readonly TaskUid[]) =>
  engine.tasks.enqueueCancelation({ ...NO_FILTER, uids }, `?uids=${uids.join(',')}`, null)
const create = async (engine: TestEngine, indexUid: string): Promise<TaskUid> =>
  (await enqueue(engine, indexUid, CREATION)).uid
const statusOf = async (engine: TestEngine, uid: TaskUid) =>
  (await engine.tasks.get(uid, null))?.status

describe('on the leader', () => {
  it('each task is due to each remote until it has confirmed it', async () => {
    const engine = await opened(new FakeDisk(), LED_BY_A)
    const { replication } = engine
    expect([replication.remotesDue(), replication.oldestDue('b')]).toEqual([[], null])
    const first = await create(engine, 'one')
    const second = await create(engine, 'two')
    expect([...replication.remotesDue()].sort()).toEqual(['b', 'c'])
    expect(replication.backlog('b').tasks).toBe(2)
    await replication.answered(first, 'b', DONE)
    expect([replication.oldestDue('b'), replication.oldestDue('c')]).toEqual([second, first])
    expect(replication.results(first)).toEqual({ b: DONE })
    const error = { message: 'later', code: 'x', type: 'y', link: '' }
    await replication.answered(second, 'b', { error, isFinal: false })
    expect(replication.oldestDue('b')).toBe(second)
    await replication.answered(second, 'b', { error, isFinal: true })
    expect([replication.oldestDue('b'), replication.remotesDue()]).toEqual([null, ['c']])
  })

  it('a remote that is given up receives no tasks, also after a restart', async () => {
    const disk = new FakeDisk()
    const engine = await opened(disk, LED_BY_A)
    await create(engine, 'one')
    await engine.replication.giveUp('b', 'backlog')
    const check = ({ replication }: TestEngine): void => {
      expect([replication.remotesDue(), replication.oldestDue('b')]).toEqual([['c'], null])
      expect(replication.backlog('b').tasks).toBe(0)
      expect([...replication.stale()]).toEqual([['b', { reason: 'backlog', before: 1 }]])
      expect(['b', 'c'].map((name) => replication.isLacking(name))).toEqual([true, false])
    }
    check(engine)
    await engine.close()
    open = await openTestEngine(disk.mount())
    check(open)
    await create(open, 'two')
    expect(open.replication.remotesDue()).toEqual(['c'])
  })

  it('shards that differ are marked, unless the remote lacks writes', async () => {
    const { replication } = await opened(new FakeDisk(), LED_BY_A)
    await replication.markSuspect('b', ['t', 's'])
    await replication.markSuspect('b', ['s', 'r'])
    const marked = { reason: 'different', before: 0, shards: ['r', 's', 't'] }
    expect([...replication.stale()]).toEqual([['b', marked]])
    expect(replication.isLacking('b')).toBe(false)
    await replication.giveUp('b', 'refused')
    await replication.markSuspect('b', ['s'])
    expect([...replication.stale()]).toEqual([['b', { reason: 'refused', before: 0 }]])
  })

  it('a task is sent as it was requested', async () => {
    const engine = await opened(new FakeDisk(), LED_BY_A)
    const metadata = 'mine'
    const { uid } = await addDocuments(engine, 'films', [{ id: 1 }, { id: 2 }], { metadata })
    const created = await create(engine, 'books')
    const sent = await engine.replication.sentTask(uid)
    expect({ ...sent, documents: Buffer.from(sent!.documents!).toString() }).toMatchObject({
      uid,
      indexUid: 'films',
      content: { kind: 'documentAdditionOrUpdate', method: 'replace', primaryKey: null },
      customMetadata: metadata,
      version: V1,
      documents: '{"id":1}{"id":2}',
      isVoid: false,
    })
    await engine.idle()
    expect(engine.replication.isIdle).toBe(true)
    expect(await engine.replication.sentTask(created)).toMatchObject({
      indexUid: 'books',
      content: CREATION,
      customMetadata: null,
      documents: null,
      hasEnded: true,
      isVoid: false,
    })
    expect(await engine.replication.sentTask(asTaskUid(99))).toBeNull()
  })

  it.each([true, false])(
    'a change that has ended is void unless it succeeded: %s',
    async (isGood) => {
      const engine = await opened(new FakeDisk(), LED_BY_A)
      const uid = await change(engine)
      const running = engine.topology.change!
      expect(await engine.replication.sentTask(uid)).toMatchObject({
        hasEnded: false,
        isVoid: false,
      })
      if (isGood) engine.topology.complete(running, true)
      else engine.topology.fail(running, ['b'])
      await vi.waitFor(() => expect(engine.topology.change).toBe(null), 10_000)
      expect(await engine.replication.sentTask(uid)).toMatchObject({
        hasEnded: true,
        isVoid: !isGood,
      })
    },
  )

  it('a canceled task is canceled on the remotes that may have it', async () => {
    const engine = await opened(new FakeDisk(), LED_BY_A)
    const { replication } = engine
    engine.onCanceling(
      async () => new Set(),
      () => undefined,
    )
    await change(engine)
    const uids = [await create(engine, 'one'), await create(engine, 'two')]
    expect(replication.isIdle).toBe(false)
    await cancel(engine, uids)
    await vi.waitFor(async () => expect(await statusOf(engine, uids[1]!)).toBe('canceled'))
    expect(await replication.canceledDue('b')).toEqual([{ version: V2, uids }])
    expect(uids.map((uid) => replication.isCanceled(uid, 'b'))).toEqual([true, true])
    await replication.answered(uids[0]!, 'b', DONE)
    expect(await replication.canceledDue('b')).toEqual([{ version: V2, uids: [uids[1]] }])
    expect(replication.isCanceled(uids[0]!, 'b')).toBe(false)
  })

  it('a write is not canceled before the remotes can be asked about it', async () => {
    const engine = await opened(new FakeDisk(), LED_BY_A)
    await change(engine)
    const uids = [await create(engine, 'one'), await create(engine, 'two')]
    const { uid } = await cancel(engine, uids)
    await vi.waitFor(async () =>
      expect(await engine.tasks.get(uid, null)).toMatchObject({
        status: 'succeeded',
        details: { canceledTasks: 0 },
      }),
    )
    expect(await statusOf(engine, uids[1]!)).toBe('enqueued')
    expect(await engine.replication.canceledDue('b')).toEqual([])
  })

  it('tasks are grouped by the network of their registration, some at a time', async () => {
    const engine = await opened(new FakeDisk(), LED_BY_A)
    const { replication } = engine
    const early = await create(engine, 'early')
    await change(engine)
    const late = await create(engine, 'late')
    const gone = Array.from({ length: GROUP_MAX + 1 }, (_, i) => asTaskUid(100 + i))
    expect(await replication.groups([early, late, ...gone])).toEqual([
      { version: V1, uids: [early] },
      { version: V2, uids: [late] },
      { version: '', uids: gone.slice(0, GROUP_MAX) },
      { version: '', uids: gone.slice(GROUP_MAX) },
    ])
  })
})

describe('copies', () => {
  const FOLLOWS_A: Network = { ...LED_BY_A, self: 'b' }
  const group = (...uids: readonly number[]) => ({ version: V1, uids: uids.map(asTaskUid) })
  /** Registers the copy of a task of the leader. */
  const copy = async (engine: TestEngine, indexUid: string, taskUid: number): Promise<TaskUid> => {
    const origin = { remoteName: 'a', taskUid: asTaskUid(taskUid), networkVersion: V1 }
    const registration = { uid: null, isDry: false, network: { kind: 'origin', origin } } as const
    const request = { indexUid: asIndexUid(indexUid), content: CREATION, customMetadata: null }
    return (await engine.tasks.enqueue({ ...request, registration })).uid
  }

  it('are held until they are released; those that have run are reported', async () => {
    const engine = await opened(new FakeDisk(), FOLLOWS_A)
    const { replication } = engine
    await copy(engine, 'one', 7)
    await engine.idle()
    const second = await copy(engine, 'two', 8)
    expect(await replication.holdCopies('a', group(7, 8, 9))).toEqual([7])
    const third = await copy(engine, 'three', 10)
    for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve))
    // Those behind them wait as well.
    for (const uid of [second, third]) expect(await statusOf(engine, uid)).toBe('enqueued')
    replication.releaseCopies('a', group(8))
    await engine.idle()
    expect(await statusOf(engine, second)).toBe('succeeded')
  })

  it('are canceled unless they have run; a later copy is not accepted', async () => {
    const engine = await opened(new FakeDisk(), FOLLOWS_A)
    const { replication } = engine
    await copy(engine, 'one', 7)
    await engine.idle()
    const second = await copy(engine, 'two', 8)
    await replication.holdCopies('a', group(8))
    expect(await replication.cancelCopies('a', group(7, 8, 9))).toEqual([7])
    expect(await statusOf(engine, second)).toBe('canceled')
    // The request may be repeated.
    expect(await replication.cancelCopies('a', group(7, 8, 9))).toEqual([7])
    await expect(copy(engine, 'four', 9)).rejects.toThrow('canceled where it comes from')
  })
})
