// The same sets as those of `OccurrenceSets`, from occurrences in any order that arrive part by
// part: one bit for each document of a set. Occurrences of a million documents that begin with one
// letter would take a hundred megabytes.
import { IdSet } from '../idset/index.ts'
import { BUCKET_INDEX, BUCKETS } from './limits.ts'
import { bucketsKept, type KeyedSet, type PostingSets } from './occurrence-sets.ts'

/** A set of documents that is a list as long as that takes less memory than bits. */
class Collected {
  #list = new Uint32Array(16)
  #count = 0
  #bits: Uint32Array | null = null

  /** `words`: those of all documents; `id` is below 32 times as much. */
  add(id: number, words: number): void {
    if (this.#bits === null && !this.#makeRoom(words)) {
      this.#list[this.#count++] = id
      return
    }
    this.#bits![id >>> 5]! |= 1 << (id & 31)
  }

  /** Returns the ids plus `base`, ascending. */
  ids(base: number): Uint32Array {
    const set = this.#bits === null ? this.#distinct() : IdSet.ofWords(this.#bits).toArray()
    return set.map((id) => id + base)
  }

  #distinct(): Uint32Array {
    const sorted = this.#list.subarray(0, this.#count).sort()
    return sorted.filter((id, i) => i === 0 || sorted[i - 1] !== id)
  }

  /** Returns false if there is room for an id in the list; else the set has bits from now on. */
  #makeRoom(words: number): boolean {
    const list = this.#list
    if (this.#count < list.length) return false
    if (list.length < words) {
      this.#list = new Uint32Array(list.length * 2)
      this.#list.set(list)
      return false
    }
    const bits = new Uint32Array(words)
    for (let i = 0; i < list.length; i++) bits[list[i]! >>> 5]! |= 1 << (list[i]! & 31)
    this.#bits = bits
    this.#list = new Uint32Array(0)
    return true
  }
}

export class OccurrenceBits {
  readonly #idMin: number
  readonly #words: number
  readonly #docs = new Collected()
  /** By field id and by position bucket. */
  readonly #fields: (Collected | undefined)[] = []
  readonly #buckets: (Collected | undefined)[] = []

  /** All documents are among the `span` ids from `idMin` on. */
  constructor(idMin: number, span: number) {
    this.#idMin = idMin
    this.#words = (span >>> 5) + 1
  }

  /** Adds occurrences [from, to), as for `PostingEncoder.encode`, in any order. */
  add(docs: Uint32Array, packed: Uint32Array, from: number, to: number): void {
    const words = this.#words
    for (let i = from; i < to; i++) {
      const id = docs[i]! - this.#idMin
      const place = packed[i]!
      this.#docs.add(id, words)
      setOf(this.#fields, place >>> 16).add(id, words)
      setOf(this.#buckets, BUCKET_INDEX[place & 0xffff]!).add(id, words)
    }
  }

  sets(): PostingSets {
    const docs = this.#docs.ids(this.#idMin)
    const keyed = (key: number, found: Collected): KeyedSet => {
      const ids = found.ids(this.#idMin)
      return { key, ids: ids.length === docs.length ? docs : ids }
    }
    const fields: KeyedSet[] = []
    for (let field = 0; field < this.#fields.length; field++) {
      const found = this.#fields[field]
      if (found !== undefined) fields.push(keyed(field, found))
    }
    const positions: KeyedSet[] = []
    for (let bucket = 0; bucket < bucketsKept(docs.length); bucket++) {
      const found = this.#buckets[bucket]
      if (found !== undefined) positions.push(keyed(BUCKETS[bucket]!, found))
    }
    return { docs, fields, positions }
  }
}

function setOf(sets: (Collected | undefined)[], key: number): Collected {
  let set = sets[key]
  if (set === undefined) sets[key] = set = new Collected()
  return set
}
