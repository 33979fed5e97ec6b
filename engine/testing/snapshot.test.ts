// Snapshots of an engine at work, and their restored databases: a snapshot holds all tasks that
// were acknowledged before it, completely.
import { describe, expect, it } from 'vitest'
import { FIRST_SEED } from '../../fixtures/first-seed.ts'
import { restoreArchive } from '../backup/snapshot/index.ts'
import { PROFILES } from '../store/layers/index.ts'
import { FakeDisk, type FileSystem, fileBytes, randomOf, readFile } from '../store/storage/index.ts'
import { NO_FILTER } from '../write/task-data/index.ts'
import {
  addDocuments,
  allTasks,
  changeSettings,
  documentsWithVectors,
  enqueue,
  openTestEngine,
  type TestEngine,
} from './test-engine.ts'
import { checkWork, randomWork, sendWork, type Work } from './test-work.ts'

/** Sessions in the test run; drills have more. */
const SESSIONS = Number(process.env['SVC_SNAPSHOT_SESSIONS'] ?? 20)
const NAME = 'db.snapshot'
/** Largest compressed size of the zeros at the end of a tar. */
const TAR_END_BYTES = 64

/** A database and the folder of its snapshots, on separate disks. */
class Place {
  readonly disk: FakeDisk
  readonly archive: FakeDisk
  constructor(seed: number) {
    this.disk = new FakeDisk(seed)
    this.archive = new FakeDisk(seed + 1)
  }

  open(compact = true, more: { readonly retain?: number } = {}): Promise<TestEngine> {
    const outside = (): FileSystem => this.archive.mount()
    const snapshots = { folder: 'snapshots', name: 'db', compact, outside, ...more }
    return openTestEngine(this.disk.mount(), { snapshots })
  }
}

async function restored(archive: FileSystem): Promise<FakeDisk> {
  const disk = new FakeDisk()
  const progress = (): void => undefined
  await restoreArchive(fileBytes(archive, NAME, 1000), disk.mount(), { progress })
  return disk
}

/** A task that changes no document. */
const snapshotWork = (name: string): Work => ({ name, kind: 'settings', patch: {} })
const takeSnapshot = (engine: TestEngine, name: string | null = null) =>
  enqueue(engine, null, { kind: 'snapshotCreation' }, name)

async function session(seed: number): Promise<void> {
  const random = randomOf(seed)
  const place = new Place(seed)
  const engine = await place.open(random.below(2) === 0)
  const works = new Map<string, Work>()
  const acknowledged = new Set<string>()
  for (let i = 0; i < 4 + random.below(20); i++) {
    const work = randomWork(random, `w${i}`)
    works.set(work.name, work)
    await sendWork(engine, work)
    acknowledged.add(work.name)
    const pause = random.below(6)
    if (pause === 0) await engine.idle()
    if (pause === 1) await engine.allMerged()
  }
  works.set('snapshot', snapshotWork('snapshot'))
  // The task log may be rewritten at any moment.
  const rewriting = random.below(3) === 0 ? engine.tasks.compact() : null
  const { uid } = await takeSnapshot(engine, 'snapshot')
  if (random.below(3) === 0) await engine.tasks.compact()
  for (let i = 0; i < random.below(8); i++) {
    const work = randomWork(random, `late${i}`)
    works.set(work.name, work)
    await sendWork(engine, work)
    if (random.below(2) === 0)
      await engine.administration.setFeatures({ containsFilter: i % 2 === 0 })
  }
  await rewriting
  await engine.allMerged()
  expect((await engine.tasks.get(uid, null))?.status).toBe('succeeded')
  expect(place.disk.mount().list('staging')).toEqual([])
  await engine.close()

  const copy = await restored(place.archive.mount())
  expectSameSegments(place.disk.mount(), copy.mount())
  const again = await openTestEngine(copy.mount())
  expect((await again.tasks.get(uid, null))?.status, 'it is not made again').toBe('succeeded')
  await again.allMerged()
  await checkWork(again, works, acknowledged)
  await again.close()
}

/** A name is never used twice: files of both have the same bytes. */
function expectSameSegments(one: FileSystem, other: FileSystem): void {
  for (const name of one.list('segments')) {
    const path = `segments/${name}`
    if (!other.exists(path)) continue
    expect(Buffer.compare(readFile(one, path, 1e9), readFile(other, path, 1e9)), path).toBe(0)
  }
}

describe('a snapshot', () => {
  const seeds = Array.from({ length: SESSIONS }, (_, i) => FIRST_SEED + i)
  it.each(seeds)('of a database at work is a consistent cut (seed %i)', session)

  it('replaces the last one, and waiting snapshots share one run', async () => {
    const place = new Place(1)
    const engine = await place.open()
    await takeSnapshot(engine)
    await engine.idle()
    const first = readFile(place.archive.mount(), NAME, 1e9)
    await sendWork(engine, { name: 'w', kind: 'import', method: 'replace', docs: [{ id: 1 }] })
    await Promise.all([takeSnapshot(engine), takeSnapshot(engine)])
    await engine.idle()
    const tasks = await allTasks(engine)
    expect(new Set(tasks.slice(-2).map(({ batchUid }) => batchUid)).size).toBe(1)
    expect(tasks.map(({ status }) => status)).toEqual(Array(4).fill('succeeded'))
    expect(place.archive.mount().list('')).toEqual([NAME])
    expect(Buffer.compare(first, readFile(place.archive.mount(), NAME, 1e9))).not.toBe(0)
    await engine.close()
  })

  it('is kept beside older ones up to a number; other files stay', async () => {
    const place = new Place(1)
    const engine = await place.open(true, { retain: 2 })
    const archive = place.archive.mount()
    for (const foreign of ['db-old.snapshot', 'db-20260302T101112.131415Z.txt', 'other.snapshot']) {
      archive.open(foreign, 'create').close()
    }
    const stamped = (): string[] =>
      archive.list('').filter((name) => /^db-\d{8}T\d{6}\.\d{6}Z\.snapshot$/.test(name))
    const made: string[] = []
    for (let i = 0; i < 4; i++) {
      await takeSnapshot(engine)
      await engine.idle()
      made.push(stamped().at(-1)!)
      expect(stamped()).toEqual(made.slice(-2))
      const newest = readFile(archive, NAME, 1e9)
      expect(Buffer.compare(newest, readFile(archive, made.at(-1)!, 1e9))).toBe(0)
    }
    expect(new Set(made).size).toBe(4)
    expect(archive.list('')).toHaveLength(3 + 1 + 2)
    await engine.close()
  })

  it('holds files of every layer, vectors among them', async () => {
    const place = new Place(6)
    const engine = await place.open()
    await changeSettings(engine, 'films', {
      filterableAttributes: ['title'],
      embedders: { own: { source: 'userProvided', dimensions: 64 } },
    })
    const random = randomOf(6)
    const row = (): number[] => Array.from({ length: 64 }, () => random.below(1000) / 1000)
    const films = Array.from({ length: 900 }, (_, id) => ({
      id,
      title: Array.from({ length: 12 }, () => random.below(1 << 30).toString(36)).join(' '),
      _vectors: { own: row() },
    }))
    await addDocuments(engine, 'films', films)
    await engine.allMerged()
    const extensions = new Set(
      place.disk
        .mount()
        .list('segments')
        .map((name) => name.slice(-4)),
    )
    expect([...extensions].sort()).toEqual(PROFILES.map(({ extension }) => extension).sort())
    await takeSnapshot(engine)
    await engine.idle()
    const again = await openTestEngine((await restored(place.archive.mount())).mount())
    expect(await documentsWithVectors(again, 'films')).toEqual(
      await documentsWithVectors(engine, 'films'),
    )
    await again.close()
    await engine.close()
  })

  it('is created on a file system without hard links', async () => {
    const place = new Place(4)
    const fs = place.disk.mount()
    fs.link = () => false
    const snapshots = {
      folder: 'snapshots',
      name: 'db',
      compact: true,
      outside: () => place.archive.mount(),
    }
    const engine = await openTestEngine(fs, { snapshots })
    const works = new Map<string, Work>()
    const acknowledged = new Set<string>()
    for (let i = 0; i < 10; i++) {
      const work = randomWork(randomOf(i), `w${i}`)
      works.set(work.name, work)
      await sendWork(engine, work)
      acknowledged.add(work.name)
    }
    works.set('snapshot', snapshotWork('snapshot'))
    const rewriting = engine.tasks.compact()
    await takeSnapshot(engine, 'snapshot')
    await rewriting
    await engine.allMerged()
    await engine.close()
    const again = await openTestEngine((await restored(place.archive.mount())).mount())
    await again.allMerged()
    await checkWork(again, works, acknowledged)
    await again.close()
  })

  it('that is canceled leaves only the last one', async () => {
    const place = new Place(2)
    const engine = await place.open()
    await takeSnapshot(engine)
    await engine.idle()
    const before = readFile(place.archive.mount(), NAME, 1e9)
    const docs = Array.from({ length: 40 }, (_, id) => ({
      id,
      text: `${'long '.repeat(5000)}${id}`,
    }))
    await sendWork(engine, { name: 'w', kind: 'import', method: 'replace', docs })
    await engine.idle()
    const { uid } = await takeSnapshot(engine)
    while ((await engine.tasks.get(uid, null))?.status === 'enqueued') await turn()
    await engine.tasks.enqueueCancelation({ ...NO_FILTER, uids: [uid] }, `?uids=${uid}`, null)
    await engine.idle()
    expect((await engine.tasks.get(uid, null))?.status).toBe('canceled')
    expect(place.archive.mount().list('')).toEqual([NAME])
    expect(Buffer.compare(before, readFile(place.archive.mount(), NAME, 1e9))).toBe(0)
    expect(place.disk.mount().list('staging')).toEqual([])
    await engine.close()
  })

  it.each(['write', 'sync', 'rename', 'open'] as const)(
    'fails with what the disk fails with, at %s, and leaves the last one',
    async (on) => {
      const place = new Place(3)
      const engine = await place.open()
      await takeSnapshot(engine)
      await engine.idle()
      const before = readFile(place.archive.mount(), NAME, 1e9)
      place.archive.fail({ on, errno: 'ENOSPC', path: NAME })
      const { uid } = await takeSnapshot(engine)
      await engine.idle()
      expect(await engine.tasks.get(uid, null)).toMatchObject({
        status: 'failed',
        error: { code: 'no_space_left_on_device' },
      })
      expect(place.archive.mount().list('')).toEqual([NAME])
      expect(Buffer.compare(before, readFile(place.archive.mount(), NAME, 1e9))).toBe(0)
      await engine.close()
    },
  )

  it('that a power failure interrupts is created again, and leaves no garbage', async () => {
    let cuts = 0
    for (let steps = 0; steps < 40; steps++) {
      const place = new Place(steps)
      const engine = await place.open()
      await sendWork(engine, { name: 'w', kind: 'import', method: 'replace', docs: [{ id: 1 }] })
      await engine.allMerged()
      const { uid } = await takeSnapshot(engine)
      place.archive.powerOffAfter(steps % 8)
      place.disk.powerOffAfter(steps)
      await engine.idle().catch(() => undefined)
      if (place.disk.powerIsOff || place.archive.powerIsOff) cuts++
      place.disk.crash(steps)
      place.archive.crash(steps)
      const again = await place.open()
      expect(
        place.archive
          .mount()
          .list('')
          .filter((name) => name !== NAME),
      ).toEqual([])
      await again.allMerged()
      const task = await again.tasks.get(uid, null)
      expect(['succeeded', 'failed'], JSON.stringify(task)).toContain(task?.status)
      expect(place.archive.mount().list('').length).toBeLessThanOrEqual(1)
      await again.close()
    }
    expect(cuts).toBeGreaterThan(10)
  })
})

describe('a missing database', () => {
  it('is not created from an archive that is truncated at any place', async () => {
    const place = new Place(5)
    const engine = await place.open()
    await sendWork(engine, { name: 'w', kind: 'import', method: 'replace', docs: [{ id: 1 }] })
    await engine.allMerged()
    await takeSnapshot(engine)
    await engine.close()
    const again = await place.open()
    await again.idle()
    await again.close()
    const whole = readFile(place.archive.mount(), NAME, 1e9)
    for (let end = 0; end < whole.length - 1; end += 1 + Math.floor(whole.length / 60)) {
      const disk = new FakeDisk()
      const short = async function* () {
        yield whole.subarray(0, end)
      }
      const progress = (): void => undefined
      const refused = await restoreArchive(short(), disk.mount(), { progress }).catch(
        (error: unknown) => error,
      )
      // Zeros end a tar: the last member of the stream. Without them no file is missing.
      if (end >= whole.length - TAR_END_BYTES && !(refused instanceof Error)) continue
      expect(refused, `at ${end} of ${whole.length}`).toBeInstanceOf(Error)
      expect((refused as Error).name).toBe('ArchiveError')
    }
  })
})

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
