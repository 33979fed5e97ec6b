// Variable-length unsigned integers: seven bits per byte, least significant first, the high bit set
// on all bytes but the last (LEB128, as in the DWARF standard, §7.6). Up to 53 bits, so a
// JavaScript number holds every value exactly; a u32 takes at most 5 bytes.

import { assert, refuse } from '../errors.ts'
import { u32At } from './integers.ts'
import { withRoom } from './lengthened.ts'

/** Most bytes of one value: 53 bits in groups of seven. */
export const VARINT_BYTES_MAX = 8
const TWO_POW_32 = 4294967296

/** Returns the number of bytes of `value`. */
export function varintBytes(value: number): number {
  let bytes = 1
  while (value >= 128) {
    value = Math.floor(value / 128)
    bytes++
  }
  return bytes
}

/**
 * Writes `value` at `at` and returns the offset after it. The caller must have made room;
 * `VARINT_BYTES_MAX` bytes are always enough.
 */
export function writeVarint(target: Uint8Array, at: number, value: number): number {
  assert(value >= 0 && Number.isSafeInteger(value), 'a varint holds a non-negative safe integer')
  while (value >= TWO_POW_32) {
    target[at++] = (value % 128) | 128
    value = Math.floor(value / 128)
  }
  value >>>= 0
  while (value > 127) {
    target[at++] = (value & 127) | 128
    value >>>= 7
  }
  target[at++] = value
  return at
}

/**
 * Maps a signed integer to an unsigned one, small magnitudes to small numbers: 0, -1, 1, -2 → 0, 1,
 * 2, 3.
 */
export const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value)

/** The inverse of `zigzag`. */
export const unzigzag = (value: number): number => (value % 2 === 0 ? value / 2 : -(value + 1) / 2)

/** Reads untrusted bytes in order. Every read checks bounds and fails with a CorruptionError. */
export class ByteReader {
  #at: number
  constructor(
    readonly bytes: Uint8Array,
    /** Name of the structure, for error messages. */
    readonly section: string,
    at = 0,
    readonly end = bytes.length,
  ) {
    this.#at = at
  }

  get at(): number {
    return this.#at
  }

  get left(): number {
    return this.end - this.#at
  }

  /** Checks that at least `count` bytes are left. @throws CorruptionError */
  need(count: number): void {
    if (count > this.end - this.#at) {
      refuse(this.section, this.#at, 'bad_length', `${count} more bytes`, this.end - this.#at)
    }
  }

  u8(): number {
    this.need(1)
    return this.bytes[this.#at++]!
  }

  u16(): number {
    this.need(2)
    const value = this.bytes[this.#at]! | (this.bytes[this.#at + 1]! << 8)
    this.#at += 2
    return value
  }

  u32(): number {
    this.need(4)
    this.#at += 4
    return u32At(this.bytes, this.#at - 4)
  }

  /** Reads a 64-bit field; refuses values beyond 2^53 − 1. */
  u64(): number {
    const low = this.u32()
    const high = this.u32()
    if (high >= 0x200000) refuse(this.section, this.#at - 8, 'bad_value', '< 2^53', high)
    return high * TWO_POW_32 + low
  }

  varint(): number {
    const start = this.#at
    let value = 0
    let scale = 1
    for (let i = 0; i < VARINT_BYTES_MAX; i++) {
      const byte = this.u8()
      value += (byte & 127) * scale
      if (byte < 128) {
        if (i > 0 && byte === 0) refuse(this.section, start, 'bad_value', 'shortest varint', 0)
        if (value > Number.MAX_SAFE_INTEGER) break
        return value
      }
      scale *= 128
    }
    return refuse(this.section, start, 'bad_value', 'a varint of 53 bits', 'a longer one')
  }

  /** Returns a view of the next `count` bytes. */
  take(count: number): Uint8Array {
    this.need(count)
    this.#at += count
    return this.bytes.subarray(this.#at - count, this.#at)
  }

  /** Checks that all bytes were read. @throws CorruptionError */
  finish(): void {
    if (this.#at !== this.end) {
      refuse(this.section, this.#at, 'bad_length', 'the end', `${this.end - this.#at} more bytes`)
    }
  }
}

/** A growing byte buffer for encoders. */
export class ByteWriter {
  #bytes: Uint8Array
  #length = 0
  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity)
  }

  get length(): number {
    return this.#length
  }

  /** Makes room for `count` more bytes. */
  reserve(count: number): void {
    const wanted = this.#length + count
    this.#bytes = withRoom(this.#bytes, wanted)
  }

  u8(value: number): void {
    assert(value >= 0 && value <= 0xff, 'a u8 is in range')
    this.reserve(1)
    this.#bytes[this.#length++] = value
  }

  u16(value: number): void {
    assert(value >= 0 && value <= 0xffff, 'a u16 is in range')
    this.reserve(2)
    this.#bytes[this.#length++] = value
    this.#bytes[this.#length++] = value >>> 8
  }

  u32(value: number): void {
    assert(value >= 0 && value < TWO_POW_32, 'a u32 is in range')
    this.reserve(4)
    this.#bytes[this.#length++] = value
    this.#bytes[this.#length++] = value >>> 8
    this.#bytes[this.#length++] = value >>> 16
    this.#bytes[this.#length++] = value >>> 24
  }

  u64(value: number): void {
    assert(Number.isSafeInteger(value) && value >= 0, 'a u64 field holds a safe integer')
    this.u32(value % TWO_POW_32)
    this.u32(Math.floor(value / TWO_POW_32))
  }

  varint(value: number): void {
    this.reserve(VARINT_BYTES_MAX)
    this.#length = writeVarint(this.#bytes, this.#length, value)
  }

  bytes(source: Uint8Array): void {
    this.reserve(source.length)
    this.#bytes.set(source, this.#length)
    this.#length += source.length
  }

  /** Writes zero bytes up to the next multiple of `alignment`. */
  align(alignment: number): void {
    const padding = (alignment - (this.#length % alignment)) % alignment
    this.reserve(padding)
    this.#bytes.fill(0, this.#length, this.#length + padding)
    this.#length += padding
  }

  /** Returns a view of the bytes written so far; valid until the next write. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Returns a copy of the bytes written. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }

  /** Removes all bytes, but keeps the memory. */
  clear(): void {
    this.#length = 0
  }
}
