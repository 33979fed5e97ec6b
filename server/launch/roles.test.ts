// Instances that share a store in memory: which one writes, and how it changes.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { MemoryObjects } from '../../engine/backup/objstore/test-memory-store.ts'
import { TransportFault } from '../../engine/backup.ts'
import type { Engine, FileSystem, StorageError } from '../../engine/index.ts'
import { FakeDisk } from '../../engine/store/storage/index.ts'
import { enqueue, openTestEngine, type TestEngine } from '../../engine/testing/test-engine.ts'
import { MiB } from '../../format/bytes/index.ts'
import { LaunchError, RELEASE, readConfig } from '../config/index.ts'
import { Log } from '../log/index.ts'
import { storeOptions } from '../outbound/index.ts'
import { type RoleParts, Roles } from './roles.ts'

const LEASE_MS = 1200
/** A limit for busy machines; roles change in a second. */
const LIMIT = { timeout: 20_000 }
const RECORD = 'p/db/writer.json'

let objects: MemoryObjects
const started: Instance[] = []
beforeEach(() => {
  objects = new MemoryObjects()
})
afterEach(async () => {
  for (const { roles, connect } of started.splice(0)) {
    connect(true)
    await roles.stop().catch(() => undefined)
  }
})

type Instance = {
  readonly roles: Roles
  /** The roles in which it served, and the time that requests had when it left each. */
  readonly events: string[]
  readonly lines: string[]
  readonly exits: StorageError[]
  /** Whether it reaches the store. */
  readonly connect: (isReached: boolean) => void
}

type Given = {
  readonly fileSystem?: FileSystem
  readonly variables?: { readonly [name: string]: string }
  /** How many of the first requests fail. */
  readonly failures?: number
  readonly leaseMs?: number
}

async function start(given: Given = {}): Promise<Instance> {
  const { fileSystem = new FakeDisk().mount(), variables = {}, leaseMs = LEASE_MS } = given
  let { failures = 0 } = given
  let isReached = true
  const transport: RoleParts['transport'] = (request) => {
    if (isReached && failures-- <= 0) return objects.transport(request)
    return Promise.reject(new TransportFault(false, 'no way'))
  }
  const [events, lines, exits]: [string[], string[], StorageError[]] = [[], [], []]
  const config = await readConfig(new Map(), {
    ...{ SVC_OBJSTORE_BUCKET_URL: 'https://store.test', SVC_OBJSTORE_BUCKET_REGION: 'r' },
    ...{ SVC_OBJSTORE_BUCKET_NAME: 'b', SVC_OBJSTORE_SNAPSHOT_PREFIX: 'p' },
    ...{ SVC_OBJSTORE_ACCESS_KEY: 'a', SVC_OBJSTORE_SECRET_KEY: 's', SVC_DB_PATH: 'db' },
    ...{ SVC_FOLLOW_POLL_INTERVAL: '1' },
    ...variables,
  })
  const store = { ...storeOptions(config)!, transport }
  const roles = await Roles.start({
    config,
    leaseMs,
    options: {
      ...{ path: '', version: RELEASE.version, upgrade: false, workers: null, searchThreads: 1 },
      ...{ searchQueueMax: 10, searchesAtOnce: 4, searchDropAfterMs: 60_000, restMs: 0 },
      ...{ indexingMemoryMax: 16 * MiB, batchTasksMax: 100, batchBytesMax: MiB, fileSystem },
      snapshots: { store, folder: 'snapshots', name: 'db', compact: false },
      report: () => undefined,
    },
    store,
    transport,
    log: new Log({
      level: 'INFO',
      mode: 'human',
      write: (line) => lines.push(line),
      now: () => 0,
    }),
    serve: async (engine: Engine, before) => {
      events.push(`${engine.follows === null ? 'writes' : 'follows'}${before ? ' after' : ''}`)
      const leave = async (ms: number): Promise<void> => void events.push(`leaves in ${ms}`)
      return { engine, leave, stop: () => engine.close() } as never
    },
    exit: (error) => exits.push(error),
  })
  const instance: Instance = {
    ...{ roles, events, lines, exits },
    connect: (now) => {
      isReached = now
    },
  }
  started.push(instance)
  return instance
}

type Stored = { readonly term: number; readonly isReleased: boolean; readonly instance: string }
const record = (): Stored => JSON.parse(Buffer.from(objects.objects.get(RECORD)!).toString())

const createIndex = (instance: Instance, uid: string) =>
  enqueue(instance.roles.running.engine as TestEngine, uid, {
    kind: 'indexCreation',
    primaryKey: null,
  } as never)
const indexes = ({ roles }: Instance): readonly string[] =>
  roles.running.engine.topology.indexUids()

test('the first instance writes, the second follows, and takes over when the first stops', async () => {
  const first = await start()
  expect([first.events, record().term]).toEqual([['writes'], 1])
  await createIndex(first, 'films')
  const second = await start()
  expect(second.events).toEqual(['follows'])
  expect(second.lines.join('')).toContain('Follows the writer, and takes over when it is silent.')
  await expect.poll(() => indexes(second), LIMIT).toEqual(['films'])
  await first.roles.stop()
  expect(record()).toMatchObject({ term: 1, isReleased: true })
  await expect
    .poll(() => second.events, LIMIT)
    .toEqual(['follows', 'leaves in 300', 'writes after'])
  expect(second.lines.join('')).toContain('Takes over as the writer, term 2.')
  expect(record()).toMatchObject({ term: 2, isReleased: false })
  expect(indexes(second)).toEqual(['films'])
})

test('a writer that does not reach the store is replaced, and follows later', async () => {
  const first = await start()
  await createIndex(first, 'films')
  const second = await start()
  await expect.poll(() => indexes(second), LIMIT).toEqual(['films'])
  first.connect(false)
  await expect.poll(() => second.events, LIMIT).toContain('writes after')
  expect(first.events).toEqual(['writes'])
  first.connect(true)
  await expect.poll(() => first.events, LIMIT).toEqual(['writes', 'leaves in 300', 'follows after'])
  expect(first.exits).toEqual([])
})

test('requests have at most a part of the lease, and no more than searches need', async () => {
  const first = await start({ leaseMs: 60_000 })
  const second = await start({ leaseMs: 60_000 })
  await first.roles.stop()
  await expect.poll(() => second.events[1], LIMIT).toBe('leaves in 1500')
})

test('a store must obey conditions', async () => {
  objects.obeys = false
  const refused = start()
  await expect(refused).rejects.toThrow(LaunchError)
  await expect(refused).rejects.toThrow('needs a store with conditional writes')
  expect([...objects.objects.keys()]).toEqual([])
})

test('an instance waits for the store, and says so once', async () => {
  const { events, lines } = await start({ failures: 2 })
  expect(events).toEqual(['writes'])
  expect(lines.filter((line) => line.includes('Waits for'))).toHaveLength(1)
})

test('a database of its own does not follow another one, unless it replaces that', async () => {
  const own = new FakeDisk().mount()
  const engine = await openTestEngine(own, { version: RELEASE.version })
  await enqueue(engine, 'books', { kind: 'indexCreation', primaryKey: null } as never)
  await engine.idle()
  await engine.close()
  const first = await start()
  const { instance } = record()
  await expect(start({ fileSystem: own })).rejects.toThrow(
    `the folder db holds a database of its own, and the instance ${instance} is the writer`,
  )
  await first.roles.stop()
  const variables = { SVC_OBJSTORE_PUBLISH_REPLACES: instance }
  const second = await start({ fileSystem: own, variables })
  expect([second.events, indexes(second), record().term]).toEqual([['writes'], ['books'], 2])
})

test('an instance that stands by does not begin a place', async () => {
  const follow = {
    SVC_FOLLOW: 'objstore:db',
    SVC_FOLLOW_STANDBY: 'true',
    SVC_OBJSTORE_WRITER_LEASE: '2',
  }
  const [standby, first] = await Promise.all([start({ variables: follow }), start()])
  expect([standby.events, first.events]).toEqual([['follows'], ['writes']])
  expect(record().term).toBe(1)
})
