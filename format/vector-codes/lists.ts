// Divides many rows into lists by the centers that they are nearest to. The centers come from a
// sample of the rows, in two levels of k-means: first those of groups, then those of the lists of
// each group · ./CODES.md "Lists"
import { bytesOf } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import { type Kernel, kernel } from '../kernel/index.ts'
import { LISTS_MAX } from './limits.ts'

/** Rows of the sample for each list, unless `SAMPLE_BYTES_MAX` allows fewer. */
const SAMPLED_EACH = 32
/** With fewer rows of the sample for each list, there are fewer lists. */
const SAMPLED_EACH_MIN = 16
const SAMPLE_BYTES_MAX = 1 << 25
/** More iterations move few rows. */
const ITERATIONS = 8
/** A row is compared with the lists of this many groups, those whose centers are nearest to it. */
const GROUPS_SEARCHED = 3
/** Rows compared between two copies of the centers into the kernel's memory. */
export const ROWS_AT_ONCE = 256

const sampledMax = (dimensions: number): number => Math.floor(SAMPLE_BYTES_MAX / (dimensions * 4))

/** Returns the number of lists for this many rows. */
export const listsFor = (rows: number, dimensions: number): number =>
  Math.min(
    LISTS_MAX,
    Math.floor(Math.sqrt(rows)),
    Math.floor(sampledMax(dimensions) / SAMPLED_EACH_MIN),
  )

/** Returns the number of rows from which the centers of `lists` lists are computed. */
export const sampledFor = (lists: number, dimensions: number): number =>
  Math.min(lists * SAMPLED_EACH, sampledMax(dimensions))

/** The centers of all lists, group by group. */
export class Lists {
  readonly #groups: Centers
  /** By group, its first list; the last entry is the number of lists. */
  readonly #starts: Uint32Array
  readonly centers: Centers

  private constructor(groups: Centers, starts: Uint32Array, centers: Centers) {
    this.#groups = groups
    this.#starts = starts
    this.centers = centers
  }

  /** Computes about `lists` centers from a sample of directions. */
  static of(sample: Float32Array, dimensions: number, lists: number): Lists {
    const count = sample.length / dimensions
    assert(lists > 0 && count >= lists, 'a list has a row of the sample')
    const groups = kMeans(sample, dimensions, Math.round(Math.sqrt(lists)))
    const nearest = new Uint32Array(count)
    groups.nearest(sample, nearest)
    const starts = new Uint32Array(groups.count + 1)
    const centers: Float32Array[] = []
    for (let g = 0; g < groups.count; g++) {
      const rows = rowsWhere(sample, dimensions, (row) => nearest[row] === g)
      const share = Math.round((lists * rows.length) / sample.length)
      const own = Math.min(rows.length / dimensions, Math.max(1, share))
      if (own > 0) centers.push(kMeans(rows, dimensions, own).vectors)
      starts[g + 1] = starts[g]! + own
    }
    return new Lists(groups, starts, new Centers(concatenated(centers), dimensions))
  }

  /**
   * Writes the number of a near list for each of up to `ROWS_AT_ONCE` directions, and the square of
   * the distance to its center.
   */
  assign(directions: Float32Array, lists: Uint32Array, squares: Float32Array): void {
    const groups = this.#groups
    const { centers } = this
    const { dimensions } = centers
    const host = kernel()
    const [rows, ofGroups, ofLists, out] = host.rooms(
      directions.byteLength,
      groups.bytes,
      centers.bytes,
      Math.max(groups.count, centers.count) * 4,
    )
    host.put(rows, bytesOf(directions))
    groups.put(host, ofGroups.at)
    centers.put(host, ofLists.at)
    const scores = host.floats(out)
    for (let row = 0; row * dimensions < directions.length; row++) {
      const at = rows.at + row * dimensions * 4
      groups.score(host, at, ofGroups.at, 0, groups.count, out.at)
      let list = 0
      let best = Number.NEGATIVE_INFINITY
      for (const group of greatest(scores, groups.count, GROUPS_SEARCHED)) {
        const from = this.#starts[group]!
        const count = this.#starts[group + 1]! - from
        centers.score(host, at, ofLists.at, from, count, out.at)
        for (let i = 0; i < count; i++) {
          if (scores[i]! <= best) continue
          best = scores[i]!
          list = from + i
        }
      }
      lists[row] = list
      // Directions have length 1.
      squares[row] = Math.max(0, 1 - 2 * best)
    }
  }
}

/** Vectors in an order, and the search for those nearest to a row. */
class Centers {
  readonly count: number
  /** One after another. */
  readonly vectors: Float32Array
  readonly dimensions: number
  readonly #halves: Float32Array

  constructor(vectors: Float32Array, dimensions: number) {
    this.vectors = vectors
    this.dimensions = dimensions
    this.count = vectors.length / dimensions
    this.#halves = Float32Array.from({ length: this.count }, (_, c) => {
      let square = 0
      for (const value of this.of(c)) square += value * value
      return square / 2
    })
  }

  of(center: number): Float32Array {
    return this.vectors.subarray(center * this.dimensions, (center + 1) * this.dimensions)
  }

  /** Bytes that `put` writes. */
  get bytes(): number {
    return this.vectors.byteLength + this.#halves.byteLength
  }

  put(host: Kernel, at: number): void {
    host.write(at, bytesOf(this.vectors))
    host.write(at + this.vectors.byteLength, bytesOf(this.#halves))
  }

  /**
   * Writes the scores of `count` centers from `from` on for the row at an address; `put` has
   * written the centers to `at`. A score is the product with the row minus half the square of the
   * center: the nearest center has the greatest one.
   */
  score(host: Kernel, row: number, at: number, from: number, count: number, out: number): void {
    const vectors = at + from * this.dimensions * 4
    const halves = at + this.vectors.byteLength + from * 4
    host.exports.scores(row, this.dimensions, vectors, halves, count, out)
  }

  /** Writes the number of the nearest center for each row. */
  nearest(rows: Float32Array, nearest: Uint32Array): void {
    const host = kernel()
    const step = ROWS_AT_ONCE * this.dimensions
    const [some, centers, out] = host.rooms(step * 4, this.bytes, this.count * 4)
    this.put(host, centers.at)
    const scores = host.floats(out)
    for (let from = 0; from < rows.length; from += step) {
      const piece = rows.subarray(from, from + step)
      host.put(some, bytesOf(piece))
      for (let at = 0; at < piece.length; at += this.dimensions) {
        this.score(host, some.at + at * 4, centers.at, 0, this.count, out.at)
        let best = 0
        for (let c = 1; c < this.count; c++) if (scores[c]! > scores[best]!) best = c
        nearest[(from + at) / this.dimensions] = best
      }
    }
  }
}

/** Computes `count` centers of rows, of which there are as many at least. */
function kMeans(rows: Float32Array, dimensions: number, count: number): Centers {
  const rowCount = rows.length / dimensions
  const vectors = new Float32Array(count * dimensions)
  for (let c = 0; c < count; c++) {
    const row = Math.floor((c * rowCount) / count) * dimensions
    vectors.set(rows.subarray(row, row + dimensions), c * dimensions)
  }
  const nearest = new Uint32Array(rowCount)
  for (let i = 0; i < ITERATIONS; i++) {
    new Centers(vectors, dimensions).nearest(rows, nearest)
    moveToMeans(vectors, rows, nearest, dimensions)
  }
  return new Centers(vectors, dimensions)
}

/** Moves each center to the mean of its rows; one without rows stays. */
function moveToMeans(
  centers: Float32Array,
  rows: Float32Array,
  nearest: Uint32Array,
  dimensions: number,
): void {
  const sums = new Float64Array(centers.length)
  const counts = new Uint32Array(centers.length / dimensions)
  for (let row = 0; row < nearest.length; row++) {
    const from = row * dimensions
    const to = nearest[row]! * dimensions
    counts[nearest[row]!]!++
    for (let d = 0; d < dimensions; d++) sums[to + d]! += rows[from + d]!
  }
  for (let i = 0; i < centers.length; i++) {
    const count = counts[Math.floor(i / dimensions)]!
    if (count > 0) centers[i] = sums[i]! / count
  }
}

function rowsWhere(
  rows: Float32Array,
  dimensions: number,
  holds: (row: number) => boolean,
): Float32Array {
  const found: Float32Array[] = []
  for (let at = 0; at < rows.length; at += dimensions) {
    if (holds(at / dimensions)) found.push(rows.subarray(at, at + dimensions))
  }
  return concatenated(found)
}

function concatenated(parts: readonly Float32Array[]): Float32Array {
  const out = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}

/** Returns the indexes of the `most` greatest of the first `count` numbers, or of all. */
function greatest(numbers: Float32Array, count: number, most: number): readonly number[] {
  const best: number[] = []
  for (let i = 0; i < count; i++) {
    if (best.length === most && numbers[i]! <= numbers[best[most - 1]!]!) continue
    if (best.length === most) best.pop()
    let at = best.length
    while (at > 0 && numbers[best[at - 1]!]! < numbers[i]!) at--
    best.splice(at, 0, i)
  }
  return best
}
