// Bits of the documents of one segment, for building a set of them. The ids of a segment lie
// between two bounds, often far from 0: the cost of a set depends on the distance of the bounds,
// not on the number of earlier documents.
import { IdSet, popcount, trailingZeros } from '../../../format/idset/index.ts'

/** The smallest and largest id of a segment. */
export type IdBounds = { readonly idMin: number; readonly idMax: number }

/**
 * The documents of a segment whose ids begin far from 0, as bits from its first word on. After a
 * large import an index has many such segments until they are merged: a set with bits from 0 on, or
 * ids of four bytes, takes several times the memory, and as much longer to be united.
 */
export class WindowSet {
  /** The number of words before the first one. */
  readonly from: number
  readonly words: Uint32Array
  readonly size: number

  /** Takes ownership of `words`, which have `size` bits. */
  constructor(from: number, words: Uint32Array, size: number) {
    this.from = from
    this.words = words
    this.size = size
  }

  get byteLength(): number {
    return 64 + this.words.byteLength
  }

  get isEmpty(): boolean {
    return this.size === 0
  }

  /** Sets the bits of the documents that are not in `dead`; null for none. */
  orLiveInto(bits: Uint32Array, dead: IdSet | null): void {
    const { from, words } = this
    if (dead === null || dead.isEmpty) {
      for (let w = 0; w < words.length; w++) bits[from + w]! |= words[w]!
      return
    }
    const live = words.slice()
    if (dead.words === null) {
      for (const id of dead.ids!) {
        const word = (id >>> 5) - from
        if (word >= 0 && word < live.length) live[word]! &= ~(1 << (id & 31))
      }
    }
    for (let w = 0; w < live.length; w++) {
      bits[from + w]! |= live[w]! & ~(dead.words?.[from + w] ?? 0)
    }
  }
}

/** The documents of one segment: a set from id 0 on, or a window. */
export type SegmentSet = IdSet | WindowSet

/** Shared by the thread, because one set is built at a time. */
let scratch = new Uint32Array(1024)

/** Positions of the words that are not 0; shared like `scratch`. */
let filled = new Uint32Array(1024)

/**
 * Returns one bit for each id up to `idMax`, cleared from `idMin` on; earlier bits are undefined.
 * The next call reuses the memory.
 */
export function clearedBits({ idMin, idMax }: IdBounds): Uint32Array {
  const end = (idMax >>> 5) + 1
  if (end > scratch.length) scratch = new Uint32Array(end * 2)
  return scratch.subarray(0, end).fill(0, idMin >>> 5)
}

/**
 * Returns the set of the bits from `idMin` on; the bits are not modified. `mayBeWindow`: false if
 * it is not united with the sets of other segments.
 */
export function setOfBits(bits: Uint32Array, bounds: IdBounds, mayBeWindow: false): IdSet
export function setOfBits(bits: Uint32Array, bounds: IdBounds, mayBeWindow: boolean): SegmentSet
export function setOfBits(
  bits: Uint32Array,
  { idMin }: IdBounds,
  mayBeWindow: boolean,
): SegmentSet {
  const from = idMin >>> 5
  if (bits.length - from > filled.length) filled = new Uint32Array((bits.length - from) * 2)
  let size = 0
  let words = 0
  for (let w = from; w < bits.length; w++) {
    if (bits[w] === 0) continue
    size += popcount(bits[w]!)
    filled[words++] = w
  }
  const span = bits.length - from
  if (mayBeWindow && from > span && size >= span) {
    return new WindowSet(from, bits.slice(from), size)
  }
  if (size >= bits.length) {
    const dense = new Uint32Array(bits.length)
    dense.set(bits.subarray(from), from)
    return IdSet.ofWords(dense)
  }
  const ids = new Uint32Array(size)
  let n = 0
  // A sparse set has few filled words among many: the second pass visits only those.
  for (let i = 0; i < words; i++) {
    const w = filled[i]!
    for (let left = bits[w]!; left !== 0; left &= left - 1) ids[n++] = w * 32 + trailingZeros(left)
  }
  return IdSet.ofSorted(ids)
}

/** Shared by the thread: cleared bits for ids; the user clears them again. */
let bitsScratch = new Uint32Array(1024)

/** Returns bits for ids below `idEnd`; all are clear. */
export function rangeBits(idEnd: number): Uint32Array {
  const words = (idEnd >>> 5) + 1
  if (words > bitsScratch.length) bitsScratch = new Uint32Array(words * 2)
  return bitsScratch
}

/** Up to this many ids are sorted here, because a call of the runtime takes longer. */
const INSERTION_MAX = 24

/** Sorts ids in place and removes duplicates. */
export function sortDistinct(ids: Uint32Array): Uint32Array {
  if (ids.length <= INSERTION_MAX) insertionSort(ids)
  else ids.sort()
  let n = 0
  for (let i = 0; i < ids.length; i++) if (i === 0 || ids[i] !== ids[n - 1]) ids[n++] = ids[i]!
  return ids.subarray(0, n)
}

function insertionSort(ids: Uint32Array): void {
  for (let i = 1; i < ids.length; i++) {
    const id = ids[i]!
    let j = i - 1
    for (; j >= 0 && ids[j]! > id; j--) ids[j + 1] = ids[j]!
    ids[j + 1] = id
  }
}
