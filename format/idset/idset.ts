// Sets of document ids in memory: immutable, sparse (ascending ids) or dense (one bit per id).
// Representations: ./IDSET.md. Search and filters are built on this algebra.
//
// Invariants: sparse ids ascend strictly · dense words have no bit above the largest id, trailing
// zero words are allowed · an array is never modified after a set took it.
import { assert } from '../errors.ts'
import {
  andNotSparse,
  andSparse,
  clearIds,
  EMPTY_IDS,
  filterByWords,
  lowerBound,
  orSparse,
} from './algebra.ts'
import { andWords, popcount, popcountWords } from './words.ts'

export class IdSet {
  /** Ascending ids, or null if dense. */
  readonly ids: Uint32Array | null
  /** Bit i of word w is id 32 w + i; null if sparse. */
  readonly words: Uint32Array | null
  #size: number

  private constructor(ids: Uint32Array | null, words: Uint32Array | null, size: number) {
    this.ids = ids
    this.words = words
    this.#size = size
  }

  static readonly empty: IdSet = new IdSet(EMPTY_IDS, null, 0)

  /** Creates a set that takes ownership of ascending, distinct ids. */
  static ofSorted(ids: Uint32Array): IdSet {
    if (ids.length === 0) return IdSet.empty
    const last = ids[ids.length - 1]!
    assert(ids[0]! <= last, 'sorted ids ascend')
    if (ids.length <= last / 32) return new IdSet(ids, null, ids.length)
    const words = new Uint32Array((last >>> 5) + 1)
    for (let i = 0; i < ids.length; i++) words[ids[i]! >>> 5]! |= 1 << (ids[i]! & 31)
    return new IdSet(null, words, ids.length)
  }

  /** Creates a set from ids in any order, with or without repetitions. */
  static of(ids: Iterable<number>): IdSet {
    const sorted = Uint32Array.from(new Set(ids)).sort()
    return IdSet.ofSorted(sorted)
  }

  /** Creates a set that takes ownership of dense words. The set is sparse if that is smaller. */
  static ofWords(words: Uint32Array): IdSet {
    const size = popcountWords(words)
    if (size === 0) return IdSet.empty
    if (size < words.length) return new IdSet(idsOfWords(words, size), null, size)
    return new IdSet(null, words, size)
  }

  /** Creates the set of all ids in [from, to). */
  static range(from: number, to: number): IdSet {
    if (to <= from) return IdSet.empty
    const words = new Uint32Array(((to - 1) >>> 5) + 1)
    fillRange(words, from, to)
    return IdSet.ofWords(words)
  }

  /** Number of ids; counted on first use for some dense sets. */
  get size(): number {
    if (this.#size < 0) this.#size = popcountWords(this.words!)
    return this.#size
  }

  /** Estimated memory in bytes. */
  get byteLength(): number {
    return 64 + (this.ids?.byteLength ?? 0) + (this.words?.byteLength ?? 0)
  }

  get isEmpty(): boolean {
    return this.#size === 0 || (this.#size < 0 && this.size === 0)
  }

  /** The smallest id, or -1. */
  get min(): number {
    if (this.ids !== null) return this.ids.length === 0 ? -1 : this.ids[0]!
    const words = this.words!
    for (let w = 0; w < words.length; w++) {
      if (words[w] !== 0) return w * 32 + trailingZeros(words[w]!)
    }
    return -1
  }

  /** The largest id, or -1. */
  get max(): number {
    if (this.ids !== null) return this.ids.length === 0 ? -1 : this.ids[this.ids.length - 1]!
    const words = this.words!
    for (let w = words.length - 1; w >= 0; w--) {
      if (words[w] !== 0) return w * 32 + 31 - Math.clz32(words[w]!)
    }
    return -1
  }

  has(id: number): boolean {
    if (this.words !== null) {
      const word = id >>> 5
      return word < this.words.length && (this.words[word]! & (1 << (id & 31))) !== 0
    }
    const at = lowerBound(this.ids!, id)
    return at < this.ids!.length && this.ids![at] === id
  }

  /**
   * Returns the ids, ascending. For a sparse set this is its own array, which must not be modified.
   */
  toArray(): Uint32Array {
    return this.ids ?? idsOfWords(this.words!, this.size)
  }

  /** Returns the first `count` ids, ascending. */
  first(count: number): Uint32Array {
    if (this.ids !== null) return this.ids.subarray(0, count)
    const out = new Uint32Array(Math.min(count, this.size))
    const words = this.words!
    let n = 0
    for (let w = 0; n < out.length; w++) {
      let bits = words[w]!
      while (bits !== 0 && n < out.length) {
        out[n++] = w * 32 + trailingZeros(bits)
        bits &= bits - 1
      }
    }
    return out
  }

  /** Returns the intersection; one of the operands itself if it equals the result. */
  and(other: IdSet): IdSet {
    if (this === other) return this
    if (this.words !== null && other.words !== null) return this.#andDense(this.words, other)
    if (this.words !== null) return other.#narrowed(filterByWords(other.ids!, this.words, true))
    if (other.words !== null) return this.#narrowed(filterByWords(this.ids!, other.words, true))
    const both = andSparse(this.ids!, other.ids!)
    return both === other.ids ? other : this.#narrowed(both)
  }

  #andDense(own: Uint32Array, other: IdSet): IdSet {
    const words = other.words!
    const end = Math.min(own.length, words.length)
    const both = scratchWords(end)
    const n = andWords(own, words, both, end)
    if (n === this.#size) return this
    return n === other.#size ? other : IdSet.#ofScratch(both, end, n)
  }

  or(other: IdSet): IdSet {
    if (this.isEmpty) return other
    if (other.isEmpty) return this
    if (this.ids !== null && other.ids !== null) {
      const all = orSparse(this.ids, other.ids)
      return all === this.ids ? this : all === other.ids ? other : IdSet.ofSorted(all)
    }
    const long = this.#wordCount() >= other.#wordCount() ? this : other
    const short = long === this ? other : this
    if (long.words !== null && short.ids !== null) return long.#orIds(long.words, short.ids)
    const words = new Uint32Array(long.#wordCount())
    long.orInto(words)
    short.orInto(words)
    return new IdSet(null, words, -1)
  }

  /** Returns this dense set with `ids`, all within its words; itself if it has them. */
  #orIds(own: Uint32Array, ids: Uint32Array): IdSet {
    let words = own
    let added = 0
    for (let i = 0; i < ids.length; i++) {
      const word = ids[i]! >>> 5
      const bit = 1 << (ids[i]! & 31)
      if ((words[word]! & bit) !== 0) continue
      if (words === own) words = own.slice()
      words[word]! |= bit
      added++
    }
    if (added === 0) return this
    return new IdSet(null, words, this.#size < 0 ? -1 : this.#size + added)
  }

  /** Returns the ids that are not in `other`; this set itself if they share none. */
  andNot(other: IdSet): IdSet {
    if (this === other) return IdSet.empty
    if (this.isEmpty || other.isEmpty) return this
    if (this.ids !== null) {
      if (other.words !== null) return this.#narrowed(filterByWords(this.ids, other.words, false))
      return this.#narrowed(andNotSparse(this.ids, other.ids!))
    }
    const own = this.words!
    const left = scratchWords(own.length)
    let n: number
    if (other.ids !== null) {
      left.set(own)
      n = this.size - clearIds(left, other.ids, own.length)
    } else {
      const words = other.words!
      const shared = Math.min(own.length, words.length)
      for (let w = 0; w < shared; w++) left[w] = own[w]! & ~words[w]!
      if (shared < own.length) left.set(own.subarray(shared), shared)
      n = popcountWords(left, own.length)
    }
    return n === this.#size ? this : IdSet.#ofScratch(left, own.length, n)
  }

  /** Returns true if the sets share an id; stops at the first. */
  intersects(other: IdSet): boolean {
    if (this.words !== null && other.words !== null) {
      const shared = Math.min(this.words.length, other.words.length)
      for (let w = 0; w < shared; w++) if ((this.words[w]! & other.words[w]!) !== 0) return true
      return false
    }
    if (this.ids !== null && (other.words !== null || this.ids.length <= other.ids!.length)) {
      for (let i = 0; i < this.ids.length; i++) if (other.has(this.ids[i]!)) return true
      return false
    }
    return other.intersects(this)
  }

  /** Returns true if every id is in `other`; stops at the first that is not. */
  isWithin(other: IdSet): boolean {
    if (this === other) return true
    if (this.words === null) {
      const ids = this.ids!
      for (let i = 0; i < ids.length; i++) if (!other.has(ids[i]!)) return false
      return true
    }
    if (other.words === null) return this.size <= other.size && this.andSize(other) === this.size
    for (let w = 0; w < this.words.length; w++) {
      if ((this.words[w]! & ~(other.words[w] ?? 0)) !== 0) return false
    }
    return true
  }

  /** Returns the size of the intersection; only for two sparse sets is it built. */
  andSize(other: IdSet): number {
    if (this.words === null && other.words === null) return this.and(other).size
    if (this.words === null) return other.andSize(this)
    let n = 0
    if (other.words === null) {
      const ids = other.ids!
      const words = this.words
      for (let i = 0; i < ids.length; i++) {
        const word = ids[i]! >>> 5
        if (word < words.length) n += (words[word]! >>> (ids[i]! & 31)) & 1
      }
      return n
    }
    const shared = Math.min(this.words.length, other.words.length)
    for (let w = 0; w < shared; w++) n += popcount(this.words[w]! & other.words[w]!)
    return n
  }

  equals(other: IdSet): boolean {
    return this.size === other.size && this.andSize(other) === this.size
  }

  /**
   * Sets this set's bits in `words`. Words beyond the end of `words` are ignored for dense sets.
   */
  orInto(words: Uint32Array): void {
    if (this.ids !== null) {
      const ids = this.ids
      for (let i = 0; i < ids.length; i++) words[ids[i]! >>> 5]! |= 1 << (ids[i]! & 31)
      return
    }
    const own = this.words!
    const shared = Math.min(own.length, words.length)
    for (let w = 0; w < shared; w++) words[w]! |= own[w]!
  }

  #wordCount(): number {
    return this.words !== null ? this.words.length : (this.ids![this.ids!.length - 1]! >>> 5) + 1
  }

  /** Builds a subset of this sparse set; it is sparse too. */
  #narrowed(ids: Uint32Array): IdSet {
    if (ids === this.ids) return this
    return ids.length === 0 ? IdSet.empty : new IdSet(ids, null, ids.length)
  }

  /** Builds a set from the first `count` words of scratch memory, which have `size` bits. */
  static #ofScratch(words: Uint32Array, count: number, size: number): IdSet {
    if (size === 0) return IdSet.empty
    if (size < count) return new IdSet(idsOfWords(words, size, count), null, size)
    return new IdSet(null, words.slice(0, count), size)
  }

  static ofLazyWords(words: Uint32Array): IdSet {
    return new IdSet(null, words, -1)
  }
}

/** Per thread: words of the result under construction. */
let scratch = new Uint32Array(1024)

/** Returns scratch memory of at least `count` words with undefined content. */
function scratchWords(count: number): Uint32Array {
  if (count > scratch.length) scratch = new Uint32Array(count * 2)
  return scratch
}

/** Returns the number of zero bits below the lowest one bit; x must not be 0. */
export const trailingZeros = (x: number): number => 31 - Math.clz32(x & -x)

function idsOfWords(words: Uint32Array, size: number, count = words.length): Uint32Array {
  const out = new Uint32Array(size)
  let n = 0
  for (let w = 0; w < count; w++) {
    let bits = words[w]!
    const base = w * 32
    while (bits !== 0) {
      out[n++] = base + 31 - Math.clz32(bits & -bits)
      bits &= bits - 1
    }
  }
  assert(n === size, 'a dense set has as many bits as it counts')
  return out
}

/** Sets the bits [from, to). */
export function fillRange(words: Uint32Array, from: number, to: number): void {
  if (to <= from) return
  assert(from >= 0 && to <= words.length * 32, 'a range of bits is in the words')
  const first = from >>> 5
  const last = (to - 1) >>> 5
  const head = -1 << (from & 31)
  const tail = -1 >>> (31 - ((to - 1) & 31))
  if (first === last) {
    words[first]! |= head & tail
    return
  }
  words[first]! |= head
  words.fill(0xffffffff, first + 1, last)
  words[last]! |= tail
}

/** A set as plain data for messages between threads: exactly one of the arrays is not null. */
export type IdSetData = { readonly ids: Uint32Array | null; readonly words: Uint32Array | null }

export const idSetData = (set: IdSet): IdSetData => ({ ids: set.ids, words: set.words })

export function idSetOfData({ ids, words }: IdSetData): IdSet {
  assert((ids === null) !== (words === null), 'a set has one representation')
  return ids !== null ? IdSet.ofSorted(ids) : IdSet.ofLazyWords(words!)
}
