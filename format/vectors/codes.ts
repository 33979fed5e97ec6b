// Two bits for each dimension of a vector: enough to find out which few hundred of many are worth
// comparing exactly · ./VECTORS.md "Codes"
import { assert } from '../errors.ts'

/** Rows of a block: one in each byte of a SIMD register. */
export const BLOCK_ROWS = 16
/** Rows from which on an embedder has codes: below, comparing all exactly costs as little. */
export const CODED_ROWS_MIN = 256

/**
 * The four levels of a number whose root mean square is 1, and where the outer ones begin: the best
 * ones for numbers that are normally distributed (Max 1960).
 */
const INNER = 0.4528
const OUTER = 1.51
const BOUND = 0.9816
const LEVELS = [-INNER, -OUTER, INNER, OUTER] as const
const SIGN = 2

/** Lengths outside leave no precision: such rows are always compared exactly. */
const LENGTH_MIN = 1e-4
const LENGTH_MAX = 1e15

/** Bytes of a row's code: four dimensions each. */
export const codeBytes = (dimensions: number): number => Math.ceil(dimensions / 4)

/** The direction of a vector, written over it; false: it has no direction worth the name. */
export function normalize(vector: Float32Array): boolean {
  let square = 0
  for (let d = 0; d < vector.length; d++) square += vector[d]! * vector[d]!
  const length = Math.sqrt(square)
  if (!(length >= LENGTH_MIN && length <= LENGTH_MAX)) return false
  for (let d = 0; d < vector.length; d++) vector[d]! /= length
  return true
}

/** The mean of directions: codes say how a row differs from it. */
export class CenterSum {
  readonly #sum: Float64Array
  #count = 0

  constructor(dimensions: number) {
    this.#sum = new Float64Array(dimensions)
  }

  /** A vector, which is changed. */
  add(vector: Float32Array): void {
    if (!normalize(vector)) return
    this.#count++
    for (let d = 0; d < vector.length; d++) this.#sum[d]! += vector[d]!
  }

  center(): Float32Array {
    const count = Math.max(1, this.#count)
    return Float32Array.from(this.#sum, (sum) => sum / count)
  }
}

/**
 * Writes the code of a vector, which is changed, as row `lane` of a block that begins as zeros.
 * Returns its factor: the row differs from the center by factor · levels, about. NaN: the row has
 * no direction.
 */
export function writeCode(
  vector: Float32Array,
  center: Float32Array,
  block: Uint8Array,
  lane: number,
): number {
  if (!normalize(vector)) return Number.NaN
  let square = 0
  for (let d = 0; d < vector.length; d++) {
    const difference = vector[d]! - center[d]!
    vector[d] = difference
    square += difference * difference
  }
  const bound = BOUND * Math.sqrt(square / vector.length)
  let product = 0
  for (let d = 0; d < vector.length; d++) {
    const value = vector[d]!
    const isOuter = Math.abs(value) > bound
    product += Math.abs(value) * (isOuter ? OUTER : INNER)
    const bits = (value > 0 ? SIGN : 0) | (isOuter ? 1 : 0)
    block[(d >>> 2) * BLOCK_ROWS + lane]! |= bits << ((d & 3) * 2)
  }
  return product === 0 ? 0 : Math.fround(square / product)
}

/** What a query is to codes: products with all nibbles, in seven bits. */
export type QueryTable = {
  /** For each byte of a code 16 products with its low nibble, then with its high nibble. */
  readonly table: Uint8Array
  /** The product with a code's levels is scale · sum + bias. */
  readonly scale: number
  readonly bias: number
}

const PRODUCT_MAX = 127
/** Sums of products are 16 bits wide. */
const SUM_MAX = 65535

/**
 * `query`: of length 1. The least product of a nibble is that of the outer levels of both its
 * dimensions against the signs of the query, the greatest is its opposite.
 */
export function queryTable(query: Float32Array): QueryTable {
  const bytes = codeBytes(query.length)
  const nibbles = bytes * 2
  let widest = 0
  let sum = 0
  for (let n = 0; n < nibbles; n++) {
    const greatest = OUTER * (Math.abs(query[n * 2] ?? 0) + Math.abs(query[n * 2 + 1] ?? 0))
    widest = Math.max(widest, 2 * greatest)
    sum += greatest
  }
  const most = Math.min(PRODUCT_MAX, Math.floor(SUM_MAX / nibbles))
  assert(most > 0, 'the sums of a vector fit 16 bits')
  const scale = widest === 0 ? 1 : widest / most
  const table = new Uint8Array(nibbles * 16)
  for (let n = 0; n < nibbles; n++) {
    const a = (query[n * 2] ?? 0) / scale
    const b = (query[n * 2 + 1] ?? 0) / scale
    const half = OUTER * (Math.abs(a) + Math.abs(b)) + 0.5
    for (let v = 0; v < 16; v++) {
      table[n * 16 + v] = Math.floor(LEVELS[v & 3]! * a + LEVELS[v >>> 2]! * b + half)
    }
  }
  return { table, scale, bias: -sum }
}
