// The database folder disappears while the server runs: the server acknowledges nothing that would
// be lost at the next start, health reports the problem, and searches continue.
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startServer, type TestServer } from './test-server.ts'

let folder: string
let server: TestServer
const database = (): string => join(folder, 'db')
beforeEach(async () => {
  folder = fs.mkdtempSync(join(tmpdir(), 'svc-lost-'))
  server = await startServer({ DB_PATH: database() })
  await server.ask('POST', '/indexes/books/documents', [{ id: 1, title: 'one' }])
  await server.idle()
})
afterEach(async () => {
  // A failed last write is not a failure of these tests.
  await server.stop().catch(() => undefined)
  fs.rmSync(folder, { recursive: true })
})

const AVAILABLE = { status: 200, body: { status: 'available' } }
const GONE = {
  status: 503,
  body: {
    status: 'unavailable',
    message: 'The database folder was removed, moved or replaced while the server was running.',
  },
}
const health = () => server.ask('GET', '/health')
const add = (id: number) => server.ask('POST', '/indexes/books/documents', [{ id, title: 'x' }])
const search = () => server.ask('POST', '/indexes/books/search', { q: 'one' })

async function expectRefusal(): Promise<void> {
  // A sound folder is not looked at again for some milliseconds.
  await expect.poll(health).toEqual(GONE)
  expect(await add(2)).toMatchObject({ status: 422, body: { code: 'io_error' } })
  const created = await server.ask('POST', '/indexes', { uid: 'films' })
  expect(created).toMatchObject({ status: 422, body: { code: 'io_error' } })
  expect(JSON.stringify(created.body)).not.toContain(folder)
  expect(await search()).toMatchObject({ status: 200, body: { hits: [{ id: 1 }] } })
  expect(await health()).toEqual(GONE)
}

test('refuses writes while the folder is moved away or replaced', async () => {
  expect(await health()).toEqual(AVAILABLE)
  const away = join(folder, 'away')
  fs.renameSync(database(), away)
  await expectRefusal()
  fs.cpSync(away, database(), { recursive: true })
  const before = fs.readFileSync(join(database(), 'tasks/tasks-000001.log'))
  await expectRefusal()
  expect(fs.readFileSync(join(database(), 'tasks/tasks-000001.log'))).toEqual(before)
  fs.rmSync(database(), { recursive: true })
  fs.renameSync(away, database())
  expect(await add(3)).toMatchObject({ status: 202 })
  await server.idle()
  expect(await health()).toEqual(AVAILABLE)
  const { body } = await server.ask('GET', '/indexes/books/documents')
  expect(body).toMatchObject({ results: [{ id: 1 }, { id: 3 }], total: 2 })
})

test('refuses writes when the folder is removed', async () => {
  fs.rmSync(database(), { recursive: true })
  await expectRefusal()
})
