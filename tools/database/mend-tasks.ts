// Replaces a damaged task log with a new, empty one. A damaged log cannot be continued: if the end
// of a batch is lost, its tasks would run again, over later changes. Uids continue after the last
// readable one, documents stay unchanged, and the waiting tasks that can still be read are
// reported.
import { drawLogSalt, type FileSystem, readFile } from '../../engine/index.ts'
import {
  BODIES,
  createLog,
  logFiles,
  type Manifest,
  TASK_LOG,
  TASKS,
} from '../../engine/inspect.ts'
import { dataView } from '../../format/bytes/index.ts'
import { CorruptionError, VersionError } from '../../format/errors.ts'
import { asBatchUid, asTaskUid, nextAfter, type TaskUid, type U32Of } from '../../format/ids.ts'
import {
  decodeLogHeader,
  decodeLogRecord,
  LOG_HEADER_BYTES,
  LOG_RECORD_HEADER_BYTES,
  type LogRecord,
  logRecordBytes,
} from '../../format/log/index.ts'
import {
  decodeBatch,
  decodeEnqueued,
  decodeHead,
  decodeKept,
  encodeHead,
  RECORD_BATCH,
  RECORD_ENQUEUED,
  RECORD_HEAD,
  RECORD_KEPT,
} from '../../format/tasks/index.ts'
import type { Quarantine } from './quarantine.ts'

export type LostTasks = {
  /** Uids of waiting tasks that could be read. */
  readonly waiting: readonly number[]
  /** The uid of the next task. */
  readonly nextTask: number
}

/** Records are stored at multiples of this. */
const ALIGNMENT = 8
const LOG_BYTES_MAX = 2 ** 31

/** The caller must hold the only open handle on the database. @throws StorageError */
export async function mendTasks(
  fs: FileSystem,
  manifest: Manifest,
  quarantine: Quarantine,
): Promise<LostTasks> {
  // CLOSED describes the end of the old log, so it is removed before that log.
  await manifest.beginWriting()
  const old = logFiles(fs, TASKS, TASK_LOG)
  const last = old.at(-1)
  const known = new KnownTasks()
  if (last !== undefined) {
    for (const record of readableRecords(readFile(fs, last.path, LOG_BYTES_MAX)))
      known.visit(record)
  }
  for (const payload of manifest.state.outcomes.values()) known.batch(payload)
  const { nextTask, nextBatch } = known
  const number = (last?.number ?? 0) + 1
  const path = `${TASKS}/${TASK_LOG}-${String(number).padStart(6, '0')}.log`
  const head = { type: RECORD_HEAD, payload: encodeHead({ nextTask, nextBatch }) }
  const log = await createLog(fs, path, { kind: 'TASK', number, salt: drawLogSalt() }, [head])
  await log.close()
  for (const file of old) quarantine.move(file.path)
  for (const name of fs.list(BODIES)) quarantine.move(`${BODIES}/${name}`)
  return { waiting: [...known.waiting].sort((a, b) => a - b), nextTask }
}

/** Yields every record with a valid checksum, at any position. */
function* readableRecords(bytes: Uint8Array): Iterable<LogRecord> {
  const header = attempt(() => decodeLogHeader(bytes, 'TASK'))
  if (header === null) return
  const view = dataView(bytes)
  let at = LOG_HEADER_BYTES
  while (at + LOG_RECORD_HEADER_BYTES <= bytes.length) {
    const size = logRecordBytes(view.getUint32(at + 8, true))
    const isMarked = view.getUint32(at, true) === header.salt && at + size <= bytes.length
    const record = isMarked
      ? attempt(() => decodeLogRecord(bytes.subarray(at, at + size), header, at))
      : null
    if (record !== null) yield record
    at += record === null ? ALIGNMENT : size
  }
}

/** The facts about tasks in their records. */
class KnownTasks {
  readonly waiting = new Set<TaskUid>()
  nextTask = asTaskUid(0)
  nextBatch = asBatchUid(0)

  visit({ type, payload }: LogRecord): void {
    attempt(() => {
      if (type === RECORD_ENQUEUED) this.#task(decodeEnqueued(payload).uid, true)
      else if (type === RECORD_KEPT) this.#task(decodeKept(payload).uid, false)
      else if (type === RECORD_BATCH) this.batch(payload)
      else if (type === RECORD_HEAD) {
        const head = decodeHead(payload)
        this.nextTask = asTaskUid(Math.max(this.nextTask, head.nextTask))
        this.nextBatch = asBatchUid(Math.max(this.nextBatch, head.nextBatch))
      }
      return true
    })
  }

  /** Reads the record of a finished batch. */
  batch(payload: Uint8Array): void {
    const view = attempt(() => decodeBatch(payload))
    if (view === null) return
    this.nextBatch = nextAfter(this.nextBatch, view.uid)
    const canceled = view.canceled?.toArray() as U32Of<TaskUid> | undefined
    const ended = [...view.outcomeUids, ...(canceled ?? [])]
    for (const uid of ended) this.#task(uid, false)
  }

  #task(uid: TaskUid, waits: boolean): void {
    this.nextTask = nextAfter(this.nextTask, uid)
    if (waits) this.waiting.add(uid)
    else this.waiting.delete(uid)
  }
}

/** Returns null if the bytes are damaged. */
function attempt<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof CorruptionError || error instanceof VersionError)) throw error
    return null
  }
}
