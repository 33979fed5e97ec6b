// Compression: round trips, and refusals of damaged input.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CorruptionError, InvariantError } from '../../../format/errors.ts'
import { compress, decompress } from './index.ts'
import { decompressBy, decompressInto, nativeCodec } from './zstd.ts'
import { type Codec, WasmCodec } from './zstd-wasm.ts'

const text = new TextEncoder().encode('{"id":1,"title":"a title of some length"}'.repeat(40))

describe('zstd', () => {
  it('decompresses to the original bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 3000 }),
        fc.integer({ min: 1, max: 9 }),
        (bytes, level) => {
          expect(decompress(compress(bytes, level), bytes.length)).toEqual(bytes)
        },
      ),
    )
    expect(compress(text, 1).length).toBeLessThan(text.length / 10)
    expect(compress(text, 3)).toEqual(compress(text, 3))
    const large = new Uint8Array(5_000_000).fill(9)
    expect(Buffer.compare(decompress(compress(large, 1), large.length), large)).toBe(0)
  })

  it('returns separate memory', () => {
    const first = compress(text, 3)
    const copy = first.slice()
    compress(new Uint8Array(100).fill(1), 3)
    expect(first).toEqual(copy)
  })

  it('fills the passed memory, and works on views', () => {
    const packed = compress(text, 3)
    const shifted = new Uint8Array(packed.length + 3).subarray(3)
    shifted.set(packed)
    const target = new Uint8Array(text.length + 2)
    decompressInto(shifted, target.subarray(1, 1 + text.length))
    expect(target.subarray(1, 1 + text.length)).toEqual(text)
    expect([target[0], target.at(-1)]).toEqual([0, 0])
    const room = new Uint8Array(text.length).fill(7)
    expect(decompress(packed, text.length, room)).toBe(room)
    expect(room).toEqual(text)
    expect(() => decompress(packed, text.length, target)).toThrow(InvariantError)
  })

  it('refuses other lengths, truncations and rubbish', () => {
    const packed = compress(text, 3)
    expect(() => decompress(packed, text.length - 1)).toThrow(CorruptionError)
    expect(() => decompress(packed, text.length + 1)).toThrow(CorruptionError)
    for (let n = 0; n < packed.length; n++) {
      expect(() => decompress(packed.subarray(0, n), text.length)).toThrow(CorruptionError)
    }
    expect(() => decompress(text, 100)).toThrow(CorruptionError)
  })
})

const decompressedBy = (codec: Codec, bytes: Uint8Array, length: number): unknown => {
  const target = new Uint8Array(length)
  try {
    decompressBy(codec, bytes, target)
    return target
  } catch (error) {
    return error instanceof CorruptionError ? error.code : error
  }
}

describe('zstd without its native package', () => {
  const wasm = new WasmCodec()
  const native = nativeCodec() ?? new WasmCodec()

  it('writes the same bytes', () => {
    const level = fc.integer({ min: 1, max: 19 })
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), level, (bytes, at) => {
        const packed = wasm.compress(bytes, at)
        expect(packed).toEqual(native.compress(bytes, at))
        expect(decompressedBy(wasm, packed, bytes.length)).toEqual(bytes)
      }),
    )
    for (const at of [1, 3, 19]) {
      expect(wasm.compress(text, at)).toEqual(native.compress(text, at))
    }
  })

  it('refuses the same damage', () => {
    const packed = native.compress(text, 3)
    const check = (bytes: Uint8Array, length = text.length): void => {
      expect(decompressedBy(wasm, bytes, length)).toEqual(decompressedBy(native, bytes, length))
    }
    for (let bit = 0; bit < packed.length * 8; bit++) {
      const damaged = packed.slice()
      damaged[bit >>> 3]! ^= 1 << (bit & 7)
      check(damaged)
    }
    for (let length = 0; length < packed.length; length++) check(packed.subarray(0, length))
    for (const length of [0, 1, text.length - 1, text.length + 1]) check(packed, length)
    check(new Uint8Array([...packed, 1, 2, 3]))
    check(new Uint8Array([...packed, ...packed]), text.length * 2)
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => check(bytes, 100)))
    expect(decompressedBy(wasm, packed, text.length)).toEqual(text)
  })

  it('works on blocks that are larger than its memory', () => {
    const large = new Uint8Array(90_000_000).fill(7)
    const packed = wasm.compress(large, 1)
    const target = new Uint8Array(large.length)
    decompressBy(wasm, packed, target)
    expect(Buffer.compare(target, large)).toBe(0)
    expect(decompressedBy(wasm, wasm.compress(text, 3), text.length)).toEqual(text)
  })
})
