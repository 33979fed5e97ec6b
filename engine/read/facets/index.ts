// Facets, sorts, distinct and geo over the columns of a view: several segments together, without
// their dead documents. Callers resolve field names; functions here take field ids.
export { type Buckets, keysOf } from './buckets.ts'
export { type CountedFacet, countedFacet, selects } from './counted-facet.ts'
export {
  DistinctFilter,
  DistinctValues,
} from './distinct.ts'
export type { FacetValueHit } from './facet-values.ts'
export { FoldedCache } from './facet-values-folded.ts'
export type { FacetValueQuery } from './facet-values-match.ts'
export { searchFacetValues } from './facet-values-numbers.ts'
export { FacetScope } from './scope.ts'
export { CandidatePart, type ColumnsSegment, candidateParts } from './segments.ts'
export { type SortDirection, sortBuckets } from './sort.ts'
export { divideAt } from './sort-position.ts'
export type { FacetStats, FacetSums } from './stats.ts'
