// Documents that expire, on a whole server with its threads and the clock of the machine.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from './test-server.ts'

const root = mkdtempSync(join(tmpdir(), 'svc-expiry-'))
let server: TestServer
beforeAll(async () => {
  server = await startServer({ DB_PATH: join(root, 'db') })
})
afterAll(async () => {
  await server.stop()
  rmSync(root, { recursive: true })
})

const ROUTE = '/indexes/offers/settings/expires-at-attribute'

const ids = async (body: object = {}): Promise<number[]> => {
  const { body: answer } = await server.ask('POST', '/indexes/offers/search', body)
  return (answer as { hits: { id: number }[] }).hits.map(({ id }) => id)
}

test('a document is gone from its moment on, without a task', async () => {
  expect((await server.ask('PUT', ROUTE, 'until')).status).toBe(202)
  const soon = Date.now() + 1500
  const documents = [
    { id: 1, title: 'lamp', until: new Date(soon).toISOString() },
    { id: 2, title: 'lamp', until: Math.floor(Date.now() / 1000) + 3600 },
    { id: 3, title: 'lamp', until: '2001-01-01T00:00:00Z' },
    { id: 4, title: 'lamp' },
  ]
  await server.ask('POST', '/indexes/offers/documents?primaryKey=id', documents)
  await server.idle()
  expect(await server.ask('GET', ROUTE)).toEqual({ status: 200, body: 'until' })
  if (Date.now() < soon) expect(await ids({ q: 'lamp' })).toEqual([1, 2, 4])
  while (Date.now() < soon) await new Promise((done) => setTimeout(done, 20))
  expect(await ids({ q: 'lamp' })).toEqual([2, 4])
  expect((await server.ask('GET', '/indexes/offers/documents/1')).status).toBe(404)
  const list = (await server.ask('GET', '/indexes/offers/documents')).body
  expect(list).toMatchObject({ total: 2 })
  const { body: tasks } = await server.ask('GET', '/tasks')
  expect(tasks).toMatchObject({ total: 2 })
})

test('compaction gives the space back', async () => {
  await server.ask('POST', '/indexes/offers/compact')
  await server.idle()
  const { body } = await server.ask('GET', '/indexes/offers/stats')
  expect(body).toMatchObject({ numberOfDocuments: 2 })
})

test('a write of an expired document begins anew', async () => {
  await server.ask('PUT', '/indexes/offers/documents', [{ id: 3, note: 'back' }])
  await server.idle()
  expect((await server.ask('GET', '/indexes/offers/documents/3')).body).toEqual({
    id: 3,
    note: 'back',
  })
})

test('the setting is shown while it is set, and refuses other values', async () => {
  const all = async () => (await server.ask('GET', '/indexes/offers/settings')).body
  expect(await all()).toMatchObject({ expiresAtAttribute: 'until' })
  expect(await server.ask('PUT', ROUTE, 5)).toMatchObject({
    status: 400,
    body: { code: 'invalid_settings_expires_at_attribute' },
  })
  await server.ask('DELETE', ROUTE)
  await server.idle()
  expect(await all()).not.toHaveProperty('expiresAtAttribute')
})
