// Opening a folder: removed files, refusals, reports, and the work that continues.
import { dirname } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { asSegmentNo } from '../../format/ids.ts'
import { templatesInPlace } from '../ai/template/index.ts'
import type { EngineOptions } from '../api/index.ts'
import { MemoryObjects } from '../backup/objstore/test-memory-store.ts'
import { Manifest, openManifest, segmentPath } from '../store/catalog/index.ts'
import { upgradeDue } from '../store/catalog/upgrade-note.ts'
import { FakeDisk, type FileSystem } from '../store/storage/index.ts'
import { fakeEmbedding, REST_EMBEDDER } from '../testing/test-embedding.ts'
import {
  addDocuments,
  allTasks,
  changeSettings,
  documentsOf,
  enqueue,
  MANIFEST_OPTIONS,
  openTestEngine,
  searchFor,
} from '../testing/test-engine.ts'
import { storeIn } from '../testing/test-store.ts'
import { openProviders, openTemplates } from './open-engine.ts'

async function opened(disk: FakeDisk, options: Partial<EngineOptions> = {}) {
  const reports: string[] = []
  const report = (message: string): void => void reports.push(message)
  const engine = await openTestEngine(disk.mount(), { report, ...options })
  let isOpen = true
  const close = async (): Promise<void> => {
    if (isOpen) await engine.close()
    isOpen = false
  }
  onTestFinished(close)
  return { engine, reports, close }
}

/** Returns a disk with one document in the index `films`. */
async function usedDisk(): Promise<FakeDisk> {
  const disk = new FakeDisk()
  const { engine, close } = await opened(disk)
  await addDocuments(engine, 'films', [{ id: 1 }])
  await engine.idle()
  await close()
  return disk
}

function put(fs: FileSystem, path: string): void {
  const folder = dirname(path)
  if (folder !== '.' && !fs.exists(folder)) fs.makeDirectory(folder)
  const file = fs.open(path, 'create')
  file.write(0, new Uint8Array(10))
  file.close()
}

describe('opening removes', () => {
  const LEFT = segmentPath(asSegmentNo(77), 'text')

  it.each([
    ['a segment that no index names', LEFT],
    ['the body of no task', 'tasks/bodies/000077.body'],
    ['a file of an unfinished snapshot', 'staging/x'],
  ])('%s', async (_, path) => {
    const disk = await usedDisk()
    const fs = disk.mount()
    const used = fs.list('segments')
    put(fs, path)
    const { engine, reports } = await opened(disk)
    expect(fs.exists(path)).toBe(false)
    expect(fs.list('segments')).toEqual(used)
    expect(await documentsOf(engine, 'films')).toEqual([{ id: 1 }])
    expect(reports).toEqual([])
  })

  it.each([
    [
      LEFT,
      [`The file ${LEFT.slice('segments/'.length)} is no longer used and could not be removed.`],
    ],
    ['staging/x', ['The files of an unfinished snapshot could not be removed.']],
  ])('%s later if the disk refuses', async (path, words) => {
    const disk = await usedDisk()
    put(disk.mount(), path)
    disk.fail({ on: 'remove', path, errno: 'EACCES' })
    const { reports, close } = await opened(disk)
    expect(reports).toEqual(words)
    await close()
    await opened(disk)
    expect(disk.mount().exists(path)).toBe(false)
  })

  it('an archive that was not finished, and no other', async () => {
    const [disk, archives] = [await usedDisk(), new FakeDisk()]
    const outside = archives.mount()
    for (const name of ['db.snapshot', 'db.snapshot.new', 'other.snapshot.new']) put(outside, name)
    const folders: string[] = []
    const of = (folder: string) => {
      folders.push(folder)
      return outside
    }
    const snapshots = { folder: '/archives', name: 'db', compact: false, outside: of }
    const { reports } = await opened(disk, { snapshots })
    expect([...outside.list('')].sort()).toEqual(['db.snapshot', 'other.snapshot.new'])
    expect([folders, reports]).toEqual([['/archives'], []])
  })

  it('an unfinished dump', async () => {
    const disk = await usedDisk()
    put(disk.mount(), 'dump/parts')
    await opened(disk)
    expect(disk.mount().exists('dump')).toBe(false)
  })
})

describe('opening refuses', () => {
  const LOG = 'tasks/tasks-000001.log'

  it('a used database without its task log, and releases the lock', async () => {
    const disk = await usedDisk()
    disk.mount().remove(LOG)
    for (const _ of [1, 2]) {
      await expect(opened(disk)).rejects.toMatchObject({ code: 'missing', message: /task log/ })
    }
  })

  it('a damaged task log, and releases the lock', async () => {
    const disk = await usedDisk()
    const file = disk.mount().open(LOG, 'write')
    file.write(0, new Uint8Array(8).fill(7))
    file.close()
    const failure = () =>
      opened(disk).then(
        () => expect.unreachable('it opens'),
        (error: Error) => error,
      )
    expect((await failure()).message).toBe((await failure()).message)
  })
})

it('a database that was created and never used is opened again', async () => {
  const disk = new FakeDisk()
  const manifest = await openManifest(disk.mount(), MANIFEST_OPTIONS)
  await manifest.close()
  const { engine } = await opened(disk)
  expect(await allTasks(engine)).toEqual([])
})

it.each([
  [0, 0, []],
  [1, 0, ['The access rights of 1 entry in  were restricted to the owner.']],
  [
    2,
    1,
    [
      'The access rights of 2 entries in  were restricted to the owner.',
      'The access rights of 1 entry in  could not be set.',
    ],
  ],
])('access rights: %i changed, %i refused', async (changed, refused, expected) => {
  const fs = new FakeDisk().mount()
  vi.spyOn(fs, 'restrictAccess').mockReturnValue({ changed, refused })
  const notes: string[] = []
  const engine = await openTestEngine(fs, { note: (message) => void notes.push(message) })
  onTestFinished(() => engine.close())
  expect(notes).toEqual(expected)
})

describe('the queue', () => {
  const CREATION = { kind: 'indexCreation', primaryKey: null } as const

  it('refuses writes from the limits of the options on', async () => {
    const { engine: usual } = await opened(new FakeDisk())
    expect((await enqueue(usual, 'b', CREATION)).uid).toBe(0)
    const { engine } = await opened(new FakeDisk(), { queueBytesMax: 0 })
    await expect(enqueue(engine, 'b', CREATION)).rejects.toMatchObject({
      code: 'no_space_left_on_device',
    })
  })

  it.each([
    [undefined, []],
    [1, ['The task queue is almost full, but no task can be deleted yet.']],
  ])('of %s tasks', async (taskCountMax, expected) => {
    const limits = taskCountMax === undefined ? {} : { taskCountMax }
    const { engine, reports } = await opened(new FakeDisk(), limits)
    await enqueue(engine, 'a', CREATION)
    await engine.idle()
    expect(reports).toEqual(expected)
  })

  it('does not use the number of a body again', async () => {
    const disk = new FakeDisk()
    const names = new Set<string>()
    for (const life of [1, 2, 3]) {
      const { engine, close } = await opened(disk)
      const make = vi.spyOn(disk, 'enter')
      // Longer than a body inside its record.
      await addDocuments(engine, 'films', [{ id: life, text: 'word '.repeat(5000) }])
      for (const [, on, path] of make.mock.calls) {
        if (on === 'open' && path.endsWith('.body')) names.add(path)
      }
      make.mockRestore()
      await engine.idle()
      expect(await documentsOf(engine, 'films')).toHaveLength(life)
      expect(names.size).toBe(life)
      await close()
    }
  })

  it('registers an upgrade that is due', async () => {
    const disk = await usedDisk()
    const manifest = await openManifest(disk.mount(), MANIFEST_OPTIONS)
    await manifest.commit(upgradeDue('1.49.0'))
    await manifest.close()
    const { engine } = await opened(disk)
    await engine.idle()
    expect((await allTasks(engine)).map(({ kind }) => kind)).toEqual([
      'documentAdditionOrUpdate',
      'upgradeDatabase',
    ])
  })
})

it('forgets outcomes that the task log holds', async () => {
  const disk = await usedDisk()
  const forget = vi.spyOn(Manifest.prototype, 'forget')
  onTestFinished(() => forget.mockRestore())
  await opened(disk)
  expect(forget.mock.calls).toEqual([[0]])
})

it('keeps its promises after a power failure at any step', async () => {
  const SEED = 5
  let steps = 0
  for (let isOver = false; !isOver; steps++) {
    const disk = new FakeDisk(SEED)
    const first = await openTestEngine(disk.mount())
    await addDocuments(first, 'a', [{ id: 1 }])
    await first.idle()
    disk.powerOffAfter(steps)
    const sent = addDocuments(first, 'a', [{ id: 2 }])
    const isAcknowledged = await sent.then(
      () => true,
      () => false,
    )
    await first.idle().catch(() => undefined)
    isOver = !disk.powerIsOff
    disk.crash(SEED)
    const { engine, close } = await opened(disk)
    await engine.allMerged()
    const tasks = await allTasks(engine)
    expect(new Set(tasks.map(({ status }) => status)), `step ${steps}`).toEqual(
      new Set(['succeeded']),
    )
    if (isAcknowledged) expect(tasks).toHaveLength(2)
    expect(await documentsOf(engine, 'a')).toHaveLength(tasks.length)
    await close()
  }
  expect(steps).toBeGreaterThan(3)
})

describe('an engine without workers', () => {
  it('renders templates in its thread', () => {
    expect(openTemplates({ workers: null } as EngineOptions)).toBe(templatesInPlace)
  })

  it('calls no provider unless it may', async () => {
    const options = { workers: null } as EngineOptions
    expect(openProviders(options)).toBeNull()
    const embedding = fakeEmbedding(async () => ({ status: 200, body: Buffer.from('{}') }))
    const providers = openProviders({ ...options, embedding })
    expect(providers).not.toBeNull()
    await providers!.close()
  })

  it('embeds documents and the queries of searches', async () => {
    const asked: string[][] = []
    const embedding = fakeEmbedding(async ({ body }) => {
      const { texts } = JSON.parse(Buffer.from(body!).toString()) as { texts: string[] }
      asked.push(texts)
      const vectors = texts.map((text) => (text.startsWith('s') ? [1, 0] : [0, 1]))
      return { status: 200, body: Buffer.from(JSON.stringify({ vectors })) }
    })
    const { engine } = await opened(new FakeDisk(), { embedding })
    const embedder = { ...REST_EMBEDDER, dimensions: 2 }
    await changeSettings(engine, 'films', { embedders: { e: embedder } })
    const films = ['sea', 'mountain'].map((title, id) => ({ id, title }))
    await addDocuments(engine, 'films', films)
    await engine.idle()
    for (const [q, expected] of [
      ['ship', [0, 1]],
      ['rock', [1, 0]],
    ] as const) {
      const { hits } = await searchFor(engine, 'films', {
        q,
        hybrid: { embedder: 'e', semanticRatio: 1 },
      })
      expect(hits.map(({ id }: { id: number }) => id)).toEqual(expected)
    }
    expect(asked.flat().sort()).toEqual(['mountain', 'rock', 'sea', 'ship'])
  })
})

describe('publishing', () => {
  it('happens only if the options say so', async () => {
    for (const isPublishing of [true, false]) {
      const objects = new MemoryObjects()
      const store = storeIn(objects)
      const outside = () => new FakeDisk().mount()
      const snapshots = { folder: 's', name: 'db', compact: false, store, outside }
      const say = (): void => undefined
      const { engine, close } = await opened(new FakeDisk(), {
        snapshots,
        ...(isPublishing ? { publish: { store, intervalMs: 5, say } } : {}),
      })
      expect(engine.publication !== null).toBe(isPublishing)
      await addDocuments(engine, 'films', [{ id: 1 }])
      await engine.idle()
      await close()
      expect(objects.objects.size > 0).toBe(isPublishing)
    }
  })
})
