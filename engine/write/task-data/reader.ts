// Reads data that is not held in memory: contents and outcomes of tasks, descriptions of batches.
// Recently written or read records are cached in decoded form.

import { LruCache } from '../../../format/cache/index.ts'
import { assert } from '../../../format/errors.ts'
import type { BatchUid, TaskUid } from '../../../format/ids.ts'
import { lowerBound } from '../../../format/idset/index.ts'
import {
  type BatchView,
  decodeBatch,
  decodeEnqueued,
  decodeKept,
  type EnqueuedView,
  jsonOf,
  type KeptView,
  RECORD_BATCH,
  RECORD_ENQUEUED,
  RECORD_KEPT,
  textOf,
  UID_NONE,
} from '../../../format/tasks/index.ts'
import { finishedDetails, STATUS, statusOf } from './kinds.ts'
import { BATCH_CACHE_BYTES_MAX, TASK_CACHE_BYTES_MAX } from './limits.ts'
import type { TaskLog } from './log.ts'
import type { TaskState } from './state.ts'
import { renamedSwaps } from './swaps.ts'
import { unpackMetadata } from './task-network.ts'
import { rowIn } from './task-table.ts'
import type { Batch, QueuedContent, StagedBody, Task, TaskDetails, TaskError } from './types.ts'

/** Estimated bytes of a decoded record in addition to its payload. */
const DECODED_BYTES = 400

type Stored =
  | { readonly type: 'enqueued'; readonly view: EnqueuedView }
  | { readonly type: 'kept'; readonly view: KeptView }

type Ending = { readonly result: TaskDetails | null; readonly error: TaskError | null }
const NO_ENDING: Ending = { result: null, error: null }

/** The members of a task that change while it exists. */
export type TaskMoment = {
  /** Number of the status. */
  readonly status: number
  readonly batch: BatchUid
  readonly canceledBy: TaskUid
  /** NaN if the task has not started. */
  readonly startedAt: number
  readonly finishedAt: number
}

type Columns = {
  readonly status: number
  readonly batch: BatchUid
  readonly offset: number
}

/** The description of a batch inside its record. */
export type BatchInfo = Pick<Batch, 'details' | 'stats' | 'nanos'> & { readonly strategy: string }

export class TaskReader {
  readonly #state: TaskState
  readonly #log: TaskLog
  readonly #tasks = new LruCache<number, Stored>(TASK_CACHE_BYTES_MAX)
  readonly #batches = new LruCache<number, BatchView>(BATCH_CACHE_BYTES_MAX)
  /** Batches whose record is not in the log yet. */
  readonly #unsaved = new Map<BatchUid, BatchView>()
  #held: { readonly until: Promise<void>; readonly end: () => void } | null = null

  constructor(state: TaskState, log: TaskLog) {
    this.#state = state
    this.#log = log
  }

  /** Delays new reads while a rewritten log takes over and offsets change. */
  hold(): void {
    let end: () => void = () => undefined
    const until = new Promise<void>((resolve) => {
      end = resolve
    })
    this.#held = { until, end }
  }

  release(): void {
    this.#held?.end()
    this.#held = null
  }

  /** Caches a record that was just written. */
  rememberTask(view: EnqueuedView, payloadBytes: number): void {
    this.#tasks.set(view.uid, { type: 'enqueued', view }, payloadBytes + DECODED_BYTES)
  }

  /** Holds an ended batch until `batchSaved`. */
  rememberBatch(view: BatchView): void {
    this.#unsaved.set(view.uid, view)
  }

  batchSaved(view: BatchView, payloadBytes: number): void {
    if (this.#unsaved.get(view.uid) === view) this.#unsaved.delete(view.uid)
    this.#batches.set(view.uid, view, payloadBytes + DECODED_BYTES)
  }

  /**
   * Returns the content with which an unfinished task runs, with present index names. @throws
   * CorruptionError
   */
  async contentToRun(uid: TaskUid): Promise<QueuedContent> {
    const stored = await this.#stored(uid)
    assert(stored?.type === 'enqueued', 'content is read of tasks that have not finished')
    const { kinds } = this.#state
    return this.#renamed(uid, stored.view, kinds.contentToRun(stored.view))
  }

  /**
   * Returns the content of a task with present index names; null if the task was deleted, or has
   * finished and the log was rewritten since. @throws CorruptionError
   */
  async contentIfKnown(uid: TaskUid): Promise<QueuedContent | null> {
    const stored = await this.#stored(uid)
    if (stored?.type !== 'enqueued') return null
    return this.#renamed(uid, stored.view, this.#state.kinds.contentOf(stored.view))
  }

  #renamed(uid: TaskUid, view: EnqueuedView, content: QueuedContent): QueuedContent {
    const kind = this.#state.kinds.of(view.kind)
    return kind.renamed === undefined ? content : kind.renamed(content, this.#namesOf(uid))
  }

  /** Returns the body of an unfinished import; null for any other task. @throws CorruptionError */
  async body(uid: TaskUid): Promise<StagedBody | null> {
    const stored = await this.#stored(uid)
    if (stored?.type !== 'enqueued' || this.#state.isFinished(uid)) return null
    const { kinds } = this.#state
    return kinds.bodyOf(kinds.contentOf(stored.view))
  }

  /**
   * Returns the record of a task as it was accepted, or null if the log no longer holds it. @throws
   * CorruptionError
   */
  async enqueuedView(uid: TaskUid): Promise<EnqueuedView | null> {
    const stored = await this.#stored(uid)
    return stored?.type === 'enqueued' ? stored.view : null
  }

  /** Returns the details of an unfinished task. @throws CorruptionError */
  async enqueuedDetails(uid: TaskUid): Promise<TaskDetails | null> {
    const stored = await this.#stored(uid)
    assert(stored?.type === 'enqueued', 'these are of tasks that have not finished')
    const early = this.#state.network.details.get(uid)
    return early ?? this.#state.kinds.enqueuedDetails(stored.view, this.#namesOf(uid))
  }

  /**
   * Returns a task, or null if it does not exist. `enqueued`: its record, if the caller has it.
   * @throws CorruptionError, StorageError
   */
  async task(uid: TaskUid, enqueued: EnqueuedView | null = null): Promise<Task | null> {
    for (;;) {
      const row = this.#state.tasks.find(uid)
      if (row < 0) return null
      const before = this.#columns(row)
      const stored: Stored | null =
        enqueued === null ? await this.#stored(uid) : { type: 'enqueued', view: enqueued }
      if (stored === null) return null
      const needsBatch = stored.type === 'enqueued' && before.status >= STATUS.succeeded
      const batch = needsBatch ? await this.#batch(before.batch) : null
      const rowNow = this.#state.tasks.find(uid)
      if (rowNow < 0) return null
      const columns = this.#columns(rowNow)
      const ended = columns.status !== before.status || columns.batch !== before.batch
      if (ended || columns.offset !== before.offset) continue
      assert(!needsBatch || batch !== null, 'the batch of a finished task is known')
      return this.#taskOf(uid, rowNow, this.#moment(rowNow), stored, batch)
    }
  }

  /**
   * Returns a task as it was at a moment before its end, or null if it is known no longer. @throws
   * CorruptionError, StorageError
   */
  async unfinishedTask(uid: TaskUid, moment: TaskMoment): Promise<Task | null> {
    assert(moment.status < STATUS.succeeded, 'the outcome of a finished task does not change')
    const stored = await this.#stored(uid)
    const row = this.#state.tasks.find(uid)
    if (row < 0 || stored?.type !== 'enqueued') return null
    return this.#taskOf(uid, row, moment, stored, null)
  }

  /** Returns null if the batch was removed, or runs. @throws CorruptionError, StorageError */
  async batchInfo(uid: BatchUid): Promise<BatchInfo | null> {
    const view = await this.#batch(uid)
    return view === null ? null : (jsonOf(view.info) as BatchInfo)
  }

  namesOf(uid: TaskUid): readonly string[] {
    return this.#namesOf(uid)
  }

  #columns(row: number): Columns {
    const chunk = this.#state.tasks.chunkOf(row)
    const r = rowIn(row)
    return { status: chunk.status[r]!, batch: chunk.batch[r]!, offset: chunk.offset[r]! }
  }

  #moment(row: number): TaskMoment {
    const chunk = this.#state.tasks.chunkOf(row)
    const r = rowIn(row)
    return {
      status: chunk.status[r]!,
      batch: chunk.batch[r]!,
      canceledBy: chunk.canceledBy[r]!,
      startedAt: chunk.startedAt[r]!,
      finishedAt: chunk.finishedAt[r]!,
    }
  }

  #taskOf(
    uid: TaskUid,
    row: number,
    moment: TaskMoment,
    stored: Stored,
    batch: BatchView | null,
  ): Task {
    const chunk = this.#state.tasks.chunkOf(row)
    const r = rowIn(row)
    const { view } = stored
    const kind = this.#state.kinds.names[chunk.kind[r]!]!
    const status = statusOf(moment.status)
    const { metadata, network, nanos } = unpackMetadata(view.metadata)
    const { details, error } =
      stored.type === 'kept'
        ? this.#keptParts(uid, stored.view, chunk.kind[r]!)
        : this.#enqueuedParts(uid, stored.view, moment.status, batch)
    return {
      uid,
      batchUid: nullIfNone(moment.batch),
      indexUid: this.#state.names.indexUid(chunk.index[r]!),
      status,
      kind,
      canceledBy: nullIfNone(moment.canceledBy),
      details,
      error,
      enqueuedAt: chunk.enqueuedAt[r]!,
      startedAt: nullIfNaN(moment.startedAt),
      finishedAt: nullIfNaN(moment.finishedAt),
      nanos,
      customMetadata: metadata,
      network: network ?? undefined,
      remoteResults:
        network?.kind === 'leader' ? this.#state.network.unconfirmed.results(uid) : undefined,
    }
  }

  #enqueuedParts(
    uid: TaskUid,
    view: EnqueuedView,
    status: number,
    batch: BatchView | null,
  ): { details: TaskDetails | null; error: TaskError | null } {
    const kind = this.#state.kinds.of(view.kind)
    const early = this.#state.network.details.get(uid)
    if (early !== undefined && (status < STATUS.succeeded || status === STATUS.canceled)) {
      return { details: early, error: null }
    }
    const enqueued = kind.enqueuedDetails(view, this.#namesOf(uid))
    if (status < STATUS.succeeded) return { details: enqueued, error: null }
    const { result, error } = batch === null ? NO_ENDING : endingOf(batch, uid)
    return {
      details: finishedDetails(kind, statusOf(status), enqueued, result),
      error,
    }
  }

  #keptParts(
    uid: TaskUid,
    view: KeptView,
    kind: number,
  ): { details: TaskDetails | null; error: TaskError | null } {
    const written = view.details === null ? null : (jsonOf(view.details) as TaskDetails)
    const details =
      written === null ? null : (this.#state.kinds.of(kind).detailsFromLog?.(written) ?? written)
    const error =
      view.error === null
        ? null
        : { code: textOf(view.error.code), message: textOf(view.error.message) }
    const swaps = details?.['swaps']
    if (!Array.isArray(swaps)) return { details, error }
    return { details: { ...details, swaps: renamedSwaps(swaps, this.#namesOf(uid)) }, error }
  }

  #namesOf(uid: TaskUid): readonly string[] {
    return (this.#state.named.get(uid) ?? []).map((name) => this.#state.names.textOf(name)!)
  }

  /**
   * Returns the record of a task, of the type that its row states, or null if the task was deleted.
   */
  async #stored(uid: TaskUid): Promise<Stored | null> {
    while (this.#held !== null) await this.#held.until
    const row = this.#state.tasks.find(uid)
    if (row < 0) return null
    const offset = this.#state.tasks.chunkOf(row).offset[rowIn(row)]!
    const type = offset < 0 ? 'kept' : 'enqueued'
    const cached = this.#tasks.get(uid)
    if (cached?.type === type) return cached
    const entry = await this.#log.read(Math.abs(offset))
    const expected = type === 'kept' ? RECORD_KEPT : RECORD_ENQUEUED
    assert(entry.type === expected, 'the table knows the offset of each record')
    const stored: Stored =
      type === 'kept'
        ? { type, view: decodeKept(entry.payload) }
        : { type, view: decodeEnqueued(entry.payload) }
    assert(stored.view.uid === uid, 'the table knows the offset of each record')
    this.#tasks.set(uid, stored, entry.payload.length + DECODED_BYTES)
    return stored
  }

  async #batch(uid: BatchUid): Promise<BatchView | null> {
    while (this.#held !== null) await this.#held.until
    const unsaved = this.#unsaved.get(uid)
    if (unsaved !== undefined) return unsaved
    const row = this.#state.batches.find(uid)
    if (row < 0) return null
    const cached = this.#batches.get(uid)
    if (cached !== undefined) return cached
    const offset = this.#state.batches.offset[row]!
    if (Number.isNaN(offset)) return null
    const entry = await this.#log.read(offset)
    assert(entry.type === RECORD_BATCH, 'the table knows the offset of each record')
    const view = decodeBatch(entry.payload)
    assert(view.uid === uid, 'the table knows the offset of each record')
    this.#batches.set(uid, view, entry.payload.length + DECODED_BYTES)
    return view
  }
}

function endingOf(view: BatchView, uid: TaskUid): Ending {
  const at = positionOf(view.outcomeUids, uid)
  if (at < 0) return NO_ENDING
  const start = at === 0 ? 0 : view.outcomeEnds[at - 1]!
  const bytes = view.results.subarray(start, view.outcomeEnds[at]!)
  if (bytes.length === 0) return NO_ENDING
  const { r, e } = jsonOf(bytes) as { readonly r?: TaskDetails; readonly e?: TaskError }
  return { result: r ?? null, error: e ?? null }
}

function positionOf(uids: Uint32Array, uid: TaskUid): number {
  const at = lowerBound(uids, uid)
  return at < uids.length && uids[at] === uid ? at : -1
}

const nullIfNone = <Uid extends TaskUid | BatchUid>(uid: Uid): Uid | null =>
  uid === UID_NONE ? null : uid
const nullIfNaN = (time: number): number | null => (Number.isNaN(time) ? null : time)
