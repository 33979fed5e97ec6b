// The rows with the best estimates of a search. Estimates are collected in an array that is reduced
// to the best ones whenever it is full: a row costs less than in a heap.
import { assert } from '../errors.ts'

/** The array holds this many times the wanted rows before it is reduced. */
const ROOM = 4

export class Candidates {
  readonly #most: number
  readonly #parted: Float32Array
  readonly #estimates: Float32Array
  readonly #rows: Uint32Array
  readonly #segments: Uint32Array
  #count = 0
  #least = Number.NEGATIVE_INFINITY

  constructor(most: number) {
    assert(most > 0, 'a search has candidates')
    this.#most = most
    this.#parted = new Float32Array(most * ROOM)
    this.#estimates = new Float32Array(most * ROOM)
    this.#rows = new Uint32Array(most * ROOM)
    this.#segments = new Uint32Array(most * ROOM)
  }

  /** Only estimates above this value can still be selected. */
  get least(): number {
    return this.#least
  }

  /** Adds a row. `estimate`: a 32-bit float above `least`. */
  add(estimate: number, segment: number, row: number): void {
    if (this.#count === this.#estimates.length) {
      this.#select()
      if (!(estimate > this.#least)) return
    }
    const at = this.#count++
    this.#estimates[at] = estimate
    this.#segments[at] = segment
    this.#rows[at] = row
  }

  /** Returns the remaining rows by segment, ascending. */
  take(): ReadonlyMap<number, Uint32Array> {
    if (this.#count > this.#most) this.#select()
    const lists = new Map<number, number[]>()
    for (let i = 0; i < this.#count; i++) {
      const segment = this.#segments[i]!
      const list = lists.get(segment)
      if (list === undefined) lists.set(segment, [this.#rows[i]!])
      else list.push(this.#rows[i]!)
    }
    return new Map([...lists].map(([segment, rows]) => [segment, Uint32Array.from(rows).sort()]))
  }

  /** Keeps the best estimates; of those equal to the last one, those that came first. */
  #select(): void {
    const count = this.#count
    const most = this.#most
    const estimates = this.#estimates
    const parted = this.#parted.subarray(0, count)
    parted.set(estimates.subarray(0, count))
    const least = nthGreatest(parted, most - 1)
    let equal = most
    for (let i = 0; i < count; i++) if (estimates[i]! > least) equal--
    let kept = 0
    for (let i = 0; i < count; i++) {
      const estimate = estimates[i]!
      if (!(estimate > least) && (estimate !== least || equal-- <= 0)) continue
      estimates[kept] = estimate
      this.#rows[kept] = this.#rows[i]!
      this.#segments[kept] = this.#segments[i]!
      kept++
    }
    this.#count = kept
    this.#least = least
  }
}

/** Returns the value with index `n` in descending order; reorders `values` (Hoare's FIND). */
function nthGreatest(values: Float32Array, n: number): number {
  let from = 0
  let to = values.length - 1
  while (from < to) {
    const pivot = values[(from + to) >>> 1]!
    let i = from
    let j = to
    while (i <= j) {
      while (values[i]! > pivot) i++
      while (values[j]! < pivot) j--
      if (i > j) break
      const held = values[i]!
      values[i++] = values[j]!
      values[j--] = held
    }
    if (n <= j) to = j
    else if (n >= i) from = i
    else break
  }
  return values[n]!
}
