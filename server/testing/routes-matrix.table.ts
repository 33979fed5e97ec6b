// The contract of every route, written down from the documentation and not from the code: the
// action that a key needs, the parameters and members with their types and codes, and the answer
// for a missing index. `routes-matrix.test.ts` tries each of them against a running server.

/** Types as messages name them, by a short word. */
export const TYPE_WORDS = {
  text: 'a string',
  count: 'a positive integer',
  flag: 'a boolean',
  list: 'an array',
  map: 'an object',
  number: 'a number',
} as const

/**
 * A member of a body: its types (a trailing `?` means "or null"), and the code of its faults. `any`
 * accepts all JSON.
 */
type MemberRow = readonly [types: string, code: string]
/** A parameter: its type, and the code of its faults. */
type ParameterRow = readonly [kind: ParameterWord, code: string]
type ParameterWord = 'count' | 'counts' | 'flag' | 'text' | 'date' | 'number' | 'word'

export type RouteRow = {
  /** The action that a key needs, or null if the route is public. */
  readonly action: string | null
  /** True if any key is enough. */
  readonly needsKey?: boolean
  readonly status: number
  /** A body that is accepted; absent if the route reads none. */
  readonly body?: unknown
  readonly members?: { readonly [name: string]: MemberRow }
  /** The code for unknown members, or null if they are ignored. */
  readonly unknown?: string | null
  /** The type of the whole body, where it is not an object. */
  readonly whole?: MemberRow
  readonly query?: { readonly [name: string]: ParameterRow }
  /** The query string that the route needs to make sense. */
  readonly with?: string
  /**
   * The answer for a missing index: 404 `index_not_found`, or the status of a task that will fail.
   */
  readonly missingIndex?: number
  /** The form of the refusal for a key that covers other indexes; null if it is not refused. */
  readonly scope?: 'path' | 'generic' | 'instance' | null
  /** True if the answer does not end by itself. */
  readonly isEndless?: boolean
}

const PAGE = {
  offset: ['count', 'invalid_index_offset'],
  limit: ['count', 'invalid_index_limit'],
} as const
const METADATA = { customMetadata: ['text', 'invalid_index_custom_metadata'] } as const
const STATS = {
  showInternalDatabaseSizes: ['flag', 'invalid_stats_show_internal_database_sizes'],
  sizeFormat: ['word', 'invalid_stats_size_format'],
} as const

const instance = (action: string, status: number, more: Partial<RouteRow> = {}): RouteRow => ({
  action,
  status,
  scope: 'instance',
  ...more,
})

const DOCUMENTS = {
  offset: ['count', 'invalid_document_offset'],
  limit: ['count', 'invalid_document_limit'],
  retrieveVectors: ['flag', 'invalid_document_retrieve_vectors'],
} as const

const SEARCH_MEMBERS = {
  q: ['text?', 'invalid_search_q'],
  vector: ['list?', 'invalid_search_vector'],
  offset: ['count', 'invalid_search_offset'],
  limit: ['count', 'invalid_search_limit'],
  page: ['count?', 'invalid_search_page'],
  hitsPerPage: ['count?', 'invalid_search_hits_per_page'],
  countTotal: ['flag', 'invalid_search_count_total'],
  searchAfter: ['text?', 'invalid_search_search_after'],
  hitsPerGroup: ['count?', 'invalid_search_hits_per_group'],
  boostsNow: ['count?', 'invalid_search_boosts'],
  attributesToRetrieve: ['list?', 'invalid_search_attributes_to_retrieve'],
  retrieveVectors: ['flag', 'invalid_search_retrieve_vectors'],
  attributesToCrop: ['list?', 'invalid_search_attributes_to_crop'],
  cropLength: ['count', 'invalid_search_crop_length'],
  attributesToHighlight: ['list?', 'invalid_search_attributes_to_highlight'],
  showMatchesPosition: ['flag', 'invalid_search_show_matches_position'],
  showRankingScore: ['flag', 'invalid_search_show_ranking_score'],
  showRankingScoreDetails: ['flag', 'invalid_search_show_ranking_score_details'],
  sort: ['list?', 'invalid_search_sort'],
  distinct: ['text?', 'invalid_search_distinct'],
  facets: ['list?', 'invalid_search_facets'],
  highlightPreTag: ['text', 'invalid_search_highlight_pre_tag'],
  highlightPostTag: ['text', 'invalid_search_highlight_post_tag'],
  cropMarker: ['text', 'invalid_search_crop_marker'],
  matchingStrategy: ['text', 'invalid_search_matching_strategy'],
  querySyntax: ['text', 'invalid_search_query_syntax'],
  attributesToSearchOn: ['list?', 'invalid_search_attributes_to_search_on'],
  rankingScoreThreshold: ['number?', 'invalid_search_ranking_score_threshold'],
  locales: ['list?', 'invalid_search_locales'],
  hybrid: ['map?', 'invalid_search_hybrid_query'],
  personalize: ['map?', 'invalid_search_personalize'],
  useNetwork: ['flag?', 'invalid_search_use_network'],
  showCorrection: ['flag', 'invalid_search_show_correction'],
  attributeWeights: ['map?', 'invalid_search_attribute_weights'],
} as const

const SEARCH_QUERY = {
  offset: ['count', 'invalid_search_offset'],
  limit: ['count', 'invalid_search_limit'],
  page: ['count', 'invalid_search_page'],
  hitsPerPage: ['count', 'invalid_search_hits_per_page'],
  countTotal: ['flag', 'invalid_search_count_total'],
  cropLength: ['count', 'invalid_search_crop_length'],
  retrieveVectors: ['flag', 'invalid_search_retrieve_vectors'],
  showMatchesPosition: ['flag', 'invalid_search_show_matches_position'],
  showRankingScore: ['flag', 'invalid_search_show_ranking_score'],
  showRankingScoreDetails: ['flag', 'invalid_search_show_ranking_score_details'],
  showPerformanceDetails: ['flag', 'invalid_search_show_performance_details'],
  matchingStrategy: ['word', 'invalid_search_matching_strategy'],
  querySyntax: ['word', 'invalid_search_query_syntax'],
  rankingScoreThreshold: ['number', 'invalid_search_ranking_score_threshold'],
  hybridSemanticRatio: ['number', 'invalid_search_semantic_ratio'],
  hybridFusion: ['word', 'invalid_search_hybrid_query'],
  useNetwork: ['flag', 'invalid_search_use_network'],
  showCorrection: ['flag', 'invalid_search_show_correction'],
  vector: ['number', 'invalid_search_vector'],
} as const

const FACET_SEARCH_MEMBERS = {
  facetName: ['text', 'invalid_facet_search_facet_name'],
  facetQuery: ['text?', 'invalid_facet_search_query'],
  exhaustiveFacetCount: ['flag?', 'invalid_facet_search_exhaustive_facet_count'],
  q: ['text?', 'invalid_search_q'],
  vector: ['list?', 'invalid_search_vector'],
  hybrid: ['map?', 'invalid_search_hybrid_query'],
  matchingStrategy: ['text', 'invalid_search_matching_strategy'],
  attributesToSearchOn: ['list?', 'invalid_search_attributes_to_search_on'],
  rankingScoreThreshold: ['number?', 'invalid_search_ranking_score_threshold'],
  locales: ['list?', 'invalid_search_locales'],
} as const

const SIMILAR_MEMBERS = {
  embedder: ['text', 'invalid_similar_embedder'],
  offset: ['count', 'invalid_similar_offset'],
  limit: ['count', 'invalid_similar_limit'],
  attributesToRetrieve: ['list?', 'invalid_similar_attributes_to_retrieve'],
  retrieveVectors: ['flag', 'invalid_similar_retrieve_vectors'],
  showRankingScore: ['flag', 'invalid_similar_show_ranking_score'],
  showRankingScoreDetails: ['flag', 'invalid_similar_show_ranking_score_details'],
  showPerformanceDetails: ['flag', 'invalid_similar_show_performance_details'],
  rankingScoreThreshold: ['number?', 'invalid_similar_ranking_score_threshold'],
} as const

const SIMILAR_QUERY = {
  offset: ['count', 'invalid_similar_offset'],
  limit: ['count', 'invalid_similar_limit'],
  retrieveVectors: ['flag', 'invalid_similar_retrieve_vectors'],
  showRankingScore: ['flag', 'invalid_similar_show_ranking_score'],
  showRankingScoreDetails: ['flag', 'invalid_similar_show_ranking_score_details'],
  rankingScoreThreshold: ['number', 'invalid_similar_ranking_score_threshold'],
} as const

const SUGGEST_MEMBERS = {
  q: ['text?', 'invalid_suggest_q'],
  limit: ['count', 'invalid_suggest_limit'],
  attributes: ['list?', 'invalid_suggest_attributes'],
  locales: ['list?', 'invalid_suggest_locales'],
  highlightPreTag: ['text?', 'invalid_suggest_highlight_pre_tag'],
  highlightPostTag: ['text?', 'invalid_suggest_highlight_post_tag'],
  useNetwork: ['flag?', 'invalid_suggest_use_network'],
} as const

const SUGGEST_QUERY = {
  limit: ['count', 'invalid_suggest_limit'],
  locales: ['word', 'invalid_suggest_locales'],
  useNetwork: ['flag', 'invalid_suggest_use_network'],
} as const

const TASK_FILTERS = {
  uids: ['counts', 'invalid_task_uids'],
  batchUids: ['counts', 'invalid_batch_uids'],
  canceledBy: ['counts', 'invalid_task_canceled_by'],
  types: ['word', 'invalid_task_types'],
  statuses: ['word', 'invalid_task_statuses'],
  afterEnqueuedAt: ['date', 'invalid_task_after_enqueued_at'],
  beforeEnqueuedAt: ['date', 'invalid_task_before_enqueued_at'],
  afterStartedAt: ['date', 'invalid_task_after_started_at'],
  beforeStartedAt: ['date', 'invalid_task_before_started_at'],
  afterFinishedAt: ['date', 'invalid_task_after_finished_at'],
  beforeFinishedAt: ['date', 'invalid_task_before_finished_at'],
} as const

const TASK_LIST = {
  ...TASK_FILTERS,
  limit: ['count', 'invalid_task_limit'],
  from: ['count', 'invalid_task_from'],
  reverse: ['flag', 'invalid_task_reverse'],
} as const

const CHAT_MEMBERS = {
  source: ['text?', 'bad_request'],
  orgId: ['text?', 'invalid_chat_completion_org_id'],
  projectId: ['text?', 'invalid_chat_completion_project_id'],
  apiVersion: ['text?', 'invalid_chat_completion_api_version'],
  deploymentId: ['text?', 'invalid_chat_completion_deployment_id'],
  baseUrl: ['text?', 'invalid_chat_completion_base_api'],
  apiKey: ['text?', 'invalid_chat_completion_api_key'],
  prompts: ['map?', 'bad_request'],
} as const

const RULE_MEMBERS = {
  description: ['text?', 'invalid_dynamic_search_rule_description'],
  precedence: ['count?', 'invalid_dynamic_search_rule_priority'],
  active: ['flag?', 'invalid_dynamic_search_rule_active'],
  conditions: ['map?', 'invalid_dynamic_search_rule_conditions'],
} as const

export const FEATURE_FLAGS = [
  'metrics',
  'logsRoute',
  'tasksStreamingRoute',
  'editDocumentsByFunction',
  'containsFilter',
  'dynamicSearchRules',
  'network',
  'getTaskDocumentsRoute',
  'taskQueueCompactionRoute',
  'compositeEmbedders',
  'chatCompletions',
  'multimodal',
  'foreignKeys',
  'disableDocumentsFetchQueue',
  'legacySearch',
  'renderRoute',
  'mcpRoute',
] as const

/**
 * `m` is the existing index, `k` a key, `w` a chat, `r` a rule, `h` a webhook, `t` a task, `b` a
 * batch.
 */
const ROUTES_OF_RESOURCES: { readonly [route: string]: RouteRow } = {
  'GET /': { action: null, status: 200 },
  'GET /health': { action: null, status: 200 },
  'GET /version': instance('version', 200),
  'GET /stats': { action: 'stats.get', status: 200, query: STATS },
  'GET /stats/history': { action: 'stats.get', status: 200 },
  'GET /metrics': instance('metrics.get', 200),
  'GET /logs/stream': instance('metrics.get', 200, {
    isEndless: true,
    query: { mode: ['word', 'bad_request'], profileMemory: ['flag', 'bad_request'] },
  }),
  'POST /logs/stream': instance('metrics.get', 200, {
    isEndless: true,
    body: {},
    members: {
      target: ['text', 'bad_request'],
      mode: ['text', 'bad_request'],
      profileMemory: ['flag', 'bad_request'],
    },
    unknown: 'bad_request',
  }),
  'DELETE /logs/stream': instance('metrics.get', 204),
  'GET /logs/stderr': instance('metrics.get', 204, { query: { target: ['text', 'bad_request'] } }),
  'POST /logs/stderr': instance('metrics.get', 204, {
    body: { target: 'off' },
    members: { target: ['text', 'bad_request'] },
    unknown: 'bad_request',
  }),

  'GET /indexes': { action: 'indexes.get', status: 200, query: PAGE },
  'POST /indexes': {
    action: 'indexes.create',
    status: 202,
    scope: 'generic',
    body: { uid: 'new' },
    members: {
      uid: ['text', 'invalid_index_uid'],
      primaryKey: ['text?', 'invalid_index_primary_key'],
    },
    unknown: 'bad_request',
  },
  'GET /indexes/m': { action: 'indexes.get', status: 200, missingIndex: 404, scope: 'path' },
  'PATCH /indexes/m': {
    action: 'indexes.update',
    status: 202,
    missingIndex: 202,
    scope: 'path',
    body: {},
    members: {
      primaryKey: ['text?', 'invalid_index_primary_key'],
      uid: ['text?', 'invalid_index_uid'],
    },
    unknown: 'bad_request',
  },
  'DELETE /indexes/m': { action: 'indexes.delete', status: 202, missingIndex: 202, scope: 'path' },
  'GET /indexes/m/stats': {
    action: 'stats.get',
    status: 200,
    missingIndex: 404,
    scope: 'path',
    query: STATS,
  },
  'POST /indexes/m/fields': {
    action: 'fields.post',
    status: 200,
    missingIndex: 404,
    scope: 'path',
    body: {},
    members: {
      offset: ['count', 'invalid_index_offset'],
      limit: ['count', 'invalid_index_limit'],
      filter: ['map?', 'invalid_index_fields_filter'],
    },
    unknown: 'bad_request',
  },
  'POST /indexes/m/compact': {
    action: 'indexes.compact',
    status: 202,
    missingIndex: 202,
    scope: 'path',
  },
  'POST /swap-indexes': {
    action: 'indexes.swap',
    status: 202,
    body: [],
    whole: ['list', 'bad_request'],
  },

  'GET /indexes/m/documents': {
    action: 'documents.get',
    status: 200,
    missingIndex: 404,
    scope: 'path',
    query: DOCUMENTS,
  },
  'POST /indexes/m/documents/fetch': {
    action: 'documents.get',
    status: 200,
    missingIndex: 404,
    scope: 'path',
    body: {},
    members: {
      offset: ['count', 'invalid_document_offset'],
      limit: ['count', 'invalid_document_limit'],
      fields: ['list?', 'invalid_document_fields'],
      retrieveVectors: ['flag', 'invalid_document_retrieve_vectors'],
      ids: ['list?', 'invalid_document_ids'],
      sort: ['list?', 'invalid_document_sort'],
      useNetwork: ['flag?', 'invalid_document_use_network'],
    },
    unknown: 'bad_request',
  },
  'GET /indexes/m/documents/1': {
    action: 'documents.get',
    status: 200,
    missingIndex: 404,
    scope: 'path',
    query: { retrieveVectors: DOCUMENTS.retrieveVectors },
  },
  'POST /indexes/m/documents': {
    action: 'documents.add',
    status: 202,
    missingIndex: 202,
    scope: 'path',
    body: [],
    query: {
      ...METADATA,
      primaryKey: ['text', 'invalid_index_primary_key'],
      skipCreation: ['word', 'invalid_skip_creation'],
    },
  },
  'PUT /indexes/m/documents': {
    action: 'documents.add',
    status: 202,
    missingIndex: 202,
    scope: 'path',
    body: [],
    query: { ...METADATA, skipCreation: ['word', 'invalid_skip_creation'] },
  },
  'DELETE /indexes/m/documents': {
    action: 'documents.delete',
    status: 202,
    missingIndex: 202,
    scope: 'path',
    query: METADATA,
  },
  'DELETE /indexes/m/documents/1': {
    action: 'documents.delete',
    status: 202,
    missingIndex: 202,
    scope: 'path',
    query: METADATA,
  },
  'POST /indexes/m/documents/delete': {
    action: 'documents.delete',
    status: 202,
    missingIndex: 202,
    scope: 'path',
    body: { filter: 'id = 1' },
    unknown: 'bad_request',
    query: METADATA,
  },
  'POST /indexes/m/documents/delete-batch': {
    action: 'documents.delete',
    status: 202,
    missingIndex: 202,
    scope: 'path',
    body: [],
    query: METADATA,
  },
  'POST /indexes/m/documents/edit': {
    action: '*',
    status: 202,
    missingIndex: 202,
    scope: 'path',
    body: { function: 'doc.a = 1' },
    members: { function: ['text', 'invalid_document_edition_function_filter'] },
    unknown: 'bad_request',
    query: METADATA,
  },

  'GET /indexes/m/search': {
    action: 'search',
    status: 200,
    missingIndex: 404,
    scope: 'path',
    query: SEARCH_QUERY,
  },
  'POST /indexes/m/search': {
    action: 'search',
    status: 200,
    missingIndex: 404,
    scope: 'path',
    body: {},
    members: {
      ...SEARCH_MEMBERS,
      showPerformanceDetails: ['flag', 'invalid_search_show_performance_details'],
      inlineRule: ['map?', 'bad_request'],
      boosts: ['list?', 'invalid_search_boosts'],
    },
    unknown: 'bad_request',
  },
  'POST /indexes/m/facet-search': {
    action: 'search',
    status: 200,
    missingIndex: 404,
    scope: 'path',
    body: { facetName: 'kind' },
    members: FACET_SEARCH_MEMBERS,
    unknown: null,
  },
  'GET /indexes/m/similar': {
    action: 'search',
    status: 200,
    missingIndex: 404,
    scope: 'path',
    with: 'id=1&embedder=e',
    query: SIMILAR_QUERY,
  },
  'POST /indexes/m/similar': {
    action: 'search',
    status: 200,
    missingIndex: 404,
    scope: 'path',
    body: { id: 1, embedder: 'e' },
    members: SIMILAR_MEMBERS,
    unknown: 'bad_request',
  },
  'GET /indexes/m/suggest': {
    action: 'search',
    status: 200,
    missingIndex: 404,
    scope: 'path',
    query: SUGGEST_QUERY,
  },
  'POST /indexes/m/suggest': {
    action: 'search',
    status: 200,
    missingIndex: 404,
    scope: 'path',
    body: { q: 'a' },
    members: SUGGEST_MEMBERS,
    unknown: 'bad_request',
  },
  'POST /multi-search': {
    action: 'search',
    status: 200,
    body: { queries: [] },
    members: { queries: ['list', 'bad_request'], federation: ['map?', 'bad_request'] },
    unknown: 'bad_request',
  },

  'GET /tasks': { action: 'tasks.get', status: 200, query: TASK_LIST },
  'DELETE /tasks': {
    action: 'tasks.delete',
    status: 200,
    with: 'uids=0',
    query: TASK_FILTERS,
  },
  'POST /tasks/cancel': {
    action: 'tasks.cancel',
    status: 200,
    with: 'uids=0',
    query: TASK_FILTERS,
  },
  'GET /tasks/t': { action: 'tasks.get', status: 200 },
  'GET /tasks/t/documents': { action: 'tasks.get', status: 404 },
  'GET /tasks/stream': { action: 'tasks.get', status: 200, isEndless: true },
  'GET /batches/stream': { action: 'tasks.get', status: 200, isEndless: true },
  'GET /batches': { action: 'tasks.get', status: 200, query: TASK_LIST },
  'GET /batches/b': { action: 'tasks.get', status: 200 },

  'GET /keys': {
    action: 'keys.get',
    status: 200,
    scope: 'instance',
    query: {
      offset: ['count', 'invalid_api_key_offset'],
      limit: ['count', 'invalid_api_key_limit'],
    },
  },
  'POST /keys': instance('keys.create', 201, {
    body: { actions: ['search'], indexes: ['*'], expiresAt: null },
    members: {
      description: ['text?', 'invalid_api_key_description'],
      name: ['text?', 'invalid_api_key_name'],
      uid: ['text', 'invalid_api_key_uid'],
      actions: ['list', 'invalid_api_key_actions'],
      indexes: ['list', 'invalid_api_key_indexes'],
      expiresAt: ['text?', 'invalid_api_key_expires_at'],
    },
    unknown: 'bad_request',
  }),
  'GET /keys/k': instance('keys.get', 200),
  'PATCH /keys/k': instance('keys.update', 200, {
    body: { name: 'n' },
    members: {
      description: ['text?', 'invalid_api_key_description'],
      name: ['text?', 'invalid_api_key_name'],
    },
    unknown: 'bad_request',
  }),
  'DELETE /keys/k': instance('keys.delete', 204),

  'POST /dumps': instance('dumps.create', 202),
  'POST /snapshots': instance('snapshots.create', 202),
  'POST /export': instance('export', 200, {
    body: { url: 'http://127.0.0.1:1', indexes: {} },
    members: {
      url: ['text', 'invalid_export_url'],
      apiKey: ['text?', 'invalid_export_api_key'],
      payloadSize: ['count text?', 'invalid_export_payload_size'],
      indexes: ['map', 'bad_request'],
    },
    unknown: 'bad_request',
  }),

  'GET /experimental-features': instance('experimental.get', 200),
  'PATCH /experimental-features': instance('experimental.update', 200, {
    body: {},
    members: Object.fromEntries(FEATURE_FLAGS.map((flag) => [flag, ['flag?', 'bad_request']])),
    unknown: 'bad_request',
  }),
  'GET /publication': instance('metrics.get', 200),
  'GET /network': instance('network.get', 200),
  'PATCH /network': instance('network.update', 200, {
    body: {},
    members: {
      remotes: ['map?', 'invalid_network_remotes'],
      shards: ['map?', 'invalid_network_shards'],
      self: ['text?', 'invalid_network_self'],
      leader: ['text?', 'invalid_network_leader'],
      addRemotes: ['map?', 'invalid_network_remotes'],
      removeRemotes: ['list?', 'invalid_network_remotes'],
    },
    unknown: 'bad_request',
  }),
  'GET /network/status': instance('network.get', 200),
  'GET /network/replicas': instance('network.get', 200),
  'POST /network/plan': instance('network.get', 200, {
    body: {},
    members: {
      remotes: ['map?', 'invalid_network_remotes'],
      shards: ['map?', 'invalid_network_shards'],
      self: ['text?', 'invalid_network_self'],
      leader: ['text?', 'invalid_network_leader'],
      addRemotes: ['map?', 'invalid_network_remotes'],
      removeRemotes: ['list?', 'invalid_network_remotes'],
    },
    unknown: 'bad_request',
  }),
  'POST /network/repair': instance('network.update', 200, {
    body: {},
    members: { instances: ['list?', 'invalid_network_remotes'] },
    unknown: 'bad_request',
  }),
  'GET /network/digests': instance('network.update', 200, {
    query: { shards: ['text', 'invalid_network_shards'], documents: ['flag', 'bad_request'] },
  }),
  'POST /network/control': instance('network.update', 400, { body: {} }),
  'POST /network/search': {
    action: 'search',
    status: 200,
    body: { searches: [] },
    members: { searches: ['list', 'bad_request'] },
    unknown: 'bad_request',
  },
  'GET /network/identity': instance('network.update', 200),
  'GET /network/contains': {
    action: 'search network.update',
    status: 200,
    query: { minTaskUid: ['count', 'invalid_min_task_uid'] },
  },
  'GET /network/arrived': instance('network.update', 200, {
    query: { remote: ['text', 'bad_request'] },
  }),
  'POST /network/foreign': {
    action: 'search network.update',
    status: 200,
    body: { indexUid: 'm', ids: [] },
    members: {
      condition: ['text?', 'bad_request'],
      ids: ['list?', 'bad_request'],
      shards: ['list?', 'bad_request'],
    },
    unknown: 'bad_request',
  },
  'POST /network/similar': {
    action: 'search network.update',
    status: 200,
    body: { indexUid: 'm', id: 1, embedder: 'e' },
    members: SIMILAR_MEMBERS,
    unknown: 'bad_request',
  },

  'GET /webhooks': instance('webhooks.get', 200),
  'POST /webhooks': instance('webhooks.create', 201, {
    body: { url: 'http://127.0.0.1:9' },
    members: {
      url: ['text?', 'invalid_webhook_url'],
      headers: ['map?', 'invalid_webhook_headers'],
    },
    unknown: 'bad_request',
  }),
  'GET /webhooks/h': instance('webhooks.get', 200),
  'PATCH /webhooks/h': instance('webhooks.update', 200, {
    body: { url: 'http://127.0.0.1:9' },
    members: { headers: ['map?', 'invalid_webhook_headers'] },
    unknown: 'bad_request',
  }),
  'DELETE /webhooks/h': instance('webhooks.delete', 204),

  'GET /chats': instance('chats.get', 200, { query: PAGE }),
  'GET /chats/w': instance('chats.get', 200),
  'DELETE /chats/w': instance('chats.delete', 204),
  'GET /chats/w/settings': instance('chatsSettings.get', 200),
  'PATCH /chats/w/settings': instance('chatsSettings.update', 200, {
    body: {},
    members: CHAT_MEMBERS,
    unknown: 'bad_request',
  }),
  'DELETE /chats/w/settings': instance('chatsSettings.update', 200),
  'POST /chats/w/chat/completions': {
    action: 'chatCompletions',
    status: 501,
    body: { model: 'm', messages: [], n: 2 },
  },

  'POST /dynamic-search-rules': instance('dynamicSearchRules.get', 200, {
    body: {},
    members: {
      offset: ['count', 'invalid_dynamic_search_rule_offset'],
      limit: ['count', 'invalid_dynamic_search_rule_limit'],
      filter: ['map?', 'invalid_dynamic_search_rule_filter'],
      showTarget: ['flag', 'bad_request'],
    },
    unknown: 'bad_request',
  }),
  'DELETE /dynamic-search-rules': instance('dynamicSearchRules.delete', 202, { query: METADATA }),
  'GET /dynamic-search-rules/r': instance('dynamicSearchRules.get', 200),
  'GET /dynamic-search-rules/r/target': instance('dynamicSearchRules.get', 200),
  'PATCH /dynamic-search-rules/r': instance('dynamicSearchRules.update', 202, {
    body: {},
    members: RULE_MEMBERS,
    unknown: 'bad_request',
    query: METADATA,
  }),
  'DELETE /dynamic-search-rules/r': instance('dynamicSearchRules.delete', 202, { query: METADATA }),

  'POST /mcp': {
    action: null,
    needsKey: true,
    status: 200,
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    members: {
      jsonrpc: ['text', 'bad_request'],
      method: ['text', 'bad_request'],
      params: ['map', 'bad_request'],
    },
  },

  'POST /render-template': {
    action: 'settings.get documents.get',
    status: 200,
    body: { template: { kind: 'inlineDocumentTemplate', inline: 'x' } },
    members: {
      template: ['map', 'invalid_render_template'],
      input: ['map?', 'invalid_render_input'],
    },
    unknown: 'bad_request',
  },
  // Last: afterwards the server asks to be restarted.
  'POST /tasks/compact': instance('tasks.compact', 200),
}

/** Setting → verb, path, types, code, a value. */
const SETTING_ROWS: {
  readonly [setting: string]: readonly [string, string, string, string, unknown]
} = {
  displayedAttributes: ['PUT', 'displayed-attributes', 'list?', 'displayed_attributes', []],
  searchableAttributes: ['PUT', 'searchable-attributes', 'list?', 'searchable_attributes', []],
  filterableAttributes: ['PUT', 'filterable-attributes', 'list?', 'filterable_attributes', ['id']],
  sortableAttributes: ['PUT', 'sortable-attributes', 'list?', 'sortable_attributes', []],
  foreignKeys: ['PUT', 'foreign-keys', 'list?', 'foreign_keys', []],
  rankingRules: ['PUT', 'ranking-rules', 'list?', 'ranking_rules', ['words']],
  stopWords: ['PUT', 'stop-words', 'list?', 'stop_words', []],
  nonSeparatorTokens: ['PUT', 'non-separator-tokens', 'list?', 'non_separator_tokens', []],
  separatorTokens: ['PUT', 'separator-tokens', 'list?', 'separator_tokens', []],
  dictionary: ['PUT', 'dictionary', 'list?', 'dictionary', []],
  synonyms: ['PUT', 'synonyms', 'map?', 'synonyms', {}],
  distinctAttribute: ['PUT', 'distinct-attribute', 'text?', 'distinct_attribute', 'a'],
  proximityPrecision: ['PUT', 'proximity-precision', 'text?', 'proximity_precision', 'byWord'],
  typoTolerance: ['PATCH', 'typo-tolerance', 'map?', 'typo_tolerance', {}],
  faceting: ['PATCH', 'faceting', 'map?', 'faceting', {}],
  pagination: ['PATCH', 'pagination', 'map?', 'pagination', {}],
  embedders: ['PATCH', 'embedders', 'map?', 'embedders', {}],
  searchCutoffMs: ['PUT', 'search-cutoff-ms', 'count?', 'search_cutoff_ms', 1000],
  localizedAttributes: ['PUT', 'localized-attributes', 'list?', 'localized_attributes', []],
  facetSearch: ['PUT', 'facet-search', 'flag?', 'facet_search', true],
  prefixSearch: ['PUT', 'prefix-search', 'text?', 'prefix_search', 'disabled'],
  infixSearch: ['PUT', 'infix-search', 'map?', 'infix_search', { attributes: ['a'] }],
  chat: ['PATCH', 'chat', 'map?', 'index_chat', {}],
  expiresAtAttribute: ['PUT', 'expires-at-attribute', 'text?', 'expires_at_attribute', 'a'],
  attributeWeights: ['PUT', 'attribute-weights', 'map?', 'attribute_weights', { a: 2 }],
  similarity: ['PATCH', 'similarity', 'map?', 'similarity', {}],
  boosts: ['PUT', 'boosts', 'list?', 'boosts', []],
}

const SETTINGS_PATH = '/indexes/m/settings'
const reads = { action: 'settings.get', status: 200, missingIndex: 404, scope: 'path' } as const
const writes = { action: 'settings.update', status: 202, missingIndex: 202, scope: 'path' } as const

function settingRoutes(): { readonly [route: string]: RouteRow } {
  const rows: { [route: string]: RouteRow } = {}
  const members: { [name: string]: MemberRow } = {}
  for (const [name, [verb, path, types, code, body]] of Object.entries(SETTING_ROWS)) {
    const whole = [types, `invalid_settings_${code}`] as const
    rows[`GET ${SETTINGS_PATH}/${path}`] = reads
    rows[`${verb} ${SETTINGS_PATH}/${path}`] = { ...writes, body, whole }
    rows[`DELETE ${SETTINGS_PATH}/${path}`] = writes
    members[name] = whole
  }
  rows[`GET ${SETTINGS_PATH}`] = reads
  rows[`PATCH ${SETTINGS_PATH}`] = { ...writes, body: {}, members, unknown: 'bad_request' }
  rows[`DELETE ${SETTINGS_PATH}`] = writes
  return rows
}

export const ROUTE_ROWS: { readonly [route: string]: RouteRow } = {
  ...settingRoutes(),
  ...ROUTES_OF_RESOURCES,
}

/** Part of a path in the rows → the parameter that it stands for. */
export const PATH_PARTS: { readonly [part: string]: string } = {
  m: ':indexUid',
  k: ':key',
  w: ':workspace',
  r: ':ruleUid',
  h: ':uuid',
  t: ':task',
  b: ':batch',
  1: ':documentId',
}
