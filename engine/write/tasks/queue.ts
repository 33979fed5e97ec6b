// The task queue: accepts tasks, lists them and stores their outcomes. A task is accepted when its
// record is durable; all other state follows from the records of the log. `lifecycle.ts` runs the
// tasks. This is one file because accepting, listing and rewriting share the state and the log.

import { CorruptionError, VersionError } from '../../../format/errors.ts'
import type { BatchUid, TaskUid } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import {
  decodeAnswers,
  decodeEnqueued,
  type EnqueuedView,
  encodeAnswers,
  encodeEnqueued,
  RECORD_ANSWERS,
  RECORD_ENQUEUED,
} from '../../../format/tasks/index.ts'
import { EngineFault, type RemoteResult, StorageError, type Visibility } from '../../model/index.ts'
import { indexUidOf } from '../batching/index.ts'
import {
  type AcceptedTask,
  AUTO_DELETION_COUNT,
  AUTO_DELETION_COUNT_MIN,
  type Batch,
  countTasks,
  formatMicros,
  INLINE_BODY_BYTES_MAX,
  INLINE_BODY_BYTES_MAX_CROWDED,
  LOG_BYTES_MAX,
  type Micros,
  matchingUids,
  type NetworkTasks,
  oldestFinished,
  pause,
  QUEUE_BYTES_MAX,
  type QueuedContent,
  type Registration,
  rowIn,
  type StagedBody,
  seesTask,
  TASK_COUNT_MAX,
  TASK_UID_MAX,
  type Task,
  type TaskCounts,
  type TaskFilter,
  type TaskKinds,
  type TaskList,
  type TaskLog,
  type TaskPage,
  TaskReader,
  type TaskRequest,
  TaskState,
  visibilityFilterOf,
} from '../task-data/index.ts'
import {
  type EveryTask,
  everyBatch,
  everyTask,
  NO_FILTER,
  pageOfBatches,
  pageOfTasks,
  seesBatchAt,
  type UidPage,
} from '../task-lists/index.ts'
import { Appender } from './appender.ts'
import { BatchLifecycle, type BodyFiles } from './lifecycle.ts'
import { NONE_UNPUBLISHED, rewriteLog, type UnpublishedTasks } from './rewrite.ts'
import { type RewriteFacts, RewritePolicy } from './rewrite-policy.ts'

/** Number of results read before other work may run: 2 ms. */
const STRIDE = 256
/** Milliseconds between checks whether a held batch has been requeued. */
const HOLD_POLL_MS = 5

/** Data that is retained for one remote of a network. */
export type Backlog = {
  readonly tasks: number
  readonly logBytes: number
  readonly fileBytes: number
}

/** A part of the log, from its start. */
export type QueueCut = {
  readonly bytes: number
  /** The smallest uid of a task that it does not hold. */
  readonly nextTask: TaskUid
  /** The body files that its tasks still need. */
  readonly bodies: readonly number[]
}

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
  readonly #options: QueueOptions
  readonly #state: TaskState
  readonly #reader: TaskReader
  readonly #appender: Appender
  #rewriting: Promise<void> | null = null
  readonly #rewritePolicy: RewritePolicy
  #isClosing = false
  #hasWarned = false
  /** The oldest task that was unconfirmed by some remote when the log was last checked. */
  #oldestOpen = -1
  #wake: () => void = () => undefined

  private constructor(options: QueueOptions, state: TaskState) {
    const { log, bodies, now, report } = options
    this.#options = options
    this.#state = state
    this.#reader = new TaskReader(state, log)
    this.#appender = new Appender(log)
    this.#rewritePolicy = new RewritePolicy(options.rewriteBytesMin)
    const parts = { state, reader: this.#reader, appender: this.#appender, bodies, now, report }
    this.lifecycle = new BatchLifecycle(parts)
  }

  /**
   * Opens the queue from its log. Tasks that were running when it was last written are enqueued
   * again. @throws CorruptionError
   */
  static async open(options: QueueOptions): Promise<TaskQueue> {
    const state = new TaskState(options.kinds)
    state.beginReplay()
    for await (const portion of options.log.scan(0, Number.MAX_SAFE_INTEGER)) {
      for (const entry of portion) state.replay(entry)
    }
    state.endReplay()
    return new TaskQueue(options, state)
  }

  /** Returns whether the running batch works on the index. */
  isIndexing(indexUid: string): boolean {
    return this.lifecycle.running?.plan?.work.indexUid === indexUid
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
    const payload = encodeEnqueued(this.#state.kinds.recordOf(uid, this.#options.now(), request))
    const view = decodeEnqueued(payload)
    if (request.registration?.isDry === true) return acceptedTask(request, view)
    this.#state.nextTask = uid + 1
    await this.#appender.append(RECORD_ENQUEUED, payload, (offset) => {
      this.#reader.rememberTask(view, payload.length)
      this.#state.enqueued(view, offset, payload.length)
    })
    this.#wake()
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
  #uidFor(requested: number | null): number {
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
   * Registers a cancelation. Determines its targets now, and aborts the running batch if it
   * contains one of them.
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
    const { running } = this.lifecycle
    const { committed } = this.network
    const isTarget = (uid: TaskUid): boolean => targets.has(uid) && uid !== committed
    if (!registration.isDry && running?.choice.uids.some(isTarget)) running.controller.abort()
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
    return this.register({ indexUid: null, content, customMetadata: null, registration })
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
  waitingOfKind(name: string): readonly number[] {
    return this.#state.pending.allOfKind(this.#state.kinds.numberOf(name))
  }

  /**
   * The applied part of the log, or null while the log is being rewritten. Read it in a separate
   * turn of the event loop, when no change is half done.
   */
  get cut(): QueueCut | null {
    if (this.#rewriting !== null) return null
    const bytes = this.#appender.reached === 0 ? this.#options.log.bytes : this.#appender.reached
    const { bodies, network, nextApplied: nextTask } = this.#state
    const held = [...bodies.values(), ...network.unconfirmed.heldBodies.values()]
    return { bytes, nextTask, bodies: held }
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
    const { running } = this.lifecycle
    if (running?.uid === uid) return running.view()
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

  counts(): TaskCounts {
    return countTasks(this.#state)
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
   * Keeps tasks from running for `ms` milliseconds or until they are released; a running batch with
   * one of them is requeued. Resolves when none of them runs.
   */
  async hold(uids: readonly TaskUid[], ms: number): Promise<void> {
    const { held } = this.network
    for (const uid of uids) if (this.#state.waits(uid)) held.add(uid)
    setTimeout(() => this.release(uids), ms).unref()
    const abortIfRunning = (): boolean => {
      const { running } = this.lifecycle
      if (running === null || !running.choice.uids.some((uid) => held.has(uid))) return false
      running.controller.abort()
      return true
    }
    while (abortIfRunning()) await new Promise((resolve) => setTimeout(resolve, HOLD_POLL_MS))
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
    this.#state.beginEarly(uid, this.#options.now())
  }

  /** Shows the task as enqueued again. */
  endEarly(uid: TaskUid): void {
    this.#state.endEarly(uid)
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

  /** Returns the content of a task, or null if it is no longer stored. @throws CorruptionError */
  contentOf(uid: TaskUid): Promise<QueuedContent | null> {
    return this.#reader.contentIfKnown(uid)
  }

  /** Makes the scheduler look for a batch again. */
  wake(): void {
    this.#wake()
  }

  /**
   * Returns the record of a task as it was accepted, or null if it is no longer stored. @throws
   * CorruptionError
   */
  enqueuedView(uid: TaskUid): Promise<EnqueuedView | null> {
    return this.#reader.enqueuedView(uid)
  }

  /** Stores the answer of a remote to a task. Durable when it resolves. @throws StorageError */
  async answered(uid: TaskUid, remote: string, result: RemoteResult): Promise<void> {
    const payload = encodeAnswers({ uid, answers: JSON.stringify({ [remote]: result }) })
    let file: number | null = null
    await this.#appender.append(RECORD_ANSWERS, payload, () => {
      file = this.#state.answered(decodeAnswers(payload))
    })
    if (file !== null) await this.lifecycle.removeBodies([file])
  }

  /**
   * Returns the data retained for a remote: its unconfirmed tasks, and bytes of the log and of
   * files.
   */
  backlog(remote: string): Backlog {
    const { unconfirmed } = this.#state.network
    const oldest = this.#state.tasks.find(unconfirmed.oldestDue(remote))
    if (oldest < 0) return { tasks: 0, logBytes: 0, fileBytes: 0 }
    const offset = this.#state.tasks.chunkOf(oldest).offset[rowIn(oldest)]!
    return {
      tasks: unconfirmed.dueCount(remote),
      logBytes: this.#options.log.bytes - Math.abs(offset),
      fileBytes: unconfirmed.fileBytesDue(remote),
    }
  }

  /** Stops sending the tasks before `before` to a remote. @throws StorageError */
  async dropBacklog(remote: string, before: TaskUid): Promise<void> {
    const files = this.#state.network.unconfirmed.dropped(remote, before)
    if (files.length > 0) await this.lifecycle.removeBodies(files)
  }

  /** Call once after the start: see `UnconfirmedTasks.droppedBefore`. @throws StorageError */
  async dropBacklogsAgain(): Promise<void> {
    const files = this.#state.network.unconfirmed.droppedBefore()
    if (files.length > 0) await this.lifecycle.removeBodies(files)
  }

  /** Removes body files that no unfinished task names. Call it after `lifecycle.recover`. */
  async sweepBodies(): Promise<void> {
    const { bodies, network } = this.#state
    const needed = new Set([...bodies.values(), ...network.unconfirmed.heldBodies.values()])
    const files = await this.#options.bodies.list()
    await this.lifecycle.removeBodies(files.filter((file) => !needed.has(file)))
  }

  /** Starts a rewrite of the log if it is due; batches continue meanwhile. */
  maintain(): void {
    const isDue = this.#rewriting === null && this.#rewritePolicy.isDue(this.#rewriteFacts)
    if (!isDue) return
    // A rewritten log omits the requests of ended tasks, which an unreachable remote still needs.
    const oldest = this.#state.network.unconfirmed.oldestOpen
    const hasWaited = oldest >= 0 && oldest === this.#oldestOpen
    this.#oldestOpen = oldest
    if (!hasWaited) void this.#rewriteQuietly()
  }

  get #rewriteFacts(): RewriteFacts {
    const { garbageBytes, endedSecrets } = this.#state
    return { bytes: this.#options.log.bytes, garbageBytes, endedSecrets }
  }

  /** Rewrites the log now, in slices; resolves when it is done. @throws StorageError */
  rewrite(): Promise<void> {
    this.#rewriting ??= this.#rewrite().finally(() => {
      this.#rewriting = null
    })
    return this.#rewriting
  }

  /** Rewrites the log. Returns its bytes before and after. @throws StorageError */
  async compact(): Promise<{ readonly before: number; readonly after: number }> {
    const { log } = this.#options
    const before = log.bytes
    await this.rewrite()
    return { before, after: log.bytes }
  }

  async #rewriteQuietly(): Promise<void> {
    try {
      await this.rewrite()
    } catch (error) {
      // A full disk, for example: the old log stays active, and the next attempt waits until it
      // would gain more.
      if (!isEnvironmentError(error)) throw error
      this.#rewritePolicy.failed(this.#rewriteFacts)
      this.#options.report('The task log could not be rewritten.', error)
    }
  }

  async #rewrite(): Promise<void> {
    while (!this.lifecycle.isQuiet) await this.lifecycle.whenQuiet()
    await rewriteLog({
      state: this.#state,
      reader: this.#reader,
      log: this.#options.log,
      appender: this.#appender,
      isStopped: () => this.#isClosing,
      unpublished: this.#options.unpublished ?? NONE_UNPUBLISHED,
    })
  }

  /** Closes the queue after the last batch; waits for pending appends. @throws StorageError */
  async close(): Promise<void> {
    this.#isClosing = true
    await this.#rewriting?.catch(ignoreError)
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

/**
 * Returns true for errors of the file system and of stored data, false for internal and client
 * errors.
 */
export const isEnvironmentError = (error: unknown): boolean =>
  error instanceof StorageError || error instanceof CorruptionError || error instanceof VersionError

/** The caller of the rewrite has received its error. */
const ignoreError = (): void => undefined

async function listOf<T>(
  page: UidPage,
  load: (uid: number) => Promise<T | null>,
): Promise<TaskList<T>> {
  const results: T[] = []
  for (const uid of page.uids) {
    if (results.length % STRIDE === STRIDE - 1) await pause()
    const one = await load(uid)
    if (one !== null) results.push(one)
  }
  return { results, total: page.total, from: page.from, next: page.next }
}
