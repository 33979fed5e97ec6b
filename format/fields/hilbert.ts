// The order of points along a Hilbert curve: points that are close on the curve are close on the
// map, so a run of 64 covers a small area. Only integer arithmetic after scaling, so the same
// points give the same order on every machine. The curve: D. Hilbert 1891; the loop follows H. S.
// Warren, Hacker's Delight, 2nd ed., §16–3.

const GRID = 65535

/**
 * Returns the bounds of points: [least latitude, greatest latitude, least longitude, greatest
 * longitude].
 */
export function boundsOf(
  points: Float64Array,
  order: Uint32Array,
  from: number,
  to: number,
): Float64Array {
  const bounds = new Float64Array([Infinity, -Infinity, Infinity, -Infinity])
  for (let i = from; i < to; i++) {
    const lat = points[order[i]! * 2]!
    const lng = points[order[i]! * 2 + 1]!
    if (lat < bounds[0]!) bounds[0] = lat
    if (lat > bounds[1]!) bounds[1] = lat
    if (lng < bounds[2]!) bounds[2] = lng
    if (lng > bounds[3]!) bounds[3] = lng
  }
  return bounds
}

/**
 * Returns the indexes of `count` points (latitude, longitude pairs) along the curve; points in the
 * same cell by index.
 */
export function hilbertOrder(points: Float64Array, count: number): Uint32Array {
  const order = new Uint32Array(count)
  for (let i = 0; i < count; i++) order[i] = i
  const bounds = boundsOf(points, order, 0, count)
  const height = bounds[1]! - bounds[0]! || 1
  const width = bounds[3]! - bounds[2]! || 1
  const keys = new Uint32Array(count)
  for (let i = 0; i < count; i++) {
    const y = Math.floor(((points[i * 2]! - bounds[0]!) / height) * GRID)
    const x = Math.floor(((points[i * 2 + 1]! - bounds[2]!) / width) * GRID)
    keys[i] = hilbertKey(x, y)
  }
  return sortByKey(keys, order)
}

/** Returns the distance of cell (x, y) along the curve through a grid of 65536 × 65536 cells. */
export function hilbertKey(x: number, y: number): number {
  let key = 0
  for (let side = 32768; side > 0; side >>>= 1) {
    const right = (x & side) !== 0 ? 1 : 0
    const up = (y & side) !== 0 ? 1 : 0
    key = key * 4 + ((3 * right) ^ up)
    if (up === 0) {
      if (right === 1) {
        x = GRID - x
        y = GRID - y
      }
      const swapped = x
      x = y
      y = swapped
    }
  }
  return key
}

const DIGIT_BITS = 11
const DIGITS = 1 << DIGIT_BITS

/** Stable radix sort of `order` by `keys[order[i]]`: three passes of 11 bits. */
function sortByKey(keys: Uint32Array, order: Uint32Array): Uint32Array {
  let from: Uint32Array = order
  let to: Uint32Array = new Uint32Array(order.length)
  for (let shift = 0; shift < 32; shift += DIGIT_BITS) {
    const next = new Uint32Array(DIGITS + 1)
    for (let i = 0; i < keys.length; i++) next[((keys[i]! >>> shift) & (DIGITS - 1)) + 1]!++
    for (let d = 0; d < DIGITS; d++) next[d + 1]! += next[d]!
    for (let i = 0; i < from.length; i++) {
      const rank = from[i]!
      to[next[(keys[rank]! >>> shift) & (DIGITS - 1)]!++] = rank
    }
    const swapped = from
    from = to
    to = swapped
  }
  return from
}
