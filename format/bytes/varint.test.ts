// Integers as bytes: known encodings, round trips of any value, and invalid bytes.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CorruptionError, InvariantError } from '../errors.ts'
import {
  ByteReader,
  ByteWriter,
  unzigzag,
  VARINT_BYTES_MAX,
  varintBytes,
  writeVarint,
  zigzag,
} from './index.ts'

const MAX = Number.MAX_SAFE_INTEGER
const KNOWN: readonly (readonly [number, string])[] = [
  [0, '00'],
  [1, '01'],
  [127, '7f'],
  [128, '8001'],
  [300, 'ac02'],
  [16383, 'ff7f'],
  [16384, '808001'],
  [0x7fffffff, 'ffffffff07'],
  [0x80000000, '8080808008'],
  [0xffffffff, 'ffffffff0f'],
  [0x100000000, '8080808010'],
  [2 ** 42, '80808080808001'],
  [MAX, 'ffffffffffffff0f'],
]
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const ofHex = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'))
/** As many small values as large ones. */
const value = fc.tuple(fc.maxSafeNat(), fc.nat(52)).map(([n, shift]) => Math.floor(n / 2 ** shift))

function refusal(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    // The test expects this typed refusal.
    if (error instanceof CorruptionError) return `${error.code} @${error.at.offset}`
    throw error
  }
  return 'accepted'
}

describe('varints', () => {
  it.each(KNOWN)('%d is %s', (n, hex) => {
    const out = new Uint8Array(VARINT_BYTES_MAX)
    const length = writeVarint(out, 0, n)
    expect(hexOf(out.subarray(0, length))).toBe(hex)
    expect(varintBytes(n)).toBe(length)
    expect(new ByteReader(ofHex(hex), 'test').varint()).toBe(n)
  })

  it('any value survives a round trip, and the bytes after it do not change', () => {
    fc.assert(
      fc.property(value, fc.nat(3), (n, at) => {
        const out = new Uint8Array(16).fill(0xaa)
        const end = writeVarint(out, at, n)
        expect(end - at).toBe(varintBytes(n))
        expect(out.subarray(0, at).every((byte) => byte === 0xaa)).toBe(true)
        expect(out.subarray(end).every((byte) => byte === 0xaa)).toBe(true)
        const reader = new ByteReader(out, 'test', at)
        expect(reader.varint()).toBe(n)
        expect(reader.at).toBe(end)
      }),
    )
  })

  it.each([
    ['', 'bad_length @0'],
    ['80', 'bad_length @1'],
    ['ffffff', 'bad_length @3'],
    // Longer than necessary: each value has one encoding.
    ['8000', 'bad_value @0'],
    ['ff8000', 'bad_value @0'],
    // 2^53, and nine bytes.
    ['8080808080808010', 'bad_value @0'],
    ['ffffffffffffff7f', 'bad_value @0'],
    ['808080808080808001', 'bad_value @0'],
  ])('%s is refused: %s', (hex, expected) => {
    expect(refusal(() => new ByteReader(ofHex(hex), 'test').varint())).toBe(expected)
  })

  it('accepted bytes are the only encoding of their value', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 9 }), (bytes) => {
        const reader = new ByteReader(bytes, 'test')
        let n = -1
        if (refusal(() => (n = reader.varint())) !== 'accepted') return
        const out = new Uint8Array(VARINT_BYTES_MAX)
        expect(out.subarray(0, writeVarint(out, 0, n))).toEqual(bytes.subarray(0, reader.at))
      }),
    )
  })

  it.each([-1, 0.5, MAX + 1, Number.NaN, Number.POSITIVE_INFINITY])('%d is not written', (n) => {
    expect(() => writeVarint(new Uint8Array(16), 0, n)).toThrow(InvariantError)
  })
})

describe('zigzag', () => {
  it('small magnitudes are small numbers', () => {
    expect([0, -1, 1, -2, 2, -3].map(zigzag)).toEqual([0, 1, 2, 3, 4, 5])
  })

  it('survives a round trip', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(2 ** 52), max: 2 ** 52 - 1 }), (n) => {
        expect(zigzag(n)).toBeGreaterThanOrEqual(0)
        expect(unzigzag(zigzag(n)) + 0).toBe(n + 0)
      }),
    )
  })
})

type Step =
  | { readonly kind: 'u8' | 'u16' | 'u32' | 'u64' | 'varint'; readonly value: number }
  | { readonly kind: 'bytes'; readonly value: Uint8Array }
  | { readonly kind: 'align'; readonly value: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('u8' as const), value: fc.nat(255) }),
  fc.record({ kind: fc.constant('u16' as const), value: fc.nat(65535) }),
  fc.record({ kind: fc.constant('u32' as const), value: fc.nat(0xffffffff) }),
  fc.record({ kind: fc.constant('u64' as const), value: value }),
  fc.record({ kind: fc.constant('varint' as const), value: value }),
  fc.record({ kind: fc.constant('bytes' as const), value: fc.uint8Array({ maxLength: 40 }) }),
  fc.record({ kind: fc.constant('align' as const), value: fc.constantFrom(1, 2, 4, 8) }),
)

function write(writer: ByteWriter, { kind, value }: Step): void {
  if (kind === 'bytes') writer.bytes(value)
  else writer[kind](value)
}

function read(reader: ByteReader, { kind, value }: Step): unknown {
  if (kind === 'bytes') return reader.take(value.length)
  if (kind !== 'align') return reader[kind]()
  const padding = (value - (reader.at % value)) % value
  expect(reader.take(padding).every((byte) => byte === 0)).toBe(true)
  return value
}

describe('writer and reader', () => {
  it('return the written values, for any capacity and offset', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 20 }),
        fc.nat(5),
        fc.nat(3),
        (steps, capacity, at) => {
          const writer = new ByteWriter(capacity)
          for (const one of steps) write(writer, one)
          const bytes = writer.finish()
          expect(bytes).toEqual(writer.view().slice())
          expect(bytes.buffer.byteLength).toBe(writer.length)
          const shifted = new Uint8Array(bytes.length + 8).fill(0xee)
          shifted.set(bytes, at)
          const view = shifted.subarray(at, at + bytes.length)
          const reader = new ByteReader(view, 'test')
          for (const one of steps) expect(read(reader, one)).toEqual(one.value)
          reader.finish()
          expect(reader.left).toBe(0)
        },
      ),
    )
  })

  it('little-endian, known bytes', () => {
    const writer = new ByteWriter(1)
    writer.u8(1)
    writer.u16(0x0203)
    writer.u32(0xf4050607)
    writer.u64(MAX)
    writer.align(8)
    expect(hexOf(writer.finish())).toBe('010302070605f4ffffffffffff1f0000')
    expect(writer.length).toBe(16)
    writer.clear()
    writer.u8(9)
    expect(hexOf(writer.finish())).toBe('09')
  })

  it('a writer asserts its preconditions', () => {
    const writer = new ByteWriter()
    const wrong = [
      () => writer.u8(256),
      () => writer.u8(-1),
      () => writer.u16(65536),
      () => writer.u32(2 ** 32),
      () => writer.u32(-1),
      () => writer.u64(2 ** 53),
    ]
    for (const work of wrong) expect(work).toThrow(InvariantError)
    expect(writer.length).toBe(0)
  })

  it.each([
    ['u8', 0],
    ['u16', 1],
    ['u32', 3],
    ['u64', 7],
  ] as const)('%s is refused with %d bytes', (kind, length) => {
    const bytes = new Uint8Array(16)
    expect(refusal(() => new ByteReader(bytes, 'test', 0, length)[kind]())).toMatch(/^bad_length/)
  })

  it('a reader stays inside its end', () => {
    const reader = new ByteReader(new Uint8Array(16), 'test', 4, 8)
    expect(reader.left).toBe(4)
    expect(refusal(() => reader.take(5))).toBe('bad_length @4')
    expect(reader.take(3).length).toBe(3)
    expect(refusal(() => reader.finish())).toBe('bad_length @7')
    expect(refusal(() => reader.varint())).toBe('accepted')
    expect(refusal(() => reader.varint())).toBe('bad_length @8')
    reader.finish()
  })

  it('a u64 field beyond 2^53 is refused', () => {
    expect(refusal(() => new ByteReader(ofHex('0000000000002000'), 'test').u64())).toBe(
      'bad_value @0',
    )
    expect(new ByteReader(ofHex('ffffffffffff1f00'), 'test').u64()).toBe(MAX)
  })
})
