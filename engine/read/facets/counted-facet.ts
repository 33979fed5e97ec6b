// Which field a request wants counted, and how.
import {
  attributeOf,
  type CountingOrder,
  type FacetOptions,
  type FacetRequest,
} from '../../model/index.ts'
import { matchesPattern } from '../../settings/schema/index.ts'
import { type Buckets, bucketsOf } from './buckets.ts'

export type CountedFacet = {
  readonly field: string
  /** True if conditions of the filter that name only the field are left out. */
  readonly isDisjunctive: boolean
  /** True if sum and number of the numbers are counted. */
  readonly hasSums: boolean
  /** The order of its values, or null for that of the settings. */
  readonly order: CountingOrder | null
  /** Null if each value is counted. */
  readonly buckets: Buckets | null
}

/**
 * Returns how a field is counted that at least one of the requests selects. Of several buckets
 * or orders, those for the field's own name count, or else the first.
 */
export function countedFacet(requested: readonly FacetRequest[], field: string): CountedFacet {
  let isDisjunctive = false
  let hasSums = false
  let bucketed: FacetOptions | null = null
  let ordered: FacetOptions | null = null
  for (const one of requested) {
    if (typeof one === 'string' || !selects(one, field)) continue
    isDisjunctive ||= one.disjunctive === true
    hasSums ||= one.stats === true
    if (hasBuckets(one)) bucketed = closer(bucketed, one, field)
    if (one.order !== undefined) ordered = closer(ordered, one, field)
  }
  const buckets = bucketed === null ? null : bucketsOf(bucketed)
  return { field, isDisjunctive, hasSums, order: ordered?.order ?? null, buckets }
}

const closer = (first: FacetOptions | null, other: FacetOptions, field: string): FacetOptions =>
  first === null || (other.attribute === field && first.attribute !== field) ? other : first

const hasBuckets = ({ ranges, histogram, calendar }: FacetOptions): boolean =>
  ranges !== undefined || histogram !== undefined || calendar !== undefined

/** Returns whether the name or pattern of a facet stands for the field or for one of its parents. */
export function selects(facet: FacetRequest, field: string): boolean {
  const pattern = attributeOf(facet)
  for (let dot = field.indexOf('.'); dot >= 0; dot = field.indexOf('.', dot + 1)) {
    if (matchesPattern(pattern, field.slice(0, dot))) return true
  }
  return matchesPattern(pattern, field)
}
