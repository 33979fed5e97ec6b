// Two bits per dimension of a vector: enough to select the few hundred of many vectors that are
// worth an exact comparison · ./CODES.md "Codes"
import { assert } from '../errors.ts'
import { BLOCK_ROWS, DIMENSIONS_MAX } from './limits.ts'

/**
 * The four levels of numbers with a root mean square of 1, and the bound between inner and outer
 * ones: optimal for a normal distribution (Max 1960).
 */
const INNER = 0.4528
const OUTER = 1.51
const BOUND = 0.9816
const LEVELS = [-INNER, -OUTER, INNER, OUTER] as const
const SIGN = 2

/**
 * Vectors with a length outside this range lack precision; such rows are always compared exactly.
 */
const LENGTH_MIN = 1e-4
const LENGTH_MAX = 1e15

/** Bytes of a row's code: four dimensions per byte. */
export const codeBytes = (dimensions: number): number => Math.ceil(dimensions / 4)

/**
 * Divides a vector by its length, in place. Returns false if the length is out of range; the vector
 * is then unchanged.
 */
export function normalize(vector: Float32Array): boolean {
  let square = 0
  for (let d = 0; d < vector.length; d++) square += vector[d]! * vector[d]!
  const length = Math.sqrt(square)
  if (!(length >= LENGTH_MIN && length <= LENGTH_MAX)) return false
  for (let d = 0; d < vector.length; d++) vector[d]! /= length
  return true
}

/** The mean of directions, the center. Codes describe how a row differs from it. */
export class CenterSum {
  readonly #sum: Float64Array
  #count = 0

  constructor(dimensions: number) {
    this.#sum = new Float64Array(dimensions)
  }

  /** Adds the direction of a vector, which is overwritten. */
  add(vector: Float32Array): void {
    assert(vector.length === this.#sum.length, 'vectors of an embedder are equally long')
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
 * Writes the code of a vector as row `lane` of a block that begins as zeros; the vector is
 * overwritten. Returns its factor: the row differs from the center by about factor · levels. NaN
 * means that the row has no direction.
 */
export function writeCode(
  vector: Float32Array,
  center: Float32Array,
  block: Uint8Array,
  lane: number,
): number {
  assert(vector.length === center.length, 'vectors of an embedder are equally long')
  assert(lane >= 0 && lane < BLOCK_ROWS, 'a lane is in its block')
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

/** A query prepared for a scan of codes: its products with all nibbles, in seven bits. */
export type QueryTable = {
  /** For each byte of a code, 16 products with its low nibble, then 16 with its high nibble. */
  readonly table: Uint8Array
  /** The product of the query with a code's levels is scale · sum + bias. */
  readonly scale: number
  readonly bias: number
}

const PRODUCT_MAX = 127
/** Sums of products are 16 bits wide. */
const SUM_MAX = 65535

assert(2 * codeBytes(DIMENSIONS_MAX) <= SUM_MAX, 'the sums of the longest vector fit 16 bits')

/**
 * Builds the table of a query of length 1. The least product of a nibble is that of the outer
 * levels of both its dimensions against the signs of the query; the greatest is its opposite.
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
