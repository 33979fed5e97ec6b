// The texts about the members of requests, one for each member: its meaning, an example, and the
// release that brought it. The description of the API and the reference in docs/ show them; a
// running server that is not asked for its description never loads them.
export { CHAT_TEXTS, COMPLETION_TEXTS } from './chats.table.ts'
export {
  ARRIVED_TEXTS,
  CONTAINS_TEXTS,
  CONTROL_TEXTS,
  DIGEST_TEXTS,
  FOREIGN_CALL_TEXTS,
  NETWORK_TEXTS,
  REPAIR_TEXTS,
  SEARCH_CALL_TEXTS,
  SIMILAR_CALL_TEXTS,
} from './network.table.ts'
export {
  ADDITION_TEXTS,
  DELETION_TEXTS,
  DOCUMENT_LIST_TEXTS,
  EDITION_TEXTS,
  EXPORT_TEXTS,
  FEATURE_TEXTS,
  FIELD_TEXTS,
  INDEX_TEXTS,
  KEY_TEXTS,
  LOG_TEXTS,
  MCP_TEXTS,
  PAGE_TEXTS,
  PATH_AND_WRITE_TEXTS,
  RENDER_TEXTS,
  RULE_LIST_TEXTS,
  STATS_TEXTS,
  SWAP_TEXTS,
  TASK_TEXTS,
  WEBHOOK_TEXTS,
} from './requests.table.ts'
export { RULE_TEXTS } from './rules.table.ts'
export { SEARCH_TEXTS } from './search.table.ts'
export {
  FACET_SEARCH_TEXTS,
  FEDERATION_TEXTS,
  LISTED_SEARCH_TEXTS,
  MIN_TASK_TEXTS,
  SIMILAR_TEXTS,
  SUGGEST_TEXTS,
} from './searches.table.ts'
export { SETTING_TEXTS } from './settings.table.ts'
export {
  type LongText,
  longText,
  type MemberText,
  type MemberTexts,
  type Text,
  type Texts,
} from './text.ts'
