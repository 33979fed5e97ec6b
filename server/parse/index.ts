// Parses untrusted JSON and query strings to typed requests, or to the first fault. Readers of
// whole requests come first, then the parts for building more of them.
export { readChatSettings } from './chats.ts'
export { type CompletionRequest, readCompletion } from './completion.ts'
export {
  type AdditionQuery,
  checkContext,
  checkCsvDelimiter,
  type DocumentsQuery,
  documentsRequest,
  type MetadataQuery,
  networkFlag,
  readAdditionQuery,
  readDeleteBatch,
  readDeletion,
  readDocumentQuery,
  readDocumentsFetch,
  readDocumentsQuery,
  readEdition,
  readMetadataQuery,
} from './documents.ts'
export { readExport } from './export.ts'

export {
  readFields,
  readIndexCreation,
  readIndexPage,
  readIndexUpdate,
  readSwaps,
} from './indexes.ts'
export { readFeatures, readStatsQuery, type StatsQuery } from './instance.ts'

export { readKeyCreation, readKeyPage, readKeyUpdate } from './keys.ts'
export {
  type LogStreamRequest,
  readLogStream,
  readLogStreamQuery,
  readLogTarget,
  readLogTargetQuery,
} from './logs.ts'
export { type McpMessage, readMcpMessage } from './mcp.ts'
export {
  apart,
  MIN_TASK_TIMEOUT,
  MIN_TASK_UID,
  type MinTask,
  minTaskHeaders,
  readArrivedQuery,
  readContainsQuery,
  readWriteWait,
  TASK_WAIT_MS,
} from './min-task.ts'
export {
  type FederationRequest,
  type ListedSearch,
  type MultiSearch,
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
export { readNetworkForeign } from './network-foreign.ts'
export { type NetworkMessage, readNetworkMessage } from './network-message.ts'

export { type InputRequest, readRender, type TemplateRequest } from './render.ts'

export {
  readFacetSearch,
  readSearch,
  readSearchQuery,
  readSuggest,
  readSuggestQuery,
  type SuggestQuery,
} from './search.ts'
export { SEARCH_MEMBERS } from './search-members.ts'
export { type RuleListing, readRuleListing, readRulePatch } from './search-rules.ts'
export { readSetting, readSettings, SETTING_ROUTES, settingSchema } from './settings.ts'
export {
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
} from './tasks.ts'

export { checkWebhookHeaders, checkWebhookUrl, readWebhook, readWebhookUuid } from './webhooks.ts'
