// Finds the rows of one or more segments that are nearest to a vector: codes select a few
// candidates, which are compared exactly.

import { bytesOf } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import { kernel } from '../kernel/index.ts'
import {
  type Candidates,
  CodeScan,
  normalize,
  type QueryTable,
  queryTable,
} from '../vector-codes/index.ts'
import type { EmbedderRows } from './embedder-rows.ts'
import { SimilarityTo } from './similarity.ts'

/** Number of rows compared exactly per call. */
const ROWS_AT_ONCE = 32

/** The search for one vector. */
export class RowSearch {
  readonly #query: Float32Array
  readonly #direction: Float32Array
  readonly #similarity: SimilarityTo
  #table: QueryTable | null = null
  /** False if the vector has no direction, so codes cannot estimate anything. */
  readonly hasDirection: boolean

  constructor(query: Float32Array) {
    this.#query = query
    this.#direction = query.slice()
    this.hasDirection = normalize(this.#direction)
    this.#similarity = new SimilarityTo(query)
  }

  /**
   * Adds the accepted rows to the candidates, with the estimates of their codes. `accepts`: null
   * accepts all rows. @throws CorruptionError
   */
  scan(
    rows: EmbedderRows,
    segment: number,
    candidates: Candidates,
    accepts: ((row: number) => boolean) | null,
  ): void {
    assert(rows.dimensions === this.#query.length, 'a query has the dimensions of the rows')
    assert(rows.codes !== null, 'the rows have codes')
    this.#table ??= queryTable(this.#direction)
    const scan = new CodeScan(rows.codes, this.#table, this.#direction)
    const add = (row: number, base: number, inner: number): void => {
      if (row >= rows.count || !(accepts?.(row) ?? true)) return
      const estimate = Number.isNaN(inner) ? this.#cosine(rows, row) : Math.fround(inner + base)
      if (estimate > candidates.least) candidates.add(estimate, segment, row)
    }
    if (rows.codes.isListed) scan.lists(candidates, add)
    else scan.all(candidates, add)
  }

  /** Returns the exact value for a row whose code estimates nothing. @throws CorruptionError */
  #cosine(rows: EmbedderRows, row: number): number {
    return Math.fround(2 * this.#similarity.of(rows, row) - 1)
  }

  /** Returns the similarities of ascending rows. @throws CorruptionError */
  similarities(rows: EmbedderRows, wanted: ArrayLike<number>): Float32Array {
    assert(rows.dimensions === this.#query.length, 'a query has the dimensions of the rows')
    const out = new Float32Array(wanted.length)
    if (this.#similarity.isOfSigns(rows.form)) {
      for (let i = 0; i < out.length; i++) out[i] = this.#similarity.of(rows, wanted[i]!)
      return out
    }
    const host = kernel()
    const each = rows.dimensions * 4
    const numbers = rows.form === 'floats' ? null : new Float32Array(rows.dimensions)
    const [query, some, results] = host.rooms(
      this.#query.byteLength,
      ROWS_AT_ONCE * each,
      ROWS_AT_ONCE * 8,
    )
    host.put(query, bytesOf(this.#query))
    const products = host.floats(results)
    for (let from = 0; from < out.length; from += ROWS_AT_ONCE) {
      const to = Math.min(out.length, from + ROWS_AT_ONCE)
      for (let i = from; i < to; i++) {
        if (numbers !== null) rows.read(wanted[i]!, numbers)
        const bytes = numbers === null ? rows.stored(wanted[i]!, wanted[i]! + 1) : bytesOf(numbers)
        host.put(some, bytes, (i - from) * each)
      }
      host.exports.products(some.at, to - from, rows.dimensions, query.at, results.at)
      for (let i = from; i < to; i++) {
        const at = (i - from) * 2
        out[i] = this.#similarity.ofProduct(products[at]!, products[at + 1]!)
      }
    }
    return out
  }
}
