// Merges the values of a field over all segments of a view: in order, each once. Numbers and
// strings are separate; the consumer puts numbers first.
import { type ExactNumber, isBelow } from '../../../format/bytes/index.ts'
import type { FieldReader, StringColumn } from '../../../format/columns/index.ts'
import type { StringWalk } from '../../../format/fields/index.ts'
import type { ValueOrdinal } from '../../../format/ids.ts'
import type { CandidatePart } from './segments.ts'
import { numberCounts, stringCounts, type ValueCounts } from './value-counts.ts'

/** A segment with the field, and its candidates. */
export type FieldPart = { readonly part: CandidatePart; readonly field: FieldReader }

type NumberSource = {
  readonly counts: ValueCounts
  readonly at: (ordinal: ValueOrdinal) => ExactNumber
  value: ExactNumber
  isSpent: boolean
}

/** The numbers that candidates have, ascending. */
export class MergedNumbers {
  value: ExactNumber = 0
  /** Number of candidates with the current value. */
  count = 0
  #sources: NumberSource[] = []

  /** `wanted`: the expected number of values that will be read. */
  constructor(parts: readonly FieldPart[], wanted: number) {
    for (const { part, field } of parts) {
      const counts = numberCounts(part, field, wanted)
      if (counts === null || !counts.next()) continue
      const at = (ordinal: ValueOrdinal) => field.numberAt(ordinal)
      this.#sources.push({ counts, at, value: at(counts.ordinal), isSpent: false })
    }
  }

  next(): boolean {
    const first = this.#sources[0]
    if (first === undefined) return false
    let value = first.value
    for (const source of this.#sources) if (isBelow(source.value, value)) value = source.value
    let count = 0
    let isSpent = false
    for (const source of this.#sources) {
      if (!Object.is(source.value, value)) continue
      count += source.counts.count
      if (source.counts.next()) source.value = source.at(source.counts.ordinal)
      else {
        source.isSpent = true
        isSpent = true
      }
    }
    if (isSpent) this.#sources = this.#sources.filter((source) => !source.isSpent)
    this.value = value
    this.count = count
    return true
  }
}

/** A string that candidates have, in one of the segments that contain it. */
export type StringHolder = {
  readonly part: CandidatePart
  readonly column: StringColumn
  readonly ordinal: ValueOrdinal
}

type StringSource = {
  readonly part: CandidatePart
  readonly column: StringColumn
  readonly counts: ValueCounts
  readonly walk: StringWalk
  isSpent: boolean
}

/** The normalized strings that candidates have, in byte order. */
export class MergedStrings {
  /** Number of candidates with the current string. */
  count = 0
  /** The segments with the current string, in order. */
  holders: StringHolder[] = []
  #sources: StringSource[] = []

  /** `wanted`: the expected number of values that will be read. */
  constructor(parts: readonly FieldPart[], wanted: number) {
    for (const { part, field } of parts) {
      const counts = stringCounts(part, field, wanted)
      if (counts === null || field.strings === null || !counts.next()) continue
      const source = {
        part,
        column: field.strings,
        counts,
        walk: field.walkStrings()!,
        isSpent: false,
      }
      this.#sources.push(source)
    }
    // With one segment nothing is compared, so its strings need not be read.
    if (this.#sources.length > 1)
      for (const { walk, counts } of this.#sources) walk.seek(counts.ordinal)
  }

  next(): boolean {
    const sources = this.#sources
    this.holders = []
    this.count = 0
    if (sources.length === 0) return false
    if (sources.length === 1) this.#take(sources[0]!, false)
    else {
      const lowest = this.#lowest()
      for (const source of sources) {
        if (source !== lowest && source.walk.compareTo(lowest.walk) === 0) this.#take(source, true)
      }
      this.#take(lowest, true)
    }
    this.#sources = sources.filter((source) => !source.isSpent)
    return true
  }

  #lowest(): StringSource {
    let lowest = this.#sources[0]!
    for (let i = 1; i < this.#sources.length; i++) {
      const source = this.#sources[i]!
      if (source.walk.compareTo(lowest.walk) < 0) lowest = source
    }
    return lowest
  }

  /** Adds the current string of `source` to the result, and moves the source on. */
  #take(source: StringSource, compares: boolean): void {
    const { part, column, counts } = source
    this.holders.push({ part, column, ordinal: counts.ordinal })
    this.count += counts.count
    if (!counts.next()) source.isSpent = true
    else if (compares) source.walk.seek(counts.ordinal)
  }
}
