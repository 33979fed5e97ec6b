// Finds the rows of one or more segments that are nearest to a vector: codes select a few
// candidates, which are compared exactly.

import { bytesOf } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import { kernel } from '../kernel/index.ts'
import type { Candidates } from './candidates.ts'
import { codeBytes, normalize, type QueryTable, queryTable } from './codes.ts'
import type { EmbedderRows } from './embedder-rows.ts'
import { BLOCK_ROWS } from './limits.ts'
import { SimilarityTo } from './similarity.ts'

/** Bytes of codes scanned per call; they stay in the processor's cache. */
const SCAN_BYTES = 65536
/**
 * Greatest number of blocks per call, for rows of so few dimensions that `SCAN_BYTES` would hold
 * very many.
 */
const SCAN_BLOCKS_MAX = 256
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
    this.#table ??= queryTable(this.#direction)
    const { table, scale, bias } = this.#table
    const bytes = codeBytes(rows.dimensions)
    const blockBytes = bytes * BLOCK_ROWS
    const base = productOf(this.#direction, rows.center())
    const host = kernel()
    const shared = rows.sharedCodes(host)
    const most = Math.max(1, Math.floor(SCAN_BYTES / blockBytes))
    const step = Math.min(SCAN_BLOCKS_MAX, most)
    const [tableRoom, codes, factors, found] = host.rooms(
      table.length,
      shared === null ? step * blockBytes : 0,
      shared === null ? step * BLOCK_ROWS * 4 : 0,
      step * BLOCK_ROWS * 8,
    )
    host.put(tableRoom, table)
    const blocks = Math.ceil(rows.count / BLOCK_ROWS)
    const numbers = host.numbers(found)
    const floats = host.floats(found)
    for (let from = 0; from < blocks; from += step) {
      const to = Math.min(blocks, from + step)
      if (shared === null) {
        host.put(codes, rows.codes(from, to))
        host.put(factors, rows.factors(from, to))
      }
      const count = host.exports.scan(
        shared === null ? codes.at : shared + from * blockBytes,
        to - from,
        bytes,
        tableRoom.at,
        shared === null ? factors.at : shared + blocks * blockBytes + from * BLOCK_ROWS * 4,
        scale,
        bias,
        candidates.least - base,
        found.at,
      )
      for (let i = 0; i < count; i++) {
        const row = from * BLOCK_ROWS + numbers[i * 2]!
        if (row >= rows.count || !(accepts?.(row) ?? true)) continue
        const inner = floats[i * 2 + 1]!
        const estimate = Number.isNaN(inner) ? this.#cosine(rows, row) : Math.fround(inner + base)
        if (estimate > candidates.least) candidates.add(estimate, segment, row)
      }
    }
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

function productOf(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let d = 0; d < a.length; d++) sum += a[d]! * b[d]!
  return sum
}
