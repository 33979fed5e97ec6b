// Bits of the documents of one segment, while a set of them is made. The ids of a segment lie
// between two bounds, often far from 0: what a set costs depends on how far apart they are, not on
// how many documents there are before them.
import { IdSet, popcount, trailingZeros } from '../../../format/idset/index.ts'

/** The bounds of a segment's ids, themselves included. */
export type IdBounds = { readonly idMin: number; readonly idMax: number }

/** Of the thread: one set is made at a time. */
let scratch = new Uint32Array(1024)

/**
 * One bit an id up to `idMax`, cleared from `idMin` on; what is before is of no use. The next call
 * takes them back.
 */
export function clearedBits({ idMin, idMax }: IdBounds): Uint32Array {
  const end = (idMax >>> 5) + 1
  if (end > scratch.length) scratch = new Uint32Array(end * 2)
  return scratch.subarray(0, end).fill(0, idMin >>> 5)
}

/** The set of the bits from `idMin` on; the bits stay as they are. */
export function setOfBits(bits: Uint32Array, { idMin }: IdBounds): IdSet {
  const from = idMin >>> 5
  let size = 0
  for (let w = from; w < bits.length; w++) if (bits[w] !== 0) size += popcount(bits[w]!)
  if (size >= bits.length) {
    const words = new Uint32Array(bits.length)
    words.set(bits.subarray(from), from)
    return IdSet.ofWords(words)
  }
  const ids = new Uint32Array(size)
  let n = 0
  for (let w = from; w < bits.length; w++) {
    for (let left = bits[w]!; left !== 0; left &= left - 1) ids[n++] = w * 32 + trailingZeros(left)
  }
  return IdSet.ofSorted(ids)
}
