// Orders candidates by a field, bucket by bucket, for the sort rule: numbers, then strings, then
// documents without a value, in both directions. Blank strings are the least of the strings. Lazy: a page of twenty costs twenty buckets.
import { decoder, type ExactNumber, isBelow, isExactNumber } from '../../../format/bytes/index.ts'
import type { FieldReader } from '../../../format/columns/index.ts'
import type { FieldId } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { type KeyStream, keyStream, valued } from './key-streams.ts'
import { type ColumnsSegment, candidateParts } from './segments.ts'

export type SortDirection = 'asc' | 'desc'

export type SortBucket = {
  /** The number, the normalized string, or null for documents without a value. */
  readonly value: ExactNumber | string | null
  readonly ids: IdSet
}

/** The position in the values of one segment. */
type Source = {
  readonly field: FieldReader
  readonly stream: KeyStream
  value: ExactNumber | Uint8Array
  isSpent: boolean
}

/**
 * Yields the documents of `universe` in order. A document with several values is ordered by its
 * smallest when ascending and by its largest when descending; equal values of different segments
 * share a bucket.
 * @throws CorruptionError
 */
export function* sortBuckets(
  segments: readonly ColumnsSegment[],
  fieldId: FieldId,
  direction: SortDirection,
  universe: IdSet,
): Generator<SortBucket, void, undefined> {
  const descending = direction === 'desc'
  const sources: Source[] = []
  let rest = universe
  let blanks = IdSet.empty
  for (const part of candidateParts(segments, universe)) {
    const field = part.segment.reader.field(fieldId)
    if (field === null) continue
    rest = rest.andNot(valued(field).and(part.set))
    blanks = blanks.or(part.set.and(field.blanks()))
    const stream = keyStream(part, field, descending)
    if (stream === null) continue
    const source: Source = { field, stream, value: 0, isSpent: false }
    if (enter(source, descending)) sources.push(source)
  }
  // Ascending, a document with a blank string and others is ordered by the blank one.
  let early = descending || blanks.isEmpty ? null : blanks
  let emitted = IdSet.empty
  while (sources.length > 0) {
    const lowest = firstOf(sources, descending)
    const { value } = lowest
    if (early !== null && !isExactNumber(value)) {
      const ids = early.andNot(emitted)
      if (!ids.isEmpty) yield { value: '', ids }
      emitted = emitted.or(early)
      early = null
    }
    const found = takeEqual(sources, value, descending)
    const ids = blanks.isEmpty ? found : found.andNot(emitted)
    if (early !== null) emitted = emitted.or(ids)
    if (!ids.isEmpty) yield { value: isExactNumber(value) ? value : decoder.decode(value), ids }
    for (let i = sources.length - 1; i >= 0; i--) if (sources[i]!.isSpent) sources.splice(i, 1)
  }
  const late = descending ? blanks.and(rest) : (early?.andNot(emitted) ?? IdSet.empty)
  if (!late.isEmpty) yield { value: '', ids: late }
  const without = rest.andNot(blanks)
  if (!without.isEmpty) yield { value: null, ids: without }
}

/** Reads the next value of the stream; returns false at its end. */
function enter(source: Source, descending: boolean): boolean {
  if (!source.stream.next()) {
    source.isSpent = true
    return false
  }
  const value = source.field.keyValue(source.stream.key, descending)
  if (value === null) source.isSpent = true
  else source.value = value
  return value !== null
}

function firstOf(sources: readonly Source[], descending: boolean): Source {
  let first = sources[0]!
  for (let i = 1; i < sources.length; i++) {
    const source = sources[i]!
    if (order(source.value, first.value, descending) < 0) first = source
  }
  return first
}

/** Returns the ids of all sources at `value`, and moves those sources on. */
function takeEqual(
  sources: readonly Source[],
  value: ExactNumber | Uint8Array,
  descending: boolean,
): IdSet {
  let ids = IdSet.empty
  for (const source of sources) {
    if (order(source.value, value, descending) !== 0) continue
    ids = ids.or(IdSet.ofSorted(source.stream.ids))
    enter(source, descending)
  }
  return ids
}

function order(
  a: ExactNumber | Uint8Array,
  b: ExactNumber | Uint8Array,
  descending: boolean,
): number {
  if (isExactNumber(a)) {
    if (!isExactNumber(b)) return -1
    const below = isBelow(a, b) ? -1 : isBelow(b, a) ? 1 : 0
    return descending ? -below : below
  }
  if (isExactNumber(b)) return 1
  const below = Buffer.compare(a, b)
  return descending ? -below : below
}
