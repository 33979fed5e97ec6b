// Opens views: presents the segments of a view as one.
export { ColumnFilters } from './column-filters.ts'
export { expiredAt, momentOf, secondsOf } from './expiry.ts'
export { compareExternalIds, compareExternalTexts, ExternalOrder } from './external-order.ts'

export { inFile, OpenView, SegmentCache } from './open-view.ts'

export { ShardDocuments } from './shard-documents.ts'

export { EmbedderFilters } from './vector-filters.ts'
export { type Neighbour, VectorIndex } from './vector-index.ts'
