// Computes distances between two groups of words in a document from their occurrences
// (docs/search-semantics.md#proximity). Only distances 1, 2 and 3 inside one field, in the given
// order, count.
import type { LocalOccurrences } from './local-occurrences.ts'

/** Larger distances are all the same: "not near". */
export const PAIR_DISTANCE_MAX = 3

/**
 * Returns the least distance position(b) − position(a) within 1..3 inside one field of document
 * `d`, or 4 without one. One merge of two ascending runs.
 */
export function forwardDistance(a: LocalOccurrences, b: LocalOccurrences, d: number): number {
  const aEnd = a.starts[d + 1]!
  const bEnd = b.starts[d + 1]!
  let i = a.starts[d]!
  let j = b.starts[d]!
  let least = PAIR_DISTANCE_MAX + 1
  while (i < aEnd && j < bEnd) {
    const x = a.packed[i]!
    const y = b.packed[j]!
    if (y <= x) {
      j++
      continue
    }
    // The nearest b after this a; a later a may be nearer.
    if (y - x < least && x >>> 16 === y >>> 16) {
      least = y - x
      if (least === 1) return 1
    }
    i++
  }
  return least
}

/** Returns true if document `d` has an occurrence of both in the same field. */
export function shareField(a: LocalOccurrences, b: LocalOccurrences, d: number): boolean {
  let i = a.starts[d]!
  let j = b.starts[d]!
  while (i < a.starts[d + 1]! && j < b.starts[d + 1]!) {
    const x = a.packed[i]! >>> 16
    const y = b.packed[j]! >>> 16
    if (x === y) return true
    if (x < y) i++
    else j++
  }
  return false
}
