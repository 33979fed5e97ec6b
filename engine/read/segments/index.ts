// Opens views: presents the segments of a view as one.
export { ColumnFilters } from './column-filters.ts'
export { compareExternalIds, ExternalOrder } from './external-order.ts'
export type { LocalOccurrences } from './local-occurrences.ts'
export {
  countElsewhereMax,
  countInLargest,
  countNear,
  countNearUpTo,
  FAR,
  lowerCosts,
  nearAmong,
  nearSets,
  type Pair,
  placesOf,
  setsByCost,
  withinTwoWords,
} from './near.ts'
export { inFile, type LayerSegment, OpenView, SegmentCache } from './open-view.ts'
export { forwardDistance, shareField } from './pairs.ts'
export { giveMemory } from './set-cache.ts'
export { ShardDocuments } from './shard-documents.ts'
export { TextIndex, type TextSegment } from './text-index.ts'
export { EmbedderFilters } from './vector-filters.ts'
export { type Neighbour, VectorIndex } from './vector-index.ts'
export { EVERYWHERE, type Scope, scopeOf } from './where.ts'
export type { Word } from './word.ts'
