// How near two vectors are: from 0, opposite, to 1, of one direction · ./VECTORS.md "Similarity"
import type { EmbedderRows } from './embedder-rows.ts'
import { readRow, signsApart } from './rows.ts'

/** What a similarity is when there is no direction to compare: as clients know it. */
const WITHOUT_DIRECTION = 1
/** The smallest product of lengths that has a direction: the step of 32-bit floats at 1. */
const LENGTHS_MIN = 2 ** -23
/** Vectors of nibbles up to this length are compared by their signs alone, as in one word. */
const SIGNS_MAX = 64

/** Compares one vector with rows of an embedder. */
export class SimilarityTo {
  readonly #query: Float32Array
  readonly #length: number
  readonly #row: Float32Array

  constructor(query: Float32Array) {
    this.#query = query
    this.#row = new Float32Array(query.length)
    let square = 0
    for (const value of query) square += value * value
    this.#length = Math.sqrt(square)
  }

  /** Of a row, which has as many dimensions: a 32-bit float. @throws CorruptionError */
  of(rows: EmbedderRows, row: number): number {
    const stored = rows.stored(row, row + 1)
    const query = this.#query
    if (rows.form === 'nibbles' && query.length <= SIGNS_MAX) {
      return Math.fround(1 - signsApart(stored, 0, query) / SIGNS_MAX)
    }
    const numbers = this.#row
    readRow(rows.form, stored, 0, numbers)
    let product = 0
    let square = 0
    for (let d = 0; d < numbers.length; d++) {
      const value = numbers[d]!
      product += value * query[d]!
      square += value * value
    }
    return this.ofProduct(product, square)
  }

  /** Of a row by its product with the vector and the square of its length. */
  ofProduct(product: number, square: number): number {
    const lengths = Math.sqrt(square) * this.#length
    // Also where it is not a number: a vector that is infinite has no direction either.
    if (!(lengths > LENGTHS_MIN) || !Number.isFinite(lengths)) return WITHOUT_DIRECTION
    return similarityOf(product / lengths)
  }
}

/** Of a cosine, by way of the distance and in its precision: clients compare scores. */
function similarityOf(cosine: number): number {
  const distance = Math.fround(Math.fround(1 - Math.fround(cosine)) / 2)
  return Math.fround(1 - Math.min(1, Math.max(0, distance)))
}
