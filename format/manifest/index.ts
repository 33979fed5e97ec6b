// Edits of the manifest and their bytes. Layout: ./MANIFEST.md
export type {
  Change,
  ChangeOf,
  Edit,
  SegmentEntry,
  SegmentLocation,
} from './changes.ts'
export { decodeEdit } from './decode-v1.ts'
export { encodeEdit } from './encode-v1.ts'
export type { Layer } from './layer-name.ts'
export { SEGMENT_BYTES_MAX } from './limits.ts'
export { describeChange } from './notes.ts'
