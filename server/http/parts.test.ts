// The parts of the HTTP server that need no socket.
import { EventEmitter, once } from 'node:events'
import { Duplex } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../errors/index.ts'
import { masterKeyOnly } from './authorise.ts'
import { route } from './declare.ts'
import { encodingFor } from './messages/accept-encoding.ts'
import { documentType, requireJson } from './messages/content-type.ts'
import type { Route } from './messages/route.ts'
import { sizeForPeople, sizeInWords } from './messages/size-in-words.ts'
import { refuseUnread, statusOf } from './refused.ts'
import { Router } from './router.ts'
import { readTarget } from './target.ts'
import { cacheSessions } from './tls-sessions.ts'

const refusal = (action: () => unknown): ApiError => {
  try {
    action()
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError)
    return error as ApiError
  }
  throw new Error('it was not refused')
}

const CLOSED = { permits: 'x.get', body: 'none', query: null } as const

const at = (method: Route['method'], path: string): Route =>
  route(method, path, CLOSED, () => ({ status: 200 }))

describe('targets', () => {
  test.each([
    ['/', [], ''],
    ['', [], ''],
    ['/a/b', ['a', 'b'], ''],
    ['//a///b//?x=1', ['a', 'b'], 'x=1'],
    ['/a?b?c=d#e', ['a'], 'b?c=d'],
    ['/a#b?c', ['a'], ''],
    ['/%61%2fb/%', ['a/b', '%'], ''],
    ['/%C3%A9/%ff', ['é', '�'], ''],
    ['http://host:1/a?b', ['a'], 'b'],
    ['http://host', [], ''],
    ['?a', [], 'a'],
  ])('%j', (target, parts, query) => {
    expect(readTarget(target)).toEqual({ parts, query })
  })

  test('with more segments than any route match no route', () => {
    expect(readTarget('/a'.repeat(8)).parts).toHaveLength(8)
    expect(readTarget('/a'.repeat(9)).parts).toBeNull()
    expect(readTarget(`${'/'.repeat(1e5)}a`).parts).toEqual(['a'])
  })

  test('any text is one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const { parts, query } = readTarget(text)
        expect(text).toContain(query)
        for (const part of parts ?? []) expect(part).not.toBe('')
      }),
    )
  })
})

describe('the router', () => {
  const router = new Router([
    at('GET', '/'),
    at('GET', '/tasks'),
    at('GET', '/tasks/:uid'),
    at('DELETE', '/tasks'),
    at('POST', '/tasks/cancel'),
    at('GET', '/tasks/:uid/documents'),
    at('GET', '/indexes/:uid/documents/:id'),
    at('POST', '/indexes/:uid/documents/fetch'),
  ])
  const found = (path: string): string | null => {
    const match = router.match(readTarget(path).parts ?? [])
    return match === null ? null : `${match.resource.allow} ${JSON.stringify(match.params)}`
  }

  test.each([
    ['/', 'GET {}'],
    ['/tasks', 'GET, DELETE {}'],
    ['/tasks/12', 'GET {"uid":"12"}'],
    ['/tasks/cancel', 'POST {}'],
    ['/tasks/cancel/documents', 'GET {"uid":"cancel"}'],
    ['/tasks/cancel/other', null],
    ['/indexes/a/documents/fetch', 'POST {"uid":"a"}'],
    ['/indexes/fetch/documents/1', 'GET {"uid":"fetch","id":"1"}'],
    ['/indexes/a/documents', null],
    ['/Tasks', null],
    ['/__proto__', null],
  ])('%s', (path, expected) => {
    expect(found(path)).toBe(expected)
  })

  test('lists its routes in order and refuses a duplicate', () => {
    expect(router.routes).toHaveLength(8)
    expect(() => router.add(at('GET', '/tasks'))).toThrow(
      'a path can have only one route per method',
    )
    expect(() => router.add(at('PATCH', '/tasks/:other'))).toThrow('the same parameter names')
  })
})

describe('content types', () => {
  const DOCUMENTS = '`application/json`, `application/x-ndjson`, `text/csv`'

  test.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;x=y;',
    'application/json;x="a;b \\" c"',
    'application/vnd.api+json',
    'image/a+b+json',
  ])('%s is JSON', (header) => {
    requireJson(header)
  })

  test.each([
    '',
    'json',
    'text/csv',
    'application/jsonl',
    'application/json ; charset=utf-8',
    'application/json; charset',
    'application/json, application/json',
    '/json',
    `application/json;${'x=y;'.repeat(1000)}`,
  ])('%s is not', (header) => {
    const { code, message, status } = refusal(() => requireJson(header))
    expect([code, status]).toEqual(['invalid_content_type', 415])
    expect(message).toBe(
      `The Content-Type \`${header}\` is invalid. ` +
        'Accepted values for the Content-Type header are: `application/json`',
    )
  })

  test('a missing one is reported', () => {
    expect(refusal(() => requireJson(undefined)).message).toBe(
      'A Content-Type header is missing. ' +
        'Accepted values for the Content-Type header are: `application/json`',
    )
    expect(refusal(() => documentType(undefined)).message).toContain(DOCUMENTS)
  })

  test.each([
    ['application/json', 'application/json'],
    ['Application/X-NDJSON;a=b', 'application/x-ndjson'],
    ['text/csv; header=present', 'text/csv'],
  ])('%s is a type of documents', (header, type) => {
    expect(documentType(header)).toBe(type)
  })

  test.each([
    ['application/vnd.api+json', 'application/vnd.api'],
    ['image/svg+xml;x="y z"', 'image/svg'],
    ['text/html; charset=utf-8', 'text/html'],
    ['application/json ;charset=utf-8', 'application/json ;charset=utf-8'],
    ['a/b/c', 'a/b/c'],
    ['*/*', '*/*'],
    ['\u00e9/b', '\ufffd/b'],
    ['text/', 'text/'],
  ])('%s is not', (header, quoted) => {
    expect(refusal(() => documentType(header)).message).toBe(
      `The Content-Type \`${quoted}\` is invalid. ` +
        `Accepted values for the Content-Type header are: ${DOCUMENTS}`,
    )
  })
})

describe('accepted encodings', () => {
  test.each([
    [undefined, null],
    ['', null],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['deflate', 'deflate'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=0.8, br;q=0.3', 'gzip'],
    ['br;q=0', null],
    ['*', 'br'],
    ['*;q=0.5, br;q=0', 'gzip'],
    ['identity', null],
    ['identity;q=1, gzip;q=0.5', null],
    ['identity;q=0.5, gzip', 'gzip'],
    ['gzip;q=2', null],
    ['gzip;q=x', null],
    ['gzip ; Q = 1', 'gzip'],
    ['a'.repeat(300), null],
  ])('%s', (header, expected) => {
    expect(encodingFor(header)).toBe(expected)
    expect(encodingFor(header)).toBe(expected)
  })

  test('do not fill the memory', () => {
    for (let i = 0; i < 1000; i++) expect(encodingFor(`gzip;x=${i}`)).toBe('gzip')
  })
})

describe('authorisation', () => {
  const KEY = 'a-master-key-of-tests'
  const shut = masterKeyOnly(KEY)
  const open = masterKeyOnly(null)
  const guarded = at('GET', '/a')
  const MISSING = 'missing_authorization_header'

  test('admits a client with the key', () => {
    expect(shut(guarded, `Bearer ${KEY}`)).toMatchObject({ visible: null, mayCreateIndex: true })
    expect(shut({ ...guarded, permits: null }, undefined)).toEqual(open(guarded, undefined))
    const umlaut = masterKeyOnly('schlüssel-schlüssel')
    const sent = Buffer.from('schlüssel-schlüssel').toString('latin1')
    expect(umlaut(guarded, `Bearer ${sent}`).visible).toBeNull()
  })

  test.each([
    [undefined, MISSING],
    ['', MISSING],
    [KEY, MISSING],
    [`bearer ${KEY}`, MISSING],
    [`Bearer\t${KEY}`, MISSING],
    [`Basic ${KEY}`, MISSING],
    ['Bearer', 'invalid_api_key'],
    [`Bearer  ${KEY}`, 'invalid_api_key'],
    [`Bearer ${KEY}x`, 'invalid_api_key'],
    [`Bearer ${KEY.slice(1)}x`, 'invalid_api_key'],
    [`Bearer ${KEY.toUpperCase()}`, 'invalid_api_key'],
  ])('refuses %s', (header, code) => {
    expect(refusal(() => shut(guarded, header)).code).toBe(code)
  })

  test('without a key checks only the form of a header', () => {
    expect(open(guarded, 'Bearer anything').visible).toBeNull()
    expect(refusal(() => open(guarded, 'Basic x')).status).toBe(401)
    expect(refusal(() => open(guarded, 'Bearer')).status).toBe(403)
  })
})

describe('requests that the parser refused', () => {
  const router = new Router([at('GET', '/a')])
  const fault = (code: string, packet = '', bytesParsed = 0) =>
    statusOf(
      Object.assign(new Error(code), { code, rawPacket: Buffer.from(packet), bytesParsed }),
      router,
    )

  test('without their bytes are bad', () => {
    const found = Object.assign(new Error('x'), { code: 'HPE_INVALID_METHOD' })
    expect(statusOf(found, router)).toBe(400)
  })

  test.each([
    ['HPE_INVALID_METHOD', true, 'HTTP/1.1 400 Bad Request\r\n'],
    ['HPE_HEADER_OVERFLOW', true, 'HTTP/1.1 431 Request Header Fields Too Large\r\n'],
    ['ERR_HTTP_REQUEST_TIMEOUT', true, 'HTTP/1.1 408 Request Timeout\r\n'],
    ['ECONNRESET', true, ''],
    ['HPE_INVALID_METHOD', false, ''],
  ])('%s: an answer is written, and the socket ends', async (code, isWritable, start) => {
    let written = ''
    const socket = new Duplex({
      read: () => undefined,
      write: (chunk, _encoding, done) => {
        written += String(chunk)
        done()
      },
    })
    if (!isWritable) socket.end()
    refuseUnread(Object.assign(new Error(code), { code }), socket, router)
    await once(socket, 'close')
    expect(written.slice(0, start.length || 1)).toBe(start)
    if (start !== '') expect(written.toLowerCase()).toContain('\r\nconnection: close\r\n')
  })

  test.each([
    ['HPE_HEADER_OVERFLOW', '', 0, 431],
    ['ERR_HTTP_REQUEST_TIMEOUT', '', 0, 408],
    ['HPE_INVALID_VERSION', '', 0, 400],
    ['HPE_INVALID_METHOD', 'patch /a HTTP/1.1\r\n', 0, 405],
    ['HPE_INVALID_METHOD', 'PATCX /a HTTP/1.1\r\n', 4, 405],
    ['HPE_INVALID_METHOD', 'patch /b HTTP/1.1\r\n', 0, 404],
    ['HPE_INVALID_METHOD', 'GET /a HTTP/1.1\r\n\r\npatch /b HTTP/1.1\r\n', 19, 404],
    ['HPE_INVALID_METHOD', 'patch /a\r\n', 0, 400],
    ['HPE_INVALID_METHOD', '\u0000\u0001', 0, 400],
    ['HPE_INVALID_METHOD', 'patch /a HTTP/1.1', 0, 400],
    ['HPE_INVALID_METHOD', 'patch /a HTTP/2.0\r\n', 0, 400],
    ['HPE_INVALID_METHOD', `patch ${'/a'.repeat(9)} HTTP/1.0\n`, 0, 404],
    ['HPE_INVALID_METHOD', `patch /${'a'.repeat(8191)} HTTP/1.1\n`, 0, 404],
    ['HPE_INVALID_METHOD', `patch /${'a'.repeat(8192)} HTTP/1.1\n`, 0, 400],
    ['HPE_INVALID_METHOD', `${'p'.repeat(64)} /a HTTP/1.1\n`, 0, 405],
    ['HPE_INVALID_METHOD', `${'p'.repeat(65)} /a HTTP/1.1\n`, 0, 400],
    ['HPE_INVALID_METHOD', '\npatch /a HTTP/1.1\n', 1, 405],
  ])('%s %j', (code, packet, parsed, status) => {
    expect(fault(code, packet, parsed)).toBe(status)
  })
})

test.each([
  [0, '0 B', '0.00 B'],
  [1, '1 B', '1.00 B'],
  [1000, '1 KB', '1000.00 B'],
  [1024, '1 KiB', '1.00 KiB'],
  [2048, '2 KiB', '2.00 KiB'],
  [5000, '5 KB', '4.88 KiB'],
  [4999, '4.999 KB', '4.88 KiB'],
  [100_000_000, '100 MB', '95.37 MiB'],
  [10_485_760, '10 MiB', '10.00 MiB'],
  [1_258_291, '1.258291 MB', '1.20 MiB'],
  [3 * 1024 ** 3, '3 GiB', '3.00 GiB'],
])('%i bytes are %s', (bytes, words, people) => {
  expect(sizeInWords(bytes)).toBe(words)
  expect(sizeForPeople(bytes)).toBe(people)
})

test('the newest 256 TLS sessions can be resumed', () => {
  const server = new EventEmitter()
  cacheSessions(server as never)
  const idOf = (i: number): Buffer => Buffer.from([i >> 8, i & 255])
  let done = 0
  for (let i = 0; i < 257; i++)
    server.emit('newSession', idOf(i), Buffer.from(`${i}`), () => done++)
  const found: (string | null)[] = []
  for (const i of [0, 1, 256, 257]) {
    server.emit('resumeSession', idOf(i), (error: unknown, session: Buffer | null) =>
      found.push(error === null ? (session?.toString() ?? null) : 'error'),
    )
  }
  expect([done, found]).toEqual([257, [null, '1', '256', null]])
})
