// The strings of a field that most candidates have, over all segments.
//
// With one segment its counts are final. With several, strings are merged in three steps, each of
// which raises the count that a string must reach, because most strings occur once or twice and
// never reach it. Measured on 27,000 values in five segments: 3.6 ms, compared with 25 ms for
// looking up each one in all segments.
import type { FieldReader, StringColumn } from '../../../format/columns/index.ts'
import type { StringWalk } from '../../../format/fields/index.ts'
import type { FieldPart, StringHolder } from './merged-values.ts'
import type { CandidatePart } from './segments.ts'
import { nthLargest, topByCount } from './top-counts.ts'
import { stringCountArray } from './value-counts.ts'

export type CountedString = { readonly holders: readonly StringHolder[]; readonly count: number }

/** The number of candidates of one segment for each of its strings, by ordinal. */
type Tally = {
  readonly part: CandidatePart
  readonly column: StringColumn
  readonly counts: Uint32Array
}

/**
 * Returns the `wanted` most frequent strings, most frequent first; larger strings first in a tie.
 */
export function topStrings(parts: readonly FieldPart[], wanted: number): CountedString[] {
  const tallies: Tally[] = []
  for (const { part, field } of parts) {
    const tally = tallyOf(part, field)
    if (tally !== null) tallies.push(tally)
  }
  const [single] = tallies
  if (single === undefined) return []
  if (tallies.length > 1) return topOfSeveral(tallies, wanted)
  const top: CountedString[] = []
  for (const ordinal of topByCount(single.counts, wanted)) {
    const count = single.counts[ordinal]!
    if (count === 0) break
    top.push({ holders: [{ part: single.part, column: single.column, ordinal }], count })
  }
  return top
}

function tallyOf(part: CandidatePart, field: FieldReader): Tally | null {
  if (field.strings === null) return null
  return { part, column: field.strings, counts: stringCountArray(part, field.strings) }
}

/**
 * A wanted string has at least the `wanted`-th largest count, so in some segment at least its share
 * of it. First the best strings of each segment give a lower bound of that count; then strings with
 * the share are merged, which gives a better bound; finally strings that can still reach it are
 * completed.
 */
function topOfSeveral(tallies: readonly Tally[], wanted: number): CountedString[] {
  let share = 1
  if (Number.isFinite(wanted)) {
    const best = tallies.map((tally) => Math.max(1, nthLargest(tally.counts, wanted)))
    const bestStrings = gather(tallies, best)
    share = Math.max(1, Math.ceil(leastOf(bestStrings, wanted) / tallies.length))
  }
  const shares = tallies.map(() => share)
  const strings = gather(tallies, shares)
  if (share > 1) complete(strings, tallies, share, leastOf(strings, wanted))
  const counts = Uint32Array.from(strings, (string) => string.count)
  return Array.from(topByCount(counts, wanted), (i) => strings[i]!)
}

const leastOf = (strings: readonly Gathered[], wanted: number): number =>
  nthLargest(
    Uint32Array.from(strings, (string) => string.count),
    wanted,
  )

/** A string merged from the segments in which it has enough candidates. */
type Gathered = { readonly holders: StringHolder[]; count: number }

/** The position in a segment's strings with at least `share` candidates. */
type Source = {
  readonly tally: Tally
  readonly walk: StringWalk
  readonly share: number
  at: number
}

/**
 * Returns the strings with at least `shares[s]` candidates in segment s, in order; other segments
 * are not counted.
 */
function gather(tallies: readonly Tally[], shares: readonly number[]): Gathered[] {
  const sources = tallies.map((tally, s) => ({
    tally,
    walk: tally.column.dictionary.walk(),
    share: shares[s]!,
    at: -1,
  }))
  for (const source of sources) advance(source)
  const strings: Gathered[] = []
  for (let lowest = lowestOf(sources); lowest !== null; lowest = lowestOf(sources)) {
    const string: Gathered = { holders: [], count: 0 }
    for (const source of sources) {
      if (source === lowest || isSpent(source)) continue
      if (source.walk.compareTo(lowest.walk) === 0) take(source, string)
    }
    take(lowest, string)
    strings.push(string)
  }
  return strings
}

/** Adds the current string of `source`, and moves the source on. */
function take(source: Source, string: Gathered): void {
  const { part, column, counts } = source.tally
  string.holders.push({ part, column, ordinal: source.at })
  string.count += counts[source.at]!
  advance(source)
}

/** Moves to the next string with enough candidates. */
function advance(source: Source): void {
  const { counts } = source.tally
  let at = source.at + 1
  while (at < counts.length && counts[at]! < source.share) at++
  source.at = at
  if (at < counts.length) source.walk.seek(at)
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

/** Adds the counts below `share` of other segments to strings that could reach `least`. */
function complete(
  strings: readonly Gathered[],
  tallies: readonly Tally[],
  share: number,
  least: number,
): void {
  const walks = tallies.map((tally) => tally.column.dictionary.walk())
  for (const string of strings) {
    const missing = tallies.length - string.holders.length
    if (string.count + missing * (share - 1) < least) continue
    const first = string.holders[0]!
    const key = first.column.dictionary.get(first.ordinal)
    for (let t = 0; t < tallies.length; t++) {
      const { part, column, counts } = tallies[t]!
      if (string.holders.some((holder) => holder.column === column)) continue
      if (!walks[t]!.skipTo(key)) continue
      const { ordinal } = walks[t]!
      if (counts[ordinal] === 0) continue
      string.holders.push({ part, column, ordinal })
      string.count += counts[ordinal]!
    }
  }
}
