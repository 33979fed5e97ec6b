// Collects the postings of stored prefixes while terms arrive in byte order · ./POSTINGS.md
//
// Terms with a common prefix are adjacent, so the occurrences of a prefix are one range of a
// buffer, which is emptied whenever the first byte changes. Only ranges of prefixes with enough
// terms become sets: on 25,000 documents with 1.3 M occurrences those are 3 of the 4 levels on
// average.

import { lengthened } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import {
  BUCKET_INDEX,
  BUCKETS,
  FIELD_ID_MAX,
  STORED_PREFIX_BYTES_MAX,
  STORED_PREFIX_TERMS_MIN,
} from './limits.ts'
import {
  bucketsKept,
  type KeyedSet,
  PostingEncoder,
  type PostingSets,
} from './posting-encode-v1.ts'

/**
 * A stored prefix: its key (the bytes as one big-endian u32, zero-padded) and its posting, padded
 * to a multiple of 4 bytes.
 */
export type StoredPrefix = { readonly key: number; readonly posting: Uint8Array }

export class PrefixCollector {
  readonly #idMin: number
  readonly #span: number
  #docs = new Uint32Array(1 << 12)
  #packed = new Uint32Array(1 << 12)
  #count = 0
  /**
   * By level (prefix length − 1): the key of the current prefix or 0, its first entry in the
   * buffer, its number of terms.
   */
  readonly #keys = new Uint32Array(STORED_PREFIX_BYTES_MAX)
  readonly #starts = new Float64Array(STORED_PREFIX_BYTES_MAX)
  readonly #terms = new Uint32Array(STORED_PREFIX_BYTES_MAX)
  /** The first bytes of the last term. */
  readonly #last = new Uint8Array(STORED_PREFIX_BYTES_MAX)
  #lastLength = 0
  readonly #scratch: Uint32Array
  /** Memory for the documents of a range, grouped; for one grouping at a time. */
  #grouped = new Uint32Array(1 << 10)
  /** By field id: 1 + its index among the fields of the current range, or 0. */
  readonly #fieldSlots = new Uint16Array(FIELD_ID_MAX + 1)
  readonly #done: StoredPrefix[] = []

  /** All documents are in [idMin, idMax]. */
  constructor(idMin: number, idMax: number) {
    assert(idMin <= idMax, 'the smallest id is not above the largest')
    this.#idMin = idMin
    this.#span = idMax - idMin + 1
    this.#scratch = new Uint32Array((this.#span >>> 5) + 1)
  }

  /** Adds the next term with its occurrences [from, to), as for `PostingEncoder.encode`. */
  add(term: Uint8Array, docs: Uint32Array, packed: Uint32Array, from: number, to: number): void {
    const shared = this.#sharedWithLast(term)
    this.#closeFrom(shared)
    for (let level = 0; level < shared; level++)
      if (this.#keys[level] !== 0) this.#terms[level]! += 1
    this.#open(term, shared)
    this.#append(docs, packed, from, to)
  }

  #sharedWithLast(term: Uint8Array): number {
    const end = Math.min(STORED_PREFIX_BYTES_MAX, term.length, this.#lastLength)
    let shared = 0
    while (shared < end && term[shared] === this.#last[shared]) shared++
    this.#lastLength = Math.min(term.length, STORED_PREFIX_BYTES_MAX)
    for (let i = shared; i < this.#lastLength; i++) this.#last[i] = term[i]!
    return shared
  }

  /** Returns all stored prefixes, sorted by key. */
  finish(): StoredPrefix[] {
    this.#closeFrom(0)
    return this.#done.sort((a, b) => a.key - b.key)
  }

  #open(term: Uint8Array, from: number): void {
    let key = 0
    for (let level = 0; level < STORED_PREFIX_BYTES_MAX && level < term.length; level++) {
      key = (key | (term[level]! << (24 - level * 8))) >>> 0
      if (level < from || !endsOnCharacter(term, level + 1)) continue
      this.#keys[level] = key
      this.#starts[level] = this.#count
      this.#terms[level] = 1
    }
  }

  #closeFrom(level: number): void {
    for (let l = STORED_PREFIX_BYTES_MAX - 1; l >= level; l--) {
      if (this.#keys[l] !== 0 && this.#terms[l]! >= STORED_PREFIX_TERMS_MIN) this.#store(l)
      this.#keys[l] = 0
    }
    if (this.#keys.every((key) => key === 0)) this.#count = 0
  }

  #append(docs: Uint32Array, packed: Uint32Array, from: number, to: number): void {
    const end = this.#count + (to - from)
    if (end > this.#docs.length) {
      this.#docs = lengthened(this.#docs, Math.max(end, this.#docs.length * 2))
      this.#packed = lengthened(this.#packed, this.#docs.length)
    }
    this.#docs.set(docs.subarray(from, to), this.#count)
    this.#packed.set(packed.subarray(from, to), this.#count)
    this.#count = end
  }

  #store(level: number): void {
    const from = this.#starts[level]!
    const grouped = this.#groupedRoom(this.#count - from)
    grouped.set(this.#docs.subarray(from, this.#count))
    const all = this.#distinct(grouped.subarray(0, this.#count - from))
    const sets: PostingSets = {
      docs: all,
      fields: this.#byField(from, all),
      positions: this.#byPosition(from, all),
    }
    const encoder = new PostingEncoder(this.#idMin)
    encoder.encodeSets(sets)
    const bytes = encoder.flush()
    const posting = new Uint8Array((bytes.length + 3) & ~3)
    posting.set(bytes)
    this.#done.push({ key: this.#keys[level]!, posting })
  }

  #byField(from: number, all: Uint32Array): KeyedSet[] {
    const packed = this.#packed
    const docs = this.#docs
    const slots = this.#fieldSlots
    const fields: number[] = []
    const counts: number[] = []
    for (let i = from; i < this.#count; i++) {
      const field = packed[i]! >>> 16
      let slot = slots[field]!
      if (slot === 0) {
        slot = fields.push(field)
        slots[field] = slot
        counts.push(0)
      }
      counts[slot - 1]! += 1
    }
    // One array for all groups, so optimised code stays valid for any number of groups.
    const ends = new Uint32Array(fields.length)
    let end = 0
    for (let slot = 0; slot < ends.length; slot++) {
      ends[slot] = end
      end += counts[slot]!
    }
    const grouped = this.#groupedRoom(end)
    for (let i = from; i < this.#count; i++) {
      const slot = slots[packed[i]! >>> 16]! - 1
      grouped[ends[slot]!++] = docs[i]!
    }
    for (const field of fields) slots[field] = 0
    // A loop instead of `map`: compiled code gives the array of `map` another hidden class than
    // interpreted code does, so functions that receive it would be deoptimised and compiled again
    // and again.
    const sets: KeyedSet[] = []
    for (let slot = 0; slot < fields.length; slot++) {
      const group = grouped.subarray(ends[slot]! - counts[slot]!, ends[slot])
      sets.push(this.#keyed(fields[slot]!, group, all))
    }
    return sets.sort(byKey)
  }

  #byPosition(from: number, all: Uint32Array): KeyedSet[] {
    const packed = this.#packed
    const docs = this.#docs
    const sets: KeyedSet[] = []
    const kept = bucketsKept(all.length)
    if (kept === 0) return sets
    const ends = new Uint32Array(BUCKETS.length + 1)
    for (let i = from; i < this.#count; i++) ends[BUCKET_INDEX[packed[i]! & 0xffff]! + 1]! += 1
    for (let bucket = 1; bucket <= kept; bucket++) ends[bucket]! += ends[bucket - 1]!
    const starts = ends.slice()
    const grouped = this.#groupedRoom(ends[kept]!)
    for (let i = from; i < this.#count; i++) {
      const bucket = BUCKET_INDEX[packed[i]! & 0xffff]!
      if (bucket < kept) grouped[starts[bucket]!++] = docs[i]!
    }
    for (let bucket = 0; bucket < kept; bucket++) {
      const ids = grouped.subarray(ends[bucket], ends[bucket + 1])
      if (ids.length > 0) sets.push(this.#keyed(BUCKETS[bucket]!, ids, all))
    }
    return sets
  }

  #groupedRoom(length: number): Uint32Array {
    if (length > this.#grouped.length) {
      this.#grouped = new Uint32Array(Math.max(length, this.#grouped.length * 2))
    }
    return this.#grouped
  }

  #keyed(key: number, docs: Uint32Array, all: Uint32Array): KeyedSet {
    const ids = this.#distinct(docs)
    return { key, ids: ids.length === all.length ? all : ids }
  }

  /** Returns the distinct ids, ascending. Sorts `ids` in place if a bitmap would cost more. */
  #distinct(ids: Uint32Array): Uint32Array {
    if (ids.length < this.#scratch.length / 8) return dropRepeats(ids.sort())
    const words = this.#scratch
    const base = this.#idMin
    for (let i = 0; i < ids.length; i++) {
      const bit = ids[i]! - base
      words[bit >>> 5]! |= 1 << (bit & 31)
    }
    let n = 0
    for (let w = 0; w < words.length; w++) {
      let bits = words[w]!
      words[w] = 0
      for (; bits !== 0; bits &= bits - 1) ids[n++] = base + w * 32 + 31 - Math.clz32(bits & -bits)
    }
    return ids.slice(0, n)
  }
}

const byKey = (a: KeyedSet, b: KeyedSet): number => a.key - b.key

/** Returns true if the first `length` bytes of a term end between two characters. */
function endsOnCharacter(term: Uint8Array, length: number): boolean {
  return length === term.length || (term[length]! & 0xc0) !== 0x80
}

function dropRepeats(sorted: Uint32Array): Uint32Array {
  let n = 0
  for (let i = 0; i < sorted.length; i++) {
    if (n === 0 || sorted[n - 1] !== sorted[i]) sorted[n++] = sorted[i]!
  }
  return sorted.slice(0, n)
}

/** Returns the key of a prefix of 1 to 4 bytes. */
export function prefixKey(prefix: Uint8Array): number {
  assert(prefix.length <= STORED_PREFIX_BYTES_MAX, 'a prefix key holds at most four bytes')
  let key = 0
  for (let i = 0; i < prefix.length; i++) key = (key | (prefix[i]! << (24 - i * 8))) >>> 0
  return key
}
