// Arrays of small integers in the narrowest of one, two and four bytes that holds the largest
// value. Little-endian in the file, read in place as typed arrays.
import { lengthened } from '../bytes/index.ts'
import type { Section } from '../frame/index.ts'

export type Packed = Uint8Array | Uint16Array | Uint32Array
export type PackedWidth = 1 | 2 | 4

/** Bytes an element takes when `largest` is the largest value. */
export const widthFor = (largest: number): PackedWidth => {
  if (largest < 256) return 1
  return largest < 65536 ? 2 : 4
}

/** `values[0, count)` as little-endian bytes of `width` each. */
export function packedBytes(values: Uint32Array, count: number, width: PackedWidth): Uint8Array {
  if (width === 1) return Uint8Array.from(values.subarray(0, count))
  const packed = width === 2 ? Uint16Array.from(values.subarray(0, count)) : values.slice(0, count)
  return new Uint8Array(packed.buffer)
}

/**
 * The array of `count` elements at `at` of a section, in place; copied when the bytes lie askew in
 * their buffer, which happens to small frames inside a log record only. The caller has made sure
 * that it lies inside, and touches what it reads.
 */
export function packedView(
  section: Section,
  at: number,
  count: number,
  width: PackedWidth,
): Packed {
  const place = section.bytes.byteOffset + at
  if (width === 1) return section.bytes.subarray(at, at + count)
  const whole = section.bytes.buffer
  if (place % width === 0) {
    return width === 2 ? new Uint16Array(whole, place, count) : new Uint32Array(whole, place, count)
  }
  const copy = section.read(at, count * width).slice().buffer
  return width === 2 ? new Uint16Array(copy) : new Uint32Array(copy)
}

/** Like `packedView`, for 64-bit floats. */
export function float64View(section: Section, at: number, count: number): Float64Array {
  const place = section.bytes.byteOffset + at
  if (place % 8 === 0) return new Float64Array(section.bytes.buffer, place, count)
  return new Float64Array(section.read(at, count * 8).slice().buffer)
}

/** How many of ascending `values` are at most `value`. */
export function countUpTo(values: Packed, value: number): number {
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (values[middle]! <= value) low = middle + 1
    else high = middle
  }
  return low
}

/** A growing list of 32-bit numbers, for builders. */
export class Uint32List {
  #values: Uint32Array
  #length = 0
  constructor(capacity = 16) {
    this.#values = new Uint32Array(capacity)
  }

  get length(): number {
    return this.#length
  }

  /** Bytes allocated. */
  get memoryBytes(): number {
    return this.#values.byteLength
  }

  /** The value added last; the list is not empty. */
  get last(): number {
    return this.#values[this.#length - 1]!
  }

  push(value: number): void {
    const room = this.#values.length
    if (this.#length === room) this.#values = lengthened(this.#values, room * 2)
    this.#values[this.#length++] = value
  }

  /** A view of the values so far; valid until the next push. */
  view(): Uint32Array {
    return this.#values.subarray(0, this.#length)
  }
}
