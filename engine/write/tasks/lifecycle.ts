// The running batches: chosen, planned, sealed, and either settled or requeued. One batch runs, and
// beside a long one a small one of another index; they may end in any order.
//
// Settling appends one record. A batch that was committed in the manifest takes effect immediately
// and its record follows; for all others the record is the commit, and nothing is visible before it
// is durable.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { assert } from '../../../format/errors.ts'
import { asTaskUid, type BatchUid, type TaskUid } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { type BatchView, decodeBatch, RECORD_BATCH } from '../../../format/tasks/index.ts'
import { StorageError } from '../../model/index.ts'
import {
  type BatchLimits,
  type BatchPlan,
  type BatchResult,
  type Choice,
  chooseBatch,
  chooseBeside,
  hasEffect,
  type IndexLookup,
  isLong,
  mayHaveBeside,
  ORPHANS,
  type PlannedTask,
  roleOf,
  type SealedBatch,
} from '../batching/index.ts'
import {
  inSlices,
  type Micros,
  rowIn,
  STATUS,
  type TaskReader,
  type TaskState,
} from '../task-data/index.ts'
import type { TaskFeed } from '../task-lists/index.ts'
import type { Appender } from './appender.ts'
import { applyBatchEnd } from './batch-end.ts'
import { RunningBatch } from './running.ts'
import { BatchSaver } from './saver.ts'
import {
  BatchSummary,
  type SealContext,
  sealCancelation,
  sealDeletions,
  sealOrphans,
  sealWork,
  sentTargets,
} from './seal.ts'

/** Number of tasks planned before other work may run: 3 ms. */
const STRIDE = 256

/** Files that hold the larger bodies, by number. */
export interface BodyFiles {
  list(): Promise<readonly number[]>
  /** @throws StorageError */
  remove(file: number): Promise<void>
}

export type LifecycleParts = {
  readonly state: TaskState
  readonly reader: TaskReader
  readonly appender: Appender
  readonly bodies: BodyFiles
  readonly now: () => Micros
  readonly report: (message: string, error: unknown) => void
  /** Called when needed first, because the feed reads the running batch. */
  readonly feed: () => TaskFeed
}

export class BatchLifecycle {
  readonly #parts: LifecycleParts
  readonly #state: TaskState
  readonly #saver: BatchSaver
  readonly #retried = new Set<TaskUid>()
  /** The running batch, and the one beside it. */
  readonly #running: RunningBatch[] = []
  /** Cancelations and deletions of tasks that are not in the running batch. */
  readonly #free = new Set<TaskUid>()
  /** Returns which of the tasks that are to be canceled have already run on other instances. */
  onCanceling: (uids: readonly TaskUid[]) => Promise<ReadonlySet<TaskUid>> = async () => new Set()
  /** The batches that are being settled, one after another. */
  #settling: Promise<void> | null = null
  /** Set by the scheduler while tasks wait because the disk or the machine refuses batches. */
  isRetrying = false

  constructor(parts: LifecycleParts) {
    this.#parts = parts
    this.#state = parts.state
    this.#saver = new BatchSaver(parts.appender, ({ view, payload }, offset) => {
      parts.state.batchSaved(view.uid, offset)
      parts.reader.batchSaved(view, payload.length)
    })
  }

  /** The running batches, the oldest first: at most two. */
  get running(): readonly RunningBatch[] {
    return this.#running
  }

  /** Returns the running batch with this uid, or null. */
  runningAs(uid: BatchUid): RunningBatch | null {
    return this.#running.find((running) => running.uid === uid) ?? null
  }

  /** Aborts the running batches that have one of these tasks. Returns whether there are any. */
  abort(isTask: (uid: TaskUid) => boolean): boolean {
    const aborted = this.#running.filter(({ choice }) => choice.uids.some(isTask))
    for (const { controller } of aborted) controller.abort()
    return aborted.length > 0
  }

  /** Whether small batches may run beside the only running batch, now or once it has become long. */
  get mayHaveBeside(): 'now' | 'later' | 'never' {
    const { choice } = this.#running[0]!
    if (!mayHaveBeside(choice)) return 'never'
    return isLong(this.#state, choice) ? 'now' : 'later'
  }

  /**
   * Notes a cancelation or deletion of tasks. It may run beside the running batch if that has none
   * of them.
   */
  registered(uid: TaskUid, isTarget: (uid: TaskUid) => boolean): void {
    if (this.#running[0]?.choice.uids.some(isTarget) !== true) this.#free.add(uid)
  }

  get #feed(): TaskFeed {
    return this.#parts.feed()
  }

  /** Whether the log holds all ended batches, and no batch is being settled. */
  get isQuiet(): boolean {
    return this.#settling === null && this.#saver.isIdle
  }

  /**
   * Whether tasks wait and all of them may wait longer: true for changes of indexes, false for
   * cancelations and other kinds with a separate queue.
   */
  get mayWaitLonger(): boolean {
    const { kinds, pending } = this.#state
    if (kinds.ownQueues.some(({ number }) => pending.oldestOfKind(number) >= 0)) return false
    return pending.oldestOfIndexes() >= 0
  }

  /** Resolves when `isQuiet`. @throws StorageError if the log refuses a record again */
  async whenQuiet(): Promise<void> {
    while (this.#settling !== null) await this.#settling
    await this.#saver.flush()
  }

  /** Resolves when the log holds all ended batches. @throws StorageError */
  saved(): Promise<void> {
    return this.#saver.flush()
  }

  /**
   * Chooses the next batch and marks its tasks as processing. Returns null if no task waits.
   * @throws CorruptionError, StorageError if contents cannot be read: the tasks then wait again
   */
  async begin(lookup: IndexLookup, limits: BatchLimits): Promise<BatchPlan | null> {
    assert(this.#running.length === 0, 'a batch begins when no other one runs')
    if (limits.tasksMax === 0) return null
    const choice = await chooseBatch(this.#state, lookup, limits, this.#retried)
    if (choice === null) return null
    const { held } = this.#state.network
    if (held.size > 0 && choice.uids.some((uid) => held.has(uid))) return null
    this.#free.clear()
    return this.#begin(choice)
  }

  /**
   * Chooses a small batch beside the running one and marks its tasks as processing. Returns null if
   * no waiting task may run now. @throws as `begin`
   */
  async beginBeside(lookup: IndexLookup, limits: BatchLimits): Promise<BatchPlan | null> {
    assert(this.#running.length === 1, 'one batch runs beside another one')
    const long = this.#running[0]!.choice
    const choice = chooseBeside(this.#state, lookup, limits, long, this.#free)
    return choice === null ? null : this.#begin(choice)
  }

  async #begin(choice: Choice): Promise<BatchPlan> {
    const { now } = this.#parts
    const batchUid = this.#earlierBatch(choice.uids) ?? this.#state.nextBatch
    const running: RunningBatch = new RunningBatch(batchUid, now(), choice, now, () =>
      this.#feed.progressed(batchUid, () => this.runningAs(batchUid)?.view() ?? null),
    )
    this.#state.beginBatch(batchUid, running.startedAt, choice.uids)
    this.#running.push(running)
    this.#feed.began(choice.uids, batchUid, running.startedAt)
    try {
      const plan = await this.#plan(running)
      this.#feed.batchBegan(running.view())
      return plan
    } catch (error) {
      // Contents could not be read: the tasks wait again, and the caller gets the error.
      this.requeue(batchUid)
      throw error
    }
  }

  /**
   * Returns the uid of the failed batch that is tried again, or null: a retried batch keeps its
   * uid.
   */
  #earlierBatch(uids: readonly TaskUid[]): BatchUid | null {
    const row = this.#state.tasks.find(uids[0]!)
    const chunk = this.#state.tasks.chunkOf(row)
    if (!this.#state.kinds.isRetried(chunk.kind[rowIn(row)]!)) return null
    for (const uid of uids) this.#retried.add(uid)
    return chunk.status[rowIn(row)] === STATUS.failed ? chunk.batch[rowIn(row)]! : null
  }

  async #plan(running: RunningBatch): Promise<BatchPlan> {
    const { choice, uid, startedAt } = running
    const summary = new BatchSummary(this.#state)
    const tasks: PlannedTask[] = []
    for (const task of choice.uids) {
      if (tasks.length % STRIDE === STRIDE - 1) await nextTurn()
      const content = await this.#parts.reader.contentToRun(task)
      const details = await this.#parts.reader.enqueuedDetails(task)
      running.enqueued.set(task, details)
      summary.addTask(task, 'processing', details)
      const row = this.#state.tasks.find(task)
      const chunk = this.#state.tasks.chunkOf(row)
      const role = roleOf(this.#state, row)
      tasks.push({
        uid: task,
        indexUid: this.#state.names.indexUid(chunk.index[rowIn(row)]!),
        content,
        enqueuedAt: chunk.enqueuedAt[rowIn(row)]!,
        role,
        hasEffect: hasEffect(choice.work, role),
      })
    }
    const { strategy, work } = choice
    return running.planned({ uid, startedAt, strategy, tasks, work }, summary)
  }

  /** Determines the outcome of a running batch, encoded. */
  seal(plan: BatchPlan, result: BatchResult): Promise<SealedBatch> {
    return sealWork(plan, result, this.#sealContext(plan))
  }

  /** Returns whether a failure of the disk fails a batch: see `QueuedKind`. */
  failsWithStorage(plan: BatchPlan): boolean {
    const { kind } = plan.tasks[0]!.content
    return this.#state.kinds.named(kind).failsWithStorage === true
  }

  /** Returns whether the queue itself does the work of a batch: see `sealOwn`. */
  isOwnWork({ work: { kind } }: BatchPlan): boolean {
    return kind === ORPHANS || this.#state.kinds.find(kind)?.queueWork !== undefined
  }

  /** Does the work of a batch that the queue carries out itself, and seals the outcome. */
  sealOwn(plan: BatchPlan): Promise<SealedBatch> {
    const context = this.#sealContext(plan)
    if (plan.work.kind === ORPHANS) return Promise.resolve(sealOrphans(plan, context))
    const work = this.#state.kinds.find(plan.work.kind)?.queueWork
    assert(work !== undefined, 'the work is in the queue itself')
    if (work === 'deletion') return sealDeletions(plan, context)
    return this.#sealCancelation(plan, context)
  }

  async #sealCancelation(plan: BatchPlan, context: SealContext): Promise<SealedBatch> {
    const sent = sentTargets(plan, this.#state)
    const tooLate: ReadonlySet<TaskUid> = sent.length > 0 ? await this.onCanceling(sent) : new Set()
    return sealCancelation(plan, this.#parts.reader, context, tooLate)
  }

  #current(uid: BatchUid): RunningBatch {
    const running = this.runningAs(uid)
    assert(running !== null, 'the batch runs')
    return running
  }

  #sealContext({ uid }: BatchPlan): SealContext {
    const { now } = this.#parts
    const { enqueued, tracker } = this.#current(uid)
    return { state: this.#state, enqueued, finishedAt: now(), trace: tracker.trace() }
  }

  /**
   * Ends a running batch, after those that are being settled. Returns the uids of the tasks that ended with it. `isCommitted`: the
   * sealed batch is durable in the manifest; otherwise its record in the log is the commit. @throws
   * StorageError if that record was refused: the batch is still running
   */
  async settle(sealed: SealedBatch, isCommitted: boolean): Promise<IdSet> {
    const { tracker } = this.#current(sealed.view.uid)
    while (this.#settling !== null) await this.#settling
    tracker.phase(1)
    const settled = isCommitted ? this.#applyCommitted(sealed) : this.#commit(sealed)
    this.#settling = settled.catch(ignoreError).finally(() => {
      this.#settling = null
    })
    await settled
    await this.#settling
    const ended = endedTasks(sealed.view)
    this.#feed.ended(sealed.view.uid, ended)
    return ended
  }

  async #applyCommitted(sealed: SealedBatch): Promise<void> {
    const { view, payload } = sealed
    const files: number[] = []
    this.#parts.reader.rememberBatch(view)
    this.#remove(view.uid)
    await inSlices(applyBatchEnd(this.#state, view, Number.NaN, payload.length, files))
    this.#saver.add(sealed)
    await this.removeBodies(files)
  }

  async #commit({ view, payload }: SealedBatch): Promise<void> {
    await this.#saver.flush()
    const files: number[] = []
    let steps: Iterable<void> = []
    await this.#parts.appender.append(RECORD_BATCH, payload, (offset) => {
      const ended = applyBatchEnd(this.#state, view, offset, payload.length, files)
      this.#parts.reader.batchSaved(view, payload.length)
      this.#remove(view.uid)
      ended.next()
      steps = ended
    })
    await inSlices(steps)
    await this.removeBodies(files)
  }

  /**
   * Makes the tasks of a batch that did not end wait again. The next batch takes over its uid; for
   * an aborted batch, that is the cancelation.
   */
  requeue(uid: BatchUid): void {
    const running = this.#current(uid)
    this.#remove(uid)
    this.#state.requeueBatch(running.uid, running.choice.uids)
    this.#feed.enqueued(running.choice.uids)
  }

  #remove(uid: BatchUid): void {
    const at = this.#running.findIndex((running) => running.uid === uid)
    if (at >= 0) this.#running.splice(at, 1)
  }

  /**
   * Applies sealed batches found in the manifest, in commit order, if their records did not reach
   * the log: a batch ends all of its tasks at once, so then one of them still waits. When it resolves, the log holds all of them. Call it before the first `begin`. @throws
   * CorruptionError, StorageError
   */
  async recover(payloads: readonly Uint8Array[]): Promise<void> {
    for (const payload of payloads) {
      const view = decodeBatch(payload)
      const isLost = view.outcomeUids.some((uid) => this.#state.waits(asTaskUid(uid)))
      if (isLost) await this.#applyCommitted({ view, payload })
    }
    await this.#saver.flush()
  }

  async removeBodies(files: readonly number[]): Promise<void> {
    for (const file of files) {
      try {
        await this.#parts.bodies.remove(file)
      } catch (error) {
        // An unused file does no harm.
        if (!(error instanceof StorageError)) throw error
        this.#parts.report('A body file could not be removed; the next start removes it.', error)
      }
    }
  }
}

/** Other callers only wait for the end; the caller of `settle` gets the error. */
const ignoreError = (): void => undefined

/**
 * Returns the ended tasks in ascending order: a cancelation is newer than the tasks it cancels, and
 * other batches cancel no tasks.
 */
function endedTasks({ canceled, outcomeUids }: BatchView): IdSet {
  if (canceled === null) return IdSet.ofSorted(outcomeUids)
  const uids = new Uint32Array(canceled.size + outcomeUids.length)
  uids.set(canceled.toArray())
  uids.set(outcomeUids, canceled.size)
  return IdSet.ofSorted(uids)
}
