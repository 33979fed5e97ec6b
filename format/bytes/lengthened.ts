// Room for more: tables of builders double as they fill.

type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array

/** A copy of `array` with `length` elements, at least as many as it has; new ones are 0. */
export function lengthened<T extends Numbers>(array: T, length: number): T {
  const Kind = array.constructor as new (length: number) => T
  const copy = new Kind(length)
  copy.set(array)
  return copy
}
