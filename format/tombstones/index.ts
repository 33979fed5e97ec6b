// The dead copies of a segment as bytes in manifest edits. Layout: ./TOMBSTONES.md
export { SEGMENT_DOCUMENTS_MAX } from './limits.ts'
export { decodeTombstones, encodeTombstones, type Tombstones } from './tombstones-v1.ts'
