// A follower of a published database, in memory: what it fetches, serves and reports.
import { createHash } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { snapshotName } from '../../backup/objstore/index.ts'
import { headKey, leaseKey, objectsOf } from '../../backup/objstore/keys.ts'
import { MemoryObjects } from '../../backup/objstore/test-memory-store.ts'
import { encodeHead, type SnapshotFile } from '../../backup/snapshot/index.ts'
import { EngineFault } from '../../model/index.ts'
import { type Manifest, openManifest, segmentPath } from '../../store/catalog/index.ts'
import { FakeDisk, type FileSystem, readFile } from '../../store/storage/index.ts'
import { Follower } from './follower.ts'
import type { FollowOptions } from './options.ts'
import { followingOf } from './record.ts'

const VERSION = '1.0.0'
const place = { prefix: '', name: 'db' }
const drawLogSalt = (): number => 1

function write(fs: FileSystem, path: string, bytes: Uint8Array): void {
  const file = fs.open(path, 'create')
  file.write(0, bytes)
  file.close()
}

/** A database whose state can be published into a store in memory. */
class Published {
  readonly store = new MemoryObjects()
  readonly #fs = new FakeDisk().mount()
  #manifest: Manifest | null = null
  #number = 0

  async #open(): Promise<Manifest> {
    if (this.#manifest !== null) return this.#manifest
    this.#manifest = await openManifest(this.#fs, { version: VERSION, upgrade: false, drawLogSalt })
    write(this.#fs, 'tasks/tasks-000001.log', new Uint8Array(5).fill(4))
    return this.#manifest
  }

  async create(uid: string): Promise<number> {
    const manifest = await this.#open()
    const index = manifest.takeIndex()
    const created = { kind: 'index-created', primaryKey: null, at: 1, settings: '{}' } as const
    await manifest.commit([{ ...created, index, uid: asIndexUid(uid) }])
    return index
  }

  /** Adds a segment of so many bytes to an index. Returns the path of its file. */
  async grow(index: number, bytes: number): Promise<string> {
    const manifest = await this.#open()
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
    const manifest = await this.#open()
    const name = snapshotName({ term: 1, number: ++this.#number }, 7)
    const segments = this.#fs.list('segments').map((one) => `segments/${one}`)
    const manifests = this.#fs.list('').filter((one) => one.startsWith('manifest-'))
    const paths = [...manifests, 'tasks/tasks-000001.log', ...segments]
    const files = paths.map((path): SnapshotFile => {
      const bytes = readFile(this.#fs, path, 1e6)
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const file = { path, bytes: bytes.length, sha256 }
      for (const { key } of objectsOf(place, file)) this.store.objects.set(key, bytes)
      return file
    })
    const placed = { term: 1, number: this.#number, instance: 'i' }
    const createdAt = '2026-01-02T03:04:05Z'
    const { sequence } = manifest.state
    const head = { version, createdAt, sequence, placed, writer: 'http://w', files }
    this.store.objects.set(headKey(place, name, 'published'), encodeHead(head))
    return name
  }
}

const started: Follower[] = []
afterEach(async () => {
  for (const follower of started.splice(0)) await follower.stop()
})

async function follow(store: MemoryObjects, given: Partial<FollowOptions> = {}) {
  const fs = new FakeDisk().mount()
  const manifest = await openManifest(fs, { version: VERSION, upgrade: false, drawLogSalt })
  const messages: string[] = []
  const reported: unknown[] = []
  const folders: string[] = []
  const calls = { published: 0, closed: 0, news: 0 }
  const fetched: string[] = []
  const failing = { message: '' }
  const bucket = store.bucket()
  const get = bucket.get.bind(bucket)
  const counted = Object.assign(bucket, {
    until: () => counted,
    get: (...args: Parameters<typeof get>) => {
      if (args[0].includes('/files/')) fetched.push(args[0].slice(args[0].lastIndexOf('-') + 1))
      return get(...args)
    },
  })
  const options: FollowOptions = {
    openBucket: () => {
      if (failing.message !== '') throw new EngineFault('internal', failing.message)
      return Promise.resolve(counted)
    },
    place,
    source: 'the database `db`',
    store: 'bucket b',
    name: 'f',
    pollMs: 1,
    download: 'before',
    version: VERSION,
    say: (level, message) => messages.push(`${level}: ${message}`),
    report: (_, error) => reported.push(error),
    now: () => 1234,
    ...given,
  }
  const live = {
    views: 'views',
    publish: () => calls.published++,
    cleaned: () => Promise.resolve(),
    isInUse: () => false,
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
    fs,
    manifest,
    messages,
    reported,
    folders,
    calls,
    fetched,
    failing,
    segmentsOf,
  }
}

describe('a follower', () => {
  it('takes over the newest state, then only what is new', async () => {
    const published = new Published()
    const films = await published.create('films')
    const first = await published.grow(films, 30)
    await published.publish()
    const name = await published.publish()
    const { follower, fs, folders, calls, fetched, messages, manifest, segmentsOf } = await follow(
      published.store,
    )
    await follower.open()
    expect(follower.follows).toEqual({
      unreadable: 0,
      source: 'the database `db`',
      snapshot: name,
      publishedAt: '2026-01-02T03:04:05Z',
      checkedAt: 1234,
      problem: null,
      missingIndexes: 0,
      missingBytes: 0,
    })
    expect(followingOf(manifest.state)).toMatchObject({
      follower: 'f',
      generation: 1,
      writer: 'http://w',
      instance: 'i',
    })
    expect(fs.size(first)).toBe(30)
    expect([segmentsOf('films'), follower.described]).toEqual([1, manifest.state])
    expect([folders, follower.queue !== undefined]).toEqual([['following/000001'], true])
    expect(published.store.objects.has(leaseKey(place, 'f'))).toBe(true)
    expect(messages).toEqual([expect.stringMatching(/^info: Took over .*: 35 bytes in/)])
    expect(calls).toEqual({ published: 1, closed: 0, news: 1 })
    expect(follower.whenServed([asIndexUid('films')])).toBeNull()

    follower.start()
    const second = await published.grow(films, 40)
    const before = fetched.length
    await published.publish()
    await vi.waitFor(() => expect(calls.news).toBe(2))
    expect(segmentsOf('films')).toBe(2)
    // The manifest, the log, and the new segment.
    expect(fetched.slice(before).filter((one) => one.endsWith('text'))).toEqual([
      second.slice('segments/'.length),
    ])
    expect(fs.list('following')).toEqual(['000002'])
    expect(calls).toMatchObject({ published: 3, closed: 1 })
  })

  it('reports a failure once, and when it is over', async () => {
    const published = new Published()
    await published.create('films')
    const { follower, failing, messages, reported, calls } = await follow(published.store)
    failing.message = 'away'
    const opening = follower.open()
    await vi.waitFor(() => expect(follower.follows.problem).toBe('away'))
    await vi.waitFor(() => expect(messages.length).toBe(1))
    failing.message = ''
    await vi.waitFor(() =>
      expect(messages.slice(1)).toEqual([expect.stringMatching(/no snapshot was published yet/)]),
    )
    expect(messages[0]).toContain('away (bucket b)')
    await published.publish('1.1.0')
    await vi.waitFor(() => expect(follower.follows.problem).toMatch(/by release 1\.1\.0/))
    expect(follower.follows).toMatchObject({ snapshot: null, publishedAt: null, checkedAt: null })
    await published.publish()
    await opening
    expect(messages.at(-1)).toBe('info: Follows the database `db` again.')
    expect([follower.follows.problem, calls.news, reported]).toEqual([null, 1, []])
    expect(messages.filter((one) => one.startsWith('warn')).length).toBe(3)
  })

  it('serves an index when its files are there, and others before', async () => {
    const published = new Published()
    const [films, songs] = [await published.create('films'), await published.create('songs')]
    await published.create('empty')
    await published.grow(films, 30)
    await published.grow(songs, 500)
    await published.publish()
    const lazy = await follow(published.store, { download: 'lazily', waitMsMax: 10_000 })
    const { follower, messages, segmentsOf, manifest } = lazy
    await follower.open()
    expect([segmentsOf('films'), segmentsOf('songs')]).toEqual([0, 0])
    expect(follower.follows).toMatchObject({ missingIndexes: 2 })
    expect(followingOf(manifest.state)!.missing?.length).toBe(2)
    expect(follower.whenServed([asIndexUid('empty')])).toBeNull()
    expect(follower.described.indexes.get(songs as never)!.segments.size).toBe(1)
    const waiting = follower.whenServed([asIndexUid('songs')])
    expect(waiting).not.toBeNull()
    follower.start()
    await waiting
    const all = 'info: All indexes are downloaded and served.'
    await vi.waitFor(() => expect(messages).toContain(all))
    expect(follower.follows.missingIndexes).toBe(0)
    expect([segmentsOf('films'), segmentsOf('songs')]).toEqual([1, 1])
    expect(followingOf(manifest.state)!.missing).toBeUndefined()
    expect(follower.described).toBe(manifest.state)
    expect(messages).toContain('info: Downloads 2 indexes, 530 bytes, and serves the others.')
  })
})
