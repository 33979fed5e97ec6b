// The values of a field over all segments of a view, in order, each once: walks side by side, the
// lowest goes on. Numbers before strings is the consumer's business; here is one kind at a time.
import {
  type FieldReader,
  isBelow,
  type StringColumn,
  type StringWalk,
} from '../../../format/columns/index.ts'
import type { CandidatePart } from './segments.ts'
import { numberCounts, stringCounts, type ValueCounts } from './value-counts.ts'

/** One segment that has the field, with its candidates. */
export type FieldPart = { readonly part: CandidatePart; readonly field: FieldReader }

type NumberSource = {
  readonly counts: ValueCounts
  readonly at: (ordinal: number) => number
  value: number
}

/** The numbers that candidates have, ascending. */
export class MergedNumbers {
  value = 0
  /** How many candidates have it. */
  count = 0
  #sources: NumberSource[] = []

  /** `wanted` is how many values are likely to be taken. */
  constructor(parts: readonly FieldPart[], wanted: number) {
    for (const { part, field } of parts) {
      const counts = numberCounts(part, field, wanted)
      if (counts === null || !counts.next()) continue
      const at = (ordinal: number) => field.numberAt(ordinal)
      this.#sources.push({ counts, at, value: at(counts.ordinal) })
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
        source.value = Number.NaN
        isSpent = true
      }
    }
    if (isSpent) this.#sources = this.#sources.filter((source) => !Number.isNaN(source.value))
    this.value = value
    this.count = count
    return true
  }
}

/** A string that candidates have, in one of the segments that have it. */
export type StringHolder = {
  readonly part: CandidatePart
  readonly column: StringColumn
  readonly ordinal: number
}

type StringSource = {
  readonly part: CandidatePart
  readonly column: StringColumn
  readonly counts: ValueCounts
  readonly walk: StringWalk
  isSpent: boolean
}

/** The normalised strings that candidates have, in byte order. */
export class MergedStrings {
  /** How many candidates have the current one. */
  count = 0
  /** The segments that have it, in order of segments. */
  holders: StringHolder[] = []
  #sources: StringSource[] = []

  /** `wanted` is how many values are likely to be taken. */
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
    // One segment needs no comparing, so its strings need not even be read.
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

  /** Takes the current string of `source` and sends it on to its next one. */
  #take(source: StringSource, compares: boolean): void {
    const { part, column, counts } = source
    this.holders.push({ part, column, ordinal: counts.ordinal })
    this.count += counts.count
    if (!counts.next()) source.isSpent = true
    else if (compares) source.walk.seek(counts.ordinal)
  }
}
