// Decides which strings begin with a text near the query. One edit inserts, removes or replaces a
// code point, or swaps two adjacent ones; no part is edited twice, as in `format/fst`. The automata
// there walk their own dictionary; this class judges sorted strings of any source one after
// another, and reports after how many bytes a verdict was reached, so that the caller can skip all
// strings with that prefix.
//
// Row d of the distance table holds the distances between the first d code points of the string and
// prefixes of the query. Only cells within the limit of the diagonal count (E. Ukkonen, Algorithms
// for Approximate String Matching, 1985): at most five. A string that shares a prefix with the
// previous one continues from the last common row.
import { assert } from '../../../format/errors.ts'

/** No string with this prefix is near enough. */
export const NONE = 0
/** Every string with this prefix is near enough. */
export const ALL = 1
/** The string itself is not near enough, but a longer one with this prefix may be. */
export const OPEN = 2
export type Verdict = typeof NONE | typeof ALL | typeof OPEN

const POINT_BYTES_MAX = 4

export class NearPrefix {
  /** Number of bytes of the string that determine the verdict. */
  decidedBytes = 0
  /** Code points of the query. */
  readonly #query: Uint32Array
  readonly #limit: number
  /** Cells in a row: cell c of row d is for the first d − limit + c code points of the query. */
  readonly #width: number
  readonly #rows: Uint8Array
  /** By depth: the verdict, the last code point, the number of bytes read. */
  readonly #verdicts: Uint8Array
  readonly #points: Uint32Array
  readonly #ends: Uint32Array
  /** The bytes read so far. */
  readonly #read: Uint8Array
  #depth = 0

  constructor(query: string, limit: 1 | 2) {
    this.#query = Uint32Array.from(query, (char) => char.codePointAt(0)!)
    this.#limit = limit
    this.#width = 2 * limit + 1
    // At a greater depth a string is longer than the query by more than the limit.
    const depths = this.#query.length + limit + 2
    this.#rows = new Uint8Array(depths * this.#width).fill(limit + 1)
    this.#verdicts = new Uint8Array(depths)
    this.#points = new Uint32Array(depths)
    this.#ends = new Uint32Array(depths)
    this.#read = new Uint8Array(depths * POINT_BYTES_MAX)
    for (let i = 0; i <= limit && i <= this.#query.length; i++) this.#rows[limit + i] = i
    this.#verdicts[0] = this.#query.length <= limit ? ALL : OPEN
  }

  /** Returns the verdict on bytes[0, length), which are valid UTF-8. */
  judge(bytes: Uint8Array, length: number): Verdict {
    let depth = this.#sharedDepth(bytes, length)
    while (this.#verdicts[depth] === OPEN && this.#ends[depth]! < length) {
      this.#readPoint(bytes, length, depth)
      depth++
      this.#verdicts[depth] = this.#fillRow(depth)
    }
    this.#depth = depth
    this.decidedBytes = this.#ends[depth]!
    return this.#verdicts[depth] as Verdict
  }

  /** Returns the deepest row that also applies to this string. */
  #sharedDepth(bytes: Uint8Array, length: number): number {
    const ends = this.#ends
    const read = this.#read
    let depth = this.#depth
    const end = Math.min(length, ends[depth]!)
    let shared = 0
    while (shared < end && bytes[shared] === read[shared]) shared++
    while (ends[depth]! > shared) depth--
    return depth
  }

  /** Reads the code point after the row of `depth`; invalid bytes count as one code point. */
  #readPoint(bytes: Uint8Array, length: number, depth: number): void {
    const from = this.#ends[depth]!
    const lead = bytes[from]!
    const wanted = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
    const end = Math.min(from + wanted, length)
    let point = lead < 0x80 ? lead : lead & (0xff >>> (wanted + 1))
    this.#read[from] = lead
    for (let at = from + 1; at < end; at++) {
      this.#read[at] = bytes[at]!
      point = (point << 6) | (bytes[at]! & 63)
    }
    this.#points[depth + 1] = point
    this.#ends[depth + 1] = end
  }

  /** Fills row `depth` from the two above it. */
  #fillRow(depth: number): Verdict {
    const query = this.#query
    const rows = this.#rows
    const limit = this.#limit
    const width = this.#width
    assert(depth * width < rows.length, 'a string is judged before it outgrows the query')
    const point = this.#points[depth]!
    const before = this.#points[depth - 1]!
    const row = depth * width
    const above = row - width
    let least = limit + 1
    for (let c = 0; c < width; c++) {
      const i = depth - limit + c
      let cost = limit + 1
      if (i === 0) cost = Math.min(cost, depth)
      else if (i > 0 && i <= query.length) {
        const letter = query[i - 1]!
        cost = rows[above + c]! + (letter === point ? 0 : 1)
        if (c + 1 < width && rows[above + c + 1]! < cost) cost = rows[above + c + 1]! + 1
        if (c > 0 && rows[row + c - 1]! < cost) cost = rows[row + c - 1]! + 1
        if (i > 1 && depth > 1 && letter === before && query[i - 2] === point) {
          cost = Math.min(cost, rows[above - width + c]! + 1)
        }
        if (i === query.length && cost <= limit) return ALL
        if (cost > limit) cost = limit + 1
      }
      rows[row + c] = cost
      if (cost < least) least = cost
    }
    return least > limit ? NONE : OPEN
  }
}
