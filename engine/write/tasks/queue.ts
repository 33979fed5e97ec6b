// The task queue: accepts tasks and keeps their log. A task is accepted when its record is durable;
// all other state follows from the records of the log. Its parts: `lists` reads tasks, `lifecycle`
// runs them, `backlogs` holds what remotes have not confirmed, `contained` knows which of them
// views contain, `upkeep` rewrites the log.

import { setTimeout as sleep } from 'node:timers/promises'
import { asTaskUid, type IndexUid, type TaskUid } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { type EnqueuedView, encodeEnqueued, RECORD_ENQUEUED } from '../../../format/tasks/index.ts'
import { EngineFault, type Visibility } from '../../model/index.ts'
import { indexUidOf } from '../batching/index.ts'
import {
  type AcceptedTask,
  AUTO_DELETION_COUNT,
  AUTO_DELETION_COUNT_MIN,
  formatMicros,
  INLINE_BODY_BYTES_MAX,
  INLINE_BODY_BYTES_MAX_CROWDED,
  LOG_BYTES_MAX,
  type Micros,
  matchingUids,
  type NetworkTasks,
  oldestFinished,
  QUEUE_BYTES_MAX,
  type Registration,
  rowIn,
  TASK_COUNT_MAX,
  TASK_UID_MAX,
  type TaskFilter,
  type TaskKinds,
  type TaskLog,
  TaskReader,
  type TaskRequest,
  type TaskState,
} from '../task-data/index.ts'
import { TaskFeed, TaskLists } from '../task-lists/index.ts'
import { Appender } from './appender.ts'
import { RemoteBacklogs } from './backlogs.ts'
import { ContainedTasks } from './contained.ts'
import { BatchLifecycle, type BodyFiles } from './lifecycle.ts'
import { replayLog } from './replay.ts'
import { NONE_UNPUBLISHED, type UnpublishedTasks } from './rewrite.ts'
import { LogUpkeep } from './upkeep.ts'

/** Milliseconds between checks whether a held batch has been requeued. */
const HOLD_POLL_MS = 5

export type QueueOptions = {
  readonly kinds: TaskKinds
  readonly log: TaskLog
  readonly bodies: BodyFiles
  readonly now: () => Micros
  /** Reports errors that no caller waits for. */
  readonly report: (message: string, error: unknown) => void
  /** Number of tasks at which old ones are deleted; infinite for never. */
  readonly taskCountMax?: number
  readonly autoDeletionCount?: number
  readonly queueBytesMax?: number
  /** Returns the error that refuses every task; absent if tasks are accepted. */
  readonly refusal?: () => EngineFault
  readonly rewriteBytesMin?: number
  /** Tasks whose requests are needed although they have ended; may be null or absent. */
  readonly unpublished?: UnpublishedTasks | null
}

const DEFAULT_REGISTRATION: Registration = { uid: null, isDry: false }

export class TaskQueue {
  /** Runs and ends batches; used by the scheduler. */
  readonly lifecycle: BatchLifecycle
  readonly lists: TaskLists
  readonly feed: TaskFeed
  readonly backlogs: RemoteBacklogs
  readonly upkeep: LogUpkeep
  readonly contained: ContainedTasks
  /** Called after a task was registered. */
  onRegistered: () => void = () => undefined
  readonly #options: QueueOptions
  readonly #state: TaskState
  readonly #reader: TaskReader
  readonly #appender: Appender
  #hasWarned = false
  #wake: () => void = () => undefined

  private constructor(options: QueueOptions, state: TaskState) {
    const { log, bodies, now, report } = options
    this.#options = options
    this.#state = state
    this.#reader = new TaskReader(state, log)
    this.#appender = new Appender(log)
    const parts = { state, reader: this.#reader, appender: this.#appender, report }
    const lifecycle = new BatchLifecycle({ ...parts, bodies, now, feed: () => this.feed })
    this.lifecycle = lifecycle
    this.contained = new ContainedTasks(state)
    this.lists = new TaskLists(
      state,
      this.#reader,
      (uid) => lifecycle.runningAs(uid)?.view() ?? null,
    )
    this.feed = new TaskFeed({ ...parts, lists: this.lists })
    this.backlogs = new RemoteBacklogs({ ...parts, log, lifecycle })
    const unpublished = options.unpublished ?? NONE_UNPUBLISHED
    const upkeepParts = { ...parts, log, lifecycle, unpublished }
    this.upkeep = new LogUpkeep(upkeepParts, options.rewriteBytesMin)
  }

  /**
   * Opens the queue from its log. Tasks that were running when it was last written are enqueued
   * again. @throws CorruptionError
   */
  static async open(options: QueueOptions): Promise<TaskQueue> {
    return new TaskQueue(options, await replayLog(options.kinds, options.log))
  }

  /** Returns whether a running batch works on the index. */
  isIndexing(indexUid: IndexUid): boolean {
    return this.lifecycle.running.some(({ plan }) => plan?.work.indexUid === indexUid)
  }

  /** Sets the function to call when a task waits. */
  set onWaiting(wake: () => void) {
    this.#wake = wake
  }

  /**
   * Registers a task; it is durable when the promise resolves. @throws EngineFault
   * no_space_left_on_device, bad_request for a requested uid, StorageError
   */
  async register(request: TaskRequest): Promise<AcceptedTask> {
    const { refusal } = this.#options
    if (refusal !== undefined) throw refusal()
    const copy = this.#copyOf(request)
    if (copy !== null) return copy
    if (request.network?.kind === 'origin' && this.network.isRefused(request.network.origin)) {
      throw new EngineFault('bad_request', 'The task was canceled where it comes from.')
    }
    this.#refuseIfFull(request)
    const uid = this.#uidFor(request.registration?.uid ?? null)
    const view = this.#state.kinds.recordOf(uid, this.#options.now(), request)
    const payload = encodeEnqueued(view)
    if (request.registration?.isDry === true) return acceptedTask(request, view)
    this.#state.nextTask = asTaskUid(uid + 1)
    await this.#appender.append(RECORD_ENQUEUED, payload, (offset) => {
      this.#reader.rememberTask(view, payload.length)
      this.#state.enqueued(view, offset, payload.length)
      this.feed.enqueued([uid])
    })
    this.#wake()
    this.onRegistered()
    return acceptedTask(request, view)
  }

  /** Returns the task that the same request created when it was sent before, or null. */
  #copyOf(request: TaskRequest): AcceptedTask | null {
    const { network, registration } = request
    if (network?.kind !== 'origin' || registration?.isRepeated !== true) return null
    const uid = this.#state.network.copyOf(network.origin)
    const row = uid === null ? -1 : this.#state.tasks.find(uid)
    if (uid === null || row < 0) return null
    const chunk = this.#state.tasks.chunkOf(row)
    const enqueuedAt = chunk.enqueuedAt[rowIn(row)]!
    const { indexUid, content, customMetadata } = request
    // A number that was used for another task must not stand for this one.
    const isSameKind = chunk.kind[rowIn(row)] === this.#state.kinds.numberOf(content.kind)
    if (!isSameKind || indexUidOf(this.#state, row) !== indexUid) return null
    return { uid, indexUid, status: 'enqueued', kind: content.kind, enqueuedAt, customMetadata }
  }

  /** @throws EngineFault */
  #uidFor(requested: TaskUid | null): TaskUid {
    const { nextTask } = this.#state
    if (requested !== null && requested < nextTask) {
      const words = `Received bad task id: ${requested} should be >= to ${nextTask}.`
      throw new EngineFault('bad_request', words)
    }
    const uid = requested ?? nextTask
    if (uid <= TASK_UID_MAX) return uid
    throw new EngineFault('no_space_left_on_device', 'There are no uids left for tasks.')
  }

  /**
   * Registers a cancelation. Determines its targets now, and aborts the running batches that
   * contain one of them.
   */
  async registerCancelation(
    filter: TaskFilter,
    query: string,
    visible: Visibility,
    registration: Registration = DEFAULT_REGISTRATION,
  ): Promise<AcceptedTask> {
    const targets = IdSet.ofSorted(matchingUids(this.#state, filter, visible))
    const content = { kind: 'taskCancelation', query, targets } as const
    const request = { indexUid: null, content, customMetadata: null, registration }
    const task = await this.register(request)
    const { committed } = this.network
    const isTarget = (uid: TaskUid): boolean => targets.has(uid) && uid !== committed
    if (registration.isDry) return task
    this.lifecycle.abort(isTarget)
    this.lifecycle.registered(task.uid, isTarget)
    this.#wake()
    return task
  }

  async registerDeletion(
    filter: TaskFilter,
    query: string,
    visible: Visibility,
    registration: Registration = DEFAULT_REGISTRATION,
  ): Promise<AcceptedTask> {
    const targets = IdSet.ofSorted(matchingUids(this.#state, filter, visible))
    const content = { kind: 'taskDeletion', query, targets } as const
    const request = { indexUid: null, content, customMetadata: null, registration }
    const task = await this.register(request)
    if (registration.isDry) return task
    this.lifecycle.registered(task.uid, (uid) => targets.has(uid))
    this.#wake()
    return task
  }

  /** Bytes of the log that are still needed. */
  get usedBytes(): number {
    return Math.max(0, this.#options.log.bytes - this.#state.garbageBytes)
  }

  /** Bytes of the largest body that is stored inside its record. */
  get inlineBytesMax(): number {
    const isCrowded = this.usedBytes > this.bytesMax / 4
    return isCrowded ? INLINE_BODY_BYTES_MAX_CROWDED : INLINE_BODY_BYTES_MAX
  }

  /**
   * Returns the unfinished tasks of a kind with a separate queue, including failed ones that are
   * tried again.
   */
  waitingOfKind(name: string): readonly TaskUid[] {
    return this.#state.pending.allOfKind(this.#state.kinds.numberOf(name))
  }

  /** The highest number of a body file of any task in the log, or 0. */
  get lastBodyFile(): number {
    return this.#state.lastBodyFile
  }

  /** Used bytes above which writes are refused. */
  get bytesMax(): number {
    return this.#options.queueBytesMax ?? QUEUE_BYTES_MAX
  }

  #refuseIfFull({ content }: TaskRequest): void {
    const isFull = this.usedBytes > this.bytesMax
    if (!isFull && this.#options.log.bytes <= LOG_BYTES_MAX) return
    // Kinds that free space are never encoded beforehand.
    const { freesSpace } = this.#state.kinds.named(content.kind)
    if (!('encoded' in content) && freesSpace?.(content) === true) return
    throw new EngineFault(
      'no_space_left_on_device',
      'Svc cannot receive write operations because the limit of the task database has been ' +
        'reached. Please delete tasks to continue performing write operations.',
    )
  }

  /** Enqueues a deletion of the oldest finished tasks if there are too many tasks. */
  async deleteOldTasks(): Promise<AcceptedTask | null> {
    const { taskCountMax = TASK_COUNT_MAX, autoDeletionCount = AUTO_DELETION_COUNT } = this.#options
    if (this.#state.tasks.size < taskCountMax) return null
    if (this.waitingOfKind('taskDeletion').length > 0) return null
    const uids = oldestFinished(this.#state, autoDeletionCount)
    if (uids.length < AUTO_DELETION_COUNT_MIN) {
      const message = 'The task queue is almost full, but no task can be deleted yet.'
      if (!this.#hasWarned) this.#options.report(message, null)
      this.#hasWarned = true
      return null
    }
    this.#hasWarned = false
    const row = this.#state.tasks.find(uids.at(-1)!)
    const last = this.#state.tasks.chunkOf(row).enqueuedAt[rowIn(row)]!
    const query = `?beforeEnqueuedAt=${formatMicros(last, 1)}&statuses=succeeded,failed,canceled`
    const content = { kind: 'taskDeletion', query, targets: IdSet.ofSorted(uids.slice()) } as const
    return this.register({ indexUid: null, content, customMetadata: null })
  }

  /** The network state of tasks. */
  get network(): NetworkTasks {
    return this.#state.network
  }

  /**
   * Keeps tasks from running for `ms` milliseconds or until they are released; running batches with
   * one of them are requeued. Resolves when none of them runs.
   */
  async hold(uids: readonly TaskUid[], ms: number): Promise<void> {
    const { held } = this.network
    for (const uid of uids) if (this.#state.waits(uid)) held.add(uid)
    setTimeout(() => this.release(uids), ms).unref()
    while (this.lifecycle.abort((uid) => held.has(uid))) await sleep(HOLD_POLL_MS)
  }

  /** Releases tasks that `hold` keeps from running. */
  release(uids: readonly TaskUid[]): void {
    const { held } = this.network
    let wasHeld = false
    for (const uid of uids) wasHeld = held.delete(uid) || wasHeld
    if (wasHeld) this.#wake()
  }

  /** Returns whether a task has changed anything, or may have. */
  hasRun(uid: TaskUid): boolean {
    return this.#state.hasRun(uid)
  }

  /** Shows a task as processing before its batch begins. */
  beginEarly(uid: TaskUid): void {
    const startedAt = this.#options.now()
    if (this.#state.beginEarly(uid, startedAt)) this.feed.began([uid], null, startedAt)
  }

  /** Shows the task as enqueued again. */
  endEarly(uid: TaskUid): void {
    if (this.#state.endEarly(uid)) this.feed.enqueued([uid])
  }

  /** The uid of the next task. */
  get nextTask(): TaskUid {
    return this.#state.nextTask
  }

  hasEnded(uid: TaskUid): boolean {
    return this.#state.isFinished(uid)
  }

  /** Returns whether changes of indexes wait that are older than a task. */
  hasIndexTasksBefore(uid: TaskUid): boolean {
    const oldest = this.#state.pending.oldestOfIndexes()
    return oldest >= 0 && oldest < uid
  }

  /** Makes the scheduler look for a batch again. */
  wake(): void {
    this.#wake()
  }

  /** Removes body files that no unfinished task names. Call it after `lifecycle.recover`. */
  async sweepBodies(): Promise<void> {
    const needed = new Set(this.#state.neededBodies())
    const files = await this.#options.bodies.list()
    await this.lifecycle.removeBodies(files.filter((file) => !needed.has(file)))
  }

  /** Closes the queue after the last batch; waits for pending appends. @throws StorageError */
  async close(): Promise<void> {
    this.feed.follow(null)
    await this.feed.idle()
    await this.upkeep.close()
    await this.lifecycle.saved()
    await this.#appender.idle()
    await this.#options.log.close()
  }
}

const acceptedTask = (request: TaskRequest, { uid, enqueuedAt }: EnqueuedView): AcceptedTask => ({
  uid,
  indexUid: request.indexUid,
  status: 'enqueued',
  kind: request.content.kind,
  enqueuedAt,
  customMetadata: request.customMetadata,
})
