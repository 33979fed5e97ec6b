// Groups the documents of a posting by field and by position, in memory that is used again.
import {
  BUCKET_INDEX,
  BUCKETS,
  EARLY_BUCKETS,
  FIELD_ID_MAX,
  LATE_SETS_DOCUMENTS_MIN,
  POSITION_SETS_DOCUMENTS_MIN,
} from './limits.ts'

/**
 * Ascending ids with a given field id or position bucket. An array identical to `docs` means all
 * documents.
 */
export type KeyedSet = { readonly key: number; readonly ids: Uint32Array }
export type PostingSets = {
  readonly docs: Uint32Array
  readonly fields: readonly KeyedSet[]
  readonly positions: readonly KeyedSet[]
}

/**
 * Returns the distinct ids, ascending, at the start of the same memory, which it overwrites: a
 * view.
 */
export type Distinct = (ids: Uint32Array) => Uint32Array

/** Occurrences [from, to) of two parallel arrays. */
type Range = {
  readonly docs: Uint32Array
  readonly packed: Uint32Array
  readonly from: number
  readonly to: number
}

/** Entries of each memory that are kept for the next posting; a larger one is dropped. */
const KEPT_ENTRIES_MAX = 1 << 20

export class OccurrenceSets {
  readonly #distinct: Distinct
  #docs = new Uint32Array(1 << 10)
  #fieldDocs = new Uint32Array(1 << 10)
  #positionDocs = new Uint32Array(1 << 10)
  /** By field id: 1 + its index among the fields of the posting, or 0. */
  readonly #slots = new Uint16Array(FIELD_ID_MAX + 1)
  /** By position bucket: the end of its documents. */
  readonly #ends = new Uint32Array(BUCKETS.length)

  constructor(distinct: Distinct) {
    this.#distinct = distinct
  }

  /**
   * Returns the sets of occurrences [from, to), as for `PostingEncoder.encode`, except that
   * documents are in an order that `distinct` accepts. The arrays are views, valid until the next
   * call.
   */
  collect(docs: Uint32Array, packed: Uint32Array, from: number, to: number): PostingSets {
    const count = to - from
    if (count > this.#docs.length || this.#docs.length > KEPT_ENTRIES_MAX) this.#allocate(count)
    this.#docs.set(docs.subarray(from, to))
    const all = this.#distinct(this.#docs.subarray(0, count))
    const range = { docs, packed, from, to }
    return { docs: all, fields: this.#byField(range, all), positions: this.#byPosition(range, all) }
  }

  #allocate(count: number): void {
    const doubled = Math.min(this.#docs.length * 2, KEPT_ENTRIES_MAX)
    const room = Math.max(count, doubled)
    this.#docs = new Uint32Array(room)
    this.#fieldDocs = new Uint32Array(room)
    this.#positionDocs = new Uint32Array(room)
  }

  #byField({ docs, packed, from, to }: Range, all: Uint32Array): KeyedSet[] {
    const slots = this.#slots
    const fields: number[] = []
    const counts: number[] = []
    for (let i = from; i < to; i++) {
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
    const grouped = this.#fieldDocs
    for (let i = from; i < to; i++) {
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

  #byPosition({ docs, packed, from, to }: Range, all: Uint32Array): KeyedSet[] {
    const sets: KeyedSet[] = []
    const kept = bucketsKept(all.length)
    if (kept === 0) return sets
    const ends = this.#ends.fill(0)
    for (let i = from; i < to; i++) ends[BUCKET_INDEX[packed[i]! & 0xffff]!]! += 1
    let end = 0
    for (let bucket = 0; bucket < kept; bucket++) {
      const count = ends[bucket]!
      ends[bucket] = end
      end += count
    }
    const grouped = this.#positionDocs
    for (let i = from; i < to; i++) {
      const bucket = BUCKET_INDEX[packed[i]! & 0xffff]!
      if (bucket < kept) grouped[ends[bucket]!++] = docs[i]!
    }
    for (let bucket = 0, start = 0; bucket < kept; bucket++) {
      const ids = grouped.subarray(start, ends[bucket])
      start = ends[bucket]!
      if (ids.length > 0) sets.push(this.#keyed(BUCKETS[bucket]!, ids, all))
    }
    return sets
  }

  #keyed(key: number, docs: Uint32Array, all: Uint32Array): KeyedSet {
    const ids = this.#distinct(docs)
    return { key, ids: ids.length === all.length ? all : ids }
  }
}

/** `Distinct` of ascending ids. */
export function dropRepeats(sorted: Uint32Array): Uint32Array {
  let n = 0
  for (let i = 0; i < sorted.length; i++) {
    if (n === 0 || sorted[n - 1] !== sorted[i]) sorted[n++] = sorted[i]!
  }
  return sorted.subarray(0, n)
}

/** Returns the number of buckets for which a list of `documents` stores sets. */
export function bucketsKept(documents: number): number {
  if (documents < POSITION_SETS_DOCUMENTS_MIN) return 0
  return documents < LATE_SETS_DOCUMENTS_MIN ? EARLY_BUCKETS : BUCKETS.length
}

const byKey = (a: KeyedSet, b: KeyedSet): number => a.key - b.key
