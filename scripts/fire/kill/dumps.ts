// kill -9 while a dump is created, and while one is imported. Afterwards: acknowledged tasks are
// done after the next start; every file named `.dump` is complete; no unfinished files remain,
// neither in the database nor beside the dumps; all documents are there.
import assert from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Random, randomOf } from '../../../engine/store/storage/index.ts'
import { verifyDump } from '../../../tools/dump/index.ts'
import { endOfTask, pause, untilIdle } from '../parts/client.ts'
import { CHECK, expectSound, inFolder } from '../parts/database.ts'
import { Instance } from '../parts/instance.ts'
import type { Report, Run } from '../parts/report.ts'

const WORDS = ['harbour', 'mountain', 'quiet', 'star', 'night', 'sea'] as const
/** The allowed names in a database folder. */
const KNOWN = /^(LOCK|VERSION|CURRENT|IDENTITY|CLOSED|manifest-\d+\.log|tasks|segments)$/

type Scene = {
  readonly random: Random
  readonly root: string
  readonly dumps: string
  readonly documents: number
}

const film = (id: number) => ({
  id,
  title: `${WORDS[id % 6]} ${id}`,
  text: Array.from({ length: 40 }, (_, i) => `${WORDS[(id + i * i) % 6]}${(id * i) % 50}`).join(
    ' ',
  ),
})

/** `dumps`: `runs` kills of each kind. @throws Error if an expectation fails */
export const killDumps = (given: Run & { runs: number; documents: number }): Promise<Report> =>
  inFolder(
    () => `seed ${given.seed}`,
    async (root) => {
      const { seed, runs, documents, progress } = given
      const scene = { random: randomOf(seed), root, dumps: join(root, 'dumps'), documents }
      const original = instanceOf(scene, 'original')
      const dumpMs = await fill(original, documents)
      let [kills, inTime, importMs] = [0, 0, 0]
      for (const [what, kill] of [
        ['a dump', () => killDump(scene, original, dumpMs)],
        ['an import', () => killImport(scene, importMs)],
      ] as const) {
        if (what === 'an import') importMs = await timeOfImport(scene)
        for (let i = 0; i < runs; i++) {
          if (await kill()) inTime++
          kills++
          progress?.(kills, 2 * runs, what)
        }
      }
      return { figures: { kills, 'kills before the work was done': inTime }, problems: [] }
    },
  )

const instanceOf = ({ root, dumps }: Scene, name: string): Instance =>
  new Instance({ name, root, words: ['--dump-dir', dumps] })

/** Fills the database; returns how long a dump of it takes. */
async function fill(instance: Instance, documents: number): Promise<number> {
  await instance.start()
  const body = Array.from({ length: documents }, (_, id) => film(id))
  await instance.expect(202, 'POST', '/indexes/films/documents', body)
  await untilIdle(instance)
  const begun = performance.now()
  const { json } = await instance.ask('POST', '/dumps')
  await expectDone(instance, json.taskUid)
  const ms = performance.now() - begun
  await instance.stop()
  return ms
}

async function expectDone(instance: Instance, uid: number) {
  const task = await endOfTask(instance, uid)
  assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
  return task
}

/** Returns whether the dump was still running when the server was killed. */
async function killDump(scene: Scene, instance: Instance, dumpMs: number): Promise<boolean> {
  const { random, dumps, documents } = scene
  await instance.start()
  const { taskUid } = (await instance.ask('POST', '/dumps')).json
  await pause(random.below(Math.ceil(dumpMs * 1.2)))
  const isInTime = (await instance.ask('GET', `/tasks/${taskUid}`)).json.finishedAt === null
  await instance.kill()
  await instance.start()
  const task = await expectDone(instance, taskUid)
  await expectWhole(instance, documents)
  await instance.stop()
  expectTidy(instance.db)
  const names = readdirSync(dumps)
  assert.ok(names.includes(`${task.details.dumpUid}.dump`), `the dump is not among ${names}`)
  for (const name of names) {
    assert.match(name, /^\d{8}-\d{9}\.dump$/, `${name} is left`)
    const opening = { ...CHECK, version: CHECK.release, isQuick: true, scratch: null }
    const verdict = await verifyDump(join(dumps, name), opening)
    assert.ok(verdict.isSound, verdict.fault ?? '')
    assert.equal(verdict.documents, documents)
  }
  for (const name of names.slice(0, -1)) rmSync(join(dumps, name))
  return isInTime
}

const importWords = ({ dumps }: Scene): string[] => [
  '--import-dump',
  join(dumps, readdirSync(dumps)[0]!),
  '--ignore-dump-if-db-exists',
]

async function timeOfImport(scene: Scene): Promise<number> {
  const instance = instanceOf(scene, 'imported')
  const begun = performance.now()
  await instance.start(importWords(scene))
  const ms = performance.now() - begun
  await instance.stop()
  instance.wipe()
  return ms
}

/** Returns whether the import was still running when the server was killed. */
async function killImport(scene: Scene, importMs: number): Promise<boolean> {
  const { random, documents } = scene
  const instance = instanceOf(scene, 'imported')
  const started = instance.start(importWords(scene)).then(
    () => true,
    () => false,
  )
  await pause(random.below(Math.ceil(importMs * 1.1)))
  const isInTime = !instance.said.includes(' listening ')
  await instance.kill()
  await started
  // Sometimes the next start comes without the import.
  const isDropped = isInTime && random.below(4) === 0
  await instance.start(isDropped ? [] : importWords(scene))
  const { json } = await instance.ask('GET', '/stats')
  const held = Object.keys(json.indexes).length
  assert.ok(held === 1 || (isDropped && held === 0), 'all of an import or nothing')
  if (held === 1) await expectWhole(instance, documents)
  await instance.stop()
  expectTidy(instance.db)
  instance.wipe()
  return isInTime
}

async function expectWhole(instance: Instance, documents: number): Promise<void> {
  const { json } = await instance.ask('GET', '/indexes/films/stats')
  assert.equal(json.numberOfDocuments, documents)
  const body = { q: WORDS[0], page: 1, hitsPerPage: 1 }
  const found = await instance.expect(200, 'POST', '/indexes/films/search', body)
  assert.ok(found.json.totalHits > 0, 'a word is found')
}

/** Checks that the folder holds only a sound database. */
function expectTidy(db: string): void {
  for (const name of readdirSync(db)) assert.match(name, KNOWN, `${name} is left in the database`)
  expectSound(db, 'after a kill')
}
