// Followers of a database that is published into an object store: a real store, with faults
// injected on the way to it, and disks that lose data that was not synced.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  FollowerLeases,
  fileOfSnapshot,
  findSnapshot,
  heads,
  putLease,
  restoreSnapshot,
  retain,
  StoreTurns,
} from '../../engine/backup/objstore/index.ts'
import { demoteToFollower, promoteFollower } from '../../engine/followers/following/index.ts'
import { FakeDisk, randomOf } from '../../engine/store/storage/index.ts'
import {
  addDocuments,
  allTasks,
  documentsWithVectors,
  enqueue,
  openTestEngine,
} from '../../engine/testing/test-engine.ts'
import { randomWork, sendWork } from '../../engine/testing/test-work.ts'
import { NO_FILTER } from '../../engine/write/task-data/index.ts'
import { KiB } from '../../format/bytes/index.ts'
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
  say,
  seen,
  storeOf,
  WAIT_MS,
  WRITER,
} from './test-followers.ts'

const SESSIONS = Number(process.env['SVC_FOLLOW_SESSIONS'] ?? 2)
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

/** Returns the files of segments, which are those that the state names. */
const segmentsOf = (disk: FakeDisk): readonly string[] => disk.mount().list('segments')

describe('a follower', () => {
  const seeds = Array.from({ length: SESSIONS }, (_, i) => i + 1)
  it.each(seeds)('shows what the writer has published, at every step (seed %i)', async (seed) => {
    const { options } = await storeOf()
    const random = randomOf(seed)
    const disk = new FakeDisk(seed)
    const own = new FakeDisk(seed + 100)
    const writer = await openWriter(disk, options)
    onTestFinished(() => writer.close())
    const follower = await openReader(own.mount(), options)
    onTestFinished(() => follower.close())
    for (let i = 0; i < 10; i++) {
      await sendWork(writer, randomWork(random, `w${i}`))
      if (i === 4) await writer.administration.setFeatures({ containsFilter: true })
      if (random.below(3) > 0) continue
      await writer.allMerged()
      await caughtUp(writer, follower)
    }
    await writer.allMerged()
    await caughtUp(writer, follower)
  })

  it('has the files that it needs and no others', async () => {
    const { options } = await storeOf()
    const own = new FakeDisk(2)
    const writer = await openWriter(new FakeDisk(1), options)
    onTestFinished(() => writer.close())
    await addDocuments(writer, 'a', large(0, 40))
    await writer.allMerged()
    const follower = await openReader(own.mount(), options)
    onTestFinished(() => follower.close())
    await caughtUp(writer, follower)
    expect(segmentsOf(own).length).toBeGreaterThan(1)
    await addDocuments(writer, 'a', large(0, 40))
    await addDocuments(writer, 'b', large(0, 10))
    await writer.allMerged()
    await enqueue(writer, 'b', { kind: 'indexDeletion' })
    await writer.allMerged()
    await caughtUp(writer, follower)
    await expect
      .poll(() => segmentsOf(own).filter((name) => name.endsWith('.docs')).length, {
        timeout: WAIT_MS,
      })
      .toBe(1)
    expect(own.mount().list('following').length).toBe(1)
  })

  it('refuses all changes, and names the writer that it follows', async () => {
    const { options } = await storeOf()
    const own = new FakeDisk(2)
    const writer = await openWriter(new FakeDisk(1), options)
    onTestFinished(() => writer.close())
    await addDocuments(writer, 'a', [{ id: 1 }])
    await writer.allMerged()
    const follower = await openReader(own.mount(), options)
    onTestFinished(() => follower.close())
    await caughtUp(writer, follower)
    const refused = {
      code: 'read_only_follower',
      message: `This instance follows the database \`db\` and takes no writes: send them to \`${WRITER}\`, which publishes it.`,
    }
    const all: readonly (() => unknown)[] = [
      () => addDocuments(follower, 'a', [{ id: 2 }]),
      () => enqueue(follower, 'a', { kind: 'indexDeletion' }),
      () => enqueue(follower, null, { kind: 'snapshotCreation' }),
      () => follower.tasks.enqueueDump(),
      () => follower.tasks.enqueueCancelation(NO_FILTER, '?', null),
      () => follower.tasks.enqueueDeletion(NO_FILTER, '?', null),
      () => follower.administration.setFeatures({ network: true }),
      () => follower.tasks.compact(),
      () => follower.network.update((network) => network),
    ]
    for (const write of all) {
      await expect((async () => write())(), String(write)).rejects.toMatchObject(refused)
    }
    expect(await seen(follower)).toEqual(await seen(writer))
  })

  it('serves what it has while the store is unreachable, also after a restart', async () => {
    const { store, options } = await storeOf()
    const own = new FakeDisk(2)
    const writer = await openWriter(new FakeDisk(1), options)
    onTestFinished(() => writer.close())
    await addDocuments(writer, 'a', large(0, 20))
    await writer.allMerged()
    const first = await openReader(own.mount(), options)
    await caughtUp(writer, first)
    const shown = await seen(first)
    store.trouble = () => ({ kind: 'reset' })
    await expect.poll(() => first.follows?.problem, { timeout: WAIT_MS }).toMatch(/S3/)
    expect(await seen(first)).toEqual(shown)
    await first.close()
    const again = await openReader(own.mount(), options)
    onTestFinished(() => again.close())
    expect(await seen(again)).toEqual(shown)
    store.trouble = () => null
    await addDocuments(writer, 'a', large(20, 5))
    await writer.allMerged()
    await caughtUp(writer, again)
    expect(again.follows).toMatchObject({ problem: null, source: 'the database `db`' })
    const published = await heads.names(await bucketOf(options), options.place, 'published')
    expect(published).toContain(again.follows?.snapshot)
  })

  it('has the old or the new published state after a power failure, and continues', async () => {
    const { options } = await storeOf()
    const writer = await openWriter(new FakeDisk(1), options)
    onTestFinished(() => writer.close())
    const own = new FakeDisk(3)
    let cuts = 0
    for (let steps = 1; steps < 60; steps += 3) {
      await addDocuments(
        writer,
        'a',
        steps % 3 === 0 ? large(steps, 3) : [{ id: steps, text: 'x' }],
      )
      await writer.allMerged()
      own.powerOffAfter(steps)
      const opened = await openReader(own.mount(), options).catch(() => null)
      if (opened !== null) {
        await catchesUp(writer, opened, 200)
        await opened.close().catch(() => undefined)
      }
      if (own.powerIsOff) cuts++
      own.crash(steps)
    }
    expect(cuts).toBeGreaterThan(5)
    const follower = await openReader(own.mount(), options)
    onTestFinished(() => follower.close())
    await caughtUp(writer, follower)
  })

  it('follows a database that was restored from an older snapshot', async () => {
    const { options } = await storeOf()
    const first = new FakeDisk(1)
    const writer = await openWriter(first, options)
    await addDocuments(writer, 'a', large(0, 30))
    await writer.allMerged()
    const own = new FakeDisk(2)
    const follower = await openReader(own.mount(), options)
    onTestFinished(() => follower.close())
    await caughtUp(writer, follower)
    const old = (await heads.all(await bucketOf(options), options.place)).at(-1)!.name
    await addDocuments(writer, 'a', large(100, 30))
    await addDocuments(writer, 'c', large(100, 3))
    await writer.allMerged()
    await caughtUp(writer, follower)
    await writer.close()

    const bucket = await bucketOf(options)
    const found = await findSnapshot(bucket, options.place, old)
    const second = new FakeDisk(5)
    const progress = (): void => undefined
    await restoreSnapshot(bucket, options.place, found!, second.mount(), { progress })
    const restored = await openWriter(second, options, writer)
    onTestFinished(() => restored.close())
    await addDocuments(restored, 'b', large(200, 30))
    await addDocuments(restored, 'a', [{ id: 1, text: 'changed' }])
    await restored.allMerged()
    await caughtUp(restored, follower)
  })

  it('keeps the states that it serves in the store, however old, until its lease ends', async () => {
    const { options } = await storeOf()
    const bucket = await bucketOf(options)
    const { place } = options
    const writer = await openWriter(new FakeDisk(1), options)
    const published = async (): Promise<readonly string[]> =>
      heads.names(bucket, place, 'published')
    for (let i = 0; i < 4; i++) {
      const before = (await published()).length
      await addDocuments(writer, 'a', large(i, 2))
      await writer.allMerged()
      await expect
        .poll(async () => (await published()).length, { timeout: WAIT_MS })
        .toBeGreaterThan(before)
    }
    await writer.close()
    const [oldest] = await published()
    await putLease(bucket, place, { follower: 'f', snapshot: oldest!, renewedAt: Date.now() })
    let now = 0
    const leases = new FollowerLeases(() => now)
    const turns = new StoreTurns()
    const retainNow = async (): Promise<void> => {
      const leased = await leases.snapshots(bucket, place)
      await retain(bucket, place, { kind: 'published', count: 1, leased, turns })
    }
    await retainNow()
    expect((await published()).length).toBe(2)
    expect((await published())[0]).toBe(oldest)
    const head = await heads.read(bucket, place, { name: oldest!, kind: 'published' })
    for (const file of head.files) {
      for await (const _ of fileOfSnapshot(bucket, place, file));
    }
    now += 11 * 60_000
    await retainNow()
    expect((await published()).length).toBe(1)
  })
})

describe('a follower that is promoted', () => {
  it('has all published data, runs waiting tasks, and accepts writes', async () => {
    const { options } = await storeOf()
    const own = new FakeDisk(2)
    const writer = await openTestEngine(new FakeDisk(1).mount(), {
      publish: { store: options, intervalMs: 10, say },
      // The writer runs no tasks, so all tasks wait.
      batchTasksMax: 0,
    })
    await addDocuments(writer, 'a', large(0, 20))
    await addDocuments(writer, 'a', [{ id: 3, text: 'small' }])
    const follower = await openReader(own.mount(), options)
    await caughtUp(writer, follower)
    await writer.close()
    await follower.close()
    await expect(openTestEngine(own.mount())).rejects.toThrow(/follows the database `db`.*promote/)
    for (let steps = 1; steps < 40; steps += 3) {
      own.powerOffAfter(steps)
      const done = await promoteFollower(own.mount(), '1.50.0').then(
        () => true,
        () => false,
      )
      own.crash(steps)
      if (done) break
    }
    expect(await promoteFollower(own.mount(), '1.50.0')).toBe(null)
    const engine = await openTestEngine(own.mount())
    onTestFinished(() => engine.close())
    await engine.idle()
    await addDocuments(engine, 'a', [{ id: 100, text: 'new' }])
    await engine.allMerged()
    expect((await allTasks(engine)).map(({ uid, status }) => [uid, status])).toEqual([
      [0, 'succeeded'],
      [1, 'succeeded'],
      [2, 'succeeded'],
    ])
    expect((await documentsWithVectors(engine, 'a')).length).toBe(21)
    expect(own.mount().exists('following')).toBe(false)
  })

  it('is refused to start as a follower in a folder with its own database', async () => {
    const { options } = await storeOf()
    const disk = new FakeDisk(1)
    const engine = await openTestEngine(disk.mount())
    await addDocuments(engine, 'a', [{ id: 1 }])
    await engine.idle()
    await engine.close()
    await expect(openReader(disk.mount(), options)).rejects.toThrow(/cannot follow/)
  })
})

describe('a former writer', () => {
  it('becomes a follower, also if it is killed at any step, and loses what only it had', async () => {
    const { options } = await storeOf()
    const first = new FakeDisk(1)
    const writer = await openWriter(first, options)
    await addDocuments(writer, 'a', large(0, 20))
    await writer.allMerged()
    await writer.close()
    const other = await openWriter(new FakeDisk(2), options, writer)
    onTestFinished(() => other.close())
    await addDocuments(other, 'a', large(50, 30))
    await addDocuments(other, 'b', large(90, 10))
    await other.allMerged()
    const follow = followOptions(options)
    for (let steps = 1; steps < 60; steps += 4) {
      first.powerOffAfter(steps)
      const done = await demoteToFollower(first.mount(), follow).then(
        () => true,
        () => false,
      )
      first.crash(steps)
      if (done) break
    }
    await demoteToFollower(first.mount(), follow)
    await expect(promoteFollower(first.mount(), '1.50.0')).rejects.toThrow(/not taken over a state/)
    const follower = await openReader(first.mount(), options)
    onTestFinished(() => follower.close())
    await caughtUp(other, follower)
  })
})

it('a writer without a configured address is not named', async () => {
  const { options } = await storeOf()
  const publish = { store: options, intervalMs: 10, say }
  const writer = await openTestEngine(new FakeDisk(1).mount(), { publish })
  onTestFinished(() => writer.close())
  await addDocuments(writer, 'a', [{ id: 1 }])
  const follower = await openReader(new FakeDisk(2).mount(), options)
  onTestFinished(() => follower.close())
  const refusal = /send them to the instance that publishes it/
  await expect(addDocuments(follower, 'a', [{ id: 2 }])).rejects.toThrow(refusal)
})

describe('publishing', () => {
  it('sends nothing while nothing changes, and little when little changes', async () => {
    const { store, options } = await storeOf()
    const writer = await openWriter(new FakeDisk(1), options)
    onTestFinished(() => writer.close())
    await addDocuments(writer, 'a', large(0, 40))
    await writer.allMerged()
    const bucket = await bucketOf(options)
    const names = () => heads.names(bucket, options.place, 'published')
    await expect.poll(async () => (await names()).length, { timeout: WAIT_MS }).toBeGreaterThan(0)
    const puts = (): number => store.passed.filter(({ method }) => method === 'PUT').length
    let before = -1
    await expect
      .poll(
        () => {
          const isSame = before === puts()
          before = puts()
          return isSame
        },
        { timeout: WAIT_MS, interval: 300 },
      )
      .toBe(true)
    store.passed.length = 0
    await addDocuments(writer, 'a', [{ id: 7, text: 'changed' }])
    await writer.allMerged()
    await expect.poll(puts, { timeout: WAIT_MS }).toBeGreaterThan(2)
    const sent = store.passed.filter(({ method }) => method === 'PUT')
    expect(sent.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(40 * KiB)
  })

  it('sends the end of the task log, and followers fetch it', async () => {
    const { store, options } = await storeOf()
    const writer = await openWriter(new FakeDisk(1), options)
    onTestFinished(() => writer.close())
    const metadata = 'm'.repeat(30 * KiB)
    for (let id = 0; id < 50; id++) await addDocuments(writer, 'a', [{ id }], { metadata })
    await writer.allMerged()
    const follower = await openReader(new FakeDisk(2).mount(), options)
    onTestFinished(() => follower.close())
    await caughtUp(writer, follower)
    store.passed.length = 0
    await addDocuments(writer, 'a', [{ id: 7, text: 'changed' }])
    await writer.allMerged()
    await caughtUp(writer, follower)
    const bucket = await bucketOf(options)
    const newest = (await heads.all(bucket, options.place)).at(-1)!
    const { files } = await heads.read(bucket, options.place, newest)
    const log = files.find(({ path }) => path.startsWith('tasks/tasks-'))!
    expect(log.pieces?.map(({ bytes }) => bytes).slice(0, 2)).toEqual([512 * KiB, 512 * KiB])
    const full = log.pieces!.slice(0, -1).map(({ sha256 }) => sha256)
    const touched = store.passed.filter(({ url }) => full.some((sha256) => url.includes(sha256)))
    expect(touched).toEqual([])
  })

  it('logs once that the store is unreachable, and publishes when it is back', async () => {
    const { store, options } = await storeOf()
    said.length = 0
    const writer = await openWriter(new FakeDisk(1), options)
    onTestFinished(() => writer.close())
    store.trouble = () => ({ kind: 'status', status: 403, body: 'no' })
    await addDocuments(writer, 'a', [{ id: 7 }])
    await writer.allMerged()
    await expect.poll(() => said.join(), { timeout: WAIT_MS }).toMatch(/could not be published/)
    await pause(100)
    expect(said.length).toBe(1)
    store.trouble = () => null
    await expect.poll(() => said.at(-1), { timeout: WAIT_MS }).toMatch(/is published again/)
  })
})
