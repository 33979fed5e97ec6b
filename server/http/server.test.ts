// The server over real sockets: paths, methods, framing, limits, and clients that misbehave.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  brotliCompressSync,
  brotliDecompressSync,
  deflateSync,
  gunzipSync,
  gzipSync,
} from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { ApiError } from '../errors/index.ts'
import { masterKeyOnly } from './authorise.ts'
import { route } from './declare.ts'
import { PIPELINED_MAX, PROBE_MS, TIMEOUTS } from './messages/limits.ts'
import type { BodySink, Route } from './messages/route.ts'
import { Router } from './router.ts'
import { bytesBody, RawClient, raw, type TestServer, testServer } from './test-http.ts'

const utf8 = new TextDecoder()
const servers: TestServer[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop()
})

const started = async (...parameters: Parameters<typeof testServer>): Promise<TestServer> => {
  const server = await testServer(...parameters)
  servers.push(server)
  return server
}

const OPEN = { permits: null, body: 'none', query: null } as const
const JSON_BODY = { permits: null, body: bytesBody(), query: null } as const
const DOCUMENTS = { permits: null, body: 'documents', query: null } as const

const echo: Route = route('POST', '/echo', JSON_BODY, ({ body }) => ({
  status: 200,
  body: { text: utf8.decode(body) },
}))
const thing: Route = route('GET', '/things/:thing', OPEN, ({ params }) => ({
  status: 200,
  body: params,
}))
const cancel: Route = route('POST', '/things/cancel', OPEN, () => ({ status: 204 }))
const bytes: Route = route('GET', '/bytes', OPEN, () => ({
  status: 200,
  body: new TextEncoder().encode(JSON.stringify({ hits: 'x'.repeat(2000) })),
}))

/** A sink that counts bytes, and can be made to wait or to refuse. */
const counter = () => {
  let total = 0
  let gate: Promise<void> = Promise.resolve()
  let refusal: Error | null = null
  const sink: BodySink = {
    write: async (chunk) => {
      total += chunk.length
      await gate
      if (refusal !== null) throw refusal
    },
  }
  return {
    sink,
    get total() {
      return total
    },
    hold: (until: Promise<void>) => {
      gate = until
    },
    refuse: (error: Error) => {
      refusal = error
    },
  }
}

const pouring = (count = counter()): Route =>
  route('POST', '/pour', DOCUMENTS, async ({ body }) => {
    await body.pour(count.sink)
    return { status: 202, body: { bytes: count.total } }
  })

const post = (path: string, body: string | Uint8Array, headers = ''): Uint8Array =>
  Buffer.concat([
    Buffer.from(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n`,
    ),
    Buffer.from(body),
  ])

const chunked = (path: string, chunks: readonly string[], headers = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
  `Transfer-Encoding: chunked\r\n${headers}\r\n` +
  chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('') +
  '0\r\n\r\n'

describe('paths and methods', () => {
  test.each([
    ['GET', '/things/a', 200, '{"thing":"a"}'],
    ['GET', '//things///a//', 200, '{"thing":"a"}'],
    ['GET', '/%74hings/a%2Fb', 200, '{"thing":"a/b"}'],
    ['GET', '/things/%', 200, '{"thing":"%"}'],
    ['GET', '/things/%zz', 200, '{"thing":"%zz"}'],
    ['GET', '/things/a?b=c', 200, '{"thing":"a"}'],
    ['GET', '/things/a#b', 200, '{"thing":"a"}'],
    ['GET', 'http://elsewhere/things/a', 200, '{"thing":"a"}'],
    ['POST', '/things/cancel', 204, ''],
    ['GET', '/things/cancel', 405, ''],
    ['DELETE', '/things/a', 405, ''],
    ['HEAD', '/things/cancel', 405, ''],
    ['OPTIONS', '/things/a', 405, ''],
    ['PURGE', '/things/a', 405, ''],
    ['patch', '/things/a', 405, ''],
    ['patch', '/nothing', 404, ''],
  ])('%s %s', async (method, path, status, body) => {
    const { port } = await started([thing, cancel])
    const answer = await raw(port, `${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    expect(answer).toMatchObject({ status, body })
    expect(answer!.headers['access-control-allow-origin']).toBe('*')
    expect(answer!.headers['vary']).toContain('Origin')
    if (status >= 400) expect(answer!.headers).not.toHaveProperty('content-type')
    if (status === 405 && method !== 'patch') expect(answer!.headers['allow']).toMatch(/GET|POST/)
  })

  test('a HEAD is answered like a GET, without content', async () => {
    const { url } = await started([thing, cancel])
    const [head, get] = await Promise.all(
      ['HEAD', 'GET'].map((method) => fetch(`${url}/things/a`, { method })),
    )
    expect([head!.status, await head!.text()]).toEqual([200, ''])
    expect(head!.headers.get('content-length')).toBe(get!.headers.get('content-length'))
    expect(await get!.json()).toEqual({ thing: 'a' })
  })

  test('a HEAD of a stream ends the stream', async () => {
    let isOpen = true
    const stream = {
      next: () => new Promise<never>(() => undefined),
      return: () => {
        isOpen = false
        return Promise.resolve({ done: true as const, value: undefined })
      },
    }
    const endless = route('GET', '/endless', { permits: null, body: 'none', query: null }, () => ({
      status: 200,
      pieces: { [Symbol.asyncIterator]: () => stream },
    }))
    const { url } = await started([endless])
    const answer = await fetch(`${url}/endless`, { method: 'HEAD' })
    expect([answer.status, await answer.text(), isOpen]).toEqual([200, '', false])
  })

  test('a HEAD of an unknown path has no body', async () => {
    const { url } = await started([thing, cancel])
    const answer = await fetch(`${url}/nothing`, { method: 'HEAD' })
    expect([answer.status, await answer.text()]).toEqual([404, ''])
  })

  test.each([
    ['GET', '/things'],
    ['GET', '/'],
    ['GET', '/things/a/b'],
    ['GET', '/a/b/c/d/e/f/g/h/i/j/k?q=1'],
    ['GET', '*'],
    ['POST', '/nothing'],
    ['OPTIONS', '/nothing'],
  ])('%s %s has no route', async (method, path) => {
    const { port } = await started([thing, cancel])
    const answer = await raw(port, `${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    expect(answer).toMatchObject({
      status: 404,
      headers: { 'content-type': 'application/json', 'access-control-allow-origin': '*' },
    })
    expect(JSON.parse(answer!.body)).toMatchObject({
      message: 'No route has this path.',
      code: 'route_not_found',
      type: 'invalid_request',
      link: expect.stringContaining('#route_not_found'),
    })
  })

  test.each([
    ['no request at all', 'hello\r\n\r\n', 400],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost x\r\n\r\n', 400],
    ['headers without an end', `GET / HTTP/1.1\r\nA: ${'a'.repeat(140_000)}\r\n\r\n`, 431],
    ['an address without an end', `GET /${'a'.repeat(140_000)} HTTP/1.1\r\n\r\n`, 431],
    ['two hosts', 'GET /things/a HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
    ['two hosts that agree', 'GET /echo HTTP/1.1\r\nHost: a\r\nhOST: a\r\n\r\n', 400],
    ['two lengths', 'POST /echo HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    [
      'a length and chunks',
      'POST /echo HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
    ],
    [
      'a chunk without a length',
      'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
        'Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\nzz\r\n1}\r\n0\r\n\r\n',
      400,
    ],
    [
      'a chunk longer than it says',
      'POST /pour HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n',
      400,
    ],
  ])('%s ends the connection', async (_name, request, status) => {
    const { port } = await started([echo, thing, pouring()])
    const client = new RawClient(port)
    client.write(request)
    expect(await client.answer()).toMatchObject({ status, body: '' })
    await client.closed()
  })

  test('a search may have a long URL', async () => {
    const { port } = await started([thing])
    const path = `/things/a?filter=${'a'.repeat(60_000)}`
    expect(await raw(port, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatchObject({
      status: 200,
    })
  })
})

describe('preflights', () => {
  const ask = async (headers: string, path = '/nothing') => {
    const { port } = await started([thing])
    return raw(port, `OPTIONS ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`)
  }

  test.each(['GET', 'PATCH', 'TRACE', 'CONNECT'])('%s is allowed', async (method) => {
    const answer = await ask(`Access-Control-Request-Method: ${method}\r\n`)
    expect(answer).toMatchObject({ status: 200, body: '' })
    expect(answer!.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-max-age': '86400',
    })
    const methods = answer!.headers['access-control-allow-methods']!.split(', ')
    expect(methods.sort().join()).toBe('CONNECT,DELETE,GET,HEAD,OPTIONS,PATCH,POST,PUT,TRACE')
    expect(answer!.headers).not.toHaveProperty('access-control-allow-headers')
  })

  test('requested headers are allowed', async () => {
    const answer = await ask(
      'Origin: https://a.example\r\nAccess-Control-Request-Method: PUT\r\n' +
        'Access-Control-Request-Headers: authorization, content-type\r\n',
      '/things/a',
    )
    expect(answer!.headers['access-control-allow-headers']).toBe('authorization, content-type')
    expect(answer!.headers).not.toHaveProperty('access-control-allow-credentials')
  })

  test('another method is not allowed', async () => {
    const answer = await ask('Access-Control-Request-Method: NOPE\r\n')
    expect(answer).toMatchObject({ status: 400, body: 'Requested method is not allowed' })
    expect(answer!.headers['content-type']).toMatch(/^text\/plain/)
  })
})

describe('JSON bodies', () => {
  const code = (body: string): string => (JSON.parse(body) as { code: string }).code

  test('are read by length, in chunks, in pieces', async () => {
    const { port } = await started([echo])
    expect((await raw(port, post('/echo', '{"a":1}')))!.body).toBe('{"text":"{\\"a\\":1}"}')
    expect((await raw(port, chunked('/echo', ['{"a"', ':1}'])))!.body).toBe(
      '{"text":"{\\"a\\":1}"}',
    )
    const client = new RawClient(port)
    for (const byte of post('/echo', '[1]')) {
      client.write(Uint8Array.of(byte))
      await sleep(0)
    }
    expect((await client.answer())!.body).toBe('{"text":"[1]"}')
    client.end()
  })

  test.each([
    ['gzip', gzipSync],
    ['GZip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (text: string) => Buffer.from(text)],
    ['x-gzip', gzipSync],
    ['', (text: string) => Buffer.from(text)],
  ])('are decompressed from %s', async (name, pack) => {
    const { port } = await started([echo])
    const request = post('/echo', pack('{"packed":true}'), `Content-Encoding: ${name}\r\n`)
    expect((await raw(port, request))!.body).toBe('{"text":"{\\"packed\\":true}"}')
  })

  test('are refused in an unknown encoding', async () => {
    const { port } = await started([echo])
    const answer = await raw(port, post('/echo', '{}', 'Content-Encoding: zstd\r\n'))
    expect(answer!.status).toBe(415)
    expect(JSON.parse(answer!.body).code).toBe('unsupported_media_type')
  })

  const flipped = gzipSync('{"packed":true}')
  flipped[flipped.length - 6]! ^= 1
  test.each([
    ['gzip', flipped, 'corrupt gzip stream does not have a matching checksum'],
    ['gzip', gzipSync('{"a":1}').subarray(0, 20), 'corrupt gzip stream does not have'],
    ['gzip', Buffer.from('{"a":1}'), 'invalid gzip header'],
    ['br', Buffer.from('{"a":1} no'), 'corrupt brotli stream'],
  ])('are refused when broken: %s', async (name, body, problem) => {
    const { port } = await started([echo])
    const client = new RawClient(port)
    client.write(post('/echo', body, `Content-Encoding: ${name}\r\n`))
    const answer = await client.answer()
    expect(answer!.status).toBe(400)
    expect(code(answer!.body)).toBe('bad_request')
    expect(answer!.body).toContain(problem)
    client.write(post('/echo', '[]'))
    expect((await client.answer())!.status).toBe(200)
    client.end()
  })

  test('the limit counts decoded bytes, with any framing', async () => {
    const { port } = await started([echo], { bodyBytesMax: 100 })
    const fits = JSON.stringify('x'.repeat(98))
    const tooLong = JSON.stringify('x'.repeat(99))
    expect((await raw(port, post('/echo', fits)))!.status).toBe(200)
    expect((await raw(port, chunked('/echo', [fits])))!.status).toBe(200)
    const answers = [
      await raw(port, post('/echo', tooLong)),
      await raw(port, chunked('/echo', [tooLong.slice(0, 60), tooLong.slice(60)])),
      await raw(port, post('/echo', gzipSync('[1]'.repeat(1e6)), 'Content-Encoding: gzip\r\n')),
    ]
    expect(answers.map((answer) => answer!.status)).toEqual([413, 413, 413])
    expect(answers.map((answer) => code(answer!.body))).toEqual(
      new Array(3).fill('payload_too_large'),
    )
    expect(answers[0]!.body).toContain(
      'JSON payload (101 bytes) is larger than allowed (limit: 100 bytes).',
    )
    expect(answers[1]!.body).toContain('JSON payload has exceeded limit (100 bytes).')
  })

  test('a refused body is discarded and the connection continues', async () => {
    const { port } = await started([echo], { bodyBytesMax: 100 })
    const client = new RawClient(port)
    client.write(post('/echo', 'x'.repeat(200_000)))
    expect((await client.answer())!.status).toBe(413)
    client.write(chunked('/echo', ['x'.repeat(300), 'y'.repeat(300)]))
    expect((await client.answer())!.status).toBe(413)
    client.write('GET /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody')
    expect((await client.answer())!.status).toBe(404)
    client.write(post('/echo', '[]'))
    expect((await client.answer())!.status).toBe(200)
    client.end()
  })

  test('a client that never ends a refused body is cut off', async () => {
    const { port } = await started([echo], {
      bodyBytesMax: 100,
      timeouts: { ...TIMEOUTS, stopMs: 200, drainMs: 50 },
    })
    const client = new RawClient(port)
    client.write(post('/echo', 'x'.repeat(200)).subarray(0, -1))
    expect((await client.answer())!.status).toBe(413)
    await client.closed()
  })
})

describe('bodies of documents', () => {
  test('are passed on as they arrive, and a slow sink delays the client', async () => {
    const count = counter()
    let release = (): void => undefined
    count.hold(new Promise((resolve) => (release = resolve)))
    const { port } = await started([pouring(count)], { bodyBytesMax: 1e9 })
    const client = new RawClient(port)
    const size = 30e6
    client.write(post('/pour', Buffer.alloc(size, 32)))
    while (count.total === 0) await sleep(5)
    await sleep(100)
    // Bytes that the sink has not accepted wait in the sockets of both ends, not in the process.
    expect(count.total).toBeLessThan(200_000)
    expect(client.socket.writableLength).toBeGreaterThan(size / 2)
    release()
    expect((await client.answer())!.body).toBe(`{"bytes":${size}}`)
    client.end()
  })

  test('of exactly the limit are accepted, larger ones are not', async () => {
    const body = 'x'.repeat(5000)
    const send = async (bodyBytesMax: number, request: string | Uint8Array) => {
      const { port } = await started([pouring()], { bodyBytesMax })
      return raw(port, request)
    }
    expect((await send(5000, post('/pour', body)))!.status).toBe(202)
    expect((await send(5000, chunked('/pour', [body])))!.status).toBe(202)
    const refused = await send(4999, post('/pour', body))
    expect(refused!.status).toBe(413)
    expect(refused!.body).toContain('The maximum accepted payload size is 4.999 KB.')
    expect((await send(4096, chunked('/pour', [body])))!.body).toContain('is 4 KiB.')
    const packed = gzipSync(Buffer.alloc(2e6))
    const bomb = await send(1e6, post('/pour', packed, 'Content-Encoding: gzip\r\n'))
    expect(bomb!.status).toBe(413)
    expect(bomb!.body).toContain('is 1 MB.')
  })

  test('a refusal waits for the end, so that a broken or too large body is reported first', async () => {
    const count = counter()
    count.refuse(new ApiError('malformed_payload', 'It is malformed.'))
    const { port } = await started([pouring(count)], { bodyBytesMax: 100 })
    const send = (request: string | Uint8Array) => raw(port, request)
    expect((await send(chunked('/pour', ['abc'])))!.body).toContain('It is malformed.')
    expect((await send(chunked('/pour', ['abc', 'x'.repeat(100)])))!.status).toBe(413)
    const broken = gzipSync('x'.repeat(90)).subarray(0, -4)
    expect((await send(post('/pour', broken, 'Content-Encoding: gzip\r\n')))!.body).toContain(
      'The provided payload is incomplete and cannot be parsed',
    )
  })

  test('a lost connection ends them', async () => {
    let ended: unknown = null
    const { port } = await started([
      route('POST', '/pour', DOCUMENTS, async ({ body }) => {
        await body.pour(counter().sink).catch((error: unknown) => {
          ended = error
        })
        return { status: 202 }
      }),
    ])
    const client = new RawClient(port)
    client.write(post('/pour', 'x'.repeat(1000)).subarray(0, -1))
    await sleep(20)
    client.end()
    while (ended === null) await sleep(5)
    expect(ended).toBeInstanceOf(ApiError)
    expect((ended as ApiError).code).toBe('bad_request')
  })

  test('are requested with 100 Continue when needed', async () => {
    const { port } = await started([pouring(), thing], { bodyBytesMax: 100 })
    const head = (path: string, length: number): string =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\n` +
      `Content-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`
    const client = new RawClient(port)
    client.write(head('/pour', 3))
    expect(await client.answer()).toMatchObject({ status: 100 })
    client.write('abc')
    expect(await client.answer()).toMatchObject({ status: 202, body: '{"bytes":3}' })
    client.write(head('/pour', 101))
    expect((await client.answer())!.status).toBe(413)
    client.end()
    const other = new RawClient(port)
    other.write(head('/nothing', 10))
    expect(await other.answer()).toMatchObject({ status: 404 })
    await other.closed()
  })
})

describe('answers', () => {
  test.each([
    ['br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip;q=1, br;q=0.5', 'gzip', gunzipSync],
  ])('are compressed for %s', async (accepts, encoding, unpack) => {
    const { url } = await started([bytes])
    // A client that does not decompress by itself.
    const client = new RawClient(Number(new URL(url).port))
    client.write(`GET /bytes HTTP/1.1\r\nHost: x\r\nAccept-Encoding: ${accepts}\r\n\r\n`)
    const answer = await client.answer()
    expect(answer!.headers['content-encoding']).toBe(encoding)
    expect(answer!.headers['vary']).toContain('Accept-Encoding')
    const text = unpack(Buffer.from(answer!.body, 'latin1')).toString()
    expect(text).toBe(JSON.stringify({ hits: 'x'.repeat(2000) }))
    client.end()
  })

  test.each(['', 'identity', 'zstd', 'br;q=0, gzip;q=0'])(
    'stay plain for `%s`',
    async (accepts) => {
      const { port } = await started([bytes, thing])
      const plain = await raw(
        port,
        `GET /bytes HTTP/1.1\r\nHost: x\r\nAccept-Encoding: ${accepts}\r\n\r\n`,
      )
      expect(plain!.headers).not.toHaveProperty('content-encoding')
      expect(plain!.headers['content-type']).toBe('application/json')
    },
  )

  test('short ones stay plain, unless the client names a single encoding', async () => {
    const { port } = await started([thing])
    const headersFor = async (accepts: string) => {
      const request = `GET /things/a HTTP/1.1\r\nHost: x\r\nAccept-Encoding: ${accepts}\r\n\r\n`
      return (await raw(port, request))!.headers
    }
    expect(await headersFor('gzip, deflate, br')).not.toHaveProperty('content-encoding')
    expect(await headersFor('br')).toMatchObject({ 'content-encoding': 'br' })
  })

  test('failures have bodies and a Retry-After header', async () => {
    const fail = (error: unknown): Route =>
      route('GET', '/fail', OPEN, () => {
        throw error
      })
    const get = 'GET /fail HTTP/1.1\r\nHost: x\r\n\r\n'
    const busy = await started([fail(new ApiError('too_many_search_requests', 'Busy.'))])
    const answer = await raw(busy.port, get)
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '10' } })
    const broken = await started([fail(new TypeError('a secret of the inside'))])
    const ours = await raw(broken.port, get)
    expect(ours!.status).toBe(500)
    expect(ours!.body).not.toContain('secret')
    expect(broken.failures).toHaveLength(1)
    const unwritable = await started([
      route('GET', '/fail', OPEN, () => ({ status: 200, body: () => 1 })),
    ])
    expect((await raw(unwritable.port, get))!.status).toBe(500)
  })
})

describe('connections', () => {
  test('answer pipelined requests in order', async () => {
    const slow = route('GET', '/slow', OPEN, async () => {
      await sleep(30)
      return { status: 200, body: 'slow' }
    })
    const { port } = await started([slow, thing])
    const client = new RawClient(port)
    const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
    client.write(get('/slow') + get('/things/a') + get('/slow') + get('/things/b'))
    const bodies = []
    for (let i = 0; i < 4; i++) bodies.push((await client.answer())!.body)
    expect(bodies).toEqual(['slow', '{"thing":"a"}', 'slow', '{"thing":"b"}'])
    client.end()
  })

  test('with too many pipelined requests are cut', async () => {
    let running = 0
    const never = route('GET', '/never', OPEN, () => {
      running++
      return new Promise<never>(() => undefined)
    })
    const { port } = await started([never])
    const client = new RawClient(port)
    client.write('GET /never HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(PIPELINED_MAX + 1))
    await client.closed()
    expect(running).toBe(1)
  })

  test('answer pipelined requests one at a time, in order', async () => {
    let running = 0
    let most = 0
    const counted = route('GET', '/counted/:n', OPEN, async ({ params }) => {
      most = Math.max(most, ++running)
      await sleep(Number(params.n) % 3)
      running--
      return { status: 200, body: { n: params.n } }
    })
    const { port } = await started([counted])
    const client = new RawClient(port)
    const numbers = Array.from({ length: 40 }, (_, n) => n)
    client.write(numbers.map((n) => `GET /counted/${n} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''))
    for (const n of numbers) {
      expect((await client.answer())?.body).toBe(JSON.stringify({ n: String(n) }))
    }
    expect(most).toBe(1)
    client.end()
  })

  test('that close their half get all outstanding answers', async () => {
    const slow = route('GET', '/slow', OPEN, async () => {
      await sleep(20)
      return { status: 200, body: 'late' }
    })
    const { port } = await started([slow, thing])
    const client = new RawClient(port)
    const requests = ['/slow', '/things/a', '/absent', '/slow']
    client.socket.end(requests.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''))
    for (const status of [200, 200, 404, 200]) expect((await client.answer())?.status).toBe(status)
    await client.closed()
  })

  test('that close their half and wait long are probed', async () => {
    const late = route('GET', '/late', OPEN, async () => {
      await sleep(1.5 * PROBE_MS)
      return { status: 200, body: 'late' }
    })
    const { port } = await started([late])
    const client = new RawClient(port)
    client.socket.end('GET /late HTTP/1.1\r\nHost: x\r\n\r\n')
    const statuses: (number | undefined)[] = []
    while (statuses.at(-1) !== 200) {
      const answer = await client.answer()
      expect(answer).not.toBeNull()
      statuses.push(answer?.status)
    }
    expect(statuses.slice(0, -1)).toContain(102)
  })

  test('report to handlers that the client has disconnected', async () => {
    let gone = 0
    const wait = route('GET', '/wait', OPEN, async ({ context: { signal } }) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      gone++
      return { status: 200 }
    })
    const { port } = await started([wait])
    const client = new RawClient(port)
    client.write('GET /wait HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2))
    await sleep(30)
    client.end()
    while (gone < 1) await sleep(5)
  })

  const impatient = { ...TIMEOUTS, stopMs: 200, headersMs: 50, idleMs: 60, checkMs: 20 }

  test('that never finish their headers end', async () => {
    const { port } = await started([thing], { timeouts: { ...impatient, idleMs: 60_000 } })
    const client = new RawClient(port)
    client.write('GET /things/a HTTP/1.1\r\nHost: x\r\n')
    expect(await client.answer()).toMatchObject({ status: 408 })
    await client.closed()
  })

  test('that never finish a body end, those that wait for the server do not', async () => {
    const slow = route('GET', '/slow', OPEN, async () => {
      await sleep(200)
      return { status: 200, body: 'late' }
    })
    const { port } = await started([pouring(), slow], { timeouts: impatient })
    const silent = new RawClient(port)
    silent.write(post('/pour', 'x'.repeat(100)).subarray(0, -1))
    const waiting = new RawClient(port)
    waiting.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
    await silent.closed()
    expect((await waiting.answer())!.body).toBe('late')
    waiting.end()
  })

  test('stopping lets running requests finish and accepts no new ones', async () => {
    let begun = false
    const slow = route('GET', '/slow', OPEN, async () => {
      begun = true
      await sleep(80)
      return { status: 200, body: 'done' }
    })
    const server = await testServer([slow, thing], { timeouts: TIMEOUTS })
    const busy = new RawClient(server.port)
    const idle = new RawClient(server.port)
    idle.write('GET /things/a HTTP/1.1\r\nHost: x\r\n\r\n')
    await idle.answer()
    busy.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
    while (!begun) await sleep(5)
    const stopped = server.stop()
    await idle.closed()
    expect((await busy.answer())!.body).toBe('done')
    await stopped
    expect(await raw(server.port, 'GET /things/a HTTP/1.1\r\nHost: x\r\n\r\n')).toBeNull()
  })

  test('stopping does not wait for clients that have sent nothing', async () => {
    const server = await testServer([thing], { timeouts: { ...TIMEOUTS, stopMs: 600_000 } })
    const [silent, idle] = [new RawClient(server.port), new RawClient(server.port)]
    idle.write('GET /things/a HTTP/1.1\r\nHost: x\r\n\r\n')
    await idle.answer()
    await expect.poll(() => server.http.connections.open).toBe(2)
    await server.stop()
    for (const client of [silent, idle]) await client.closed()
  })

  test('stopping has a time limit', async () => {
    const never = route('GET', '/never', OPEN, () => new Promise<never>(() => undefined))
    const server = await testServer([never])
    const client = new RawClient(server.port)
    client.write('GET /never HTTP/1.1\r\nHost: x\r\n\r\n')
    await sleep(30)
    await server.stop()
    await client.closed()
  })

  test('the server listens on all addresses of a name, and refuses a port in use', async () => {
    const { http } = await started([thing])
    const first = await http.listen({ host: 'localhost', port: 0 })
    expect(first.port).toBeGreaterThan(0)
    const answer = await fetch(`http://localhost:${first.port}/things/a`)
    expect(await answer.json()).toEqual({ thing: 'a' })
    await expect(http.listen({ host: '127.0.0.1', port: first.port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    })
  })
})

test('a compressed error is logged with its status', async () => {
  const failing = route('GET', '/long', OPEN, () => {
    throw new ApiError('index_not_found', 'a long message. '.repeat(200))
  })
  const statuses: number[] = []
  const log = {
    failed: () => undefined,
    answered: (one: { status: number }) => void statuses.push(one.status),
  }
  const { url } = await started([failing], { log })
  const answer = await fetch(`${url}/long`, { headers: { 'accept-encoding': 'gzip' } })
  expect([answer.status, answer.headers.get('content-encoding')]).toEqual([404, 'gzip'])
  await answer.text()
  await expect.poll(() => statuses).toEqual([404])
})

describe('a server whose engine is replaced', () => {
  test('lets requests wait, and answers them by the new routes', async () => {
    let finish = (): void => undefined
    const finished = new Promise<void>((resolve) => {
      finish = resolve
    })
    let begin = (): void => undefined
    const began = new Promise<void>((resolve) => {
      begin = resolve
    })
    const slow = route('GET', '/slow', OPEN, async () => {
      begin()
      await finished
      return { status: 200, body: { by: 'old' } }
    })
    const by = (name: string): Route =>
      route('GET', '/name', OPEN, () => ({ status: 200, body: { by: name } }))
    const server = await started([slow, by('old')])
    const nameOf = async (path: string): Promise<unknown> =>
      (await fetch(`${server.url}${path}`)).json()
    const running = nameOf('/slow')
    await began
    let isEmpty = false
    const held = server.http.hold(60_000).then(() => {
      isEmpty = true
    })
    const waiting = nameOf('/name')
    await sleep(30)
    expect(isEmpty).toBe(false)
    finish()
    expect(await running).toEqual({ by: 'old' })
    await held
    server.http.replace({
      router: new Router([by('new')]),
      authorise: masterKeyOnly(null),
      bodyBytesMax: 1000,
      jsonBytesMax: 1000,
      log: { failed: () => undefined, answered: () => undefined },
    })
    expect(await waiting).toEqual({ by: 'new' })
    expect(await nameOf('/name')).toEqual({ by: 'new' })
  })

  test('does not wait longer than its limit for a request that runs', async () => {
    const endless = route('GET', '/endless', OPEN, () => new Promise<never>(() => undefined))
    const server = await started([endless])
    const client = new RawClient(server.port)
    client.write('GET /endless HTTP/1.1\r\nhost: a\r\n\r\n')
    await server.http.hold(50)
    client.socket.destroy()
  })
})
