// Room for more: tables of builders double as they fill.

type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array

/** A copy of `array` with `length` elements, at least as many as it has; new ones are 0. */
export function lengthened<T extends Numbers>(array: T, length: number): T {
  const Kind = array.constructor as new (length: number) => T
  const copy = new Kind(length)
  copy.set(array)
  return copy
}

/** `array` if it has `length` elements already, or a copy that has them: at least twice as many. */
export const withRoom = <T extends Numbers>(array: T, length: number): T =>
  length <= array.length ? array : lengthened(array, Math.max(length, array.length * 2))
