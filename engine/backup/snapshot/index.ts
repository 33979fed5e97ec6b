// Snapshots: packs the whole database into one file, and checks archives before they are unpacked.
export {
  type ArchiveFiles,
  type ArchiveMessage,
  type ArchiveReply,
  type Archiver,
  type ArchiveThreadData,
  runArchiveJob,
  type Slice,
  serveArchiveJobs,
  ThreadArchiver,
} from './archiver.ts'
export {
  decodeHead,
  encodeHead,
  HEAD,
  type PlacedHead,
  type SnapshotFile,
  type SnapshotHead,
  type SnapshotPiece,
} from './head-v1.ts'
export {
  CUT_TRIES_MAX,
  FILE_BYTES_MAX,
  HEAD_BYTES_MAX,
  PIECES_MAX,
  SEGMENTS_LEVEL,
  SMALL_FILES_LEVEL,
} from './limits.ts'
export type { PackedFile } from './pack.ts'
export { type RestoreHooks, restoreArchive, restoreFiles } from './restore.ts'
export { stampOf } from './retained.ts'
export { unfinishedName } from './target.ts'
