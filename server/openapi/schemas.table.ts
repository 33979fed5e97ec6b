// JSON schemas of answers. The schemas of requests are defined by the readers of requests.

import {
  CHAT_PROMPTS,
  CHAT_SOURCES,
  CHAT_TEXTS,
  defaultSettings,
  FEATURES,
  renderSetting,
  SETTING_NAMES,
  settingNamed,
  TASK_KINDS,
  TASK_STATUSES,
} from '../../engine/index.ts'
import type { JsonSchema } from '../parse/schema/index.ts'

const TEXT = { type: 'string' } as const
const TEXT_OR_NULL = { type: ['string', 'null'] } as const
const COUNT = { type: 'integer', minimum: 0 } as const
const COUNT_OR_NULL = { type: ['integer', 'null'], minimum: 0 } as const
const FLAG = { type: 'boolean' } as const
const MOMENT = { type: 'string', format: 'date-time' } as const
const MOMENT_OR_NULL = { type: ['string', 'null'], format: 'date-time' } as const
const MAP = { type: 'object' } as const
const TEXTS = { type: 'array', items: TEXT } as const
const COUNTS = { type: 'array', items: COUNT } as const
const SIZE = { type: ['integer', 'string'] } as const

/** Returns the schema of an object with these members; those in `optional` may be missing. */
const object = (
  properties: { readonly [name: string]: JsonSchema },
  optional: readonly string[] = [],
): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
})

export const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

const page = (of: string): JsonSchema =>
  object({
    results: { type: 'array', items: refTo(of) },
    offset: COUNT,
    limit: COUNT,
    total: COUNT,
  })

const cursor = (of: string): JsonSchema =>
  object({
    results: { type: 'array', items: refTo(of) },
    total: COUNT,
    limit: COUNT,
    from: COUNT_OR_NULL,
    next: COUNT_OR_NULL,
  })

/** Settings that `GET /settings` omits while their experimental feature is off. */
const SETTINGS_OF_A_FEATURE = SETTING_NAMES.filter(
  (name) => settingNamed(name).feature !== undefined,
)

const INDEX_STATS = object(
  {
    numberOfDocuments: COUNT,
    indexSize: SIZE,
    usedIndexSize: SIZE,
    rawDocumentDbSize: SIZE,
    avgDocumentSize: SIZE,
    isIndexing: FLAG,
    internalDatabaseSizes: { type: 'object', additionalProperties: SIZE },
    numberOfEmbeddings: COUNT,
    numberOfEmbeddedDocuments: COUNT,
    fieldDistribution: { type: 'object', additionalProperties: COUNT },
  },
  ['internalDatabaseSizes'],
)

const SEARCH = {
  hits: { type: 'array', items: MAP },
  query: TEXT,
  correctedQuery: TEXT,
  processingTimeMs: COUNT,
  limit: COUNT,
  offset: COUNT,
  estimatedTotalHits: COUNT,
  page: COUNT,
  hitsPerPage: COUNT,
  totalPages: COUNT,
  totalHits: COUNT,
  cursor: { type: ['string', 'null'] },
  groups: { type: 'array', items: MAP },
  facetDistribution: MAP,
  facetStats: MAP,
  requestUid: { type: 'string', format: 'uuid' },
  metadata: { type: ['object', 'array'] },
  performanceDetails: { type: 'object', additionalProperties: TEXT },
  remoteErrors: MAP,
  semanticHitCount: COUNT,
} as const
const SEARCH_OPTIONAL = Object.keys(SEARCH).filter(
  (name) => !['hits', 'query', 'processingTimeMs', 'requestUid'].includes(name),
)

export const SCHEMAS: { readonly [name: string]: JsonSchema } = {
  Error: object({
    message: TEXT,
    code: TEXT,
    type: { type: 'string', enum: ['invalid_request', 'internal', 'auth', 'system'] },
    link: { type: 'string', format: 'uri' },
  }),
  Summary: object(
    {
      taskUid: COUNT,
      indexUid: TEXT_OR_NULL,
      status: { const: 'enqueued' },
      type: { type: 'string', enum: TASK_KINDS },
      enqueuedAt: MOMENT,
      customMetadata: TEXT,
    },
    ['customMetadata'],
  ),
  Task: object(
    {
      uid: COUNT,
      batchUid: COUNT_OR_NULL,
      indexUid: TEXT_OR_NULL,
      status: { type: 'string', enum: TASK_STATUSES },
      type: { type: 'string', enum: TASK_KINDS },
      canceledBy: COUNT_OR_NULL,
      details: { type: ['object', 'null'] },
      error: { anyOf: [refTo('Error'), { type: 'null' }] },
      duration: TEXT_OR_NULL,
      enqueuedAt: MOMENT,
      startedAt: MOMENT_OR_NULL,
      finishedAt: MOMENT_OR_NULL,
      customMetadata: TEXT,
    },
    ['customMetadata', 'details'],
  ),
  Tasks: cursor('Task'),
  Batch: object({
    uid: COUNT,
    progress: { type: ['object', 'null'] },
    details: MAP,
    stats: MAP,
    duration: TEXT_OR_NULL,
    startedAt: MOMENT,
    finishedAt: MOMENT_OR_NULL,
    batchStrategy: TEXT,
  }),
  Batches: cursor('Batch'),
  Index: object({
    uid: TEXT,
    createdAt: MOMENT,
    updatedAt: MOMENT,
    primaryKey: TEXT_OR_NULL,
  }),
  Indexes: page('Index'),
  Document: MAP,
  Documents: page('Document'),
  Field: object({ name: TEXT }),
  Fields: page('Field'),
  McpResponse: object(
    {
      jsonrpc: { const: '2.0' },
      id: { type: ['string', 'number'] },
      result: MAP,
      error: object({ code: { type: 'integer' }, message: TEXT, data: MAP }),
    },
    ['result', 'error'],
  ),
  IndexStats: INDEX_STATS,
  Stats: object({
    databaseSize: SIZE,
    usedDatabaseSize: SIZE,
    lastUpdate: MOMENT_OR_NULL,
    indexes: { type: 'object', additionalProperties: refTo('IndexStats') },
  }),
  StatsHistory: object({
    intervalMs: COUNT,
    readings: {
      type: 'array',
      items: object({
        at: MOMENT,
        databaseSize: COUNT,
        indexes: { type: 'object', additionalProperties: COUNT },
      }),
    },
  }),
  Settings: object(
    Object.fromEntries(
      SETTING_NAMES.map((name) => [name, { default: renderSetting(defaultSettings(), name) }]),
    ),
    SETTINGS_OF_A_FEATURE,
  ),
  Setting: {},
  Search: object(SEARCH, SEARCH_OPTIONAL),
  MultiSearch: {
    anyOf: [object({ results: { type: 'array', items: refTo('Search') } }), MAP],
  },
  FacetSearch: object(
    {
      facetHits: {
        type: 'array',
        items: object({ value: TEXT, count: COUNT }),
      },
      facetQuery: TEXT_OR_NULL,
      processingTimeMs: COUNT,
      remoteErrors: MAP,
    },
    ['remoteErrors'],
  ),
  Suggestions: object({
    suggestions: {
      type: 'array',
      items: object(
        {
          text: TEXT,
          highlighted: TEXT,
          hits: COUNT,
          source: { type: 'string', enum: ['words', 'titles'] },
        },
        ['highlighted'],
      ),
    },
    query: TEXT,
    processingTimeMs: COUNT,
  }),
  Similar: object(
    {
      hits: { type: 'array', items: MAP },
      id: TEXT,
      processingTimeMs: COUNT,
      limit: COUNT,
      offset: COUNT,
      estimatedTotalHits: COUNT,
      performanceDetails: MAP,
    },
    ['performanceDetails'],
  ),
  Key: object({
    name: TEXT_OR_NULL,
    description: TEXT_OR_NULL,
    key: TEXT,
    uid: { type: 'string', format: 'uuid' },
    actions: TEXTS,
    indexes: TEXTS,
    expiresAt: MOMENT_OR_NULL,
    createdAt: MOMENT,
    updatedAt: MOMENT,
  }),
  Keys: page('Key'),
  Webhook: object({ uuid: TEXT, isEditable: FLAG, url: TEXT, headers: MAP }),
  Webhooks: object({ results: { type: 'array', items: refTo('Webhook') } }),
  Features: object(Object.fromEntries(FEATURES.map((name) => [name, FLAG]))),
  Network: object({
    self: TEXT_OR_NULL,
    remotes: {
      type: 'object',
      additionalProperties: object({
        url: TEXT,
        searchApiKey: TEXT_OR_NULL,
        writeApiKey: TEXT_OR_NULL,
        status: { type: 'string', enum: ['available', 'unavailable'] },
      }),
    },
    shards: { type: 'object', additionalProperties: object({ remotes: TEXTS }) },
    leader: TEXT_OR_NULL,
    version: { type: 'string', format: 'uuid' },
  }),
  NetworkStatus: object({
    self: TEXT_OR_NULL,
    leader: TEXT_OR_NULL,
    version: { type: 'string', format: 'uuid' },
    remotes: {
      type: 'object',
      additionalProperties: object({
        url: TEXT,
        isSelf: FLAG,
        isLeader: FLAG,
        status: { type: 'string', enum: ['available', 'unavailable'] },
        shards: TEXTS,
        backlog: { type: ['object', 'null'] },
        stale: TEXT_OR_NULL,
        lastError: TEXT_OR_NULL,
      }),
    },
    shards: { type: 'object', additionalProperties: TEXTS },
    change: { type: ['object', 'null'] },
    term: COUNT,
    problem: TEXT_OR_NULL,
    replicasEqual: { type: ['boolean', 'null'] },
  }),
  Replicas: object({
    verdict: { type: 'string', enum: ['equal', 'different', 'unsettled', 'unreachable'] },
    instances: MAP,
    differences: { type: 'array', items: MAP },
  }),
  ChangePlan: object({
    instances: MAP,
    moves: { type: 'array', items: MAP },
    unreachable: TEXTS,
  }),
  Repair: object({
    verdict: { type: 'string', enum: ['equal', 'different', 'unsettled', 'unreachable'] },
    repaired: MAP,
    unclear: { type: 'array', items: MAP },
  }),
  Publication: object({
    role: { type: 'string', enum: ['single', 'publisher', 'writer', 'follower'] },
    publishes: { type: ['object', 'null'] },
    follows: { type: ['object', 'null'] },
    unpublishedWrites: TEXTS,
  }),
  InstanceIdentity: object({
    id: { type: 'string', format: 'uuid' },
    process: { type: 'string', format: 'uuid' },
    self: TEXT_OR_NULL,
    leader: TEXT_OR_NULL,
    leaderId: TEXT_OR_NULL,
    term: COUNT,
    hasDocuments: FLAG,
  }),
  Digests: object({
    version: { type: 'string', format: 'uuid' },
    isSettled: FLAG,
    indexes: { type: 'array', items: MAP },
  }),
  Chat: object({ uid: TEXT }),
  Chats: page('Chat'),
  ChatSettings: object({
    source: { type: 'string', enum: CHAT_SOURCES },
    ...Object.fromEntries(CHAT_TEXTS.map((name) => [name, TEXT_OR_NULL])),
    prompts: object(Object.fromEntries(CHAT_PROMPTS.map((name) => [name, TEXT]))),
  }),
  Rule: object(
    {
      uid: TEXT,
      description: TEXT,
      lastUpdatedAt: MOMENT,
      precedence: COUNT,
      active: FLAG,
      conditions: MAP,
      actions: refTo('RuleActions'),
      needsProcessing: FLAG,
    },
    ['description', 'precedence', 'needsProcessing'],
  ),
  RuleActions: object(
    {
      pin: {
        type: 'array',
        items: object({ indexUid: TEXT, id: TEXT, position: COUNT }, ['indexUid']),
      },
      scale: {
        type: 'array',
        items: object({ indexUid: TEXT, ids: TEXTS, filter: {}, weight: { type: 'number' } }, [
          'indexUid',
          'ids',
          'filter',
        ]),
      },
    },
    ['pin', 'scale'],
  ),
  Rules: object(
    {
      results: { type: 'array', items: refTo('Rule') },
      offset: COUNT,
      limit: COUNT,
      total: COUNT,
      needsProcessing: FLAG,
      taskUids: COUNTS,
      totalRuleCount: COUNT,
      targetTotalRuleCount: COUNT,
    },
    ['needsProcessing', 'taskUids', 'totalRuleCount', 'targetTotalRuleCount'],
  ),
  RuleTarget: object({
    current: { anyOf: [refTo('Rule'), { type: 'null' }] },
    target: { anyOf: [refTo('Rule'), { type: 'null' }] },
    needsProcessing: FLAG,
    taskUids: COUNTS,
  }),
  Rendered: object({ template: {}, rendered: {} }),
  Compaction: object({
    preSize: COUNT,
    postSize: COUNT,
    status: TEXT,
    actionRequired: TEXT,
  }),
  Health: object(
    {
      status: { type: 'string', enum: ['available', 'mustRestart', 'unavailable'] },
      message: { type: 'string' },
    },
    ['message'],
  ),
  Version: object({ commitSha: TEXT, commitDate: TEXT, pkgVersion: TEXT }),
  Running: object({ status: TEXT }),
}
