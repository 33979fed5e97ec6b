// The task queue: takes tasks in, lists them and keeps how they ended. A task is accepted when its
// record is durable; everything else follows from the records of the log. Running them is
// `lifecycle.ts`. It is one file: accepting, listing and rewriting share the state and the log.

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
import { Appender } from './appender.ts'
import { countTasks, type TaskCounts } from './counts.ts'
import { type EveryTask, everyBatch, everyTask } from './every.ts'
import type { TaskKinds } from './kinds.ts'
import { BatchLifecycle, type BodyFiles } from './lifecycle.ts'
import {
  AUTO_DELETION_COUNT,
  AUTO_DELETION_COUNT_MIN,
  INLINE_BODY_BYTES_MAX,
  INLINE_BODY_BYTES_MAX_CROWDED,
  LOG_BYTES_MAX,
  QUEUE_BYTES_MAX,
  TASK_COUNT_MAX,
  TASK_UID_MAX,
} from './limits.ts'
import { NO_FILTER, pageOfBatches, pageOfTasks, seesBatch, type UidPage } from './listing.ts'
import type { TaskFilter, TaskList, TaskPage } from './lists.ts'
import type { TaskLog } from './log.ts'
import { eyesOf, matchingUids, oldestFinished, seesTask } from './match.ts'
import { TaskReader } from './reader.ts'
import { rewriteLog } from './rewrite.ts'
import { type RewriteFacts, RewritePolicy } from './rewrite-policy.ts'
import { pause } from './slices.ts'
import { TaskState } from './state.ts'
import type { NetworkTasks } from './task-network.ts'
import { rowIn } from './task-table.ts'
import type {
  AcceptedTask,
  Batch,
  Micros,
  QueuedContent,
  Registration,
  StagedBody,
  Task,
  TaskRequest,
} from './types.ts'
import { formatMicros } from './words.ts'

/** How many results are read between two points at which others may run: 2 ms. */
const STRIDE = 256
/** How often it is looked whether a batch has gone back. */
const HOLD_LOOK_MS = 5

/** What is kept for one remote of a network. */
export type Backlog = {
  readonly tasks: number
  readonly logBytes: number
  readonly fileBytes: number
}

export type QueueOptions = {
  readonly kinds: TaskKinds
  readonly log: TaskLog
  readonly bodies: BodyFiles
  readonly now: () => Micros
  /** Told of what went wrong without anybody waiting for it. */
  readonly report: (message: string, error: unknown) => void
  /** At so many tasks old ones are deleted; infinite for never. */
  readonly taskCountMax?: number
  readonly autoDeletionCount?: number
  readonly queueBytesMax?: number
  /** What every task is refused with; absent: tasks are taken. */
  readonly refusal?: () => EngineFault
  readonly rewriteBytesMin?: number
}

const AS_USUAL: Registration = { uid: null, isDry: false }

export class TaskQueue {
  /** Which batches run and how they end; the scheduler's side of the queue. */
  readonly lifecycle: BatchLifecycle
  readonly #options: QueueOptions
  readonly #state: TaskState
  readonly #reader: TaskReader
  readonly #appender: Appender
  #rewriting: Promise<void> | null = null
  readonly #rewritePolicy: RewritePolicy
  #isClosing = false
  #hasWarned = false
  /** The oldest task that some remote had not confirmed when the log was last looked at. */
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
   * Reads the log. What was running when it was last written is enqueued again. @throws
   * CorruptionError
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

  /** Whether the batch that runs works on the index. */
  isIndexing(indexUid: string): boolean {
    return this.lifecycle.running?.plan?.work.indexUid === indexUid
  }

  /** What to call when a task waits. */
  set onWaiting(wake: () => void) {
    this.#wake = wake
  }

  /**
   * Durable when it resolves. @throws EngineFault no_space_left_on_device, bad_request for a uid
   * that was asked for, StorageError
   */
  async register(request: TaskRequest): Promise<AcceptedTask> {
    const { refusal } = this.#options
    if (refusal !== undefined) throw refusal()
    const known = this.#copyOf(request)
    if (known !== null) return known
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

  /** The task that a request made when it was sent before; null: it did not, or is gone. */
  #copyOf(request: TaskRequest): AcceptedTask | null {
    const { network, registration } = request
    if (network?.kind !== 'origin' || registration?.isRepeated !== true) return null
    const uid = this.#state.network.copyOf(network.origin)
    const row = uid === null ? -1 : this.#state.tasks.find(uid)
    if (uid === null || row < 0) return null
    const enqueuedAt = this.#state.tasks.chunkOf(row).enqueuedAt[rowIn(row)]!
    const { indexUid, content, customMetadata } = request
    return { uid, indexUid, status: 'enqueued', kind: content.kind, enqueuedAt, customMetadata }
  }

  /** @throws EngineFault */
  #uidFor(asked: number | null): number {
    const { nextTask } = this.#state
    if (asked !== null && asked < nextTask) {
      const words = `Received bad task id: ${asked} should be >= to ${nextTask}.`
      throw new EngineFault('bad_request', words)
    }
    const uid = asked ?? nextTask
    if (uid <= TASK_UID_MAX) return uid
    throw new EngineFault('no_space_left_on_device', 'There are no uids left for tasks.')
  }

  /** Freezes which tasks are meant, and stops the running batch if one of them is in it. */
  async registerCancelation(
    filter: TaskFilter,
    query: string,
    visible: Visibility,
    registration: Registration = AS_USUAL,
  ): Promise<AcceptedTask> {
    const targets = IdSet.ofSorted(matchingUids(this.#state, filter, visible))
    const content = { kind: 'taskCancelation', query, targets } as const
    const request = { indexUid: null, content, customMetadata: null, registration }
    const task = await this.register(request)
    const { running } = this.lifecycle
    const { committed } = this.network
    const isHit = (uid: TaskUid): boolean => targets.has(uid) && uid !== committed
    if (!registration.isDry && running?.choice.uids.some(isHit)) running.controller.abort()
    return task
  }

  async registerDeletion(
    filter: TaskFilter,
    query: string,
    visible: Visibility,
    registration: Registration = AS_USUAL,
  ): Promise<AcceptedTask> {
    const targets = IdSet.ofSorted(matchingUids(this.#state, filter, visible))
    const content = { kind: 'taskDeletion', query, targets } as const
    return this.register({ indexUid: null, content, customMetadata: null, registration })
  }

  /** Bytes of the log that are still needed. */
  get usedBytes(): number {
    return Math.max(0, this.#options.log.bytes - this.#state.garbageBytes)
  }

  /** How large a body may be to travel inside its record. */
  get inlineBytesMax(): number {
    const isCrowded = this.usedBytes > this.bytesMax / 4
    return isCrowded ? INLINE_BODY_BYTES_MAX_CROWDED : INLINE_BODY_BYTES_MAX
  }

  /** Tasks of a kind with its own queue that have not ended, those to be tried again included. */
  waitingOfKind(name: string): readonly number[] {
    return this.#state.pending.allOfKind(this.#state.kinds.numberOf(name))
  }

  /**
   * How far the log has taken effect, in bytes, and the body files that tasks before that still
   * need; null while the log is being rewritten. To be called in a turn of the event loop of its
   * own: nothing is half done then.
   */
  get cut(): { readonly bytes: number; readonly bodies: readonly number[] } | null {
    if (this.#rewriting !== null) return null
    const bytes = this.#appender.reached === 0 ? this.#options.log.bytes : this.#appender.reached
    const { bodies, network } = this.#state
    return { bytes, bodies: [...bodies.values(), ...network.unconfirmed.heldBodies.values()] }
  }

  /** The highest number of a body file that a task in the log has had, or 0. */
  get lastBodyFile(): number {
    return this.#state.lastBodyFile
  }

  /** Writes are refused when more than this is used. */
  get bytesMax(): number {
    return this.#options.queueBytesMax ?? QUEUE_BYTES_MAX
  }

  #refuseIfFull({ content }: TaskRequest): void {
    const isFull = this.usedBytes > this.bytesMax
    if (!isFull && this.#options.log.bytes <= LOG_BYTES_MAX) return
    // No kind that frees space is encoded elsewhere.
    const { freesSpace } = this.#state.kinds.named(content.kind)
    if (!('encoded' in content) && freesSpace?.(content) === true) return
    throw new EngineFault(
      'no_space_left_on_device',
      'Svc cannot receive write operations because the limit of the task database has been ' +
        'reached. Please delete tasks to continue performing write operations.',
    )
  }

  /** null when it does not exist or is not visible. */
  async task(uid: TaskUid, visible: Visibility): Promise<Task | null> {
    return this.#seesTask(uid, visible) ? this.#reader.task(uid) : null
  }

  #seesTask(uid: TaskUid, visible: Visibility): boolean {
    const row = this.#state.tasks.find(uid)
    return row >= 0 && seesTask(this.#state, row, eyesOf(this.#state, NO_FILTER, visible))
  }

  /** The body of an import that has not finished; null for any other task. */
  async body(uid: TaskUid, visible: Visibility): Promise<StagedBody | null> {
    return this.#seesTask(uid, visible) ? this.#reader.body(uid) : null
  }

  async tasks(filter: TaskFilter, page: TaskPage, visible: Visibility): Promise<TaskList<Task>> {
    return listOf(pageOfTasks(this.#state, filter, page, visible), (uid) => this.#reader.task(uid))
  }

  async batch(uid: BatchUid, visible: Visibility): Promise<Batch | null> {
    const row = this.#state.batches.find(uid)
    const eyes = eyesOf(this.#state, NO_FILTER, visible)
    return row < 0 || !seesBatch(this.#state, row, null, eyes) ? null : this.#batch(uid)
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

  /** All batches that have ended, by uid. @throws CorruptionError, StorageError */
  async *everyBatch(): AsyncIterable<Batch> {
    for await (const uid of everyBatch(this.#state)) {
      const batch = await this.#batch(uid)
      if (batch !== null) yield batch
    }
  }

  counts(): TaskCounts {
    return countTasks(this.#state)
  }

  /** When there are too many tasks, enqueues a deletion of the oldest finished ones. */
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

  /** What tasks have to do with the network. */
  get network(): NetworkTasks {
    return this.#state.network
  }

  /**
   * Tasks that do not run for `ms`, or until they are released; a batch that has one of them goes
   * back. Resolves when none of them runs.
   */
  async hold(uids: readonly TaskUid[], ms: number): Promise<void> {
    const { held } = this.network
    for (const uid of uids) if (this.#state.waits(uid)) held.add(uid)
    setTimeout(() => this.release(uids), ms).unref()
    const runs = (): boolean => {
      const { running } = this.lifecycle
      if (running === null || !running.choice.uids.some((uid) => held.has(uid))) return false
      running.controller.abort()
      return true
    }
    while (runs()) await new Promise((resolve) => setTimeout(resolve, HOLD_LOOK_MS))
  }

  /** Takes `hold` back. */
  release(uids: readonly TaskUid[]): void {
    const { held } = this.network
    let wasHeld = false
    for (const uid of uids) wasHeld = held.delete(uid) || wasHeld
    if (wasHeld) this.#wake()
  }

  /** Whether a task has changed something, or may have. */
  hasRun(uid: TaskUid): boolean {
    return this.#state.hasRun(uid)
  }

  /** Shows a task as one that runs, before its batch begins. */
  beginEarly(uid: TaskUid): void {
    this.#state.beginEarly(uid, this.#options.now())
  }

  /** Shows it as one that waits again. */
  endEarly(uid: TaskUid): void {
    this.#state.endEarly(uid)
  }

  /** The uid that the next task gets. */
  get nextTask(): TaskUid {
    return this.#state.nextTask
  }

  hasEnded(uid: TaskUid): boolean {
    return this.#state.isFinished(uid)
  }

  /** Whether changes of indexes wait that are older than a task. */
  hasIndexTasksBefore(uid: TaskUid): boolean {
    const oldest = this.#state.pending.oldestOfIndexes()
    return oldest >= 0 && oldest < uid
  }

  /** What a task asked for; null: it is gone. @throws CorruptionError */
  contentOf(uid: TaskUid): Promise<QueuedContent | null> {
    return this.#reader.contentIfKnown(uid)
  }

  /** A batch may be there that was not before. */
  wake(): void {
    this.#wake()
  }

  /** The record of a task as it was taken in; null: it is gone. @throws CorruptionError */
  enqueuedView(uid: TaskUid): Promise<EnqueuedView | null> {
    return this.#reader.enqueuedView(uid)
  }

  /** What a remote answered to a task. Durable when it resolves. @throws StorageError */
  async answered(uid: TaskUid, remote: string, result: RemoteResult): Promise<void> {
    const payload = encodeAnswers({ uid, answers: JSON.stringify({ [remote]: result }) })
    let file: number | null = null
    await this.#appender.append(RECORD_ANSWERS, payload, () => {
      file = this.#state.answered(decodeAnswers(payload))
    })
    if (file !== null) await this.lifecycle.removeBodies([file])
  }

  /** What is kept for a remote: tasks it has not confirmed, and bytes of the log and of files. */
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

  /** The tasks before `before` are not sent to a remote any more. @throws StorageError */
  async dropBacklog(remote: string, before: TaskUid): Promise<void> {
    const files = this.#state.network.unconfirmed.dropped(remote, before)
    if (files.length > 0) await this.lifecycle.removeBodies(files)
  }

  /** Removes body files that no waiting task names. After `lifecycle.recover`. */
  async sweepBodies(): Promise<void> {
    const { bodies, network } = this.#state
    const needed = new Set([...bodies.values(), ...network.unconfirmed.heldBodies.values()])
    const files = await this.#options.bodies.list()
    await this.lifecycle.removeBodies(files.filter((file) => !needed.has(file)))
  }

  /** Begins to rewrite the log when that is due; batches go on meanwhile. */
  maintain(): void {
    const isDue = this.#rewriting === null && this.#rewritePolicy.isDue(this.#rewriteFacts)
    if (!isDue) return
    // A rewritten log has no requests of tasks that have ended: a remote that is away needs them.
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

  /** Rewrites the log; its bytes before and after. @throws StorageError */
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
      // A full disk, say: the old log stays in force, and the next attempt waits until it is worth
      // more.
      if (!isOfTheWorld(error)) throw error
      this.#rewritePolicy.failed(this.#rewriteFacts)
      this.#options.report('The task log could not be rewritten.', error)
    }
  }

  async #rewrite(): Promise<void> {
    while (!this.lifecycle.isQuiet) await this.lifecycle.quiet()
    await rewriteLog({
      state: this.#state,
      reader: this.#reader,
      log: this.#options.log,
      appender: this.#appender,
      isStopped: () => this.#isClosing,
    })
  }

  /** No batch runs any more. Waits for what is on its way. @throws StorageError */
  async close(): Promise<void> {
    this.#isClosing = true
    await this.#rewriting?.catch(reportedAlready)
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

/** Neither a mistake of ours nor of the client. */
export const isOfTheWorld = (error: unknown): boolean =>
  error instanceof StorageError || error instanceof CorruptionError || error instanceof VersionError

/** Whoever asked for the rewriting has heard of its failure. */
const reportedAlready = (): void => undefined

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
