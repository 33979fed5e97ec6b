// Reads codes of rows and passes on what may be selected: all codes, or list by list.
import { bytesOf } from '../bytes/index.ts'
import { type Kernel, kernel, type Room } from '../kernel/index.ts'
import type { Candidates } from './candidates.ts'
import { codeBytes, type QueryTable } from './codes.ts'
import { BLOCK_ROWS } from './limits.ts'
import { ListOrder } from './list-order.ts'
import type { CodeTable } from './table.ts'

/** Bytes of codes scanned per call; they stay in the processor's cache. */
const SCAN_BYTES = 65536
/**
 * Greatest number of blocks per call, for rows of so few dimensions that `SCAN_BYTES` would hold
 * very many.
 */
const SCAN_BLOCKS_MAX = 256

/**
 * Called with the number of a row, which is the number of rows or more in the padding of a list;
 * the product of the query with the center of the row; and with the difference between row and
 * center: NaN if the code estimates nothing.
 */
type Found = (row: number, base: number, difference: number) => void

/** The scan of an embedder's codes for one query. It has the rooms of the kernel until it ends. */
export class CodeScan {
  readonly #codes: CodeTable
  readonly #query: QueryTable
  readonly #host: Kernel
  readonly #shared: number | null
  /** Blocks per call. */
  readonly #step: number
  readonly #rooms: Record<'table' | 'codes' | 'factors' | 'found', Room>
  readonly #numbers: Uint32Array
  readonly #floats: Float32Array
  /** By list, the product of the query with its center. */
  readonly #products: Float32Array

  /** `direction`: the query with length 1. @throws CorruptionError */
  constructor(codes: CodeTable, query: QueryTable, direction: Float32Array) {
    const host = kernel()
    const shared = codes.shared(host)
    const blockBytes = codeBytes(codes.dimensions) * BLOCK_ROWS
    const step = Math.min(SCAN_BLOCKS_MAX, Math.max(1, Math.floor(SCAN_BYTES / blockBytes)))
    const centersBytes = codes.lists * codes.dimensions * 4
    const [table, someCodes, factors, found, row, centers, halves, products] = host.rooms(
      query.table.length,
      shared === null ? step * blockBytes : 0,
      shared === null ? step * BLOCK_ROWS * 4 : 0,
      step * BLOCK_ROWS * 8,
      direction.byteLength,
      shared === null ? centersBytes : 0,
      codes.lists * 4,
      codes.lists * 4,
    )
    host.put(table, query.table)
    host.put(row, bytesOf(direction))
    host.floats(halves).fill(0)
    if (shared === null) host.put(centers, codes.centers)
    const centersAt = shared === null ? centers.at : shared + codes.sharedCentersAt
    const { dimensions, lists } = codes
    host.exports.scores(row.at, dimensions, centersAt, halves.at, lists, products.at)
    this.#products = host.floats(products)
    this.#codes = codes
    this.#query = query
    this.#host = host
    this.#shared = shared
    this.#step = step
    this.#rooms = { table, codes: someCodes, factors, found }
    this.#numbers = host.numbers(found)
    this.#floats = host.floats(found)
  }

  /** Scans the only list. @throws CorruptionError */
  all(candidates: Candidates, add: Found): void {
    const base = this.#products[0]!
    const { blocks } = this.#codes
    for (let from = 0; from < blocks; from += this.#step) {
      const count = this.#scan(from, Math.min(blocks, from + this.#step), candidates.least - base)
      for (let i = 0; i < count; i++) {
        add(from * BLOCK_ROWS + this.#numbers[i * 2]!, base, this.#floats[i * 2 + 1]!)
      }
    }
  }

  /** Scans lists until no other one is likely to have candidates. @throws CorruptionError */
  lists(candidates: Candidates, add: Found): void {
    const { spreads, starts } = this.#codes
    const order = new ListOrder(this.#products, spreads)
    for (;;) {
      const list = order.next(candidates.least)
      if (list < 0) return
      const base = this.#products[list]!
      const { isMeasuring } = order
      for (let from = starts[list]!; from < starts[list + 1]!; from += this.#step) {
        const to = Math.min(starts[list + 1]!, from + this.#step)
        const least = isMeasuring ? Number.NEGATIVE_INFINITY : candidates.least - base
        const count = this.#scan(from, to, least)
        const rows = this.#codes.rows(from, to)!
        for (let i = 0; i < count; i++) {
          const row = rows[this.#numbers[i * 2]!]!
          const difference = this.#floats[i * 2 + 1]!
          if (isMeasuring && row < this.#codes.count) order.measure(list, difference)
          add(row, base, difference)
        }
      }
    }
  }

  /** Writes the rows of blocks with estimates from `least` on to the room; returns their number. */
  #scan(from: number, to: number, least: number): number {
    const { dimensions, blocks } = this.#codes
    const { table, codes, factors, found } = this.#rooms
    const shared = this.#shared
    const bytes = codeBytes(dimensions)
    const blockBytes = bytes * BLOCK_ROWS
    if (shared === null) {
      this.#host.put(codes, this.#codes.codes(from, to))
      this.#host.put(factors, this.#codes.factors(from, to))
    }
    return this.#host.exports.scan(
      shared === null ? codes.at : shared + from * blockBytes,
      to - from,
      bytes,
      table.at,
      shared === null ? factors.at : shared + blocks * blockBytes + from * BLOCK_ROWS * 4,
      this.#query.scale,
      this.#query.bias,
      least,
      found.at,
    )
  }
}
