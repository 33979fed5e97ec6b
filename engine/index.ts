// The public interface of the engine: everything that the folders above it may use. `server`,
// `tools` and `embed` import only this file. The first part is for programs that open an engine;
// the second part is for programs that read a database without opening it. Loading this file runs
// nothing, so the build leaves out what a program does not use; tests load the modules named here
// directly (scripts/test-door.ts).

// ---- Part one: an open engine ----

// The engine and its ports.

export type { Engine, EngineOptions } from './api/index.ts'
export { openEngine } from './engine.ts'
export {
  demoteToFollower,
  type ExaminedFolder,
  examineFolder,
  type FollowOptions,
  promoteFollower,
  taskFolderOf,
} from './followers/following/index.ts'
export {
  type IndexDigest,
  type ReplicationPort,
  type SentTask,
  type ShardDigest,
  settingsToSend,
  type TaskGroup,
} from './network/topology/index.ts'
export { openFollower, openReader } from './open-readers.ts'

// The roles of instances whose writers hold a lease.

export {
  archiveKey,
  type Bucket,
  fileOfSnapshot,
  findSnapshot,
  type HeadRef,
  heads,
  objectsOf,
  restoreSnapshot,
  type Start,
  type StoreAnswer,
  type StoreBody,
  type StorePlace,
  type StoreRequest,
  type Transport,
  TransportFault,
  type WriterLease,
} from './backup/objstore/index.ts'
export { decideRole, fencedTransport, type Role } from './followers/publishing/index.ts'
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

// Requests, answers, tasks and failures.

export {
  abridged,
  type BodyFormat,
  Canceled,
  type DatabaseStats,
  DEFAULT_SEARCH,
  type DocumentsContext,
  type DocumentsMerge,
  type DocumentsRequest,
  EngineFault,
  type FacetSearchRequest,
  FEATURES,
  type Feature,
  type Features,
  type FederatedSearch,
  type Federation,
  type FieldsFilter,
  type FieldsRequest,
  type ForeignCondition,
  type ForeignEndpoint,
  type ForeignRequest,
  fromWire,
  type IndexAccess,
  type IndexInfo,
  type IndexSearch,
  type IndexStats,
  type InstancesMerge,
  type JsonBytes,
  type MatchingStrategy,
  type Merger,
  type OutgoingAnswer,
  OutgoingFault,
  type OutgoingRequest,
  type SearchContext,
  type SearchRequest,
  type Send,
  type SimilarRequest,
  type SlottedVector,
  StorageError,
  toWire,
  type WireError,
  withScarcity,
} from './model/index.ts'
export { namingStore, openBucket, storeWords } from './task-kinds/database/index.ts'
export { encodedDeletion, encodedEdition, encodedSettings } from './task-kinds/documents/index.ts'
export { TASK_KINDS, type TaskContent, type TaskKindName, taskKinds } from './task-kinds/index.ts'
export type { StoreOptions } from './task-kinds/kind/index.ts'
export type { BodyReceiver, ReceivedBody } from './write/bodies/index.ts'
export {
  type AcceptedTask,
  type Batch,
  type EncodedContent,
  formatBytes,
  formatMicros,
  type LogEntry,
  type Registration,
  TASK_STATUSES,
  type Task,
  type TaskFilter,
  type TaskLog,
  type TaskLogSuccessor,
  type TaskPage,
  type TaskStatus,
} from './write/task-data/index.ts'
export { batchView, NO_FILTER, summaryView, taskView, type View } from './write/task-lists/index.ts'
export { TaskQueue } from './write/tasks/index.ts'

// Settings and their schemas; filters and scripts, checked before a task is created from them.

export { parseFilter, parseRequiredFilter } from './read/filter/index.ts'
export { filterWording } from './read/filter-syntax/index.ts'
export { AnswerRoom, type AnswerShare } from './read/service/index.ts'
export { compileScript } from './script/index.ts'
export { ScriptSyntaxError } from './script/language/index.ts'
export {
  type Distribution,
  EMBEDDER_SOURCES,
  type EmbedderPatch,
  type EmbedderPatches,
  type FragmentPatches,
  type NestedEmbedderPatch,
  POOLINGS,
} from './settings/embedders/index.ts'
export {
  checkPatch,
  checkPatchFeatures,
  decodeSettings,
  defaultSettings,
  type IndexSettings,
  type PatchOf,
  renderSetting,
  resetPatch,
  SETTING_NAMES,
  SETTINGS,
  type SettingCode,
  type SettingName,
  type SettingsPatch,
  settingNamed,
  settingsShown,
} from './settings/index.ts'
export { featureRefusal, maskSecret, type Partly } from './settings/schema/index.ts'
export {
  type ChatPatch,
  type ChatSearchParameters,
  FACET_ORDERS,
  type Faceting,
  FEATURES_OF_A_RULE,
  type FilterableAttribute,
  type FilterableRule,
  type FilterFeatures,
  type ForeignKey,
  LOCALES,
  LOCALES_BY_ALPHABET,
  type LocalizedRule,
  localeCode,
  type Pagination,
  PREFIX_SEARCHES,
  PROXIMITY_PRECISIONS,
  rankingRuleProblem,
  type TypoTolerancePatch,
  typoSizesProblem,
} from './settings/values/index.ts'

// Administration: keys, webhooks, chats, rules, the network, templates.

export {
  ACTIONS,
  type ApiKey,
  allowedBy,
  createDefaultKeys,
  type Expiry,
  expiryText,
  isInstanceWide,
  isOver,
  type KeyPatch,
  type Keys,
  keyText,
  type Patterns,
  patternsOf,
  readExpiry,
  readUuid,
  uuidOf,
} from './admin/keys/index.ts'
export type { Webhook } from './admin/webhooks/index.ts'
export {
  CHAT_PROMPTS,
  CHAT_SOURCES,
  CHAT_TEXTS,
  type ChatPrompt,
  type ChatWorkspace,
  type ChatWorkspacePatch,
  promptsOf,
} from './ai/chats/index.ts'
export { type TemplateInput, type TemplateOutcome, textPaths } from './ai/template/index.ts'
export {
  areShardsSame,
  type ChangedNetworks,
  checkLeads,
  decodeNetwork,
  type ExporterProgress,
  elected,
  encodeNetwork,
  holdsAlone,
  type ImportSource,
  importingText,
  isConfirmed,
  mergeNetwork,
  type Network,
  type NetworkPatch,
  NO_NETWORK,
  type Remote,
  type RemotePatch,
  type RemoteResult,
  type ResyncLists,
  readChange,
  resyncable,
  type ShardPatch,
  STATE_TEXTS,
  type StaleReason,
  type StaleRemote,
  senderOf,
  type TaskNetwork,
  type TaskOrigin,
  type TopologyChange,
  type Transfer,
  transferTo,
  waitingText,
} from './network/records/index.ts'
export type { RuleAction, RuleConditions, RulePatch, SearchRule } from './read/pins/index.ts'

// Calls to other servers, which the program that opens the engine carries out: exports, object
// stores.

export { sizeText } from './backup/export/index.ts'
/** Loads snapshots in object stores, only if a store is configured. */
export const loadObjectStore = () => import('./backup/objstore/index.ts')

// Imports that fill a database folder before it is opened.

export { ArchiveError, readArchive, unpackArchive } from './backup/archive/index.ts'
export {
  DumpError,
  type DumpReader,
  inDump,
  openDump,
  type ReadIndex,
} from './backup/dumps/index.ts'
export {
  databaseExists,
  type Fill,
  fileExists,
  type ImportProgress,
  removeUnfinishedImport,
} from './imports/index.ts'
/** Returns the settings of an index for another instance, secrets in clear. */

/** Loads the import of dumps and snapshots, only if there is something to import. */
export const loadImports = () => import('./imports/index.ts')

// Threads, and files that are not part of a database.

export { createLog, logFiles, naming } from './store/logs/index.ts'
export {
  drawLogSalt,
  FakeDisk,
  type FileSystem,
  fileBytes,
  type Lock,
  type NativeReport,
  nativeReports,
  RealFileSystem,
  readFile,
} from './store/storage/index.ts'
export {
  JobTookTooLong,
  type PoolJob,
  WorkerPool,
} from './threads/index.ts'

// ---- Part two: databases, dumps and snapshots as files, for offline tools without an engine ----

// Files on disk: names, manifest, layers, segments.

export { SegmentCache } from './read/segments/index.ts'
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
export { viewRef } from './store/views/index.ts'

// Bodies, tasks and their logs.

export { bodyPath, runRebuild, SegmentSink } from './write/indexer/index.ts'
export { createIntake, readBody, readExternalId } from './write/intake/index.ts'
export { NO_VECTOR_MAKER } from './write/vectors/index.ts'

// Settings in their stored form.

// Searches without threads, and explanations of their results.

export { SearchInPlace } from './read/pool/index.ts'
export {
  type Explained,
  type ExplainedNode,
  type ExplainedOpening,
  type ExplainedWords,
  explainSearch,
} from './read/search/index.ts'

// Dumps, snapshots and archives.

export {
  decodeHead,
  HEAD,
  HEAD_BYTES_MAX,
  restoreArchive,
  type SnapshotHead,
} from './backup/snapshot/index.ts'
export {
  leanCompilation,
  REQUEST_NICENESS,
  raiseMainThread,
  SEARCH_YOUNG_MEGABYTES,
  searchHeapMegabytes,
  setThreadNiceness,
  watchMemory,
} from './runtime/index.ts'
export { headerValueProblem } from './settings/embedders/index.ts'
export { awaitedLater, Pause } from './time/index.ts'
