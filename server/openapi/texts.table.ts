// The texts about the parameters and bodies of each route, from `server/parse/texts`.
import * as of from '../parse/texts/index.ts'

type Texts = of.Texts

const { embedder, semanticRatio, fusion } = of.SEARCH_TEXTS.hybrid.members
const { userContext } = of.SEARCH_TEXTS.personalize.members

/** The members that have other names in a query string. */
const RENAMED: Texts = {
  hybridEmbedder: embedder,
  hybridSemanticRatio: semanticRatio,
  hybridFusion: fusion,
  personalizeUserContext: userContext,
}

const MULTI_SEARCH: Texts = {
  queries: {
    about: 'The searches: parameters of a search, and the index.',
    members: { ...of.SEARCH_TEXTS, ...of.MIN_TASK_TEXTS, ...of.LISTED_SEARCH_TEXTS },
  },
  federation: {
    about:
      'Makes one list of all hits, by their scores. Absent or null: an answer for each search.',
    members: of.FEDERATION_TEXTS,
  },
}

/** Parameters of many routes. */
export const COMMON_TEXTS: Texts = { ...of.PATH_AND_WRITE_TEXTS, ...of.MIN_TASK_TEXTS }

/** By method and path, as routes are declared. */
export const TEXTS_OF_ROUTES: { readonly [route: string]: Texts } = {
  'GET /stats': of.STATS_TEXTS,
  'GET /indexes/:indexUid/stats': of.STATS_TEXTS,
  'GET /indexes': of.PAGE_TEXTS,
  'POST /indexes': of.INDEX_TEXTS,
  'PATCH /indexes/:indexUid': of.INDEX_TEXTS,
  'POST /indexes/:indexUid/fields': of.FIELD_TEXTS,
  'POST /swap-indexes': of.SWAP_TEXTS,

  'GET /indexes/:indexUid/documents': of.DOCUMENT_LIST_TEXTS,
  'POST /indexes/:indexUid/documents/fetch': of.DOCUMENT_LIST_TEXTS,
  'GET /indexes/:indexUid/documents/:documentId': of.DOCUMENT_LIST_TEXTS,
  'POST /indexes/:indexUid/documents': of.ADDITION_TEXTS,
  'PUT /indexes/:indexUid/documents': of.ADDITION_TEXTS,
  'POST /indexes/:indexUid/documents/delete': of.DELETION_TEXTS,
  'POST /indexes/:indexUid/documents/edit': of.EDITION_TEXTS,

  'PATCH /indexes/:indexUid/settings': of.SETTING_TEXTS,

  'POST /indexes/:indexUid/search': of.SEARCH_TEXTS,
  'GET /indexes/:indexUid/search': { ...of.SEARCH_TEXTS, ...RENAMED },
  'POST /indexes/:indexUid/facet-search': { ...of.SEARCH_TEXTS, ...of.FACET_SEARCH_TEXTS },
  'POST /indexes/:indexUid/similar': of.SIMILAR_TEXTS,
  'GET /indexes/:indexUid/similar': of.SIMILAR_TEXTS,
  'POST /indexes/:indexUid/suggest': of.SUGGEST_TEXTS,
  'GET /indexes/:indexUid/suggest': of.SUGGEST_TEXTS,
  'POST /multi-search': MULTI_SEARCH,
  'POST /mcp': of.MCP_TEXTS,

  'GET /tasks': of.TASK_TEXTS,
  'DELETE /tasks': of.TASK_TEXTS,
  'POST /tasks/cancel': of.TASK_TEXTS,
  'GET /batches': of.TASK_TEXTS,

  'PATCH /experimental-features': of.FEATURE_TEXTS,
  'GET /keys': of.PAGE_TEXTS,
  'POST /keys': of.KEY_TEXTS,
  'PATCH /keys/:key': of.KEY_TEXTS,
  'POST /export': of.EXPORT_TEXTS,
  'POST /webhooks': of.WEBHOOK_TEXTS,
  'PATCH /webhooks/:uuid': of.WEBHOOK_TEXTS,
  'POST /dynamic-search-rules': of.RULE_LIST_TEXTS,
  'PATCH /dynamic-search-rules/:ruleUid': of.RULE_TEXTS,
  'POST /render-template': of.RENDER_TEXTS,
  'POST /logs/stream': of.LOG_TEXTS,
  'GET /logs/stream': of.LOG_TEXTS,
  'POST /logs/stderr': of.LOG_TEXTS,
  'GET /logs/stderr': of.LOG_TEXTS,

  'PATCH /network': of.NETWORK_TEXTS,
  'POST /network/plan': of.NETWORK_TEXTS,
  'POST /network/repair': of.REPAIR_TEXTS,
  'GET /network/digests': of.DIGEST_TEXTS,
  'GET /network/contains': of.CONTAINS_TEXTS,
  'GET /network/arrived': of.ARRIVED_TEXTS,
  'POST /network/control': of.CONTROL_TEXTS,
  'POST /network/search': of.SEARCH_CALL_TEXTS,
  'POST /network/foreign': of.FOREIGN_CALL_TEXTS,
  'POST /network/similar': of.SIMILAR_CALL_TEXTS,

  'GET /chats': of.PAGE_TEXTS,
  'PATCH /chats/:workspace/settings': of.CHAT_TEXTS,
  'POST /chats/:workspace/chat/completions': of.COMPLETION_TEXTS,
}
