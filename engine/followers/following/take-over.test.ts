// Taking over a published state: its record, foreign numbers, indexes that lag behind, old files.
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { asBatchUid, asIndexUid } from '../../../format/ids.ts'
import { headKey, leaseKey } from '../../backup/objstore/keys.ts'
import { openManifest } from '../../store/catalog/index.ts'
import { type FileSystem, readFile } from '../../store/storage/index.ts'
import { followingOf } from './record.ts'
import { follow, Published, place, stopFollowers } from './test-follower.ts'

afterEach(stopFollowers)

/** Returns a gate that holds back the files with these names until it is opened. */
function closedGate(isHeld: (name: string) => boolean) {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const pass = (name: string): Promise<void> => (isHeld(name) ? opened : Promise.resolve())
  return { pass, open: () => open() }
}

const isSegment = (name: string): boolean => name.endsWith('.text')
const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

it('the record of a state of an older release names no writer and no instance', async () => {
  const published = new Published()
  await published.create('films')
  published.writer = null
  const name = await published.publish()
  const { follower, manifest } = await follow(published.store)
  await follower.open()
  expect(followingOf(manifest.state)).toEqual({
    source: 'the database `db`',
    follower: 'f',
    snapshot: name,
    publishedAt: '2026-01-02T03:04:05Z',
    generation: 1,
    shift: { index: 0, segment: 0 },
  })
})

it('files that the new state does not name are removed, but for those in use', async () => {
  const published = new Published()
  const films = await published.create('films')
  const paths = [await published.grow(films, 30), await published.grow(films, 40)]
  const [gone, kept] = ['tasks/bodies/000001.body', 'tasks/bodies/000002.body']
  for (const path of [gone, kept]) published.bodies.set(path, new Uint8Array(3))
  await published.publish()
  const { follower, fs, inUse, calls } = await follow(published.store)
  for (const folder of ['tasks', 'tasks/bodies']) if (!fs.exists(folder)) fs.makeDirectory(folder)
  await follower.open()
  expect(fs.list('tasks/bodies').toSorted()).toEqual([gone, kept].map(baseOf))
  expect(fs.list('segments').toSorted()).toEqual(paths.map(baseOf))

  published.bodies.delete(gone)
  const manifest = await published.open()
  const segments = [...manifest.state.indexes.values()][0]!.segments.keys()
  await manifest.commit(
    [...segments].map((segment) => ({ kind: 'segment-removed', index: films as never, segment })),
  )
  await published.publish()
  inUse.add(baseOf(paths[1]!))
  follower.start()
  await vi.waitFor(() => expect(calls.news).toBe(2))
  expect(fs.list('tasks/bodies')).toEqual([baseOf(kept)])
  expect(fs.list('segments')).toEqual([baseOf(paths[1]!)])
  expect(fs.list('following')).toEqual(['000002'])
})

it('the outcome of a batch is kept as long as the published state has it', async () => {
  const published = new Published()
  const own = await published.open()
  const [first, second] = [asBatchUid(1), asBatchUid(2)]
  for (const batch of [first, second]) {
    await own.commit([{ kind: 'tasks-finished', batch, record: Uint8Array.of(batch) }])
  }
  await published.publish()
  const { follower, manifest, calls } = await follow(published.store)
  await follower.open()
  expect([...manifest.state.outcomes.keys()]).toEqual([first, second])
  own.forget(first)
  await own.rotate()
  await published.create('films')
  await published.publish()
  follower.start()
  await vi.waitFor(() => expect(calls.news).toBe(2))
  expect([...manifest.state.outcomes.keys()]).toEqual([second])
})

describe('a database that took the place of the followed one', () => {
  it('gets numbers that were never used, and its equal files are not fetched', async () => {
    const published = new Published()
    const [films, songs] = [await published.create('films'), await published.create('songs')]
    await published.grow(films, 30)
    await published.grow(songs, 40)
    await published.publish()
    const { follower, fs, manifest, calls, fetched } = await follow(published.store)
    await follower.open()

    const other = new Published(published.store, 10)
    const books = await other.create('books', 2)
    const equal = await other.grow(books, 30)
    const longer = await other.grow(books, 41)
    const before = fetched.length
    await other.publish()
    follower.start()
    await vi.waitFor(() => expect(calls.news).toBe(2))
    const { state } = manifest
    expect(followingOf(state)).toMatchObject({ generation: 2, shift: { index: 3, segment: 3 } })
    expect([...state.byUid]).toEqual([['books', 4]])
    expect([...state.indexes.get(4 as never)!.segments.keys()]).toEqual([4, 5])
    expect(fetched.slice(before).filter(isSegment)).toEqual([baseOf(longer)])
    expect(fs.list('segments').toSorted()).toEqual(['000004.text', '000005.text'])
    expect([fs.size('segments/000004.text'), fs.size('segments/000005.text')]).toEqual([30, 41])
    expect(equal).toBe('segments/000001.text')

    // The next state of the same database has the same offset.
    const third = await other.grow(books, 50)
    await other.publish()
    await vi.waitFor(() => expect(calls.news).toBe(3))
    expect(followingOf(manifest.state)).toMatchObject({ shift: { index: 3, segment: 3 } })
    expect([third, fs.size('segments/000006.text')]).toEqual(['segments/000003.text', 50])
  })

  it('is served before its files are there only where the same name was missing', async () => {
    const published = new Published()
    for (const uid of ['films', 'songs', 'empty']) {
      const index = await published.create(uid)
      if (uid !== 'empty') await published.grow(index, 30)
    }
    await published.publish()
    const lazy = await follow(published.store, { download: 'lazily' })
    const { follower, manifest, calls, messages, gate, segmentsOf } = lazy
    const held = closedGate((name) => isSegment(name) && name !== '000002.text')
    gate.pass = held.pass
    await follower.open()
    expect(followingOf(manifest.state)!.missing).toEqual([1, 2])

    const other = new Published(published.store, 10)
    // Films are missing and have files; songs are missing and have none; books are new.
    for (const [uid, bytes] of [
      ['films', 33],
      ['books', 44],
      ['songs', 0],
    ] as const) {
      const index = await other.create(uid, 2)
      if (bytes > 0) await other.grow(index, bytes)
    }
    await other.publish()
    follower.start()
    held.open()
    await vi.waitFor(() => expect(calls.news).toBeGreaterThan(1))
    expect(messages.filter((one) => one.includes('Downloads'))).toEqual([
      'info: Downloads 2 indexes, 60 bytes, and serves the others.',
      'info: Downloads 1 index, 33 bytes, and serves the others.',
    ])
    await vi.waitFor(() => expect(follower.follows.missingIndexes).toBe(0))
    expect(['films', 'books', 'songs'].map(segmentsOf)).toEqual([1, 1, 0])
  })
})

describe('an index that has grown while its files were fetched', () => {
  const first = 'info: Downloads 1 index, 30 bytes, and serves the others.'
  const second = 'info: Downloads 1 index, 20 bytes, and serves the others.'

  it.each<[string, number, boolean, readonly string[]]>([
    ['is completed at once', 20, false, [first]],
    ['is fetched again if that is much', 19, false, [first, second]],
    ['is fetched with another state if that is much', 19, true, [first, second]],
  ])('%s', async (_, catchUpBytesMax, isReadyBefore, expected) => {
    const published = new Published()
    const films = await published.create('films')
    await published.grow(films, 30)
    const old = await published.publish()
    const lazy = await follow(published.store, { download: 'lazily', catchUpBytesMax })
    const { follower, manifest, failing, messages, gate, calls, fetched, segmentsOf } = lazy
    const held = closedGate((name) => name === '000001.text')
    gate.pass = held.pass
    await follower.open()
    await vi.waitFor(() => expect(fetched.filter(isSegment)).toEqual(['000001.text']))
    await published.grow(films, 20)
    if (isReadyBefore) {
      failing.message = 'away'
      follower.start()
      await vi.waitFor(() => expect(follower.follows.problem).toBe('away'))
      held.open()
      await vi.waitFor(() => expect(follower.follows.missingBytes).toBe(0))
    }
    const name = await published.publish()
    failing.message = ''
    if (!isReadyBefore) {
      follower.start()
      await vi.waitFor(() => expect(calls.news).toBe(2))
      // The state is served without this index, whose target is still the old state.
      expect(followingOf(manifest.state)).toMatchObject({ snapshot: name, missing: [films] })
      const lease = published.store.objects.get(leaseKey(place, 'f-download'))!
      expect(JSON.parse(Buffer.from(lease).toString())).toMatchObject({ snapshot: old })
      held.open()
    }
    await vi.waitFor(() => expect(follower.follows.missingIndexes).toBe(0))
    const all = 'info: All indexes are downloaded and served.'
    await vi.waitFor(() => expect(messages).toContain(all))
    expect(segmentsOf('films')).toBe(2)
    expect(messages.filter((one) => one.includes('Downloads'))).toEqual(expected)
    expect(fetched.filter(isSegment).sort()).toEqual(['000001.text', '000002.text'])
    const lease = published.store.objects.get(leaseKey(place, 'f-download'))!
    const leased = expected.length === 1 ? old : name
    expect(JSON.parse(Buffer.from(lease).toString())).toMatchObject({ snapshot: leased })
    expect(follower.whenServed([asIndexUid('films')])).toBeNull()
    expect(published.store.objects.has(headKey(place, old, 'published'))).toBe(true)
  })
})

describe('a state that was taken over is complete after a power failure', () => {
  const SEEDS = Array.from({ length: 12 }, (_, seed) => seed)
  const published = new Published()
  const body = 'tasks/bodies/000001.body'
  let segment: string
  let name: string
  beforeAll(async () => {
    segment = await published.grow(await published.create('films'), 3000)
    published.bodies.set(body, new Uint8Array(2000).fill(8))
    name = await published.publish()
  })

  it.each(['before', 'lazily'] as const)('with files that were downloaded %s', async (download) => {
    for (const seed of SEEDS) {
      const { follower, disk, fs, calls } = await follow(published.store, { download })
      if (!fs.exists('tasks/bodies')) fs.makeDirectory('tasks/bodies')
      fs.syncDirectory('tasks')
      await follower.open()
      follower.start()
      await follower.whenServed([asIndexUid('films')])
      await vi.waitFor(() => expect(calls.news).toBe(download === 'before' ? 1 : 2), 30_000)
      await follower.stop()
      disk.crash(seed)
      const after = disk.mount()
      const { state, close } = await reopened(after)
      expect(followingOf(state)).toMatchObject({ snapshot: name, generation: 1 })
      expect(followingOf(state)!.missing).toBeUndefined()
      const contents = [segment, body, 'following/000001/tasks-000001.log'].map((path) => [
        ...new Set(readFile(after, path, 1e6)),
      ])
      expect(contents, `seed ${seed}`).toEqual([[2], [8], [4]])
      expect([after.size(segment), after.size(body)]).toEqual([3000, 2000])
      await close()
    }
  })
})

async function reopened(fs: FileSystem) {
  const options = { version: '1.0.0', upgrade: false, drawLogSalt: () => 1 }
  const manifest = await openManifest(fs, options)
  return { state: manifest.state, close: () => manifest.close() }
}
