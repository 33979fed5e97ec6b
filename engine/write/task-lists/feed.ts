// Changes of tasks and batches in the order in which they happen, for one follower. A change is noted
// with what will be overwritten, and completed from the records a little later, in slices: a batch
// may change a hundred thousand tasks at a time. Nothing is noted while there is no follower.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { asBatchUid, asTaskUid, type BatchUid, type TaskUid } from '../../../format/ids.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import { UID_NONE } from '../../../format/tasks/index.ts'
import type { Visibility } from '../../model/index.ts'
import {
  type Batch,
  FEED_PROGRESS_MS,
  FEED_TASKS_MAX,
  NO_FILTER,
  STATUS,
  seesTask,
  type Task,
  type TaskMoment,
  type TaskReader,
  type TaskState,
  visibilityFilterOf,
} from '../task-data/index.ts'
import { seesBatchAt } from './listing.ts'
import type { TaskLists } from './lists.ts'

/** Number of changes completed before other work may run: 2 ms, with the work of the follower. */
const STRIDE = 64

/** A task or a batch that has changed; `isVisible` tells who may see it. */
export type FeedEvent = { readonly isVisible: (visible: Visibility) => boolean } & (
  | { readonly kind: 'task'; readonly task: Task }
  | { readonly kind: 'batch'; readonly batch: Batch }
)

export type FeedFollower = {
  readonly event: (event: FeedEvent) => void
  /** Called when changes were lost: too many waited, or a record could not be read. */
  readonly lost: () => void
}

type Change =
  /** `moment`: null if the tasks have ended, and change no more. */
  | { readonly tasks: ArrayLike<number>; readonly moment: TaskMoment | null }
  /** `view`: null if the batch has ended. */
  | { readonly batch: BatchUid; readonly view: Batch | null }

type Parts = {
  readonly state: TaskState
  readonly reader: TaskReader
  readonly lists: TaskLists
  readonly report: (message: string, error: unknown) => void
}

const NOT_BEGUN = {
  batch: asBatchUid(UID_NONE),
  canceledBy: asTaskUid(UID_NONE),
  startedAt: Number.NaN,
  finishedAt: Number.NaN,
}
const ENQUEUED: TaskMoment = { ...NOT_BEGUN, status: STATUS.enqueued }

export class TaskFeed {
  readonly #parts: Parts
  #follower: FeedFollower | null = null
  #changes: Change[] = []
  /** Number of tasks in `#changes`. */
  #waiting = 0
  #pumping: Promise<void> | null = null
  /** The next reports of running batches. */
  readonly #progress = new Map<BatchUid, NodeJS.Timeout>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Sends changes to `follower` from now on, in place of the previous one; null sends none. */
  follow(follower: FeedFollower | null): void {
    this.#follower = follower
    if (follower === null) this.#forget()
  }

  /** Resolves when no change is being completed. */
  async idle(): Promise<void> {
    while (this.#pumping !== null) await this.#pumping
  }

  /** Tasks wait, for the first time or again. */
  enqueued(tasks: ArrayLike<number>): void {
    this.#add({ tasks, moment: ENQUEUED })
  }

  /** Tasks run. `batch`: null if their batch has not begun. */
  began(tasks: ArrayLike<number>, batch: BatchUid | null, startedAt: number): void {
    const { processing: status } = STATUS
    const moment = { ...NOT_BEGUN, status, batch: batch ?? NOT_BEGUN.batch, startedAt }
    this.#add({ tasks, moment })
  }

  batchBegan(view: Batch): void {
    this.#add({ batch: view.uid, view })
  }

  /** A running batch has progressed; `view` returns its state, or null if it runs no more. */
  progressed(uid: BatchUid, view: () => Batch | null): void {
    if (this.#follower === null || this.#progress.has(uid)) return
    const report = (): void => {
      this.#progress.delete(uid)
      const batch = view()
      if (batch !== null) this.#add({ batch: uid, view: batch })
    }
    this.#progress.set(uid, setTimeout(report, FEED_PROGRESS_MS).unref())
  }

  ended(batch: BatchUid, tasks: IdSet): void {
    if (this.#follower === null) return
    this.#add({ tasks: tasks.toArray(), moment: null })
    this.#add({ batch, view: null })
  }

  #add(change: Change): void {
    if (this.#follower === null) return
    this.#waiting += 'tasks' in change ? change.tasks.length : 1
    this.#changes.push(change)
    if (this.#waiting > FEED_TASKS_MAX) this.#lose()
    else this.#pumping ??= this.#pump()
  }

  #forget(): void {
    this.#changes = []
    this.#waiting = 0
    for (const timer of this.#progress.values()) clearTimeout(timer)
    this.#progress.clear()
  }

  #lose(): void {
    const follower = this.#follower
    this.#forget()
    follower?.lost()
  }

  /** Never rejects. */
  async #pump(): Promise<void> {
    try {
      await nextTurn()
      for (let sent = 0; ; ) {
        const changes = this.#changes
        const change = changes[0]
        if (change === undefined) return
        const uids = 'tasks' in change ? change.tasks : [change.batch]
        // The list is replaced when its changes are lost or no longer wanted.
        for (let i = 0; i < uids.length && this.#changes === changes; i++) {
          if (++sent % STRIDE === 0) await nextTurn()
          await this.#send(change, uids[i]!)
        }
        if (this.#changes !== changes) continue
        changes.shift()
        this.#waiting -= uids.length
      }
    } catch (error) {
      this.#parts.report('Changes of tasks could not be read for their listeners.', error)
      this.#lose()
    } finally {
      this.#pumping = null
    }
  }

  async #send(change: Change, uid: number): Promise<void> {
    const event =
      'tasks' in change
        ? await this.#taskEvent(asTaskUid(uid), change.moment)
        : await this.#batchEvent(asBatchUid(uid), change.view)
    if (event !== null) this.#follower?.event(event)
  }

  async #taskEvent(uid: TaskUid, moment: TaskMoment | null): Promise<FeedEvent | null> {
    const { state, reader } = this.#parts
    const task = moment === null ? await reader.task(uid) : await reader.unfinishedTask(uid, moment)
    if (task === null) return null
    const isVisible = (visible: Visibility): boolean => {
      const row = state.tasks.find(uid)
      return row >= 0 && seesTask(state, row, visibilityFilterOf(state, NO_FILTER, visible))
    }
    return { kind: 'task', task, isVisible }
  }

  async #batchEvent(uid: BatchUid, view: Batch | null): Promise<FeedEvent | null> {
    const { state, lists } = this.#parts
    const batch = view ?? (await lists.batch(uid, null))
    if (batch === null) return null
    const isVisible = (visible: Visibility): boolean => {
      const row = state.batches.find(uid)
      return row >= 0 && seesBatchAt(state, row, visible)
    }
    return { kind: 'batch', batch, isVisible }
  }
}
