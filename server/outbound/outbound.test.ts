// Calls of servers of this process, and addresses that may and may not be called.
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { parseIpNetworks } from '../config/ip-networks.ts'
import { caller, mayCall } from './index.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const get = (url: string) =>
  ({ method: 'GET', url, headers: {}, body: null, timeoutMs: 500, signal: null }) as const

test('addresses that are not global may be called when they are listed', () => {
  const local = [
    ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '0.0.0.0'],
    ...['100.64.0.1', '192.0.0.8', '198.18.0.1', '203.0.113.9', '255.255.255.255', '240.0.0.1'],
    ...['::1', '::', 'fe80::1', 'fc00::1', '::ffff:127.0.0.1', '2001:db8::1', '2002::1'],
    ...['fe80::1%eth0', '64:ff9b:1::1', '2001::1', 'not an address'],
  ]
  const global = [
    ...['1.1.1.1', '172.32.0.1', '100.128.0.1', '192.0.0.9', '224.0.0.1', '198.20.0.1'],
    ...['2606:4700::1111', '2001:4860::8888', '2001:3::1', '2001:20::5', '64:ff9b::1'],
  ]
  for (const address of local)
    expect([address, mayCall(address, null, true)]).toEqual([address, false])
  for (const address of global)
    expect([address, mayCall(address, null, true)]).toEqual([address, true])
  const listed = parseIpNetworks(['127.0.0.0/8', 'fc00::/7'])
  expect(
    ['127.9.9.9', 'fd00::1', '::1', '10.0.0.1'].map((one) => mayCall(one, listed, true)),
  ).toEqual([true, true, false, false])
  // A mapped address counts as IPv4 where a client wrote it, not where a name server did.
  expect([true, false].map((literal) => mayCall('::ffff:127.0.0.1', listed, literal))).toEqual([
    true,
    false,
  ])
  expect(mayCall('127.0.0.1', 'any', true)).toBe(true)
})

test('a literal address and a name are both checked before anything is sent', async () => {
  let asked = 0
  const port = await serve((_, response) => {
    asked++
    response.end('x')
  })
  const send = caller(null)
  const hosts = ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]']
  for (const host of hosts) {
    const call = (async () => send(get(`http://${host}:${port}/`)))()
    await expect(call, host).rejects.toMatchObject({ kind: 'rejected' })
  }
  expect(asked).toBe(0)
  const listed = caller(parseIpNetworks(['127.0.0.0/8']))
  expect((await listed(get(`http://127.0.0.1:${port}/`))).status).toBe(200)
})

test('what is no http address is told apart from what cannot be reached', async () => {
  const send = caller('any')
  for (const url of ['', 'not a url', 'ftp://a/b', 'mailto:a@b', 'http://', '127.0.0.1:9']) {
    await expect((async () => send(get(url)))(), url).rejects.toMatchObject({ kind: 'address' })
  }
  const call = (async () => send(get('http://127.0.0.1:1')))()
  await expect(call).rejects.toMatchObject({ kind: 'unreachable' })
})

test('silence, a cut answer and an abort end a call', async () => {
  const port = await serve((request, response) => {
    if (request.url === '/cut') response.socket!.destroy()
  })
  const send = caller('any')
  for (const path of ['silent', 'cut']) {
    const call = send({ ...get(`http://127.0.0.1:${port}/${path}`), timeoutMs: 50 })
    await expect(call).rejects.toMatchObject({ kind: 'unreachable' })
  }
  const controller = new AbortController()
  const call = send({ ...get(`http://127.0.0.1:${port}/silent`), signal: controller.signal })
  controller.abort()
  await expect(call).rejects.toBeDefined()
})

test('redirects are followed where that is wanted, and every hop is checked', async () => {
  const seen: string[] = []
  const other = await serve((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? '-'}`)
    response.end('there')
  })
  const port = await serve((request, response) => {
    const [, status = '', to = ''] = request.url!.split('/')
    const target = to === 'away' ? `http://127.0.0.1:${other}/x` : '/301/loop'
    response.writeHead(Number(status), { location: target }).end()
  })
  const ask = (path: string, follows: boolean) =>
    caller(
      'any',
      follows,
    )({
      ...get(`http://127.0.0.1:${port}/${path}`),
      method: 'POST',
      body: Buffer.from('{}'),
      headers: { authorization: 'secret' },
    })
  expect((await ask('302/away', false)).status).toBe(302)
  expect((await ask('302/away', true)).status).toBe(200)
  expect((await ask('307/away', true)).status).toBe(200)
  expect(seen).toEqual(['GET /x -', 'POST /x -'])
  expect((await ask('302/loop', true)).status).toBe(301)
})
