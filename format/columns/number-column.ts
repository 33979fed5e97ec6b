// The numbers of a field: values by ordinal, documents by value, values by document.
//
// Values are in the total order of doubles: -0 differs from 0 and comes before it, as in the
// recordings (`n = -0` does not find 0). NaN and infinities do not occur.
import { unzigzag } from '../bytes/index.ts'
import { refuse } from '../errors.ts'
import {
  type FieldSets,
  float64View,
  type IdBounds,
  type Packed,
  type PartReader,
  Postings,
  packedView,
  Rows,
} from '../fields/index.ts'
import type { Section } from '../frame/index.ts'
import type { ValueOrdinal } from '../ids.ts'

export class NumberColumn {
  /** Number of distinct values. */
  readonly count: number
  readonly postings: Postings
  readonly rows: Rows
  readonly #section: Section
  readonly #valuesAt: number
  readonly #width: number
  readonly #base: number
  readonly #values: Packed | Float64Array

  constructor(
    section: Section,
    count: number,
    bounds: IdBounds,
    sets: FieldSets,
    reader: PartReader,
  ) {
    this.count = count
    this.#section = section
    const width = reader.head.varint()
    reader.expect(width === 1 || width === 2 || width === 4 || width === 8, '1, 2, 4 or 8', width)
    this.#width = width
    this.#base = width === 8 ? 0 : unzigzag(reader.head.varint())
    this.#valuesAt = reader.part(count * width, width)
    this.#values =
      width === 1 || width === 2 || width === 4
        ? packedView(section, this.#valuesAt, count, width)
        : float64View(section, this.#valuesAt, count)
    const holders = () => sets.members('numbers')
    this.rows = new Rows(section, count, bounds.count, holders, reader)
    this.postings = Postings.open(section, count, bounds, () => sets.get('numbers'), reader)
  }

  /**
   * Returns value `ordinal`. @throws CorruptionError if there is no such value: ordinals are read
   * from rows
   */
  at(ordinal: ValueOrdinal): number {
    if (ordinal >= this.count) {
      refuse(this.#section.tag, this.#valuesAt, 'bad_value', `below ${this.count}`, ordinal)
    }
    this.#section.touch(this.#valuesAt + ordinal * this.#width, this.#width)
    const value = this.#values[ordinal]!
    return this.#width === 8 ? value : this.#base + value
  }

  /** Returns the first ordinal whose value is at least `value`, or `count`. */
  lowerBound(value: number): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isBelow(this.at(middle), value)) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Returns the first ordinal whose value is above `value`, or `count`. */
  upperBound(value: number): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isBelow(value, this.at(middle))) high = middle
      else low = middle + 1
    }
    return low
  }

  /** Returns the ordinal of `value`, or -1. */
  find(value: number): number {
    const ordinal = this.lowerBound(value)
    return ordinal < this.count && Object.is(this.at(ordinal), value) ? ordinal : -1
  }
}

/** Returns true if `a` comes before `b` in the order of values. */
export const isBelow = (a: number, b: number): boolean =>
  a < b || (a === 0 && b === 0 && Object.is(a, -0) && !Object.is(b, -0))
