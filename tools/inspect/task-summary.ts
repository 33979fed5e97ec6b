// Records of the task log as lines and as plain data. Layout: format/tasks/TASKS.md

import { TASK_KINDS, TASK_STATUSES } from '../../engine/index.ts'
import { CorruptionError, refuse, VersionError } from '../../format/errors.ts'
import { type Change, describeChange } from '../../format/manifest/index.ts'
import {
  type BatchView,
  batchOfView,
  decodeAnswers,
  decodeBatch,
  decodeEnqueued,
  decodeHead,
  decodeKept,
  jsonOf,
  keptOfView,
  RECORD_ANSWERS,
  RECORD_BATCH,
  RECORD_ENQUEUED,
  RECORD_HEAD,
  RECORD_KEPT,
  textOf,
  UID_NONE,
} from '../../format/tasks/index.ts'
import { bytesText, countOf, countText, microsText, shorten } from '../terminal/index.ts'
import { plain } from './plain.ts'

export type TaskRecordSummary = { readonly text: string; readonly value: unknown }

const SECTION = 'task log'
const CONTENT_COLUMNS_MAX = 100

/** Decodes one record completely. @throws CorruptionError, VersionError */
export function taskRecordSummary(type: number, payload: Uint8Array): TaskRecordSummary {
  switch (type) {
    case RECORD_ENQUEUED:
      return enqueuedSummary(payload)
    case RECORD_BATCH:
      return batchSummary(decodeBatch(payload))
    case RECORD_KEPT:
      return taskSummary(payload)
    case RECORD_HEAD: {
      const value = decodeHead(payload)
      return { text: `head: next task ${value.nextTask}, next batch ${value.nextBatch}`, value }
    }
    case RECORD_ANSWERS: {
      const { uid, answers } = decodeAnswers(payload)
      const value = { uid, answers: jsonOf(answers) }
      return { text: `answers: of remotes to task ${uid}`, value }
    }
    default:
      return refuse(SECTION, 0, 'bad_value', 'a type of record', type)
  }
}

/** Describes one change of an edit; for a finished batch, the content of its record. */
export function changeText(change: Change): string {
  if (change.kind !== 'tasks-finished') return describeChange(change)
  try {
    return `tasks-finished: ${taskRecordSummary(RECORD_BATCH, change.record).text}`
  } catch (error) {
    // The edit itself is sound; `check` reports the fault of the record.
    if (!(error instanceof CorruptionError || error instanceof VersionError)) throw error
    return `${describeChange(change)}, which is damaged: ${error.message}`
  }
}

const named = (names: readonly string[], number: number, what: string): string =>
  names[number] ?? refuse(SECTION, 0, 'bad_value', what, number)

function enqueuedSummary(payload: Uint8Array): TaskRecordSummary {
  const view = decodeEnqueued(payload)
  const record = {
    ...view,
    index: optionalText(view.index),
    primaryKey: optionalText(view.primaryKey),
    metadata: optionalText(view.metadata),
    names: view.names.map(textOf),
    content: optionalText(view.content),
  }
  const kind = named(TASK_KINDS, record.kind, 'a kind of task')
  const parts = [
    `task ${record.uid}: ${kind}`,
    ...(record.index === null ? [] : [`of ${record.index}`]),
    ...(record.names.length === 0 ? [] : [`naming ${record.names.join(', ')}`]),
    ...(record.count === 0 ? [] : [`count ${countText(record.count)}`]),
    ...(record.bodyBytes === 0 ? [] : [`body ${bytesText(record.bodyBytes)}`]),
    ...(record.bodyFile === null ? [] : [`in file ${record.bodyFile}`]),
    `enqueued ${microsText(record.enqueuedAt)}`,
    ...(record.content === null ? [] : [shorten(record.content, CONTENT_COLUMNS_MAX)]),
  ]
  const value = { ...record, kind, content: parsed(record.content) }
  return { text: parts.join(', '), value: plain(value) }
}

function batchSummary(view: BatchView): TaskRecordSummary {
  const record = batchOfView(view)
  const outcomes = record.outcomes.map(({ uid, status, result }) => ({
    uid,
    status: named(TASK_STATUSES, status, 'a status'),
    result: parsed(result === '' ? null : result),
  }))
  const failed = outcomes.filter(({ status }) => status === 'failed').length
  const millis = (record.finishedAt - record.startedAt) / 1000
  const parts = [
    `batch ${record.uid}: ${countOf(outcomes.length, 'task')}`,
    ...(failed === 0 ? [] : [`${countText(failed)} failed`]),
    ...(record.canceled === null ? [] : [`canceled ${countOf(record.canceled.size, 'task')}`]),
    ...(record.deleted === null ? [] : [`deleted ${countOf(record.deleted.size, 'task')}`]),
    ...record.swapped.map(([left, right]) => `${left} ↔ ${right}`),
    ...(record.indexes.length === 0 ? [] : [`of ${record.indexes.join(', ')}`]),
    `finished ${microsText(record.finishedAt)} after ${millis.toFixed(1)} ms`,
  ]
  const value = { ...record, info: parsed(record.info), outcomes }
  return { text: parts.join(', '), value: plain(value) }
}

function taskSummary(payload: Uint8Array): TaskRecordSummary {
  const record = keptOfView(decodeKept(payload))
  const kind = named(TASK_KINDS, record.kind, 'a kind of task')
  const status = named(TASK_STATUSES, record.status, 'a status')
  const parts = [
    `task ${record.uid}: ${kind}`,
    ...(record.index === null ? [] : [`of ${record.index}`]),
    status,
    ...(record.batch === UID_NONE ? [] : [`batch ${record.batch}`]),
    `enqueued ${microsText(record.enqueuedAt)}`,
    ...(record.error === null ? [] : [shorten(record.error.message, CONTENT_COLUMNS_MAX)]),
  ]
  const value = { ...record, kind, status, details: parsed(record.details) }
  return { text: parts.join(', '), value: plain(value) }
}

const optionalText = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : textOf(bytes)

function parsed(text: string | null): unknown {
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch (error) {
    // JSON.parse throws a SyntaxError for invalid JSON.
    if (!(error instanceof SyntaxError)) throw error
    return refuse(SECTION, 0, 'bad_value', 'JSON', error.message)
  }
}
