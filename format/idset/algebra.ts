// Algebra of ascending ids and bits · representations: ./IDSET.md
//
// A query intersects about a hundred small sets, and most results are empty or equal to an operand.
// So results are collected in scratch memory of the thread, and only a new result is allocated. A
// result may be one of the operands: callers never modify the ids of a set.
//
// Loops add comparisons as numbers, which compiles without a branch: ids are not predictable, and a
// wrong prediction costs as much as several steps.
import { lengthened } from '../bytes/index.ts'

export const EMPTY_IDS = new Uint32Array(0)

/** Per thread: ids of the result under construction. */
let scratch = new Uint32Array(1024)

function scratchFor(count: number): Uint32Array {
  if (count > scratch.length) scratch = lengthened(scratch, count * 2)
  return scratch
}

/**
 * V8 stores typed arrays of up to 64 bytes in its own heap: for those a loop is faster than
 * `slice`.
 */
const LOOP_IDS_MAX = 16

/** Returns a copy of the first `count` ids of `from`. */
function copyOf(from: Uint32Array, count: number): Uint32Array {
  if (count > LOOP_IDS_MAX) return from.slice(0, count)
  if (count === 0) return EMPTY_IDS
  const ids = new Uint32Array(count)
  for (let i = 0; i < count; i++) ids[i] = from[i]!
  return ids
}

/**
 * Returns the ids whose bits are set (`keep`) or clear (not `keep`), or `ids` itself if all are.
 */
export function filterByWords(ids: Uint32Array, words: Uint32Array, keep: boolean): Uint32Array {
  const out = scratchFor(ids.length)
  const flip = keep ? 0 : 1
  const inside = countBelow(ids, words.length * 32)
  let n = 0
  for (let i = 0; i < inside; i++) {
    const id = ids[i]!
    out[n] = id
    n += ((words[id >>> 5]! >>> (id & 31)) & 1) ^ flip
  }
  if (!keep) for (let i = inside; i < ids.length; i++) out[n++] = ids[i]!
  return n === ids.length ? ids : copyOf(out, n)
}

/** Returns how many ids are below `end`, which mostly all are. */
const countBelow = (ids: Uint32Array, end: number): number =>
  ids.length === 0 || ids[ids.length - 1]! < end ? ids.length : lowerBound(ids, end)

/** If the larger list has this many times the ids of the smaller one, galloping beats a merge. */
const GALLOP_RATIO = 16

/** Returns the intersection; the shorter list itself if all its ids are in it. */
export function andSparse(a: Uint32Array, b: Uint32Array): Uint32Array {
  if (a.length > b.length) return andSparse(b, a)
  const out = scratchFor(a.length)
  let n = 0
  let j = 0
  if (b.length > a.length * GALLOP_RATIO) {
    for (let i = 0; i < a.length && j < b.length; i++) {
      j = gallop(b, j, a[i]!)
      if (j < b.length && b[j] === a[i]) out[n++] = a[i]!
    }
    return n === a.length ? a : copyOf(out, n)
  }
  for (let i = 0; i < a.length && j < b.length; ) {
    const x = a[i]!
    const y = b[j]!
    out[n] = x
    n += Number(x === y)
    i += Number(x <= y)
    j += Number(y <= x)
  }
  return n === a.length ? a : copyOf(out, n)
}

/** Returns the union; one of the lists itself if it contains the other. */
export function orSparse(a: Uint32Array, b: Uint32Array): Uint32Array {
  const out = scratchFor(a.length + b.length)
  let n = 0
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const x = a[i]!
    const y = b[j]!
    const takesX = Number(x <= y)
    out[n] = y
    // Over y, or where the next step writes.
    out[n + 1 - takesX] = x
    n++
    i += takesX
    j += Number(y <= x)
  }
  while (i < a.length) out[n++] = a[i++]!
  while (j < b.length) out[n++] = b[j++]!
  if (n === a.length) return a
  return n === b.length ? b : copyOf(out, n)
}

/** Returns the ids of `a` that are not in `b`; `a` itself if they share none. */
export function andNotSparse(a: Uint32Array, b: Uint32Array): Uint32Array {
  const out = scratchFor(a.length)
  let n = 0
  let i = 0
  let j = 0
  if (b.length > a.length * GALLOP_RATIO) {
    for (; i < a.length; i++) {
      const x = a[i]!
      j = gallop(b, j, x)
      out[n] = x
      n += Number(j === b.length || b[j] !== x)
    }
  }
  while (i < a.length && j < b.length) {
    const x = a[i]!
    const y = b[j]!
    out[n] = x
    n += Number(x < y)
    i += Number(x <= y)
    j += Number(y <= x)
  }
  while (i < a.length) out[n++] = a[i++]!
  return n === a.length ? a : copyOf(out, n)
}

/** Clears the bits of `ids` in the first `count` words; returns how many were set. */
export function clearIds(words: Uint32Array, ids: Uint32Array, count: number): number {
  let cleared = 0
  for (let i = 0; i < ids.length; i++) {
    const word = ids[i]! >>> 5
    if (word >= count) continue
    cleared += (words[word]! >>> (ids[i]! & 31)) & 1
    words[word]! &= ~(1 << (ids[i]! & 31))
  }
  return cleared
}

/** Returns the first index at or after `from` whose id is at least `id`; O(log distance). */
export function gallop(ids: Uint32Array, from: number, id: number): number {
  let step = 1
  let low = from
  let high = from
  while (high < ids.length && ids[high]! < id) {
    low = high + 1
    high += step
    step *= 2
  }
  if (high > ids.length) high = ids.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ids[middle]! < id) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the first index below `count` whose id is at least `id`, or `count`. */
export function lowerBound(ids: Uint32Array, id: number, count = ids.length): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ids[middle]! < id) low = middle + 1
    else high = middle
  }
  return low
}
