// Converts (document, value) events to rows: the values of a document sorted and without
// repetitions, as ordinals among the values that the field uses.

import { withRoom } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import type { DocId } from '../ids.ts'
import type { RowsData } from './field-data.ts'
import type { ByteInterner } from './intern.ts'
import type { Uint32List } from './packed.ts'

/** Up to this many values of a document are sorted by insertion; more by `TypedArray.sort`. */
const INSERTION_MAX = 24

/** All distinct strings of the segment, in order. */
export type SortedStrings = {
  readonly normalised: ByteInterner
  readonly originals: ByteInterner
  /** By rank of a normalised string: its interned id. */
  readonly order: Uint32Array
  /** Rank of the empty normalised string, or -1. */
  readonly blank: number
  /** By original id: its rank among all originals, ordered by (normalised, original). */
  readonly variantRanks: Uint32Array
  /** By rank of an original: its interned id. */
  readonly variantOrder: Uint32Array
  /** By rank of an original: rank of its normalised string. */
  readonly normalisedRanks: Uint32Array
}

/** Rows, and for each of their ordinals its rank in the whole segment. */
export type BuiltRows = { readonly rows: RowsData; readonly used: Uint32Array }

/**
 * Builds the rows of numbers. `docs[i]` has the value with interned id `values[i]` and rank
 * `ranks[values[i]]`.
 */
export function numberRows(docs: Uint32Array, values: Uint32Array, ranks: Uint32Array): BuiltRows {
  assert(docs.length === values.length, 'each value has a document')
  const target = new RowTarget(docs, values.length)
  const row = new RowScratch()
  for (let i = 0; i < docs.length; ) {
    const id = docs[i]!
    row.clear()
    for (; i < docs.length && docs[i] === id; i++) row.push(ranks[values[i]!]!)
    row.sort()
    target.add(id, row.values, row.dropRepeats())
  }
  return target.finish(ranks.length)
}

/**
 * Builds the rows of originals, as `numberRows` does for numbers. Of originals with the same
 * normalised string the last one stays; a document with a blank one is added to `blanks` instead.
 */
export function stringRows(
  docs: Uint32Array,
  values: Uint32Array,
  sorted: SortedStrings,
  blanks: Uint32List,
): BuiltRows {
  const { variantRanks, normalisedRanks, blank } = sorted
  assert(docs.length === values.length, 'each value has a document')
  const target = new RowTarget(docs, values.length)
  const row = new RowScratch()
  for (let i = 0; i < docs.length; ) {
    const id = docs[i]!
    let isBlank = false
    row.clear()
    for (; i < docs.length && docs[i] === id; i++) {
      const variant = variantRanks[values[i]!]!
      if (normalisedRanks[variant] === blank) isBlank = true
      else row.push(variant)
    }
    if (isBlank) blanks.push(id)
    if (row.length > 0) target.add(id, row.values, row.sortVariants(normalisedRanks))
  }
  return target.finish(variantRanks.length)
}

/** The values of one document while they are sorted. */
class RowScratch {
  values = new Uint32Array(16)
  length = 0

  clear(): void {
    this.length = 0
  }

  push(value: number): void {
    this.values = withRoom(this.values, this.length + 1)
    this.values[this.length++] = value
  }

  sort(): void {
    const { values, length } = this
    if (length > INSERTION_MAX) {
      values.subarray(0, length).sort()
      return
    }
    for (let i = 1; i < length; i++) {
      const value = values[i]!
      let j = i
      for (; j > 0 && values[j - 1]! > value; j--) values[j] = values[j - 1]!
      values[j] = value
    }
  }

  /**
   * Removes repetitions from the sorted values; returns the number of distinct ones, which come
   * first.
   */
  dropRepeats(): number {
    const { values, length } = this
    let n = 0
    for (let i = 0; i < length; i++)
      if (n === 0 || values[i] !== values[n - 1]) values[n++] = values[i]!
    return n
  }

  /**
   * Sorts variants and keeps for each normalised string the variant pushed last. Returns how many
   * remain.
   */
  sortVariants(normalisedRanks: Uint32Array): number {
    if (this.length > INSERTION_MAX) return this.#sortManyVariants(normalisedRanks)
    const { values, length } = this
    let n = 0
    for (let i = 0; i < length; i++) {
      const variant = values[i]!
      const rank = normalisedRanks[variant]!
      let at = n
      while (at > 0 && normalisedRanks[values[at - 1]!]! > rank) at--
      if (at > 0 && normalisedRanks[values[at - 1]!] === rank) {
        values[at - 1] = variant
        continue
      }
      for (let j = n++; j > at; j--) values[j] = values[j - 1]!
      values[at] = variant
    }
    return n
  }

  #sortManyVariants(normalisedRanks: Uint32Array): number {
    const { values, length } = this
    const kept = new Map<number, number>()
    for (let i = 0; i < length; i++) kept.set(normalisedRanks[values[i]!]!, values[i]!)
    this.length = 0
    for (const variant of kept.values()) values[this.length++] = variant
    this.sort()
    return kept.size
  }
}

/** Rows under construction, with ranks instead of ordinals. */
class RowTarget {
  readonly #holders: Uint32Array
  readonly #starts: Uint32Array
  readonly #ranks: Uint32Array
  #holderCount = 0
  #length = 0

  constructor(docs: Uint32Array, values: number) {
    let holders = 0
    for (let i = 0; i < docs.length; i++) if (i === 0 || docs[i] !== docs[i - 1]) holders++
    this.#holders = new Uint32Array(holders)
    this.#starts = new Uint32Array(holders + 1)
    this.#ranks = new Uint32Array(values)
  }

  /** Adds a document with values[0, count). */
  add(id: DocId, values: Uint32Array, count: number): void {
    assert(
      count > 0 && this.#length + count <= this.#ranks.length,
      'a holder has values, with room',
    )
    this.#holders[this.#holderCount++] = id
    for (let i = 0; i < count; i++) this.#ranks[this.#length++] = values[i]!
    this.#starts[this.#holderCount] = this.#length
  }

  /** Replaces the ranks, all below `rankCount`, by ordinals among the ranks in use. */
  finish(rankCount: number): BuiltRows {
    const ranks = this.#ranks.subarray(0, this.#length)
    const used = ranks.length * 8 < rankCount ? renumberFew(ranks) : renumber(ranks, rankCount)
    const holders = this.#holders.subarray(0, this.#holderCount)
    const starts = this.#starts.subarray(0, this.#holderCount + 1)
    return { rows: { holders, starts, ordinals: ranks }, used }
  }
}

/**
 * Replaces each rank by its index among the distinct ranks, and returns the distinct ranks,
 * ascending.
 */
function renumber(ranks: Uint32Array, rankCount: number): Uint32Array {
  const table = new Uint32Array(rankCount)
  for (let i = 0; i < ranks.length; i++) table[ranks[i]!] = 1
  const used = new Uint32Array(Math.min(rankCount, ranks.length))
  let count = 0
  for (let rank = 0; rank < rankCount; rank++) {
    if (table[rank] === 0) continue
    table[rank] = count
    used[count++] = rank
  }
  for (let i = 0; i < ranks.length; i++) ranks[i] = table[ranks[i]!]!
  return used.subarray(0, count)
}

/**
 * Does the same as `renumber` for a field that uses few of the segment's values: no table of all
 * ranks.
 */
function renumberFew(ranks: Uint32Array): Uint32Array {
  const used = ranks.slice().sort()
  let count = 0
  for (let i = 0; i < used.length; i++) {
    if (count === 0 || used[i] !== used[count - 1]) used[count++] = used[i]!
  }
  const table = new Map<number, number>()
  for (let i = 0; i < count; i++) table.set(used[i]!, i)
  for (let i = 0; i < ranks.length; i++) ranks[i] = table.get(ranks[i]!)!
  return used.subarray(0, count)
}
