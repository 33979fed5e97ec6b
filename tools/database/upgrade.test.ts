// The upgrade of a database and the promotion of a follower: what happens to the database.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { followingChange } from '../../engine/followers/following/record.ts'
import { folderOf } from '../../engine/followers/following/task-folder.ts'
import { FOLLOWING, openManifest } from '../../engine/store/catalog/index.ts'
import { RotatingLog } from '../../engine/store/logs/index.ts'
import { RealFileSystem } from '../../engine/store/storage/index.ts'
import { addDocuments, openTestEngine } from '../../engine/testing/test-engine.ts'
import { ToolError } from '../terminal/index.ts'
import { promoteDatabase, upgradeDatabase } from './index.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-upgrade-'))
})
afterEach(() => rmSync(root, { recursive: true }))

const drawLogSalt = (): number => 1
const versionOf = (path: string): string => readFileSync(join(path, 'VERSION'), 'utf8').trim()

/** A database of release 1.50.0 with two indexes, and a task that waits. */
async function madeDatabase(): Promise<string> {
  const path = join(root, 'db')
  const fs = RealFileSystem.create(path)
  const engine = await openTestEngine(fs, { path })
  for (const uid of ['films', 'books']) await addDocuments(engine, uid, [{ id: 1 }, { id: 2 }])
  await engine.idle()
  await engine.close()
  const waiting = await openTestEngine(fs, { path, batchTasksMax: 0 })
  await addDocuments(waiting, 'films', [{ id: 3 }])
  await waiting.close()
  return path
}

function watched() {
  const seen: unknown[] = []
  const openProgress = (total: number) => {
    seen.push(total)
    return {
      at: (done: number, words: string) => void seen.push([done, words]),
      end: () => void seen.push('end'),
    }
  }
  return { seen, openProgress }
}

it('upgrades the indexes, and leaves other tasks to the server', async () => {
  const path = await madeDatabase()
  const { seen, openProgress } = watched()
  const result = await upgradeDatabase(path, { release: '1.51.0', openProgress })
  expect(result).toMatchObject({ database: path, from: '1.50.0', to: '1.51.0' })
  expect(result.task).not.toBeNull()
  expect(versionOf(path)).toBe('1.51.0')
  // A bar is ended before the next one begins.
  const bars = seen.filter((one) => !Array.isArray(one))
  expect(bars.filter((_, i) => i % 2 === 1)).toEqual(bars.slice(bars.length / 2).map(() => 'end'))
  const engine = await openTestEngine(new RealFileSystem(path), {
    ...{ path, version: '1.51.0', batchTasksMax: 0 },
  })
  expect((await engine.tasks.get(result.task! as never, null))!.status).toBe('succeeded')
  expect((await engine.tasks.get(2 as never, null))!.status).toBe('enqueued')
  await engine.close()
})

it('has nothing to do for a database of this release', async () => {
  const path = await madeDatabase()
  const { seen, openProgress } = watched()
  const result = await upgradeDatabase(path, { release: '1.50.0', openProgress })
  expect(result).toEqual({ database: path, from: '1.50.0', to: '1.50.0', task: null })
  expect(seen).toEqual([])
  await expect(upgradeDatabase(root, { release: '1.50.0', openProgress })).rejects.toThrow(
    ToolError,
  )
})

it('a follower becomes a database that accepts writes, once', async () => {
  const path = join(root, 'follower')
  const fs = RealFileSystem.create(path)
  const manifest = await openManifest(fs, { version: '1.50.0', upgrade: false, drawLogSalt })
  const snapshot = '20260102-030405006000-1a2b3c4d'
  const followed = {
    ...{ source: 'the database `db`', follower: 'f', snapshot, generation: 3, instance: 'i' },
    ...{ publishedAt: '2026-01-02T03:04:05.006Z', shift: { index: 0, segment: 0 } },
  }
  await manifest.commit([followingChange(followed)])
  await manifest.close()
  for (const folder of [FOLLOWING, folderOf(3), 'tasks']) {
    if (!fs.exists(folder)) fs.makeDirectory(folder)
    if (folder === FOLLOWING) continue
    await (await RotatingLog.open(fs, { folder, name: 'tasks', kind: 'TASK', drawLogSalt })).close()
  }
  expect(await promoteDatabase(path, '1.50.0')).toEqual({
    database: path,
    source: 'the database `db`',
    snapshot,
    publishedAt: '2026-01-02T03:04:05.006Z',
  })
  expect(await promoteDatabase(path, '1.50.0')).toEqual({
    database: path,
    source: null,
    snapshot: null,
    publishedAt: null,
  })
  await expect(promoteDatabase(root, '1.50.0')).rejects.toThrow(ToolError)
})
