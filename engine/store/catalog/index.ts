// What the database consists of right now, and the one way to change it.
export { apply, Draft, type Refuse } from './apply.ts'
export { type CatalogFile, catalogFiles } from './catalog-files.ts'
export { checkpoint, checkpointEdit } from './checkpoint.ts'
export { checkClosed, TASK_LOG } from './closed.ts'
export { beginImport, endImport, isImporting, removeImport } from './importing.ts'
export { type Changes, Manifest } from './manifest.ts'
export {
  BODIES,
  CLOSED,
  CURRENT,
  DUMP_FOLDER,
  FOLDERS,
  IMPORT_FOLDER,
  IMPORTING,
  isDatabaseEntry,
  LOCK,
  manifestNumber,
  SEGMENTS,
  STAGING,
  segmentName,
  segmentPath,
  TASKS,
  VERSION,
} from './names.ts'
export { type OpenOptions, openManifest } from './open-manifest.ts'
export { type DatabaseRead, readDatabase } from './read-database.ts'
export type { EditVisitor } from './replay.ts'
export { bytesOf, documentCount, sizesOf } from './sizes.ts'
export {
  EMPTY_STATE,
  type IndexState,
  indexOfUid,
  type SegmentState,
  type State,
  type Values,
} from './state.ts'
export { databaseStatsOf, indexStatsOf, infoOf, visibleIndexes } from './statistics.ts'
export { sweep } from './sweep.ts'
export {
  type UpgradeNote,
  upgradeBegun,
  upgradeDue,
  upgradeNote,
  upgradeOver,
} from './upgrade-note.ts'
export { type Members, membersOf, valueJson } from './value-json.ts'
export { compareVersions, readVersion, upgradeAdvice, writeVersion } from './version.ts'
