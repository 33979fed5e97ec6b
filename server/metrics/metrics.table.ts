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
    help: 'Requests that were answered, by route.',
  },
  http_response_time_seconds: {
    kind: 'histogram',
    labels: ['method', 'path'],
    help: 'Time from the end of the headers of a request to its answer, by route.',
  },
  degraded_search_requests: {
    kind: 'gauge',
    labels: [],
    help: 'Searches that the time limit of their index cut short, since the start.',
  },
  personalized_search_requests: {
    kind: 'gauge',
    labels: [],
    help: 'Searches that asked for personal ranking, since the start.',
  },
  webhook_failures_total: {
    kind: 'counter',
    labels: ['webhook'],
    help: 'Batches that a webhook was not told of, by its uuid.',
  },
  last_snapshot: {
    kind: 'gauge',
    labels: [],
    help: 'When the last snapshot was made, in seconds since 1970; 0: none is known.',
  },
  chat_searches_total: {
    kind: 'counter',
    labels: ['type'],
    help: 'Searches that chats have made.',
  },
  chat_prompt_tokens_total: {
    kind: 'counter',
    labels: ['workspace', 'model'],
    help: 'Tokens that chats have sent to a model.',
  },
  chat_completion_tokens_total: {
    kind: 'counter',
    labels: ['workspace', 'model'],
    help: 'Tokens that models have answered chats with.',
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
    help: 'Bytes that are free on the disk of the database.',
  },
  used_db_size_bytes: {
    kind: 'gauge',
    labels: [],
    help: 'The part of it that is in use; the rest comes back by merging.',
  },
  index_count: {
    kind: 'gauge',
    labels: [],
    help: 'Indexes.',
  },
  index_docs_count: {
    kind: 'gauge',
    labels: ['index'],
    help: 'Documents of an index.',
  },
  nb_tasks: {
    kind: 'gauge',
    labels: ['kind', 'value'],
    help: 'Tasks by `statuses`, `types` and `indexes`.',
  },
  batch_running_progress_trace: {
    kind: 'gauge',
    labels: ['batch_uid', 'step_name'],
    help: 'How far each step of the running batch is, from 0 to 1.',
  },
  last_finished_batches_progress_trace_ms: {
    kind: 'gauge',
    labels: ['batch_uid', 'step_name'],
    help: 'How long each step of the last finished batch took, in milliseconds.',
  },
  last_indexed_documents_count: {
    kind: 'gauge',
    labels: ['batch_uid', 'index'],
    help: 'Documents of the last batch that indexed some; gone some minutes after it.',
  },
  last_indexed_documents_duration_ms: {
    kind: 'gauge',
    labels: ['batch_uid', 'index'],
    help: 'How long that batch took, in milliseconds.',
  },
  last_update: {
    kind: 'gauge',
    labels: [],
    help: 'When an index last changed, in seconds since 1970.',
  },
  is_indexing: {
    kind: 'gauge',
    labels: [],
    help: 'Whether an index is being changed: 0 or 1.',
  },
  search_queue_size: {
    kind: 'gauge',
    labels: [],
    help: 'How many searches may wait.',
  },
  searches_running: {
    kind: 'gauge',
    labels: [],
    help: 'Searches that run.',
  },
  searches_waiting_to_be_processed: {
    kind: 'gauge',
    labels: [],
    help: 'Searches that wait.',
  },
  searches_turned_away_total: {
    kind: 'counter',
    labels: [],
    help: 'Searches that were refused because too many waited.',
  },
  searches_dropped_total: {
    kind: 'counter',
    labels: [],
    help: 'Searches that were given up because they waited and ran for too long.',
  },
  task_queue_latency_seconds: {
    kind: 'gauge',
    labels: [],
    help: 'Age of the oldest task that has not finished.',
  },
  task_queue_max_size: {
    kind: 'gauge',
    labels: [],
    help: 'Bytes that the task queue may use.',
  },
  task_queue_used_size: {
    kind: 'gauge',
    labels: [],
    help: 'Bytes that it uses.',
  },
  task_queue_size_until_stop_registering: {
    kind: 'gauge',
    labels: [],
    help: 'Bytes that are left before no more tasks are taken.',
  },
  follower_is_behind: {
    kind: 'gauge',
    labels: [],
    help: 'Of an instance that follows another one: whether the last look at the store failed, 0 or 1.',
  },
  follower_last_look: {
    kind: 'gauge',
    labels: [],
    help: 'When the store was last looked at with success, in seconds since 1970.',
  },
  follower_published: {
    kind: 'gauge',
    labels: [],
    help: 'When the state that is served was published, in seconds since 1970.',
  },
  follower_missing_indexes: {
    kind: 'gauge',
    labels: [],
    help: 'Indexes that are still downloaded and not served.',
  },
  follower_missing_bytes: {
    kind: 'gauge',
    labels: [],
    help: 'Bytes that are still to be downloaded for them.',
  },
  network_remote_calls_total: {
    kind: 'counter',
    labels: ['remote'],
    help: 'Calls of an instance of the network: writes, searches, documents that move.',
  },
  network_remote_call_seconds_total: {
    kind: 'counter',
    labels: ['remote'],
    help: 'How long those calls took together.',
  },
  network_remote_errors_total: {
    kind: 'counter',
    labels: ['remote', 'kind'],
    help: 'Calls that failed: `unreachable`, `timeout`, `refused` (4xx), `failed` (5xx).',
  },
  network_remote_available: {
    kind: 'gauge',
    labels: ['remote'],
    help: 'Whether the instance is asked: 0 while it rests after a failure.',
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
    help: 'On the leader: bytes of the task log and of documents that are kept for it.',
  },
  network_remote_stale: {
    kind: 'gauge',
    labels: ['remote'],
    help: 'Whether the instance has old documents and is to get its shards anew: 0 or 1.',
  },
  network_replicas_equal: {
    kind: 'gauge',
    labels: ['leader'],
    help: 'Of the leader: whether replicas were equal when they were last compared, 0 or 1.',
  },
} as const satisfies { readonly [name: string]: MetricRow }

export type MetricName = keyof typeof METRICS
export const METRIC_NAMES = Object.keys(METRICS) as readonly MetricName[]
