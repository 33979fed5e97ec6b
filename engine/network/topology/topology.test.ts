// Changes of a network on one instance with a real engine: what searches, writes and other instances
// see while a change runs, after it has ended, and after a restart.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { asIndexUid, asTaskUid } from '../../../format/ids.ts'
import { EngineFault } from '../../model/index.ts'
import { defaultSettings } from '../../settings/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  documentsOf,
  enqueue,
  openTestEngine,
  type TestEngine,
} from '../../testing/test-engine.ts'
import { type Network, NO_NETWORK } from '../records/index.ts'
import { ledByA, V1, V2 } from './test-networks.ts'
import type { NewNetworks } from './topology-port.ts'

let open: TestEngine | null = null
afterEach(async () => {
  await open?.close()
  open = null
})
const opened = async (disk = new FakeDisk()): Promise<TestEngine> =>
  (open = await openTestEngine(disk.mount()))

/** Milliseconds within which the batch of a change runs, also on a busy machine. */
const ENDS_MS = 10_000

const LED_BY_A = ledByA('b')

it('sends tasks that arrive during the registration of a renewal', async () => {
  const engine = await opened()
  const before = await engine.network.update(() => LED_BY_A)
  await engine.replication.giveUp('b', 'refused')
  const content = { kind: 'indexCreation', primaryKey: null } as const
  await enqueue(engine, 'early', content)
  expect(engine.replication.backlog('b').tasks).toBe(0)
  const after = { ...before, version: V2 }
  const renewal = { renewed: ['b'], renewedShards: new Map() }
  const networks = { before, after, absent: [], bringing: [], ...renewal, isReturning: false }
  const leader = { kind: 'leader', version: after.version, remotes: ['b'] } as const
  const registering = engine.topology.register(networks, leader)
  // Its uid is greater than the uid of the change, which is not durable yet.
  const created = await enqueue(engine, 'late', content)
  expect(created.uid).toBeGreaterThan((await registering).uid)
  expect(engine.replication.backlog('b').tasks).toBe(2)
})

const unchanged = {
  absent: [],
  bringing: [],
  renewed: [],
  renewedShards: new Map(),
  isReturning: false,
}

describe('instances that bring documents', () => {
  const version = V2
  const origin = { remoteName: 'a', taskUid: asTaskUid(7), networkVersion: version }
  const after: Network = { ...LED_BY_A, self: 'b', term: 1, version }

  it.each([null, 'a'])('are named until the change has succeeded (leader %s)', async (leader) => {
    const engine = await opened()
    const before: Network = { ...LED_BY_A, self: 'b', leader }
    await engine.network.update(() => before)
    const brought = { before, after, ...unchanged, bringing: ['a', 'b', 'gone'] }
    await engine.topology.register(brought, { kind: 'origin', origin })
    // The documents of the leader are searched meanwhile; `gone` is not a member.
    expect(engine.topology.unreached).toEqual(['b'])
    await engine.topology.showProgress(engine.topology.change!, '')
    engine.topology.complete(engine.topology.change!, true)
    await vi.waitFor(() => expect(engine.topology.change).toBe(null), ENDS_MS)
    expect(engine.topology.unreached).toEqual([])
  })

  it('name themselves if they have documents, and stay named after a failed change', async () => {
    const engine = await opened()
    await addDocuments(engine, 'films', [{ id: 1 }])
    await engine.idle()
    await engine.network.update(() => NO_NETWORK)
    const joins = { before: NO_NETWORK, after, ...unchanged }
    await engine.topology.register(joins, { kind: 'origin', origin })
    expect(engine.topology.unreached).toEqual(['b'])
    await engine.topology.showProgress(engine.topology.change!, '')
    engine.topology.fail(engine.topology.change!, ['a'])
    await vi.waitFor(() => expect(engine.topology.change).toBe(null), ENDS_MS)
    expect(engine.topology.unreached).toEqual(['b'])
  })
})

describe('a change whose records fail after its task is durable', () => {
  const version = V2
  const origin = { remoteName: 'a', taskUid: asTaskUid(7), networkVersion: version }
  const before: Network = { ...LED_BY_A, self: 'b' }
  const networks = { before, after: { ...before, version }, ...unchanged }
  const sent = { kind: 'origin', origin } as const

  /** The sync after that of the task fails. */
  async function failed(times = 1): Promise<TestEngine> {
    const disk = new FakeDisk()
    const engine = await openTestEngine(disk.mount())
    open = engine
    await engine.network.update(() => before)
    disk.fail({ on: 'sync', errno: 'EIO', after: 1, times })
    expect(await engine.topology.register(networks, sent)).toMatchObject({ status: 'enqueued' })
    expect(engine.topology.change).toBe(null)
    return engine
  }

  it('begins by itself when the disk takes the records', async () => {
    const engine = await failed()
    await vi.waitFor(() => expect(engine.topology.change).not.toBe(null), ENDS_MS)
    expect(engine.topology.change).toMatchObject({ origin, after: { version } })
    expect(engine.network.get().version).toBe(version)
  })

  it('refuses the next change while the disk fails', async () => {
    const engine = await failed(20)
    await expect(engine.topology.resume()).rejects.toThrow('EIO')
    expect(engine.topology.change).toBe(null)
  })

  it('begins when it is sent again', async () => {
    const engine = await failed()
    const task = await engine.topology.register(networks, sent, true)
    expect(engine.topology.change).toMatchObject({ uid: task.uid, after: { version } })
    expect(engine.network.get().version).toBe(version)
  })

  it('begins before the next change', async () => {
    const engine = await failed()
    await engine.topology.resume()
    expect(engine.topology.change).toMatchObject({ origin, after: { version } })
    expect(engine.network.get().version).toBe(version)
  })
})

it('a task behind a canceled change keeps the documents of the former shards', async () => {
  const engine = await opened()
  const before = { ...LED_BY_A, shards: new Map([['s', { remotes: ['a'] }]]) }
  await engine.network.update(() => before)
  await addDocuments(engine, 'films', [{ id: 1 }])
  await engine.idle()
  const after = {
    ...LED_BY_A,
    shards: new Map([['s', { remotes: ['b'] }]]),
    version: V2,
  }
  const leader = { kind: 'leader', version: after.version, remotes: [] } as const
  // That `b` stays without its documents is recorded meanwhile.
  await engine.topology.register({ before, after, ...unchanged, renewed: ['b'] }, leader)
  await addDocuments(engine, 'films', [{ id: 1, changed: true }, { id: 2 }])
  await engine.topology.cancel(engine.topology.change!)
  await engine.idle()
  await vi.waitFor(() => expect(engine.topology.change).toBe(null), ENDS_MS)
  expect(await documentsOf(engine, 'films')).toEqual([{ id: 1, changed: true }, { id: 2 }])
})

describe('another instance takes over', () => {
  const before: Network = { ...LED_BY_A, leader: 'b' }
  const after: Network = {
    ...LED_BY_A,
    term: 2,
    version: V2,
  }
  /** Sends a task of the former leader; returns the code of the refusal. */
  const sent = (engine: TestEngine): Promise<string> => {
    const origin = { remoteName: 'b', taskUid: asTaskUid(7), networkVersion: before.version }
    const registration = {
      uid: null,
      isDry: false,
      network: { kind: 'origin', origin },
    } as const
    const content = { kind: 'indexCreation', primaryKey: null } as const
    return engine.tasks
      .enqueue({ indexUid: asIndexUid('late'), content, customMetadata: null, registration })
      .then(
        () => 'none',
        (error: unknown) => (error instanceof EngineFault ? error.code : String(error)),
      )
  }

  it('tells the former leader so, also while the change is registered', async () => {
    const engine = await opened()
    await engine.network.update(() => before)
    expect(await sent(engine)).toBe('none')
    const leader = { kind: 'leader', version: after.version, remotes: ['b'] } as const
    const registering = engine.topology.register({ before, after, ...unchanged }, leader)
    expect(await sent(engine)).toBe('network_leader_mismatch')
    await registering
    expect(await sent(engine)).toBe('network_leader_mismatch')
  })

  it.each([
    ['what it noted about the new leader when it led itself', 'b', 'refused'],
    ['that it was away itself', 'a', 'absent'],
  ] as const)('forgets %s', async (_, name, reason) => {
    const engine = await opened()
    await engine.network.update(() => LED_BY_A)
    await engine.replication.giveUp(name, reason)
    const led = { ...after, leader: 'b' }
    const origin = { remoteName: 'b', taskUid: asTaskUid(7), networkVersion: led.version }
    await engine.topology.register(
      { before: LED_BY_A, after: led, ...unchanged },
      { kind: 'origin', origin },
    )
    expect([...engine.topology.lacking]).toEqual([name])
    await engine.topology.showProgress(engine.topology.change!, '')
    engine.topology.complete(engine.topology.change!, true)
    await vi.waitFor(() => expect(engine.topology.change).toBe(null), ENDS_MS)
    expect([...engine.topology.lacking]).toEqual([])
  })
})

/** Registers a change on its leader, or as a copy of the leader's task. */
const registered = (
  engine: TestEngine,
  networks: Pick<NewNetworks, 'before' | 'after'> & Partial<NewNetworks>,
  isRepeated = false,
) => {
  const { self, leader, version } = networks.after
  const isLeader = self === leader
  const origin = { remoteName: leader ?? '', taskUid: asTaskUid(70), networkVersion: version }
  const remotes = [...networks.after.remotes.keys()].filter((name) => name !== self)
  return engine.topology.register(
    { ...unchanged, ...networks },
    isLeader ? { kind: 'leader', version, remotes } : { kind: 'origin', origin },
    isRepeated,
  )
}
const isOver = (engine: TestEngine): Promise<void> =>
  vi.waitFor(() => expect(engine.topology.change).toBe(null), ENDS_MS)
const taskOf = (engine: TestEngine, uid: number) => engine.tasks.get(asTaskUid(uid), null)

const shardsOf = (shards: { readonly [name: string]: readonly string[] }): Network['shards'] =>
  new Map(Object.entries(shards).map(([name, remotes]) => [name, { remotes }]))
const WHOLE: Network = { ...LED_BY_A, shards: shardsOf({ s1: ['a'], s2: ['a'] }) }
/** The leader keeps one of its two shards. */
const HALF: Network = { ...WHOLE, shards: shardsOf({ s1: ['a'], s2: ['b'] }), version: V2 }
const FILMS = Array.from({ length: 40 }, (_, id) => ({ id }))

/** Returns the number of documents here of each shard. */
async function counted(engine: TestEngine): Promise<{ readonly [shard: string]: number }> {
  const all = await engine.replication.digests(null, new AbortController().signal)
  return Object.fromEntries(
    all.flatMap(({ shards }) => shards.map(({ shard, documents }) => [shard ?? '', documents])),
  )
}

describe('a running change', () => {
  /** Resolves when the change of an engine with forty documents runs. */
  async function running(disk = new FakeDisk()) {
    const engine = await opened(disk)
    await engine.network.update(() => WHOLE)
    await addDocuments(engine, 'films', FILMS)
    await engine.idle()
    const { uid } = await registered(engine, { before: WHOLE, after: HALF })
    return { engine, uid, change: engine.topology.change! }
  }

  it('does not show its network to searches before it is routed, but to the next tasks', async () => {
    const { engine, change } = await running()
    const { topology } = engine
    expect(topology.networkOfNextTask.version).toBe(V2)
    expect([topology.isRouted, topology.serving.version]).toEqual([false, V1])
    expect(topology.alsoServed(V1)?.shards).toEqual(WHOLE.shards)
    expect(topology.alsoServed(V2)).toBeNull()
    await topology.importFinished(change.origin, 'a', true, false)
    expect(topology.alsoServed(V2)?.version).toBe(V2)
    await topology.route(change)
    expect([topology.isRouted, topology.serving.version]).toEqual([true, V2])
    expect(await counted(engine)).toEqual({ s1: expect.any(Number), s2: expect.any(Number) })
  })

  it.each([false, true])(
    'that completes deletes other documents, unless it keeps them: %s',
    async (keeps) => {
      const { engine, uid, change } = await running()
      const before = await counted(engine)
      expect(before['s1']! + before['s2']!).toBe(FILMS.length)
      await engine.topology.route(change)
      engine.topology.complete(change, keeps)
      expect(engine.topology.alsoServed(V1)).toBeNull()
      await isOver(engine)
      expect(await taskOf(engine, uid)).toMatchObject({ status: 'succeeded' })
      expect(await counted(engine)).toEqual(keeps ? before : { s1: before['s1'] })
      expect(engine.topology.serving).toEqual({ ...HALF })
    },
  )

  it('that fails names those that could not import, and leaves documents where they are', async () => {
    const { engine, uid, change } = await running()
    engine.topology.fail(change, ['b'])
    await isOver(engine)
    const task = await taskOf(engine, uid)
    expect(task).toMatchObject({ status: 'failed' })
    expect(JSON.stringify(task!.error)).toContain('`b`')
    expect(engine.network.get().version).toBe(V2)
    expect(engine.topology.serving.shards).toEqual(WHOLE.shards)
    expect(await documentsOf(engine, 'films')).toHaveLength(FILMS.length)
  })

  it('that is canceled is not routed any longer', async () => {
    const { engine, uid, change } = await running()
    await engine.topology.route(change)
    await engine.topology.cancel(change)
    expect(engine.topology.isRouted).toBe(false)
    await isOver(engine)
    expect(await taskOf(engine, uid)).toMatchObject({ status: 'canceled' })
    expect(engine.topology.serving.shards).toEqual(WHOLE.shards)
  })

  it('shows its progress in its task, enqueued while it waits, and writes it once', async () => {
    const disk = new FakeDisk()
    const { engine, uid, change } = await running(disk)
    const details = (message: string) => ({ movedDocuments: 0, message })
    await engine.topology.showProgress(change, 'Exporting')
    expect(await taskOf(engine, uid)).toMatchObject({
      status: 'processing',
      details: details('Exporting'),
    })
    disk.fail({ on: 'sync', errno: 'EIO', after: 0, times: 1 })
    await engine.topology.showProgress(change, 'Exporting', true)
    expect(await taskOf(engine, uid)).toMatchObject({ status: 'enqueued' })
    await expect(engine.topology.showProgress(change, 'Waiting', true)).rejects.toThrow('EIO')
    expect(await taskOf(engine, uid)).toMatchObject({ details: details('Waiting') })
  })

  it('goes on after a restart', async () => {
    const disk = new FakeDisk()
    const { engine, uid, change } = await running(disk)
    await engine.topology.route(change)
    await engine.topology.showProgress(change, 'Exporting')
    await engine.close()
    const again = await opened(disk)
    expect(again.topology.change).toEqual(change)
    expect(again.topology.isRouted).toBe(true)
    expect(again.topology.networkOfNextTask.version).toBe(V2)
    expect(await taskOf(again, uid)).toMatchObject({ details: { message: 'Exporting' } })
    again.topology.complete(change, true)
    await isOver(again)
    await again.close()
    expect((await opened(disk)).topology.change).toBeNull()
  })

  it('begins at the next start if its records were lost with the process', async () => {
    const disk = new FakeDisk()
    const engine = await opened(disk)
    await engine.network.update(() => WHOLE)
    disk.fail({ on: 'sync', errno: 'EIO', after: 1, times: 1 })
    const { uid } = await registered(engine, { before: WHOLE, after: HALF })
    await engine.close()
    const again = await opened(disk)
    expect(again.topology.change).toMatchObject({ uid, before: WHOLE, after: HALF })
    expect(again.network.get().version).toBe(V2)
    again.topology.fail(again.topology.change!, ['b'])
    await isOver(again)
    expect(again.topology.serving.shards).toEqual(WHOLE.shards)
  })

  it('calls the listener with each message, and keeps what others have said', async () => {
    const { engine, change } = await running()
    let calls = 0
    engine.topology.onTopology(() => calls++)
    await engine.topology.importFinished(change.origin, 'b', false, null)
    expect(calls).toBe(1)
    expect(engine.topology.messages()).toMatchObject({
      version: V2,
      finished: { b: false },
      routed: ['b'],
    })
  })

  it('lets a member leave: the change is canceled, and no instance is lacking', async () => {
    const { engine, uid } = await running()
    await engine.replication.giveUp('b', 'refused')
    expect([...engine.topology.lacking]).toEqual(['b'])
    await engine.topology.leave()
    await isOver(engine)
    expect(await taskOf(engine, uid)).toMatchObject({ status: 'canceled' })
    expect(engine.network.get()).toMatchObject({ self: null, leader: null, remotes: HALF.remotes })
    expect([...engine.topology.lacking]).toEqual([])
    expect(await documentsOf(engine, 'films')).toHaveLength(FILMS.length)
  })
})

describe('an instance', () => {
  it('names those that lack writes, and itself only as a member', async () => {
    const engine = await opened()
    engine.topology.setBehind(true)
    expect([...engine.topology.lacking]).toEqual([])
    await engine.network.update(() => LED_BY_A)
    expect([...engine.topology.lacking]).toEqual(['a'])
    await engine.replication.giveUp('b', 'interrupted')
    expect([...engine.topology.lacking]).toEqual(['b', 'a'])
    engine.topology.setBehind(false)
    expect([...engine.topology.lacking]).toEqual(['b'])
    const partial = ['a', 'b'].map((name) => engine.topology.isPartial(name, 's'))
    expect(partial).toEqual([false, true])
  })

  it('marks those that get their shards again, and itself if it lacks writes', async () => {
    const engine = await opened()
    const before = { ...LED_BY_A, self: 'b' }
    await engine.network.update(() => before)
    const renewal = { renewed: ['c'], renewedShards: new Map([['c', ['s']]]), isLacking: true }
    const networks = { before, after: { ...before, version: V2 }, ...renewal }
    await registered(engine, networks)
    expect(Object.fromEntries(engine.replication.stale())).toEqual({
      b: { reason: 'backlog', before: 0 },
      c: { reason: 'interrupted', before: 0, shards: ['s'] },
    })
  })

  it('accepts a change that is sent again only once', async () => {
    const engine = await opened()
    await engine.network.update(() => LED_BY_A)
    const before = { ...LED_BY_A, leader: 'b' }
    const networks = { before, after: { ...before, version: V2 }, isLacking: true }
    const { uid } = await registered(engine, { ...networks, isLacking: false })
    expect(await registered(engine, networks, true)).toMatchObject({ uid })
    expect([...engine.replication.stale().keys()]).toEqual([])
  })

  it('refuses writes of clients while it is suspended', async () => {
    const engine = await opened()
    engine.topology.suspend('another one leads')
    await expect(addDocuments(engine, 'films', FILMS)).rejects.toThrow('another one leads')
    engine.topology.suspend(null)
    await addDocuments(engine, 'films', FILMS)
  })

  it('deletes what an earlier membership has left behind', async () => {
    const engine = await opened()
    await enqueue(engine, 'empty', { kind: 'indexCreation', primaryKey: null })
    await engine.idle()
    expect(engine.topology.hasDocuments).toBe(false)
    const after = { ...LED_BY_A, self: 'b', version: V2 }
    await registered(engine, { before: NO_NETWORK, after, isReturning: true })
    const change = engine.topology.change!
    expect(engine.topology.isClean).toBe(false)
    engine.topology.clean(change)
    await vi.waitFor(() => expect(engine.topology.isClean).toBe(true), ENDS_MS)
    expect(engine.topology.indexUids()).toEqual([])
    expect(engine.topology.change).toEqual(change)
  })

  it('shows its indexes in order, with their settings', async () => {
    const engine = await opened()
    for (const uid of ['films', 'books']) await addDocuments(engine, uid, [{ id: 1 }])
    await engine.idle()
    const { topology } = engine
    expect(topology.indexUids()).toEqual(['books', 'films'])
    expect(topology.settings(asIndexUid('films'))).toEqual(defaultSettings())
    expect(topology.settings(asIndexUid('absent'))).toBeNull()
    expect(topology.hasDocuments).toBe(true)
  })
})
