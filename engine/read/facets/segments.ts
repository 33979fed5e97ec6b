// The columns segments of a view, and the candidates in each of them.
//
// A document is live in at most one segment; other segments may contain dead copies with outdated
// values. So candidates are always restricted to the live documents of a segment before its columns
// are read.
import type { ColumnsReader, NumberColumn } from '../../../format/columns/index.ts'
import type { Rows } from '../../../format/fields/index.ts'
import type { ValueOrdinal } from '../../../format/ids.ts'
import { IdSet, lowerBound } from '../../../format/idset/index.ts'

export type ColumnsSegment = {
  readonly reader: ColumnsReader
  /** Ids whose copy in this segment is dead, or null if all copies are live. */
  readonly dead: IdSet | null
}

/** Of a view, for each segment: 256 KiB of counts. Larger fields are counted each time. */
const CACHED_COUNTS_MAX = 65_536

/** The smallest and the largest value that candidates have. */
export type ValueEnds = { readonly first: ValueOrdinal; readonly last: ValueOrdinal }

/** The candidates that are live in one segment. */
export class CandidatePart {
  readonly segment: ColumnsSegment
  readonly set: IdSet
  /** True if later searches use the part again; it does not keep large lists then. */
  readonly isCached: boolean
  #ids: Uint32Array | null = null
  #words: Uint32Array | null = null
  #missing: Uint32Array | null = null
  /** The smallest and largest numbers of the candidates, as far as counting has found them. */
  readonly ends = new Map<NumberColumn, ValueEnds>()

  /** The number of documents with each value that are no candidates, by column. */
  readonly #others = new Map<Rows, Uint32Array>()
  #cachedCounts = 0

  constructor(segment: ColumnsSegment, set: IdSet, isCached = false) {
    this.segment = segment
    this.set = set
    this.isCached = isCached
    this.#words = set.words
  }

  get size(): number {
    return this.set.size
  }

  /** True if all documents of the segment are candidates, so that none is dead. */
  get isWhole(): boolean {
    return this.size === this.segment.reader.docCount
  }

  /** The candidates, ascending; computed on first use, or each time in a part that is cached. */
  get ids(): Uint32Array {
    if (this.isCached) return this.set.toArray()
    this.#ids ??= this.set.toArray()
    return this.#ids
  }

  /** The candidates as dense words, read-only; computed on first use. */
  get words(): Uint32Array {
    if (this.#words !== null) return this.#words
    const { ids } = this
    const words = new Uint32Array((ids[ids.length - 1]! >>> 5) + 1)
    for (let i = 0; i < ids.length; i++) words[ids[i]! >>> 5]! |= 1 << (ids[i]! & 31)
    this.#words = words
    return words
  }

  /** The documents of the segment that are not candidates, ascending; computed on first use. */
  get missing(): Uint32Array {
    this.#missing ??= this.segment.reader.docs().andNot(this.set).toArray()
    return this.#missing
  }

  /** Returns the result of `count` for a column, which is read only; cached if the part is. */
  others(column: Rows, count: () => Uint32Array): Uint32Array {
    const earlier = this.#others.get(column)
    if (earlier !== undefined) return earlier
    const counts = count()
    if (this.isCached && this.#cachedCounts + counts.length <= CACHED_COUNTS_MAX) {
      this.#cachedCounts += counts.length
      this.#others.set(column, counts)
    }
    return counts
  }
}

/**
 * The parts of all documents of a view, from which tombstones or expired documents are missing. The
 * counts of those are cached with them, as long as the view.
 */
const partsOfAll = new WeakMap<
  IdSet,
  { readonly segments: readonly ColumnsSegment[]; readonly parts: CandidatePart[] }
>()

/** `all`: the same object for all searches of a view, as `segments` is. */
export function cachedParts(segments: readonly ColumnsSegment[], all: IdSet): CandidatePart[] {
  const earlier = partsOfAll.get(all)
  if (earlier?.segments === segments) return earlier.parts
  const parts = candidateParts(segments, all, true)
  partsOfAll.set(all, { segments, parts })
  return parts
}

/** The candidates by segment; segments without candidates are left out. */
export function candidateParts(
  segments: readonly ColumnsSegment[],
  candidates: IdSet,
  areCached = false,
): CandidatePart[] {
  const parts: CandidatePart[] = []
  for (const segment of segments) {
    const set = localCandidates(segment, candidates)
    if (!set.isEmpty) parts.push(new CandidatePart(segment, set, areCached))
  }
  return parts
}

/** The candidates that are live in a segment. A range of a sparse set is a view without a copy. */
function localCandidates({ reader, dead }: ColumnsSegment, candidates: IdSet): IdSet {
  const members = reader.members()
  if (members.contiguous && candidates.ids !== null) {
    const { ids } = candidates
    const from = lowerBound(ids, reader.firstId)
    const to = lowerBound(ids, reader.lastId + 1)
    const isAll = from === 0 && to === ids.length
    const stretch = isAll ? candidates : IdSet.ofSorted(ids.subarray(from, to))
    return dead === null ? stretch : stretch.andNot(dead)
  }
  const local = candidates.and(members.set)
  return dead === null ? local : local.andNot(dead)
}
