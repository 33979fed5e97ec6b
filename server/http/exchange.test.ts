// Requests as their handlers and the log see them, and the order in which a route reads its inputs.
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { ApiError } from '../errors/index.ts'
import { EVERYTHING } from './authorise.ts'
import { route } from './declare.ts'
import type { Answered } from './log.ts'
import type { JsonBody, RawRequest, Route } from './messages/route.ts'
import { requestUid } from './request-uid.ts'
import { Router } from './router.ts'
import { HttpServer, type HttpServerOptions } from './server.ts'
import { bytesBody, RawClient, raw, type TestServer, testServer } from './test-http.ts'

const servers: TestServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop()
})

const OPEN = { permits: null, body: 'none', query: null } as const
const get = (path: string, headers = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`

describe('the ids of requests', () => {
  test.each([
    [0, '00000000-0000-7'],
    [1, '00000000-0001-7'],
    [0x123456789abc, '12345678-9abc-7'],
    [1_700_000_000_000, '018bcfe5-6800-7'],
  ])('at %i begin with %s', (now, start) => {
    const uid = requestUid(now)
    expect(uid.startsWith(start)).toBe(true)
    expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  test('differ, and use all variants and digits', () => {
    const uids = Array.from({ length: 500 }, () => requestUid(5))
    expect(new Set(uids).size).toBe(uids.length)
    expect(new Set(uids.map((uid) => uid[19])).size).toBe(4)
    for (const at of [15, 20, 24, 35]) expect(new Set(uids.map((uid) => uid[at])).size).toBe(16)
    expect(parseInt(requestUid().replace('-', '').slice(0, 12), 16) / Date.now()).toBeCloseTo(1, 6)
  })
})

describe('a route reads its inputs in order', () => {
  const log: string[] = []
  const request = {
    params: { id: '7' },
    query: 'q=1',
    caller: EVERYTHING,
    read: async (body: JsonBody) => {
      log.push('body')
      return body.read(new Uint8Array(2))
    },
  } as unknown as RawRequest
  const query = Object.assign(
    (text: string) => {
      log.push('query')
      return `read ${text}`
    },
    { parameters: [] },
  ) as never
  const precheck = (reply: { status: number } | null) => () => {
    log.push('precheck')
    return reply
  }
  const answered = async (rules: object): Promise<unknown> => {
    log.length = 0
    const row = route('GET', '/:id', { ...OPEN, ...rules }, (seen) => {
      expect(seen.context).toBe(request)
      const { params, query: read, body, caller } = seen as typeof seen & { readonly body: unknown }
      expect([params, caller]).toEqual([{ id: '7' }, EVERYTHING])
      return { status: 200, body: [read, body === request ? 'request' : body] }
    })
    expect(row).not.toHaveProperty('precheck')
    const reply = await row.handle(request)
    return [log.join(), reply.body]
  }

  test.each([
    [{}, ['', [null, null]]],
    [{ query }, ['query', ['read q=1', null]]],
    [{ precheck: precheck(null), query }, ['precheck,query', ['read q=1', null]]],
    [{ precheck: precheck({ status: 304 }), query }, ['precheck', undefined]],
    [{ query, body: bytesBody() }, ['query,body', ['read q=1', new Uint8Array(2)]]],
    [
      { query, body: bytesBody(), isBodyFirst: true },
      ['body,query', ['read q=1', new Uint8Array(2)]],
    ],
    [{ body: bytesBody(), isBodyFirst: true }, ['body', [null, new Uint8Array(2)]]],
    [{ query, body: 'documents' }, ['query', ['read q=1', 'request']]],
  ])('%o', async (rules, expected) => {
    expect(await answered(rules)).toEqual(expected)
  })
})

describe('a handler', () => {
  test('knows the client, the headers and a name of the request', async () => {
    const seen: unknown[] = []
    const look = route('GET', '/look', OPEN, ({ context }) => {
      const { uid, signal } = context
      seen.push([context.uid === uid, uid.length, context.address])
      seen.push(['x-one', 'set-cookie', 'x-none'].map((name) => context.header(name)))
      seen.push(context.signal === signal && !signal.aborted)
      return { status: 204 }
    })
    const server = await testServer([look])
    servers.push(server)
    await raw(server.port, get('/look', 'X-One: 1\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n'))
    expect(seen).toEqual([[true, 36, '127.0.0.1'], ['1', 'a, b', undefined], true])
  })

  test('is called with what compressed JSON decompresses to', async () => {
    const echo = route('POST', '/echo', { ...OPEN, body: bytesBody() }, ({ body }) => ({
      status: 200,
      body,
    }))
    const server = await testServer([echo])
    servers.push(server)
    const body = gzipSync('{"a":1}')
    const head =
      'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
      `Content-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`
    const answer = await raw(server.port, Buffer.concat([Buffer.from(head), body]))
    expect(answer?.body).toBe('{"a":1}')
  })
})

describe('the log', () => {
  const lines: Answered[] = []
  const failures: [string, string][] = []
  const ok: Route = route('GET', '/ok', OPEN, () => ({ status: 202 }))
  const wrong = route('GET', '/wrong', OPEN, () => {
    throw new ApiError('index_not_found', 'gone')
  })
  const broken = route('GET', '/broken', OPEN, () => {
    throw new TypeError('a defect')
  })
  const reading = (path: string): Route =>
    route('POST', path, { ...OPEN, body: bytesBody() }, () => ({ status: 200 }))
  const [secret, open] = [reading('/secret'), reading('/open')]
  const start = async (): Promise<number> => {
    lines.length = 0
    failures.length = 0
    const server = await testServer([ok, wrong, broken, secret, open], {
      log: {
        answered: (line) => void lines.push(line),
        failed: (row, error) => void failures.push([row.path, error.code]),
      },
      logsBody: (row) => row.path === '/open',
    })
    servers.push(server)
    return server.port
  }

  test.each([
    ['/ok', { route: ok, status: 202, error: null }, []],
    ['/wrong', { route: wrong, status: 404, error: { code: 'index_not_found' } }, []],
    ['/broken', { route: broken, status: 500, error: { code: 'internal' } }, [['/broken']]],
    ['/none', { route: null, status: 404, error: { code: 'route_not_found' } }, []],
  ])('has %s once', async (path, expected, failed) => {
    const port = await start()
    await raw(port, get(path))
    await expect.poll(() => lines.length).toBe(1)
    expect(lines).toMatchObject([{ ...expected, body: undefined, idleMs: 0 }])
    expect(lines[0]!.request.url).toBe(path)
    expect(failures.map(([row]) => [row])).toEqual(failed)
  })

  test.each(['/secret', '/open'])('has the time, and a body only on request: %s', async (path) => {
    const port = await start()
    const before = performance.now()
    await raw(
      port,
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
        'Content-Length: 2\r\n\r\n{}',
    )
    await expect.poll(() => lines.length).toBe(1)
    const { body, beganAt, millis, idleMs } = lines[0]!
    const isShown = path === '/open'
    expect(body === undefined ? null : String(Buffer.from(body as Uint8Array))).toBe(
      isShown ? '{}' : null,
    )
    expect(idleMs).toBeGreaterThan(0)
    expect(idleMs).toBeLessThanOrEqual(millis)
    expect(beganAt).toBeGreaterThan(before)
    expect(beganAt + millis).toBeLessThanOrEqual(performance.now())
  })
})

describe('a server', () => {
  const count = (): Route => {
    let calls = 0
    return route('GET', '/count', OPEN, () => ({ status: 200, body: { calls: ++calls } }))
  }
  const options = (routes: readonly Route[]): HttpServerOptions => ({
    router: new Router(routes),
    authorise: () => EVERYTHING,
    bodyBytesMax: 100,
    jsonBytesMax: 100,
    log: { failed: () => undefined, answered: () => undefined },
  })

  test('needs one address that the machine has', async () => {
    // An address for documentation (RFC 5737).
    const absent = { host: '192.0.2.1', port: 0 }
    await expect(new HttpServer(options([])).listen(absent)).rejects.toMatchObject({
      code: 'EADDRNOTAVAIL',
    })
    const server = await testServer([])
    servers.push(server)
    expect(await server.http.listen(absent)).toEqual(absent)
  })

  test('gives up a request that waits if its client leaves', async () => {
    const server = await testServer([])
    servers.push(server)
    await server.http.hold(0)
    const clients = [new RawClient(server.port), new RawClient(server.port)]
    for (const client of clients) client.write(get('/count'))
    await expect.poll(() => server.http.connections.open).toBe(2)
    clients[0]!.socket.resetAndDestroy()
    await expect.poll(() => server.http.connections.open).toBe(1)
    server.http.replace(options([count()]))
    expect((await clients[1]!.answer())?.body).toBe('{"calls":1}')
    clients[1]!.end()
  })
})
