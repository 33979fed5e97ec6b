// Term numbers in the order of their bytes: radix sort on eight bytes at a time, most significant
// first. Faster than comparing pairs, which reads both terms from memory each time.
import type { TermTable } from './term-table.ts'

/** Ranges of up to this length are sorted by comparison. */
const INSERTION_MAX = 24
const KEY_BYTES = 8

type Work = {
  readonly arena: Uint8Array
  readonly terms: Uint32Array
  readonly ids: Uint32Array
  readonly idsOther: Uint32Array
  /** The eight bytes of each id at the current depth as two words, and space to move them. */
  readonly keys: readonly [Uint32Array, Uint32Array, Uint32Array, Uint32Array]
  readonly counts: Uint32Array
}

/** Returns all term ids of the table, ordered by the UTF-8 bytes of their terms. */
export function sortedTermIds(table: TermTable): Uint32Array {
  const count = table.termCount
  const ids = new Uint32Array(count)
  for (let id = 0; id < count; id++) ids[id] = id
  const room = (): Uint32Array => new Uint32Array(count)
  const work: Work = {
    ...table.layout(),
    ids,
    idsOther: room(),
    keys: [room(), room(), room(), room()],
    counts: new Uint32Array(256),
  }
  // Unsorted ranges: from, to, depth. Terms are short, so there are few at a time.
  const open = [0, count, 0]
  while (open.length > 0) {
    const depth = open.pop()!
    const to = open.pop()!
    const from = open.pop()!
    if (to - from <= INSERTION_MAX) insertionSort(work, from, to, depth)
    else sortRange(work, from, to, depth, open)
  }
  return ids
}

/**
 * Sorts a range of terms that agree before `depth` by their next eight bytes; ranges of equal ones
 * are appended to `open`.
 */
function sortRange(work: Work, from: number, to: number, depth: number, open: number[]): void {
  const { ids, keys } = work
  const high = keys[0]
  const low = keys[1]
  for (let i = from; i < to; i++) {
    high[i] = keyAt(work, ids[i]!, depth)
    low[i] = keyAt(work, ids[i]!, depth + 4)
  }
  for (let pass = 0; pass < KEY_BYTES; pass++) radixPass(work, from, to, pass)
  for (let i = from; i < to; ) {
    let end = i + 1
    while (end < to && high[end] === high[i] && low[end] === low[i]) end++
    // Distinct terms that agree so far continue; all are longer, since terms have no zero bytes.
    if (end - i > 1) open.push(i, end, depth + KEY_BYTES)
    i = end
  }
}

/** Returns four bytes of a term as a number that orders like them; bytes past the end are 0. */
function keyAt(work: Work, id: number, depth: number): number {
  const { arena, terms } = work
  const left = terms[id * 3 + 2]! - depth
  const at = terms[id * 3 + 1]! + depth
  if (left >= 4) {
    return (
      ((arena[at]! << 24) | (arena[at + 1]! << 16) | (arena[at + 2]! << 8) | arena[at + 3]!) >>> 0
    )
  }
  let key = 0
  for (let i = 0; i < left; i++) key |= arena[at + i]! << (24 - i * 8)
  return key >>> 0
}

/** Runs one stable counting pass over byte `pass` of the keys, the least significant first. */
function radixPass(work: Work, from: number, to: number, pass: number): void {
  const { ids, idsOther, keys, counts } = work
  const [high, low, highOther, lowOther] = keys
  const digits = pass < 4 ? low : high
  const shift = (pass & 3) * 8
  counts.fill(0)
  for (let i = from; i < to; i++) counts[(digits[i]! >>> shift) & 255]!++
  if (counts[(digits[from]! >>> shift) & 255] === to - from) return
  let at = from
  for (let digit = 0; digit < 256; digit++) {
    const count = counts[digit]!
    counts[digit] = at
    at += count
  }
  for (let i = from; i < to; i++) {
    const place = counts[(digits[i]! >>> shift) & 255]!++
    idsOther[place] = ids[i]!
    highOther[place] = high[i]!
    lowOther[place] = low[i]!
  }
  ids.set(idsOther.subarray(from, to), from)
  high.set(highOther.subarray(from, to), from)
  low.set(lowOther.subarray(from, to), from)
}

function insertionSort(work: Work, from: number, to: number, depth: number): void {
  const { ids } = work
  for (let i = from + 1; i < to; i++) {
    const id = ids[i]!
    let j = i
    while (j > from && isAfter(work, ids[j - 1]!, id, depth)) {
      ids[j] = ids[j - 1]!
      j--
    }
    ids[j] = id
  }
}

/** Returns true if term `a` sorts after term `b`; both are equal before `depth`. */
function isAfter(work: Work, a: number, b: number, depth: number): boolean {
  const { arena, terms } = work
  const aAt = terms[a * 3 + 1]!
  const bAt = terms[b * 3 + 1]!
  const aLength = terms[a * 3 + 2]!
  const bLength = terms[b * 3 + 2]!
  const shared = Math.min(aLength, bLength)
  for (let i = depth; i < shared; i++) {
    const difference = arena[aAt + i]! - arena[bAt + i]!
    if (difference !== 0) return difference > 0
  }
  return aLength > bLength
}
