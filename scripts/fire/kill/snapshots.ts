// kill -9 while a snapshot is created, uploaded or imported. Afterwards the server starts, no
// acknowledged work is lost, the last snapshot is complete, and no garbage remains.
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Random, randomOf } from '../../../engine/store/storage/index.ts'
import { startStore } from '../../../server/testing/index.ts'
import { verifySnapshot } from '../../../tools/snapshot/index.ts'
import { pause, untilIdle } from '../parts/client.ts'
import { CHECK, expectSound, inFolder } from '../parts/database.ts'
import { Instance } from '../parts/instance.ts'
import type { Report, Run } from '../parts/report.ts'
import { storeWords } from '../parts/store.ts'

export const MOMENTS = ['snapshot', 'upload', 'increment', 'import'] as const
type Moment = (typeof MOMENTS)[number]

type Place = {
  readonly root: string
  readonly instance: Instance
  readonly file: string
  readonly random: Random
  /** Arguments of every start. */
  readonly words: readonly string[]
  /** Acknowledged documents, by id. */
  readonly sent: Set<number>
  nextId: number
}

/** Called after each kill that was survived; `isHit`: whether it interrupted the work. */
type OnKill = (isHit: boolean) => void

const ALL = 10_000_000
const PATH = '/indexes/a/documents'

/** `snapshots`: kills at each of these moments. */
export async function snapshotKills(
  given: Run & { runs: number; thousands: number },
): Promise<Report> {
  const { seed, runs, thousands, progress } = given
  const figures: { [name: string]: string } = {}
  for (const moment of MOMENTS) {
    let [kills, hits] = [0, 0]
    await killAtSnapshots(moment, seed, runs, thousands, (isHit) => {
      if (isHit) hits++
      kills++
      progress?.(kills, runs, moment)
    })
    figures[moment] = `${kills} kills, ${hits} in the middle of it`
  }
  return { figures, problems: [] }
}

/** `thousands` of initial documents. @throws Error if an expectation fails */
export const killAtSnapshots = (
  moment: Moment,
  seed: number,
  kills: number,
  thousands: number,
  onKill: OnKill,
): Promise<void> =>
  inFolder(
    () => `seed ${seed}`,
    async (root) => {
      const store = moment === 'upload' || moment === 'increment' ? await startStore() : null
      const shares = moment === 'increment' ? ['--objstore-incremental'] : []
      const retention = moment === 'increment' ? ['--objstore-retention', '2'] : []
      const words = [
        '--snapshot-dir',
        join(root, 'snapshots'),
        ...(store === null ? [] : [...storeWords(store.url), ...shares, ...retention]),
      ]
      const place: Place = {
        root,
        instance: new Instance({ name: 'killed', root, words }),
        file: join(root, 'snapshots', 'data.ms.snapshot'),
        random: randomOf(seed),
        sent: new Set(),
        nextId: 0,
        words,
      }
      try {
        await fill(place, thousands)
        if (moment === 'import') await killImports(place, kills, onKill)
        else await killSnapshots(place, kills, onKill)
        if (store !== null) assert.ok(store.passed.length > 0, 'the store was called')
      } finally {
        await place.instance.kill()
        await store?.stop()
      }
    },
  )

/** Sends documents whose texts hardly compress. */
async function send(place: Place, count: number): Promise<void> {
  const { random, instance, sent } = place
  const body = Array.from({ length: count }, () => {
    const words = Array.from({ length: 100 }, () => random.below(1 << 30).toString(36))
    return { id: place.nextId++, text: words.join(' ') }
  })
  await instance.expect(202, 'POST', PATH, body)
  for (const { id } of body) sent.add(id)
}

const takeSnapshot = async (instance: Instance): Promise<number> =>
  (await instance.expect(202, 'POST', '/snapshots')).json.taskUid

async function fill(place: Place, thousands: number): Promise<void> {
  const { instance } = place
  await instance.start()
  // The size matters here, not the words.
  const settings = { searchableAttributes: ['title'] }
  await instance.expect(202, 'PATCH', '/indexes/a/settings', settings)
  for (let i = 0; i < thousands; i++) await send(place, 1000)
  await untilIdle(instance)
  await takeSnapshot(instance)
  await untilIdle(instance)
  await instance.stop()
}

/** Takes a snapshot, writes meanwhile, and is killed. */
async function killSnapshots(place: Place, kills: number, onKill: OnKill): Promise<void> {
  const { instance, random } = place
  let longestMs = 1000
  for (let kill = 0; kill < kills; kill++) {
    await instance.start()
    await send(place, 200)
    await untilIdle(instance)
    const uid = await takeSnapshot(instance)
    const killed = pause(random.below(longestMs)).then(() => instance.kill())
    await writeUntilDeath(place)
    await killed
    const { isHit, ms } = await lookAfter(place, uid)
    longestMs = Math.max(100, Math.min(5000, ms))
    onKill(isHit)
  }
}

async function writeUntilDeath(place: Place): Promise<void> {
  const { program } = place.instance
  while (program?.isRunning() === true) {
    try {
      await send(place, 1 + place.random.below(5))
      await pause(place.random.below(20))
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      // The connection broke because the server was killed.
      await program.ended
    }
  }
}

/** Restarts and checks everything; returns whether the snapshot was interrupted, and its time. */
async function lookAfter(place: Place, uid: number): Promise<{ isHit: boolean; ms: number }> {
  const { instance, file, root, sent } = place
  if (existsSync(file)) await expectSnapshot(file)
  await instance.start()
  const before = (await instance.ask('GET', `/tasks/${uid}`)).json
  await untilIdle(instance)
  const task = (await instance.ask('GET', `/tasks/${uid}`)).json
  assert.equal(task?.status, 'succeeded', JSON.stringify(task))
  const found = await instance.ask('GET', `${PATH}?fields=id&limit=${ALL}`)
  const ids = new Set((found.json.results as { id: number }[]).map(({ id }) => id))
  for (const id of sent) assert.ok(ids.has(id), `document ${id} was acknowledged and is gone`)
  const begun = performance.now()
  await takeSnapshot(instance)
  await untilIdle(instance)
  const ms = performance.now() - begun
  await instance.stop()
  expectSound(instance.db, 'after a kill', true)
  if (existsSync(file)) {
    assert.deepEqual(readdirSync(join(root, 'snapshots')), ['data.ms.snapshot'])
    await expectSnapshot(file)
  } else await expectInStore(place)
  return { isHit: before?.status !== 'succeeded', ms }
}

async function expectSnapshot(file: string): Promise<void> {
  const { problem } = await verifySnapshot(file, { ...CHECK, deep: null })
  assert.equal(problem, null)
}

/** Checks that a server with an empty folder restores everything from the store. */
async function expectInStore({ root, words, sent }: Place): Promise<void> {
  const restored = new Instance({ name: 'restored', root, words })
  await restored.start(['--import-snapshot', 'objstore:'])
  const { json } = await restored.ask('GET', '/indexes/a/stats')
  assert.ok(json.numberOfDocuments >= sent.size, 'the store has all that was acknowledged')
  await restored.stop()
  expectSound(restored.db, 'restored', true)
  restored.wipe()
}

const IMPORTING = 'importing a snapshot'
const IMPORTED = 'the snapshot is imported'

/** Imports into separate folders, killed and restarted until they are complete. */
async function killImports(place: Place, kills: number, onKill: OnKill): Promise<void> {
  const { root, file, random, sent } = place
  const words = ['--import-snapshot', file, '--ignore-snapshot-if-db-exists']
  let longestMs = 100
  for (let kill = 0; kill < kills; kill++) {
    const instance = new Instance({ name: `import-${kill}`, root, words })
    const started = instance.start().catch((error: Error) => error)
    while (instance.isRunning && !instance.said.includes(IMPORTING)) await pause(1)
    await pause(random.below(longestMs))
    await instance.kill()
    await started
    const isHit = instance.said.includes(IMPORTING) && !instance.said.includes(IMPORTED)
    await instance.start()
    const seconds = /is imported .*seconds=(\S+)/.exec(instance.said)?.[1] ?? '0'
    longestMs = Math.max(50, Number(seconds) * 1000, longestMs)
    const { json } = await instance.ask('GET', '/indexes/a/stats')
    assert.equal(json?.numberOfDocuments, sent.size)
    await instance.stop()
    expectSound(instance.db, 'imported', true)
    instance.wipe()
    onKill(isHit)
  }
}
