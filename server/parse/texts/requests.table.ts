// The texts about requests other than searches and settings: documents, indexes, tasks, keys,
// webhooks, features, exports, logs, rules, templates and agents.
import { SEARCH_TEXTS } from './search.table.ts'
import type { Texts } from './text.ts'

/** Parameters in paths, and those of every write. */
export const PATH_AND_WRITE_TEXTS: Texts = {
  indexUid: 'Name of the index: letters, digits, `-` and `_`, at most 400 bytes.',
  documentId: 'The id of the document: the value of its primary key.',
  taskUid: 'The number of the task.',
  batchUid: 'The number of the batch.',
  key: 'The key itself, or its `uid`.',
  uuid: 'The id of the webhook.',
  workspace: 'Name of the chat workspace.',
  ruleUid: 'Name of the rule.',
  wait: {
    about:
      '`searchable` waits until searches show the change, then answers with the task. After `timeout` the answer is the same as without `wait`.',
    since: '1.57',
  },
  timeout: { about: 'The milliseconds to wait with `wait`.', since: '1.57' },
  customMetadata: 'A text of the client that the task shows unchanged.',
}

export const PAGE_TEXTS = {
  offset: 'The number of entries to skip.',
  limit: 'The number of entries in the answer.',
} satisfies Texts

export const STATS_TEXTS: Texts = {
  showInternalDatabaseSizes: 'True adds the sizes of the parts of an index.',
  sizeFormat: 'How sizes are written: `raw` in bytes, `human` with a unit.',
}

export const INDEX_TEXTS: Texts = {
  uid: 'Name of the index. In a change: its new name.',
  primaryKey:
    'The attribute with the ids of documents. If absent, the first documents determine it.',
}

export const SWAP_TEXTS: Texts = {
  indexes: 'The names of the two indexes.',
  rename:
    'True renames the first index to the second name, which must not exist. False swaps both indexes.',
}

export const FIELD_TEXTS: Texts = {
  ...PAGE_TEXTS,
  filter: {
    about: 'Only fields that meet all of these conditions.',
    members: {
      attributePatterns: 'Names of fields, with `*` at either end.',
      displayed: 'Whether hits show the field.',
      searchable: 'Whether words are searched in the field.',
      sortable: 'Whether searches may sort by the field.',
      distinct: 'Whether the field is the distinct attribute.',
      rankingRule: 'Whether a ranking rule names the field.',
      filterable: 'Whether filters may name the field.',
    },
  },
}

export const DOCUMENT_LIST_TEXTS: Texts = {
  ...PAGE_TEXTS,
  fields: 'The fields that documents show. All displayed fields if absent.',
  retrieveVectors: 'True adds `_vectors` to documents.',
  ids: 'Only documents with these ids.',
  filter: 'Only documents that pass this filter, which has the same forms as in a search.',
  sort: 'The order of documents, as in a search.',
  useNetwork: SEARCH_TEXTS.useNetwork,
}

export const ADDITION_TEXTS: Texts = {
  primaryKey: 'The attribute with the ids, for an index without a primary key.',
  csvDelimiter: 'The character between the columns of CSV; a comma if absent.',
  skipCreation: 'True changes only existing documents, and adds no documents.',
}

export const DELETION_TEXTS: Texts = {
  filter: 'Deletes the documents that pass this filter, which has the same forms as in a search.',
}

export const EDITION_TEXTS: Texts = {
  filter: 'Edits only the documents that pass this filter. All if absent.',
  context: 'An object that the function reads as `context`.',
  function: 'The function in Rhai: it changes `doc`, or sets it to `()` to delete the document.',
}

/** Conditions on tasks: all of them have to hold. */
export const TASK_TEXTS: Texts = {
  uids: 'Only these tasks.',
  batchUids: 'Only tasks of these batches.',
  canceledBy: 'Only tasks that these tasks canceled.',
  types: 'Only tasks of these kinds.',
  statuses: 'Only tasks in these states.',
  indexUids: 'Only tasks of these indexes.',
  afterEnqueuedAt: 'Only tasks that arrived after this moment, a date or RFC 3339.',
  beforeEnqueuedAt: 'Only tasks that arrived before this moment, a date or RFC 3339.',
  afterStartedAt: 'Only tasks that began after this moment, a date or RFC 3339.',
  beforeStartedAt: 'Only tasks that began before this moment, a date or RFC 3339.',
  afterFinishedAt: 'Only tasks that ended after this moment, a date or RFC 3339.',
  beforeFinishedAt: 'Only tasks that ended before this moment, a date or RFC 3339.',
  limit: PAGE_TEXTS.limit,
  from: 'The uid of the first entry: the `next` of the previous page.',
  reverse: 'True begins with the oldest entry, false with the newest.',
}

export const KEY_TEXTS: Texts = {
  ...PAGE_TEXTS,
  name: 'Name of the key, for people.',
  description: 'The purpose of the key, for people.',
  uid: 'The id of the key, a UUID. The key itself is derived from this id. Random if absent.',
  actions:
    'The rights of the key. `*` stands for all rights, `documents.*` for all rights of a group.',
  indexes:
    'The indexes for which the key is valid. `*` stands for all, `shop_*` for names that begin with `shop_`.',
  expiresAt: 'The moment when the key expires, a date or RFC 3339. null: never.',
}

export const WEBHOOK_TEXTS: Texts = {
  url: 'The address to which finished tasks are sent.',
  headers: 'Headers of each delivery. null removes a header.',
}

export const FEATURE_TEXTS: Texts = {
  metrics: 'Opens `GET /metrics`.',
  logsRoute: 'Opens `/logs/stream` and `/logs/stderr`.',
  tasksStreamingRoute: 'Opens `GET /tasks/stream` and `GET /batches/stream`.',
  editDocumentsByFunction: 'Opens `POST /indexes/{uid}/documents/edit`.',
  containsFilter: 'Allows `CONTAINS` in filters.',
  dynamicSearchRules: 'Opens `/dynamic-search-rules`, and applies the rules.',
  network: 'Opens `/network`: several instances answer searches together.',
  getTaskDocumentsRoute: 'Opens `GET /tasks/{uid}/documents`.',
  taskQueueCompactionRoute: 'Opens `POST /tasks/compact`.',
  compositeEmbedders: 'Allows embedders of the source `composite`.',
  chatCompletions: 'Opens `/chats`.',
  multimodal: 'Allows fragments of embedders and `media` in searches.',
  foreignKeys: 'Allows the setting `foreignKeys` and `_foreign` in filters.',
  disableDocumentsFetchQueue: 'Requests for documents do not wait in the queue of searches.',
  legacySearch: 'Accepted for existing clients, without an effect.',
  renderRoute: 'Opens `POST /render-template`.',
  mcpRoute: { about: 'Opens `POST /mcp`.', since: '1.57' },
}

export const EXPORT_TEXTS: Texts = {
  url: 'The address of the other server.',
  apiKey: 'A key of the other server that may change documents and settings.',
  payloadSize: 'The largest body to send: bytes, or a text such as `50 MiB`.',
  indexes: {
    about: 'The indexes to send, by name or pattern (`shop_*`). All if absent.',
    members: {
      filter: 'Sends only documents that pass this filter.',
      overrideSettings: 'True replaces the settings of indexes that exist on the other server.',
    },
  },
}

export const LOG_TEXTS: Texts = {
  target:
    'The events to show: a level, or parts of the server with levels, as in `info,svc::http=debug`.',
  mode: 'The form of a line: text for people, JSON, or times of calls.',
  profileMemory: 'With the mode `profile`: whether memory is measured.',
}

export const RULE_LIST_TEXTS: Texts = {
  ...PAGE_TEXTS,
  filter: {
    about: 'Only rules that meet all of these conditions.',
    members: {
      query: 'Words in the uid or the description of the rule.',
      active: 'Whether the rule is switched on.',
    },
  },
  showTarget: {
    about: 'True lists rules in the form that they will have after the waiting tasks.',
    since: '1.57',
  },
}

export const RENDER_TEXTS: Texts = {
  template: {
    about: 'The template to render.',
    members: {
      kind: 'Where the template is: in the settings of an index, or in this request (`inline…`).',
      indexUid: 'The index whose settings have the template.',
      embedder: 'The embedder that has the template.',
      fragment: 'The fragment that has the template.',
      inline: 'The template itself.',
      documentTemplateMaxBytes: 'The largest number of bytes of the text. The rest is cut off.',
    },
  },
  input: {
    about: 'The data of the template. If absent, the answer is the template itself.',
    members: {
      kind: 'Which data: a document of an index, or a document or a search in this request.',
      indexUid: 'The index of the document.',
      id: 'The id of the document.',
      inline: 'The document or the search itself.',
    },
  },
}

export const MCP_TEXTS: Texts = {
  jsonrpc: 'The version of JSON-RPC.',
  id: 'The id of the request, which the answer repeats. A message without an id is a notification.',
  method: 'The method, such as `tools/list` or `tools/call`.',
  params: 'The parameters of the method.',
}
