// The ports with the parts behind them replaced: who registers, who removes bodies, who waits.

import { describe, expect, it } from 'vitest'
import { asIndexUid, asTaskUid } from '../../format/ids.ts'
import type { KeyStore } from '../admin/keys/index.ts'
import { keyLine } from '../backup/dumps/index.ts'
import { EngineFault, FEATURES, StorageError } from '../model/index.ts'
import { openManifest } from '../store/catalog/index.ts'
import { FakeDisk, type FileSystem } from '../store/storage/index.ts'
import { HEALTHY_MS } from '../store/storage/limits.ts'
import { instanceUidChange } from '../task-kinds/database/dump-batch.ts'
import { stateOf } from '../task-kinds/kind/test-states.ts'
import { MANIFEST_OPTIONS } from '../testing/test-engine.ts'
import { LocalAdministration } from './administration.ts'
import { LocalDocuments } from './documents.ts'
import { LocalTasks } from './tasks.ts'

const FILMS = asIndexUid('films')
const LEADER = { kind: 'leader', version: 'v', remotes: ['b'] } as const
const ORIGIN = {
  kind: 'origin',
  origin: { remoteName: 'a', taskUid: asTaskUid(1), networkVersion: 'v' },
} as const

type Given = {
  /** The network part of the task; the error that refuses it. */
  readonly network?: object | null | EngineFault
  /** The uid that the queue gives; the next one is 5. */
  readonly uid?: number
  readonly fails?: boolean
  readonly body?: Uint8Array | null
}

function ports({ network = null, uid = 5, fails = false, body = null }: Given) {
  const calls: string[] = []
  const registered: object[] = []
  const queue = {
    nextTask: 5,
    register: async (request: object) => {
      registered.push(request)
      if (fails) throw new StorageError('no_space', 'x', 'full')
      return { uid }
    },
    lists: {
      task: async (task: number) => (task === uid ? { uid } : null),
      body: async () => (body === null ? null : { file: 7 }),
    },
    upkeep: { compact: async () => ({ before: 9, after: 1 }) },
  }
  const parts = {
    queue,
    bodies: {
      remove: async (file: number) => void calls.push(`remove ${file}`),
      read: async () => body,
    },
    admit: () => {
      if (network instanceof EngineFault) throw network
      return network
    },
    replicated: async (task: number) => {
      await new Promise((resolve) => setImmediate(resolve))
      calls.push(`replicated ${task}`)
    },
  }
  return { parts: parts as never, calls, registered }
}

const OPTIONS = {
  method: 'replace',
  primaryKey: null,
  skipCreation: false,
  allowIndexCreation: true,
  customMetadata: 'mine',
} as const
const CREATED = { primaryKey: null, at: 1, settings: '{}' }
const REFUSED = new EngineFault('not_a_leader', 'another one leads')

describe('new documents', () => {
  const sent = async (given: Given, registration?: object, file: number | null = 7) => {
    const { parts, calls, registered } = ports(given)
    const documents = new LocalDocuments(parts, null as never)
    const received = { take: () => ({ file }) } as never
    const options = { ...OPTIONS, registration } as never
    const outcome = await documents.enqueueDocuments(FILMS, received, options).then(
      ({ uid }) => `task ${uid}`,
      (error: Error) => error.message,
    )
    return { outcome, calls, request: registered[0] }
  }

  it.each<[string, Given, object | undefined, string, readonly string[]]>([
    ['of a client', {}, undefined, 'task 5', []],
    ['of a client on the leader', { network: LEADER }, undefined, 'task 5', ['replicated 5']],
    ['of the leader', { network: ORIGIN }, { network: ORIGIN }, 'task 5', []],
    ['that are only checked', {}, { isDry: true }, 'task 5', ['remove 7']],
    [
      'of a task that is known',
      { network: ORIGIN, uid: 4 },
      { network: ORIGIN },
      'task 4',
      ['remove 7'],
    ],
    ['of a new task with a uid', {}, { uid: 6, isDry: false }, 'task 5', []],
    ['for another instance', { network: REFUSED }, undefined, REFUSED.message, ['remove 7']],
    ['without space', { fails: true }, undefined, 'full', ['remove 7']],
    [
      'without space on the leader',
      { network: LEADER, fails: true },
      undefined,
      'full',
      ['remove 7'],
    ],
  ])('%s', async (_, given, registration, outcome, calls) => {
    const end = await sent(given, registration)
    expect([end.outcome, end.calls]).toEqual([outcome, calls])
    const inMemory = await sent(given, registration, null)
    expect(inMemory.calls).toEqual(calls.filter((call) => !call.startsWith('remove')))
  })

  it('are registered with all that the request says', async () => {
    const { request } = await sent({ network: LEADER })
    const { customMetadata, ...rest } = OPTIONS
    expect(request).toMatchObject({
      indexUid: FILMS,
      customMetadata,
      content: { kind: 'documentAdditionOrUpdate', body: { file: 7 }, ...rest },
      network: LEADER,
    })
    expect('network' in (await sent({})).request!).toBe(false)
  })
})

describe('tasks', () => {
  const tasks = (given: Given) => {
    const { parts, calls, registered } = ports(given)
    const keys = { list: () => [] } as never
    return { tasks: new LocalTasks(parts, keys), calls, registered }
  }
  const request = {
    indexUid: FILMS,
    content: { kind: 'indexDeletion' },
    customMetadata: null,
  } as never

  it.each<[string, Given, readonly string[], object]>([
    ['of a client are registered', {}, [], {}],
    [
      'on the leader wait for the others',
      { network: LEADER },
      ['replicated 5'],
      { network: LEADER },
    ],
    ['of the leader do not wait', { network: ORIGIN }, [], { network: ORIGIN }],
  ])('%s', async (_, given, calls, members) => {
    const made = tasks(given)
    expect(await made.tasks.enqueue(request)).toEqual({ uid: 5 })
    expect(made.calls).toEqual(calls)
    expect(made.registered).toEqual([{ ...(request as object), ...members }])
  })

  it('show the documents of a request that still has them', async () => {
    const documents = Buffer.from('[]')
    const read = (uid: number, body: Uint8Array | null) =>
      tasks({ body }).tasks.documents(asTaskUid(uid), null)
    expect(await read(5, documents)).toBe(documents)
    await expect(read(5, null)).rejects.toMatchObject({ code: 'task_file_not_found' })
    await expect(read(6, documents)).rejects.toMatchObject({ code: 'task_not_found' })
  })

  it('notify one watcher, and say that the queue was compacted', async () => {
    const { tasks: port } = tasks({})
    port.announce([asTaskUid(1)])
    const seen: unknown[] = []
    port.watch((uids) => seen.push(...uids))
    port.announce([asTaskUid(2), asTaskUid(3)])
    expect(seen).toEqual([2, 3])
    expect(port.needsRestart).toBe(false)
    expect(await port.compact()).toEqual({ before: 9, after: 1 })
    expect(port.needsRestart).toBe(true)
  })
})

describe('a dump', () => {
  it('is registered with the keys that exist now, and the instance of the import', async () => {
    const { parts, registered } = ports({})
    const manifest = await openManifest(new FakeDisk().mount(), MANIFEST_OPTIONS)
    await manifest.commit([instanceUidChange('u')])
    const key = {
      uid: 'k',
      name: null,
      indexes: ['*'],
      actions: [],
      expiresAt: null,
      createdAt: 1,
      updatedAt: 1,
    }
    const keys = { list: () => [key] } as unknown as KeyStore
    const port = new LocalTasks({ ...(parts as object), manifest } as never, keys)
    await port.enqueueDump()
    await port.enqueueDump({ uid: null, isDry: true } as never)
    const content = { kind: 'dumpCreation', keys: [keyLine(key as never)], instanceUid: 'u' }
    const plain = { indexUid: null, content, customMetadata: null }
    expect(registered).toEqual([plain, { ...plain, registration: { uid: null, isDry: true } }])
  })
})

describe('documents', () => {
  it('shows the figures of the described state, and whether tasks change the index', () => {
    const state = stateOf(['films'])
    const asked: string[] = []
    const isIndexing = (uid: string): boolean => {
      asked.push(uid)
      return true
    }
    const parts = {
      manifest: { state: stateOf([]) },
      described: () => state,
      queue: { isIndexing },
    }
    const port = new LocalDocuments(parts as never, null as never)
    expect(port.indexStats(FILMS)).toMatchObject({ numberOfDocuments: 0, isIndexing: true })
    expect(asked).toEqual(['films'])
    expect(() => port.index(FILMS)).toThrow('films')
  })
})

describe('administration', () => {
  const administration = async (
    options: object = {},
    fileSystem: Partial<FileSystem> = {},
    more: object = {},
  ) => {
    const fs = new FakeDisk().mount()
    const manifest = await openManifest(fs, MANIFEST_OPTIONS)
    const queue = {
      usedBytes: 3,
      bytesMax: 9,
      lifecycle: { running: [], isRetrying: true },
      lists: { counts: () => 'counts' },
    }
    const parts = {
      fs: Object.assign(fs, fileSystem),
      manifest,
      log: { activeLog: manifest.log },
      queue,
      searching: { load: 'load' },
      templates: null,
      now: () => 0,
      options,
      ...more,
    }
    return { port: new LocalAdministration(parts as never), manifest }
  }

  it('changes features that differ, and no others', async () => {
    const { port, manifest } = await administration()
    const before = manifest.state.sequence
    await port.setFeatures({ metrics: false, logsRoute: null } as never)
    expect(manifest.state.sequence).toBe(before)
    const changed = await port.setFeatures({ metrics: true, network: false })
    expect(FEATURES.filter((name) => changed[name])).toEqual(['metrics'])
    expect((await port.setFeatures({ metrics: false })).metrics).toBe(false)
    // The same object while nothing changes.
    expect(port.features).toBe(port.features)
  })

  it('has features that are always on', async () => {
    const { port } = await administration({ alwaysOn: ['network'] })
    expect(port.features).toMatchObject({ network: true, metrics: false })
    expect(await port.setFeatures({ network: false })).toMatchObject({ network: true })
  })

  it('measures, also if the disk is gone', async () => {
    const { port } = await administration({}, { freeBytes: () => 11 })
    expect(port.measures()).toEqual({
      searches: 'load',
      tasks: 'counts',
      taskLog: { usedBytes: 3, bytesMax: 9 },
      runningBatches: [],
      isRetrying: true,
      freeBytes: 11,
    })
    const failing = (error: Error) => () => {
      throw error
    }
    const gone = await administration(
      {},
      { freeBytes: failing(new StorageError('missing', 'x', 'gone')) },
    )
    expect(gone.port.measures().freeBytes).toBeNull()
    const broken = await administration({}, { freeBytes: failing(new TypeError('broken')) })
    expect(() => broken.port.measures()).toThrow('broken')
  })

  it('counts the files that belong to no index', async () => {
    const { port, manifest } = await administration()
    const others = manifest.file.bytes + 3
    expect(port.sizes()).toEqual({ databaseSize: others, indexes: new Map() })
    expect(port.stats(null)).toMatchObject({ databaseSize: others, usedDatabaseSize: others })
  })

  it('describes the state of its manifest, unless it is given another one', async () => {
    const described = () => stateOf(['films', 'books'])
    const { port } = await administration({}, {}, { described })
    expect([...port.sizes().indexes.keys()]).toEqual(['films', 'books'])
    const { port: own, manifest } = await administration()
    await manifest.commit([
      { kind: 'index-created', index: manifest.takeIndex(), uid: FILMS, ...CREATED },
    ])
    expect([...own.sizes().indexes.keys()]).toEqual(['films'])
  })

  it('looks for a problem of the disk again after a pause, and not for a reader', async () => {
    const clock = { now: 2e12 }
    const free = { bytes: 1e12 }
    const more = { now: () => clock.now }
    const disk = { freeBytes: () => free.bytes }
    const { port } = await administration({}, disk, more)
    const { port: reader } = await administration({ isReader: true }, disk, more)
    expect(port.storageProblem()).toBeNull()
    free.bytes = 0
    expect(port.storageProblem()).toBeNull()
    clock.now += HEALTHY_MS * 1000 - 1
    expect(port.storageProblem()).toBeNull()
    clock.now += 1
    expect(port.storageProblem()).toMatch(/full|space/)
    expect(reader.storageProblem()).toBeNull()
  })
})
