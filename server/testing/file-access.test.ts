// The files that a server leaves on disk after every kind of work: closed to other users, and
// without secrets that are no longer needed.
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startServer, type TestServer } from './test-server.ts'

const EXPORT_KEY = 'marker-of-an-export-key'

let folder: string
let umask: number
beforeEach(() => {
  folder = fs.mkdtempSync(join(tmpdir(), 'svc-access-'))
  umask = process.umask(0)
})
afterEach(() => {
  process.umask(umask)
  fs.rmSync(folder, { recursive: true })
})

const options = () => ({
  DB_PATH: join(folder, 'db'),
  DUMP_DIR: join(folder, 'dumps'),
  SNAPSHOT_DIR: join(folder, 'snapshots'),
})

const pathsIn = (root: string): readonly string[] =>
  fs.readdirSync(root, { recursive: true }).map((path) => join(root, String(path)))

/** Returns the paths to which other users have any access. */
const openToOthers = (): readonly string[] =>
  pathsIn(folder).filter((path) => (fs.statSync(path).mode & 0o077) !== 0)

const holding = (secret: string): readonly string[] =>
  pathsIn(folder).filter(
    (path) => fs.statSync(path).isFile() && fs.readFileSync(path).includes(secret),
  )

async function workOfEveryKind({ ask, idle }: TestServer): Promise<void> {
  const done = async (method: string, path: string, body?: unknown): Promise<void> => {
    const { status } = await ask(method, path, body)
    expect([method, path, status]).toEqual([method, path, status < 300 ? status : 0])
    expect(openToOthers()).toEqual([])
    await idle()
    expect(openToOthers()).toEqual([])
  }
  const large = Array.from({ length: 2000 }, (_, id) => ({ id, text: `word${id} of a document` }))
  await done('POST', '/indexes/books/documents', [{ id: 1, title: 'x' }])
  await done('PUT', '/indexes/films/documents', large)
  await done('PATCH', '/indexes/books/settings', { filterableAttributes: ['title'] })
  await done('POST', '/swap-indexes', [{ indexes: ['books', 'films'] }])
  await done('POST', '/webhooks', { url: 'http://127.0.0.1:9/', headers: { authorization: 's' } })
  await done('POST', '/export', { url: 'ftp://nowhere', apiKey: EXPORT_KEY })
  await done('POST', '/dumps')
  await done('POST', '/snapshots')
  await done('DELETE', '/indexes/books')
  await done('POST', '/tasks/cancel?statuses=enqueued')
  await done('DELETE', '/tasks?types=dumpCreation')
}

test('gives access to the owner only, and keeps no key of a finished export', async () => {
  const server = await startServer(options())
  try {
    await workOfEveryKind(server)
    expect(holding(EXPORT_KEY)).toEqual([])
    expect(fs.readdirSync(join(folder, 'dumps'))).toHaveLength(1)
    expect(fs.readdirSync(join(folder, 'snapshots'))).toHaveLength(1)
  } finally {
    await server.stop()
  }
  expect(openToOthers()).toEqual([])
})

test('closes a database to other users at the next start', async () => {
  const first = await startServer(options())
  await first.ask('POST', '/indexes/books/documents', [{ id: 1 }])
  await first.idle()
  await first.stop()
  const database = join(folder, 'db')
  for (const path of [database, ...pathsIn(database)]) {
    fs.chmodSync(path, fs.statSync(path).isDirectory() ? 0o755 : 0o644)
  }
  const second = await startServer(options())
  expect(openToOthers()).toEqual([])
  expect((await second.ask('GET', '/indexes/books/documents')).body).toMatchObject({ total: 1 })
  await second.stop()
})
