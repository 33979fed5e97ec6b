// The secrets of webhooks, as clients see them.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../testing/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

test.each([
  ['authorization', 'Bearer abcdefghijklmnop', 'Bearer abXXXX...'],
  ['Authorization', 'abcdefghijklmnop', 'abXXXX...'],
  ['x-team', 'Bearer abcdefghijklmnop', 'Bearer abcdefghijklmnop'],
])('the header %s: %s is shown as %s', async (name, value, shown) => {
  const webhook = { url: 'https://shop.example/hook', headers: { [name]: value } }
  const { status, body } = await server.ask('POST', '/webhooks', webhook)
  expect(status).toBe(201)
  expect(body).toMatchObject({ isEditable: true, headers: { [name]: shown } })
  const { uuid } = body as { readonly uuid: string }
  expect((await server.ask('GET', `/webhooks/${uuid}`)).body).toEqual(body)
})
