// The facets of one request: the candidates of a view, split by segment once for all requested
// fields.
import type { FieldId } from '../../../format/ids.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import { bucketCounts } from './bucket-counts.ts'
import type { Buckets } from './buckets.ts'
import { distribution, type FacetOptions } from './distribution.ts'
import type { FieldPart } from './merged-values.ts'
import { type CandidatePart, type ColumnsSegment, cachedParts, candidateParts } from './segments.ts'
import { type FacetStats, statsOf } from './stats.ts'

/** Facets over one set of candidates. It is split once, in one pass over the candidates. */
export class FacetScope {
  readonly #candidates: IdSet
  readonly #parts: readonly CandidatePart[]

  /** `isAll`: the candidates are all documents of a view, which later searches count again. */
  constructor(segments: readonly ColumnsSegment[], candidates: IdSet, isAll = false) {
    this.#candidates = candidates
    this.#parts = isAll ? cachedParts(segments, candidates) : candidateParts(segments, candidates)
  }

  /** Key → number of candidates, in display order. @throws CorruptionError */
  distribution(fieldId: FieldId, options: FacetOptions): Map<string, number> {
    return distribution(this.#fieldParts(fieldId), this.#candidates.size, options)
  }

  /** Key → number of candidates, as `bucketCounts`. @throws CorruptionError, errors of `tooMany` */
  buckets(
    fieldId: FieldId,
    buckets: Buckets,
    bucketsMax: number,
    tooMany: () => never,
  ): Map<string, number> {
    return bucketCounts(this.#fieldParts(fieldId), buckets, bucketsMax, tooMany)
  }

  /**
   * Returns the smallest and largest number among the candidates, or null. @throws CorruptionError
   */
  stats(fieldId: FieldId, hasSums = false): FacetStats | null {
    return statsOf(this.#fieldParts(fieldId), hasSums)
  }

  #fieldParts(fieldId: FieldId): FieldPart[] {
    const parts: FieldPart[] = []
    for (const part of this.#parts) {
      const field = part.segment.reader.field(fieldId)
      if (field !== null) parts.push({ part, field })
    }
    return parts
  }
}
