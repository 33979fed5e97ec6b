// The embedded engine with `readOnly`: it reads a database and leaves every file as it was.
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { SvcSearchError } from './errors.ts'
import { open } from './open.ts'
import type { Engine } from './types.ts'

const root = mkdtempSync(join(tmpdir(), 'svc-read-only-'))
const path = join(root, 'db')
const engines: Engine[] = []
afterEach(async () => {
  for (const engine of engines) await engine.close()
})
afterAll(() => rmSync(root, { recursive: true }))

async function opened(options: { path?: string; readOnly?: boolean } = {}): Promise<Engine> {
  const engine = await open({ path, readOnly: true, onWarning: unexpected, ...options }, null)
  engines.push(engine)
  return engine
}

const unexpected = (message: string): void => {
  throw new Error(message)
}

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'fine',
    (error: unknown) => (error instanceof SvcSearchError ? error.code : error),
  )

/** Names, contents and times of all files and folders. */
const contentsOf = (folder: string): readonly (readonly unknown[])[] =>
  ['', ...(readdirSync(folder, { recursive: true }) as string[])].sort().map((name) => {
    const { mtimeMs, mode, ino } = statSync(join(folder, name))
    const isFile = statSync(join(folder, name)).isFile()
    return [name, mtimeMs, mode, ino, isFile ? readFileSync(join(folder, name), 'latin1') : null]
  })

/** A user id without rights. */
const WITHOUT_RIGHTS = 65_534

const FILMS = [
  { id: 1, title: 'The Godfather', year: 1972 },
  { id: 2, title: 'Heat', year: 1995 },
]

beforeAll(async () => {
  const writer = await opened({ readOnly: false })
  await writer.request('PATCH', '/experimental-features', { network: true })
  await writer.updateSettings('films', { filterableAttributes: ['year'] })
  await writer.waitForTask(await writer.addDocuments('films', FILMS))
  await writer.close()
})

describe('an engine that only reads', () => {
  it('searches, shows everything, refuses all writes and leaves all files as they were', async () => {
    const before = contentsOf(path)
    const reader = await opened()
    const { hits } = await reader.search('films', { q: 'godfahter', filter: 'year < 1980' })
    expect(hits).toEqual([FILMS[0]])
    expect((await reader.documents('films')).total).toBe(2)
    expect(await reader.settings('films')).toMatchObject({ filterableAttributes: ['year'] })
    expect((await reader.tasks()).results.map(({ status }) => status)).toEqual(
      Array(2).fill('succeeded'),
    )
    expect(await reader.stats()).toMatchObject({ indexes: { films: { numberOfDocuments: 2 } } })
    expect(await reader.request('GET', '/health')).toEqual({ status: 'available' })
    const key = { name: 'a', actions: ['search'], indexes: ['*'], expiresAt: null }
    const writes: readonly (() => Promise<unknown>)[] = [
      () => reader.addDocuments('films', FILMS),
      () => reader.addDocuments('films', []),
      () => reader.importDocuments('new', 'id\n1\n', { format: 'csv' }),
      () => reader.deleteDocuments('films', { all: true }),
      () => reader.createIndex('new'),
      () => reader.deleteIndex('films'),
      () => reader.updateSettings('films', { stopWords: ['a'] }),
      () => reader.swapIndexes([{ indexes: ['films', 'films2'] }]),
      () => reader.cancelTasks({ uids: [1] }),
      () => reader.deleteTasks({ uids: [1] }),
      () => reader.createDump(),
      () => reader.createSnapshot(),
      () => reader.request('PATCH', '/experimental-features', { metrics: true }),
      () => reader.request('POST', '/keys', key),
      () => reader.request('PATCH', '/network', { self: 'a' }),
      () => reader.request('POST', '/webhooks', { url: 'http://127.0.0.1:7909' }),
    ]
    for (const write of writes) {
      expect(await failure(write()), String(write)).toBe('read_only_database')
    }
    await reader.close()
    expect(contentsOf(path)).toEqual(before)
  })

  it('excludes writers, and shares the database with other readers', async () => {
    const first = await opened()
    const second = await opened()
    expect((await second.search('films', { q: 'heat' })).hits).toEqual([FILMS[1]])
    expect(await failure(opened({ readOnly: false }))).toBe('database_locked')
    await first.close()
    expect(await failure(opened({ readOnly: false }))).toBe('database_locked')
    await second.close()
    const writer = await opened({ readOnly: false })
    expect(await failure(opened())).toBe('database_locked')
    await writer.close()
  })

  it('reads a copy that lacks the lock and the identity', async () => {
    const copy = join(root, 'copy')
    cpSync(path, copy, { recursive: true })
    for (const name of ['LOCK', 'IDENTITY']) rmSync(join(copy, name))
    const before = contentsOf(copy)
    const reader = await opened({ path: copy })
    expect((await reader.search('films')).hits).toHaveLength(2)
    await reader.close()
    expect(contentsOf(copy)).toEqual(before)
  })

  it('reads what a killed process has left, and shows its waiting tasks as waiting', async () => {
    const writer = await opened({ readOnly: false })
    await writer.waitForTask(await writer.addDocuments('films', [{ id: 3, title: 'Ran' }]))
    const killed = join(root, 'killed')
    const { taskUid } = await writer.addDocuments('films', [{ id: 4, title: 'Alien' }])
    cpSync(path, killed, { recursive: true })
    await writer.waitForTask(taskUid)
    await writer.deleteDocuments('films', { ids: [3, 4] })
    await writer.close()
    // The beginnings of records that were never acknowledged.
    const manifest = readFileSync(join(killed, 'CURRENT'), 'latin1').trim()
    for (const log of [manifest, `tasks/${readdirSync(join(killed, 'tasks')).find(isLog)}`]) {
      appendFileSync(join(killed, log), Buffer.alloc(100))
    }
    const before = contentsOf(killed)
    const reader = await opened({ path: killed })
    expect((await reader.search('films', { q: 'ran' })).hits).toEqual([{ id: 3, title: 'Ran' }])
    const { status } = await reader.task(taskUid)
    const waited = await failure(reader.waitForTask(taskUid))
    expect(waited).toBe(status === 'succeeded' ? 'fine' : 'read_only_database')
    await reader.close()
    expect(contentsOf(killed)).toEqual(before)
  })

  it('creates nothing, and says what a folder without a database lacks', async () => {
    const none = join(root, 'none')
    await expect(opened({ path: none })).rejects.toThrow(/holds no database.*none is created/)
    expect(existsSync(none)).toBe(false)
    const both = open({ path, readOnly: true, upgrade: true }, null)
    expect(await failure(both)).toBe('invalid_options')
  })

  it('works in a folder that is read-only, where the advice names it', async () => {
    const locked = join(root, 'locked')
    cpSync(path, locked, { recursive: true })
    const names = contentsOf(locked).map(([name]) => join(locked, String(name)))
    for (const name of [root, ...names]) chmodSync(name, 0o555)
    // Permissions do not bind root.
    const isRoot = process.geteuid?.() === 0
    if (isRoot) process.seteuid?.(WITHOUT_RIGHTS)
    try {
      await expect(opened({ path: locked, readOnly: false })).rejects.toMatchObject({
        code: 'database_not_writable',
        message: expect.stringContaining('pass `readOnly: true` to search only'),
      })
      const reader = await opened({ path: locked })
      expect((await reader.search('films', { q: 'heat' })).hits).toEqual([FILMS[1]])
      await reader.close()
    } finally {
      if (isRoot) process.seteuid?.(0)
      for (const name of [root, ...names]) chmodSync(name, 0o755)
    }
  })
})

const isLog = (name: string): boolean => name.endsWith('.log')
