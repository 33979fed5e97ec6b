// Requests between instances whose releases use different protocols.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../test-server.ts'
import { PROTOCOL_VERSION } from './calls/headers.ts'

let server: TestServer

beforeAll(async () => {
  server = await startServer()
  await server.ask('POST', '/indexes/films/documents', [{ id: 1 }])
  await server.idle()
})

afterAll(() => server.stop())

const REQUESTS = [
  ['GET', '/health', null],
  ['POST', '/indexes/films/documents', '[{"id":2}]'],
  ['POST', '/multi-search', '{"queries":[]}'],
  ['POST', '/network/control', 'not even JSON'],
] as const

test.each(REQUESTS)('refuses %s %s of another protocol', async (method, path, body) => {
  const send = (protocol: string) =>
    fetch(server.url + path, {
      method,
      body,
      headers: { 'content-type': 'application/json', 'svc-proxy-protocol': protocol },
    })
  for (const protocol of [String(PROTOCOL_VERSION + 1), '0', 'x'.repeat(1000)]) {
    const answer = await send(protocol)
    expect(answer.status).toBe(503)
    const { code, message } = (await answer.json()) as { code: string; message: string }
    expect(code).toBe('network_protocol_mismatch')
    expect(message).toContain('run the same release on all instances')
    expect(message.length).toBeLessThan(300)
  }
  expect((await send(String(PROTOCOL_VERSION))).status).not.toBe(503)
})

test('does not run any part of a refused request', async () => {
  await server.idle()
  const { body } = await server.ask('GET', '/tasks?statuses=failed')
  expect(body).toMatchObject({ total: 0 })
})
