// Reads the queue: single tasks and batches, pages of them, all of them, counts and stored
// contents. Changes nothing.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BatchUid, TaskUid } from '../../../format/ids.ts'
import type { EnqueuedView } from '../../../format/tasks/index.ts'
import type { Visibility } from '../../model/index.ts'
import {
  type Batch,
  countTasks,
  type Micros,
  NO_FILTER,
  PAGE_LIMIT_MAX,
  type QueuedContent,
  rowIn,
  type StagedBody,
  seesTask,
  type Task,
  type TaskCounts,
  type TaskFilter,
  type TaskList,
  type TaskPage,
  type TaskReader,
  type TaskState,
  visibilityFilterOf,
} from '../task-data/index.ts'
import { type EveryTask, everyBatch, everyTask } from './every.ts'
import { pageOfBatches, pageOfTasks, seesBatchAt, type UidPage } from './listing.ts'

/** Number of results read before other work may run: 2 ms. */
const STRIDE = 256

export type UnfinishedTask = {
  readonly uid: TaskUid
  readonly enqueuedAt: Micros
  readonly content: QueuedContent
}

export class TaskLists {
  readonly #state: TaskState
  readonly #reader: TaskReader
  readonly #runningBatch: (uid: BatchUid) => Batch | null

  /** `runningBatch` returns the running batch with a uid, or null. */
  constructor(state: TaskState, reader: TaskReader, runningBatch: (uid: BatchUid) => Batch | null) {
    this.#state = state
    this.#reader = reader
    this.#runningBatch = runningBatch
  }

  /** Returns null if the task does not exist or is not visible. */
  async task(uid: TaskUid, visible: Visibility): Promise<Task | null> {
    return this.#seesTask(uid, visible) ? this.#reader.task(uid) : null
  }

  #seesTask(uid: TaskUid, visible: Visibility): boolean {
    const row = this.#state.tasks.find(uid)
    return (
      row >= 0 && seesTask(this.#state, row, visibilityFilterOf(this.#state, NO_FILTER, visible))
    )
  }

  /** Returns the body of an unfinished import; null for any other task. */
  async body(uid: TaskUid, visible: Visibility): Promise<StagedBody | null> {
    return this.#seesTask(uid, visible) ? this.#reader.body(uid) : null
  }

  async tasks(filter: TaskFilter, page: TaskPage, visible: Visibility): Promise<TaskList<Task>> {
    return listOf(pageOfTasks(this.#state, filter, page, visible), (uid) => this.#reader.task(uid))
  }

  async batch(uid: BatchUid, visible: Visibility): Promise<Batch | null> {
    const row = this.#state.batches.find(uid)
    return row < 0 || !seesBatchAt(this.#state, row, visible) ? null : this.#batch(uid)
  }

  async batches(filter: TaskFilter, page: TaskPage, visible: Visibility): Promise<TaskList<Batch>> {
    return listOf(pageOfBatches(this.#state, filter, page, visible), (uid) => this.#batch(uid))
  }

  async #batch(uid: BatchUid): Promise<Batch | null> {
    const running = this.#runningBatch(uid)
    if (running !== null) return running
    const row = this.#state.batches.find(uid)
    if (row < 0) return null
    const startedAt = this.#state.batches.startedAt[row]!
    const finishedAt = this.#state.batches.finishedAt[row]!
    const info = await this.#reader.batchInfo(uid)
    if (info === null) return null
    const { strategy: batchStrategy, details, stats, nanos } = info
    return { uid, progress: null, details, stats, startedAt, finishedAt, nanos, batchStrategy }
  }

  /** All tasks by uid, in slices, for a dump. @throws CorruptionError, StorageError */
  everyTask(): AsyncIterable<EveryTask> {
    return everyTask(this.#state, this.#reader)
  }

  /** All ended batches by uid, for a dump. @throws CorruptionError, StorageError */
  async *everyBatch(): AsyncIterable<Batch> {
    for await (const uid of everyBatch(this.#state)) {
      const batch = await this.#batch(uid)
      if (batch !== null) yield batch
    }
  }

  /**
   * Returns the contents of the waiting and running tasks of some kinds, ascending; tasks that end
   * meanwhile are left out. @throws CorruptionError, StorageError
   */
  async unfinished(kinds: readonly string[]): Promise<readonly UnfinishedTask[]> {
    const filter: TaskFilter = { ...NO_FILTER, kinds, statuses: ['enqueued', 'processing'] }
    const page = { from: null, limit: PAGE_LIMIT_MAX, reverse: true }
    const found: UnfinishedTask[] = []
    for (const uid of pageOfTasks(this.#state, filter, page, null).uids) {
      if (found.length % STRIDE === STRIDE - 1) await nextTurn()
      const content = await this.#reader.contentIfKnown(uid)
      const row = this.#state.tasks.find(uid)
      if (content === null || row < 0) continue
      const enqueuedAt = this.#state.tasks.chunkOf(row).enqueuedAt[rowIn(row)]!
      found.push({ uid, enqueuedAt, content })
    }
    return found.filter(({ uid }) => !this.#state.isFinished(uid))
  }

  counts(): TaskCounts {
    return countTasks(this.#state)
  }

  /** Returns the content of a task, or null if it is no longer stored. @throws CorruptionError */
  contentOf(uid: TaskUid): Promise<QueuedContent | null> {
    return this.#reader.contentIfKnown(uid)
  }

  /**
   * Returns the record of a task as it was accepted, or null if it is no longer stored. @throws
   * CorruptionError
   */
  enqueuedView(uid: TaskUid): Promise<EnqueuedView | null> {
    return this.#reader.enqueuedView(uid)
  }
}

async function listOf<Uid extends number, T>(
  page: UidPage<Uid>,
  load: (uid: Uid) => Promise<T | null>,
): Promise<TaskList<T>> {
  const results: T[] = []
  for (const uid of page.uids) {
    if (results.length % STRIDE === STRIDE - 1) await nextTurn()
    const one = await load(uid)
    if (one !== null) results.push(one)
  }
  return { results, total: page.total, from: page.from, next: page.next }
}
