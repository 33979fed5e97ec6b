// The successful answer of each route: its status, the schema of its body, and a summary of the
// route. Parameters and request bodies are described by the readers of the route.

export type AnswerRow = {
  readonly status: number
  /** A name in `schemas.table.ts`, or null if the body is empty or is not JSON. */
  readonly schema: string | null
  readonly summary: string
  /** Content type; absent means JSON. */
  readonly type?: string
}

const row = (status: number, schema: string | null, summary: string, type?: string): AnswerRow => ({
  status,
  schema,
  summary,
  ...(type === undefined ? {} : { type }),
})
const task = (summary: string, status = 202): AnswerRow => row(status, 'Summary', summary)
const nothing = (summary: string): AnswerRow => row(204, null, summary)
const LINES = 'text/plain'
const EVENTS = 'text/event-stream'
const OCTETS = 'application/octet-stream'

export const ANSWERS: { readonly [route: string]: AnswerRow } = {
  'GET /': row(200, 'Running', 'Returns a fixed text while the server runs'),
  'GET /health': row(200, 'Health', 'Says whether the server is healthy'),
  'GET /version': row(200, 'Version', 'Returns the version of the server'),
  'GET /stats': row(200, 'Stats', 'Returns statistics of all indexes'),
  'GET /metrics': row(200, null, 'Returns metrics for Prometheus', LINES),
  'GET /logs/stream': row(200, null, 'Streams the log', LINES),
  'POST /logs/stream': row(200, null, 'Streams the log', LINES),
  'DELETE /logs/stream': nothing('Ends the log stream'),
  'GET /logs/stderr': nothing('Changes the level of the log on stderr'),
  'POST /logs/stderr': nothing('Changes the level of the log on stderr'),

  'GET /indexes': row(200, 'Indexes', 'Lists indexes'),
  'POST /indexes': task('Creates an index'),
  'GET /indexes/:indexUid': row(200, 'Index', 'Returns an index'),
  'PATCH /indexes/:indexUid': task('Renames an index, or sets its primary key'),
  'DELETE /indexes/:indexUid': task('Deletes an index'),
  'GET /stats/history': row(200, 'StatsHistory', 'Returns the sizes of indexes in the last hour'),
  'GET /indexes/:indexUid/stats': row(200, 'IndexStats', 'Returns statistics of an index'),
  'POST /indexes/:indexUid/fields': row(
    200,
    'Fields',
    'Lists the fields of an index and their settings',
  ),
  'POST /indexes/:indexUid/compact': task('Reclaims unused disk space of an index'),
  'POST /swap-indexes': task('Swaps or renames indexes'),

  'GET /indexes/:indexUid/documents': row(200, 'Documents', 'Lists documents'),
  'POST /indexes/:indexUid/documents/fetch': row(200, 'Documents', 'Lists documents'),
  'GET /indexes/:indexUid/documents/:documentId': row(200, 'Document', 'Returns a document'),
  'POST /indexes/:indexUid/documents': task('Adds documents, or replaces them'),
  'PUT /indexes/:indexUid/documents': task('Adds documents, or updates them'),
  'DELETE /indexes/:indexUid/documents': task('Deletes all documents'),
  'DELETE /indexes/:indexUid/documents/:documentId': task('Deletes a document'),
  'POST /indexes/:indexUid/documents/delete': task('Deletes documents by a filter'),
  'POST /indexes/:indexUid/documents/delete-batch': task('Deletes documents by their ids'),
  'POST /indexes/:indexUid/documents/edit': task('Edits documents by a function'),

  'GET /indexes/:indexUid/search': row(200, 'Search', 'Searches an index'),
  'POST /indexes/:indexUid/search': row(200, 'Search', 'Searches an index'),
  'POST /indexes/:indexUid/facet-search': row(200, 'FacetSearch', 'Searches the values of a facet'),
  'GET /indexes/:indexUid/similar': row(
    200,
    'Similar',
    'Finds documents that are similar to a document',
  ),
  'POST /indexes/:indexUid/similar': row(
    200,
    'Similar',
    'Finds documents that are similar to a document',
  ),
  'GET /indexes/:indexUid/suggest': row(200, 'Suggestions', 'Suggests completions of a typed text'),
  'POST /indexes/:indexUid/suggest': row(
    200,
    'Suggestions',
    'Suggests completions of a typed text',
  ),
  'POST /mcp': row(200, 'McpResponse', 'Answers a message of the Model Context Protocol'),
  'POST /multi-search': row(200, 'MultiSearch', 'Runs several searches in one request'),

  'GET /tasks': row(200, 'Tasks', 'Lists tasks'),
  'DELETE /tasks': task('Deletes tasks', 200),
  'POST /tasks/cancel': task('Cancels tasks', 200),
  'POST /tasks/compact': row(200, 'Compaction', 'Compacts the task queue'),
  'GET /tasks/stream': row(200, null, 'Streams each change of a task', EVENTS),
  'GET /tasks/:taskUid': row(200, 'Task', 'Returns a task'),
  'GET /tasks/:taskUid/documents': row(
    ...([200, null, 'Returns the documents of a task', 'application/x-ndjson'] as const),
  ),
  'GET /batches': row(200, 'Batches', 'Lists batches'),
  'GET /batches/stream': row(200, null, 'Streams each change of a batch', EVENTS),
  'GET /batches/:batchUid': row(200, 'Batch', 'Returns a batch'),

  'GET /keys': row(200, 'Keys', 'Lists keys'),
  'POST /keys': row(201, 'Key', 'Creates a key'),
  'GET /keys/:key': row(200, 'Key', 'Returns a key'),
  'PATCH /keys/:key': row(200, 'Key', 'Changes a key'),
  'DELETE /keys/:key': nothing('Deletes a key'),

  'POST /dumps': task('Creates a dump'),
  'POST /snapshots': task('Creates a snapshot'),
  'POST /export': task('Sends indexes to another server', 200),
  'GET /experimental-features': row(200, 'Features', 'Returns which experimental features are on'),
  'PATCH /experimental-features': row(200, 'Features', 'Enables or disables experimental features'),
  'GET /network': row(200, 'Network', 'Returns the network of instances'),
  'PATCH /network': row(200, 'Network', 'Changes the network'),
  'POST /network/search': row(200, null, 'Runs searches for another instance', OCTETS),
  'POST /network/foreign': row(200, null, 'Reads documents of foreign keys for another instance'),
  'POST /network/similar': row(200, null, 'Finds similar documents for another instance'),
  'GET /network/status': row(
    200,
    'NetworkStatus',
    'Returns the states of instances, the owners of shards, and unconfirmed writes',
  ),
  'GET /network/replicas': row(200, 'Replicas', 'Compares the replicas of all shards'),
  'POST /network/plan': row(
    200,
    'ChangePlan',
    'Shows which documents a change of the network would move',
  ),
  'POST /network/repair': row(200, 'Repair', 'Sends differing shards again'),
  'GET /network/identity': row(200, 'InstanceIdentity', 'Returns the identity of this instance'),
  'GET /network/digests': row(200, 'Digests', 'Returns digests of the shards of this instance'),
  'GET /network/contains': row(
    200,
    null,
    'Waits until this instance contains a task of the leader',
  ),
  'GET /network/arrived': row(
    200,
    null,
    'Returns the last task that an instance has received from this leader',
  ),
  'POST /network/control': nothing('Receives a message of another instance'),

  'GET /publication': row(200, 'Publication', 'Returns what this instance publishes or follows'),
  'GET /webhooks': row(200, 'Webhooks', 'Lists webhooks'),
  'POST /webhooks': row(201, 'Webhook', 'Creates a webhook'),
  'GET /webhooks/:uuid': row(200, 'Webhook', 'Returns a webhook'),
  'PATCH /webhooks/:uuid': row(200, 'Webhook', 'Changes a webhook'),
  'DELETE /webhooks/:uuid': nothing('Deletes a webhook'),

  'GET /chats': row(200, 'Chats', 'Lists chat workspaces'),
  'GET /chats/:workspace': row(200, 'Chat', 'Returns a chat workspace'),
  'DELETE /chats/:workspace': nothing('Deletes a chat workspace'),
  'GET /chats/:workspace/settings': row(
    200,
    'ChatSettings',
    'Returns the settings of a chat workspace',
  ),
  'PATCH /chats/:workspace/settings': row(
    200,
    'ChatSettings',
    'Creates a chat workspace, or changes its settings',
  ),
  'DELETE /chats/:workspace/settings': row(
    200,
    'ChatSettings',
    'Resets the settings of a chat workspace',
  ),
  'POST /chats/:workspace/chat/completions': row(
    ...([200, null, 'Answers a conversation', 'text/event-stream'] as const),
  ),

  'POST /dynamic-search-rules': row(200, 'Rules', 'Lists dynamic search rules'),
  'DELETE /dynamic-search-rules': task('Deletes all dynamic search rules'),
  'GET /dynamic-search-rules/:ruleUid': row(200, 'Rule', 'Returns a dynamic search rule'),
  'GET /dynamic-search-rules/:ruleUid/target': row(
    200,
    'RuleTarget',
    'Returns a dynamic search rule, and its form after the waiting tasks',
  ),
  'PATCH /dynamic-search-rules/:ruleUid': task('Creates or changes a dynamic search rule'),
  'DELETE /dynamic-search-rules/:ruleUid': task('Deletes a dynamic search rule'),

  'POST /render-template': row(200, 'Rendered', 'Returns the rendered text of a template'),
}

/** Returns the answer of a route. Routes of settings are built from the table of settings. */
export function answerOf(method: string, path: string): AnswerRow | undefined {
  const known = ANSWERS[`${method} ${path}`]
  const [, ofIndex, part] = /^\/indexes\/:indexUid\/(settings)(?:\/(.+))?$/.exec(path) ?? []
  if (known !== undefined || ofIndex === undefined) return known
  const name = part === undefined ? 'all settings' : `the setting ${part}`
  if (method === 'DELETE') return task(`Resets ${name}`)
  if (method !== 'GET') return task(`Changes ${part === undefined ? 'settings' : name}`)
  return row(200, part === undefined ? 'Settings' : 'Setting', `Reads ${name}`)
}
