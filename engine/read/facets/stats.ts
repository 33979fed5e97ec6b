// The smallest and largest number among candidates, and their sum.
import { type ExactNumber, isBelow } from '../../../format/bytes/index.ts'
import type { NumberColumn } from '../../../format/columns/index.ts'
import type { FieldPart } from './merged-values.ts'
import type { CandidatePart } from './segments.ts'
import { numberCounts } from './value-counts.ts'

export type FacetStats = {
  readonly min: ExactNumber
  readonly max: ExactNumber
  /** Absent if they were not requested. */
  readonly sums?: FacetSums
}

/** Each number of a document counts once. */
export type FacetSums = { readonly sum: number; readonly count: number }

/** Values tried from each end before the rows of all candidates are read instead. */
const TRIES = 64
/** For up to this many candidates the rows are read immediately. */
const FEW_CANDIDATES_MAX = 256
const NONE = 0xffffffff

/** Statistics over all segments; null if no candidate has a number. */
export function statsOf(parts: readonly FieldPart[], hasSums: boolean): FacetStats | null {
  let stats: FacetStats | null = null
  for (const { part, field } of parts) {
    if (field.numbers === null) continue
    const first = extreme(part, field.numbers, false)
    if (first === NONE) continue
    const min = field.numbers.at(first)
    const max = field.numbers.at(extreme(part, field.numbers, true))
    stats = {
      min: stats === null || isBelow(min, stats.min) ? min : stats.min,
      max: stats === null || isBelow(stats.max, max) ? max : stats.max,
    }
  }
  return stats === null || !hasSums ? stats : { ...stats, sums: sumsOf(parts) }
}

function sumsOf(parts: readonly FieldPart[]): FacetSums {
  let sum = 0
  let count = 0
  for (const { part, field } of parts) {
    const values = numberCounts(part, field, Number.POSITIVE_INFINITY)
    if (values === null) continue
    while (values.next()) {
      sum += Number(field.numberAt(values.ordinal)) * values.count
      count += values.count
    }
  }
  return { sum, count }
}

/** Returns the smallest or largest ordinal that a candidate has, or NONE. */
function extreme(part: CandidatePart, numbers: NumberColumn, largest: boolean): number {
  const { count, postings } = numbers
  const ends = part.ends.get(numbers)
  if (ends !== undefined) return largest ? ends.last : ends.first
  if (part.isWhole) return largest ? count - 1 : 0
  if (part.size > FEW_CANDIDATES_MAX) {
    const { words } = part
    for (let i = 0; i < Math.min(TRIES, count); i++) {
      const ordinal = largest ? count - 1 - i : i
      if (postings.countIn(ordinal, words) > 0) return ordinal
    }
  }
  const ordinals = new Uint32Array(part.size)
  numbers.rows.extremes(part.ids, 0, part.size, largest, NONE, ordinals)
  let best = NONE
  for (let i = 0; i < ordinals.length; i++) {
    const ordinal = ordinals[i]!
    if (ordinal === NONE) continue
    if (best === NONE || (largest ? ordinal > best : ordinal < best)) best = ordinal
  }
  return best
}
