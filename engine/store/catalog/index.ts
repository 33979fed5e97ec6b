// The catalog: the state of the database, and the only way to change it. Page: ./FOLDER.md
export { catalogFiles } from './catalog-files.ts'
export { checkClosed, TASK_LOG } from './closed.ts'
export { differences, type NumberShift, shifted } from './difference.ts'
export { checkIdentity, InstanceIdentity, markRestored } from './identity.ts'
export { beginImport, endImport, isImporting, removeImport } from './importing.ts'
export { Manifest } from './manifest.ts'
export {
  BODIES,
  CLOSED,
  CURRENT,
  DUMP_FOLDER,
  FOLDERS,
  FOLLOWING,
  IDENTITY,
  IMPORT_FOLDER,
  isDatabaseEntry,
  isSegmentPath,
  LOCK,
  PUBLISHER,
  PUBLISHING,
  SEGMENTS,
  STAGING,
  segmentName,
  segmentPath,
  TASKS,
  UNPUBLISHED,
  UNPUBLISHED_LIST,
  VERSION,
} from './names.ts'
export { openManifestForReading } from './open-for-reading.ts'
export { openManifest } from './open-manifest.ts'
export { type DatabaseRead, readDatabase, stateOfManifest } from './read-database.ts'

export { bytesOf, documentCount, sizesOf } from './sizes.ts'
export { type IndexState, indexOfUid, type SegmentState, type State } from './state.ts'
export {
  databaseSizesOf,
  databaseStatsOf,
  indexStatsOf,
  infoOf,
  visibleIndexes,
} from './statistics.ts'
export { sweep } from './sweep.ts'
export {
  upgradeBegun,
  upgradeDue,
  upgradeNote,
  upgradeOver,
} from './upgrade-note.ts'
export { compareVersions, readVersion, upgradeAdvice, writeVersion } from './version.ts'
