// A view opened: its segments, answered as one.

export { type SegmentRef, segmentRef, type ViewRef, viewRef } from '../../store/views/index.ts'
export { ColumnFilters, type GeoCircles } from './column-filters.ts'
export type { LocalOccurrences } from './local-occurrences.ts'
export {
  FAR,
  lowerCosts,
  nearSets,
  type Pair,
  type PairPlaces,
  placesOf,
  setsByCost,
} from './near.ts'
export { inFile, type LayerSegment, OpenView, SegmentCache } from './open-view.ts'
export { documentsWithPair, forwardDistance, PAIR_DISTANCE_MAX, shareField } from './pairs.ts'
export { TextIndex, type TextSegment } from './text-index.ts'
export { EVERYWHERE, type Scope, scopeOf, type Word } from './word.ts'
