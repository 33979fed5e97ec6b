// Calls of servers in this process, and addresses that may and may not be called.

import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { afterEach, expect, test } from 'vitest'
import { parseIpNetworks } from '../config/ip-networks.ts'
import type { Resolve } from './connections.ts'
import { caller } from './index.ts'
import { REDIRECTS_MAX } from './limits.ts'
import { mayCall } from './policy.ts'

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

test('local addresses may be called when they are listed', () => {
  const local = [
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '0.0.0.0',
    '100.64.0.1',
    '192.0.0.8',
    '198.18.0.1',
    '203.0.113.9',
    '255.255.255.255',
    '240.0.0.1',
    '::1',
    '::',
    'fe80::1',
    'fc00::1',
    '::ffff:127.0.0.1',
    '2001:db8::1',
    '2002::1',
    'fe80::1%eth0',
    '64:ff9b:1::1',
    '2001::1',
    'not an address',
    '64:ff9b::1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '::127.0.0.1',
    '::10.0.0.1',
    '::ffff:0:192.168.1.1',
    '2002:7f00:1::',
    '2001:0:a00:1::',
    '64:ff9b:1::10.0.0.1',
  ]
  const global = [
    '1.1.1.1',
    '172.32.0.1',
    '100.128.0.1',
    '192.0.0.9',
    '224.0.0.1',
    '198.20.0.1',
    '2606:4700::1111',
    '2001:4860::8888',
    '2001:3::1',
    '2001:20::5',
    '64:ff9b::1.1.1.1',
    '::1.1.1.1',
    '::ffff:0:8.8.8.8',
  ]
  for (const address of local)
    expect([address, mayCall(address, null, true)]).toEqual([address, false])
  for (const address of global)
    expect([address, mayCall(address, null, true)]).toEqual([address, true])
  const listed = parseIpNetworks(['127.0.0.0/8', 'fc00::/7'])
  expect(
    ['127.9.9.9', 'fd00::1', '::1', '10.0.0.1'].map((one) => mayCall(one, listed, true)),
  ).toEqual([true, true, false, false])
  // A mapped address counts as IPv4 in a URL, but not in a DNS answer.
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

test('an invalid address and an unreachable one are different errors', async () => {
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

test('the time limit covers the whole call, with any answer', async () => {
  const port = await serve((_, response) => {
    const timer = setInterval(() => response.write('x'), 5)
    response.on('close', () => clearInterval(timer))
  })
  const call = caller('any')({ ...get(`http://127.0.0.1:${port}/`), totalMs: 60 })
  await expect(call).rejects.toMatchObject({
    kind: 'unreachable',
    message: 'error sending request: operation timed out',
  })
  const loop = await serve((_, response) => {
    setTimeout(() => response.writeHead(301, { location: '/' }).end(), 20)
  })
  const around = caller('any', true)({ ...get(`http://127.0.0.1:${loop}/`), totalMs: 60 })
  await expect(around).rejects.toMatchObject({ kind: 'unreachable' })
})

test('a redirect to an address that may not be called ends the call', async () => {
  const port = await serve((request, response) => {
    const location = decodeURIComponent(request.url!.slice(1))
    response.writeHead(307, { location }).end()
  })
  const send = caller(parseIpNetworks(['127.0.0.1/32']), true)
  for (const to of ['http://127.0.0.2/', 'http://[::1]:9/', 'http://10.0.0.1/', 'http://0/']) {
    const call = send(get(`http://127.0.0.1:${port}/${encodeURIComponent(to)}`))
    await expect(call, to).rejects.toMatchObject({ kind: 'rejected' })
  }
  for (const to of ['ftp://127.0.0.1/', 'file:///etc/passwd', 'http://[fe80::1%25lo]/']) {
    const call = send(get(`http://127.0.0.1:${port}/${encodeURIComponent(to)}`))
    await expect(call, to).rejects.toMatchObject({ kind: 'address' })
  }
})

/** The table of ranges, parsed by an independent library. */
const LOCAL = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '198.18.0.0/15',
  '240.0.0.0/4',
  '255.255.255.255/32',
  '::/128',
  '::1/128',
  '::ffff:0:0/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2002::/16',
  '2001:db8::/32',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
]
const GLOBAL = [
  '192.0.0.9/32',
  '192.0.0.10/32',
  '2001:1::1/128',
  '2001:1::2/128',
  '2001:3::/32',
  '2001:4:112::/48',
  '2001:20::/28',
  '2001:30::/28',
]
/** The last 4 bytes are an IPv4 address, which is checked as well. */
const EMBEDDING = ['64:ff9b::/96', '::/96', '::ffff:0:0:0/96']
const isIn = (address: ipaddr.IPv4 | ipaddr.IPv6, ranges: readonly string[]): boolean =>
  ranges.some((range) => {
    const [base, bits] = ipaddr.parseCIDR(range)
    return base.kind() === address.kind() && address.match(base, bits)
  })

/** IPv4 addresses embedded in IPv6 ones. */
const embedded = (): fc.Arbitrary<Uint8Array> =>
  fc.tuple(fc.constantFrom(...EMBEDDING), bytesOf(4)).map(([range, inside]) => {
    const bytes = Uint8Array.from(ipaddr.parseCIDR(range)[0].toByteArray())
    bytes.set(inside, 12)
    return bytes
  })

/** Addresses near the limits of ranges, and random ones. */
const bytesOf = (count: 4 | 16): fc.Arbitrary<Uint8Array> => {
  const ranges = [...LOCAL, ...GLOBAL].map((range) => ipaddr.parseCIDR(range))
  const bases = ranges.filter(([base]) => base.toByteArray().length === count)
  const near = fc
    .tuple(fc.constantFrom(...bases), fc.integer({ min: -2, max: 2 }), fc.boolean())
    .map(([[base, bits], step, end]) => {
      let value = BigInt(`0x${Buffer.from(base.toByteArray()).toString('hex')}`)
      const width = BigInt(count * 8)
      if (end) value += 1n << (width - BigInt(bits))
      value = BigInt.asUintN(count * 8, value + BigInt(step))
      return Uint8Array.from(Buffer.from(value.toString(16).padStart(count * 2, '0'), 'hex'))
    })
  const anywhere = fc.uint8Array({ minLength: count, maxLength: count })
  return count === 4 ? fc.oneof(near, anywhere) : fc.oneof(near, anywhere, embedded())
}

test('addresses may be called as the table says, also at the limits of its ranges', () => {
  fc.assert(
    fc.property(fc.oneof(bytesOf(4), bytesOf(16)), (bytes) => {
      const address = ipaddr.fromByteArray([...bytes])
      const isGlobal = (one: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
        isIn(one, GLOBAL) || !isIn(one, LOCAL)
      const inside = ipaddr.fromByteArray([...bytes.subarray(-4)])
      const expected = isGlobal(address) && (!isIn(address, EMBEDDING) || isGlobal(inside))
      expect(mayCall(address.toString(), null, false)).toBe(expected)
    }),
    { numRuns: 2000 },
  )
})

test('a listed network allows only its own addresses', () => {
  const network = fc.oneof(
    fc.tuple(bytesOf(4), fc.integer({ min: 0, max: 32 })),
    fc.tuple(bytesOf(16), fc.integer({ min: 0, max: 128 })),
  )
  fc.assert(
    fc.property(network, fc.oneof(bytesOf(4), bytesOf(16)), ([base, bits], bytes) => {
      const zeroed = ipaddr.fromByteArray([...base])
      const kind = zeroed.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6
      const range = kind.networkAddressFromCIDR(`${zeroed}/${bits}`)
      const listed = parseIpNetworks([`${range}/${bits}`])
      const address = ipaddr.fromByteArray([...bytes])
      const isListed = address.kind() === range.kind() && address.match(range, bits)
      const inside = ipaddr.fromByteArray([...bytes.subarray(-4)])
      const isPassedOn = isIn(address, EMBEDDING) && !isIn(address, LOCAL)
      const isInside = isPassedOn && inside.kind() === range.kind() && inside.match(range, bits)
      const expected = isListed || isInside || mayCall(address.toString(), null, false)
      expect(mayCall(address.toString(), listed, false)).toBe(expected)
    }),
    { numRuns: 1000 },
  )
})

test('an address of this machine is recognised in every spelling', async () => {
  const send = caller(null)
  const part = (n: number): fc.Arbitrary<string> =>
    fc.constantFrom(String(n), `0x${n.toString(16)}`, `0${n.toString(8)}`)
  const spelling = fc.array(fc.nat(255), { minLength: 3, maxLength: 3 }).chain((rest) => {
    const bytes = [127, ...rest]
    const whole = bytes.reduce((value, byte) => value * 256 + byte, 0)
    const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')
    const mapped = `[::ffff:${hex.slice(0, 4)}:${hex.slice(4)}]`
    const dotted = fc.tuple(...bytes.map(part)).map((parts) => parts.join('.'))
    return fc.oneof(dotted, part(whole), fc.constantFrom(mapped, `[::ffff:${bytes.join('.')}]`))
  })
  await fc.assert(
    fc.asyncProperty(spelling, async (host) => {
      const call = (async () => send(get(`http://${host}:9/`)))()
      await expect(call, host).rejects.toMatchObject({ kind: 'rejected' })
    }),
    { numRuns: 200 },
  )
})

test('redirects are followed if configured, and every hop is checked', async () => {
  const seen: string[] = []
  const other = await serve((request, response) => {
    const { authorization = '-', cookie = '-', 'x-secret': custom = '-' } = request.headers
    const type = request.headers['content-type'] ?? '-'
    seen.push([request.method, request.url, authorization, cookie, custom, type].join(' '))
    response.end('there')
  })
  let hops = 0
  const port = await serve((request, response) => {
    const [, status = '', to = ''] = request.url!.split('/')
    hops++
    const target = to === 'away' ? `http://127.0.0.1:${other}/x` : '/301/loop'
    response.writeHead(Number(status), { location: target }).end()
  })
  const ask = (path: string, follows?: boolean) =>
    caller(
      'any',
      follows,
    )({
      ...get(`http://127.0.0.1:${port}/${path}`),
      method: 'POST',
      body: Buffer.from('{}'),
      headers: {
        authorization: 'secret',
        cookie: 'secret',
        'X-Secret': 'secret',
        'Content-Type': 'application/json',
      },
    })
  expect((await ask('302/away')).status).toBe(302)
  expect((await ask('302/away', true)).status).toBe(200)
  expect((await ask('307/away', true)).status).toBe(200)
  expect(seen).toEqual(['GET /x - - - -', 'POST /x - - - application/json'])
  hops = 0
  expect((await ask('302/loop', true)).status).toBe(301)
  expect(hops).toBe(1 + REDIRECTS_MAX)
})

test('a name that resolves differently the next time is checked each time', async () => {
  const seen: string[] = []
  const port = await serve((request, response) => {
    seen.push(request.url!)
    response.setHeader('connection', 'close')
    if (request.url === '/away') {
      response.writeHead(307, { location: `http://rebound.test:${port}/` }).end()
    } else response.end()
  })
  const answers = ['127.0.0.1', '127.0.0.1', '127.0.0.2', '127.0.0.1', '169.254.169.254']
  let asked = 0
  const resolve: Resolve = (_name, _options, callback) => {
    callback(null, [{ address: answers[asked++]!, family: 4 }])
  }
  const send = caller(parseIpNetworks(['127.0.0.1/32']), true, resolve)
  const call = (path: string) => send(get(`http://rebound.test:${port}${path}`))
  expect((await call('/a')).status).toBe(200)
  expect((await call('/b')).status).toBe(200)
  // A later call, and a redirect to the same name.
  await expect(call('/c')).rejects.toMatchObject({ kind: 'rejected' })
  await expect(call('/away')).rejects.toMatchObject({ kind: 'rejected' })
  expect([asked, seen]).toEqual([5, ['/a', '/b', '/away']])
})

test.each([
  [['127.0.0.1', '10.0.0.1']],
  // Only in a URL it counts as an IPv4 address.
  [['::ffff:127.0.0.1']],
])('a name is refused if one of its addresses may not be called: %j', async (found) => {
  let connections = 0
  const port = await serve((_, response) => {
    connections++
    response.end()
  })
  const addresses = found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  const resolve: Resolve = (_name, _options, callback) => callback(null, addresses)
  const send = caller(parseIpNetworks(['127.0.0.1/32']), false, resolve)
  await expect(send(get(`http://two.test:${port}/`))).rejects.toMatchObject({ kind: 'rejected' })
  expect(connections).toBe(0)
})
