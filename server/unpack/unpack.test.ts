// Decompression of whole bodies: the result, the refusals and their messages.

import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { MiB } from '../../format/bytes/index.ts'
import { fillsNoWindow, isEncoding, unpack, unpackedBytesMax } from './index.ts'
import { UNPACK_RATIO_MAX } from './limits.ts'
import { isDecodingError } from './problems.ts'

const PACK = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync } as const
const MB = 1_000_000
const CHECKSUM = 'corrupt gzip stream does not have a matching checksum'
const [HEADER, DEFLATE, BROTLI] = [
  'invalid gzip header',
  'corrupt deflate stream',
  'corrupt brotli stream',
]
/** For a damaged start, a missing end, a damaged middle and a damaged checksum. */
const REASONS = {
  gzip: [HEADER, CHECKSUM, DEFLATE, CHECKSUM],
  deflate: [HEADER, CHECKSUM, DEFLATE, CHECKSUM],
  br: [BROTLI, BROTLI, BROTLI, BROTLI],
} as const
const noise = (bytes: number): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, i) => (Math.imul(i + 1, 0x9e3779b1) >>> 24) & 255)

describe.each(['gzip', 'deflate', 'br'] as const)('%s', (encoding) => {
  const pack = PACK[encoding]

  test.each([0, 1, 70_000, MB])('gives back %i bytes', (bytes) => {
    const body = noise(bytes)
    expect(Buffer.from(unpack(pack(body), { encoding, bytesMax: MB })).equals(body)).toBe(true)
  })

  test('stops at the number of bytes wanted', () => {
    const packed = pack(noise(70_000))
    expect(unpack(packed, { encoding, bytesMax: MB }, 69_999)).toBe(null)
    expect(unpack(packed, { encoding, bytesMax: MB }, 70_000)!.length).toBe(70_000)
  })

  test('is refused above the limit, and above the ratio', () => {
    const body = pack(noise(70_000))
    expect(() => unpack(body, { encoding, bytesMax: 69_999 })).toThrow(
      'JSON payload has exceeded limit (69999 bytes).',
    )
    expect(() => unpack(body, { encoding, bytesMax: 69_999 }, 100)).not.toThrow()
    const bomb = pack(new Uint8Array(5 * MB))
    expect(() => unpack(bomb, { encoding, bytesMax: 10 * MB })).toThrow(
      `decompresses to more than ${UNPACK_RATIO_MAX} times its size`,
    )
  })

  test('that is damaged is refused with the reason', () => {
    const packed = Buffer.from(pack(noise(1000)))
    const end = packed.length
    const damaged = [
      packed.fill(0xff, 0, 40),
      pack(noise(1000)).subarray(0, -5),
      Buffer.from(pack(noise(1000))).fill(0xff, 20, 60),
      Buffer.from(pack(noise(1000))).fill(0x5a, end - 6, end - 2),
    ]
    const reasons = damaged.map((body) => {
      try {
        unpack(body, { encoding, bytesMax: MB })
        return null
      } catch (error) {
        return /payload reached EOF .*error: "(.*)"/.exec((error as Error).message)?.[1]
      }
    })
    expect(reasons).toEqual(REASONS[encoding])
  })
})

test('other failures are no problem of the body', () => {
  const coded = (code: unknown): Error => Object.assign(new Error('x'), { code })
  const isOne = (error: unknown): boolean => isDecodingError(error)
  const others = ['ENOENT', 'ERR_BUFFER', 'EZ_BUF_ERROR', 7, undefined].map(coded)
  expect([...others, { code: 'Z_DATA_ERROR' }].filter(isOne)).toEqual([])
  const own = ['Z_DATA_ERROR', 'Z_BUF_ERROR', 'ERR__ERROR_FORMAT_RESERVED', 'ERR_BROTLI_DECODER']
  expect(own.map(coded).every(isOne)).toBe(true)
})

test('the ratio applies from a megabyte on', () => {
  expect(unpackedBytesMax(1)).toBe(MiB)
  expect(unpackedBytesMax(100_000)).toBe(100_000 * UNPACK_RATIO_MAX)
})

test('names of encodings', () => {
  for (const name of ['gzip', 'deflate', 'br']) expect(isEncoding(name)).toBe(true)
  for (const name of ['zstd', 'identity', 'toString']) expect(isEncoding(name)).toBe(false)
  expect(fillsNoWindow({ encoding: 'br', bytesMax: 1 })).toBe(false)
})
