// Answers of HTTP/1.1 in any pieces, and bytes that are refused.
import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { type AnswerHead, AnswerParser, BadAnswer } from './answer-parser.ts'

type Read = { readonly head: AnswerHead | null; readonly body: string; readonly isWhole: boolean }

/** Reads `pieces`, then the end of the connection if `closes` is true. */
function read(pieces: readonly Buffer[], closes = false): Read {
  const body: Buffer[] = []
  const parser = new AnswerParser((chunk) => body.push(Buffer.from(chunk)))
  for (const piece of pieces) parser.read(piece)
  if (closes) parser.close()
  return {
    head: parser.head,
    body: Buffer.concat(body).toString('latin1'),
    isWhole: parser.isComplete,
  }
}

const one = (text: string, closes = false): Read => read([Buffer.from(text, 'latin1')], closes)

const LENGTH =
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nkeep-alive: max=3, timeout=75\r\nRetry-After: 7\r\n\r\nhello'
const CHUNKED =
  'HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n' +
  '3\r\nhel\r\n2;x="y"\r\nlo\r\n0\r\nTrailer: 1\r\n\r\n'
const INTERIM = `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n${LENGTH}`

it('reads a body of known length, in chunks, and after interim answers', () => {
  expect(one(LENGTH)).toEqual({
    head: { status: 200, location: null, retryAfter: '7', idleSeconds: 75, keepsAlive: true },
    body: 'hello',
    isWhole: true,
  })
  expect(one(CHUNKED)).toMatchObject({ head: { status: 404 }, body: 'hello', isWhole: true })
  expect(one(INTERIM)).toEqual(one(LENGTH))
})

it('reads a body that ends with the connection, which is not used again', () => {
  const text = 'HTTP/1.0 200 OK\r\n\r\nhello'
  expect(one(text).isWhole).toBe(false)
  expect(one(text, true)).toMatchObject({
    head: { keepsAlive: false },
    body: 'hello',
    isWhole: true,
  })
  const closing = one('HTTP/1.1 204 None\r\nConnection: x, Close\r\n\r\n')
  expect(closing).toMatchObject({ head: { keepsAlive: false }, isWhole: true })
})

test('pieces do not matter', () => {
  const cuts = fc.array(fc.nat(200), { maxLength: 20 })
  fc.assert(
    fc.property(fc.constantFrom(LENGTH, CHUNKED, INTERIM), cuts, (text, at) => {
      const bytes = Buffer.from(text)
      const all = [0, ...at.filter((n) => n < bytes.length).sort((a, b) => a - b), bytes.length]
      const pieces = all.slice(1).map((to, i) => bytes.subarray(all[i], to))
      expect(read(pieces)).toEqual(one(text))
    }),
  )
})

test.each([
  ['another protocol', 'SSH-2.0-x\r\n\r\n'],
  ['a later version', LENGTH.replace('1.1', '2.0')],
  ['a status of four digits', LENGTH.replace('200', '2000')],
  ['a switch of protocols', 'HTTP/1.1 101 Switching\r\n\r\n'],
  ['a folded header', LENGTH.replace('\r\nRetry', '\r\n Retry')],
  ['a space before the colon', LENGTH.replace('Length:', 'Length :')],
  ['a line feed in a header', LENGTH.replace(' 7', ' 7\nx')],
  ['a carriage return in a header', LENGTH.replace(' 7', ' 7\rx')],
  ['two lengths', LENGTH.replace('Retry-After: 7', 'Content-Length: 5')],
  ['a list of lengths', LENGTH.replace(': 5', ': 5, 5')],
  ['a negative length', LENGTH.replace(': 5', ': -5')],
  ['a length of another base', LENGTH.replace(': 5', ': 0x5')],
  ['a length that no number holds', LENGTH.replace(': 5', `: ${'9'.repeat(16)}`)],
  ['a length and chunks', CHUNKED.replace('\r\n\r\n', '\r\nContent-Length: 5\r\n\r\n')],
  ['another coding', CHUNKED.replace('chunked', 'gzip, chunked')],
  ['chunks of an older version', CHUNKED.replace('1.1', '1.0')],
  ['a chunk without a size', CHUNKED.replace('2;', ';')],
  ['a chunk with a sign', CHUNKED.replace('\r\n3\r\n', '\r\n+3\r\n')],
  ['a chunk that is longer than its size', CHUNKED.replace('hel', 'hell')],
  ['a trailer that is not a header', CHUNKED.replace('Trailer: 1', 'Trailer')],
  ['bytes after the answer', `${LENGTH}x`],
  ['a second answer', `${LENGTH}${LENGTH}`],
  ['a head without an end', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}`],
  ['too many trailers', CHUNKED.replace('Trailer: 1', 'Trailer: 1\r\n'.repeat(2000).trim())],
  ['too many interim answers', 'HTTP/1.1 100 Go on\r\n\r\n'.repeat(17)],
])('refuses %s', (_, text) => {
  expect(text).not.toBe(LENGTH)
  expect(() => one(text)).toThrow(BadAnswer)
})

test('an answer that is cut is refused when the connection ends', () => {
  for (const text of [LENGTH, CHUNKED]) {
    for (let at = 0; at < text.length; at++) {
      expect(() => one(text.slice(0, at), true), `${at}`).toThrow(BadAnswer)
    }
  }
})

test('random and damaged bytes are read or refused', () => {
  const damaged = fc
    .tuple(fc.constantFrom(LENGTH, CHUNKED, INTERIM), fc.nat(), fc.integer({ min: 1, max: 255 }))
    .map(([text, at, by]) => {
      const bytes = Buffer.from(text)
      bytes[at % bytes.length]! ^= by
      return bytes
    })
  const random = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))
  fc.assert(
    fc.property(fc.oneof(damaged, random), (bytes) => {
      try {
        // No more than the bytes given.
        expect(read([bytes], true).body.length).toBeLessThanOrEqual(bytes.length)
      } catch (error) {
        expect(error).toBeInstanceOf(BadAnswer)
      }
    }),
    { numRuns: 2000 },
  )
})
