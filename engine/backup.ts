// Dumps, snapshots and object stores, and the imports that fill a database folder before it is
// opened.

// Archives, dumps and snapshots as files.

export { ArchiveError, readArchive, unpackArchive } from './backup/archive/index.ts'
export {
  DumpError,
  type DumpReader,
  inDump,
  openDump,
  type ReadIndex,
} from './backup/dumps/index.ts'
export { sizeText } from './backup/export/index.ts'
export {
  decodeHead,
  HEAD,
  HEAD_BYTES_MAX,
  restoreArchive,
  type SnapshotHead,
} from './backup/snapshot/index.ts'
export {
  databaseExists,
  type Fill,
  fileExists,
  fromFile,
  type ImportProgress,
  importDump,
  importSnapshot,
  removeUnfinishedImport,
} from './imports/index.ts'

// Object stores; the lease of a writer lies in one.

export {
  archiveKey,
  type Bucket,
  endOf,
  FIRST,
  fileOfSnapshot,
  findSnapshot,
  type HeadRef,
  heads,
  obeysConditions,
  objectsOf,
  placeBefore,
  restoreSnapshot,
  type Start,
  type StoreAnswer,
  type StoreBody,
  type StorePlace,
  type StoreRequest,
  type Transport,
  TransportFault,
  UnreadableHeads,
  WriterLease,
  writerStore,
} from './backup/objstore/index.ts'
export { namingStore, openBucket, storeWords } from './task-kinds/database/index.ts'
export type { StoreOptions } from './task-kinds/kind/index.ts'
