// Folders of followers and of databases of their own: the opener of one kind refuses the other.
import { describe, expect, it, onTestFinished } from 'vitest'
import { asIndexUid, asTaskUid } from '../../format/ids.ts'
import { MemoryObjects } from '../backup/objstore/test-memory-store.ts'
import { FakeDisk } from '../store/storage/index.ts'
import {
  addDocuments,
  allTasks,
  documentsOf,
  enqueue,
  openTestEngine,
  searchFor,
  TEST_OPTIONS,
  type TestEngine,
} from '../testing/test-engine.ts'
import { storeIn } from '../testing/test-store.ts'
import { type FollowerOptions, openFollower, openReader } from './open-readers.ts'

const followOf = (objects: MemoryObjects, version = '1.50.0'): FollowerOptions['follow'] => ({
  openBucket: async () => objects.bucket(),
  place: storeIn(objects).place,
  source: 'the database `db`',
  name: 'f',
  pollMs: 5,
  download: 'before',
  waitMsMax: 50,
  version,
  say: () => undefined,
  report: () => undefined,
  now: Date.now,
})

/** Returns a function that closes once, at the latest when the test ends. */
function closing(engine: TestEngine): () => Promise<void> {
  let closed: Promise<void> | null = null
  const close = () => {
    closed ??= engine.close()
    return closed
  }
  onTestFinished(close)
  return close
}

async function follow(disk: FakeDisk, objects: MemoryObjects, notes: string[] = []) {
  const engine = await openFollower({
    ...TEST_OPTIONS,
    fileSystem: disk.mount(),
    note: (message) => void notes.push(message),
    follow: followOf(objects),
  })
  return { engine, close: closing(engine) }
}

/** A writer with one document that publishes into a store. */
async function published() {
  const [disk, objects] = [new FakeDisk(), new MemoryObjects()]
  const publish = { store: storeIn(objects), intervalMs: 5, say: () => undefined }
  const engine = await openTestEngine(disk.mount(), { publish })
  const close = closing(engine)
  await addDocuments(engine, 'films', [{ id: 1, title: 'Alien' }])
  await engine.idle()
  return { disk, objects, engine, close }
}

describe('a follower', () => {
  it('serves documents, tasks and statistics of the writer, and later states', async () => {
    const { objects, engine: writer } = await published()
    const { engine } = await follow(new FakeDisk(), objects)
    await expect.poll(() => documentsOf(engine, 'films').catch(() => null)).toHaveLength(1)
    expect((await allTasks(engine)).map(({ status }) => status)).toEqual(['succeeded'])
    expect(engine.follows).toMatchObject({ source: 'the database `db`' })
    await addDocuments(writer, 'films', [{ id: 2, title: 'Aliens' }])
    const isMet = () => engine.visibility.hasEnded(asTaskUid(1))
    const wait = { ms: 60_000, signal: new AbortController().signal }
    // Only the end of a take-over lets it look.
    expect(await engine.visibility.until(asTaskUid(1), isMet, wait)).toBe(true)
    expect((await searchFor(engine, 'films', { q: 'alien' })).hits).toHaveLength(2)
    expect(engine.documents.indexStats(asIndexUid('films')).numberOfDocuments).toBe(2)
  })

  it('refuses writes', async () => {
    const { objects } = await published()
    const { engine } = await follow(new FakeDisk(), objects)
    const creation = enqueue(engine, 'more', { kind: 'indexCreation', primaryKey: null })
    await expect(creation).rejects.toMatchObject({ code: 'read_only_follower' })
    await expect(engine.administration.setFeatures({ metrics: true })).rejects.toMatchObject({
      code: 'read_only_follower',
    })
  })

  it('continues in its folder, which no writer and no reader opens', async () => {
    const { objects, close: end } = await published()
    await end()
    const disk = new FakeDisk()
    const { close } = await follow(disk, objects)
    await close()
    const advice = { code: 'exists', message: /this database follows the database `db`/ }
    // The second attempts show that the first ones have released the lock.
    for (const _ of [1, 2]) {
      await expect(openTestEngine(disk.mount())).rejects.toMatchObject(advice)
      const reader = openReader({ ...TEST_OPTIONS, fileSystem: disk.mount() })
      await expect(reader).rejects.toMatchObject(advice)
    }
    const { engine } = await follow(disk, new MemoryObjects())
    expect(await documentsOf(engine, 'films')).toHaveLength(1)
  })

  it('is not opened in the folder of another database', async () => {
    const { disk, objects, close } = await published()
    await close()
    for (const _ of [1, 2]) {
      await expect(follow(disk, objects)).rejects.toMatchObject({
        code: 'exists',
        message: /cannot follow: it holds another database/,
      })
    }
    const engine = await openTestEngine(disk.mount())
    closing(engine)
    expect(await documentsOf(engine, 'films')).toHaveLength(1)
  })

  it('takes a folder of a database without any change', async () => {
    const { objects } = await published()
    const disk = new FakeDisk()
    await (await openTestEngine(disk.mount())).close()
    const { engine } = await follow(disk, objects)
    expect(engine.follows).not.toBeNull()
  })
})

describe('a reader', () => {
  it('shows tasks that ended, and the torn end of a log does not matter', async () => {
    const disk = new FakeDisk()
    const writer = await openTestEngine(disk.mount())
    await addDocuments(writer, 'films', [{ id: 1 }])
    await writer.idle()
    disk.kill()
    const fs = disk.mount()
    const path = 'tasks/tasks-000001.log'
    const log = fs.open(path, 'write')
    log.write(log.size(), new Uint8Array([1, 2, 3]))
    log.close()
    const steps = disk.steps
    const reader = await openReader({ ...TEST_OPTIONS, fileSystem: fs })
    const close = closing(reader)
    expect((await allTasks(reader)).map(({ status }) => status)).toEqual(['succeeded'])
    expect([reader.follows, reader.publication]).toEqual([null, null])
    await reader.idle()
    await reader.allMerged()
    await close()
    expect(disk.steps, 'changes of the folder').toBe(steps)
  })

  it('needs a task log', async () => {
    const disk = new FakeDisk()
    const writer = await openTestEngine(disk.mount())
    await addDocuments(writer, 'films', [{ id: 1 }])
    await writer.idle()
    await writer.close()
    disk.mount().remove('tasks/tasks-000001.log')
    for (const _ of [1, 2]) {
      await expect(openReader({ ...TEST_OPTIONS, fileSystem: disk.mount() })).rejects.toMatchObject(
        {
          code: 'missing',
        },
      )
    }
    // No lock is left.
    await expect(openTestEngine(disk.mount())).rejects.toMatchObject({ code: 'missing' })
  })
})
