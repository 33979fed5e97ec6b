// kill -9 while a snapshot is created, uploaded or imported. Afterwards the server starts, no
// acknowledged work is lost, the last snapshot is complete, and no garbage remains.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Random, randomOf } from '../../engine/store/storage/index.ts'
import { RELEASE } from '../../server/config/index.ts'
import { BUCKET, STORE_KEY, startStore } from '../../server/testing/index.ts'
import { checkDatabase, findingsOf } from '../../tools/check/index.ts'
import { verifySnapshot } from '../../tools/snapshot/index.ts'
import { type Client, clientOf, pause, untilIdle } from './ask.ts'
import { type Program, startProgram } from './program.ts'

export const MOMENTS = ['snapshot', 'upload', 'increment', 'import'] as const
type Moment = (typeof MOMENTS)[number]

export type SnapshotKillOptions = {
  readonly seed: number
  readonly kills: number
  readonly moment: Moment
  /** Thousands of initial documents. */
  readonly thousands: number
  /** Called after each kill that was survived; `hit`: whether it interrupted the work. */
  readonly onKill?: (hit: boolean) => void
}

type Place = {
  readonly root: string
  readonly db: string
  readonly file: string
  readonly random: Random
  /** Arguments of every start. */
  readonly words: readonly string[]
  /** Acknowledged documents, by id. */
  readonly sent: Set<number>
  nextId: number
}

const SILENT = { at: () => undefined, end: () => undefined }
const CHECK = { release: RELEASE.version, openProgress: () => SILENT }
const ALL = 10_000_000

/** @throws if an expectation fails; then the folder is kept for inspection. */
export async function killAtSnapshots(options: SnapshotKillOptions): Promise<void> {
  const { seed, moment } = options
  const root = mkdtempSync(join(tmpdir(), 'svc-fire-'))
  const store = moment === 'upload' || moment === 'increment' ? await startStore() : null
  const place: Place = {
    root,
    db: join(root, 'db'),
    file: join(root, 'snapshots', 'db.snapshot'),
    random: randomOf(seed),
    sent: new Set(),
    nextId: 0,
    words: [
      '--snapshot-dir',
      join(root, 'snapshots'),
      ...(store === null ? [] : storeWords(store.url, moment === 'increment')),
    ],
  }
  try {
    await fill(place, options.thousands)
    if (moment === 'import') await killImports(place, options)
    else await killSnapshots(place, options)
    if (store !== null) assert.ok(store.passed.length > 0, 'the store was asked')
  } catch (error) {
    throw new Error(`seed ${seed}, folder ${root}: ${String(error)}`, { cause: error })
  } finally {
    await store?.stop()
  }
  rmSync(root, { recursive: true })
}

/** `isIncremental`: snapshots share their files. */
export const storeWords = (url: string, isIncremental: boolean): readonly string[] => [
  '--objstore-bucket-url',
  url,
  '--objstore-bucket-region',
  'us-east-1',
  '--objstore-bucket-name',
  BUCKET,
  '--objstore-snapshot-prefix',
  'fire',
  '--objstore-access-key',
  STORE_KEY,
  '--objstore-secret-key',
  STORE_KEY,
  '--experimental-allowed-ip-networks',
  '127.0.0.0/8',
  '--experimental-objstore-multipart-part-size',
  '11MiB',
  ...(isIncremental ? ['--objstore-incremental', '--objstore-retention', '2'] : []),
]

type Doc = { readonly id: number; readonly text: string }

/** Returns documents whose texts hardly compress. */
function documents(place: Place, count: number): readonly Doc[] {
  const { random } = place
  return Array.from({ length: count }, () => {
    const words = Array.from({ length: 100 }, () => random.below(1 << 30).toString(36))
    return { id: place.nextId++, text: words.join(' ') }
  })
}

async function send(place: Place, client: Client, docs: readonly Doc[]): Promise<void> {
  const answer = await client.ask('POST', '/indexes/a/documents', { body: docs })
  assert.equal(answer.status, 202, answer.text)
  for (const { id } of docs) place.sent.add(id)
}

async function fill(place: Place, thousands: number): Promise<void> {
  const program = startProgram({ db: place.db, words: place.words })
  const client = clientOf(await program.url)
  // The size matters here, not the words.
  const body = { searchableAttributes: ['title'] }
  const answer = await client.ask('PATCH', '/indexes/a/settings', { body })
  assert.equal(answer.status, 202, answer.text)
  for (let i = 0; i < thousands; i++) await send(place, client, documents(place, 1000))
  await untilIdle(client)
  await takeSnapshot(client)
  await untilIdle(client)
  client.close()
  await program.stop()
}

async function takeSnapshot(client: Client): Promise<number> {
  const answer = await client.ask('POST', '/snapshots')
  assert.equal(answer.status, 202, answer.text)
  return answer.json.taskUid
}

/** Takes a snapshot, writes meanwhile, and is killed. */
async function killSnapshots(place: Place, { kills, onKill }: SnapshotKillOptions): Promise<void> {
  let longestMs = 1000
  for (let kill = 0; kill < kills; kill++) {
    const program = startProgram({ db: place.db, words: place.words })
    const client = clientOf(await program.url)
    await send(place, client, documents(place, 200))
    await untilIdle(client)
    const uid = await takeSnapshot(client)
    const timer = setTimeout(() => program.kill('SIGKILL'), place.random.below(longestMs))
    await writeUntilDeath(place, program, client)
    clearTimeout(timer)
    client.close()
    const { hit, ms } = await lookAfter(place, uid)
    longestMs = Math.max(100, Math.min(5000, ms))
    onKill?.(hit)
  }
}

async function writeUntilDeath(place: Place, program: Program, client: Client): Promise<void> {
  while (program.isRunning()) {
    try {
      await send(place, client, documents(place, 1 + place.random.below(5)))
      await pause(place.random.below(20))
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      // The connection broke because the server was killed.
      await program.ended
    }
  }
}

/**
 * Restarts and checks everything; returns whether the snapshot was interrupted, and its duration.
 */
async function lookAfter(place: Place, uid: number): Promise<{ hit: boolean; ms: number }> {
  const { db, file, root, words, sent } = place
  if (existsSync(file)) await expectSnapshot(file)
  const program = startProgram({ db, words })
  const client = clientOf(await program.url)
  const before = (await client.ask('GET', `/tasks/${uid}`)).json
  await untilIdle(client)
  const task = (await client.ask('GET', `/tasks/${uid}`)).json
  assert.equal(task?.status, 'succeeded', JSON.stringify(task))
  const found = await client.ask('GET', `/indexes/a/documents?fields=id&limit=${ALL}`)
  const ids = new Set((found.json.results as { id: number }[]).map(({ id }) => id))
  for (const id of sent) assert.ok(ids.has(id), `document ${id} was acknowledged and is gone`)
  const begun = performance.now()
  await takeSnapshot(client)
  await untilIdle(client)
  const ms = performance.now() - begun
  client.close()
  const end = await program.stop()
  assert.deepEqual([end.code, end.signal], [0, null], end.stderr)
  expectDatabase(db)
  if (existsSync(file)) {
    assert.deepEqual(readdirSync(join(root, 'snapshots')), ['db.snapshot'])
    await expectSnapshot(file)
  } else await expectInStore(place)
  return { hit: before?.status !== 'succeeded', ms }
}

async function expectSnapshot(file: string): Promise<void> {
  const { problem } = await verifySnapshot(file, { ...CHECK, deep: null })
  assert.equal(problem, null)
}

/** Checks that a server with an empty folder restores everything from the store. */
async function expectInStore({ root, words, sent }: Place): Promise<void> {
  const program = startProgram({
    db: join(root, 'back', 'db'),
    words: [...words, '--import-snapshot', 'objstore:'],
  })
  const client = clientOf(await program.url)
  const { json } = await client.ask('GET', '/indexes/a/stats')
  assert.ok(json.numberOfDocuments >= sent.size, 'the store has all that was acknowledged')
  client.close()
  await program.stop()
  expectDatabase(join(root, 'back', 'db'))
  rmSync(join(root, 'back'), { recursive: true })
}

/** Checks that the database is sound, without unnamed files. */
function expectDatabase(db: string): void {
  const result = checkDatabase(db, { ...CHECK, lock: true })
  const findings = findingsOf(result).map((finding) => JSON.stringify(finding))
  assert.equal(result.problemCount, 0, findings.join('\n'))
  assert.deepEqual(result.leftovers, [])
}

const IMPORTING = 'importing a snapshot'
const IMPORTED = 'the snapshot is imported'

/** Imports into separate folders, killed and restarted until they are complete. */
async function killImports(place: Place, { kills, onKill }: SnapshotKillOptions): Promise<void> {
  let longestMs = 100
  for (let kill = 0; kill < kills; kill++) {
    const db = join(place.root, `import-${kill}`)
    const words = ['--import-snapshot', place.file, '--ignore-snapshot-if-db-exists']
    const killed = startProgram({ db, words })
    while (killed.isRunning() && !killed.said().includes(IMPORTING)) await pause(1)
    await pause(place.random.below(longestMs))
    killed.kill('SIGKILL')
    const { stderr } = await killed.ended
    const hit = stderr.includes(IMPORTING) && !stderr.includes(IMPORTED)
    const program = startProgram({ db, words })
    const client = clientOf(await program.url)
    const seconds = /is imported .*seconds=(\S+)/.exec(program.said())?.[1] ?? '0'
    longestMs = Math.max(50, Number(seconds) * 1000, longestMs)
    const { json } = await client.ask('GET', '/indexes/a/stats')
    assert.equal(json?.numberOfDocuments, place.sent.size)
    client.close()
    await program.stop()
    expectDatabase(db)
    rmSync(db, { recursive: true })
    onKill?.(hit)
  }
}
