// Selects the largest of many counts without sorting all of them: facets show a hundred values of
// tens of thousands, most of which have a count of one.

/** Counts up to this are selected with a table of frequencies; larger ones by sorting a copy. */
const TABLE_COUNT_MAX = 65535

/**
 * Returns the indices of the `wanted` largest counts, largest first, ties by larger index first.
 */
export function topByCount(counts: Uint32Array, wanted: number): Uint32Array {
  const taken = wanted >= counts.length ? everything(counts.length) : above(counts, wanted)
  return taken.sort((a, b) => counts[b]! - counts[a]! || b - a)
}

function everything(length: number): Uint32Array {
  const all = new Uint32Array(length)
  for (let i = 0; i < length; i++) all[i] = i
  return all
}

/**
 * The `wanted` largest, unordered: those above the threshold, and the last of those equal to it.
 */
function above(counts: Uint32Array, wanted: number): Uint32Array {
  const taken = new Uint32Array(wanted)
  if (wanted === 0) return taken
  const threshold = nthLargest(counts, wanted)
  let n = 0
  for (let i = 0; i < counts.length; i++) if (counts[i]! > threshold) taken[n++] = i
  for (let i = counts.length - 1; n < wanted; i--) if (counts[i] === threshold) taken[n++] = i
  return taken
}

/** Returns the n-th largest count, with n from 1, or 0 if there are fewer counts. */
export function nthLargest(counts: Uint32Array, n: number): number {
  if (n > counts.length) return 0
  let largest = 0
  for (let i = 0; i < counts.length; i++) if (counts[i]! > largest) largest = counts[i]!
  if (largest > TABLE_COUNT_MAX) return counts.slice().sort()[counts.length - n]!
  const table = new Uint32Array(largest + 1)
  for (let i = 0; i < counts.length; i++) table[counts[i]!]!++
  let count = largest
  for (let seen = table[count]!; seen < n; seen += table[count]!) count--
  return count
}
