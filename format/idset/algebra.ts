// Algebra of ascending ids and bits · see ./IDSET.md for the shapes.
//
// Searches intersect some hundred small sets a query, and most results are empty or one of the
// operands: what is found is collected in memory of the thread, and only what is new is allocated.
// A result may therefore be an operand itself: no caller changes ids of a set.
import { lengthened } from '../bytes/index.ts'

export const EMPTY_IDS = new Uint32Array(0)

/** Of the thread: ids of the result that is being made. */
let scratch = new Uint32Array(1024)

function scratchFor(count: number): Uint32Array {
  if (count > scratch.length) scratch = lengthened(scratch, count * 2)
  return scratch
}

/** V8 keeps typed arrays of up to 64 bytes in its own heap: a loop is quicker than `slice`. */
const LOOP_IDS_MAX = 16

/** The first `count` ids of `from` as an array of their own. */
function copyOf(from: Uint32Array, count: number): Uint32Array {
  if (count > LOOP_IDS_MAX) return from.slice(0, count)
  if (count === 0) return EMPTY_IDS
  const ids = new Uint32Array(count)
  for (let i = 0; i < count; i++) ids[i] = from[i]!
  return ids
}

/** Those of `ids` whose bits are set (`keep`) or not; `ids` itself when it is all of them. */
export function filterByWords(ids: Uint32Array, words: Uint32Array, keep: boolean): Uint32Array {
  const out = scratchFor(ids.length)
  const end = words.length
  let n = 0
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i]!
    const word = id >>> 5
    const inside = word < end && (words[word]! & (1 << (id & 31))) !== 0
    out[n] = id
    if (inside === keep) n++
  }
  return n === ids.length ? ids : copyOf(out, n)
}

/** Where the larger list is this many times the smaller, look-ups by doubling beat a merge. */
const GALLOP_RATIO = 16

/** What both have; the shorter one itself when it is all of it. */
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
    if (x === y) out[n++] = x
    if (x <= y) i++
    if (y <= x) j++
  }
  return n === a.length ? a : copyOf(out, n)
}

/** What either has; one of them itself when the other one is in it. */
export function orSparse(a: Uint32Array, b: Uint32Array): Uint32Array {
  const out = scratchFor(a.length + b.length)
  let n = 0
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const x = a[i]!
    const y = b[j]!
    out[n++] = Math.min(x, y)
    if (x <= y) i++
    if (y <= x) j++
  }
  while (i < a.length) out[n++] = a[i++]!
  while (j < b.length) out[n++] = b[j++]!
  if (n === a.length) return a
  return n === b.length ? b : copyOf(out, n)
}

/** What `a` has and `b` has not; `a` itself when they share nothing. */
export function andNotSparse(a: Uint32Array, b: Uint32Array): Uint32Array {
  const out = scratchFor(a.length)
  let n = 0
  let j = 0
  for (let i = 0; i < a.length; i++) {
    const x = a[i]!
    j = gallop(b, j, x)
    if (j === b.length || b[j] !== x) out[n++] = x
  }
  return n === a.length ? a : copyOf(out, n)
}

export function clearIds(words: Uint32Array, ids: Uint32Array): void {
  for (let i = 0; i < ids.length; i++) {
    const word = ids[i]! >>> 5
    if (word < words.length) words[word]! &= ~(1 << (ids[i]! & 31))
  }
}

/** The first index at or after `from` whose id is not below `id`; O(log distance). */
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

/** The first index below `count` whose id is not below `id`, or `count`. */
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
