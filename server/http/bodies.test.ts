// Bodies designed to cost the server more than the client: decompression bombs, bodies that never
// end, too many at the same time.

import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { UNPACK_RATIO_MAX } from '../unpack/limits.ts'
import { route } from './declare.ts'
import { TIMEOUTS } from './messages/limits.ts'
import type { JsonBody, Route } from './messages/route.ts'
import { bytesBody, RawClient, raw, type TestServer, testServer } from './test-http.ts'

const servers: TestServer[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop()
})

const started = async (
  options: Parameters<typeof testServer>[1],
  routes: readonly Route[] = [json, bulk, documents],
): Promise<TestServer> => {
  const server = await testServer(routes, options)
  servers.push(server)
  return server
}

const DOCUMENTS = { permits: null, body: 'documents', query: null } as const

const counting = (path: string, kind: JsonBody['kind']): Route =>
  route('POST', path, { permits: null, body: bytesBody(kind), query: null }, ({ body }) => ({
    status: 200,
    body: { bytes: body.length },
  }))
const json = counting('/json', 'json')
const bulk = counting('/bulk', 'bulkJson')
const documents: Route = route('POST', '/documents', DOCUMENTS, async ({ body }) => {
  let bytes = 0
  await body.pour({
    write: async (chunk) => {
      bytes += chunk.length
    },
  })
  return { status: 200, body: { bytes } }
})

const head = (path: string, length: number, headers = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
  `Content-Length: ${length}\r\n${headers}\r\n`

const post = (path: string, body: Uint8Array, headers = ''): Uint8Array =>
  Buffer.concat([Buffer.from(head(path, body.length, headers)), body])

const spaces = (bytes: number): Uint8Array => Buffer.alloc(bytes, 32)

/** A body without its last bytes. */
const unfinished = (path: string, bytes: number): Uint8Array =>
  Buffer.concat([Buffer.from(head(path, bytes + 10)), spaces(bytes)])

const brotli = (bytes: Uint8Array): Uint8Array =>
  brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 5,
      [constants.BROTLI_PARAM_LGWIN]: 24,
    },
  })

describe('JSON that is not documents', () => {
  const limits = { jsonBytesMax: 1000, bodyBytesMax: 5000 }

  test('has a separate limit, other bodies have the general one', async () => {
    const { port } = await started(limits)
    for (const [path, most] of [
      ['/json', 1000],
      ['/bulk', 5000],
      ['/documents', 5000],
    ] as const) {
      expect(await raw(port, post(path, spaces(most)))).toMatchObject({ status: 200 })
      const refused = await raw(port, post(path, spaces(most + 1)))
      expect(refused, path).toMatchObject({ status: 413 })
      expect(refused!.body).toContain('payload_too_large')
      const packed = post(path, gzipSync(spaces(most + 1)), 'Content-Encoding: gzip\r\n')
      expect(await raw(port, packed), path).toMatchObject({ status: 413 })
    }
  })

  test('is refused by its announced length, before it is sent', async () => {
    const { port } = await started(limits)
    const answer = await raw(port, head('/json', 1001))
    expect(answer!.body).toContain(
      'JSON payload (1001 bytes) is larger than allowed (limit: 1000 bytes).',
    )
  })

  test('never has a higher limit than bodies in general', async () => {
    const { port } = await started({ jsonBytesMax: 5000, bodyBytesMax: 1000 })
    expect(await raw(port, post('/json', spaces(1001)))).toMatchObject({ status: 413 })
  })
})

describe('compressed bodies', () => {
  const MB = 1e6
  const limits = { jsonBytesMax: 100 * MB, bodyBytesMax: 100 * MB }
  const list = (item: string): Uint8Array =>
    Buffer.from(`{"filter":[${new Array(3 * MB).fill(item).join()}]}`)

  test.each([
    ['empty lists with gzip', 'gzip', gzipSync(list('[]'))],
    ['empty objects with Brotli', 'br', brotli(list('{}'))],
    ['queries with gzip', 'gzip', gzipSync(list('{"indexUid":"x"}'))],
  ])('that are bombs are refused early: %s', async (_name, encoding, body) => {
    const { port } = await started(limits)
    for (const path of ['/json', '/bulk', '/documents']) {
      const answer = await raw(port, post(path, body, `Content-Encoding: ${encoding}\r\n`))
      expect(answer, path).toMatchObject({ status: 413 })
      expect(answer!.body).toContain(`decompresses to more than ${UNPACK_RATIO_MAX} times its size`)
    }
  })

  test('of mostly empty documents are accepted', async () => {
    const { port } = await started(limits)
    const lines = Array.from({ length: 20_000 }, (_, id) =>
      JSON.stringify({ id, title: '', overview: '', genres: [], poster: null, release: null }),
    )
    const text = Buffer.from(`${lines.join('\n')}\n`.repeat(3))
    for (const [encoding, packed] of [
      ['gzip', gzipSync(text, { level: 9 })],
      ['br', brotli(text)],
    ] as const) {
      expect(text.length / packed.length).toBeGreaterThan(20)
      const request = post('/documents', packed, `Content-Encoding: ${encoding}\r\n`)
      const answer = await raw(port, request)
      expect(answer!.body, encoding).toBe(`{"bytes":${text.length}}`)
    }
  })

  test('that are small may have any ratio', async () => {
    const { port } = await started(limits)
    const body = post('/json', brotli(spaces(MB)), 'Content-Encoding: br\r\n')
    expect(await raw(port, body)).toMatchObject({ status: 200 })
  })
})

describe('the memory of all bodies', () => {
  const limits = { jsonBytesMax: 1e6, bodyBytesMax: 1e6, bodyAccountBytes: 1e6 }
  const silent = (port: number, count: number, bytes: number): RawClient[] =>
    Array.from({ length: count }, () => {
      const client = new RawClient(port)
      client.write(unfinished('/json', bytes))
      return client
    })
  const end = (clients: readonly RawClient[]): void => {
    for (const client of clients) client.end()
  }

  test('is limited: more of them wait, then get an error to try again later', async () => {
    const { port } = await started({
      ...limits,
      timeouts: { ...TIMEOUTS, stopMs: 200, roomMs: 50 },
    })
    const clients = silent(port, 2, 400_000)
    await sleep(100)
    const refused = await raw(port, post('/json', spaces(400_000)))
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '10' } })
    expect(refused!.body).toContain('too_many_request_bodies')
    const search = await raw(port, post('/json', spaces(10_000)))
    expect(search).toMatchObject({ status: 200 })
    end(clients)
  })

  test('is released when connections end, and given to waiting bodies', async () => {
    const { port } = await started(limits)
    const clients = silent(port, 2, 400_000)
    await sleep(100)
    const waiting = raw(port, post('/json', spaces(900_000)))
    await sleep(100)
    end(clients)
    expect(await waiting).toMatchObject({ status: 200 })
    for (let i = 0; i < 5; i++) {
      expect(await raw(port, post('/json', spaces(990_000)))).toMatchObject({ status: 200 })
    }
  })

  test('is taken from silent bodies when others need it', async () => {
    const timeouts = { ...TIMEOUTS, stopMs: 200, paceMs: 20, silentMs: 60 }
    const { port } = await started({ ...limits, timeouts })
    const clients = silent(port, 2, 400_000)
    await sleep(100)
    expect(await raw(port, post('/json', spaces(900_000)))).toMatchObject({ status: 200 })
    const answer = await clients[0]!.answer()
    expect(answer).toMatchObject({ status: 408 })
    expect(answer!.body).toContain('while other requests waited for its memory')
    end(clients)
  })

  test('is not held by compressed JSON that never ends', async () => {
    const { port } = await started(limits)
    const clients = Array.from({ length: 20 }, () => {
      const client = new RawClient(port)
      const body = brotli(spaces(9e5))
      client.write(head('/json', body.length + 10, 'Content-Encoding: br\r\n'))
      client.write(body)
      return client
    })
    await sleep(100)
    expect(await raw(port, post('/json', spaces(990_000)))).toMatchObject({ status: 200 })
    end(clients)
  })

  test('counts decoders too', async () => {
    const timeouts = { ...TIMEOUTS, stopMs: 200, roomMs: 50 }
    const { port } = await started({ ...limits, bodyAccountBytes: 18e6, timeouts })
    const client = new RawClient(port)
    client.write(head('/documents', 100, 'Content-Encoding: br\r\n'))
    await sleep(100)
    const packed = brotli(spaces(1e6))
    const request = post('/documents', packed, 'Content-Encoding: br\r\n')
    expect(await raw(port, request)).toMatchObject({ status: 503 })
    client.end()
    await sleep(100)
    expect(await raw(port, request)).toMatchObject({ status: 200 })
  })
})

describe('slow bodies', () => {
  const timeouts = { ...TIMEOUTS, stopMs: 200, bodyMs: 100, paceMs: 20, drainMs: 50 }

  /** Writes a body two bytes at a time with pauses of `pauseMs`, until the answer arrives. */
  const dribble = async (port: number, path: string, pauseMs: number): Promise<number> => {
    const client = new RawClient(port)
    client.write(head(path, 1e5))
    let status: number | null = null
    void client.answer().then((answer) => {
      status = answer?.status ?? 0
    })
    while (status === null) {
      client.write('  ')
      await sleep(pauseMs)
    }
    await client.closed()
    return status
  }

  test.each(['/json', '/bulk', '/documents'])('end after a timeout: %s', async (path) => {
    const { port } = await started({ timeouts })
    expect(await dribble(port, path, 10)).toBe(408)
  })

  test('get more time for more bytes, where bodies may be long', async () => {
    const { port } = await started({ timeouts })
    const client = new RawClient(port)
    client.write(head('/documents', 30_000))
    for (let i = 0; i < 30; i++) {
      client.write(spaces(1000))
      await sleep(20)
    }
    expect(await client.answer()).toMatchObject({ status: 200 })
    client.end()
  })

  test('are not ended while they wait for the server', async () => {
    const slow: Route = route('POST', '/slow', DOCUMENTS, async ({ body }) => {
      await body.pour({ write: () => sleep(400) })
      return { status: 200 }
    })
    const { port } = await started({ timeouts }, [slow])
    expect(await raw(port, post('/slow', spaces(10)))).toMatchObject({ status: 200 })
  })
})

test('a body of single bytes arrives in one piece', async () => {
  const { port } = await started({})
  const text = Array.from({ length: 3000 }, () => '1\r\n \r\n').join('')
  const request =
    'POST /json HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
    `Transfer-Encoding: chunked\r\n\r\n${text}0\r\n\r\n`
  expect((await raw(port, request))!.body).toBe('{"bytes":3000}')
})
