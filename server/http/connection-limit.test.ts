// The limit of connections: how it follows from the descriptors of the process, and which
// connection is closed beyond it.
import { afterEach, describe, expect, test } from 'vitest'
import { connectionsMax, descriptorsMax } from './connection-limit.ts'
import { route } from './declare.ts'
import { CONNECTIONS_MAX, CONNECTIONS_MIN } from './messages/limits.ts'
import { RawClient, type TestServer, testServer } from './test-http.ts'

describe('the number of connections', () => {
  test.each([
    [40, 2, CONNECTIONS_MIN],
    [128, 2, 24],
    [1024, 2, 472],
    [1024, 64, 224],
    [65_536, 8, CONNECTIONS_MAX],
    [Number.POSITIVE_INFINITY, 2, CONNECTIONS_MAX],
    [null, 2, 5080],
  ])('with %s descriptors and %s processors is %s', (descriptors, processors, count) => {
    expect(connectionsMax(descriptors, processors)).toBe(count)
  })

  test('is read from the limits of the process', () => {
    const limits = (soft: string): string =>
      `Limit                     Soft Limit           Hard Limit           Units     \n` +
      `Max processes             127326               127326               processes \n` +
      `Max open files            ${soft.padEnd(20)} 20000                files     \n`
    expect(descriptorsMax(() => limits('512'))).toBe(512)
    expect(descriptorsMax(() => limits('unlimited'))).toBe(Number.POSITIVE_INFINITY)
    expect(descriptorsMax(() => '')).toBeNull()
    if (process.platform === 'linux') expect(descriptorsMax()).toBeGreaterThan(0)
  })
})

describe('beyond the limit', () => {
  let server: TestServer
  const clients: RawClient[] = []
  const releases: (() => void)[] = []
  afterEach(async () => {
    for (const release of releases.splice(0)) release()
    for (const client of clients.splice(0)) client.socket.destroy()
    await server.stop()
  })

  const OPEN = { permits: null, body: 'none', query: null } as const
  const quick = route('GET', '/quick', OPEN, () => ({ status: 200, body: 'quick' }))
  const slow = route('GET', '/slow', OPEN, async () => {
    await new Promise<void>((resolve) => releases.push(resolve))
    return { status: 200, body: 'slow' }
  })
  const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
  const opened = (bytes: string): RawClient => {
    const client = new RawClient(server.port)
    clients.push(client)
    client.write(bytes)
    return client
  }
  const answered = async (): Promise<RawClient> => {
    const client = opened(get('/quick'))
    expect((await client.answer())?.body).toBe('quick')
    return client
  }

  test('the connection that has been idle for longest is closed', async () => {
    server = await testServer([quick], { connectionsMax: 2 })
    const [first, second] = [await answered(), await answered()]
    first.write(get('/quick'))
    await first.answer()
    await answered()
    await expect.poll(() => second.isClosed).toBe(true)
    expect(first.isClosed).toBe(false)
    expect(server.http.connections).toEqual({ open: 2, dropped: 1 })
  })

  test('unfinished headers do not hold a connection', async () => {
    server = await testServer([quick], { connectionsMax: 3 })
    for (let i = 0; i < 20; i++) opened('GET /quick HTTP/1.1\r\n')
    await expect.poll(() => server.http.connections.dropped).toBe(17)
    await answered()
  })

  test('the new connection is closed if all others have requests', async () => {
    server = await testServer([quick, slow], { connectionsMax: 2 })
    const busy = [opened(get('/slow')), opened(get('/slow'))]
    await expect.poll(() => releases.length).toBe(2)
    const refused = opened(get('/quick'))
    await expect.poll(() => refused.isClosed).toBe(true)
    for (const release of releases) release()
    for (const client of busy) expect((await client.answer())?.body).toBe('slow')
  })
})
