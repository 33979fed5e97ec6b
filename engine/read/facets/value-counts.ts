// Counts the candidates of one segment by value, in order of values, one value at a time: a
// consumer that needs the first hundred does not pay for the others.
//
// Five ways to the same counts; the one with the lowest estimated cost is used:
//   stored all documents are candidates: sizes of the postings
//   less nearly all are: stored sizes minus the rows of the others
//   rows count through the rows of the candidates into an array of all values
//   few collect the values of a few candidates and sort them
//   walk count candidates in each posting: for the first of many values

import type { FieldReader, StringColumn } from '../../../format/columns/index.ts'
import { countUpTo, type Packed, type Postings, type Rows } from '../../../format/fields/index.ts'
import type { ValueOrdinal } from '../../../format/ids.ts'
import type { CandidatePart } from './segments.ts'

/** A walk over the values that candidates have. */
export interface ValueCounts {
  /** Moves to the next value; returns false at the end. */
  next(): boolean
  /** The current value. */
  readonly ordinal: ValueOrdinal
  /** Candidates with the current value: at least one. */
  readonly count: number
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

/** Counts the numbers that the candidates have; null if the field has no numbers. */
export function numberCounts(
  part: CandidatePart,
  field: FieldReader,
  wanted: number,
): ValueCounts | null {
  const { numbers } = field
  if (numbers === null) return null
  const { postings, rows } = numbers
  return valueCounts(part, { postings, rows, further: NO_FURTHER }, wanted)
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
  const walkCost = walked * postingCost(docsPerValue, docs)
  const rowsCost = candidates * rowCost + walked
  const lessCost = (docs - candidates) * rowCost + postings.count * 2
  const least = Math.min(walkCost, rowsCost, lessCost)
  if (least === walkCost) return new WalkedCounts(postings, part.words)
  return new ArrayCounts(countAll(part, column, least === lessCost), postings.count)
}

/**
 * Returns the nanoseconds for counting candidates in an average posting: 20, and 12 for each id,
 * for tiny ones, 4 for each id for encoded ones, and 2,000 for a bitmap of 65,536 ids.
 */
export function postingCost(docsPerValue: number, docs: number): number {
  if (docsPerValue <= 32) return 20 + 12 * docsPerValue
  return 50 + Math.min(4 * docsPerValue, 2000 * Math.ceil(docs / 65536))
}

/**
 * Counts by rows: those of the candidates, or those of the other documents, to be subtracted from
 * stored sizes.
 */
function countAll(part: CandidatePart, column: Column, byOthers: boolean): Uint32Array {
  const counts = new Uint32Array(column.rows.ordinalCount)
  const ids = byOthers ? part.missing() : part.ids
  column.rows.count(ids, 0, ids.length, counts)
  foldFurther(counts, column.further)
  return byOthers ? lessThanStored(column.postings, counts) : counts
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
  const ordinals = column.rows.collect(part.ids, 0, part.ids.length)
  const { further } = column
  if (further.length > 0) {
    for (let i = 0; i < ordinals.length; i++) ordinals[i]! -= countUpTo(further, ordinals[i]!)
  }
  return new SortedCounts(ordinals.sort())
}

const CHUNK = 64

class StoredCounts implements ValueCounts {
  ordinal = -1
  count = 0
  readonly #postings: Postings
  readonly #sizes = new Uint32Array(CHUNK)

  constructor(postings: Postings) {
    this.#postings = postings
  }

  next(): boolean {
    const ordinal = this.ordinal + 1
    const { count } = this.#postings
    if (ordinal >= count) return false
    if (ordinal % CHUNK === 0) {
      this.#postings.sizes(ordinal, Math.min(ordinal + CHUNK, count), this.#sizes)
    }
    this.ordinal = ordinal
    this.count = this.#sizes[ordinal % CHUNK]!
    return true
  }
}

class WalkedCounts implements ValueCounts {
  ordinal = -1
  count = 0
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
