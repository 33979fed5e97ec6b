// Parses untrusted JSON and query strings to typed requests, or to the first fault. Readers of
// whole requests come first, then the parts for building more of them.
export { readChatSettings } from './chats.ts'
export { type CompletionRequest, readCompletion } from './completion.ts'
export { readDeleteBatch } from './delete-batch.ts'
export {
  type AdditionQuery,
  checkContext,
  checkCsvDelimiter,
  type DocumentQuery,
  type DocumentsQuery,
  documentsRequest,
  type Edition,
  type MetadataQuery,
  networkFlag,
  readAdditionQuery,
  readDeletion,
  readDocumentQuery,
  readDocumentsFetch,
  readDocumentsQuery,
  readEdition,
  readMetadataQuery,
} from './documents.ts'
export { readExport } from './export.ts'

export {
  type IndexCreation,
  type IndexPage,
  type IndexSwap,
  type IndexUpdate,
  indexUid,
  readFields,
  readIndexCreation,
  readIndexPage,
  readIndexUpdate,
  readSwaps,
} from './indexes.ts'
export {
  type FeaturesPatch,
  readFeatures,
  readStatsQuery,
  type SizeFormat,
  type StatsQuery,
} from './instance.ts'

export {
  type KeyCreation,
  type KeyPage,
  readKeyCreation,
  readKeyPage,
  readKeyUpdate,
} from './keys.ts'
export {
  type LogMode,
  type LogStreamRequest,
  readLogStream,
  readLogStreamQuery,
  readLogTarget,
  readLogTargetQuery,
} from './logs.ts'
export {
  type FederationOptions,
  type FederationRequest,
  type ListedSearch,
  type MultiSearch,
  type NetworkSearchBody,
  readMultiSearch,
  readNetworkSearch,
  type SearchOfShards,
  searchOf,
} from './multi-search.ts'
export {
  type NetworkBody,
  namesInQuery,
  readDigestsQuery,
  readNetworkPatch,
  readNetworkRepair,
} from './network.ts'
export { type NetworkForeignBody, readNetworkForeign } from './network-foreign.ts'
export { type NetworkMessage, readNetworkMessage } from './network-message.ts'

export {
  type InputRequest,
  type RenderRequest,
  readRender,
  type TemplateRequest,
} from './render.ts'

export { readFacetSearch, readSearch, readSearchQuery } from './search.ts'
export { EMPTY_SEARCH, locales, SEARCH_MEMBERS } from './search-members.ts'
export { type RuleListing, readRuleListing, readRulePatch } from './search-rules.ts'
export {
  readSetting,
  readSettings,
  SETTING_ROUTES,
  type SettingRoute,
  settingSchema,
} from './settings.ts'
export {
  type NetworkSimilarBody,
  readNetworkSimilar,
  readSimilar,
  type SimilarQuery,
  similarQueryReader,
} from './similar.ts'

export {
  readBatchUid,
  readTaskList,
  readTasksToCancel,
  readTasksToDelete,
  readTaskUid,
  type TaskSelection,
} from './tasks.ts'

export {
  checkWebhookHeaders,
  checkWebhookUrl,
  readWebhook,
  readWebhookUuid,
  type WebhookBody,
} from './webhooks.ts'
