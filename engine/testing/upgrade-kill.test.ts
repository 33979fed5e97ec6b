// kill -9 during an upgrade, many times: a process that takes an old database over is killed at
// random moments. The database must open and answer after each kill, and be upgraded in the end
// without superfluous files.
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundleInto } from '../../fixtures/bundle.ts'
import { asIndexUid } from '../../format/ids.ts'
import { readDatabase, SEGMENTS, sweep } from '../store/catalog/index.ts'
import { RealFileSystem, randomOf } from '../store/storage/index.ts'
import { addDocuments, allTasks, changeSettings, openTestEngine, searchFor } from './test-engine.ts'
import { age } from './test-old-segments.ts'

const KILLS = 5
/** Some runs end before they are killed. */
const RUNS_MAX = 200
const DOCUMENTS = 600
const folder = mkdtempSync(join(tmpdir(), 'svc-upgrade-'))
const root = join(folder, 'data.ms')
const here = (name: string): string => JSON.stringify(join(import.meta.dirname, name))

/** The index whose documents have only vectors besides their ids. */
const WITH_VECTORS = 'd'
const vectorOf = (id: number): [number, number] => [Math.cos(id / 500), Math.sin(id / 500)]

/** Opens with the option, sends a document, and works until it is killed; reports all three. */
const UPGRADER = `
  import { addDocuments, openTestEngine } from ${here('test-engine.ts')}
  import { RealFileSystem } from ${here('../store/storage/index.ts')}
  const [, , path, id] = process.argv
  process.send('opening')
  const fs = RealFileSystem.create(path)
  const engine = await openTestEngine(fs, { path, upgrade: true })
  await addDocuments(engine, 'a', [{ id: Number(id), title: 'acknowledged' }])
  process.send('acknowledged')
  await engine.idle()
  process.send('done')
  await new Promise(() => setInterval(() => undefined, 1000))
`

beforeAll(async () => {
  writeFileSync(join(folder, 'upgrader.ts'), UPGRADER)
  bundleInto(folder, join(folder, 'upgrader.ts'), 'upgrader.mjs')
  const fs = RealFileSystem.create(root)
  const engine = await openTestEngine(fs, { path: root })
  for (const uid of ['a', 'b', 'c']) {
    const documents = Array.from({ length: DOCUMENTS }, (_, id) => ({
      id,
      title: `Film number ${id} of ${uid}`,
      text: Array.from({ length: 60 }, (_, word) => `word${(id * 7 + word * 13) % 997}`).join(' '),
    }))
    await addDocuments(engine, uid, documents)
  }
  await changeSettings(engine, WITH_VECTORS, {
    embedders: { own: { source: 'userProvided', dimensions: 2 } },
  })
  const ids = Array.from({ length: DOCUMENTS }, (_, id) => id)
  const withVectors = ids.map((id) => ({ id, _vectors: { own: vectorOf(id) } }))
  await addDocuments(engine, WITH_VECTORS, withVectors)
  await engine.allMerged()
  await engine.close()
  await age(fs, '1.49.0')
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true }))

type Run = { isAcknowledged: boolean; isDone: boolean; upgradeMs: number }
type Event = 'opening' | 'acknowledged' | 'done'

/** Runs it until some time after an event. `id`: of the document that it sends. */
function runAndKill(id: number, event: Event, ms: number): Promise<Run> {
  const words = [root, String(id)]
  const child = fork(join(folder, 'upgrader.mjs'), words, { execArgv: [] })
  const run = { isAcknowledged: false, isDone: false, upgradeMs: 0 }
  let acknowledgedAt = 0
  return new Promise((resolve) => {
    child.on('message', (message) => {
      if (message === 'acknowledged') {
        run.isAcknowledged = true
        acknowledgedAt = performance.now()
      }
      if (message === 'done') {
        run.isDone = true
        run.upgradeMs = performance.now() - acknowledgedAt
      }
      if (message === event || run.isDone) {
        setTimeout(() => child.kill('SIGKILL'), run.isDone ? 0 : ms)
      }
    })
    child.once('exit', () => resolve(run))
  })
}

it(`survives ${KILLS} kills`, async () => {
  const random = randomOf(1)
  const acknowledged = new Set<number>()
  // The first run is not killed; it measures the duration on this machine.
  let span = 0
  let kills = 0
  let inside = 0
  for (let id = 100_000; kills < KILLS && id < 100_000 + RUNS_MAX; id++) {
    const event = span === 0 ? 'done' : random.below(4) === 0 ? 'opening' : 'acknowledged'
    const run = await runAndKill(id, event, random.below(Math.max(10, Math.floor(span))))
    if (run.isAcknowledged) acknowledged.add(id)
    if (run.isDone) {
      span = run.upgradeMs
      await age(new RealFileSystem(root), '1.49.0')
    } else kills++
    if (run.isAcknowledged && !run.isDone) inside++
  }
  expect(kills).toBe(KILLS)
  expect(inside).toBeGreaterThan(0)
  const engine = await openTestEngine(new RealFileSystem(root), { path: root, upgrade: true })
  await engine.allMerged()
  for (const uid of ['a', 'b', 'c']) {
    const { hits } = await searchFor(engine, uid, { q: `number 77 of ${uid}` })
    expect(hits[0].id).toBe(77)
    const { numberOfDocuments } = engine.documents.indexStats(asIndexUid(uid))
    if (uid === 'a') expect(numberOfDocuments).toBeGreaterThanOrEqual(DOCUMENTS + acknowledged.size)
    else expect(numberOfDocuments).toBe(DOCUMENTS)
  }
  expect(engine.documents.indexStats(asIndexUid(WITH_VECTORS))).toMatchObject({
    numberOfDocuments: DOCUMENTS,
    numberOfEmbeddings: DOCUMENTS,
  })
  const nearest = await searchFor(engine, WITH_VECTORS, {
    vector: Float64Array.from(vectorOf(77)),
    hybrid: { embedder: 'own', semanticRatio: 1 },
    retrieveVectors: true,
  })
  const [{ id: first, _vectors: vectors }] = nearest.hits
  expect(first).toBe(77)
  expect(vectors.own.embeddings[0].map(Math.fround)).toEqual(vectorOf(77).map(Math.fround))
  const { hits } = await searchFor(engine, 'a', { q: 'acknowledged' })
  const found = new Set(hits.map(({ id }: { id: number }) => id))
  expect([...acknowledged].filter((id) => !found.has(id))).toEqual([])
  const tasks = await allTasks(engine)
  expect(tasks.every(({ status }) => status === 'succeeded')).toBe(true)
  await engine.close()
  const fs = new RealFileSystem(root)
  expect(sweep(readDatabase(fs).state, fs.list(SEGMENTS))).toEqual([])
}, 600_000)
