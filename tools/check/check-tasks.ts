// Checks the task log: every record decodes, and the bodies that waiting tasks need exist and are
// sound.

import type { FileSystem } from '../../engine/index.ts'
import { bodyPath, logFiles, readBody } from '../../engine/inspect.ts'
import { documentsOfBody } from '../../format/bodies/index.ts'
import { CorruptionError, refuse, VersionError } from '../../format/errors.ts'
import type { TaskUid } from '../../format/ids.ts'
import { type LogContents, type LogRecord, readLog } from '../../format/log/index.ts'
import {
  decodeBatch,
  decodeEnqueued,
  decodeKept,
  type EnqueuedView,
  RECORD_BATCH,
  RECORD_ENQUEUED,
  RECORD_KEPT,
} from '../../format/tasks/index.ts'
import { type Finding, findingAbout, findingOf, taskRecordSummary } from '../inspect/index.ts'
import { countOf } from '../terminal/index.ts'
import { readThrough } from './read-through.ts'
import type { FileReport, Step } from './result.ts'

const SECTION = 'TASK log'

export type WaitingBody = Pick<EnqueuedView, 'uid' | 'bodyBytes' | 'count'> & {
  readonly file: number
}

export type TaskLogCheck = {
  /** null if there is no log. */
  readonly report: FileReport | null
  readonly waiting: readonly WaitingBody[]
  readonly notes: readonly string[]
}

/** Returns the path of the active task log in this folder, or null. @throws StorageError */
export const taskLogPath = (fs: FileSystem, folder: string): string | null =>
  fs.exists(folder) ? (logFiles(fs, folder, 'tasks').at(-1)?.path ?? null) : null

/**
 * `outcomes`: records of batches that are in the manifest and possibly not in the log. Never throws
 * for faults of the log.
 */
export function checkTaskLog(
  fs: FileSystem,
  folder: string,
  outcomes: Iterable<Uint8Array>,
  step: Step,
): TaskLogCheck {
  const file = logFiles(fs, folder, 'tasks').at(-1)
  if (file === undefined) return { report: null, waiting: [], notes: [] }
  const { path, number } = file
  const tasks = new Tasks()
  const problems: Finding[] = []
  const notes: string[] = []
  let bytes = 0
  try {
    bytes = fs.size(path)
    readThrough(fs, path, (done) => step(done / 2))
    const contents = readLog(fs.map(path, bytes), 'TASK', (record) => {
      visit(tasks, record, path, problems)
      step((bytes + record.offset) / 2)
    })
    if (contents.header.number !== number) {
      const words = `its header has the number ${contents.header.number}`
      problems.push(findingAbout(path, 'contradiction', words))
    }
    notes.push(...endNotes(path, bytes, contents, contents.records > tasks.nextRecord))
  } catch (error) {
    problems.push(findingOf(path, error))
  }
  for (const payload of outcomes) endAll(tasks, payload)
  const facts = `${countOf(tasks.records, 'record')}, ${countOf(tasks.waiting.size, 'waiting task')}`
  const report = { file: path, what: 'task log', bytes, facts, problems }
  return { report, waiting: tasks.bodies(), notes }
}

/**
 * Describes the end of a log: an unfinished write, or a last record without a seal. A log that has
 * lost its end looks the same.
 */
export function endNotes(
  path: string,
  bytes: number,
  { tail, validBytes }: LogContents,
  isSealed: boolean,
): readonly string[] {
  if (tail === 'torn') {
    const words = `${path} ends in the middle of a write (${countOf(bytes - validBytes, 'byte')})`
    return [`${words}: acknowledged records are before that, and the next start removes the rest`]
  }
  if (isSealed) return []
  const words = `${path} was not closed, as after a crash`
  return [`${words}: lost records at its end could not be detected`]
}

function visit(tasks: Tasks, record: LogRecord, path: string, problems: Finding[]): void {
  tasks.nextRecord = record.sequence + 1
  try {
    taskRecordSummary(record.type, record.payload)
    tasks.apply(record.type, record.payload)
    tasks.records++
  } catch (error) {
    const place = `${path} (record ${record.sequence} at ${record.offset})`
    problems.push(findingOf(place, error))
  }
}

function endAll(tasks: Tasks, payload: Uint8Array): void {
  try {
    tasks.apply(RECORD_BATCH, payload)
  } catch (error) {
    // The check of the manifest reports a record that does not decode.
    if (!(error instanceof CorruptionError || error instanceof VersionError)) throw error
  }
}

/** Tracks the waiting tasks and their bodies. */
class Tasks {
  readonly waiting = new Map<number, WaitingBody | null>()
  records = 0
  /** The sequence after the last record that is not a seal. */
  nextRecord = 0
  #lastUid = -1

  apply(type: number, payload: Uint8Array): void {
    if (type === RECORD_ENQUEUED) {
      const { uid, bodyBytes, bodyFile: file, count } = decodeEnqueued(payload)
      this.#checkOrder(uid)
      this.waiting.set(uid, file === null ? null : { uid, bodyBytes, count, file })
    } else if (type === RECORD_KEPT) this.#checkOrder(decodeKept(payload).uid)
    else if (type === RECORD_BATCH) {
      const { outcomeUids, canceled, deleted } = decodeBatch(payload)
      for (const uid of outcomeUids) this.waiting.delete(uid)
      for (const uid of canceled?.toArray() ?? []) this.waiting.delete(uid)
      for (const uid of deleted?.toArray() ?? []) this.waiting.delete(uid)
    }
  }

  #checkOrder(uid: TaskUid): void {
    if (uid <= this.#lastUid) refuse(SECTION, 4, 'bad_order', `a task above ${this.#lastUid}`, uid)
    this.#lastUid = uid
  }

  bodies(): readonly WaitingBody[] {
    return [...this.waiting.values()].filter((body) => body !== null)
  }
}

/** Checks the body of one waiting task. Never throws for its faults. */
export function checkBody(fs: FileSystem, body: WaitingBody, step: Step): FileReport {
  const file = bodyPath(body.file)
  const problems: Finding[] = []
  let bytes = 0
  try {
    if (fs.exists(file)) {
      bytes = fs.size(file)
      readThrough(fs, file, step)
      compareBody(file, documentsOfBody(fs.map(file, bytes)), body, problems)
    } else {
      const words = `task ${body.uid} waits for it, but it does not exist`
      problems.push(findingAbout(file, 'missing', words))
    }
  } catch (error) {
    problems.push(findingOf(file, error))
  }
  const facts = `${countOf(body.count, 'document')} for task ${body.uid}`
  return { file, what: 'body', bytes, facts, problems }
}

function compareBody(
  file: string,
  documents: Uint8Array,
  body: WaitingBody,
  problems: Finding[],
): void {
  if (documents.length !== body.bodyBytes) {
    const words = `it holds ${countOf(documents.length, 'byte')} instead of the ${body.bodyBytes} of task ${body.uid}`
    problems.push(findingAbout(file, 'contradiction', words))
  }
  let count = 0
  for (const reader = readBody(documents); reader.next(); ) count++
  if (count === body.count) return
  const words = `it holds ${countOf(count, 'document')} instead of the ${body.count} of task ${body.uid}`
  problems.push(findingAbout(file, 'contradiction', words))
}
