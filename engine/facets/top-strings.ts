// The strings of a field that most candidates have, over all segments.
//
// One segment: its counts are the counts. Several: a string among the most frequent ones has in some segment
// at least the share that the least of them would need, so only those strings are put together; counted
// once or twice, as most are, a string is not even looked at.

import type { FieldReader, StringColumn, StringWalk } from '../../format/columns/index.ts'
import { lowerBound } from '../../format/idset/index.ts'
import type { FieldPart, StringHolder } from './merged-values.ts'
import type { CandidatePart } from './segments.ts'
import { nthLargest, topByCount } from './top-counts.ts'
import { stringCounts } from './value-counts.ts'

export type CountedString = { readonly holders: readonly StringHolder[]; readonly count: number }

/** What one segment has: ordinals ascending, and how many candidates have each. */
type Tally = {
  readonly part: CandidatePart
  readonly column: StringColumn
  readonly ordinals: Uint32Array
  readonly counts: Uint32Array
}

/** The `wanted` most frequent ones, in that order; larger strings first among equals. */
export function topStrings(parts: readonly FieldPart[], wanted: number): CountedString[] {
  const tallies: Tally[] = []
  for (const { part, field } of parts) {
    const tally = tallyOf(part, field)
    if (tally !== null) tallies.push(tally)
  }
  const [only] = tallies
  if (only === undefined) return []
  if (tallies.length > 1) return topOfSeveral(tallies, wanted)
  const top: CountedString[] = []
  for (const i of topByCount(only.counts, wanted)) {
    const holder = { part: only.part, column: only.column, ordinal: only.ordinals[i]! }
    top.push({ holders: [holder], count: only.counts[i]! })
  }
  return top
}

function tallyOf(part: CandidatePart, field: FieldReader): Tally | null {
  const column = field.strings
  const walk = stringCounts(part, field, Number.POSITIVE_INFINITY)
  if (column === null || walk === null) return null
  const ordinals = new Uint32Array(column.count)
  const counts = new Uint32Array(column.count)
  let n = 0
  while (walk.next()) {
    ordinals[n] = walk.ordinal
    counts[n++] = walk.count
  }
  return { part, column, ordinals: ordinals.subarray(0, n), counts: counts.subarray(0, n) }
}

/** One segment on the way through its strings with at least the share. */
type Source = { readonly tally: Tally; readonly walk: StringWalk; at: number }

function topOfSeveral(tallies: readonly Tally[], wanted: number): CountedString[] {
  const least = tallies.reduce((most, { counts }) => Math.max(most, nthLargest(counts, wanted)), 0)
  const share = Math.max(1, Math.ceil(least / tallies.length))
  const sources = tallies.map((tally) => ({ tally, walk: tally.column.dictionary.walk(), at: -1 }))
  for (const source of sources) advance(source, share)
  const strings: CountedString[] = []
  for (let lowest = lowestOf(sources); lowest !== null; lowest = lowestOf(sources)) {
    strings.push(gather(lowest, sources, share))
  }
  const counts = Uint32Array.from(strings, (string) => string.count)
  return Array.from(topByCount(counts, wanted), (i) => strings[i]!)
}

/** Goes to the next string with at least `share` candidates. */
function advance(source: Source, share: number): void {
  const { counts, ordinals } = source.tally
  let at = source.at + 1
  while (at < counts.length && counts[at]! < share) at++
  source.at = at
  if (at < counts.length) source.walk.seek(ordinals[at]!)
}

const isSpent = (source: Source): boolean => source.at >= source.tally.counts.length

function lowestOf(sources: readonly Source[]): Source | null {
  let lowest: Source | null = null
  for (const source of sources) {
    if (isSpent(source)) continue
    if (lowest === null || source.walk.compareTo(lowest.walk) < 0) lowest = source
  }
  return lowest
}

/** The string `lowest` stands on in all segments, those where it has less than the share included. */
function gather(lowest: Source, sources: readonly Source[], share: number): CountedString {
  const key = lowest.walk.bytes.slice(0, lowest.walk.length)
  const holders: StringHolder[] = []
  let count = 0
  for (const source of sources) {
    const { part, column, ordinals, counts } = source.tally
    const isHere = !isSpent(source) && source.walk.compare(key) === 0
    const ordinal = isHere ? ordinals[source.at]! : share > 1 ? column.dictionary.find(key) : -1
    if (ordinal < 0) continue
    const at = isHere ? source.at : lowerBound(ordinals, ordinal)
    if (at === ordinals.length || ordinals[at] !== ordinal) continue
    holders.push({ part, column, ordinal })
    count += counts[at]!
    if (isHere) advance(source, share)
  }
  return { holders, count }
}
