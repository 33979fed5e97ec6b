// Decoded postings of a small segment. A search reads the same word in one field after another, or
// at one position after another, and the next search does so again; a segment of some hundred
// documents is open for a second or two. Decoded postings take several times the size of the
// segment, so there is a limit.
import type { TermOrdinal } from '../../../format/ids.ts'
import { Occurrences, positionBucket, type TextReader } from '../../../format/postings/index.ts'
import type { Where } from './where.ts'

/** Occurrences (8 bytes each) that stay decoded for one segment before all are dropped. */
const OCCURRENCES_MAX = 32_768
/** Overhead of a posting, in occurrences: an array and a map entry take about 128 bytes. */
const POSTING_OCCURRENCES = 16

/** Shared by the thread, because one posting is decoded at a time. */
const scratch = new Occurrences()

export class SmallPostings {
  readonly #reader: TextReader
  /** By ordinal: document and location (`field << 16 | position`) of each occurrence, in order. */
  readonly #decoded = new Map<number, Uint32Array>()
  #count = 0

  constructor(reader: TextReader) {
    this.#reader = reader
  }

  /**
   * Writes the documents of a term within `where`, ascending, to `ids` from `n` on; returns the new
   * end. `ids` must have room for all documents of the term.
   */
  read(ordinal: TermOrdinal, where: Where, ids: Uint32Array, n: number): number {
    const pairs = this.#decoded.get(ordinal) ?? this.#decode(ordinal)
    const { buckets, fields } = where
    let last = -1
    for (let i = 0; i < pairs.length; i += 2) {
      const id = pairs[i]!
      if (id === last) continue
      const place = pairs[i + 1]!
      if (buckets !== null) {
        if (!holds(buckets, positionBucket(place & 0xffff))) continue
      } else if (fields !== null && !holds(fields, place >>> 16)) continue
      last = id
      ids[n++] = id
    }
    return n
  }

  #decode(ordinal: TermOrdinal): Uint32Array {
    scratch.clear()
    this.#reader.allOccurrences(ordinal, scratch)
    const { count, docs, packed, starts } = scratch
    const total = starts[count]!
    const pairs = new Uint32Array(total * 2)
    let n = 0
    for (let d = 0; d < count; d++) {
      for (let i = starts[d]!; i < starts[d + 1]!; i++) {
        pairs[n++] = docs[d]!
        pairs[n++] = packed[i]!
      }
    }
    this.#count += total + POSTING_OCCURRENCES
    if (this.#count > OCCURRENCES_MAX) {
      this.#decoded.clear()
      this.#count = total + POSTING_OCCURRENCES
    }
    this.#decoded.set(ordinal, pairs)
    return pairs
  }
}

/** Lists of fields and buckets are short, and `includes` would be a call for each occurrence. */
function holds(list: readonly number[], value: number): boolean {
  for (let i = 0; i < list.length; i++) if (list[i] === value) return true
  return false
}
