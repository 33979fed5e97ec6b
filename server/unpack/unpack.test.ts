// Decompression of whole bodies: the result, the refusals and their messages.

import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { MiB } from '../../format/bytes/index.ts'
import { fillsNoWindow, isEncoding, unpack, unpackedBytesMax } from './index.ts'
import { UNPACK_RATIO_MAX } from './limits.ts'

const PACK = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync } as const
const MB = 1_000_000
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

  test.each(['cut', 'changed'])('that is %s is refused with this reason', (how) => {
    const packed = Buffer.from(pack(noise(1000)))
    const broken = how === 'cut' ? packed.subarray(0, -5) : packed.fill(0xff, 0, 40)
    expect(() => unpack(broken, { encoding, bytesMax: MB })).toThrow(
      /^Error that occur during reading payload: .*(corrupt|invalid gzip header)/,
    )
  })
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
