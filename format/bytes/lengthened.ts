// Longer copies of typed arrays, for tables of builders that double as they fill.
import { assert } from '../errors.ts'

type Numbers = Uint8Array | Uint16Array | Uint32Array | Int16Array | Int32Array | Float64Array

/**
 * Returns a copy of `array` with `length` elements, at least as many as before; new elements are 0.
 */
export function lengthened<T extends Numbers>(array: T, length: number): T {
  assert(length >= array.length, 'a longer copy holds all elements')
  const Kind = array.constructor as new (length: number) => T
  const copy = new Kind(length)
  copy.set(array)
  return copy
}

/**
 * Returns `array` if it has at least `length` elements, else a copy at least twice as long as
 * before.
 */
export const withRoom = <T extends Numbers>(array: T, length: number): T =>
  length <= array.length ? array : lengthened(array, Math.max(length, array.length * 2))
