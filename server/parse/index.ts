// Parses untrusted JSON and query strings to typed requests, or to the first fault. Readers of
// whole requests come first, then the parts for building more of them.
export { checkSyntax, finishedBody, readBody, type WholeBody, wholeBody } from './body.ts'
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
export { checkIndexUid, indexUidProblem, isIndexUid } from './index-uid.ts'
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
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  plain,
} from './json-value.ts'
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
export { type Member, type MembersOf, member, object, partial, required } from './object-schemas.ts'
export {
  type DescribedParameter,
  decodeComponent,
  decodePercent,
  decodeQuery,
  finishedQuery,
  floatOf,
  type Parameter,
  type ParameterReader,
  type ParametersOf,
  parameter,
  type QueryReader,
  query,
  rawCount,
  rawFlag,
  rawList,
  rawOneOf,
  rawRatio,
  rawText,
  rawTexts,
  rawU32,
} from './query.ts'
export { type JsonSchema, schemaOf, withSchema } from './reader-schemas.ts'
export {
  type InputRequest,
  type RenderRequest,
  readRender,
  type TemplateRequest,
} from './render.ts'
export {
  anything,
  checked,
  count,
  countUpTo,
  exactly,
  flag,
  float,
  invalid,
  list,
  listUpTo,
  mapOf,
  nullable,
  oneOf,
  positiveCount,
  ratio,
  type Schema,
  text,
  textSet,
  texts,
} from './schemas.ts'
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
export { rawSort } from './sort.ts'
export { nearest } from './suggest.ts'
export { isQuick } from './survey.ts'
export {
  readBatchUid,
  readTaskList,
  readTasksToCancel,
  readTasksToDelete,
  readTaskUid,
  type TaskSelection,
} from './tasks.ts'
export { urlProblem } from './url.ts'
export { ValidationError } from './validation-error.ts'
export {
  checkWebhookHeaders,
  checkWebhookUrl,
  readWebhook,
  readWebhookUuid,
  type WebhookBody,
} from './webhooks.ts'
