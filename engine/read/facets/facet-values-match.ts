// Finds the strings among sorted ones that match a query, as ranges of ordinals. Strings with a
// common prefix are accepted or skipped together, so that few of them are read.
import { encoder } from '../../../format/bytes/index.ts'
import { STRING_BYTES_MAX } from '../../../format/fields/index.ts'
import type { SortedStrings, SortedWalk } from './facet-values-folded.ts'
import { ALL, NearPrefix, OPEN } from './facet-values-near.ts'

/** The query for values of a field. Texts are folded. */
export type FacetValueQuery =
  /** Every value, ordered by normalized string: accents count in this order. */
  | { readonly kind: 'any' }
  /** Values that begin with a text within `typosMax` edits of `text`. */
  | { readonly kind: 'prefix'; readonly text: string; readonly typosMax: 0 | 1 | 2 }
  | { readonly kind: 'whole'; readonly text: string }

/** Ascending ranges [element 2i, element 2i + 1) that do not touch each other. */
export type Ranges = readonly number[]

/** Folding does not make strings longer than this: strings grow when they are normalized. */
const FOLDED_BYTES_MAX = 2 * STRING_BYTES_MAX
/** Verdicts between two calls of `pause`. */
const PAUSE_VERDICTS = 4096

/** @throws errors of `pause` */
export function matchingRanges(
  strings: SortedStrings,
  query: FacetValueQuery,
  pause: () => void,
): Ranges {
  if (query.kind === 'any') return rangeOf(0, strings.count)
  if (query.text.length > FOLDED_BYTES_MAX) return []
  const key = encoder.encode(query.text)
  if (query.kind === 'whole') return rangeOf(strings.lowerBound(key), strings.upperBound(key))
  if (query.typosMax === 0) return prefixRange(strings, key)
  return nearRanges(strings, new NearPrefix(query.text, query.typosMax), pause)
}

const rangeOf = (from: number, to: number): Ranges => (from < to ? [from, to] : [])

/** Number of strings in the ranges. */
export function rangesSize(ranges: Ranges): number {
  let size = 0
  for (let i = 0; i < ranges.length; i += 2) size += ranges[i + 1]! - ranges[i]!
  return size
}

function prefixRange(strings: SortedStrings, prefix: Uint8Array): Ranges {
  const from = strings.lowerBound(prefix)
  const end = prefix.slice()
  const length = successor(end, end.length)
  return rangeOf(from, length === 0 ? strings.count : strings.lowerBound(end.subarray(0, length)))
}

function nearRanges(strings: SortedStrings, near: NearPrefix, pause: () => void): Ranges {
  const ranges: number[] = []
  const walk = strings.walk()
  let isThere = walk.next()
  for (let verdicts = 0; isThere; verdicts++) {
    if (verdicts % PAUSE_VERDICTS === 0) pause()
    const from = walk.ordinal
    const verdict = near.judge(walk.bytes, walk.length)
    isThere = verdict === OPEN ? walk.next() : skipPrefix(walk, near.decidedBytes)
    if (verdict === ALL) addRange(ranges, from, isThere ? walk.ordinal : strings.count)
  }
  return ranges
}

function addRange(ranges: number[], from: number, to: number): void {
  if (ranges[ranges.length - 1] === from) ranges[ranges.length - 1] = to
  else ranges.push(from, to)
}

const scratch = new Uint8Array(FOLDED_BYTES_MAX)

/**
 * Moves on to the first string that does not begin with the first `length` bytes of the current
 * one.
 */
function skipPrefix(walk: SortedWalk, length: number): boolean {
  if (length > scratch.length) return walk.next()
  for (let i = 0; i < length; i++) scratch[i] = walk.bytes[i]!
  const end = successor(scratch, length)
  if (end === 0) return false
  const key = scratch.subarray(0, end)
  walk.skipTo(key)
  return walk.compare(key) >= 0
}

/**
 * Changes bytes[0, length) to the least string greater than all strings with that prefix; returns
 * its length, or 0 if there is no such string.
 */
function successor(bytes: Uint8Array, length: number): number {
  while (length > 0 && bytes[length - 1] === 0xff) length--
  if (length > 0) bytes[length - 1]!++
  return length
}
