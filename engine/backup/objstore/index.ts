// Snapshots in an object store: upload, list, retention, restore.
export { Bucket } from './bucket.ts'
export { type CredentialSource, type Credentials, credentialsFrom } from './credentials.ts'
export {
  type FoundHead,
  type HeadRef,
  heads,
  UnreadableHeads,
} from './heads.ts'
export {
  filesInStore,
  hashedHead,
  type Retention,
  retain,
  type Uploaded,
  uploadIncrement,
} from './incremental.ts'
export {
  archiveKey,
  filesPrefix,
  type HeadKind,
  isFileKey,
  isSnapshotName,
  objectsOf,
  type StorePlace,
  snapshotName,
} from './keys.ts'
export { FollowerLeases, type Lease, putLease } from './leases.ts'
export { LEASE_MS, LEASES_MAX, PARTS_MAX } from './limits.ts'
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
  type RemoteSnapshot,
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
  type WriterStore,
  writerStore,
} from './writer-store.ts'
export { endOf, type WriterRecord } from './writer-v1.ts'
