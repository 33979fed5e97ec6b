// The similarity of two vectors: from 0 for opposite to 1 for equal directions · ./VECTORS.md
// "Similarity"
import type { EmbedderRows } from './embedder-rows.ts'
import { type RowForm, readRow, signsApart } from './rows.ts'

/** The similarity of all rows if the query has no direction, such as one of zeros. */
const OF_NO_QUERY = 1
/**
 * The similarity of a row without a direction: that of a right angle, so that it never stands above
 * rows that resemble the query.
 */
const OF_NO_ROW = 0.5
/** The smallest product of lengths that has a direction: the step of 32-bit floats at 1. */
const LENGTHS_MIN = 2 ** -23
/**
 * Vectors of nibbles with up to this many dimensions are compared by their signs alone, which fit
 * one word.
 */
const SIGNS_MAX = 64

/** Compares one vector with rows of an embedder. */
export class SimilarityTo {
  readonly #query: Float32Array
  readonly #length: number
  readonly #hasDirection: boolean
  readonly #row: Float32Array

  constructor(query: Float32Array) {
    this.#query = query
    this.#row = new Float32Array(query.length)
    this.#length = lengthOf(innerProduct(query, query))
    this.#hasDirection = this.#length > LENGTHS_MIN && Number.isFinite(this.#length)
  }

  /** Returns true if rows of this form are compared by their signs alone. */
  isOfSigns(form: RowForm): boolean {
    return form === 'nibbles' && this.#query.length <= SIGNS_MAX
  }

  /**
   * Returns the similarity to a row, which has as many dimensions, as a 32-bit float. @throws
   * CorruptionError
   */
  of(rows: EmbedderRows, row: number): number {
    const stored = rows.stored(row, row + 1)
    const query = this.#query
    if (this.isOfSigns(rows.form)) {
      return Math.fround(1 - signsApart(stored, 0, query) / SIGNS_MAX)
    }
    const numbers = this.#row
    readRow(rows.form, stored, 0, numbers)
    return this.ofProduct(innerProduct(numbers, query), innerProduct(numbers, numbers))
  }

  /**
   * Returns the similarity to a row from its product with the vector and the square of its length,
   * as a 32-bit float.
   */
  ofProduct(product: number, square: number): number {
    const lengths = Math.fround(lengthOf(square) * this.#length)
    // The negation also covers NaN: an infinite vector has no direction.
    if (!(lengths > LENGTHS_MIN) || !Number.isFinite(lengths))
      return this.#hasDirection ? OF_NO_ROW : OF_NO_QUERY
    return similarityOf(product / lengths)
  }
}

const lengthOf = (square: number): number => Math.fround(Math.sqrt(square))

/** Returns the product in 32-bit floats, added in the same order as in the kernel. */
function innerProduct(a: Float32Array, b: Float32Array): number {
  const lanes = a.length >= 32 ? 32 : a.length >= 16 ? 16 : 0
  const whole = lanes === 0 ? 0 : a.length - (a.length % lanes)
  const sums = new Float32Array(32)
  for (let d = 0; d < whole; d++) sums[d % lanes]! += Math.fround(a[d]! * b[d]!)
  let sum = 0
  for (let at = 0; at < lanes; at += lanes / 4) sum = Math.fround(sum + totalOf(sums, at, lanes))
  for (let d = whole; d < a.length; d++) sum = Math.fround(sum + Math.fround(a[d]! * b[d]!))
  return sum
}

/** Returns the sum of one group of four lane sums. */
function totalOf(sums: Float32Array, at: number, lanes: number): number {
  const { fround } = Math
  const lane = (i: number): number =>
    lanes === 32 ? fround(sums[at + i]! + sums[at + 4 + i]!) : sums[at + i]!
  return fround(fround(lane(0) + lane(2)) + fround(lane(1) + lane(3)))
}

/**
 * Converts a cosine to a similarity by way of the distance, with its precision: clients compare
 * scores digit by digit.
 */
function similarityOf(cosine: number): number {
  const distance = Math.fround(Math.fround(1 - Math.fround(cosine)) / 2)
  return Math.fround(1 - Math.min(1, Math.max(0, distance)))
}
