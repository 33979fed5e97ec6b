// The ports of one open engine: each port shows the state that the others have written.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { asIndexUid, asTaskUid } from '../../format/ids.ts'
import { EngineFault } from '../model/index.ts'
import { type Network, NO_NETWORK } from '../network/records/index.ts'
import { FakeDisk } from '../store/storage/index.ts'
import { codeOf } from '../testing/test-code.ts'
import {
  addDocuments,
  documentsOf,
  enqueue,
  openTestEngine,
  type TestEngine,
} from '../testing/test-engine.ts'

let open: TestEngine | null = null
afterEach(async () => {
  await open?.close()
  open = null
})
const opened = async (): Promise<TestEngine> =>
  (open = await openTestEngine(new FakeDisk().mount()))

it('documents and indexes: shows results of tasks, throws faults for unknown uids', async () => {
  const engine = await opened()
  expect(codeOf(() => engine.documents.index(asIndexUid('books')))).toBe('index_not_found')
  expect(codeOf(() => engine.documents.indexStats(asIndexUid('books')))).toBe('index_not_found')
  expect(codeOf(() => engine.documents.settings(asIndexUid('books')))).toBe('index_not_found')
  await addDocuments(engine, 'books', [{ id: 1 }, { id: 2 }])
  await engine.idle()
  expect(engine.documents.index(asIndexUid('books'))).toMatchObject({
    uid: 'books',
    primaryKey: 'id',
  })
  expect(engine.documents.indexStats(asIndexUid('books'))).toMatchObject({
    numberOfDocuments: 2,
    isIndexing: false,
  })
  expect(engine.documents.listIndexes(null).map(({ uid }) => uid)).toEqual(['books'])
  expect(engine.documents.listIndexes(() => false)).toEqual([])
  expect(engine.documents.settings(asIndexUid('books'))).toHaveProperty('rankingRules')
})

it('tasks: notifies watchers of tasks that finished together and of a restart', async () => {
  const engine = await opened()
  const announced: number[][] = []
  engine.tasks.watch((tasks) => announced.push([...tasks]))
  const content = { kind: 'indexCreation', primaryKey: null } as const
  const { uid } = await enqueue(engine, 'books', content)
  await engine.idle()
  expect(announced).toEqual([[uid]])
  expect(await engine.tasks.get(uid, null)).toMatchObject({ uid, status: 'succeeded' })
  await expect(engine.tasks.documents(uid, null)).rejects.toMatchObject({
    code: 'task_file_not_found',
  })
  await expect(engine.tasks.documents(asTaskUid(99), null)).rejects.toMatchObject({
    code: 'task_not_found',
  })
  expect(engine.tasks.needsRestart).toBe(false)
  await engine.tasks.compact()
  expect(engine.tasks.needsRestart).toBe(true)
})

it('administration: shows the latest features in all ports', async () => {
  const engine = await opened()
  expect(engine.administration.features.metrics).toBe(false)
  expect(await engine.administration.setFeatures({ metrics: true })).toMatchObject({
    metrics: true,
  })
  expect(engine.administration.features.metrics).toBe(true)
  expect(engine.administration.storageProblem()).toBe(null)
  expect(engine.administration.measures()).toMatchObject({ runningBatches: [] })
  expect([...engine.administration.stats(null).indexes]).toEqual([])
  await addDocuments(engine, 'books', [{ id: 1 }, { id: 2 }])
  await engine.idle()
  const { databaseSize, indexes } = engine.administration.stats(null)
  const books = indexes.get('books')!.indexSize
  expect(books).toBeGreaterThan(0)
  expect(engine.administration.sizes()).toEqual({
    databaseSize,
    indexes: new Map([['books', books]]),
  })
})

const REMOTE = { url: 'http://x', searchApiKey: null, writeApiKey: null }
const LED_BY_A: Network = {
  self: 'a',
  leader: 'a',
  leaderId: null,
  term: 1,
  remotes: new Map(['a', 'b'].map((name) => [name, REMOTE])),
  shards: new Map([['s', { remotes: ['a', 'b'] }]]),
  version: '01980000-0000-7000-8000-000000000001',
}

it('network: sends tasks that arrive during the registration of a renewal', async () => {
  const engine = await opened()
  const before = await engine.network.update(() => LED_BY_A)
  await engine.replication.giveUp('b', 'refused')
  const content = { kind: 'indexCreation', primaryKey: null } as const
  await enqueue(engine, 'early', content)
  expect(engine.replication.backlog('b').tasks).toBe(0)
  const after = { ...before, version: '01980000-0000-7000-8000-000000000002' }
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

describe('network: instances that bring documents', () => {
  const version = '01980000-0000-7000-8000-000000000002'
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
    await vi.waitFor(() => expect(engine.topology.change).toBe(null), 10_000)
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
    await vi.waitFor(() => expect(engine.topology.change).toBe(null), 10_000)
    expect(engine.topology.unreached).toEqual(['b'])
  })
})

describe('network: a change whose records fail after its task is durable', () => {
  const version = '01980000-0000-7000-8000-000000000002'
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
    await vi.waitFor(() => expect(engine.topology.change).not.toBe(null), 10_000)
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

it('network: a task behind a canceled change keeps the documents of the former shards', async () => {
  const engine = await opened()
  const before = { ...LED_BY_A, shards: new Map([['s', { remotes: ['a'] }]]) }
  await engine.network.update(() => before)
  await addDocuments(engine, 'films', [{ id: 1 }])
  await engine.idle()
  const after = {
    ...LED_BY_A,
    shards: new Map([['s', { remotes: ['b'] }]]),
    version: '01980000-0000-7000-8000-000000000002',
  }
  const leader = { kind: 'leader', version: after.version, remotes: [] } as const
  // That `b` stays without its documents is recorded meanwhile.
  await engine.topology.register({ before, after, ...unchanged, renewed: ['b'] }, leader)
  await addDocuments(engine, 'films', [{ id: 1, changed: true }, { id: 2 }])
  await engine.topology.cancel(engine.topology.change!)
  await engine.idle()
  await vi.waitFor(() => expect(engine.topology.change).toBe(null), 10_000)
  expect(await documentsOf(engine, 'films')).toEqual([{ id: 1, changed: true }, { id: 2 }])
})

describe('network: another instance takes over', () => {
  const before: Network = { ...LED_BY_A, leader: 'b' }
  const after: Network = {
    ...LED_BY_A,
    term: 2,
    version: '01980000-0000-7000-8000-000000000002',
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
    await vi.waitFor(() => expect(engine.topology.change).toBe(null), 10_000)
    expect([...engine.topology.lacking]).toEqual([])
  })
})
