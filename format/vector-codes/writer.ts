// Writes the codes of an embedder's rows, as one list or as many · ./CODES.md "Codes", "Lists"
import { bytesOf } from '../bytes/index.ts'
import type { FrameWriter } from '../frame/index.ts'
import { CenterSum, codeBytes, normalize, writeCode } from './codes.ts'
import { BLOCK_ROWS, LISTED_ROWS_MIN } from './limits.ts'
import { ListOrder } from './list-order.ts'
import { Lists, listsFor, ROWS_AT_ONCE, sampledFor } from './lists.ts'

/** Number of a row in the padding of a list. */
const NO_ROW = 0xffffffff
/** Codes of lists are held until they are written; for more bytes, rows are read several times. */
const CODES_BYTES_MAX = 1 << 26
/**
 * Rows are in lists if there are `rowsMin` at least, and if searches then read at most this share of
 * the codes.
 */
export type ListRule = { readonly rowsMin: number; readonly shareMax: number }
export const LIST_RULE: ListRule = { rowsMin: LISTED_ROWS_MIN, shareMax: 0.5 }
export const NO_LISTS: ListRule = { rowsMin: Number.POSITIVE_INFINITY, shareMax: 0 }
/** Rows of the sample that are searched for to compute that share, and how many are wanted each. */
const SEARCHED = 16
const WANTED = 500

/** The rows of an embedder. */
export type RowSource = {
  readonly dimensions: number
  readonly count: number
  /** Yields all vectors, always in the same array, which may be overwritten. */
  vectors(): Iterable<Float32Array>
}

/** Writes the center, the blocks of codes and the factors of the rows. */
export function writeCodes({ dimensions, count, vectors }: RowSource, frame: FrameWriter): void {
  const sum = new CenterSum(dimensions)
  for (const vector of vectors()) sum.add(vector)
  const center = sum.center()
  const factors = new Float32Array(Math.ceil(count / BLOCK_ROWS) * BLOCK_ROWS)
  const block = new Uint8Array(codeBytes(dimensions) * BLOCK_ROWS)
  frame.write(bytesOf(center))
  let row = 0
  for (const vector of vectors()) {
    factors[row] = writeCode(vector, center, block, row % BLOCK_ROWS)
    if (++row % BLOCK_ROWS !== 0) continue
    frame.write(block)
    block.fill(0)
  }
  if (row % BLOCK_ROWS !== 0) frame.write(block)
  frame.write(bytesOf(factors))
}

/** Selects rows in equal distances, in the order in which all rows are offered. */
export class RowSample {
  readonly #dimensions: number
  readonly #rows: number
  readonly #lists: number
  readonly #most: number
  readonly #directions: Float32Array
  #offered = 0
  #selected = 0
  #taken = 0

  /** `rows`: the number of rows that will be offered. */
  constructor(rows: number, dimensions: number) {
    this.#dimensions = dimensions
    this.#rows = rows
    this.#lists = listsFor(rows, dimensions)
    this.#most = Math.min(rows, sampledFor(this.#lists, dimensions))
    this.#directions = new Float32Array(this.#most * dimensions)
  }

  /** Offers the next row; `read` returns it. */
  offer(read: (out: Float32Array) => void): void {
    if (this.#offered++ < Math.floor((this.#selected * this.#rows) / this.#most)) return
    this.#selected++
    const from = this.#taken * this.#dimensions
    const direction = this.#directions.subarray(from, from + this.#dimensions)
    read(direction)
    if (normalize(direction)) this.#taken++
  }

  /** Returns lists for all rows, or null if searches would read more than `shareMax`. */
  lists({ shareMax }: ListRule): Lists | null {
    if (this.#taken < this.#lists) return null
    const sample = this.#directions.subarray(0, this.#taken * this.#dimensions)
    const lists = Lists.of(sample, this.#dimensions, this.#lists)
    return shareRead(sample, lists, this.#rows) <= shareMax ? lists : null
  }
}

/** Rows by list: the list of each row, and the spread of each list. */
type Assigned = { readonly lists: Uint32Array; readonly spreads: Float32Array }

/** Returns the share of the sample that searches for some of its rows read. */
function shareRead(sample: Float32Array, lists: Lists, rows: number): number {
  const { dimensions } = lists.centers
  const count = sample.length / dimensions
  const pieces = function* (): Iterable<Float32Array> {
    for (let at = 0; at < sample.length; at += dimensions) {
      yield sample.slice(at, at + dimensions)
    }
  }
  const assigned = assign({ dimensions, count, vectors: pieces }, lists)
  const sizes = sizesOf(assigned.lists, lists.centers.count)
  const wanted = Math.min(count, Math.ceil((WANTED * count) / rows))
  let read = 0
  for (let i = 0; i < SEARCHED; i++) {
    const query = Math.floor((i * count) / SEARCHED) * dimensions
    const productWith = (vectors: Float32Array): Float32Array =>
      Float32Array.from({ length: vectors.length / dimensions }, (_, row) => {
        let sum = 0
        for (let d = 0; d < dimensions; d++) {
          sum += vectors[row * dimensions + d]! * sample[query + d]!
        }
        return sum
      })
    const products = productWith(sample)
    const least = products.toSorted()[count - wanted]!
    const ofCenters = productWith(lists.centers.vectors)
    const order = new ListOrder(ofCenters, assigned.spreads)
    for (let list = order.next(least); list >= 0; list = order.next(least)) {
      read += sizes[list]!
      if (!order.isMeasuring) continue
      for (let row = 0; row < count; row++) {
        if (assigned.lists[row] === list) order.measure(list, products[row]! - ofCenters[list]!)
      }
    }
  }
  return read / (count * SEARCHED)
}

/**
 * Writes the lists of the rows: CODES.md "Lists". `codesBytesMax`: bytes of codes that are held at
 * a time.
 */
export function writeLists(
  rows: RowSource,
  lists: Lists,
  frame: FrameWriter,
  codesBytesMax: number = CODES_BYTES_MAX,
): void {
  const { dimensions } = rows
  const { count, vectors } = lists.centers
  const assigned = assign(rows, lists)
  const starts = new Uint32Array(count + 1)
  sizesOf(assigned.lists, count).forEach((size, list) => {
    starts[list + 1] = starts[list]! + Math.ceil(size / BLOCK_ROWS)
  })
  const blocks = starts[count]!
  const next = Uint32Array.from(starts.subarray(0, count), (block) => block * BLOCK_ROWS)
  /** By row, its place among the codes. */
  const places = assigned.lists.map((list) => next[list]!++)
  const numbers = new Uint32Array(blocks * BLOCK_ROWS).fill(NO_ROW)
  for (let row = 0; row < places.length; row++) numbers[places[row]!] = row
  frame.write(bytesOf(Uint32Array.of(count, blocks)))
  frame.write(bytesOf(starts))
  frame.write(bytesOf(assigned.spreads))
  frame.write(bytesOf(vectors))
  frame.write(bytesOf(numbers))
  const factors = new Float32Array(blocks * BLOCK_ROWS)
  const blockBytes = codeBytes(dimensions) * BLOCK_ROWS
  const step = Math.max(1, Math.floor(codesBytesMax / blockBytes))
  for (let from = 0; from < blocks; from += step) {
    const to = Math.min(blocks, from + step)
    const codes = new Uint8Array((to - from) * blockBytes)
    let row = 0
    for (const vector of rows.vectors()) {
      const place = places[row]!
      const block = Math.floor(place / BLOCK_ROWS)
      if (block >= from && block < to) {
        const center = lists.centers.of(assigned.lists[row]!)
        const at = (block - from) * blockBytes
        const some = codes.subarray(at, at + blockBytes)
        factors[place] = writeCode(vector, center, some, place % BLOCK_ROWS)
      }
      row++
    }
    frame.write(codes)
  }
  frame.write(bytesOf(factors))
}

/** Returns the list of each row. One without a direction is in list 0, whose spread is infinite. */
function assign({ dimensions, count, vectors }: RowSource, lists: Lists): Assigned {
  const found = new Uint32Array(count)
  const squares = new Float32Array(ROWS_AT_ONCE)
  const sums = new Float64Array(lists.centers.count)
  const piece = new Float32Array(ROWS_AT_ONCE * dimensions)
  const without: number[] = []
  let row = 0
  const flush = (): void => {
    const held = row % ROWS_AT_ONCE === 0 ? ROWS_AT_ONCE : row % ROWS_AT_ONCE
    const own = found.subarray(row - held, row)
    lists.assign(piece.subarray(0, held * dimensions), own, squares)
    for (let i = 0; i < held; i++) sums[own[i]!]! += squares[i]!
    for (const one of without) found[one] = 0
    if (without.length > 0) sums[0] = Number.POSITIVE_INFINITY
    without.length = 0
  }
  for (const vector of vectors()) {
    const at = (row % ROWS_AT_ONCE) * dimensions
    if (normalize(vector)) piece.set(vector, at)
    else {
      piece.fill(0, at, at + dimensions)
      without.push(row)
    }
    if (++row % ROWS_AT_ONCE === 0) flush()
  }
  if (row % ROWS_AT_ONCE !== 0) flush()
  const sizes = sizesOf(found, sums.length)
  const spreads = Float32Array.from(sums, (sum, list) => Math.sqrt(sum / Math.max(1, sizes[list]!)))
  return { lists: found, spreads }
}

function sizesOf(lists: Uint32Array, count: number): Uint32Array {
  const sizes = new Uint32Array(count)
  for (const list of lists) sizes[list]!++
  return sizes
}
