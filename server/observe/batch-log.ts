// Reports each batch that has ended: a line in the log, a warning for each task that failed and,
// while a profile is being recorded, a span for the batch with its steps nested inside.
import { type Batch, type Engine, NO_FILTER } from '../../engine/index.ts'
import type { BatchUid, TaskUid } from '../../format/ids.ts'
import type { Log, LogFields, ProfiledSpan } from '../log/index.ts'
import { cut } from './request-log.ts'

/** A batch may have ten thousand tasks that all fail for the same reason. */
const FAILURES_MAX = 100

/** Returns the function to call with the tasks of a batch that has ended. */
export function batchLog(
  tasks: Pick<Engine['tasks'], 'get' | 'list' | 'batch'>,
  serverLog: Log,
): (tasks: Iterable<TaskUid>) => void {
  const log = serverLog.for('svc::engine')
  const logBatch = async (ended: Iterable<TaskUid>): Promise<void> => {
    const [first] = ended
    const task = first === undefined ? null : await tasks.get(first, null)
    const batch = task?.batchUid == null ? null : await tasks.batch(task.batchUid, null)
    if (batch?.finishedAt == null) return
    const tookMs = (batch.finishedAt - batch.startedAt) / 1000
    if (batch.stats.status['failed'] !== undefined) await logFailures(batch.uid)
    log.closed({ name: 'batch', fields: fieldsOf(batch) }, tookMs, 0)
    log.stream?.span('svc::engine', spanOf(batch, batch.finishedAt))
  }
  const logFailures = async (batchUid: BatchUid): Promise<void> => {
    const filter = { ...NO_FILTER, batchUids: [batchUid], statuses: ['failed'] as const }
    const page = { from: null, limit: FAILURES_MAX, reverse: true }
    const { results, total } = await tasks.list(filter, page, null)
    for (const { uid, kind, indexUid, error } of results) {
      const { code, message } = error ?? {}
      log.warn('task failed', { uid, type: kind, index: indexUid, code, error: cut(message) })
    }
    const left = total - results.length
    if (left > 0) log.warn('further tasks of the batch failed', { batch: batchUid, tasks: left })
  }
  return (ended) => {
    if (!log.shows('WARN')) return
    logBatch(ended).catch((error: unknown) => {
      log.warn('a batch is missing from the log', { cause: String(error) })
    })
  }
}

/** The number of tasks, their kinds, their indexes and their results, as fields of the line. */
const fieldsOf = ({ uid, stats, batchStrategy }: Batch): LogFields => ({
  uid,
  types: listOf(stats.types),
  indexes: listOf(stats.indexUids),
  ended: listOf(stats.status),
  strategy: batchStrategy,
})

const NAMES_MAX = 10

const listOf = (counts: { readonly [name: string]: number }): string => {
  const all = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
  const more = all.length > NAMES_MAX ? [`${all.length - NAMES_MAX} more`] : []
  return [...all.slice(0, NAMES_MAX), ...more].join(', ')
}

/**
 * The trace holds only the duration of each step, so the steps inside a step are laid out one after
 * another.
 */
function spanOf({ uid, startedAt, stats }: Batch, finishedAt: number): ProfiledSpan {
  const steps = Object.entries(stats.progressTrace).map(([path, ms]) => ({ path, ms }))
  const partsOf = (parent: string, from: number): ProfiledSpan[] => {
    let at = from
    const parts: ProfiledSpan[] = []
    for (const { path, ms } of steps) {
      const name = path.startsWith(parent) ? path.slice(parent.length) : null
      if (name === null || name.includes(STEP)) continue
      const [beganAt, endedAt] = [at, at + ms]
      parts.push({ name, thread: 'index', beganAt, endedAt, parts: partsOf(path + STEP, beganAt) })
      at = endedAt
    }
    return parts
  }
  const [beganAt, endedAt] = [startedAt / 1000, finishedAt / 1000]
  return { name: `batch ${uid}`, thread: 'index', beganAt, endedAt, parts: partsOf('', beganAt) }
}

const STEP = ' > '
