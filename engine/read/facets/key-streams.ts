// The candidates of one segment in order of their sort keys, key by key, in one of two ways:
//   heap a heap with a key for each candidate: for few candidates
//   walk postings from the first value on: for many candidates of which few are needed
import { type FieldReader, NO_KEY } from '../../../format/columns/index.ts'
import type { Postings } from '../../../format/fields/index.ts'
import type { DocId, ValueOrdinal } from '../../../format/ids.ts'
import { type IdSet, trailingZeros } from '../../../format/idset/index.ts'
import type { CandidatePart } from './segments.ts'
import { postingCost } from './value-counts.ts'

export interface KeyStream {
  /** Moves to the next key with candidates; returns false at the end. */
  next(): boolean
  /** As in `FieldReader.sortKeys`: ascending in both directions. */
  readonly key: number
  /** The candidates with this key, ascending; a new array each time. */
  readonly ids: Uint32Array
}

/** Number of buckets that a consumer is expected to read; used to choose the way. */
const LIKELY_BUCKETS = 20
/** Measured nanoseconds for adding a candidate to the heap, and for removing it. */
const HEAP_COST = 15
const TAKE_COST = 60

/** Returns null if no candidate can have a value. */
export function keyStream(
  part: CandidatePart,
  field: FieldReader,
  descending: boolean,
): KeyStream | null {
  const { numbers, strings } = field
  if (numbers === null && strings === null) return null
  const docs = part.segment.reader.docCount
  const values = field.numberCount + field.stringCount
  const total = (numbers?.rows.total ?? 0) + (strings?.rows.total ?? 0)
  const docsPerValue = total / values
  const chance = Math.min(1, (docsPerValue * part.size) / docs)
  const walked = Math.min(values, LIKELY_BUCKETS / chance)
  const taken = Math.min(part.size, LIKELY_BUCKETS * Math.max(1, docsPerValue * (part.size / docs)))
  const walkCost = walked * postingCost(docsPerValue, docs)
  const heapCost = part.size * HEAP_COST + taken * TAKE_COST
  if (walkCost >= heapCost && part.size < PLACES) return new HeapedKeys(part, field, descending)
  const likely = leastKey(field, sample(part), descending)
  const skipCost = part.size * KEY_COST
  const isFar = likely > values / FAR_PART && likely * postingCost(docsPerValue, docs) > skipCost
  const first = isFar ? leastKey(field, part.ids, descending) : 0
  return new WalkedKeys(part, field, descending, first)
}

/** Nanoseconds for reading the key of a candidate. */
const KEY_COST = 8
/** Candidates whose keys tell where those of all begin. */
const SAMPLED = 64
/**
 * If the least key of the sample is beyond this part of the values, a walk from the first value on
 * would read many that no candidate has: prices below 3 in descending order begin after most.
 */
const FAR_PART = 8

/** Returns some of the candidates, spread over all ids, ascending and possibly repeated. */
function sample({ set }: CandidatePart): Uint32Array {
  const { ids, words } = set
  const some = new Uint32Array(SAMPLED)
  const step = (words ?? ids!).length / SAMPLED
  for (let i = 0, w = 0; i < SAMPLED; i++) {
    const at = Math.floor(i * step)
    if (words === null) {
      some[i] = ids![at]!
      continue
    }
    w = Math.max(w, at)
    while (w < words.length && words[w] === 0) w++
    if (w === words.length) return some.subarray(0, i)
    some[i] = w * 32 + trailingZeros(words[w]!)
  }
  return some
}

/** Returns the least key of ascending candidates, or 0 if none has a key. */
function leastKey(field: FieldReader, ids: Uint32Array, descending: boolean): number {
  const keys = new Uint32Array(ids.length)
  field.sortKeys(ids, 0, ids.length, descending, keys)
  let least = NO_KEY
  for (let i = 0; i < keys.length; i++) least = Math.min(least, keys[i]!)
  return least === NO_KEY ? 0 : least
}

/**
 * Keys are u32 and positions among the candidates are below this: both together are exact in one
 * double.
 */
const PLACES = 2 ** 21

class HeapedKeys implements KeyStream {
  key = -1
  ids = new Uint32Array(0)
  readonly #candidates: Uint32Array
  readonly #heap: Float64Array
  #size: number

  constructor(part: CandidatePart, field: FieldReader, descending: boolean) {
    const ids = part.ids
    const keys = new Uint32Array(ids.length)
    field.sortKeys(ids, 0, ids.length, descending, keys)
    const heap = new Float64Array(ids.length)
    let n = 0
    for (let i = 0; i < ids.length; i++) if (keys[i] !== NO_KEY) heap[n++] = keys[i]! * PLACES + i
    this.#candidates = ids
    this.#heap = heap
    this.#size = n
    for (let i = (n >>> 1) - 1; i >= 0; i--) siftDown(heap, i, n)
  }

  next(): boolean {
    if (this.#size === 0) return false
    this.key = Math.floor(this.#heap[0]! / PLACES)
    const ids: DocId[] = []
    while (this.#size > 0) {
      const top = this.#heap[0]!
      if (Math.floor(top / PLACES) !== this.key) break
      ids.push(this.#candidates[top % PLACES]!)
      this.#heap[0] = this.#heap[--this.#size]!
      siftDown(this.#heap, 0, this.#size)
    }
    this.ids = Uint32Array.from(ids)
    return true
  }
}

function siftDown(heap: Float64Array, at: number, size: number): void {
  const value = heap[at]!
  for (;;) {
    let child = at * 2 + 1
    if (child >= size) break
    if (child + 1 < size && heap[child + 1]! < heap[child]!) child++
    if (heap[child]! >= value) break
    heap[at] = heap[child]!
    at = child
  }
  heap[at] = value
}

class WalkedKeys implements KeyStream {
  key: number
  ids = new Uint32Array(0)
  readonly #field: FieldReader
  readonly #descending: boolean
  /** The candidates not returned yet. */
  readonly #words: Uint32Array
  /** Number of candidates not returned yet. */
  #left: number
  readonly #numbers: number
  readonly #keys: number

  /** `first`: no candidate has a smaller key. */
  constructor(part: CandidatePart, field: FieldReader, descending: boolean, first: number) {
    this.key = first - 1
    this.#field = field
    this.#descending = descending
    this.#words = part.words.slice()
    this.#left = part.set.andSize(valued(field))
    this.#numbers = field.numberCount
    this.#keys = field.numberCount + field.stringCount
  }

  next(): boolean {
    const words = this.#words
    while (this.#left > 0 && this.key + 1 < this.#keys) {
      const key = ++this.key
      const isNumber = key < this.#numbers
      const column = isNumber ? this.#field.numbers! : this.#field.strings!
      const rank = isNumber ? key : key - this.#numbers
      const ordinal = this.#descending ? column.count - 1 - rank : rank
      if (!takeIds(column.postings, ordinal, words, this)) continue
      this.#left -= this.ids.length
      return true
    }
    return false
  }
}

/** Moves the ids with a value from `words` to `target.ids`; returns false if no id moved. */
function takeIds(
  postings: Postings,
  ordinal: ValueOrdinal,
  words: Uint32Array,
  target: { ids: Uint32Array<ArrayBuffer> },
): boolean {
  const all = postings.ids(ordinal)
  const taken = new Uint32Array(all.length)
  let n = 0
  for (let i = 0; i < all.length; i++) {
    const id = all[i]!
    const word = id >>> 5
    const bit = 1 << (id & 31)
    if (word >= words.length || (words[word]! & bit) === 0) continue
    words[word]! &= ~bit
    taken[n++] = id
  }
  if (n === 0) return false
  target.ids = n === taken.length ? taken : taken.slice(0, n)
  return true
}

/** The documents of a segment with a value. */
export const valued = (field: FieldReader): IdSet => field.numberHolders().or(field.stringHolders())
