// kill -9 during an upgrade, again and again: a process that takes an old database over is killed
// at moments of its own choosing, and whatever is left opens, answers, and in the end is upgraded
// with no file too many.
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundleInto } from '../fixtures/bundle.ts'
import { readDatabase, SEGMENTS, sweep } from './catalog/index.ts'
import { RealFileSystem, randomOf } from './storage/index.ts'
import { addDocuments, allTasks, openTestEngine, searchFor } from './test-engine.ts'
import { age } from './test-old-segments.ts'

const KILLS = 20
const DOCUMENTS = 600
const folder = mkdtempSync(join(tmpdir(), 'svc-upgrade-'))
const root = join(folder, 'data.ms')
const here = (name: string): string => JSON.stringify(join(import.meta.dirname, name))

/** Opens with the option and works until it is killed; tells when it is open. */
const UPGRADER = `
  import { openTestEngine } from ${here('test-engine.ts')}
  import { RealFileSystem } from ${here('storage/index.ts')}
  const path = process.argv[2]
  process.send('opening')
  const fs = RealFileSystem.create(path)
  const engine = await openTestEngine(fs, { path, upgrade: true })
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
  await engine.settle()
  await engine.close()
  await age(fs, '1.49.0')
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs it for so long after it began to open; whether the upgrade was done by then. */
function runAndKill(ms: number): Promise<boolean> {
  const child = fork(join(folder, 'upgrader.mjs'), [root], { execArgv: [] })
  return new Promise((resolve) => {
    let isDone = false
    child.on('message', (message) => {
      if (message === 'done') isDone = true
      setTimeout(() => child.kill('SIGKILL'), isDone ? 0 : ms)
    })
    child.once('exit', () => resolve(isDone))
  })
}

it(`survives ${KILLS} kills`, async () => {
  const random = randomOf(1)
  let kills = 0
  while (kills < KILLS) {
    const isDone = await runAndKill(random.below(20 + kills * 12))
    if (isDone) await age(new RealFileSystem(root), '1.49.0')
    else kills++
  }
  const engine = await openTestEngine(new RealFileSystem(root), { path: root, upgrade: true })
  await engine.settle()
  for (const uid of ['a', 'b', 'c']) {
    const { hits } = await searchFor(engine, uid, { q: `number 77 of ${uid}` })
    expect(hits[0].id).toBe(77)
    expect(engine.indexStats(uid).numberOfDocuments).toBe(DOCUMENTS)
  }
  const tasks = await allTasks(engine)
  expect(tasks.every(({ status }) => status === 'succeeded')).toBe(true)
  await engine.close()
  const fs = new RealFileSystem(root)
  expect(sweep(readDatabase(fs).state, fs.list(SEGMENTS))).toEqual([])
})
