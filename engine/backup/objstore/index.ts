// Snapshots in an object store: upload, list, retention, restore.
export { Bucket, type BucketOptions } from './bucket.ts'
export { type CredentialSource, type Credentials, credentialsFrom } from './credentials.ts'
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
  isSnapshotName,
  objectsOf,
  type StorePlace,
  snapshotName,
} from './keys.ts'
export { type Lease, leasedSnapshots, putLease } from './leases.ts'
export { LEASES_MAX, PARTS_MAX } from './limits.ts'
export {
  fileOfSnapshot,
  findSnapshot,
  type HeadRef,
  heads,
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
