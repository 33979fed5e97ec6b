// Views: the current version of each index, and the older versions that are still being read.
export { documentsOf, type SegmentRef, type ViewRef, viewRef } from './view-ref.ts'
export { type Lease, type Retired, Views } from './views.ts'
