// Sorts byte strings by multikey quicksort over four bytes at a time (Bentley and Sedgewick, Fast
// Algorithms for Sorting and Searching Strings, 1997); the four bytes of each string are stored
// beside its index, so most comparisons read no string and call no function.
import { assert } from '../errors.ts'

const INSERTION_MAX = 8
/** Number of bytes compared in one step. */
const STEP = 4

/**
 * Returns the indexes of the strings `bytes[starts[i], ends[i])` in byte order; equal strings by
 * index.
 */
export function sortedStrings(
  bytes: Uint8Array,
  starts: Uint32Array,
  ends: Uint32Array,
  count: number,
): Uint32Array {
  assert(count <= starts.length && count <= ends.length, 'each string has a slice')
  const order = new Uint32Array(count)
  for (let i = 0; i < count; i++) order[i] = i
  const job: Job = { bytes, starts, ends, order, keys: new Float64Array(count) }
  loadKeys(job, 0, count, 0)
  sortRange(job, 0, count, 0)
  return order
}

type Job = {
  readonly bytes: Uint8Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  readonly order: Uint32Array
  /**
   * By position in `order`: the next four bytes of the string there, and how many of them it has.
   */
  readonly keys: Float64Array
}

/**
 * Loads the keys of strings at `depth`: four bytes, missing ones as 0, times 8, plus the number of
 * bytes that exist. So a string that ends sorts before one that continues with zero bytes.
 */
function loadKeys(job: Job, from: number, to: number, depth: number): void {
  const { bytes, starts, ends, order, keys } = job
  for (let i = from; i < to; i++) {
    const index = order[i]!
    const at = starts[index]! + depth
    const left = ends[index]! - at
    if (left >= STEP) {
      const low = (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!
      keys[i] = (bytes[at]! * 0x1000000 + low) * 8 + STEP
      continue
    }
    let key = 0
    for (let b = 0; b < STEP; b++) key = key * 256 + (b < left ? bytes[at + b]! : 0)
    keys[i] = key * 8 + Math.max(0, left)
  }
}

/**
 * Sorts positions [from, to), whose strings agree in their first `depth` bytes and whose keys are
 * loaded. It recurses into the smaller part, so recursion is at most log2(count) deep per step of
 * four bytes.
 */
function sortRange(job: Job, from: number, to: number, depth: number): void {
  const { keys } = job
  while (to - from > 1) {
    if (to - from <= INSERTION_MAX) {
      insertionSort(job, from, to, depth)
      return
    }
    const pivot = medianOf(keys[from]!, keys[(from + to) >>> 1]!, keys[to - 1]!)
    let less = from
    let greater = to
    for (let i = from; i < greater; ) {
      const key = keys[i]!
      if (key < pivot) swap(job, i++, less++)
      else if (key > pivot) swap(job, i, --greater)
      else i++
    }
    if (pivot % 8 === STEP && greater - less > 1) {
      loadKeys(job, less, greater, depth + STEP)
      sortRange(job, less, greater, depth + STEP)
    } else sortByIndex(job, less, greater)
    if (less - from < to - greater) {
      sortRange(job, from, less, depth)
      from = greater
    } else {
      sortRange(job, greater, to, depth)
      to = less
    }
  }
}

/** Orders equal strings, all of which have ended, by their indexes. */
function sortByIndex(job: Job, from: number, to: number): void {
  if (to - from > 1) job.order.subarray(from, to).sort()
}

const medianOf = (a: number, b: number, c: number): number =>
  a < b ? (b < c ? b : Math.max(a, c)) : a < c ? a : Math.max(b, c)

function swap(job: Job, i: number, j: number): void {
  const { order, keys } = job
  const index = order[i]!
  order[i] = order[j]!
  order[j] = index
  const key = keys[i]!
  keys[i] = keys[j]!
  keys[j] = key
}

function insertionSort(job: Job, from: number, to: number, depth: number): void {
  const { order, keys } = job
  for (let i = from + 1; i < to; i++) {
    const index = order[i]!
    const key = keys[i]!
    let j = i
    for (; j > from; j--) {
      const other = keys[j - 1]!
      if (other < key || (other === key && !comesBefore(job, index, order[j - 1]!, depth))) break
      order[j] = order[j - 1]!
      keys[j] = other
    }
    order[j] = index
    keys[j] = key
  }
}

/** Returns true if string `a` comes before string `b`; they agree in their first `depth` bytes. */
function comesBefore(job: Job, a: number, b: number, depth: number): boolean {
  const { bytes, starts, ends } = job
  let i = starts[a]! + depth
  let j = starts[b]! + depth
  const end = Math.min(ends[a]!, i + ends[b]! - j)
  for (; i < end; i++, j++) if (bytes[i] !== bytes[j]) return bytes[i]! < bytes[j]!
  const lengths = ends[a]! - starts[a]! - (ends[b]! - starts[b]!)
  return lengths === 0 ? a < b : lengths < 0
}

/** Compares `a[aFrom, aTo)` with `b[bFrom, bTo)` in byte order: negative, zero or positive. */
export function compareSlices(
  a: Uint8Array,
  aFrom: number,
  aTo: number,
  b: Uint8Array,
  bFrom: number,
  bTo: number,
): number {
  const shared = Math.min(aTo - aFrom, bTo - bFrom)
  for (let i = 0; i < shared; i++) {
    const difference = a[aFrom + i]! - b[bFrom + i]!
    if (difference !== 0) return difference
  }
  return aTo - aFrom - (bTo - bFrom)
}
