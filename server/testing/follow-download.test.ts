// Followers that serve while they still download: each index as soon as its own files have arrived.
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { heads, retain, StoreTurns } from '../../engine/backup/objstore/index.ts'
import { promoteFollower } from '../../engine/followers/following/index.ts'
import type { FollowerOptions } from '../../engine/open/open-readers.ts'
import { FakeDisk, type FileSystem } from '../../engine/store/storage/index.ts'
import type { StoreOptions } from '../../engine/task-kinds/kind/options.ts'
import {
  addDocuments,
  openTestEngine,
  searchFor,
  type TestEngine,
} from '../../engine/testing/test-engine.ts'
import { asIndexUid } from '../../format/ids.ts'
import { streamingCaller } from '../outbound/index.ts'
import {
  bucketOf,
  catchesUp,
  caughtUp,
  followOptions,
  large,
  openReader,
  openWriter,
  pause,
  said,
  storeOf,
  WAIT_MS,
} from './test-followers.ts'
import type { TestStore, Trouble } from './test-object-store.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const SEGMENT = /\/files\/[0-9a-f]{64}-\d+\.(?:docs|text|cols|vecs)/
const NOT_YET = { code: 'index_not_downloaded' }

const openLazily = (
  fileSystem: FileSystem,
  store: StoreOptions,
  more: Partial<FollowerOptions['follow']> = {},
): Promise<TestEngine> =>
  openReader(fileSystem, store, {
    follow: { ...followOptions(store), download: 'lazily', ...more },
  })

/** Applies the trouble to files of segments only. */
function troubled(store: TestStore, trouble: Trouble): void {
  store.trouble = (method, url) => (method === 'GET' && SEGMENT.test(url) ? trouble : null)
}

const AWAY: Trouble = { kind: 'status', status: 503, body: 'busy' }

type End = () => Promise<void>

/** Creates a writer with an index `small` that has no files, and two indexes with large files. */
async function published(atEnd: (end: End) => void = onTestFinished) {
  const { store, options } = await storeOf('long-pages', atEnd)
  const disk = new FakeDisk(1)
  const writer = await openWriter(disk, options)
  let isOpen = true
  const close = async (): Promise<void> => {
    if (isOpen) await writer.close()
    isOpen = false
  }
  atEnd(close)
  await addDocuments(writer, 'small', [{ id: 1, text: 'quiet song' }])
  await addDocuments(writer, 'b', large(0, 20))
  await addDocuments(writer, 'c', [...large(100, 40), { id: 7, text: 'quiet song' }])
  await writer.allMerged()
  const own = new FakeDisk(2)
  const first = await openReader(own.mount(), options)
  await caughtUp(writer, first)
  await first.close()
  return { store, options, writer, disk, close }
}

const hits = async (engine: TestEngine, uid: string): Promise<number> =>
  (await searchFor(engine, uid, { q: 'quiet song' })).hits.length

describe('a follower that downloads lazily', () => {
  /** Its writer writes no more. */
  let shared: Awaited<ReturnType<typeof published>>
  beforeAll(async () => {
    const ends: End[] = []
    shared = await published((end) => void ends.unshift(end))
    return async () => {
      for (const end of ends) await end()
    }
  })
  afterEach(() => {
    shared.store.trouble = () => null
  })

  it('serves what needs no files, refuses other requests, and serves each index when it arrives', async () => {
    const { store, options, writer } = shared
    troubled(store, AWAY)
    const follower = await openLazily(new FakeDisk(3).mount(), options)
    onTestFinished(() => follower.close())
    expect(await hits(follower, 'small')).toBe(1)
    expect(follower.follows).toMatchObject({ missingIndexes: 2 })
    expect(follower.follows!.missingBytes).toBeGreaterThan(0)
    expect(follower.documents.settings(asIndexUid('c'))).toEqual(
      writer.documents.settings(asIndexUid('c')),
    )
    expect(follower.documents.index(asIndexUid('c'))).toEqual(
      writer.documents.index(asIndexUid('c')),
    )
    for (const uid of ['small', 'b', 'c']) {
      expect(follower.documents.indexStats(asIndexUid(uid))).toEqual(
        writer.documents.indexStats(asIndexUid(uid)),
      )
    }
    expect(follower.administration.stats(null).indexes).toEqual(
      writer.administration.stats(null).indexes,
    )
    const reads: readonly (() => Promise<unknown>)[] = [
      () => searchFor(follower, 'c', { q: 'quiet' }),
      () => follower.documents.get(asIndexUid('c'), '7', null, false),
    ]
    for (const read of reads) await expect(read()).rejects.toMatchObject(NOT_YET)
    await expect.poll(() => follower.follows?.problem, { timeout: WAIT_MS }).toMatch(/503/)
    store.trouble = () => null
    await caughtUp(writer, follower)
    expect(follower.follows).toMatchObject({ missingIndexes: 0, missingBytes: 0, problem: null })
    expect(await hits(follower, 'c')).toBe(1)
  })

  it('has all figures after a restart before it has downloaded an index', async () => {
    const { store, options, writer } = shared
    const own = new FakeDisk(3)
    troubled(store, AWAY)
    await (await openLazily(own.mount(), options)).close()
    const again = await openLazily(own.mount(), options)
    onTestFinished(() => again.close())
    const documents = (): number => again.documents.indexStats(asIndexUid('c')).numberOfDocuments
    await expect.poll(documents, { timeout: WAIT_MS }).toBe(41)
    expect(again.administration.stats(null).indexes).toEqual(
      writer.administration.stats(null).indexes,
    )
    await expect(hits(again, 'c')).rejects.toMatchObject(NOT_YET)
  })

  it('lets a request wait for its index, within a limit', async () => {
    const { store, options } = shared
    troubled(store, AWAY)
    const follower = await openLazily(new FakeDisk(3).mount(), options, { waitMsMax: WAIT_MS })
    onTestFinished(() => follower.close())
    const found = hits(follower, 'c')
    await pause(50)
    store.trouble = () => null
    expect(await found).toBe(1)
  })

  it('refuses waiting requests when it is closed', async () => {
    const { store, options } = shared
    troubled(store, AWAY)
    const follower = await openLazily(new FakeDisk(3).mount(), options, { waitMsMax: WAIT_MS })
    const found = expect(hits(follower, 'c')).rejects.toMatchObject(NOT_YET)
    await follower.close()
    await found
  })

  it('serves no file that differs from the published one', async () => {
    const { store, options, writer } = shared
    troubled(store, { kind: 'status', status: 200, body: 'other bytes' })
    const own = new FakeDisk(3)
    const follower = await openLazily(own.mount(), options)
    onTestFinished(() => follower.close())
    await expect
      .poll(() => follower.follows?.problem, { timeout: WAIT_MS })
      .toMatch(/not what was uploaded/)
    expect(
      own
        .mount()
        .list('segments')
        .filter((name) => !name.endsWith('.new')),
    ).toEqual([])
    await expect(hits(follower, 'b')).rejects.toMatchObject(NOT_YET)
    store.trouble = () => null
    await caughtUp(writer, follower)
  })

  it('continues after a restart, and serves what it already has', async () => {
    const { store, options, writer } = shared
    const own = new FakeDisk(3)
    troubled(store, AWAY)
    const first = await openLazily(own.mount(), options)
    await first.close()
    store.trouble = () => ({ kind: 'reset' })
    const again = await openLazily(own.mount(), options)
    expect(await hits(again, 'small')).toBe(1)
    expect(again.follows?.missingIndexes).toBe(2)
    await expect(hits(again, 'c')).rejects.toMatchObject(NOT_YET)
    store.trouble = () => null
    await caughtUp(writer, again)
    await again.close()
    store.trouble = () => ({ kind: 'reset' })
    const last = await openLazily(own.mount(), options)
    onTestFinished(() => last.close())
    expect(await hits(last, 'c')).toBe(1)
  })

  it('downloads everything before it serves when started with that option', async () => {
    const { store, options, writer } = shared
    const own = new FakeDisk(3)
    troubled(store, AWAY)
    const first = await openLazily(own.mount(), options)
    await first.close()
    store.trouble = () => null
    const again = await openReader(own.mount(), options)
    onTestFinished(() => again.close())
    expect(again.follows?.missingIndexes).toBe(0)
    expect(await hits(again, 'c')).toBe(1)
    await caughtUp(writer, again)
  })

  it('has a whole state after a power failure at any step', async () => {
    const { options, writer } = shared
    const own = new FakeDisk(3)
    let cuts = 0
    for (let steps = 1; steps < 80; steps += 4) {
      own.powerOffAfter(steps)
      const opened = await openLazily(own.mount(), options).catch(() => null)
      if (opened !== null) {
        await catchesUp(writer, opened, 100)
        await opened.close().catch(() => undefined)
      }
      if (own.powerIsOff) cuts++
      own.crash(steps)
    }
    expect(cuts).toBeGreaterThan(5)
    const follower = await openLazily(own.mount(), options)
    onTestFinished(() => follower.close())
    await caughtUp(writer, follower)
  })

  it('is not promoted before all indexes have arrived', async () => {
    const { store, options, writer } = shared
    const own = new FakeDisk(3)
    troubled(store, AWAY)
    const first = await openLazily(own.mount(), options)
    await first.close()
    await expect(promoteFollower(own.mount(), '1.50.0')).rejects.toThrow(/was not downloaded yet/)
    store.trouble = () => null
    const again = await openLazily(own.mount(), options)
    await caughtUp(writer, again)
    await again.close()
    expect(await promoteFollower(own.mount(), '1.50.0')).not.toBe(null)
    const promoted = await openTestEngine(own.mount())
    onTestFinished(() => promoted.close())
    expect(await hits(promoted, 'c')).toBe(1)
  })
})

describe('a follower that downloads lazily from a writer that goes on', () => {
  it('follows while it downloads, and the store keeps the files that it fetches', async () => {
    const { store, options, writer, disk } = await published()
    const own = new FakeDisk(3)
    troubled(store, AWAY)
    const follower = await openLazily(own.mount(), options, { name: 'lazy' })
    onTestFinished(() => follower.close())
    for (let i = 0; i < 3; i++) {
      await addDocuments(writer, 'small', [{ id: i, text: `quiet song ${i}` }])
      const changed = large(200 + i, 20).map(({ text }, id) => ({ id, text }))
      await addDocuments(writer, 'b', changed)
      await addDocuments(writer, `more-${i}`, [{ id: i }])
      await writer.allMerged()
      const uid = `more-${i}`
      await expect
        .poll(() => follower.documents.listIndexes(null).some((one) => one.uid === uid), {
          timeout: WAIT_MS,
        })
        .toBe(true)
    }
    expect(follower.follows?.missingIndexes).toBe(2)
    const bucket = await bucketOf(options)
    const turns = new StoreTurns()
    const leased = await turns.leases.snapshots(bucket, options.place)
    await retain(bucket, options.place, { kind: 'published', count: 1, leased, turns })
    const names = await heads.names(bucket, options.place, 'published')
    expect([...leased].filter((name) => !names.includes(name))).toEqual([])
    expect([...leased].length).toBeGreaterThan(1)
    store.trouble = () => null
    await caughtUp(writer, follower)
    // Files fetched for the first state and no longer needed are deleted with the next one.
    await addDocuments(writer, 'small', [{ id: 99 }])
    await writer.allMerged()
    await caughtUp(writer, follower)
    const files = (one: FakeDisk): readonly string[] => one.mount().list('segments').toSorted()
    await expect.poll(() => files(own), { timeout: WAIT_MS }).toEqual(files(disk))
  })

  it('downloads again what has changed too much in the meantime', async () => {
    const { store, options, writer } = await published()
    let release = (): void => undefined
    const until = new Promise<void>((resolve) => {
      release = resolve
    })
    troubled(store, { kind: 'held', until })
    said.length = 0
    const transport = streamingCaller('any', WAIT_MS)
    const patient = { ...options, transport, retryMsMax: WAIT_MS }
    const follower = await openLazily(new FakeDisk(3).mount(), patient, { catchUpBytesMax: 0 })
    onTestFinished(() => follower.close())
    await addDocuments(writer, 'c', large(700, 40))
    await writer.allMerged()
    const shown = () => follower.documents.index(asIndexUid('c')).updatedAt
    await expect
      .poll(shown, { timeout: WAIT_MS })
      .toBe(writer.documents.index(asIndexUid('c')).updatedAt)
    store.trouble = () => null
    release()
    await caughtUp(writer, follower)
    expect(said.filter((line) => line.startsWith('Downloads')).length).toBe(2)
    expect(await hits(follower, 'c')).toBe(1)
  })

  it('follows a database that was restored while it downloaded', async () => {
    const { store, options, writer, close } = await published()
    const own = new FakeDisk(3)
    troubled(store, AWAY)
    const follower = await openLazily(own.mount(), options)
    onTestFinished(() => follower.close())
    await close()
    const other = await openWriter(new FakeDisk(9), options, writer)
    onTestFinished(() => other.close())
    await addDocuments(other, 'c', large(500, 30))
    await addDocuments(other, 'd', large(600, 30))
    await other.allMerged()
    await expect
      .poll(() => follower.documents.listIndexes(null).length, { timeout: WAIT_MS })
      .toBeGreaterThan(0)
    store.trouble = () => null
    await caughtUp(other, follower)
  })

  it('serves a restored database before the files of its missing indexes have arrived', async () => {
    const { store, options, writer, close } = await published()
    troubled(store, AWAY)
    const follower = await openLazily(new FakeDisk(3).mount(), options)
    onTestFinished(() => follower.close())
    await close()
    const other = await openWriter(new FakeDisk(9), options, writer)
    onTestFinished(() => other.close())
    await addDocuments(other, 'c', large(500, 30))
    await other.allMerged()
    const shown = (): readonly string[] =>
      follower.documents.listIndexes(null).map(({ uid }) => uid)
    await expect.poll(shown, { timeout: WAIT_MS / 4 }).toEqual(['c'])
    expect(follower.follows).toMatchObject({ missingIndexes: 1 })
    store.trouble = () => null
    await caughtUp(other, follower)
  })
})

it('no step logged an internal error', () => {
  expect(said.filter((line) => /failed\.|renewed/.test(line))).toEqual([])
})
