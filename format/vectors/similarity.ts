// How near two vectors are: from 0, opposite, to 1, of one direction · ./VECTORS.md "Similarity"
import type { EmbedderRows } from './embedder-rows.ts'
import { type RowForm, readRow, signsApart } from './rows.ts'

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
    this.#length = lengthOf(innerProduct(query, query))
  }

  /** Whether rows of this form are compared by their signs alone. */
  isOfSigns(form: RowForm): boolean {
    return form === 'nibbles' && this.#query.length <= SIGNS_MAX
  }

  /** Of a row, which has as many dimensions: a 32-bit float. @throws CorruptionError */
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

  /** Of a row by its product with the vector and the square of its length: 32-bit floats. */
  ofProduct(product: number, square: number): number {
    const lengths = Math.fround(lengthOf(square) * this.#length)
    // Also where it is not a number: a vector that is infinite has no direction either.
    if (!(lengths > LENGTHS_MIN) || !Number.isFinite(lengths)) return WITHOUT_DIRECTION
    return similarityOf(product / lengths)
  }
}

const lengthOf = (square: number): number => Math.fround(Math.sqrt(square))

/** In 32-bit floats, added in the order in which the kernel does it. */
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

/** Of a quarter of the lanes. */
function totalOf(sums: Float32Array, at: number, lanes: number): number {
  const { fround } = Math
  const lane = (i: number): number =>
    lanes === 32 ? fround(sums[at + i]! + sums[at + 4 + i]!) : sums[at + i]!
  return fround(fround(lane(0) + lane(2)) + fround(lane(1) + lane(3)))
}

/** Of a cosine, by way of the distance and in its precision: clients compare scores. */
function similarityOf(cosine: number): number {
  const distance = Math.fround(Math.fround(1 - Math.fround(cosine)) / 2)
  return Math.fround(1 - Math.min(1, Math.max(0, distance)))
}
