// Databases of older releases and older analyses: refused, taken over, canceled. On a disk in
// memory, with segments rewritten by hand; fixtures/databases has databases of older builds.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { elected, type Network, NO_NETWORK } from '../network/records/index.ts'
import { openManifest, VERSION, writeVersion } from '../store/catalog/index.ts'
import { FakeDisk, readFile } from '../store/storage/index.ts'
import { oldIndexes } from '../task-kinds/database/upgrade.ts'
import { ANALYSIS_VERSION } from '../text/index.ts'
import {
  addDocuments,
  allTasks,
  EVERY_TASK,
  enqueue,
  openTestEngine,
  searchFor,
  type TestEngine,
} from './test-engine.ts'
import { age } from './test-old-segments.ts'

const FILMS = [
  { id: 1, title: 'The Quiet Harbour', tags: ['Sea', 'drama'] },
  { id: 2, title: 'Harbour Lights', tags: ['sea'] },
  { id: 3, title: 'Mountain Song', tags: ['drama'] },
]
const UPGRADE = { upgrade: true }

/** Returns a disk with two indexes, written by this build. */
async function madeDisk(films: readonly object[] = FILMS): Promise<FakeDisk> {
  const disk = new FakeDisk()
  const engine = await openTestEngine(disk.mount())
  const patch = { filterableAttributes: ['tags'] }
  const content = { kind: 'settingsUpdate', patch, isDeletion: false, allowIndexCreation: true }
  await enqueue(engine, 'films', { ...content, kind: 'settingsUpdate' })
  await addDocuments(engine, 'films', films)
  await addDocuments(engine, 'books', [{ id: 9, title: 'Harbour Tales' }])
  await engine.idle()
  await engine.close()
  return disk
}

const writeRelease = (disk: FakeDisk, release: string): Promise<void> =>
  writeVersion(disk.mount(), release)

const releaseOf = (disk: FakeDisk): string =>
  new TextDecoder().decode(readFile(disk.mount(), VERSION, 100))

const refusal = (disk: FakeDisk, options: object = {}): Promise<Error> =>
  openTestEngine(disk.mount(), options).then(
    () => expect.unreachable('it opens'),
    (error: Error) => error,
  )

async function expectAnswers(engine: TestEngine): Promise<void> {
  const { hits } = await searchFor(engine, 'films', { q: 'harbuor', filter: 'tags = sea' })
  expect(hits.map(({ id }: { id: number }) => id)).toEqual([2, 1])
  expect((await searchFor(engine, 'books', { q: 'tal' })).hits).toHaveLength(1)
}

/** Returns the shared memory of a system that promises no more than `max` bytes. */
const memoryUpTo = (max: number) =>
  class extends SharedArrayBuffer {
    constructor(bytes: number) {
      super(bytes <= max ? bytes : Number.MAX_SAFE_INTEGER)
    }
  }

describe('segments of an older analysis', () => {
  it('are refused with advice and left unchanged', async () => {
    const disk = await madeDisk()
    await age(disk.mount())
    const error = await refusal(disk)
    expect(error).toMatchObject({ code: 'version' })
    expect(error.message).toContain('incompatible with your current engine version (1.50.0).')
    expect(error.message).toContain('index `films` and 1 more')
    expect(error.message).toContain('--upgrade-db')
    expect(error.message).toContain('SVC_UPGRADE_DB')
    expect(await refusal(disk)).toMatchObject({ code: 'version' })
  })

  it('that is newer than this build is refused with any options', async () => {
    const disk = await madeDisk()
    await age(disk.mount(), '1.50.0', ANALYSIS_VERSION + 1)
    for (const options of [{}, UPGRADE]) {
      const error = await refusal(disk, options)
      expect(error).toMatchObject({ code: 'version' })
      expect(error.message).toContain('Downgrade is not supported')
    }
  })

  it('that is older and recorded are refused as well', async () => {
    const disk = await madeDisk()
    await age(disk.mount(), '1.50.0', ANALYSIS_VERSION - 1)
    expect((await refusal(disk)).message).toContain('segments of an older format')
    const engine = await openTestEngine(disk.mount(), UPGRADE)
    await engine.idle()
    await expectAnswers(engine)
    await engine.close()
  })

  it('are rebuilt by a task that runs before all others', async () => {
    const disk = await madeDisk()
    await age(disk.mount())
    const idle = await openTestEngine(disk.mount(), { ...UPGRADE, batchTasksMax: 0 })
    await expectAnswers(idle)
    await addDocuments(idle, 'films', [{ id: 4, title: 'Fourth' }])
    await idle.close()

    const engine = await openTestEngine(disk.mount())
    await engine.idle()
    const [upgrade, later] = (await allTasks(engine)).slice(-2)
    expect(upgrade).toMatchObject({
      indexUid: null,
      status: 'succeeded',
      details: { upgradeFrom: 'v1.50.0', upgradeTo: 'v1.50.0' },
    })
    expect(later!.batchUid).toBe(upgrade!.batchUid! + 1)
    await expectAnswers(engine)
    expect((await searchFor(engine, 'films', { q: 'fourth' })).hits).toHaveLength(1)
    await engine.close()
    const again = await openTestEngine(disk.mount())
    await again.idle()
    expect(await allTasks(again)).toHaveLength(5)
    await again.close()
  })

  it('stay old when they are merged', async () => {
    // So many that their segments are files.
    const disk = await madeDisk(Array.from({ length: 3000 }, (_, id) => ({ id, title: `t${id}` })))
    await age(disk.mount())
    const engine = await openTestEngine(disk.mount(), { ...UPGRADE, batchTasksMax: 0 })
    await engine.allMerged()
    await engine.close()
    const fs = disk.mount()
    const options = { version: '1.50.0', upgrade: false, drawLogSalt: () => 1 }
    const manifest = await openManifest(fs, options)
    // V8 would count mapped files as growth of the heap, and collect garbage at each start.
    const mapFrame = vi.spyOn(fs, 'mapFrame')
    const found = () => oldIndexes(fs, manifest.state).map(({ index }) => index.uid)
    expect(found()).toEqual(['films', 'books'])
    expect(mapFrame).not.toHaveBeenCalled()
    // A segment that is larger than the memory of the machine can only be mapped.
    vi.stubGlobal('SharedArrayBuffer', memoryUpTo(0))
    onTestFinished(() => void vi.unstubAllGlobals())
    expect(found()).toEqual(['films', 'books'])
    expect(mapFrame).toHaveBeenCalled()
    await manifest.close()
  })
})

describe('a database of an older release', () => {
  it('is taken over: VERSION immediately, one task, and its layers if they are old', async () => {
    const disk = await madeDisk()
    await age(disk.mount(), '1.48.2')
    expect(await refusal(disk)).toMatchObject({ code: 'version' })
    expect(releaseOf(disk)).toBe('1.48.2')
    const engine = await openTestEngine(disk.mount(), UPGRADE)
    expect(releaseOf(disk)).toBe('1.50.0')
    await engine.idle()
    const tasks = (await allTasks(engine)).filter(
      ({ details }) => details !== null && 'upgradeFrom' in details,
    )
    expect(tasks).toHaveLength(1)
    expect(tasks[0]!.details).toEqual({ upgradeFrom: 'v1.48.2', upgradeTo: 'v1.50.0' })
    await expectAnswers(engine)
    await engine.close()
  })

  it('opens without the option once it was taken over', async () => {
    const disk = await madeDisk()
    await age(disk.mount(), '1.48.2')
    const first = await openTestEngine(disk.mount(), { ...UPGRADE, batchTasksMax: 0 })
    await first.close()
    const engine = await openTestEngine(disk.mount())
    await engine.idle()
    const last = (await allTasks(engine)).at(-1)!
    expect(last).toMatchObject({ status: 'succeeded', details: { upgradeFrom: 'v1.48.2' } })
    await engine.close()
    await (await openTestEngine(disk.mount())).close()
  })

  it('of before 1.12 is refused with the advice to use a dump', async () => {
    const disk = await madeDisk()
    await writeRelease(disk, '1.11.3')
    expect((await refusal(disk, UPGRADE)).message).toBe(
      'Database version 1.11.3 is too old to be upgraded via `--upgrade-db`. ' +
        'Please generate a dump using the v1.11.3 and import it in the v1.50.0',
    )
  })
})

describe('an upgrade that is canceled', () => {
  it('leaves a database of the older release, which answers and accepts no work', async () => {
    const disk = await madeDisk()
    await age(disk.mount(), '1.48.2')
    // Recorded and not begun: the cancelation comes first.
    const first = await openTestEngine(disk.mount(), { ...UPGRADE, batchTasksMax: 0 })
    const filter = { ...EVERY_TASK, statuses: ['enqueued'] as const }
    await first.tasks.enqueueCancelation(filter, '?statuses=enqueued', null)
    await first.close()

    const engine = await openTestEngine(disk.mount())
    await engine.idle()
    await addDocuments(engine, 'films', [{ id: 4, title: 'Fourth' }])
    await engine.idle()
    const statuses = (await allTasks(engine)).slice(-3).map(({ status }) => status)
    expect(statuses).toEqual(['canceled', 'succeeded', 'enqueued'])
    await expectAnswers(engine)
    await engine.close()
    expect(releaseOf(disk)).toBe('1.48.2')
    expect(await refusal(disk)).toMatchObject({ code: 'version' })

    const again = await openTestEngine(disk.mount(), UPGRADE)
    await again.idle()
    expect((await searchFor(again, 'films', { q: 'fourth' })).hits).toHaveLength(1)
    await again.close()
    expect(releaseOf(disk)).toBe('1.50.0')
  })
})

/** Opens for an upgrade and waits for it; returns whether the power failed meanwhile. */
async function upgradeUntil(disk: FakeDisk, steps: number): Promise<boolean> {
  disk.powerOffAfter(steps)
  try {
    const engine = await openTestEngine(disk.mount(), UPGRADE)
    await engine.allMerged()
    await engine.close()
  } catch (error) {
    if (!disk.powerIsOff) throw error
  }
  return disk.powerIsOff
}

describe('a power failure during an upgrade', () => {
  it('at any step leaves the old or the new state, and the next start continues', async () => {
    let steps = 0
    for (let hasFailed = true; hasFailed && steps < 200; steps++) {
      const disk = await madeDisk()
      await age(disk.mount(), '1.48.2')
      hasFailed = await upgradeUntil(disk, steps)
      disk.crash(steps)
      const before = releaseOf(disk)
      expect(['1.48.2', '1.50.0']).toContain(before)
      // Once VERSION is written, the option is no longer necessary.
      const engine = await openTestEngine(disk.mount(), { upgrade: before === '1.48.2' })
      await engine.idle()
      await expectAnswers(engine)
      const last = (await allTasks(engine)).at(-1)!
      expect(last).toMatchObject({ status: 'succeeded', details: { upgradeFrom: 'v1.48.2' } })
      await engine.close()
      const again = await openTestEngine(disk.mount())
      expect(await allTasks(again)).toHaveLength(4)
      await again.close()
    }
    expect(steps).toBeGreaterThan(10)
    expect(steps).toBeLessThan(200)
  })
})

describe('an instance of a network', () => {
  const remote = (url: string) => ({ url, searchApiKey: null, writeApiKey: 'key' })
  const NETWORK: Network = {
    ...NO_NETWORK,
    self: 'a',
    leader: 'a',
    remotes: new Map([
      ['a', remote('http://a')],
      ['b', remote('http://b')],
    ]),
    shards: new Map([
      ['s1', { remotes: ['a', 'b'] }],
      ['s2', { remotes: ['b'] }],
    ]),
    version: '01980000-0000-7000-8000-000000000001',
  }
  const ids = (from: number): readonly number[] => Array.from({ length: 30 }, (_, i) => from + i)
  const owned = (from: number): readonly number[] =>
    ids(from).filter((id) => elected(['s1', 's2'], String(id)) === 's1')
  const held = async (engine: TestEngine): Promise<readonly number[]> => {
    const { hits } = await searchFor(engine, 'numbers', { limit: 100 })
    return hits.map(({ id }: { id: number }) => id).sort((a: number, b: number) => a - b)
  }

  it('keeps the network through an upgrade, and the documents of its shards alone', async () => {
    const disk = new FakeDisk()
    const before = await openTestEngine(disk.mount())
    await before.network.update(() => NETWORK)
    await addDocuments(
      before,
      'numbers',
      ids(0).map((id) => ({ id })),
    )
    await before.idle()
    expect(await held(before)).toEqual(owned(0))
    const due = before.replication.backlog('b').tasks
    expect(due).toBeGreaterThan(0)
    await before.close()
    await age(disk.mount())

    const engine = await openTestEngine(disk.mount(), UPGRADE)
    await engine.idle()
    // Its leadership gets the identity that releases without identities did not have.
    const { id: leaderId } = engine.identity
    expect(engine.network.get()).toEqual({ ...NETWORK, leaderId, term: 1 })
    expect(engine.replication.backlog('b').tasks).toBe(due)
    await addDocuments(
      engine,
      'numbers',
      ids(30).map((id) => ({ id })),
    )
    await engine.idle()
    expect(await held(engine)).toEqual([...owned(0), ...owned(30)])
    await engine.close()
  })
})
