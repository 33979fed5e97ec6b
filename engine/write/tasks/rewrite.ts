// Rewrites the task log without obsolete data: bodies and contents of finished tasks, deleted
// tasks, outcomes that have become part of the task's record.
//
// The old log is copied record by record in its order, each in its present state; records appended
// meanwhile follow unchanged. Reading the new log yields the same state, because a record that
// repeats a known fact changes nothing. The exception is an exchange of names, which would be
// applied twice: then the copy is discarded. No data is lost at any point: until the new log takes
// over the old one stays active, and appends go to it.
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { KiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'
import { asBatchUid, asTaskUid, type TaskUid, type U32Of } from '../../../format/ids.ts'
import {
  decodeAnswers,
  decodeBatch,
  decodeEnqueued,
  decodeKept,
  type EnqueuedView,
  encodeBatch,
  encodeEnqueued,
  encodeHead,
  encodeKept,
  keptOfView,
  RECORD_ANSWERS,
  RECORD_BATCH,
  RECORD_ENQUEUED,
  RECORD_HEAD,
  RECORD_KEPT,
  UID_NONE,
  utf8Of,
} from '../../../format/tasks/index.ts'
import {
  countEndedSecrets,
  DEAD,
  FLAG_INLINE,
  type LogEntry,
  packMetadata,
  rowIn,
  STATUS,
  type Task,
  type TaskLog,
  type TaskLogSuccessor,
  type TaskReader,
  type TaskState,
} from '../task-data/index.ts'
import type { Appender } from './appender.ts'

/** Appends are held back when no more than this is left to copy. */
const TAIL_BYTES_MAX = 256 * KiB
const U32_MAX = 0xffffffff
/** Number of records copied before other work may run: 2 ms. */
const STRIDE = 128
/** Milliseconds that a rewrite waits for an ended task that is needed, and between checks. */
const CONFIRMATION_MS = 5000
const POLL_MS = 50

export type RewriteParts = {
  readonly state: TaskState
  readonly reader: TaskReader
  readonly log: TaskLog
  readonly appender: Appender
  readonly isStopped: () => boolean
  readonly unpublished: UnpublishedTasks
}

/** Tasks that no other instance can have yet: their requests stay, also when they have ended. */
export type UnpublishedTasks = {
  /** The smallest uid of such a task. */
  readonly from: TaskUid
  /** Requests that they are published soon. */
  readonly publish: () => void
}

export const NONE_UNPUBLISHED: UnpublishedTasks = {
  from: asTaskUid(Number.POSITIVE_INFINITY),
  publish: () => undefined,
}

type Copy = Pick<LogEntry, 'type' | 'payload'>

/**
 * Rewrites the log while no batch is being settled. Returns false if the copy was discarded,
 * because names were exchanged meanwhile, an ended task is still needed elsewhere, or the queue is
 * closing. @throws StorageError, CorruptionError; the old log then stays active
 */
export async function rewriteLog(parts: RewriteParts): Promise<boolean> {
  const { state, log, appender } = parts
  const swaps = state.swaps
  const head = headOf(state)
  let copyEnd = 0
  await appender.append(RECORD_HEAD, head, (offset) => {
    copyEnd = offset
  })
  const successor = await log.rotate()
  let done = false
  try {
    state.tasks.beginOffsets()
    state.batches.beginOffsets()
    await successor.append(RECORD_HEAD, head)
    done = await copyAll(
      parts,
      successor,
      copyEnd,
      () => state.swaps !== swaps || parts.isStopped(),
    )
  } finally {
    if (!done) {
      state.tasks.endOffsets(false)
      state.batches.endOffsets(false)
      await successor.abandon()
    }
  }
  return done
}

async function copyAll(
  parts: RewriteParts,
  successor: TaskLogSuccessor,
  copyEnd: number,
  isObsolete: () => boolean,
): Promise<boolean> {
  const { state, reader, log, appender } = parts
  for await (const portion of log.scan(0, copyEnd)) {
    for (let i = 0; i < portion.length; i++) {
      if (i % STRIDE === STRIDE - 1) await nextTurn()
      const entry = portion[i]!
      if (isStillNeeded(parts, entry) && !(await waitForOthers(parts, entry, isObsolete)))
        return false
      const copy = await copyOf(parts, entry)
      if (copy !== null) await appendCopy(state, successor, copy)
    }
    if (isObsolete()) return false
    await nextTurn()
  }
  let from = copyEnd
  while (appender.reached - from > TAIL_BYTES_MAX) {
    const to = appender.reached
    await copyTail(parts, successor, from, to)
    if (isObsolete()) return false
    from = to
  }
  await appender.hold()
  try {
    await copyTail(parts, successor, from, appender.reached)
    if (isObsolete()) return false
    reader.hold()
    await successor.takeOver()
    activateOffsets(state)
    appender.reached = log.bytes
    return true
  } finally {
    reader.release()
    appender.release()
  }
}

/** Returns whether the request of an ended task, which its copy would omit, is needed elsewhere. */
function isStillNeeded({ state, unpublished }: RewriteParts, { type, payload }: LogEntry): boolean {
  if (type !== RECORD_ENQUEUED) return false
  const uid = asTaskUid(uidOf(payload))
  const isNeeded = uid >= unpublished.from || state.network.unconfirmed.isOpen(uid)
  return isNeeded && state.isFinished(uid)
}

/**
 * Waits until remotes have confirmed a task, which reachable ones do soon, and until it is
 * published. Returns false if the rewrite must stop.
 */
async function waitForOthers(
  parts: RewriteParts,
  entry: LogEntry,
  isObsolete: () => boolean,
): Promise<boolean> {
  parts.unpublished.publish()
  for (let ms = 0; isStillNeeded(parts, entry); ms += POLL_MS) {
    if (ms >= CONFIRMATION_MS || isObsolete()) return false
    await sleep(POLL_MS)
  }
  return true
}

/** Copies the records that begin in [from, to) unchanged. All of them are applied. */
async function copyTail(
  parts: RewriteParts,
  successor: TaskLogSuccessor,
  from: number,
  to: number,
): Promise<void> {
  for await (const portion of parts.log.scan(from, to)) {
    for (const record of portion) {
      if (record.type !== RECORD_HEAD) await appendCopy(parts.state, successor, record)
    }
    await nextTurn()
  }
}

/** Returns the record that replaces a record, or null if it is dropped. */
async function copyOf(parts: RewriteParts, entry: LogEntry): Promise<Copy | null> {
  if (entry.type === RECORD_ENQUEUED) return copyOfEnqueued(parts, entry)
  if (entry.type === RECORD_KEPT) return copyOfFinished(parts.state, entry)
  if (entry.type === RECORD_BATCH) return copyOfBatch(parts.state, entry)
  if (entry.type === RECORD_ANSWERS) {
    return parts.state.tasks.find(decodeAnswers(entry.payload).uid) < 0 ? null : entry
  }
  return null
}

async function copyOfEnqueued(parts: RewriteParts, entry: LogEntry): Promise<Copy | null> {
  const { state, reader } = parts
  const view = decodeEnqueued(entry.payload)
  const row = state.tasks.find(view.uid)
  if (row < 0 || state.tasks.chunkOf(row).offset[rowIn(row)] !== entry.offset) return null
  if (state.tasks.chunkOf(row).status[rowIn(row)]! >= STATUS.succeeded) {
    const task = await reader.task(view.uid, view)
    return task === null ? null : finishedRecord(state, task)
  }
  if (hasPresentNames(state, row, view)) return entry
  const { index, names } = presentNames(state, row)
  const indexBytes = index === null ? null : utf8Of(index)
  const payload = encodeEnqueued({ ...view, index: indexBytes, names: names.map(utf8Of) })
  return { type: entry.type, payload }
}

function finishedRecord(state: TaskState, task: Task): Copy | null {
  const row = state.tasks.find(task.uid)
  if (row < 0) return null
  const chunk = state.tasks.chunkOf(row)
  const payload = encodeKept({
    kind: chunk.kind[rowIn(row)]!,
    status: STATUS[task.status],
    uid: task.uid,
    batch: task.batchUid ?? UID_NONE,
    canceledBy: task.canceledBy ?? UID_NONE,
    enqueuedAt: task.enqueuedAt,
    startedAt: task.startedAt,
    finishedAt: task.finishedAt,
    count: chunk.count[rowIn(row)]!,
    metadata: packMetadata(task.customMetadata, task.network, task.nanos),
    details: task.details === null ? null : JSON.stringify(task.details),
    error: task.error,
    ...presentNames(state, row),
  })
  return { type: RECORD_KEPT, payload }
}

function copyOfFinished(state: TaskState, entry: LogEntry): Copy | null {
  const view = decodeKept(entry.payload)
  const row = state.tasks.find(view.uid)
  if (row < 0 || state.tasks.chunkOf(row).offset[rowIn(row)] !== -entry.offset) return null
  if (hasPresentNames(state, row, view)) return entry
  const record = { ...keptOfView(view), ...presentNames(state, row) }
  return { type: entry.type, payload: encodeKept(record) }
}

function copyOfBatch(state: TaskState, entry: LogEntry): Copy | null {
  const view = decodeBatch(entry.payload)
  const row = state.batches.find(view.uid)
  if (row < 0 || state.batches.offset[row] !== entry.offset) return null
  const payload = encodeBatch({
    ...view,
    swapped: [],
    swappedBefore: 0,
    canceled: null,
    canceledBy: UID_NONE,
    deleted: null,
    outcomeUids: new Uint32Array(0) as U32Of<TaskUid>,
    outcomeStatuses: new Uint8Array(0),
    outcomeEnds: new Uint32Array(0),
    results: new Uint8Array(0),
  })
  return { type: entry.type, payload }
}

type Named = Pick<EnqueuedView, 'index' | 'names'>

/** Returns whether a record names its indexes by their present names. */
function hasPresentNames(state: TaskState, row: number, view: Named): boolean {
  const chunk = state.tasks.chunkOf(row)
  if (state.names.numberOfBytes(view.index) !== chunk.index[rowIn(row)]) return false
  if (view.names.length === 0) return true
  const now = state.named.get(chunk.uid[rowIn(row)]!)!
  return view.names.every((name, i) => state.names.numberOfBytes(name) === now[i])
}

function presentNames(
  state: TaskState,
  row: number,
): { readonly index: string | null; readonly names: readonly string[] } {
  const chunk = state.tasks.chunkOf(row)
  const names = state.named.get(chunk.uid[rowIn(row)]!) ?? []
  return {
    index: state.names.textOf(chunk.index[rowIn(row)]!),
    names: names.map((name) => state.names.textOf(name)!),
  }
}

async function appendCopy(
  state: TaskState,
  successor: TaskLogSuccessor,
  copy: Copy,
): Promise<void> {
  noteOffset(state, copy, await successor.append(copy.type, copy.payload))
}

function noteOffset(state: TaskState, copy: Copy, offset: number): void {
  const { payload } = copy
  if (copy.type === RECORD_ANSWERS) return
  if (copy.type === RECORD_BATCH) {
    const row = state.batches.find(asBatchUid(uidOf(payload)))
    if (row < 0) return
    state.batches.nextOffset![row] = offset
    state.batches.recordBytes[row] = Math.min(payload.length, U32_MAX)
    return
  }
  const row = state.tasks.find(asTaskUid(uidOf(payload)))
  if (row < 0) return
  const chunk = state.tasks.chunkOf(row)
  chunk.nextOffset![rowIn(row)] = copy.type === RECORD_KEPT ? -offset : offset
  if (copy.type === RECORD_KEPT) chunk.recordBytes[rowIn(row)] = Math.min(payload.length, U32_MAX)
}

/** All three types of copied records store the uid at the same position. */
const uidOf = (payload: Uint8Array): number =>
  new DataView(payload.buffer, payload.byteOffset).getUint32(4, true)

const headOf = (state: TaskState): Uint8Array =>
  encodeHead({ nextTask: state.nextTask, nextBatch: state.nextSavedBatch })

/** Switches reads to the new log. */
function activateOffsets(state: TaskState): void {
  for (const chunk of state.tasks.chunks) {
    const next = chunk.nextOffset!
    for (let r = 0; r < chunk.rows; r++) {
      if (chunk.status[r] === DEAD) continue
      assert(!Number.isNaN(next[r]!), 'every task is in the new log')
      if (next[r]! < 0) chunk.flags[r]! &= ~FLAG_INLINE
    }
  }
  state.tasks.endOffsets(true)
  state.batches.endOffsets(true)
  state.garbageBytes = 0
  state.endedSecrets = countEndedSecrets(state.kinds, state.tasks)
}
