// The numbers of a field: values by ordinal, documents by value, values by document.
//
// Values are in the order of numbers; -0 differs from 0 and comes before it. NaN and infinities do
// not occur. With residues a value is the double plus its residue: a whole number of 64 bits.
import {
  type ExactNumber,
  isBelow,
  isLarge,
  LARGE_MAX,
  LARGE_MIN,
  unzigzag,
} from '../bytes/index.ts'
import { refuse } from '../errors.ts'
import {
  EXACT_WIDTH,
  type FieldSets,
  float64View,
  type IdBounds,
  int16View,
  type Packed,
  type PartReader,
  Postings,
  packedView,
  Rows,
} from '../fields/index.ts'
import type { Section } from '../frame/index.ts'
import type { ValueOrdinal } from '../ids.ts'

/** Version of the section `DATA` from which on values may have residues. */
export const EXACT_SINCE = 2

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
  readonly #residuesAt: number
  readonly #residues: Int16Array | null

  constructor(
    section: Section,
    count: number,
    bounds: IdBounds,
    sets: FieldSets,
    reader: PartReader,
  ) {
    this.count = count
    this.#section = section
    const stored = reader.head.varint()
    const isExact = stored === EXACT_WIDTH && section.version >= EXACT_SINCE
    const width = isExact ? 8 : stored
    reader.expect(width === 1 || width === 2 || width === 4 || width === 8, '1, 2, 4 or 8', stored)
    this.#width = width
    this.#base = width === 8 ? 0 : unzigzag(reader.head.varint())
    this.#valuesAt = reader.part(count * width, width)
    this.#values =
      width === 1 || width === 2 || width === 4
        ? packedView(section, this.#valuesAt, count, width)
        : float64View(section, this.#valuesAt, count)
    this.#residuesAt = reader.part(isExact ? count * 2 : 0, 2)
    this.#residues = isExact ? int16View(section, this.#residuesAt, count) : null
    const holders = () => sets.members('numbers')
    this.rows = new Rows(section, count, bounds.count, holders, reader)
    this.postings = Postings.open(section, count, bounds, () => sets.get('numbers'), reader)
  }

  /**
   * Returns value `ordinal`. @throws CorruptionError if there is no such value: ordinals are read
   * from rows
   */
  at(ordinal: ValueOrdinal): ExactNumber {
    const double = this.doubleAt(ordinal)
    if (this.#residues === null) return double
    const residue = this.residueAt(ordinal)
    return residue === 0 ? double : this.#exact(double, residue)
  }

  /** Returns the double of value `ordinal`: the value itself without residues. Throws as `at`. */
  doubleAt(ordinal: ValueOrdinal): number {
    if (ordinal >= this.count) {
      refuse(this.#section.tag, this.#valuesAt, 'bad_value', `below ${this.count}`, ordinal)
    }
    this.#section.touch(this.#valuesAt + ordinal * this.#width, this.#width)
    const value = this.#values[ordinal]!
    return this.#width === 8 ? value : this.#base + value
  }

  /** Returns the residue of value `ordinal`, which exists. */
  residueAt(ordinal: ValueOrdinal): number {
    if (this.#residues === null) return 0
    this.#section.touch(this.#residuesAt + ordinal * 2, 2)
    return this.#residues[ordinal]!
  }

  get hasResidues(): boolean {
    return this.#residues !== null
  }

  /** Returns true if a value is large: without residues it may be rounded. */
  hasLarge(): boolean {
    if (this.#width !== 8) return false
    return this.#hasWithin(LARGE_MIN, LARGE_MAX) || this.#hasWithin(-LARGE_MAX, -LARGE_MIN)
  }

  /** Returns the first ordinal whose value is at least `value`, or `count`. */
  lowerBound(value: ExactNumber): number {
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
  upperBound(value: ExactNumber): number {
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
  find(value: ExactNumber): number {
    const ordinal = this.lowerBound(value)
    return ordinal < this.count && Object.is(this.at(ordinal), value) ? ordinal : -1
  }

  #hasWithin(low: number, high: number): boolean {
    const first = this.lowerBound(low)
    return first < this.count && this.doubleAt(first) <= high
  }

  /** @throws CorruptionError if no whole number has this double and residue */
  #exact(double: number, residue: number): bigint {
    const value = isLarge(double) ? BigInt(double) + BigInt(residue) : null
    if (value === null || Number(value) !== double) {
      refuse(this.#section.tag, this.#residuesAt, 'bad_value', `one of ${double}`, residue)
    }
    return value
  }
}
