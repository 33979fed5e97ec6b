// An engine of parts that note their calls: who is told of ended tasks, and the order of starting
// and closing.

import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { asTaskUid } from '../../format/ids.ts'
import { templatesInPlace } from '../ai/template/index.ts'
import { type FollowStatus, type Publication, StorageError } from '../model/index.ts'
import { NO_NETWORK } from '../network/records/index.ts'
import { RECORD_AGAIN_MS } from '../network/topology/index.ts'
import type { Administered, Runner } from '../runner/index.ts'
import { openManifest } from '../store/catalog/index.ts'
import { FakeDisk } from '../store/storage/index.ts'
import { taskKinds } from '../task-kinds/index.ts'
import { MANIFEST_OPTIONS } from '../testing/test-engine.ts'
import { NO_FILTER } from '../write/task-data/index.ts'
import { type EngineParts, LocalEngine } from './local-engine.ts'

type Changes = {
  readonly isReader?: boolean
  readonly follows?: FollowStatus
  readonly publication?: Publication
  readonly origin?: string
}

async function made(changes: Changes = {}) {
  const calls: string[] = []
  const reports: unknown[] = []
  const notes: string[] = []
  const note =
    <T>(name: string, value: T) =>
    (): Promise<T> => {
      calls.push(name)
      return Promise.resolve(value)
    }
  const manifest = await openManifest(new FakeDisk().mount(), MANIFEST_OPTIONS)
  vi.spyOn(manifest, 'close').mockImplementation(async (isClean) => {
    calls.push(`manifest ${isClean}`)
  })
  const queue = {
    lifecycle: { onCanceling: async (): Promise<ReadonlySet<number>> => new Set() },
    network: { details: new Map(), follow: () => undefined },
    onRegistered: () => undefined,
    close: note('queue', undefined),
  }
  const parts = {
    manifest,
    fs: new FakeDisk().mount(),
    identity: { id: 'i', origin: changes.origin ?? 'own', confirm: note('confirm', undefined) },
    options: {
      report: (_: string, error: unknown) => void reports.push(error),
      note: (message: string) => void notes.push(message),
      ...(changes.isReader === undefined ? {} : { isReader: changes.isReader }),
    },
    kinds: taskKinds,
    queue,
    bodies: {},
    searching: { close: note('searching', undefined) },
    indexing: { close: note('indexing', undefined) },
    templates: { ...templatesInPlace, close: note('templates', undefined) },
    providers: { close: note('providers', undefined) },
    now: () => 0,
  }
  let administered: Administered | null = null
  let announce: (tasks: Iterable<number>) => void = () => undefined
  const runner = {
    views: {},
    start: () => void calls.push('start'),
    idle: note('idle', undefined),
    allMerged: note('merged', undefined),
    stop: note('stop', undefined),
    cleaned: note('cleaned', undefined),
    follows: changes.follows ?? null,
    ...(changes.publication === undefined ? {} : { publication: changes.publication }),
  } as unknown as Runner
  const engine = new LocalEngine(parts as unknown as EngineParts, (given, announced) => {
    administered = given
    announce = announced as typeof announce
    return runner
  })
  const topology = {
    ended: vi.spyOn(engine.topology, 'ended').mockImplementation(note('ended', undefined)),
    load: vi.spyOn(engine.topology, 'load').mockImplementation(note('topology', undefined)),
    leave: vi.spyOn(engine.topology, 'leave').mockImplementation(note('leave', undefined)),
    close: vi.spyOn(engine.topology, 'close').mockImplementation(() => {
      calls.push('topology')
    }),
  }
  vi.spyOn(engine.replication, 'load').mockImplementation(note('replication', undefined))
  return { engine, queue, calls, reports, notes, topology, administered: administered!, announce }
}

const UIDS = [4, 5].map(asTaskUid)

describe('tasks that ended together', () => {
  it('are announced to the network, to waiting requests and to the watcher', async () => {
    const { engine, calls, announce } = await made()
    vi.spyOn(engine.visibility, 'changed').mockImplementation(() => void calls.push('visible'))
    engine.tasks.watch((uids) => void calls.push([...uids].join()))
    announce(UIDS)
    expect(calls).toEqual(['ended', 'visible', '4,5'])
  })

  it('end no cancelation of writes before other instances can be asked about them', async () => {
    const { engine, queue, calls, announce } = await made()
    const writesOf = vi.spyOn(engine.replication, 'writesOf').mockResolvedValue([UIDS[1]!])
    const onCanceling = queue.lifecycle.onCanceling as (uids: unknown) => Promise<unknown>
    expect(await onCanceling(UIDS)).toEqual(new Set([5]))
    expect(writesOf.mock.calls).toEqual([[UIDS]])
    announce(UIDS)
    expect(calls).toEqual(['ended'])
  })

  it('end a cancelation that other instances were asked about, once', async () => {
    const { engine, queue, calls, announce } = await made()
    const asked: unknown[] = []
    engine.onCanceling(
      async (uids) => {
        asked.push(uids)
        return new Set([UIDS[0]!])
      },
      () => void calls.push('decided'),
    )
    announce(UIDS)
    expect(calls).toEqual(['ended'])
    const onCanceling = queue.lifecycle.onCanceling as (uids: unknown) => Promise<unknown>
    expect(await onCanceling(UIDS)).toEqual(new Set([4]))
    expect(asked).toEqual([UIDS])
    announce(UIDS)
    announce(UIDS)
    expect(calls).toEqual(['ended', 'ended', 'decided', 'ended'])
  })
})

describe('the end of a change of the network', () => {
  const LOST = new StorageError('io', 'x', 'no space left')

  async function afterFailure(error: unknown, between: (engine: LocalEngine) => Promise<void>) {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { engine, topology, announce, reports } = await made()
    topology.ended.mockRejectedValueOnce(error)
    announce(UIDS)
    await vi.advanceTimersByTimeAsync(RECORD_AGAIN_MS - 1)
    expect([topology.ended.mock.calls.length, reports]).toEqual([1, [error]])
    await between(engine)
    await vi.advanceTimersByTimeAsync(3 * RECORD_AGAIN_MS)
    return topology.ended.mock.calls.length
  }

  it('is recorded after a pause if the disk has refused it', async () => {
    expect(await afterFailure(LOST, async () => undefined)).toBe(2)
  })

  it('is not recorded again after another error, or once the engine closes', async () => {
    expect(await afterFailure(new Error('a fault'), async () => undefined)).toBe(1)
    expect(await afterFailure(LOST, (engine) => engine.close())).toBe(1)
  })

  it('is not tried again if the disk refuses it while the engine closes', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { engine, topology, announce } = await made()
    topology.ended.mockRejectedValueOnce(LOST)
    const closing = engine.close()
    announce(UIDS)
    await closing
    await vi.advanceTimersByTimeAsync(3 * RECORD_AGAIN_MS)
    expect(topology.ended.mock.calls.length).toBe(1)
  })

  it('is recorded once when tasks end during the pause', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { topology, announce } = await made()
    topology.ended.mockRejectedValueOnce(LOST)
    announce(UIDS)
    await vi.advanceTimersByTimeAsync(1)
    announce(UIDS)
    await vi.advanceTimersByTimeAsync(3 * RECORD_AGAIN_MS)
    expect(topology.ended.mock.calls.length).toBe(2)
  })
})

describe('a start', () => {
  const FOLLOWS = { source: 's' } as FollowStatus

  it('reads the records of the network before tasks run', async () => {
    const { engine, calls, notes } = await made()
    await engine.start()
    expect([calls, notes]).toEqual([['replication', 'topology', 'start'], []])
  })

  it.each([{ isReader: true }, { follows: FOLLOWS }])('with %j reads none', async (changes) => {
    const { engine, calls } = await made({ ...changes, origin: 'restored' })
    await engine.start()
    expect(calls).toEqual(['start'])
  })

  it('leaves the network with the data of another instance, and says so', async () => {
    const { engine, calls, notes } = await made({ origin: 'restored' })
    await engine.network.update(() => ({ ...NO_NETWORK, self: 'a' }))
    await engine.start()
    expect(calls).toEqual(['replication', 'topology', 'leave', 'confirm', 'start'])
    expect(notes).toEqual([expect.stringMatching(/`a`/)])
  })
})

it('closes its parts in the order in which they need each other', async () => {
  const { engine, calls } = await made()
  await engine.close()
  expect(calls).toEqual([
    'topology',
    'stop',
    'templates',
    'providers',
    'searching',
    'indexing',
    'queue',
    'cleaned',
    'manifest true',
  ])
})

it('shows the state of its runner', async () => {
  const follows = { source: 's' } as FollowStatus
  const publication = { lag: 1 } as unknown as Publication
  const plain = (await made()).engine
  expect([plain.follows, plain.publication, plain.unpublishedWrites()]).toEqual([null, null, []])
  const { engine, calls } = await made({ follows, publication })
  expect([engine.follows, engine.publication]).toEqual([follows, publication])
  await engine.idle()
  await engine.allMerged()
  expect(calls).toEqual(['idle', 'merged'])
})

it('lets tasks read the settings of administrators as they are now', async () => {
  const { engine, administered } = await made()
  const { chats, network, topology, webhooks } = engine
  expect(administered).toMatchObject({ chats, network, topology, webhooks })
  expect(administered.features.containsFilter).toBe(false)
  await engine.administration.setFeatures({ containsFilter: true })
  expect(administered.features.containsFilter).toBe(true)
})

it('waits with a task of a leader until it is replicated', async () => {
  const { engine, queue } = await made()
  const remote = { url: 'http://x', searchApiKey: null, writeApiKey: null }
  await engine.network.update(() => ({
    ...NO_NETWORK,
    self: 'a',
    leader: 'a',
    remotes: new Map(['a', 'b'].map((name) => [name, remote])),
    version: '01980000-0000-7000-8000-000000000002',
  }))
  const registered: object[] = []
  Object.assign(queue, {
    register: async (request: object) => {
      registered.push(request)
      return { uid: UIDS[0] }
    },
  })
  const request = {
    indexUid: null,
    content: { kind: 'indexCreation', primaryKey: null },
    customMetadata: null,
  } as const
  const network = {
    kind: 'leader',
    version: '01980000-0000-7000-8000-000000000002',
    remotes: ['b'],
  }
  let confirm = (): void => undefined
  const replicate = vi.fn(() => new Promise<void>((resolve) => (confirm = resolve)))
  engine.onReplicated(replicate)
  let isDone = false
  const done = engine.tasks.enqueue(request).then(() => {
    isDone = true
  })
  await vi.waitFor(() => expect(replicate.mock.calls).toEqual([[4, network]]))
  expect(isDone).toBe(false)
  confirm()
  await done
  expect(registered).toEqual([{ ...request, network }])
})

it('looks at waiting requests when a task is registered', async () => {
  const { engine, queue } = await made()
  const registered = vi.spyOn(engine.visibility, 'registered').mockReturnValue()
  queue.onRegistered()
  expect(registered).toHaveBeenCalledOnce()
})

it('reads the queue on each use: a follower replaces it', async () => {
  const { engine, queue } = await made()
  const task = vi.fn(async () => null)
  Object.assign(queue, { lists: { task, tasks: async () => 'tasks' } })
  expect(await engine.tasks.get(UIDS[0]!, null)).toBeNull()
  expect(task.mock.calls).toEqual([[4, null]])
  const page = { from: null, limit: 1, reverse: false }
  expect(await engine.tasks.list(NO_FILTER, page, null)).toBe('tasks')
})
