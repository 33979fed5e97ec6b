// Which rows of one or more segments are nearest to a vector: codes say which few are worth it,
// those are compared exactly.

import { BLOCK_ROWS, codeBytes, normalize, type QueryTable, queryTable } from './codes.ts'
import type { EmbedderRows } from './embedder-rows.ts'
import { kernel, type Room } from './kernel.ts'
import { SimilarityTo } from './similarity.ts'

/** Blocks that are scanned at a time: their codes stay in the processor's cache. */
const BLOCKS_AT_ONCE = 32
/** Rows that are compared exactly at a time. */
const ROWS_AT_ONCE = 32

/** Rows of the best estimates so far: a heap whose root is the worst of them. */
export class Candidates {
  readonly #most: number
  readonly estimates: Float32Array
  readonly rows: Uint32Array
  readonly segments: Uint32Array
  count = 0

  constructor(most: number) {
    this.#most = most
    this.estimates = new Float32Array(most)
    this.rows = new Uint32Array(most)
    this.segments = new Uint32Array(most)
  }

  /** Estimates below are of no use. */
  get least(): number {
    return this.count < this.#most ? Number.NEGATIVE_INFINITY : this.estimates[0]!
  }

  offer(estimate: number, segment: number, row: number): void {
    if (this.count < this.#most) {
      this.#up(this.count++, estimate, segment, row)
    } else if (estimate > this.estimates[0]!) {
      this.#down(estimate, segment, row)
    }
  }

  #up(at: number, estimate: number, segment: number, row: number): void {
    let i = at
    while (i > 0) {
      const above = (i - 1) >>> 1
      if (this.estimates[above]! <= estimate) break
      this.#move(above, i)
      i = above
    }
    this.#set(i, estimate, segment, row)
  }

  #down(estimate: number, segment: number, row: number): void {
    let i = 0
    for (;;) {
      let child = i * 2 + 1
      if (child >= this.count) break
      if (child + 1 < this.count && this.estimates[child + 1]! < this.estimates[child]!) child++
      if (this.estimates[child]! >= estimate) break
      this.#move(child, i)
      i = child
    }
    this.#set(i, estimate, segment, row)
  }

  #move(from: number, to: number): void {
    this.#set(to, this.estimates[from]!, this.segments[from]!, this.rows[from]!)
  }

  #set(at: number, estimate: number, segment: number, row: number): void {
    this.estimates[at] = estimate
    this.segments[at] = segment
    this.rows[at] = row
  }
}

/** Searches for one vector. */
export class RowSearch {
  readonly #query: Float32Array
  readonly #direction: Float32Array
  readonly #similarity: SimilarityTo
  #table: QueryTable | null = null
  /** Whether codes can tell anything about the vector. */
  readonly hasDirection: boolean

  constructor(query: Float32Array) {
    this.#query = query
    this.#direction = query.slice()
    this.hasDirection = normalize(this.#direction)
    this.#similarity = new SimilarityTo(query)
  }

  /** Offers all rows that are accepted, by their codes. @throws CorruptionError */
  scan(
    rows: EmbedderRows,
    segment: number,
    candidates: Candidates,
    accepts: (row: number) => boolean,
  ): void {
    this.#table ??= queryTable(this.#direction)
    const { table, scale, bias } = this.#table
    const bytes = codeBytes(rows.dimensions)
    const base = productOf(this.#direction, rows.center())
    const host = kernel()
    host.clear()
    const tableRoom = host.room(table.length)
    const codes = host.room(BLOCKS_AT_ONCE * BLOCK_ROWS * bytes)
    const factors = host.room(BLOCKS_AT_ONCE * BLOCK_ROWS * 4)
    const found = host.room(BLOCKS_AT_ONCE * BLOCK_ROWS * 8)
    host.put(tableRoom, table)
    const blocks = Math.ceil(rows.count / BLOCK_ROWS)
    const numbers = host.numbers(found)
    const floats = host.floats(found)
    for (let from = 0; from < blocks; from += BLOCKS_AT_ONCE) {
      const to = Math.min(blocks, from + BLOCKS_AT_ONCE)
      host.put(codes, rows.codes(from, to))
      host.put(factors, rows.factors(from, to))
      const count = host.exports.scan(
        codes.at,
        to - from,
        bytes,
        tableRoom.at,
        factors.at,
        scale,
        bias,
        candidates.least - base,
        found.at,
      )
      for (let i = 0; i < count; i++) {
        const row = from * BLOCK_ROWS + numbers[i * 2]!
        const inner = floats[i * 2 + 1]!
        const estimate = Number.isNaN(inner) ? Number.MAX_VALUE : inner + base
        if (row < rows.count && estimate > candidates.least && accepts(row)) {
          candidates.offer(Math.fround(estimate), segment, row)
        }
      }
    }
  }

  /** Similarities of rows, which ascend. @throws CorruptionError */
  similarities(rows: EmbedderRows, wanted: ArrayLike<number>): Float32Array {
    const out = new Float32Array(wanted.length)
    if (rows.form !== 'floats') {
      for (let i = 0; i < out.length; i++) out[i] = this.#similarity.of(rows, wanted[i]!)
      return out
    }
    const host = kernel()
    host.clear()
    const query = host.room(this.#query.byteLength)
    const some = host.room(ROWS_AT_ONCE * rows.rowBytes)
    const results = host.room(ROWS_AT_ONCE * 8)
    host.put(query, bytesOf(this.#query))
    for (let from = 0; from < out.length; from += ROWS_AT_ONCE) {
      const to = Math.min(out.length, from + ROWS_AT_ONCE)
      for (let i = from; i < to; i++) {
        host.put(roomAt(some, (i - from) * rows.rowBytes), rows.stored(wanted[i]!, wanted[i]! + 1))
      }
      host.exports.products(some.at, to - from, rows.dimensions, query.at, results.at)
      const products = host.floats(results)
      for (let i = from; i < to; i++) {
        const at = (i - from) * 2
        out[i] = this.#similarity.ofProduct(products[at]!, products[at + 1]!)
      }
    }
    return out
  }
}

const roomAt = ({ at, bytes }: Room, offset: number): Room => ({
  at: at + offset,
  bytes: bytes - offset,
})

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

function productOf(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let d = 0; d < a.length; d++) sum += a[d]! * b[d]!
  return sum
}
