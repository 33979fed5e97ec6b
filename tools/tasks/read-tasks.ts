// Reads the task queue of a database without a server: the active log, and the results of batches
// that are in the manifest and possibly not in the log yet.

import {
  type FileSystem,
  type LogEntry,
  NO_FILTER,
  readFile,
  StorageError,
  TASK_KINDS,
  TASK_STATUSES,
  taskKinds,
  taskView,
  type View,
} from '../../engine/index.ts'
import { logFiles, naming, readDatabase, TASK_LOG, TASKS, TaskQueue } from '../../engine/inspect.ts'
import { asBatchUid, asTaskUid, type IndexUid, type TaskUid } from '../../format/ids.ts'
import { readLog } from '../../format/log/index.ts'
import { errorBody } from '../../server/errors/index.ts'
import { openDatabaseFolder } from '../inspect/index.ts'
import { ToolError } from '../terminal/index.ts'
import { LogCopy } from './log-copy.ts'

/** The filters of the command line; null does not filter. */
export type TaskListOptions = {
  readonly statuses: readonly string[] | null
  readonly kinds: readonly string[] | null
  readonly indexUids: readonly IndexUid[] | null
  readonly uids: readonly string[] | null
  readonly batchUids: readonly string[] | null
  readonly from: number | null
  readonly limit: number
  readonly reverse: boolean
}

export type TaskListResult = {
  readonly results: readonly View[]
  /** Number of tasks on all pages. */
  readonly total: number
  /** Start of the next page, or null on the last one. */
  readonly next: number | null
}

/** A log has at most 2 GiB: engine/write/task-data/limits.ts. */
const LOG_BYTES_MAX = 2 ** 31
/** Attempts, because a server may switch to another log during the work. */
const ATTEMPTS = 5

/** @throws ToolError, StorageError, CorruptionError */
export async function listTasks(db: string, options: TaskListOptions): Promise<TaskListResult> {
  const filter = {
    ...NO_FILTER,
    statuses: knownWords('--status', options.statuses, TASK_STATUSES),
    kinds: knownWords('--type', options.kinds, TASK_KINDS),
    indexUids: options.indexUids,
    uids: numbers('--uid', options.uids)?.map(asTaskUid) ?? null,
    batchUids: numbers('--batch', options.batchUids)?.map(asBatchUid) ?? null,
  }
  const { from, limit, reverse } = options
  const queue = await openQueue(db)
  const { results, total, next } = await queue.lists.tasks(filter, { from, limit, reverse }, null)
  return { results: results.map(shown), total, next }
}

/**
 * Returns the task as the API shows it, or null if it does not exist. @throws ToolError,
 * StorageError
 */
export async function showTask(db: string, uid: TaskUid): Promise<View | null> {
  const task = await (await openQueue(db)).lists.task(uid, null)
  return task === null ? null : shown(task)
}

const shown = (task: Parameters<typeof taskView>[0]): View =>
  taskView(task, ({ code, message }) => errorBody(code, message))

async function openQueue(db: string): Promise<TaskQueue> {
  const fs = openDatabaseFolder(db)
  // The manifest is read first, so that a batch that ends in the meantime is found in the log.
  const outcomes = [...readDatabase(fs).state.outcomes.values()]
  const { entries, bytes } = readTaskLog(fs)
  const nothing = { list: () => Promise.resolve([]), remove: () => Promise.resolve() }
  const queue = await TaskQueue.open({
    kinds: taskKinds,
    log: new LogCopy(entries, bytes),
    bodies: nothing,
    now: () => 0,
    report: () => undefined,
  })
  await queue.lifecycle.recover(outcomes)
  return queue
}

function readTaskLog(fs: FileSystem): { entries: readonly LogEntry[]; bytes: number } {
  for (let attempt = 1; ; attempt++) {
    const path = logFiles(fs, TASKS, TASK_LOG).at(-1)?.path
    if (path === undefined) throw new ToolError('the database has no task log')
    try {
      const bytes = readFile(fs, path, LOG_BYTES_MAX)
      const entries: LogEntry[] = []
      const { validBytes } = naming(path, () =>
        readLog(bytes, 'TASK', ({ offset, type, payload }) => {
          entries.push({ offset, type, payload })
        }),
      )
      return { entries, bytes: validBytes }
    } catch (error) {
      const isGone = error instanceof StorageError && error.code === 'missing'
      if (!isGone || attempt === ATTEMPTS) throw error
    }
  }
}

function knownWords<T extends string>(
  option: string,
  given: readonly string[] | null,
  all: readonly T[],
): readonly T[] | null {
  if (given === null) return null
  return given.map((text) => {
    const found = all.find((one) => one.toLowerCase() === text.toLowerCase())
    if (found !== undefined) return found
    throw new ToolError(`${option}: there is no \`${text}\`; there are ${all.join(', ')}`)
  })
}

function numbers(option: string, given: readonly string[] | null): readonly number[] | null {
  if (given === null) return null
  return given.map((text) => {
    if (/^\d{1,10}$/.test(text)) return Number(text)
    throw new ToolError(`${option}: \`${text}\` is not a number`)
  })
}
