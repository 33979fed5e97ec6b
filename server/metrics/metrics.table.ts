// Our own metrics: the name after `svc_`, the type, the labels, and the description. The page
// docs/metrics.md is generated from it. The metrics of the process and of Node.js come from
// prom-client.

type MetricKind = 'counter' | 'gauge' | 'histogram'

export type MetricRow = {
  readonly kind: MetricKind
  readonly labels: readonly string[]
  readonly help: string
}

export const PREFIX = 'svc_'

export const METRICS = {
  http_requests_total: {
    kind: 'counter',
    labels: ['method', 'path', 'status'],
    help: 'Answered requests, by route.',
  },
  http_response_time_seconds: {
    kind: 'histogram',
    labels: ['method', 'path'],
    help: 'Time from the end of the headers of a request to its answer, by route.',
  },
  http_connections: {
    kind: 'gauge',
    labels: [],
    help: 'Open connections of clients.',
  },
  http_connections_dropped_total: {
    kind: 'counter',
    labels: [],
    help: 'Connections closed because the limit of open connections was reached.',
  },
  degraded_search_requests: {
    kind: 'gauge',
    labels: [],
    help: 'Searches ended early by the time limit of their index, since the start.',
  },
  personalized_search_requests: {
    kind: 'gauge',
    labels: [],
    help: 'Searches with personalization, since the start.',
  },
  webhook_failures_total: {
    kind: 'counter',
    labels: ['webhook'],
    help: 'Batches that could not be sent to a webhook, by the uuid of the webhook.',
  },
  last_snapshot: {
    kind: 'gauge',
    labels: [],
    help: 'Time of the last snapshot, in seconds since 1970; 0 if unknown.',
  },
  chat_searches_total: {
    kind: 'counter',
    labels: ['type'],
    help: 'Searches made by chats.',
  },
  chat_prompt_tokens_total: {
    kind: 'counter',
    labels: ['workspace', 'model'],
    help: 'Tokens sent to models by chats.',
  },
  chat_completion_tokens_total: {
    kind: 'counter',
    labels: ['workspace', 'model'],
    help: 'Tokens in the answers of models to chats.',
  },
  chat_tokens_total: {
    kind: 'counter',
    labels: ['workspace', 'model'],
    help: 'Tokens of chats in both directions.',
  },
  db_size_bytes: {
    kind: 'gauge',
    labels: [],
    help: 'Size of the database on disk.',
  },
  db_disk_free_bytes: {
    kind: 'gauge',
    labels: [],
    help: 'Free bytes on the disk of the database.',
  },
  used_db_size_bytes: {
    kind: 'gauge',
    labels: [],
    help: 'Bytes of the database in use; merges free the other bytes.',
  },
  index_count: {
    kind: 'gauge',
    labels: [],
    help: 'Number of indexes.',
  },
  index_docs_count: {
    kind: 'gauge',
    labels: ['index'],
    help: 'Number of documents of an index.',
  },
  nb_tasks: {
    kind: 'gauge',
    labels: ['kind', 'value'],
    help: 'Number of tasks by `statuses`, `types` and `indexes`.',
  },
  batch_running_progress_trace: {
    kind: 'gauge',
    labels: ['batch_uid', 'step_name'],
    help: 'Progress of each step of the running batch, from 0 to 1.',
  },
  last_finished_batches_progress_trace_ms: {
    kind: 'gauge',
    labels: ['batch_uid', 'step_name'],
    help: 'Duration of each step of the last finished batch, in milliseconds.',
  },
  last_indexed_documents_count: {
    kind: 'gauge',
    labels: ['batch_uid', 'index'],
    help: 'Documents of the last batch that indexed documents; shown for some minutes after the batch.',
  },
  last_indexed_documents_duration_ms: {
    kind: 'gauge',
    labels: ['batch_uid', 'index'],
    help: 'Duration of the last batch that indexed documents, in milliseconds.',
  },
  last_update: {
    kind: 'gauge',
    labels: [],
    help: 'Time of the last change of an index, in seconds since 1970.',
  },
  is_indexing: {
    kind: 'gauge',
    labels: [],
    help: '1 while an index is being changed, else 0.',
  },
  search_queue_size: {
    kind: 'gauge',
    labels: [],
    help: 'Number of searches that may wait at most.',
  },
  search_cache_bytes: {
    kind: 'gauge',
    labels: ['cache'],
    help: 'Bytes that the caches of all search threads hold, by cache: documents, facets, sets, pairs, words, bounds, boosts.',
  },
  searches_running: {
    kind: 'gauge',
    labels: [],
    help: 'Running searches.',
  },
  searches_waiting_to_be_processed: {
    kind: 'gauge',
    labels: [],
    help: 'Waiting searches.',
  },
  searches_turned_away_total: {
    kind: 'counter',
    labels: [],
    help: 'Searches refused because too many waited.',
  },
  searches_dropped_total: {
    kind: 'counter',
    labels: [],
    help: 'Searches canceled because their wait and run took too long together.',
  },
  task_queue_latency_seconds: {
    kind: 'gauge',
    labels: [],
    help: 'Age of the oldest unfinished task.',
  },
  tasks_wait_for_system: {
    kind: 'gauge',
    labels: [],
    help: '1 while tasks wait because the disk is full or fails, or the system allows no more open files, else 0.',
  },
  task_queue_max_size: {
    kind: 'gauge',
    labels: [],
    help: 'Bytes that the task queue may use.',
  },
  task_queue_used_size: {
    kind: 'gauge',
    labels: [],
    help: 'Bytes that the task queue uses.',
  },
  task_queue_size_until_stop_registering: {
    kind: 'gauge',
    labels: [],
    help: 'Bytes left until new tasks are refused.',
  },
  follower_is_behind: {
    kind: 'gauge',
    labels: [],
    help: 'On a follower: 1 if the last poll of the store failed, else 0.',
  },
  follower_last_look: {
    kind: 'gauge',
    labels: [],
    help: 'Time of the last successful poll of the store, in seconds since 1970.',
  },
  follower_published: {
    kind: 'gauge',
    labels: [],
    help: 'Time when the served state was published, in seconds since 1970.',
  },
  follower_missing_indexes: {
    kind: 'gauge',
    labels: [],
    help: 'Indexes that are still being downloaded and not served.',
  },
  follower_missing_bytes: {
    kind: 'gauge',
    labels: [],
    help: 'Bytes of these indexes that are not downloaded yet.',
  },
  objstore_unreadable_objects: {
    kind: 'gauge',
    labels: [],
    help: 'Objects below the prefix in the store that could not be read and are skipped.',
  },
  publisher_is_behind: {
    kind: 'gauge',
    labels: [],
    help: 'On a publisher: 1 if the last attempt to publish failed, else 0.',
  },
  publisher_is_refused: {
    kind: 'gauge',
    labels: [],
    help: '1 if this instance publishes nothing because another one publishes to the same prefix, else 0.',
  },
  publisher_published: {
    kind: 'gauge',
    labels: [],
    help: 'Time of the last published state, in seconds since 1970.',
  },
  writer_lease_held: {
    kind: 'gauge',
    labels: [],
    help: '1 if this instance holds the writer lease and accepts writes, else 0.',
  },
  writer_term: {
    kind: 'gauge',
    labels: [],
    help: 'The term of the writer lease that this instance holds.',
  },
  writer_unpublished_files: {
    kind: 'gauge',
    labels: [],
    help: 'Files with writes that were accepted here and never published: see `GET /publication`.',
  },
  network_remote_calls_total: {
    kind: 'counter',
    labels: ['remote'],
    help: 'Calls to another instance of the network: writes, searches, moved documents.',
  },
  network_remote_call_seconds_total: {
    kind: 'counter',
    labels: ['remote'],
    help: 'Total duration of calls to another instance of the network.',
  },
  network_remote_errors_total: {
    kind: 'counter',
    labels: ['remote', 'kind'],
    help: 'Failed calls to another instance: `unreachable`, `timeout`, `refused` (4xx), `failed` (5xx).',
  },
  network_remote_available: {
    kind: 'gauge',
    labels: ['remote'],
    help: '1 if searches use the instance, 0 while it is paused after a failure.',
  },
  network_remote_shards: {
    kind: 'gauge',
    labels: ['remote'],
    help: 'Shards that the instance holds.',
  },
  network_remote_backlog_tasks: {
    kind: 'gauge',
    labels: ['remote'],
    help: 'On the leader: tasks that the instance has not confirmed.',
  },
  network_remote_backlog_bytes: {
    kind: 'gauge',
    labels: ['remote'],
    help: 'On the leader: bytes of the task log and of documents that are stored for the instance.',
  },
  network_remote_stale: {
    kind: 'gauge',
    labels: ['remote'],
    help: '1 if the instance has old documents and must get its shards again, else 0.',
  },
  network_replicas_equal: {
    kind: 'gauge',
    labels: ['leader'],
    help: '1 if the replicas of the leader were equal at the last comparison, else 0.',
  },
} as const satisfies { readonly [name: string]: MetricRow }

export type MetricName = keyof typeof METRICS
export const METRIC_NAMES = Object.keys(METRICS) as readonly MetricName[]
