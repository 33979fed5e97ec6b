// Facet search: the texts of one field that match a query and that candidates have
// (docs/search-semantics.md#facet-search). Values are stored by segment and merged here.
//
//   matching ranges of each segment's values: facet-values-match, -near, -folded
//   counting number of candidates of each value, segments merged in order: facet-values-source
//   choosing the first values by alphabet, or the most frequent ones, with their original text
import { compareBytes, equalBytes } from '../../../format/bytes/index.ts'
import type { StringColumn } from '../../../format/columns/index.ts'
import { assert } from '../../../format/errors.ts'
import type { FieldId, SegmentNo, ValueOrdinal } from '../../../format/ids.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import type { CountingOrder } from '../../model/index.ts'
import type { FoldedCache, Folding } from './facet-values-folded.ts'
import { type FacetValueQuery, matchingRanges, rangesSize } from './facet-values-match.ts'
import { MergedSources, ValueCounter, ValueSource } from './facet-values-source.ts'
import { type CandidatePart, type ColumnsSegment, candidateParts } from './segments.ts'
import { nthLargest } from './top-counts.ts'

/** A columns segment with its number, which is never reused. */
export type NumberedSegment = ColumnsSegment & { readonly ref: { readonly segment: SegmentNo } }

export type FacetValueOptions = {
  readonly query: FacetValueQuery
  readonly folding: Folding
  readonly order: CountingOrder
  /** `maxValuesPerFacet` */
  readonly limit: number
  readonly cache: FoldedCache
  /** Called at intervals; throws to stop. */
  readonly pause: () => void
}

/** The original of the lowest document with the value, as UTF-8, and its number of candidates. */
export type FacetValueHit = { readonly value: Uint8Array; readonly count: number }

/**
 * Of the values that share the last count shown, this many are compared by their originals; if
 * there are more, the last ones in order.
 */
const TIES_MAX = 2048

/** Returns the matching texts in display order. @throws CorruptionError, errors of `pause` */
export function searchFacetTexts(
  segments: readonly NumberedSegment[],
  fieldId: FieldId,
  candidates: IdSet,
  options: FacetValueOptions,
): FacetValueHit[] {
  const { order, limit } = options
  if (limit === 0 || candidates.isEmpty) return []
  const columns = new FieldColumns(segments, fieldId)
  const merged = new MergedSources(
    candidateParts(segments, candidates).flatMap((part) => sourcesOf(part, fieldId, options)),
  )
  return order === 'count' ? byCount(merged, columns, limit) : byAlphabet(merged, columns, limit)
}

function sourcesOf(
  part: CandidatePart,
  fieldId: FieldId,
  { query, folding, order, limit, cache, pause }: FacetValueOptions,
): ValueSource[] {
  const column = part.segment.reader.field(fieldId)?.strings ?? null
  if (column === null) return []
  const { segment } = (part.segment as NumberedSegment).ref
  const ranges = matchingRanges(column.dictionary, query, pause)
  let matching = rangesSize(ranges)
  const wanted = order === 'count' ? Number.POSITIVE_INFINITY : limit
  if (query.kind === 'any') {
    const counter = new ValueCounter(part, column, matching, wanted)
    return [new ValueSource(column, counter, ranges, pause, { folded: null, without: null })]
  }
  const folded = cache.get(segment, fieldId, column, folding, pause)
  const changed = matchingRanges(folded, query, pause)
  matching += rangesSize(changed)
  const counter = new ValueCounter(part, column, matching, wanted)
  return [
    new ValueSource(column, counter, ranges, pause, { folded: null, without: folded }),
    new ValueSource(column, counter, changed, pause, { folded, without: null }),
  ]
}

/** The first values with candidates. */
function byAlphabet(merged: MergedSources, columns: FieldColumns, limit: number): FacetValueHit[] {
  const hits: FacetValueHit[] = []
  while (hits.length < limit && merged.next()) {
    hits.push({ value: columns.original(merged.column!, merged.ordinal), count: merged.count })
  }
  return hits
}

/** A value that may be chosen. */
type Found = {
  readonly column: StringColumn
  readonly ordinal: ValueOrdinal
  readonly count: number
}

/**
 * The most frequent values. If more values share the last count than there is room for, the result
 * is that of a heap that replaces its least (count, original) for each new value of the same count:
 * the last value added stays, and otherwise the greatest originals. This was recorded.
 */
function byCount(merged: MergedSources, columns: FieldColumns, limit: number): FacetValueHit[] {
  const found = allFound(merged)
  let chosen: readonly Found[] = found
  if (found.length > limit) {
    const least = nthLargest(
      Uint32Array.from(found, ({ count }) => count),
      limit,
    )
    const above = found.filter(({ count }) => count > least)
    const level = found.filter(({ count }) => count === least)
    const isLastLevel = found.findLast(({ count }) => count >= least)!.count === least
    chosen = [...above, ...chooseLevel(level, isLastLevel, limit - above.length, columns)]
  }
  return chosen
    .map(({ column, ordinal, count }) => ({ value: columns.original(column, ordinal), count }))
    .sort((a, b) => b.count - a.count || compareBytes(b.value, a.value))
}

function allFound(merged: MergedSources): Found[] {
  const found: Found[] = []
  while (merged.next()) {
    found.push({ column: merged.column!, ordinal: merged.ordinal, count: merged.count })
  }
  return found
}

/**
 * Chooses `room` of the values with one count. `isLast`: no value with a higher count came after
 * them.
 */
function chooseLevel(
  level: readonly Found[],
  isLast: boolean,
  room: number,
  columns: FieldColumns,
): readonly Found[] {
  if (level.length <= room) return level
  const pool = isLast ? level.slice(0, -1) : level
  const newest = isLast ? level.slice(-1) : []
  const ranked = pool
    .slice(-Math.max(TIES_MAX, room))
    .map((value) => ({ value, original: columns.original(value.column, value.ordinal) }))
    .sort((a, b) => compareBytes(b.original, a.original))
    .slice(0, room - newest.length)
  return [...newest, ...ranked.map(({ value }) => value)]
}

/** The strings of a field in all segments; finds the original of a value. */
class FieldColumns {
  readonly #columns: Omit<Holder, 'ordinal'>[] = []

  constructor(segments: readonly ColumnsSegment[], fieldId: FieldId) {
    for (const { reader, dead } of segments) {
      const column = reader.field(fieldId)?.strings ?? null
      if (column !== null) this.#columns.push({ column, dead })
    }
  }

  /**
   * Returns the original of a value in the lowest live document of the index that has it, candidate
   * or not. `home` has the value as `ordinal`, in a live document.
   */
  original(home: StringColumn, ordinal: ValueOrdinal): Uint8Array {
    const holders = this.#holders(home, ordinal)
    const shared = sharedOriginal(holders)
    if (shared !== null) return shared
    let lowest: Holder | null = null
    let lowestId = Number.POSITIVE_INFINITY
    for (const holder of holders) {
      const id = firstLive(holder)
      if (id < 0 || id >= lowestId) continue
      lowest = holder
      lowestId = id
    }
    assert(lowest !== null, 'a value that candidates have is in a live document')
    return lowest.column.originalOf(lowest.column.variantIn(lowestId, lowest.ordinal))
  }

  #holders(home: StringColumn, ordinal: ValueOrdinal): Holder[] {
    const holders: Holder[] = []
    const key = this.#columns.length === 1 ? null : home.dictionary.get(ordinal)
    for (const { column, dead } of this.#columns) {
      const own = key === null || column === home ? ordinal : column.dictionary.find(key)
      if (own >= 0) holders.push({ column, dead, ordinal: own })
    }
    return holders
  }
}

/** A value in one segment. */
type Holder = {
  readonly column: StringColumn
  readonly dead: IdSet | null
  readonly ordinal: ValueOrdinal
}

/** Returns the original of a value if it is the same in all documents, else null. */
function sharedOriginal(holders: readonly Holder[]): Uint8Array | null {
  let shared: Uint8Array | null = null
  for (const { column, ordinal } of holders) {
    if (!column.isSingle(ordinal)) return null
    const original = column.originalOf(column.originals.firstVariant(ordinal))
    if (shared !== null && !equalBytes(shared, original)) return null
    shared = original
  }
  return shared
}

/** Returns the lowest live document with the value, or -1. */
function firstLive({ column, dead, ordinal }: Holder): number {
  const ids = column.postings.ids(ordinal)
  for (let i = 0; i < ids.length; i++) if (dead === null || !dead.has(ids[i]!)) return ids[i]!
  return -1
}
