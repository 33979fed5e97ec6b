// Answers as they are sent, and bodies as they are read, by a server.
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { route } from '../declare.ts'
import { bytesBody, RawClient, raw, type TestServer, testServer } from '../test-http.ts'
import type { Reply } from './route.ts'

let reply: Reply = { status: 200 }
let server: TestServer
const GET = { permits: null, body: 'none', query: null } as const

beforeAll(async () => {
  server = await testServer(
    [
      route('GET', '/a', GET, () => reply),
      route('POST', '/json', { ...GET, body: bytesBody() }, ({ body }) => ({
        status: 200,
        body: { bytes: body.length, sha: createHash('sha1').update(body).digest('hex') },
      })),
      route('POST', '/documents', { ...GET, body: 'documents' }, async ({ body }) => {
        const chunks: Uint8Array[] = []
        await body.pour({
          write: (chunk) => {
            chunks.push(chunk)
            return chunk[0] === 0x21 ? Promise.reject(new Error('refused')) : Promise.resolve()
          },
        })
        return { status: 200, body: { bytes: Buffer.concat(chunks).length } }
      }),
    ],
    { bodyBytesMax: 3000, jsonBytesMax: 2000 },
  )
})
afterAll(() => server.stop())

async function answerTo(found: Reply, encoding = '', method = 'GET') {
  reply = found
  const header = encoding === '' ? '' : `Accept-Encoding: ${encoding}\r\n`
  const answer = await raw(server.port, `${method} /a HTTP/1.1\r\nHost: a\r\n${header}\r\n`)
  return answer!
}

describe('an answer', () => {
  test('is JSON, bytes, or nothing', async () => {
    expect(await answerTo({ status: 200, body: { a: 'é' } })).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'application/json',
        'content-length': '10',
        'access-control-allow-origin': '*',
        vary: expect.stringContaining('Accept-Encoding'),
      },
      body: '{"a":"Ã©"}',
    })
    const text = { status: 201, body: 'x', contentType: 'text/plain', headers: ['A', 'b'] }
    expect(await answerTo(text)).toMatchObject({
      status: 201,
      headers: { 'content-type': 'text/plain', 'content-length': '1', a: 'b' },
      body: 'x',
    })
    expect((await answerTo({ status: 200, headers: ['A', 'b'] })).headers).toMatchObject({
      'content-length': '0',
      a: 'b',
    })
    for (const status of [204, 304]) {
      expect((await answerTo({ status })).headers).not.toHaveProperty('content-length')
    }
    const failed = await answerTo({ status: 200, body: () => 0 })
    expect([failed.status, JSON.parse(failed.body)]).toMatchObject([500, { code: 'internal' }])
  })

  test('that is busy or late says when to come back', async () => {
    const retryAfter = async (status: number) =>
      (await answerTo({ status, body: {} })).headers['retry-after']
    expect([await retryAfter(503), await retryAfter(504), await retryAfter(500)]).toEqual([
      '10',
      '1',
      undefined,
    ])
  })

  test.each([
    [255, 'gzip, br', undefined],
    [256, 'gzip, br', 'br'],
    [256, 'identity', undefined],
    [256, '', undefined],
    [1, 'gzip', 'gzip'],
  ])('of %i bytes for a client that accepts %j is sent as %s', async (length, accepted, sent) => {
    const body = 'x'.repeat(length)
    expect((await answerTo({ status: 200, body }, accepted)).headers['content-encoding']).toBe(sent)
  })

  test.each([
    [255, 'gzip', undefined],
    [256, 'gzip', 'gzip'],
    [256, '', undefined],
  ])('in parts, of %i bytes in all, for %j is sent as %s', async (length, accepted, sent) => {
    const parts = [Buffer.alloc(100, 'x'), Buffer.alloc(length - 100, 'y')]
    const answer = await answerTo({ status: 200, parts }, accepted)
    expect(answer.headers['content-encoding']).toBe(sent)
    const packed = Number(answer.headers['content-length'])
    if (sent === undefined) {
      expect(packed).toBe(length)
      expect(answer.body).toBe(Buffer.concat(parts).toString())
    } else expect(packed).toBeLessThan(length)
  })

  test('that is compressed beforehand is not compressed again', async () => {
    const packed = { gzip: Buffer.from('ready') }
    const body = 'x'.repeat(300)
    expect((await answerTo({ status: 200, body, packed }, 'gzip')).body).toBe('ready')
    expect((await answerTo({ status: 200, body, packed })).body).toBe(body)
    expect((await answerTo({ status: 200, body, packed }, 'br')).body).not.toBe('ready')
  })

  test('in pieces is sent as they come, and ends its source', async () => {
    let ends = 0
    const pieces = async function* () {
      try {
        yield 'a'
        yield Buffer.from('b')
      } finally {
        ends++
      }
    }
    reply = { status: 200, pieces: pieces(), contentType: 'text/event-stream', headers: ['A', 'b'] }
    const answer = await fetch(`${server.url}/a`)
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('a')]).toEqual([
      200,
      'text/event-stream',
      'b',
    ])
    expect(await answer.text()).toBe('ab')
    expect(ends).toBe(1)
  })

  /** Pieces that end with their reader, and the promise of that end. */
  function endless() {
    let end: () => void = () => undefined
    const ended = new Promise<void>((resolve) => (end = resolve))
    const pieces: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => {
        let count = 0
        return {
          next: () =>
            count++ === 0
              ? Promise.resolve({ done: false, value: 'a' })
              : new Promise(() => undefined),
          return: () => {
            end()
            return Promise.resolve({ done: true, value: undefined })
          },
        }
      },
    }
    return { pieces, ended }
  }

  test('in pieces has fillers for a client that closed its half, and ends when it leaves', async () => {
    const { pieces, ended } = endless()
    reply = { status: 200, pieces, filler: ';' }
    const client = new RawClient(server.port)
    let text = ''
    const arrived = new Promise<void>((resolve) => {
      client.socket.on('data', (chunk) => {
        text += chunk.toString()
        if (text.endsWith('\r\n1\r\na\r\n1\r\n;\r\n')) resolve()
      })
    })
    client.socket.end('GET /a HTTP/1.1\r\nHost: a\r\n\r\n')
    await arrived
    client.socket.destroy()
    await ended
  })

  test('in pieces is cut off by its signal', async () => {
    const { pieces, ended } = endless()
    const disconnect = new AbortController()
    reply = { status: 200, pieces, disconnect: disconnect.signal }
    const answer = await fetch(`${server.url}/a`)
    const reader = answer.body!.getReader()
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('a')
    disconnect.abort()
    await expect(reader.read()).rejects.toThrow('terminated')
    await ended
  })
})

describe('a body', () => {
  const send = async (path: string, body: Uint8Array, headers: object = {}) => {
    const answer = await fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: Buffer.from(body),
    })
    return { status: answer.status, ...((await answer.json()) as { message?: string }) }
  }
  /** Without an announced length. */
  const chunked = async (path: string, body: string) => {
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    const answer = await raw(server.port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`)
    return { status: answer!.status, ...(JSON.parse(answer!.body) as { message?: string }) }
  }

  test.each([
    ['/json', 2000, 'JSON payload (2001 bytes) is larger than allowed (limit: 2000 bytes).'],
    ['/documents', 3000, 'The maximum accepted payload size is 3 KB.'],
  ])('of %s may have %i bytes', async (path, most, message) => {
    expect(await send(path, Buffer.alloc(most, '7'))).toMatchObject({ status: 200, bytes: most })
    expect(await send(path, Buffer.alloc(most + 1, '7'))).toMatchObject({
      status: 413,
      code: 'payload_too_large',
      message: expect.stringContaining(message),
    })
    expect(await chunked(path, '7'.repeat(most))).toMatchObject({ status: 200, bytes: most })
    expect(await chunked(path, '7'.repeat(most + 1))).toMatchObject({
      status: 413,
      message: expect.stringContaining(path === '/json' ? 'exceeded limit (2000 bytes)' : message),
    })
  })

  test('of documents is unpacked as it arrives, up to its limit', async () => {
    const packed = (length: number) =>
      send('/documents', gzipSync(Buffer.alloc(length, '7')), { 'content-encoding': 'gzip' })
    expect(await packed(3000)).toMatchObject({ status: 200, bytes: 3000 })
    expect(await packed(3001)).toMatchObject({ status: 413, code: 'payload_too_large' })
    const broken = gzipSync(Buffer.alloc(100, '7')).subarray(0, 20)
    expect(await send('/documents', broken, { 'content-encoding': 'gzip' })).toMatchObject({
      status: 400,
      message: 'The provided payload is incomplete and cannot be parsed',
    })
  })

  test('is read to its end after a refusal, whose error comes second', async () => {
    expect(await send('/documents', Buffer.alloc(3000, '!'))).toMatchObject({ status: 500 })
    expect(await chunked('/documents', '!'.repeat(3001))).toMatchObject({ status: 413 })
  })
})
