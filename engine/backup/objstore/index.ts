// Snapshots in an object store: upload, list, retention, restore.
export { Bucket } from './bucket.ts'
export { type CredentialSource, credentialsFrom } from './credentials.ts'
export {
  type HeadRef,
  heads,
  UnreadableHeads,
} from './heads.ts'
export {
  hashedHead,
  retain,
  uploadIncrement,
} from './incremental.ts'
export {
  archiveKey,
  filesPrefix,
  isFileKey,
  objectsOf,
  type StorePlace,
  snapshotName,
} from './keys.ts'
export { FollowerLeases, putLease } from './leases.ts'
export { LEASE_MS, PARTS_MAX } from './limits.ts'
export {
  type HeadNames,
  type NextHead,
  OwnTerm,
  placeBefore,
  type WriterIdentity,
} from './own-term.ts'
export { type PublisherNote, readPublisher, writePublisher } from './publisher-file.ts'
export {
  fileOfSnapshot,
  findSnapshot,
  objectOfSnapshot,
  restoreSnapshot,
} from './remote-snapshots.ts'
export {
  bodyOf,
  type StoreAnswer,
  type StoreBody,
  type StoreRequest,
  type Transport,
  TransportFault,
} from './transport.ts'
export { StoreTurns } from './turns.ts'
export { abortLeftOvers, Lanes, sliceOf, uploadInParts } from './uploads.ts'
export { FIRST, type Start, WriterLease } from './writer-lease.ts'
export {
  isValidHead,
  obeysConditions,
  readWriter,
  writerStore,
} from './writer-store.ts'
export { endOf, type WriterRecord } from './writer-v1.ts'
