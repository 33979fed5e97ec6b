// Bits of the documents of one segment, for building a set of them. The ids of a segment lie
// between two bounds, often far from 0: the cost of a set depends on the distance of the bounds,
// not on the number of earlier documents.
import { IdSet, popcount, trailingZeros } from '../../../format/idset/index.ts'

/** The smallest and largest id of a segment. */
export type IdBounds = { readonly idMin: number; readonly idMax: number }

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

/** Returns the set of the bits from `idMin` on; the bits are not modified. */
export function setOfBits(bits: Uint32Array, { idMin }: IdBounds): IdSet {
  const from = idMin >>> 5
  if (bits.length - from > filled.length) filled = new Uint32Array((bits.length - from) * 2)
  let size = 0
  let words = 0
  for (let w = from; w < bits.length; w++) {
    if (bits[w] === 0) continue
    size += popcount(bits[w]!)
    filled[words++] = w
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
