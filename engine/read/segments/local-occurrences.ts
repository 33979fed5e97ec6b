// Occurrences laid out by document, for those who compare positions inside one document.
import type { Occurrences } from '../../../format/postings/index.ts'

/**
 * Occurrences of a group of words in some documents: document i of them has packed[starts[i],
 * starts[i+1]).
 */
export type LocalOccurrences = { readonly starts: Uint32Array; readonly packed: Uint32Array }

/**
 * Lays entries of many words out by document: a counting sort, then each document's few values. All
 * documents of entries are among ascending `ids`.
 */
export function gather(found: Occurrences, ids: Uint32Array): LocalOccurrences {
  if (isAligned(found, ids)) {
    // One word in every document: laid out already. The buffer is used again, so it is copied.
    const starts = found.starts.slice(0, ids.length + 1)
    return { starts, packed: found.packed.slice(0, starts[ids.length]) }
  }
  const starts = new Uint32Array(ids.length + 1)
  const total = found.starts[found.count]!
  const at = new Uint32Array(found.count)
  let ordered = true
  let index = 0
  for (let d = 0; d < found.count; d++) {
    const doc = found.docs[d]!
    // Ascending within a term: a document that does not ascend is the next term's.
    if (d > 0 && doc <= found.docs[d - 1]!) {
      if (ids[index]! > doc) index = 0
      ordered = false
    }
    index = seekId(ids, index, doc)
    at[d] = index
    starts[index + 1]! += found.starts[d + 1]! - found.starts[d]!
  }
  for (let i = 0; i < ids.length; i++) starts[i + 1]! += starts[i]!
  const packed = new Uint32Array(total)
  const next = starts.slice(0, ids.length)
  for (let d = 0; d < found.count; d++) {
    const to = at[d]!
    for (let i = found.starts[d]!; i < found.starts[d + 1]!; i++)
      packed[next[to]!++] = found.packed[i]!
  }
  if (!ordered) sortRuns(starts, packed, ids.length)
  return { starts, packed }
}

/** Whether there is one entry per document, in their order. */
function isAligned(found: Occurrences, ids: Uint32Array): boolean {
  if (found.count !== ids.length) return false
  const { docs } = found
  for (let d = 0; d < ids.length; d++) if (docs[d] !== ids[d]) return false
  return true
}

/** The index of `id`, which is there, at or after `from`. */
function seekId(ids: Uint32Array, from: number, id: number): number {
  let step = 1
  let high = from
  let low = from
  while (high < ids.length && ids[high]! < id) {
    low = high + 1
    high += step
    step *= 2
  }
  if (high >= ids.length) high = ids.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ids[middle]! < id) low = middle + 1
    else high = middle
  }
  return low
}

/** Sorts each document's values by insertion: they are few and mostly in order. */
function sortRuns(starts: Uint32Array, packed: Uint32Array, count: number): void {
  for (let d = 0; d < count; d++) {
    const from = starts[d]!
    const to = starts[d + 1]!
    if (to - from > 64) {
      packed.subarray(from, to).sort()
      continue
    }
    for (let i = from + 1; i < to; i++) {
      const value = packed[i]!
      let j = i - 1
      for (; j >= from && packed[j]! > value; j--) packed[j + 1] = packed[j]!
      packed[j + 1] = value
    }
  }
}
