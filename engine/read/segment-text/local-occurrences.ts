// Occurrences grouped by document, for comparing positions inside a document.
import { gallop } from '../../../format/idset/index.ts'
import type { Occurrences } from '../../../format/postings/index.ts'
import type { SegmentText } from './segment-text.ts'
import type { Word } from './word.ts'

/**
 * Occurrences of a group of words in some documents: those of document i are packed[starts[i],
 * starts[i+1]).
 */
export type LocalOccurrences = { readonly starts: Uint32Array; readonly packed: Uint32Array }

const NO_RANGE = { from: 0, to: 0 }

/**
 * Returns the occurrences of words of segment number `s`, and of those with a prefix, in ascending
 * `ids`, or null where the kernel does not answer.
 */
export function kernelOccurrences(
  text: SegmentText,
  s: number,
  words: readonly Word[],
  prefix: Uint8Array | null,
  ids: Uint32Array,
): LocalOccurrences | null {
  const { reader } = text
  const postings = reader.shared?.postings() ?? null
  if (postings === null) return null
  const { from, to } = prefix === null ? NO_RANGE : reader.fst.range(prefix)
  const ordinals: number[] = []
  for (let i = 0; i < words.length; i++) {
    const ordinal = words[i]!.ordinals[s]!
    if (ordinal >= 0 && (ordinal < from || ordinal >= to)) ordinals.push(ordinal)
    const { within } = words[i]!
    if (within !== null) for (const one of text.termsWith(within)) ordinals.push(one)
  }
  return postings.occurrences(ordinals, from, to, ids)
}

/**
 * Groups entries of many words by document: a counting sort, then a sort of each document's few
 * values. The documents of all entries are among ascending `ids`.
 */
export function gather(found: Occurrences, ids: Uint32Array): LocalOccurrences {
  if (isAligned(found, ids)) {
    // One word in every document: grouped already. The buffer is reused, so it is copied.
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
    // Entries ascend within a term: a document that does not ascend begins the next term.
    if (d > 0 && doc <= found.docs[d - 1]!) {
      if (ids[index]! > doc) index = 0
      ordered = false
    }
    index = gallop(ids, index, doc)
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

/** Returns true if there is one entry for each document, in order. */
function isAligned(found: Occurrences, ids: Uint32Array): boolean {
  if (found.count !== ids.length) return false
  const { docs } = found
  for (let d = 0; d < ids.length; d++) if (docs[d] !== ids[d]) return false
  return true
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
