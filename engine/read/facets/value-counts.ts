// Counts the candidates of one segment by value, in order of values, one value at a time: a
// consumer that needs the first hundred does not pay for the others.
//
// Five ways to the same counts; the one with the lowest estimated cost is used:
//   stored all documents are candidates: sizes of the postings
//   less nearly all are: stored sizes minus the rows of the others, subtracted one by one
//   rows count through the rows of the candidates into an array of all values
//   few collect the values of a few candidates and sort them
//   walk count candidates in each posting: for the first of many values

import type { FieldReader, StringColumn } from '../../../format/columns/index.ts'
import { countUpTo, type Packed, type Postings, type Rows } from '../../../format/fields/index.ts'
import type { ValueOrdinal } from '../../../format/ids.ts'
import type { CandidatePart, ValueEnds } from './segments.ts'

/** A walk over the values that candidates have. */
export interface ValueCounts {
  /** Moves to the next value; returns false at the end. */
  next(): boolean
  /** The current value. */
  readonly ordinal: ValueOrdinal
  /** Candidates with the current value: at least one. */
  readonly count: number
  /** The first and the last value, or null if finding them takes a walk. */
  readonly ends: ValueEnds | null
}

/** One kind of values of a field in a segment. */
type Column = {
  readonly postings: Postings
  readonly rows: Rows
  /** Ordinals of rows that represent the same value as the previous one, ascending. */
  readonly further: Packed
}

const NO_FURTHER = new Uint8Array(0)
/** Up to this many values of candidates are collected and sorted instead of counted in an array. */
const FEW_VALUES_MAX = 512
/** A filter often leaves few values of a field, so that a walk takes longer than if it did not. */
const WALK_RISK = 3

/** Counts the numbers that the candidates have; null if the field has no numbers. */
export function numberCounts(
  part: CandidatePart,
  field: FieldReader,
  wanted: number,
): ValueCounts | null {
  const { numbers } = field
  if (numbers === null) return null
  const { postings, rows } = numbers
  const counts = valueCounts(part, { postings, rows, further: NO_FURTHER }, wanted)
  if (counts.ends !== null) part.ends.set(numbers, counts.ends)
  return counts
}

/** Counts the normalized strings that the candidates have; null if the field has no strings. */
export function stringCounts(
  part: CandidatePart,
  field: FieldReader,
  wanted: number,
): ValueCounts | null {
  const { strings } = field
  if (strings === null) return null
  const further = strings.originals.areSingle ? NO_FURTHER : strings.originals.further()
  const { postings, rows } = strings
  return valueCounts(part, { postings, rows, further }, wanted)
}

/** Number of candidates with each normalized string, by ordinal. */
export function stringCountArray(part: CandidatePart, strings: StringColumn): Uint32Array {
  const further = strings.originals.areSingle ? NO_FURTHER : strings.originals.further()
  const { postings, rows } = strings
  const column = { postings, rows, further }
  if (part.isWhole) return lessThanStored(strings.postings, new Uint32Array(0))
  const counts = countAll(part, column, part.size * 2 > part.segment.reader.docCount)
  return counts.subarray(0, strings.count)
}

/** `wanted`: the expected number of values that the consumer will read. */
function valueCounts(part: CandidatePart, column: Column, wanted: number): ValueCounts {
  const { postings, rows } = column
  if (part.isWhole) return new StoredCounts(postings)
  const candidates = part.size
  const docs = part.segment.reader.docCount
  const valuesPerDoc = rows.total / docs
  if (candidates * valuesPerDoc <= FEW_VALUES_MAX) return fewCounts(part, column)
  const rowCost = 5 + 3 * valuesPerDoc
  const docsPerValue = rows.total / postings.count
  const chance = Math.min(1, (docsPerValue * candidates) / docs)
  const walked = Math.min(postings.count, wanted / chance)
  const walkCost = WALK_RISK * walked * postingCost(docsPerValue, docs)
  const rowsCost = candidates * rowCost + walked
  const lessCost = (docs - candidates) * rowCost + walked * 2
  const least = Math.min(walkCost, rowsCost, lessCost)
  if (least === walkCost) return new WalkedCounts(postings, part.words)
  if (least === rowsCost) return new ArrayCounts(countAll(part, column, false), postings.count)
  return new StoredCounts(postings, countOthers(part, column))
}

/**
 * Returns the nanoseconds for counting candidates in an average posting: 20, and 12 for each id,
 * for tiny ones, 4 for each id for encoded ones, and 2,000 for a bitmap of 65,536 ids.
 */
export function postingCost(docsPerValue: number, docs: number): number {
  if (docsPerValue <= 32) return 20 + 12 * docsPerValue
  return 50 + Math.min(4 * docsPerValue, 2000 * Math.ceil(docs / 65536))
}

/** Counts the candidates by rows: their own, or those of the other documents. */
function countAll(part: CandidatePart, column: Column, byOthers: boolean): Uint32Array {
  if (!byOthers) return countRows(part.ids, column)
  return lessThanStored(column.postings, countOthers(part, column))
}

const countOthers = (part: CandidatePart, column: Column): Uint32Array =>
  part.others(column.rows, () => countRows(part.missing, column))

function countRows(ids: Uint32Array, { rows, further }: Column): Uint32Array {
  const counts = new Uint32Array(rows.ordinalCount)
  rows.count(ids, 0, ids.length, counts)
  foldFurther(counts, further)
  return counts
}

/** Returns the stored size of each value minus its element of `counts`. */
function lessThanStored(postings: Postings, counts: Uint32Array): Uint32Array {
  const sizes = new Uint32Array(postings.count)
  postings.sizes(0, postings.count, sizes)
  const end = Math.min(sizes.length, counts.length)
  for (let i = 0; i < end; i++) sizes[i]! -= counts[i]!
  return sizes
}

/**
 * Adds the counts of further variants to their values in place, with a few memory moves instead of
 * a pass over all counts.
 */
function foldFurther(counts: Uint32Array, further: Packed): void {
  let from = 0
  for (let skipped = 0; skipped < further.length; skipped++) {
    const variant = further[skipped]!
    const count = counts[variant]!
    if (skipped > 0) counts.copyWithin(from - skipped, from, variant)
    counts[variant - skipped - 1]! += count
    from = variant + 1
  }
  if (further.length > 0) counts.copyWithin(from - further.length, from)
}

function fewCounts(part: CandidatePart, column: Column): ValueCounts {
  const { ids } = part
  const ordinals = column.rows.collect(ids, 0, ids.length)
  const { further } = column
  if (further.length > 0) {
    for (let i = 0; i < ordinals.length; i++) ordinals[i]! -= countUpTo(further, ordinals[i]!)
  }
  return new SortedCounts(ordinals.sort())
}

const CHUNK = 64

/** Sizes of the postings, read as far as the consumer needs them. */
class StoredCounts implements ValueCounts {
  ordinal = -1
  count = 0
  readonly #postings: Postings
  /** The documents of each posting that are no candidates; null if all are. */
  readonly #others: Uint32Array | null
  readonly #sizes = new Uint32Array(CHUNK)

  constructor(postings: Postings, others: Uint32Array | null = null) {
    this.#postings = postings
    this.#others = others
  }

  get ends(): ValueEnds | null {
    return this.#others === null ? { first: 0, last: this.#postings.count - 1 } : null
  }

  next(): boolean {
    const others = this.#others
    const { count } = this.#postings
    for (let ordinal = this.ordinal + 1; ordinal < count; ordinal++) {
      if (ordinal % CHUNK === 0) {
        this.#postings.sizes(ordinal, Math.min(ordinal + CHUNK, count), this.#sizes)
      }
      const size = this.#sizes[ordinal % CHUNK]!
      const left = others === null ? size : size - others[ordinal]!
      if (left === 0) continue
      this.ordinal = ordinal
      this.count = left
      return true
    }
    this.ordinal = count
    return false
  }
}

class WalkedCounts implements ValueCounts {
  ordinal = -1
  count = 0
  readonly ends = null
  readonly #postings: Postings
  readonly #words: Uint32Array

  constructor(postings: Postings, words: Uint32Array) {
    this.#postings = postings
    this.#words = words
  }

  next(): boolean {
    const end = this.#postings.count
    for (let ordinal = this.ordinal + 1; ordinal < end; ordinal++) {
      const count = this.#postings.countIn(ordinal, this.#words)
      if (count === 0) continue
      this.ordinal = ordinal
      this.count = count
      return true
    }
    this.ordinal = end
    return false
  }
}

class ArrayCounts implements ValueCounts {
  ordinal = -1
  count = 0
  readonly #counts: Uint32Array
  readonly #end: number

  constructor(counts: Uint32Array, end: number) {
    this.#counts = counts
    this.#end = end
  }

  get ends(): ValueEnds | null {
    const counts = this.#counts
    let first = 0
    let last = this.#end - 1
    while (first <= last && counts[first] === 0) first++
    while (last > first && counts[last] === 0) last--
    return first > last ? null : { first, last }
  }

  next(): boolean {
    let ordinal = this.ordinal + 1
    while (ordinal < this.#end && this.#counts[ordinal] === 0) ordinal++
    this.ordinal = ordinal
    if (ordinal >= this.#end) return false
    this.count = this.#counts[ordinal]!
    return true
  }
}

class SortedCounts implements ValueCounts {
  ordinal = -1
  count = 0
  readonly #ordinals: Uint32Array
  #at = 0

  constructor(ordinals: Uint32Array) {
    this.#ordinals = ordinals
  }

  get ends(): ValueEnds | null {
    const [first] = this.#ordinals
    return first === undefined ? null : { first, last: this.#ordinals[this.#ordinals.length - 1]! }
  }

  next(): boolean {
    const ordinals = this.#ordinals
    if (this.#at >= ordinals.length) return false
    const start = this.#at
    const ordinal = ordinals[start]!
    let at = start + 1
    while (at < ordinals.length && ordinals[at] === ordinal) at++
    this.ordinal = ordinal
    this.count = at - start
    this.#at = at
    return true
  }
}
