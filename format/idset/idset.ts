// Sets of document ids in memory: immutable, sparse (ascending ids) or dense (one bit an id).
// Shapes and when which: ./IDSET.md. The algebra here is what searching and filtering are made of.
//
// Invariants: sparse ids ascend strictly · dense words carry no bit above the largest id that
// matters, trailing zero words are allowed · nobody writes to an array after a set took it.
import { assert } from '../errors.ts'

const EMPTY_IDS = new Uint32Array(0)

export class IdSet {
  /** Ascending ids, or null when dense. */
  readonly ids: Uint32Array | null
  /** Bit i of word w is id 32 w + i, or null when sparse. */
  readonly words: Uint32Array | null
  #size: number

  private constructor(ids: Uint32Array | null, words: Uint32Array | null, size: number) {
    this.ids = ids
    this.words = words
    this.#size = size
  }

  static readonly empty: IdSet = new IdSet(EMPTY_IDS, null, 0)

  /** Takes ownership of ascending, distinct ids. */
  static ofSorted(ids: Uint32Array): IdSet {
    if (ids.length === 0) return IdSet.empty
    const last = ids[ids.length - 1]!
    if (ids.length <= last / 32) return new IdSet(ids, null, ids.length)
    const words = new Uint32Array((last >>> 5) + 1)
    for (let i = 0; i < ids.length; i++) words[ids[i]! >>> 5]! |= 1 << (ids[i]! & 31)
    return new IdSet(null, words, ids.length)
  }

  /** Ids in any order, repeats allowed. */
  static of(ids: Iterable<number>): IdSet {
    const sorted = Uint32Array.from(new Set(ids)).sort()
    return IdSet.ofSorted(sorted)
  }

  /** Takes ownership of dense words; becomes sparse where that is smaller. */
  static ofWords(words: Uint32Array): IdSet {
    const size = popcountWords(words)
    if (size === 0) return IdSet.empty
    if (size < words.length) return new IdSet(idsOfWords(words, size), null, size)
    return new IdSet(null, words, size)
  }

  /** All ids in [from, to). */
  static range(from: number, to: number): IdSet {
    if (to <= from) return IdSet.empty
    const words = new Uint32Array(((to - 1) >>> 5) + 1)
    fillRange(words, from, to)
    return IdSet.ofWords(words)
  }

  /** How many ids there are; counted once for a dense set. */
  get size(): number {
    if (this.#size < 0) this.#size = popcountWords(this.words!)
    return this.#size
  }

  /** What it takes in memory, about. */
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

  /** The ids, ascending. A view of the set's own array when it is sparse: not to be written to. */
  toArray(): Uint32Array {
    return this.ids ?? idsOfWords(this.words!, this.size)
  }

  /** The first `count` ids, ascending. */
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

  and(other: IdSet): IdSet {
    if (this.words !== null && other.words !== null) return andDense(this.words, other.words)
    if (this.words !== null) return IdSet.#sparse(filterByWords(other.ids!, this.words, true))
    if (other.words !== null) return IdSet.#sparse(filterByWords(this.ids!, other.words, true))
    return IdSet.#sparse(andSparse(this.ids!, other.ids!))
  }

  or(other: IdSet): IdSet {
    if (this.isEmpty) return other
    if (other.isEmpty) return this
    if (this.ids !== null && other.ids !== null)
      return IdSet.ofSorted(orSparse(this.ids, other.ids))
    const long = this.#wordCount() >= other.#wordCount() ? this : other
    const short = long === this ? other : this
    const words = new Uint32Array(long.#wordCount())
    long.orInto(words)
    short.orInto(words)
    return new IdSet(null, words, -1)
  }

  andNot(other: IdSet): IdSet {
    if (this.isEmpty || other.isEmpty) return this
    if (this.ids !== null) {
      if (other.words !== null) return IdSet.#sparse(filterByWords(this.ids, other.words, false))
      return IdSet.#sparse(andNotSparse(this.ids, other.ids!))
    }
    const words = this.words!.slice()
    if (other.ids !== null) clearIds(words, other.ids)
    else {
      const shared = Math.min(words.length, other.words!.length)
      for (let w = 0; w < shared; w++) words[w]! &= ~other.words![w]!
    }
    return IdSet.ofWords(words)
  }

  /** Whether the two have an id in common; stops at the first. */
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

  /** The size of the intersection, which is built only where both are sparse. */
  andSize(other: IdSet): number {
    if (this.words === null && other.words === null) return this.and(other).size
    if (this.words === null) return other.andSize(this)
    let n = 0
    if (other.words === null) {
      const ids = other.ids!
      const words = this.words
      for (let i = 0; i < ids.length; i++) {
        const word = ids[i]! >>> 5
        if (word < words.length && (words[word]! & (1 << (ids[i]! & 31))) !== 0) n++
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

  /** Sets this set's bits in `words`, which reach far enough. */
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

  /** A sparse result stays sparse: it came from a sparse operand and can only be smaller. */
  static #sparse(ids: Uint32Array): IdSet {
    return ids.length === 0 ? IdSet.empty : new IdSet(ids, null, ids.length)
  }

  static ofLazyWords(words: Uint32Array): IdSet {
    return new IdSet(null, words, -1)
  }
}

function andDense(a: Uint32Array, b: Uint32Array): IdSet {
  const words = new Uint32Array(Math.min(a.length, b.length))
  for (let w = 0; w < words.length; w++) words[w] = a[w]! & b[w]!
  return IdSet.ofWords(words)
}

function filterByWords(ids: Uint32Array, words: Uint32Array, keep: boolean): Uint32Array {
  const out = new Uint32Array(ids.length)
  const end = words.length
  let n = 0
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i]!
    const word = id >>> 5
    const inside = word < end && (words[word]! & (1 << (id & 31))) !== 0
    out[n] = id
    if (inside === keep) n++
  }
  return out.subarray(0, n)
}

/** Where the larger list is this many times the smaller, look-ups by doubling beat a merge. */
const GALLOP_RATIO = 16

function andSparse(a: Uint32Array, b: Uint32Array): Uint32Array {
  if (a.length > b.length) return andSparse(b, a)
  const out = new Uint32Array(a.length)
  let n = 0
  let j = 0
  if (b.length > a.length * GALLOP_RATIO) {
    for (let i = 0; i < a.length && j < b.length; i++) {
      j = gallop(b, j, a[i]!)
      if (j < b.length && b[j] === a[i]) out[n++] = a[i]!
    }
    return out.subarray(0, n)
  }
  for (let i = 0; i < a.length && j < b.length; ) {
    const x = a[i]!
    const y = b[j]!
    if (x === y) out[n++] = x
    if (x <= y) i++
    if (y <= x) j++
  }
  return out.subarray(0, n)
}

function orSparse(a: Uint32Array, b: Uint32Array): Uint32Array {
  const out = new Uint32Array(a.length + b.length)
  let n = 0
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const x = a[i]!
    const y = b[j]!
    out[n++] = Math.min(x, y)
    if (x <= y) i++
    if (y <= x) j++
  }
  while (i < a.length) out[n++] = a[i++]!
  while (j < b.length) out[n++] = b[j++]!
  return out.slice(0, n)
}

function andNotSparse(a: Uint32Array, b: Uint32Array): Uint32Array {
  const out = new Uint32Array(a.length)
  let n = 0
  let j = 0
  for (let i = 0; i < a.length; i++) {
    const x = a[i]!
    j = gallop(b, j, x)
    if (j === b.length || b[j] !== x) out[n++] = x
  }
  return out.subarray(0, n)
}

function clearIds(words: Uint32Array, ids: Uint32Array): void {
  for (let i = 0; i < ids.length; i++) {
    const word = ids[i]! >>> 5
    if (word < words.length) words[word]! &= ~(1 << (ids[i]! & 31))
  }
}

/** The first index at or after `from` whose id is not below `id`; O(log distance). */
export function gallop(ids: Uint32Array, from: number, id: number): number {
  let step = 1
  let low = from
  let high = from
  while (high < ids.length && ids[high]! < id) {
    low = high + 1
    high += step
    step *= 2
  }
  if (high > ids.length) high = ids.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ids[middle]! < id) low = middle + 1
    else high = middle
  }
  return low
}

/** The first index below `count` whose id is not below `id`, or `count`. */
export function lowerBound(ids: Uint32Array, id: number, count = ids.length): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ids[middle]! < id) low = middle + 1
    else high = middle
  }
  return low
}

/** Number of one bits (Hacker's Delight, 2nd ed., §5–1). */
export function popcount(x: number): number {
  x -= (x >>> 1) & 0x55555555
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333)
  return (((x + (x >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}

/** Number of zero bits below the lowest one bit; x is not 0. */
export const trailingZeros = (x: number): number => 31 - Math.clz32(x & -x)

function popcountWords(words: Uint32Array): number {
  let n = 0
  for (let w = 0; w < words.length; w++) {
    let x = words[w]!
    if (x === 0) continue
    x -= (x >>> 1) & 0x55555555
    x = (x & 0x33333333) + ((x >>> 2) & 0x33333333)
    n += (((x + (x >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
  }
  return n
}

function idsOfWords(words: Uint32Array, size: number): Uint32Array {
  const out = new Uint32Array(size)
  let n = 0
  for (let w = 0; w < words.length; w++) {
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

/** A set as plain data, for crossing threads: one of the two arrays is there. */
export type IdSetData = { readonly ids: Uint32Array | null; readonly words: Uint32Array | null }

export const idSetData = (set: IdSet): IdSetData => ({ ids: set.ids, words: set.words })

export const idSetOfData = ({ ids, words }: IdSetData): IdSet =>
  ids !== null ? IdSet.ofSorted(ids) : IdSet.ofLazyWords(words!)
