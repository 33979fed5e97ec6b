// The documents that have a row: an id set with ranks. Row r of a column belongs to the r-th
// smallest member, so rows need no ids: the rank of a document is the index of its row.
import { assert } from '../errors.ts'
import type { DocId } from '../ids.ts'
import { gallop, type IdSet, lowerBound, popcount, trailingZeros } from '../idset/index.ts'

/**
 * An id set with ranks in one of three representations: one run of ids (rank by subtraction),
 * sparse (binary search), dense (a count of members before each word, built once: 1 bit and a u32
 * per 32 ids).
 */
export class Members {
  readonly set: IdSet
  readonly size: number
  /** The smallest id, or 0. */
  readonly first: number
  /** True if the ids are one run without gaps. */
  readonly contiguous: boolean
  readonly #ids: Uint32Array | null
  readonly #words: Uint32Array | null
  #before: Uint32Array | null = null

  constructor(set: IdSet) {
    this.set = set
    this.size = set.size
    this.first = set.isEmpty ? 0 : set.min
    this.contiguous = set.isEmpty || set.max - set.min + 1 === set.size
    this.#ids = set.ids
    this.#words = set.words
  }

  /** Returns the rank of `id` among the members, or -1. */
  rankOf(id: DocId): number {
    if (this.contiguous) {
      const rank = id - this.first
      return rank >= 0 && rank < this.size ? rank : -1
    }
    if (this.#ids !== null) {
      const at = lowerBound(this.#ids, id)
      return at < this.#ids.length && this.#ids[at] === id ? at : -1
    }
    const word = id >>> 5
    const words = this.#words!
    if (word >= words.length) return -1
    const bit = 1 << (id & 31)
    if ((words[word]! & bit) === 0) return -1
    return this.#countsBefore()[word]! + popcount(words[word]! & (bit - 1))
  }

  /** Writes `rankOf` of the ascending ids[from, to) into `ranks` from index 0 on. */
  ranks(ids: Uint32Array, from: number, to: number, ranks: Int32Array): void {
    if (this.contiguous) runRanks(ids, from, to, this.first, this.size, ranks)
    else if (this.#ids !== null) sparseRanks(ids, from, to, this.#ids, ranks)
    else denseRanks(ids, from, to, this.#words!, this.#countsBefore(), ranks)
  }

  /** Returns the member with rank `rank`, which must exist. */
  idAt(rank: number): number {
    assert(rank >= 0 && rank < this.size, 'a rank is below the number of members')
    if (this.contiguous) return this.first + rank
    if (this.#ids !== null) return this.#ids[rank]!
    const before = this.#countsBefore()
    let low = 0
    let high = before.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (before[middle]! <= rank) low = middle + 1
      else high = middle
    }
    const word = low - 1
    let bits = this.#words![word]!
    for (let skip = rank - before[word]!; skip > 0; skip--) bits &= bits - 1
    return word * 32 + trailingZeros(bits)
  }

  #countsBefore(): Uint32Array {
    if (this.#before !== null) return this.#before
    const words = this.#words!
    const before = new Uint32Array(words.length)
    let count = 0
    for (let w = 0; w < words.length; w++) {
      before[w] = count
      count += popcount(words[w]!)
    }
    this.#before = before
    return before
  }
}

function runRanks(
  ids: Uint32Array,
  from: number,
  to: number,
  first: number,
  size: number,
  ranks: Int32Array,
): void {
  for (let i = from; i < to; i++) {
    const rank = ids[i]! - first
    ranks[i - from] = rank >= 0 && rank < size ? rank : -1
  }
}

function sparseRanks(
  ids: Uint32Array,
  from: number,
  to: number,
  members: Uint32Array,
  ranks: Int32Array,
): void {
  let at = 0
  for (let i = from; i < to; i++) {
    at = gallop(members, at, ids[i]!)
    ranks[i - from] = at < members.length && members[at] === ids[i]! ? at : -1
  }
}

function denseRanks(
  ids: Uint32Array,
  from: number,
  to: number,
  words: Uint32Array,
  before: Uint32Array,
  ranks: Int32Array,
): void {
  for (let i = from; i < to; i++) {
    const id = ids[i]!
    const word = id >>> 5
    const bits = word < words.length ? words[word]! : 0
    const bit = 1 << (id & 31)
    ranks[i - from] = (bits & bit) === 0 ? -1 : before[word]! + popcount(bits & (bit - 1))
  }
}
