// Snapshots in an object store: how do they get there, which are there, how do they come back?
export { Bucket, type BucketOptions } from './bucket.ts'
export { type CredentialSource, type Credentials, credentialsFrom } from './credentials.ts'
export { hashedHead, retain, type Uploaded, uploadIncrement } from './incremental.ts'
export { archiveKey, filesPrefix, isSnapshotName, type StorePlace, snapshotName } from './keys.ts'
export { PARTS_MAX } from './limits.ts'
export {
  fileOfSnapshot,
  findSnapshot,
  heads,
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
export { abortLeftOvers, sliceOf, uploadInParts } from './uploads.ts'
