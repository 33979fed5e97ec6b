// Arrays of small integers in the narrowest of one, two and four bytes that holds the largest
// value. Little-endian in the file, read in place as typed arrays.

import { lengthened } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import type { Section } from '../frame/index.ts'

export type Packed = Uint8Array | Uint16Array | Uint32Array
export type PackedWidth = 1 | 2 | 4

/** Returns the bytes per element for a largest value of `largest`. */
export const widthFor = (largest: number): PackedWidth => {
  if (largest < 256) return 1
  return largest < 65536 ? 2 : 4
}

/** Returns `values[0, count)` as little-endian bytes, `width` bytes each. */
export function packedBytes(values: Uint32Array, count: number, width: PackedWidth): Uint8Array {
  assert(count <= values.length, 'as many values are packed as there are')
  assert(width === 1 || width === 2 || width === 4, 'a width is 1, 2 or 4')
  if (width === 1) return Uint8Array.from(values.subarray(0, count))
  const packed = width === 2 ? Uint16Array.from(values.subarray(0, count)) : values.slice(0, count)
  return new Uint8Array(packed.buffer)
}

/**
 * Returns the array of `count` elements at `at` of a section, in place. It is copied if the bytes
 * are not aligned in their buffer, which happens only to small frames inside a log record. The
 * caller checks that the array is inside the section and verifies the elements it reads.
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

/** Does the same as `packedView` for 64-bit floats. */
export function float64View(section: Section, at: number, count: number): Float64Array {
  const place = section.bytes.byteOffset + at
  if (place % 8 === 0) return new Float64Array(section.bytes.buffer, place, count)
  return new Float64Array(section.read(at, count * 8).slice().buffer)
}

/** Does the same for signed 16-bit integers. */
export function int16View(section: Section, at: number, count: number): Int16Array {
  const place = section.bytes.byteOffset + at
  if (place % 2 === 0) return new Int16Array(section.bytes.buffer, place, count)
  return new Int16Array(section.read(at, count * 2).slice().buffer)
}

/** Returns the number of ascending `values` that are at most `value`. */
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

  /** The value added last; the list must not be empty. */
  get last(): number {
    return this.#values[this.#length - 1]!
  }

  push(value: number): void {
    const room = this.#values.length
    if (this.#length === room) this.#values = lengthened(this.#values, room * 2)
    this.#values[this.#length++] = value
  }

  /** Returns a view of the values so far; valid until the next push. */
  view(): Uint32Array {
    return this.#values.subarray(0, this.#length)
  }
}
