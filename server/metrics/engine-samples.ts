// The state of the engine, as values of metrics.
import { type Batch, type Engine, NO_FILTER, type TaskFilter } from '../../engine/index.ts'
import { LAST_BATCH_SHOWN_MS } from './limits.ts'
import type { MetricName } from './metrics.table.ts'
import type { Sample } from './samples.ts'

type Row = readonly [MetricName, readonly Sample[]]

export function engineSamples(
  engine: Pick<Engine, 'administration' | 'follows' | 'publication' | 'unpublishedWrites'>,
  now: number,
): readonly Row[] {
  const stats = engine.administration.stats(null)
  const { searches, tasks, taskLog, runningBatches, isRetrying, freeBytes } =
    engine.administration.measures()
  const indexes = [...stats.indexes]
  const isIndexing = indexes.some(([, index]) => index.isIndexing)
  const waitedMs = tasks.oldestWaiting === null ? 0 : now - tasks.oldestWaiting / 1000
  // Negative when the clock was set back.
  const latencyS = Math.max(0, waitedMs) / 1000
  return [
    one('db_size_bytes', stats.databaseSize),
    ...(freeBytes === null ? [] : [one('db_disk_free_bytes', freeBytes)]),
    one('used_db_size_bytes', stats.usedDatabaseSize),
    one('index_count', indexes.length),
    [
      'index_docs_count',
      indexes.map(([index, { numberOfDocuments }]) => ({
        labels: { index },
        value: numberOfDocuments,
      })),
    ],
    [
      'nb_tasks',
      [
        ...taskSamples('statuses', Object.entries(tasks.statuses)),
        ...taskSamples('types', Object.entries(tasks.kinds)),
        ...taskSamples('indexes', tasks.indexes),
      ],
    ],
    one('last_update', stats.lastUpdate === null ? 0 : Math.floor(stats.lastUpdate / 1_000_000)),
    one('is_indexing', isIndexing ? 1 : 0),
    one('degraded_search_requests', searches.degraded),
    one('search_queue_size', searches.waitingMax),
    one('searches_running', searches.running),
    one('searches_waiting_to_be_processed', searches.waiting),
    one('searches_turned_away_total', searches.rejected),
    one('searches_dropped_total', searches.dropped),
    [
      'search_cache_bytes',
      Object.entries(searches.cacheBytes).map(([cache, value]) => ({ labels: { cache }, value })),
    ],
    one('task_queue_latency_seconds', latencyS),
    one('tasks_wait_for_system', isRetrying ? 1 : 0),
    one('task_queue_max_size', taskLog.bytesMax),
    one('task_queue_used_size', taskLog.usedBytes),
    one(
      'task_queue_size_until_stop_registering',
      Math.max(0, taskLog.bytesMax - taskLog.usedBytes),
    ),
    ['batch_running_progress_trace', runningBatches.flatMap(runningSteps)],
    ...followerSamples(engine.follows),
    ...publisherSamples(engine.publication?.status ?? null),
    one('writer_unpublished_files', engine.unpublishedWrites().length),
  ]
}

/** Returns nothing for an instance that accepts writes. */
function followerSamples(status: Engine['follows']): readonly Row[] {
  if (status === null) return []
  const { problem, checkedAt, publishedAt, missingIndexes, missingBytes, unreadable } = status
  return [
    one('follower_is_behind', problem === null ? 0 : 1),
    one('follower_last_look', Math.floor((checkedAt ?? 0) / 1000)),
    one('follower_published', secondsOf(publishedAt)),
    one('follower_missing_indexes', missingIndexes),
    one('follower_missing_bytes', missingBytes),
    one('objstore_unreadable_objects', unreadable),
  ]
}

/** Returns nothing for an instance that publishes nothing. */
function publisherSamples(
  status: NonNullable<Engine['publication']>['status'] | null,
): readonly Row[] {
  if (status === null) return []
  const { problem, isRefused, publishedAt, unreadable, lease } = status
  return [
    one('publisher_is_behind', problem === null ? 0 : 1),
    one('publisher_is_refused', isRefused ? 1 : 0),
    one('publisher_published', secondsOf(publishedAt)),
    one('objstore_unreadable_objects', unreadable),
    ...(lease === null
      ? []
      : [one('writer_lease_held', lease.isHeld ? 1 : 0), one('writer_term', lease.term)]),
  ]
}

const secondsOf = (time: string | null): number =>
  time === null ? 0 : Math.floor(Date.parse(time) / 1000)

const one = (name: MetricName, value: number): Row => [name, [{ labels: {}, value }]]

const taskSamples = (kind: string, counts: Iterable<readonly [string, number]>): Sample[] =>
  [...counts].map(([value, count]) => ({ labels: { kind, value }, value: count }))

/** A step that occurs again inside itself is counted once, as the outer one. */
function runningSteps({ uid, progress }: Batch): Sample[] {
  const shares = new Map<string, number>()
  for (const { currentStep, finished, total } of progress?.steps ?? []) {
    if (!shares.has(currentStep)) shares.set(currentStep, total === 0 ? 0 : finished / total)
  }
  return [...shares].map(([step_name, value]) => ({
    labels: { batch_uid: String(uid), step_name },
    value,
  }))
}

const NEWEST = { from: null, limit: 1, reverse: false }

/** Returns the values about the most recently finished batches. */
export async function batchSamples(
  engine: Pick<Engine, 'tasks'>,
  now: number,
): Promise<readonly Row[]> {
  const newest = async (filter: Partial<TaskFilter>): Promise<Batch | null> =>
    (await engine.tasks.batches({ ...NO_FILTER, ...filter }, NEWEST, null)).results[0] ?? null
  const last = await newest({ statuses: ['succeeded', 'failed', 'canceled'] })
  const indexed = await newest({ statuses: ['succeeded'], kinds: ['documentAdditionOrUpdate'] })
  const snapshot = await newest({ statuses: ['succeeded'], kinds: ['snapshotCreation'] })
  return [
    ...(snapshot?.finishedAt == null
      ? []
      : [one('last_snapshot', Math.floor(snapshot.finishedAt / 1_000_000))]),
    [
      'last_finished_batches_progress_trace_ms',
      last === null
        ? []
        : Object.entries(last.stats.progressTrace).map(([step_name, value]) => ({
            labels: { batch_uid: String(last.uid), step_name },
            value,
          })),
    ],
    ...(indexed === null ? [] : indexedSamples(indexed, now)),
  ]
}

function indexedSamples({ uid, details, stats, startedAt, finishedAt }: Batch, now: number): Row[] {
  if (finishedAt === null) return []
  const tookMs = (finishedAt - startedAt) / 1000
  if (now - finishedAt / 1000 > tookMs + LAST_BATCH_SHOWN_MS) return []
  const documents = Number(details['indexedDocuments'] ?? 0)
  const labels = { batch_uid: String(uid), index: Object.keys(stats.indexUids)[0] ?? '' }
  return [
    ['last_indexed_documents_count', [{ labels, value: documents }]],
    ['last_indexed_documents_duration_ms', [{ labels, value: tookMs }]],
  ]
}
