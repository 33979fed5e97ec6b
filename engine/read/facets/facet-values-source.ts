// The matching values of one segment that candidates have, in order. A segment has one or two
// sources: the strings of its dictionary that are already folded, and those that folding changes.
import type { StringColumn } from '../../../format/columns/index.ts'
import type { ValueOrdinal } from '../../../format/ids.ts'
import type { FoldedValues, SortedStrings, SortedWalk } from './facet-values-folded.ts'
import type { Ranges } from './facet-values-match.ts'
import type { CandidatePart } from './segments.ts'
import { postingCost, stringCountArray } from './value-counts.ts'

/** Values skipped between two calls of `pause`. */
const PAUSE_VALUES = 4096

/**
 * Counts the candidates of one segment with a value: from stored sizes, from counts of all values,
 * or value by value.
 */
export class ValueCounter {
  readonly #part: CandidatePart
  readonly #column: StringColumn
  readonly #counts: Uint32Array | null

  /** `matching` values match; the first `wanted` of those with a candidate will be requested. */
  constructor(part: CandidatePart, column: StringColumn, matching: number, wanted: number) {
    this.#part = part
    this.#column = column
    const beforehand = isWorthCounting(part, column, matching, wanted)
    this.#counts = beforehand ? stringCountArray(part, column) : null
  }

  of(ordinal: ValueOrdinal): number {
    if (this.#counts !== null) return this.#counts[ordinal]!
    const { postings } = this.#column
    if (this.#part.isWhole) return postings.size(ordinal)
    return postings.countIn(ordinal, this.#part.words)
  }
}

/**
 * Returns true if counting all values through the rows of the candidates is cheaper. Costs in
 * nanoseconds, as in `value-counts.ts`.
 */
function isWorthCounting(
  part: CandidatePart,
  { postings, rows }: StringColumn,
  matching: number,
  wanted: number,
): boolean {
  const docs = part.segment.reader.docCount
  const docsPerValue = rows.total / postings.count
  const chance = Math.min(1, (docsPerValue * part.size) / docs)
  const reads = Math.min(matching, wanted / chance)
  if (part.isWhole) return reads * 10 > postings.count
  const rowCost = 5 + (3 * rows.total) / docs
  const rowsCost = Math.min(part.size, docs - part.size) * rowCost + 2 * postings.count
  return reads * postingCost(docsPerValue, docs) > rowsCost
}

/** A walk over matching values with candidates. It begins before the first one. */
export class ValueSource {
  readonly column: StringColumn
  /** Ordinal of the current value in the dictionary. */
  ordinal = -1
  /** Candidates of the segment with the current value. */
  count = 0
  isSpent = false
  readonly #strings: SortedStrings
  readonly #counter: ValueCounter
  readonly #ranges: Ranges
  readonly #pause: () => void
  /** The values of `#strings` if they are not those of the dictionary. */
  readonly #folded: FoldedValues | null
  /** Values of the dictionary to skip. */
  readonly #without: FoldedValues | null
  /** Walks over `#strings`, and over the dictionary. */
  #walk: SortedWalk | null = null
  #normalised: SortedWalk | null = null
  #range = -2
  #place = -1
  #end = -1

  constructor(
    column: StringColumn,
    counter: ValueCounter,
    ranges: Ranges,
    pause: () => void,
    values: { readonly folded: FoldedValues | null; readonly without: FoldedValues | null },
  ) {
    this.column = column
    this.#counter = counter
    this.#ranges = ranges
    this.#pause = pause
    this.#folded = values.folded
    this.#without = values.without
    this.#strings = values.folded ?? column.dictionary
  }

  /** Moves to the next value, or sets `isSpent`. */
  advance(): void {
    for (;;) {
      this.#place++
      if (this.#place >= this.#end && !this.#nextRange()) return
      if (this.#place % PAUSE_VALUES === 0) this.#pause()
      const ordinal = this.#folded === null ? this.#place : this.#folded.ordinals[this.#place]!
      if (this.#without?.changes(ordinal) === true) continue
      const count = this.#counter.of(ordinal)
      if (count === 0) continue
      this.ordinal = ordinal
      this.count = count
      return
    }
  }

  /** Compares the current value with another source's: by folded, then by normalized form. */
  compareTo(other: ValueSource): number {
    const order = compareWalks(this.#current(), other.#current())
    if (order !== 0 || (this.#folded === null && other.#folded === null)) return order
    return compareWalks(this.#currentNormalised(), other.#currentNormalised())
  }

  #nextRange(): boolean {
    this.#range += 2
    if (this.#range >= this.#ranges.length) {
      this.isSpent = true
      return false
    }
    this.#place = this.#ranges[this.#range]!
    this.#end = this.#ranges[this.#range + 1]!
    return true
  }

  #current(): SortedWalk {
    this.#walk ??= this.#strings.walk()
    if (this.#walk.ordinal !== this.#place) this.#walk.seek(this.#place)
    return this.#walk
  }

  #currentNormalised(): SortedWalk {
    if (this.#folded === null) return this.#current()
    this.#normalised ??= this.column.dictionary.walk()
    if (this.#normalised.ordinal !== this.ordinal) this.#normalised.seek(this.ordinal)
    return this.#normalised
  }
}

function compareWalks(a: SortedWalk, b: SortedWalk): number {
  const x = a.bytes
  const y = b.bytes
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const difference = x[i]! - y[i]!
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** Merges the sources of several segments: each value once, in order. */
export class MergedSources {
  /** Candidates with the current value. */
  count = 0
  /** A source with the current value, and its ordinal there. */
  column: StringColumn | null = null
  ordinal = -1
  #sources: ValueSource[]

  constructor(sources: readonly ValueSource[]) {
    for (const source of sources) source.advance()
    this.#sources = sources.filter((source) => !source.isSpent)
  }

  next(): boolean {
    const sources = this.#sources
    if (sources.length === 0) return false
    let lowest = sources[0]!
    for (let i = 1; i < sources.length; i++) {
      if (sources[i]!.compareTo(lowest) < 0) lowest = sources[i]!
    }
    this.column = lowest.column
    this.ordinal = lowest.ordinal
    this.count = lowest.count
    let isSpent = false
    for (let i = 0; i < sources.length; i++) {
      const source = sources[i]!
      if (source === lowest || source.compareTo(lowest) !== 0) continue
      this.count += source.count
      source.advance()
      isSpent ||= source.isSpent
    }
    lowest.advance()
    if (isSpent || lowest.isSpent) this.#sources = sources.filter((source) => !source.isSpent)
    return true
  }
}
