// kill -9 while a dump is created, and while one is imported. Afterwards: acknowledged tasks are
// done after the next start; every file named `.dump` is complete; no unfinished files remain,
// neither in the database nor beside the dumps; all documents are there.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Random, randomOf } from '../../engine/store/storage/index.ts'
import { RELEASE } from '../../server/config/index.ts'
import { checkDatabase, findingsOf } from '../../tools/check/index.ts'
import { verifyDump } from '../../tools/dump/index.ts'
import { type Client, clientOf, endOfTask, pause, untilIdle } from './ask.ts'
import { type Program, startProgram } from './program.ts'

export type KillDumpsOptions = {
  readonly seed: number
  /** Kills of each kind. */
  readonly kills: number
  readonly documents: number
  readonly onKill?: (report: KillDumpsReport) => void
}

export type KillDumpsReport = {
  readonly during: 'dump' | 'import'
  /** Milliseconds until the kill. */
  readonly ms: number
  /** Whether the work was still running. */
  readonly isInTime: boolean
}

const SILENT = { at: () => undefined, end: () => undefined }
const CHECK = { lock: true, release: RELEASE.version, openProgress: () => SILENT }
const OPENING = { scratch: null, openProgress: () => SILENT }
const WORDS = ['harbour', 'mountain', 'quiet', 'star', 'night', 'sea'] as const
/** The allowed names in a database folder. */
const KNOWN = /^(LOCK|VERSION|CURRENT|IDENTITY|CLOSED|manifest-\d+\.log|tasks|segments)$/

type Scene = {
  readonly random: Random
  readonly root: string
  readonly db: string
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

/** @throws AssertionError if an expectation fails; then the folder is kept for inspection. */
export async function killDumps(options: KillDumpsOptions): Promise<void> {
  const { seed, kills, documents, onKill } = options
  const root = mkdtempSync(join(tmpdir(), 'svc-fire-'))
  const folders = { db: join(root, 'data.ms'), dumps: join(root, 'dumps') }
  const scene: Scene = { random: randomOf(seed), root, documents, ...folders }
  try {
    const dumpMs = await fill(scene)
    for (let kill = 0; kill < kills; kill++) {
      const report = await killDump(scene, dumpMs)
      onKill?.(report)
    }
    const importMs = await timeOfImport(scene)
    for (let kill = 0; kill < kills; kill++) {
      const report = await killImport(scene, importMs)
      onKill?.(report)
    }
  } catch (error) {
    throw new Error(`seed ${seed}, folder ${root}: ${String(error)}`, { cause: error })
  }
  rmSync(root, { recursive: true })
}

const started = ({ db, dumps }: Pick<Scene, 'db' | 'dumps'>, words: readonly string[] = []) =>
  startProgram({ db, words: ['--dump-dir', dumps, ...words] })

/** Fills the database; returns how long a dump of it takes. */
async function fill(scene: Scene): Promise<number> {
  const program = started(scene)
  const client = clientOf(await program.url)
  const body = Array.from({ length: scene.documents }, (_, id) => film(id))
  await client.ask('POST', '/indexes/films/documents', { body })
  await untilIdle(client)
  const begun = performance.now()
  await dump(client)
  const ms = performance.now() - begun
  client.close()
  await program.stop()
  return ms
}

async function dump(client: Client): Promise<void> {
  const { json } = await client.ask('POST', '/dumps')
  const task = await endOfTask(client, json.taskUid)
  assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
}

async function killDump(scene: Scene, dumpMs: number): Promise<KillDumpsReport> {
  const program = started(scene)
  const client = clientOf(await program.url)
  const { json } = await client.ask('POST', '/dumps')
  const ms = scene.random.below(Math.ceil(dumpMs * 1.2))
  await pause(ms)
  const isInTime = await isRunning(client, json.taskUid)
  await kill(program, client)
  const again = started(scene)
  const later = clientOf(await again.url)
  const task = await endOfTask(later, json.taskUid)
  assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
  await expectWhole(later, scene.documents)
  later.close()
  await again.stop()
  expectTidy(scene.db)
  const names = readdirSync(scene.dumps)
  assert.ok(names.includes(`${task.details.dumpUid}.dump`), `the dump is not among ${names}`)
  for (const name of names) {
    assert.match(name, /^\d{8}-\d{9}\.dump$/, `${name} is left`)
    const verdict = await verifyDump(join(scene.dumps, name), OPENING)
    assert.ok(verdict.isSound, verdict.fault ?? '')
    assert.equal(verdict.documents, scene.documents)
  }
  for (const name of names.slice(0, -1)) rmSync(join(scene.dumps, name))
  return { during: 'dump', ms, isInTime }
}

async function isRunning(client: Client, uid: number): Promise<boolean> {
  const { json } = await client.ask('GET', `/tasks/${uid}`)
  return json.finishedAt === null
}

async function kill(program: Program, client: Client | null): Promise<void> {
  program.kill('SIGKILL')
  await program.ended
  client?.close()
}

const dumpOf = ({ dumps }: Scene): string => join(dumps, readdirSync(dumps)[0]!)

async function timeOfImport(scene: Scene): Promise<number> {
  const db = join(scene.root, 'imported')
  const begun = performance.now()
  const program = started({ ...scene, db }, ['--import-dump', dumpOf(scene)])
  await program.url
  const ms = performance.now() - begun
  await program.stop()
  rmSync(db, { recursive: true })
  return ms
}

async function killImport(scene: Scene, importMs: number): Promise<KillDumpsReport> {
  const db = join(scene.root, 'imported')
  const words = ['--import-dump', dumpOf(scene), '--ignore-dump-if-db-exists']
  const program = started({ ...scene, db }, words)
  const ms = scene.random.below(Math.ceil(importMs * 1.1))
  await pause(ms)
  const isInTime = !program.said().includes(' listening ')
  await kill(program, null)
  // Sometimes the next start comes without the import.
  const isDropped = isInTime && scene.random.below(4) === 0
  const again = started({ ...scene, db }, isDropped ? [] : words)
  const client = clientOf(await again.url)
  if (isDropped) {
    const { json } = await client.ask('GET', '/stats')
    const held = Object.keys(json.indexes).length
    assert.ok(held === 0 || held === 1, 'all of an import or nothing')
    if (held === 1) await expectWhole(client, scene.documents)
  } else await expectWhole(client, scene.documents)
  client.close()
  await again.stop()
  expectTidy(db)
  rmSync(db, { recursive: true })
  return { during: 'import', ms, isInTime }
}

async function expectWhole(client: Client, documents: number): Promise<void> {
  const { json } = await client.ask('GET', '/indexes/films/stats')
  assert.equal(json.numberOfDocuments, documents)
  const found = await client.ask('POST', '/indexes/films/search', {
    body: { q: WORDS[0], page: 1, hitsPerPage: 1 },
  })
  assert.equal(found.status, 200, found.text)
  assert.ok(found.json.totalHits > 0, 'a word is found')
}

/** Checks that the folder holds only a sound database. */
function expectTidy(db: string): void {
  for (const name of readdirSync(db)) assert.match(name, KNOWN, `${name} is left in the database`)
  const result = checkDatabase(db, CHECK)
  const findings = [...findingsOf(result)].map((finding) => JSON.stringify(finding))
  assert.equal(result.problemCount, 0, `svc-tools check:\n${findings.join('\n')}`)
}
