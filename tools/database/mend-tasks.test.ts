// A new task log in place of a damaged one: which tasks were waiting, and how uids continue.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openManifest } from '../../engine/store/catalog/index.ts'
import { FakeDisk, type FileSystem, readFile } from '../../engine/store/storage/index.ts'
import { addDocuments, MANIFEST_OPTIONS, openTestEngine } from '../../engine/testing/test-engine.ts'
import { readLog } from '../../format/log/index.ts'
import { decodeHead, RECORD_HEAD } from '../../format/tasks/index.ts'
import { mendTasks } from './mend-tasks.ts'
import { Quarantine } from './quarantine.ts'

const LOG = 'tasks/tasks-000001.log'

/** Three tasks have run, each in a batch; two wait. */
async function madeLog(): Promise<FileSystem> {
  const fs = new FakeDisk().mount()
  const engine = await openTestEngine(fs, { restMs: 1e9 })
  for (let id = 0; id < 3; id++) {
    await addDocuments(engine, 'films', [{ id }])
    await engine.idle()
  }
  await engine.close()
  const waiting = await openTestEngine(fs, { batchTasksMax: 0 })
  for (let id = 3; id < 5; id++) await addDocuments(waiting, 'films', [{ id }])
  await waiting.close()
  return fs
}

type Place = { readonly offset: number; readonly type: number }
function recordsOf(fs: FileSystem, path = LOG): readonly (Place & { payload: Uint8Array })[] {
  const records: (Place & { payload: Uint8Array })[] = []
  readLog(readFile(fs, path, 1e7), 'TASK', ({ offset, type, payload }) =>
    records.push({ offset, type, payload }),
  )
  return records
}

async function mended(fs: FileSystem) {
  const moved: string[] = []
  const manifest = await openManifest(fs, MANIFEST_OPTIONS)
  const quarantine = { move: (file: string) => moved.push(file) } as unknown as Quarantine
  const lost = await mendTasks(fs, manifest, quarantine)
  await manifest.close()
  const [head] = recordsOf(fs, 'tasks/tasks-000002.log')
  expect(head!.type).toBe(RECORD_HEAD)
  return { lost, moved, head: decodeHead(head!.payload) }
}

/** Changes a byte of the payload of a record; −1 is the last record. */
function damageRecord(fs: FileSystem, at: number): void {
  const { offset, payload } = recordsOf(fs)
    .filter(({ payload }) => payload.length > 0)
    .at(at)!
  const file = fs.open(LOG, 'write')
  file.write(offset + 24 + 4, Uint8Array.of(payload[4]! ^ 1))
  file.close()
}

it('names the tasks that waited, and continues uids of tasks and batches', async () => {
  const { lost, moved, head } = await mended(await madeLog())
  expect(lost).toEqual({ waiting: [3, 4], nextTask: 5 })
  expect(head).toEqual({ nextTask: 5, nextBatch: 3 })
  expect(moved[0]).toBe(LOG)
})

it('skips records that are damaged, and reads those after them', async () => {
  const last = await madeLog()
  damageRecord(last, -1)
  expect((await mended(last)).lost).toEqual({ waiting: [3], nextTask: 4 })
  const before = await madeLog()
  damageRecord(before, -2)
  expect((await mended(before)).lost).toEqual({ waiting: [4], nextTask: 5 })
})

it('knows tasks from the manifest if nothing of the log can be read', async () => {
  const fs = await madeLog()
  const file = fs.open(LOG, 'write')
  file.write(0, new Uint8Array(32))
  file.close()
  const { lost, head } = await mended(fs)
  expect([lost.waiting, head.nextTask]).toEqual([[], lost.nextTask])
  const none = await madeLog()
  none.remove('CLOSED')
  none.remove(LOG)
  expect((await mendedFirst(none)).lost).toEqual(lost)
})

async function mendedFirst(fs: FileSystem) {
  const manifest = await openManifest(fs, MANIFEST_OPTIONS)
  const lost = await mendTasks(fs, manifest, { move: () => undefined } as unknown as Quarantine)
  await manifest.close()
  return { lost }
}

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-quarantine-'))
})
afterEach(() => rmSync(root, { recursive: true }))

it('removed files are kept beside the database, in a folder of their own for each repair', () => {
  const database = join(root, 'db')
  mkdirSync(join(database, 'tasks'), { recursive: true })
  mkdirSync(join(root, 'db.repaired-1'))
  const unused = new Quarantine(database)
  unused.copy('absent')
  unused.note({ a: 1 })
  expect([unused.folder, readdirSync(root)]).toEqual([null, ['db', 'db.repaired-1']])
  const quarantine = new Quarantine(database)
  writeFileSync(join(database, 'tasks/a'), 'A')
  writeFileSync(join(database, 'b'), 'B')
  quarantine.move('tasks/a')
  quarantine.copy('b')
  quarantine.keep('c', Buffer.from('C'))
  quarantine.note({ steps: 1 })
  const folder = join(root, 'db.repaired-2')
  expect(quarantine.folder).toBe(folder)
  expect(readdirSync(folder).sort()).toEqual(['a', 'b', 'c', 'repair.json'])
  expect('abc'.split('').map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([
    ...'ABC',
  ])
  expect(JSON.parse(readFileSync(join(folder, 'repair.json'), 'utf8'))).toEqual({ steps: 1 })
  expect(readdirSync(database).sort()).toEqual(['b', 'tasks'])
  expect(readdirSync(join(database, 'tasks'))).toEqual([])
})
