// Facets, sorts, distinct and geo over the columns of a view: several segments at once, their dead
// documents left out. Which fields a request means is decided elsewhere; here are field ids only.
export {
  DistinctFilter,
  DistinctValues,
} from './distinct.ts'
export type { FacetOptions, FacetOrder } from './distribution.ts'
export {
  type FacetValueHit,
  type FacetValueOptions,
  type NumberedSegment,
  searchFacetValues,
} from './facet-values.ts'
export { FoldedCache, type Folding } from './facet-values-folded.ts'
export type { FacetValueQuery } from './facet-values-match.ts'
export { geoCircles } from './geo-circles.ts'
export { distanceMetres, type Place } from './geo-distance.ts'
export { geoShapes } from './geo-shapes.ts'
export { type GeoBucket, geoSortBuckets } from './geo-sort.ts'
export { numberText } from './number-text.ts'
export { FacetScope, facetDistribution, facetStats } from './scope.ts'
export type { ColumnsSegment } from './segments.ts'
export { type SortBucket, type SortDirection, sortBuckets } from './sort.ts'
export type { FacetStats } from './stats.ts'
