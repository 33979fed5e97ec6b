// The public interface of an open engine: opening it, its ports, the types of requests and answers,
// settings and failures. `server` and `tools` enter the engine by this file, by `inspect.ts` and by
// `backup.ts`; no folder is exported by two of them. Loading one runs nothing, so the build leaves
// out what a program does not use; tests load the folders named here directly
// (scripts/test-door.ts).

// The engine, its ports and its roles.

export type { Engine, EngineOptions, TaskWait } from './api/index.ts'
export {
  demoteToFollower,
  type ExaminedFolder,
  examineFolder,
  type FollowOptions,
  promoteFollower,
  taskFolderOf,
} from './followers/following/index.ts'
export { decideRole, fencedTransport, type Role } from './followers/publishing/index.ts'
export { openEngine, openFollower, openReader } from './open/index.ts'

// Requests, answers, tasks and failures.

export {
  type AnswerState,
  abridged,
  type BodyFormat,
  CALENDAR_UNITS,
  Canceled,
  COUNTING_ORDERS,
  type DatabaseStats,
  DEFAULT_FEDERATION,
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
  type Fusion,
  fromWire,
  type Hybrid,
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
  type QuerySyntax,
  rangeKey,
  requestedFacets,
  type SearchContext,
  type SearchRequest,
  type SearchStatistics,
  type Send,
  type SimilarRequest,
  type SlottedVector,
  StorageError,
  type SuggestRequest,
  toWire,
  type WireError,
  withScarcity,
} from './model/index.ts'
export { encodedDeletion, encodedEdition, encodedSettings } from './task-kinds/documents/index.ts'
export { TASK_KINDS, type TaskContent, type TaskKindName, taskKinds } from './task-kinds/index.ts'
export type { BodyReceiver, ReceivedBody } from './write/bodies/index.ts'
export {
  type AcceptedTask,
  type Batch,
  type EncodedContent,
  formatBytes,
  formatMicros,
  type LogEntry,
  NO_FILTER,
  type Registration,
  TASK_STATUSES,
  type Task,
  type TaskFilter,
  type TaskLog,
  type TaskLogSuccessor,
  type TaskPage,
  type TaskStatus,
} from './write/task-data/index.ts'
export {
  batchView,
  type FeedEvent,
  type FeedFollower,
  summaryView,
  taskView,
  type View,
} from './write/task-lists/index.ts'
export type { IndexScope } from './write/tasks/index.ts'

// Settings and their schemas; filters and scripts, checked before a task is created from them.

export { parseFilter, parseRequiredFilter } from './read/filter/index.ts'
export { filterWording } from './read/filter-syntax/index.ts'
export { compileScript } from './script/index.ts'
export { ScriptSyntaxError } from './script/language/index.ts'
export {
  type Distribution,
  EMBEDDER_SOURCES,
  type EmbedderPatch,
  type EmbedderPatches,
  type FragmentPatches,
  headerValueProblem,
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
  portableSettings,
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
  ATTRIBUTE_WEIGHT_MAX,
  type AttributeWeights,
  BOOSTS_MAX,
  boostProblem,
  SIMILARITY_K1_MAX,
  type SimilarityPatch,
} from './settings/scoring/index.ts'
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
  INFIX_LENGTH_MAX,
  INFIX_LENGTH_MIN,
  type InfixSearchPatch,
  LOCALES,
  LOCALES_BY_ALPHABET,
  type LocalizedRule,
  localeCode,
  type Pagination,
  PREFIX_SEARCHES,
  PROXIMITY_PRECISIONS,
  rankingRuleProblem,
  type SearchableRanks,
  type TypoTolerancePatch,
  typoSizesProblem,
} from './settings/values/index.ts'

// Administration: keys, webhooks, chats, rules, templates.

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
export type {
  Boost,
  BoostPlace,
  FacetOptions,
  FacetRange,
  FacetRequest,
  InlineRule,
  PinAction,
  RuleActions,
  RuleConditions,
  ScaleAction,
} from './model/index.ts'
export { BOOST_FUNCTIONS, BOOST_SHAPES, wholeSecond } from './model/index.ts'
export type { RulePatch, RuleTarget, RuleTargets, SearchRule } from './read/search-rules/index.ts'

// The network of instances.

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
  lastCopy,
  mayBeAway,
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
export {
  CANCEL_MS,
  type IndexDigest,
  type ReplicationPort,
  type SentTask,
  type ShardDigest,
  settingsToSend,
  type TaskGroup,
} from './network/topology/index.ts'
export { AnswerRoom, type AnswerShare } from './read/service/index.ts'

// The process: files, threads, memory, clock.

export {
  leanCompilation,
  lowerThreadsOfV8,
  REQUEST_NICENESS,
  raiseMainThread,
  SEARCH_YOUNG_MEGABYTES,
  searchHeapMegabytes,
  setThreadNiceness,
  watchMemory,
} from './runtime/index.ts'
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
export { JobTookTooLong, type PoolJob, WorkerPool } from './threads/index.ts'
export { awaitedLater, isTimeZone, Pause } from './time/index.ts'
