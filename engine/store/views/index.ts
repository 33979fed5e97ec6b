// Which version of each index is current, and who reads an older one?
export { type SegmentRef, type ViewRef, viewRef } from './view-ref.ts'
export { type Lease, type Retired, Views } from './views.ts'
