// The parts of messages that need no socket: headers of both directions, sizes, and the time that a
// body has.
import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { KiB, MiB } from '../../../format/bytes/index.ts'
import { ApiError } from '../../errors/index.ts'
import { acceptsOnlyOne, encodingFor } from './accept-encoding.ts'
import { Arrival } from './arrival.ts'
import { BodyAccount, BodyShare } from './body-account.ts'
import { encodingOf, Unpacking } from './content-encoding.ts'
import { documentType, requireJson } from './content-type.ts'
import { preflight } from './cors.ts'
import { DECODER_BYTES, TIMEOUTS } from './limits.ts'
import { sizeForPeople, sizeInWords } from './size-in-words.ts'

const codeOf = (run: () => unknown): string => {
  try {
    run()
    return ''
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return error.code
  }
}

describe('an accepted encoding', () => {
  test.each([
    [undefined, null],
    ['gzip, deflate, br', 'br'],
    ['deflate, gzip', 'gzip'],
    ['gzip;q=0.8, br;q=0.3', 'gzip'],
    ['br;q=0', null],
    ['br;q=1, gzip;q=1.0', 'br'],
    ['*', 'br'],
    ['*;q=0.5, br;q=0', 'gzip'],
    ['identity;q=1, gzip;q=0.5', null],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0.5, gzip', 'gzip'],
    ['gzip;q=1.1', null],
    ['gzip;q=-1', null],
    ['gzip;x=0; Q = 1', 'gzip'],
    [`gzip;x=${'a'.repeat(249)}`, 'gzip'],
    [`gzip;x=${'a'.repeat(250)}`, null],
  ])('of %j is %j', (header, expected) => {
    expect([encodingFor(header), encodingFor(header)]).toEqual([expected, expected])
  })

  test.each([
    [undefined, false],
    [' GZIP ', true],
    ['br', true],
    ['gzip, br', false],
    ['identity', false],
  ])('is the only one of %j: %s', (header, isOnly) => {
    expect(acceptsOnlyOne(header)).toBe(isOnly)
  })
})

describe('a content type', () => {
  test.each([
    [undefined, 'missing_content_type', 'missing_content_type'],
    ['application/json', '', ''],
    ['Application/JSON; charset=utf-8', '', ''],
    ['application/vnd.api+json', '', 'invalid_content_type'],
    ['application/json+json', '', 'invalid_content_type'],
    ['application/json+xml', '', 'invalid_content_type'],
    ['application/x-ndjson', 'invalid_content_type', ''],
    ['text/csv', 'invalid_content_type', ''],
    ['application/json;', '', ''],
    ['application/json;x', 'invalid_content_type', 'invalid_content_type'],
    ['json', 'invalid_content_type', 'invalid_content_type'],
    [`application/json;x=${'y'.repeat(1005)}`, '', ''],
    [`application/json;x=${'y'.repeat(1006)}`, 'invalid_content_type', 'invalid_content_type'],
  ])('%#: %j', (header, ofJson, ofDocuments) => {
    expect(codeOf(() => requireJson(header))).toBe(ofJson)
    expect(codeOf(() => documentType(header))).toBe(ofDocuments)
  })

  test('of documents is named, and quoted without its suffix', () => {
    expect(documentType('TEXT/CSV;a=b')).toBe('text/csv')
    expect(() => documentType('image/svg+xml')).toThrow('The Content-Type `image/svg` is invalid')
    expect(() => requireJson('image/svg+xml')).toThrow('The Content-Type `image/svg+xml` is')
    expect(() => requireJson('text/é')).toThrow('`application/json`')
    expect(() => documentType(undefined)).toThrow(
      '`application/json`, `application/x-ndjson`, `text/csv`',
    )
  })
})

test('a preflight allows each method, and the headers that were asked for', () => {
  const METHODS = 'GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS, CONNECT, TRACE'
  const plain = ['Access-Control-Allow-Methods', METHODS, 'Access-Control-Max-Age', '86400']
  expect(preflight('PATCH', undefined)).toEqual({ allowed: true, headers: plain })
  expect(preflight('GET', 'a, b')).toEqual({
    allowed: true,
    headers: [...plain, 'Access-Control-Allow-Headers', 'a, b'],
  })
  expect(preflight('get', 'a')).toEqual({
    allowed: false,
    text: 'Requested method is not allowed',
  })
})

test.each([
  [0, '0 B', '0.00 B'],
  [999, '999 B', '999.00 B'],
  [1000, '1 KB', '1000.00 B'],
  [1023, '1.023 KB', '1023.00 B'],
  [1024, '1 KiB', '1.00 KiB'],
  [MiB, '1 MiB', '1.00 MiB'],
  [MiB - 1024, '1023 KiB', '1023.00 KiB'],
  [1e9, '1 GB', '953.67 MiB'],
  [2 * 1024 ** 5, '2 PiB', '2.00 PiB'],
  [2 * 1024 ** 6, '2048 PiB', '2048.00 PiB'],
])('%i bytes are %s', (bytes, words, people) => {
  expect([sizeInWords(bytes), sizeForPeople(bytes)]).toEqual([words, people])
})

describe('a compressed body', () => {
  const requestWith = (encoding?: string): IncomingMessage =>
    ({ headers: { 'content-encoding': encoding } }) as unknown as IncomingMessage

  test.each([
    [undefined, null],
    ['', null],
    [' Identity ', null],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    [' br', 'br'],
    ['deflate', 'deflate'],
  ])('%j is %j', (sent, encoding) => {
    expect(encodingOf(requestWith(sent))).toBe(encoding)
  })

  test('of another encoding is refused', () => {
    expect(() => encodingOf(requestWith(' Zstd '))).toThrow(
      expect.objectContaining({
        code: 'unsupported_media_type',
        message: expect.stringContaining('`Zstd` is not known'),
      }),
    )
  })

  // The first byte of a Brotli stream has the size of its window: RFC 7932, section 9.1.
  test.each([
    ['gzip', 0x1f, 0, 0],
    ['br', 0b0000_0000, 16 * MiB, 64 * KiB],
    ['br', 0b0000_0001, 16 * MiB, 128 * KiB],
    ['br', 0b0010_0001, 16 * MiB, 1 * KiB],
    ['br', 0b0111_0001, 16 * MiB, 32 * KiB],
    ['br', 0b0000_0011, 16 * MiB, 256 * KiB],
    ['br', 0b0000_1111, 16 * MiB, 16 * MiB],
  ] as const)(
    '%s with the first byte %i holds its window',
    async (encoding, first, before, after) => {
      const share = new BodyShare(new BodyAccount(64 * MiB, 1))
      const unpacking = await Unpacking.begin(encoding, share)
      expect(share.bytes).toBe(DECODER_BYTES + before)
      const request = {
        on: () => request,
        once: (_: string, see: (chunk: Uint8Array) => void) => {
          see(Uint8Array.of(first))
          return request
        },
        pipe: () => unpacking.decoder,
      } as unknown as IncomingMessage
      expect(unpacking.of(request)).toBe(unpacking.decoder)
      unpacking.count(1)
      expect(share.bytes).toBe(DECODER_BYTES + after)
      unpacking.count(MiB - 1)
      expect(share.bytes).toBe(DECODER_BYTES + after)
      expect(codeOf(() => unpacking.count(1))).toBe('payload_too_large')
      unpacking.decoder.destroy()
    },
  )
})

describe('a body that arrives', () => {
  const SECOND = 1000
  /** Checks every second; returns the second of the failure, or null if it arrives in time. */
  function failureOf(
    isLong: boolean,
    receivedAt: (second: number) => number,
    { isWanted = false, held = 1, isHeld = false } = {},
  ): readonly [second: number, message: string, status: number] | null {
    let second = 0
    const share = { isWanted, bytes: held } as BodyShare
    const arrival = new Arrival(TIMEOUTS, share, isLong, () => receivedAt(second))
    let failure: ApiError | null = null
    arrival.fail = (error) => {
      failure ??= error
    }
    arrival.isHeld = isHeld
    for (second = 1; second <= 100; second++) {
      arrival.check(SECOND)
      const { message, status } = (failure ?? {}) as Partial<ApiError>
      if (message !== undefined) return [second, message, status!]
    }
    return null
  }

  test('has a fixed time, or more for more bytes', () => {
    const slow = 'The body arrives slower than 1024 bytes a second.'
    expect(failureOf(false, (second) => second * MiB)).toEqual([
      31,
      'The body did not arrive within 30 seconds.',
      408,
    ])
    expect(failureOf(true, () => 0)).toEqual([31, slow, 408])
    expect(failureOf(true, () => 10 * KiB)).toEqual([41, slow, 408])
    expect(failureOf(true, (second) => second * KiB)).toBeNull()
    expect(failureOf(true, () => 0, { isHeld: true })).toBeNull()
  })

  test('may not be silent while others wait for its memory', () => {
    const silent = 'The body stopped arriving while other requests waited for its memory.'
    const wanted = { isWanted: true }
    expect(failureOf(true, () => 0, wanted)).toEqual([2, silent, 408])
    expect(failureOf(true, (second) => Math.min(second, 5) * MiB, wanted)).toEqual([7, silent, 408])
    expect(failureOf(true, (second) => Math.floor(second / 2) * 3 * KiB, wanted)).toBeNull()
    expect(failureOf(false, () => 5, { isWanted: true, held: 0 })?.[0]).toBe(31)
  })
})
