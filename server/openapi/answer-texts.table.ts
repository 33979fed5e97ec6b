// The texts about the members of answers, by the name of their schema in `schemas.table.ts`.
import {
  CHAT_TEXTS,
  FEATURE_TEXTS,
  KEY_TEXTS,
  RULE_TEXTS,
  SETTING_TEXTS,
  type Texts,
  WEBHOOK_TEXTS,
} from '../parse/texts/index.ts'

const PAGE: Texts = {
  results: 'The entries of the page.',
  offset: 'The number of entries before the page.',
  limit: 'The most entries of a page, as requested.',
  total: 'The number of entries in all pages.',
}
const CURSOR: Texts = {
  ...PAGE,
  from: 'The uid of the first entry; null for an empty page.',
  next: 'The value of `from` for the next page; null on the last one.',
}
const ENQUEUED: Texts = {
  indexUid: 'The index of the task; null if it has none.',
  status: 'The state of the task.',
  type: 'The kind of the task.',
  enqueuedAt: 'The moment at which the task arrived.',
  customMetadata: 'The text that the client sent with the request.',
}
const SPAN: Texts = {
  duration: 'The time between beginning and end, in ISO 8601; null before the end.',
  startedAt: 'The moment at which it began.',
  finishedAt: 'The moment at which it ended; null before.',
}
const HITS: Texts = {
  hits: 'The documents found, the best one first.',
  processingTimeMs: 'The milliseconds that the server needed.',
  limit: 'As requested.',
  offset: 'As requested.',
  estimatedTotalHits: 'The number of documents found, exact with `countTotal`.',
  performanceDetails: 'The time of each step, with `showPerformanceDetails`.',
  remoteErrors: 'The errors of instances that did not answer, by name.',
}
const IDENTITY: Texts = {
  self: 'The name of this instance in the network; null without one.',
  leader: 'The instance that takes writes; null without one.',
  version: 'The version of the network, which each change replaces.',
  term: 'A number that grows whenever another instance becomes the leader.',
}
const VERDICT: Texts = {
  verdict:
    'Whether the owners of each shard agree: `unsettled` while tasks run, `unreachable` if an instance does not answer.',
}
const RULE_STATE: Texts = {
  needsProcessing: 'Whether tasks that wait change it.',
  taskUids: 'These tasks.',
}
const RULE: Texts = {
  ...RULE_TEXTS,
  uid: 'Name of the rule.',
  lastUpdatedAt: 'The moment of the last change.',
  needsProcessing: 'Whether tasks that wait change it.',
}

export const ANSWER_TEXTS: { readonly [schema: string]: Texts } = {
  Error: {
    message: 'The fault, its place and a way out, for people.',
    code: 'The kind of the fault, for programs: it stays the same between releases.',
    type: 'The source of the fault.',
    link: 'The page about the code.',
  },
  Summary: { ...ENQUEUED, taskUid: 'The number of the task.' },
  Task: {
    ...ENQUEUED,
    ...SPAN,
    uid: 'The number of the task.',
    batchUid: 'The batch that ran the task; null before.',
    canceledBy: 'The task that canceled it, or null.',
    details: 'Numbers and values of the kind of task.',
    error: 'The fault of a task that failed, else null.',
  },
  Tasks: CURSOR,
  Batch: {
    ...SPAN,
    uid: 'The number of the batch.',
    progress: 'The step that runs; null before and after.',
    details: 'The details of its tasks, together.',
    stats: 'The numbers of its tasks, by state, kind and index, and its times.',
    batchStrategy: 'The reason why no further task joined the batch.',
  },
  Batches: CURSOR,
  Index: {
    uid: 'Name of the index.',
    createdAt: 'The moment of its creation.',
    updatedAt: 'The moment of its last change.',
    primaryKey: 'The attribute with the ids of documents; null before the first document.',
  },
  Indexes: PAGE,
  Documents: PAGE,
  Field: { name: 'Name of the field: a path with dots.' },
  Fields: PAGE,
  McpResponse: {
    jsonrpc: 'The version of JSON-RPC.',
    id: 'The id of the request.',
    result: 'The result of the method.',
    error: {
      about: 'The fault, instead of a result.',
      members: {
        code: 'The number of the fault in JSON-RPC.',
        message: 'The fault in words.',
        data: 'The fault as other routes report it.',
      },
    },
  },
  IndexStats: {
    numberOfDocuments: 'The number of documents that the index stores.',
    indexSize: 'The bytes of the files of the index.',
    usedIndexSize: 'The bytes of them that are in use.',
    rawDocumentDbSize: 'The bytes of the documents.',
    avgDocumentSize: 'The bytes of a document on average.',
    isIndexing: 'Whether a task of the index runs.',
    internalDatabaseSizes: 'The bytes of each part of the index.',
    numberOfEmbeddings: 'The number of vectors.',
    numberOfEmbeddedDocuments: 'The number of documents with a vector.',
    fieldDistribution: 'The number of documents that have each field.',
  },
  Stats: {
    databaseSize: 'The bytes of all files of the database.',
    usedDatabaseSize: 'The bytes of them that are in use.',
    lastUpdate: 'The moment of the last change; null without one.',
    indexes: 'The statistics of each index.',
  },
  StatsHistory: {
    intervalMs: 'The milliseconds between two readings.',
    readings: {
      about: 'The readings since the start, at most those of the last hour, in order of time.',
      members: {
        at: 'The moment of the reading.',
        databaseSize: 'The bytes of all files of the database.',
        indexes: 'The bytes of the files of each index, of the 200 largest ones.',
      },
    },
  },
  Settings: SETTING_TEXTS,
  Search: {
    ...HITS,
    query: 'The query, as sent.',
    correctedQuery: 'The query as documents spell it, with `showCorrection`.',
    page: 'As requested.',
    hitsPerPage: 'As requested.',
    totalPages: 'The number of pages.',
    totalHits: 'The exact number of documents found.',
    cursor: 'The value of `searchAfter` for the next hits; null when no hit follows.',
    groups: 'The best documents of each distinct value, with `hitsPerGroup`.',
    facetDistribution: 'The number of documents with each value, by attribute.',
    facetStats: 'The smallest and the largest number, by attribute.',
    requestUid: 'The id of this answer, for logs.',
    metadata: 'Facts about the queries, with the header `Svc-Include-Metadata`.',
    semanticHitCount: 'The number of hits that were found by meaning.',
  },
  MultiSearch: { results: 'The answers, in the order of the searches.' },
  FacetSearch: {
    ...HITS,
    facetHits: {
      about: 'The values found.',
      members: { value: 'The value.', count: 'The number of documents that have it.' },
    },
    facetQuery: 'The query, as sent.',
  },
  Suggestions: {
    ...HITS,
    suggestions: {
      about: 'The completions, the best one first.',
      members: {
        text: 'The completed text.',
        highlighted: 'The same, with tags around the part that is typed.',
        hits: 'The number of documents that have all of its words.',
        source: 'Where it comes from: words of documents, or whole values.',
      },
    },
    query: 'The text that was sent.',
  },
  Similar: { ...HITS, id: 'The id of the document that was sent.' },
  Key: {
    ...KEY_TEXTS,
    key: 'The key itself, for `Authorization: Bearer`.',
    uid: 'The id of the key.',
    createdAt: 'The moment of its creation.',
    updatedAt: 'The moment of its last change.',
  },
  Keys: PAGE,
  Webhook: {
    ...WEBHOOK_TEXTS,
    uuid: 'The id of the webhook.',
    isEditable: 'False for the webhook of the launch options.',
    headers: 'Headers of each delivery; secrets are masked.',
  },
  Webhooks: { results: 'The webhooks.' },
  Features: FEATURE_TEXTS,
  Network: {
    ...IDENTITY,
    remotes: {
      about: 'The instances, by name.',
      members: {
        url: 'The address of the instance.',
        searchApiKey: 'The key for searches; masked unless the caller may change the network.',
        writeApiKey: 'The key for writes; masked unless the caller may change the network.',
        status: 'Whether the instance takes part in searches.',
      },
    },
    shards: {
      about: 'The shards, by name.',
      members: { remotes: 'The instances that hold the shard.' },
    },
  },
  NetworkStatus: {
    ...IDENTITY,
    remotes: {
      about: 'The instances, by name.',
      members: {
        url: 'The address of the instance.',
        isSelf: 'Whether it is this instance.',
        isLeader: 'Whether it takes writes.',
        status: 'Whether it answers.',
        shards: 'The shards that it holds.',
        backlog: 'The writes that it has not confirmed, on the leader.',
        stale: 'The reason why it has to be sent its documents again, or null.',
        lastError: 'The code of its last failure, or null.',
      },
    },
    shards: 'The instances that hold each shard.',
    change: 'The change that runs, or null.',
    problem: 'The reason why this instance takes no part in the network, or null.',
    replicasEqual: 'Whether the owners of each shard agreed when they were last compared.',
  },
  Replicas: {
    ...VERDICT,
    instances: 'The state of each instance.',
    differences: 'Index, shard and instance of each difference.',
  },
  ChangePlan: {
    instances: 'The documents and bytes that each instance would get.',
    moves: 'The shards that would move.',
    unreachable: 'The instances that did not answer.',
  },
  Repair: {
    ...VERDICT,
    repaired: 'The shards that are sent again, by instance.',
    unclear: 'The differences without a majority.',
  },
  Publication: {
    role: 'What the instance does with the object store.',
    publishes: 'The state that it published, or null.',
    follows: 'The state that it follows, or null.',
    unpublishedWrites: 'Files with writes that only a former writer had.',
  },
  InstanceIdentity: {
    ...IDENTITY,
    id: 'The id of the database folder, which no copy shares.',
    process: 'The id of the running process.',
    leaderId: 'The id of the leader; null without one.',
    hasDocuments: 'Whether the instance has documents.',
  },
  Digests: {
    ...IDENTITY,
    isSettled: 'False while tasks run.',
    indexes: 'The checksums of each index, by shard.',
  },
  Chat: { uid: 'Name of the workspace.' },
  Chats: PAGE,
  ChatSettings: CHAT_TEXTS,
  Rule: RULE,
  RuleActions: RULE_TEXTS.actions.members,
  Rules: {
    ...PAGE,
    ...RULE_STATE,
    totalRuleCount: 'The number of rules.',
    targetTotalRuleCount: 'The number of rules after the tasks that wait.',
  },
  RuleTarget: {
    ...RULE_STATE,
    current: 'The rule now; null if it does not exist.',
    target: 'The rule after the tasks that wait; null if it will not exist.',
  },
  Rendered: {
    template: 'The template.',
    rendered: 'The rendered text or JSON; null without an input.',
  },
  Compaction: {
    preSize: 'The bytes of the queue before.',
    postSize: 'The bytes of the queue after.',
    status: 'The outcome.',
    actionRequired: 'What the operator has to do next, as clients know it.',
  },
  Health: {
    status: 'Whether the server works.',
    message: 'The reason why it does not.',
  },
  Version: {
    commitSha: 'The commit of the build.',
    commitDate: 'The moment of that commit.',
    pkgVersion: 'The release: that of Meilisearch whose API it speaks.',
  },
  Running: { status: 'A fixed text.' },
}
