// Reading the files of a database, and repairing them, without opening an engine.

// Files on disk: names, manifest, layers, segments, logs.

export { SegmentCache } from './read/segments/index.ts'
export {
  BODIES,
  CLOSED,
  CURRENT,
  checkClosed,
  checkIdentity,
  compareVersions,
  type DatabaseRead,
  DUMP_FOLDER,
  FOLDERS,
  FOLLOWING,
  IDENTITY,
  type IndexState,
  LOCK,
  type Manifest,
  openManifest,
  PUBLISHER,
  readDatabase,
  readVersion,
  SEGMENTS,
  type SegmentState,
  STAGING,
  type State,
  segmentName,
  segmentPath,
  TASK_LOG,
  TASKS,
  UNPUBLISHED,
  UNPUBLISHED_LIST,
  upgradeNote,
  VERSION,
  writeVersion,
} from './store/catalog/index.ts'
export {
  type Amount,
  derivedLayers,
  documentsLayer,
  documentsWriter,
  LAYERS,
  type LayerDescription,
  type LayerTable,
  layerNamed,
  layerOfKind,
  PROFILES,
  type SegmentLayer,
  textLayer,
} from './store/layers/index.ts'
export { createLog, logFiles, naming } from './store/logs/index.ts'
export { viewRef } from './store/views/index.ts'

// Bodies, tasks, and segments rebuilt from documents.

export { bodyPath, runRebuild, SegmentSink } from './write/indexer/index.ts'
export { createIntake, readBody, readExternalId } from './write/intake/index.ts'
export { TaskQueue } from './write/tasks/index.ts'
export { NO_VECTOR_MAKER } from './write/vectors/index.ts'

// Searches without threads, and explanations of their results.

export { SearchInPlace } from './read/pool/index.ts'
export {
  type Explained,
  type ExplainedNode,
  type ExplainedOpening,
  type ExplainedWords,
  explainSearch,
} from './read/search/index.ts'
