// Tasks read without a server are the same as those that the engine shows, also while it runs.
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RealFileSystem } from '../../engine/store/storage/index.ts'
import {
  addDocuments,
  allTasks,
  enqueue,
  openTestEngine,
} from '../../engine/testing/test-engine.ts'
import { taskView } from '../../engine/write/task-lists/index.ts'
import { asIndexUid, asTaskUid } from '../../format/ids.ts'
import { errorBody } from '../../server/errors/index.ts'
import { ToolError } from '../terminal/index.ts'
import { type MadeDatabase, makeDatabase } from '../test-support.ts'
import { listTasks, showTask, taskListText, taskText } from './index.ts'
import type { TaskListOptions } from './read-tasks.ts'

let made: MadeDatabase
beforeAll(async () => {
  made = await makeDatabase()
}, 120_000)
afterAll(() => made.remove())

const list = (options: Partial<TaskListOptions> = {}) =>
  listTasks(made.path, {
    statuses: null,
    kinds: null,
    indexUids: null,
    uids: null,
    batchUids: null,
    from: null,
    limit: 1000,
    reverse: true,
    ...options,
  })

const uidsOf = async (options: Partial<TaskListOptions>): Promise<unknown[]> =>
  (await list(options)).results.map(({ uid }) => uid)

describe('the tasks of a database', () => {
  it('are the same as in the engine, also beside it', async () => {
    const engine = await openTestEngine(new RealFileSystem(made.path), { path: made.path })
    await engine.idle()
    await enqueue(engine, 'films', { kind: 'indexDeletion' })
    await addDocuments(engine, 'books', [{ no: 'key' }])
    await engine.idle()
    const shown = (await allTasks(engine)).map((task) =>
      taskView(task, ({ code, message }) => errorBody(code, message)),
    )
    expect((await list()).results).toEqual(shown)
    await engine.close()
    expect((await list()).results).toEqual(shown)
    const last = shown.at(-1)!
    expect(await showTask(made.path, asTaskUid(Number(last['uid'])))).toEqual(last)
    expect(last['status']).toBe('failed')
    expect(await showTask(made.path, asTaskUid(1e6))).toBeNull()
  })

  it('are filtered and paged', async () => {
    const { results, total } = await list()
    expect(total).toBe(results.length)
    const failed = results.filter(({ status }) => status === 'failed').map(({ uid }) => uid)
    expect(failed.length).toBeGreaterThan(0)
    expect(await uidsOf({ statuses: ['failed'] })).toEqual(failed)
    expect(await uidsOf({ kinds: ['settingsupdate'] })).toEqual([0])
    expect(await uidsOf({ uids: ['2', '1', '77'] })).toEqual([1, 2])
    expect(await uidsOf({ indexUids: [asIndexUid('nothing')] })).toEqual([])
    const page = await list({ limit: 2, reverse: false })
    expect(page.results.map(({ uid }) => uid)).toEqual([total - 1, total - 2])
    expect(page.next).toBe(total - 3)
    expect(await uidsOf({ from: 1, limit: 2, reverse: false })).toEqual([1, 0])
  })

  it('are shown as text without control characters', async () => {
    const page = await list()
    expect(taskListText(page)).toContain('invalid_document_id')
    expect(taskListText({ results: [], total: 0, next: null })).toBe('No task matches.\n')
    const text = taskText({ uid: 1, status: 'x\u001b[2J', details: { a: { b: 1 } }, error: null })
    expect(text).toContain('a: {"b":1}')
    expect(text).not.toContain('\u001b')
    expect(text).not.toContain('error')
  })

  it.each<[Partial<TaskListOptions>, string]>([
    [
      { statuses: ['failed', 'done'] },
      '--status: there is no `done`; there are enqueued, processing, succeeded, failed, canceled',
    ],
    [{ uids: ['1', '1x'] }, '--uid: `1x` is not a number'],
    [{ batchUids: ['-1'] }, '--batch: `-1` is not a number'],
    [{ uids: ['12345678901'] }, '--uid: `12345678901` is not a number'],
  ])('are not listed by %j', async (options, message) => {
    await expect(list(options)).rejects.toThrow(new ToolError(message))
  })

  it('are not found without a task log', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-tasks-'))
    cpSync(made.path, folder, { recursive: true })
    for (const name of readdirSync(join(folder, 'tasks'))) {
      if (name.endsWith('.log')) rmSync(join(folder, 'tasks', name))
    }
    await expect(showTask(folder, asTaskUid(0))).rejects.toThrow(
      new ToolError('the database has no task log'),
    )
    rmSync(folder, { recursive: true })
  })
})
