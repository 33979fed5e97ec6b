// Tasks and batches in their public form: plain objects with members in the public order.
import { compareText } from '../../../format/bytes/index.ts'
import {
  type AcceptedTask,
  type Batch,
  formatDuration,
  formatMicros,
  formatMillis,
  formatSizeChange,
  type Micros,
  type Task,
  type TaskError,
} from '../task-data/index.ts'

export type View = { readonly [member: string]: unknown }

/** The answer to every asynchronous write. */
export const summaryView = (task: AcceptedTask): View => ({
  taskUid: task.uid,
  indexUid: task.indexUid,
  status: task.status,
  type: task.kind,
  enqueuedAt: formatMicros(task.enqueuedAt),
  ...metadataOf(task),
})

/** `showError` adds type and link from the catalogue. */
export const taskView = (task: Task, showError: (error: TaskError) => View): View => ({
  uid: task.uid,
  batchUid: task.batchUid,
  indexUid: task.indexUid,
  status: task.status,
  type: task.kind,
  canceledBy: task.canceledBy,
  ...(task.details === null ? {} : { details: task.details }),
  error: task.error === null ? null : showError(task.error),
  duration: durationOf(task),
  enqueuedAt: formatMicros(task.enqueuedAt, task.nanos?.enqueuedAt),
  startedAt: momentOf(task.startedAt, task.nanos?.startedAt),
  finishedAt: momentOf(task.finishedAt, task.nanos?.finishedAt),
  ...networkOf(task, showError),
  ...metadataOf(task),
})

/** The outer member names contain underscores, as in the public API. */
function networkOf({ network, remoteResults }: Task, showError: (error: TaskError) => View): View {
  if (network === undefined) return {}
  if (network.kind === 'origin') return { network: { origin: network.origin } }
  if (network.kind === 'import') {
    const { remoteName, indexName, documentCount } = network.source
    const from = { remoteName, indexName, documentCount }
    return { network: { import_from: from, network_change: network.change } }
  }
  // Sorted by name, because they are stored in the order in which remotes answered.
  const results = Object.entries(remoteResults ?? {}).sort(([a], [b]) => compareText(a, b))
  const entries = results.map(([remote, result]) => {
    const shown = result.error === null ? result : { error: showError(result.error) }
    return [remote, shown] as const
  })
  const remote_tasks = Object.fromEntries(entries)
  return { network: { remote_tasks, network_version: network.version } }
}

export const batchView = (batch: Batch): View => ({
  uid: batch.uid,
  progress: batch.progress,
  details: batch.details,
  stats: statsView(batch.stats),
  duration: durationOf(batch),
  startedAt: formatMicros(batch.startedAt, batch.nanos?.startedAt),
  finishedAt: momentOf(batch.finishedAt, batch.nanos?.finishedAt),
  batchStrategy: batch.batchStrategy,
})

const metadataOf = ({ customMetadata }: Pick<Task, 'customMetadata'>): View =>
  customMetadata === null ? {} : { customMetadata }

const momentOf = (time: Micros | null, nanos?: number): string | null =>
  time === null ? null : formatMicros(time, nanos)

type Span = Pick<Task, 'startedAt' | 'finishedAt'> & Pick<Batch, 'nanos'>

function durationOf({ startedAt, finishedAt, nanos }: Span): string | null {
  if (startedAt === null || finishedAt === null) return null
  const micros = finishedAt - startedAt
  const nanosLeft = (nanos?.finishedAt ?? 0) - (nanos?.startedAt ?? 0)
  return nanosLeft < 0
    ? formatDuration(micros - 1, nanosLeft + 1000)
    : formatDuration(micros, nanosLeft)
}

function statsView(stats: Batch['stats']): View {
  const { writeChannelCongestion, embedderRequests } = stats
  const sizes = Object.entries(stats.internalDatabaseSizes ?? {}).filter(
    ([, size]) => size[1] !== 0,
  )
  return {
    totalNbTasks: stats.totalNbTasks,
    status: stats.status,
    types: stats.types,
    indexUids: stats.indexUids,
    progressTrace: mapped(Object.entries(stats.progressTrace), formatMillis),
    ...(writeChannelCongestion === null ? {} : { writeChannelCongestion }),
    ...(sizes.length === 0
      ? {}
      : {
          internalDatabaseSizes: mapped(sizes, ([bytes, change]) =>
            formatSizeChange(bytes, change),
          ),
        }),
    ...(embedderRequests === null ? {} : { embedderRequests: requestsView(embedderRequests) }),
  }
}

function requestsView(requests: NonNullable<Batch['stats']['embedderRequests']>): View {
  const { total, failed, lastError } = requests
  return lastError === null ? { total, failed } : { total, failed, lastError }
}

const mapped = <T>(entries: readonly (readonly [string, T])[], show: (value: T) => string): View =>
  Object.fromEntries(entries.map(([key, value]) => [key, show(value)]))
