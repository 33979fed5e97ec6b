// Support for tests: a published database in memory, and a follower of it.
import { createHash } from 'node:crypto'
import { asIndexUid } from '../../../format/ids.ts'
import { snapshotName } from '../../backup/objstore/index.ts'
import { headKey, objectsOf } from '../../backup/objstore/keys.ts'
import { MemoryObjects } from '../../backup/objstore/test-memory-store.ts'
import { encodeHead, type SnapshotFile } from '../../backup/snapshot/index.ts'
import { EngineFault } from '../../model/index.ts'
import { type Manifest, openManifest, segmentPath } from '../../store/catalog/index.ts'
import { FakeDisk, type FileSystem, readFile } from '../../store/storage/index.ts'
import { Follower } from './follower.ts'
import type { FollowOptions } from './options.ts'

const VERSION = '1.0.0'
export const place = { prefix: '', name: 'db' }
const drawLogSalt = (): number => 1

function write(fs: FileSystem, path: string, bytes: Uint8Array): void {
  const file = fs.open(path, 'create')
  file.write(0, bytes)
  file.close()
}

/** A database whose state can be published into a store in memory. */
export class Published {
  readonly store: MemoryObjects
  /** By path: bodies of tasks, which the next state has. */
  readonly bodies = new Map<string, Uint8Array>()
  /** Of the next state; null: without both, as older releases wrote it. */
  writer: string | null = 'http://w'
  readonly #fs = new FakeDisk().mount()
  #manifest: Manifest | null = null
  #number: number

  /** `above`: its states get larger numbers than this. */
  constructor(store: MemoryObjects = new MemoryObjects(), above = 0) {
    this.store = store
    this.#number = above
  }

  async open(): Promise<Manifest> {
    if (this.#manifest !== null) return this.#manifest
    this.#manifest = await openManifest(this.#fs, { version: VERSION, upgrade: false, drawLogSalt })
    write(this.#fs, 'tasks/tasks-000001.log', new Uint8Array(5).fill(4))
    return this.#manifest
  }

  /** `at`: the time of creation, by which indexes of one number differ. */
  async create(uid: string, at = 1): Promise<number> {
    const manifest = await this.open()
    const index = manifest.takeIndex()
    const created = { kind: 'index-created', primaryKey: null, at, settings: '{}' } as const
    await manifest.commit([{ ...created, index, uid: asIndexUid(uid) }])
    return index
  }

  /** Adds a segment of so many bytes to an index. Returns the path of its file. */
  async grow(index: number, bytes: number): Promise<string> {
    const manifest = await this.open()
    const segment = manifest.takeSegment()
    const entry = { segment, layer: 'text', documents: 1, idMin: 0, idMax: 0, bytes } as const
    const location = { kind: 'file', checksum: 1 } as const
    await manifest.commit([{ kind: 'segment-added', index: index as never, ...entry, location }])
    const path = segmentPath(segment, 'text')
    write(this.#fs, path, new Uint8Array(bytes).fill(segment + 1))
    return path
  }

  /** Publishes the state; returns its name. */
  async publish(version = VERSION): Promise<string> {
    const manifest = await this.open()
    const number = ++this.#number
    const clock = `20260102-${String(number).padStart(12, '0')}-00000007`
    const name = this.writer === null ? clock : snapshotName({ term: 1, number }, 7)
    const segments = this.#fs.list('segments').map((one) => `segments/${one}`)
    const manifests = this.#fs.list('').filter((one) => one.startsWith('manifest-'))
    const paths = [...manifests, 'tasks/tasks-000001.log', ...segments]
    const own = paths.map((path) => [path, readFile(this.#fs, path, 1e6)] as const)
    const files = [...own, ...this.bodies].map(([path, bytes]): SnapshotFile => {
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const file = { path, bytes: bytes.length, sha256 }
      for (const { key } of objectsOf(place, file)) this.store.objects.set(key, bytes)
      return file
    })
    const placed = { term: 1, number, instance: 'i' }
    const createdAt = '2026-01-02T03:04:05Z'
    const { sequence } = manifest.state
    const { writer } = this
    const known = writer === null ? {} : { placed, writer }
    const head = { version, createdAt, sequence, ...known, files }
    this.store.objects.set(headKey(place, name, 'published'), encodeHead(head))
    return name
  }
}

const started: Follower[] = []

/** To be called after each test. */
export async function stopFollowers(): Promise<void> {
  for (const follower of started.splice(0)) await follower.stop()
}

type Given = Partial<Omit<FollowOptions, 'store'>> & { readonly store?: null }

/** Creates a follower of a published database in an empty folder. `store` null: has no name. */
export async function follow(objects: MemoryObjects, { store, ...given }: Given = {}) {
  const disk = new FakeDisk()
  const fs = disk.mount()
  const manifest = await openManifest(fs, { version: VERSION, upgrade: false, drawLogSalt })
  const messages: string[] = []
  const reported: unknown[] = []
  const folders: string[] = []
  const calls = { published: 0, closed: 0, news: 0 }
  const fetched: string[] = []
  const failing: { message: string; mistake: Error | null } = { message: '', mistake: null }
  /** Called with the name of a file before its bytes are read. */
  const gate = { pass: (_: string): Promise<void> => Promise.resolve() }
  const inUse = new Set<string>()
  const bucket = objects.bucket()
  const get = bucket.get.bind(bucket)
  const counted = Object.assign(bucket, {
    until: () => counted,
    get: async function* (...args: Parameters<typeof get>) {
      if (args[0].includes('/files/')) {
        const name = args[0].slice(args[0].lastIndexOf('-') + 1)
        fetched.push(name)
        await gate.pass(name)
      }
      yield* get(...args)
    },
  })
  const options: FollowOptions = {
    openBucket: () => {
      if (failing.mistake !== null) throw failing.mistake
      if (failing.message !== '') throw new EngineFault('internal', failing.message)
      return Promise.resolve(counted)
    },
    place,
    source: 'the database `db`',
    ...(store === null ? {} : { store: 'bucket b' }),
    name: 'f',
    pollMs: 1,
    download: 'before',
    version: VERSION,
    say: (level, message) => messages.push(`${level}: ${message}`),
    report: (message, error) => reported.push([message, error]),
    now: () => 1234,
    ...given,
  }
  const live = {
    views: 'views',
    publish: () => calls.published++,
    cleaned: () => Promise.resolve(),
    isInUse: (name: string) => inUse.has(name),
  }
  const openQueue = async (folder: string): Promise<unknown> => {
    folders.push(folder)
    return { close: async () => void calls.closed++ }
  }
  const commit = (changes: Parameters<Manifest['commit']>[0]) => manifest.commit(changes)
  const parts = { options, fs, manifest, commit, live, openQueue }
  const follower = new Follower(parts as unknown as ConstructorParameters<typeof Follower>[0])
  follower.onNewState = () => void calls.news++
  started.push(follower)
  const segmentsOf = (uid: string): number =>
    manifest.state.indexes.get(manifest.state.byUid.get(asIndexUid(uid))!)!.segments.size
  return {
    follower,
    disk,
    fs,
    manifest,
    messages,
    reported,
    folders,
    calls,
    fetched,
    failing,
    gate,
    inUse,
    segmentsOf,
  }
}
