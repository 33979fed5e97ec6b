// `svc-tools log print`: prints any log, record by record, with the content of its payloads.
// Layout: format/log/LOG.md
import { type LogContents, type LogRecord, readLog } from '../../format/log/index.ts'
import { decodeEdit } from '../../format/manifest/index.ts'
import { bytesText, countOf, countText, ToolError } from '../terminal/index.ts'
import { type Finding, findingOf, findingText } from './finding.ts'
import { mapWholeFile } from './open-database.ts'
import { plain } from './plain.ts'
import { changeText, type TaskRecordSummary, taskRecordSummary } from './task-summary.ts'

type PrintedRecord = {
  readonly offset: number
  /** Size in the file, header and padding included. */
  readonly bytes: number
  readonly type: number
  readonly sequence: number
  readonly group: number
  /** null if the payload is damaged, or the kind of log is unknown to this release. */
  readonly text: string | null
  readonly value: unknown
}

export type PrintedLog = {
  readonly file: string
  /** Four letters. */
  readonly kind: string
  /** Number in the file's name; null if the log was refused. */
  readonly number: number | null
  readonly bytes: number
  readonly validBytes: number | null
  readonly tail: 'clean' | 'torn' | null
  readonly records: readonly PrintedRecord[]
  readonly problems: readonly Finding[]
}

const EDIT_RECORD = 1
type Summarise = (type: number, payload: Uint8Array) => TaskRecordSummary

const SUMMARIES: { readonly [kind: string]: Summarise } = {
  MANI: editSummary,
  TASK: taskRecordSummary,
}

/**
 * `index`: only records of a task log that name this index; null prints all.
 * @throws ToolError if the file is not a log
 */
export function logPrint(file: string, index: string | null = null): PrintedLog {
  const bytes = mapWholeFile(file)
  const letters = String.fromCharCode(...bytes.subarray(0, 8))
  if (!/^SVCL[A-Z]{4}$/.test(letters)) {
    const advice = letters.startsWith('SVCF') ? ': svc-tools segment layout reads segments' : ''
    throw new ToolError(`\`${file}\` is not a log: it does not begin with SVCL and a kind${advice}`)
  }
  const kind = letters.slice(4)
  if (index !== null && kind !== 'TASK') {
    const advice = 'other logs name indexes by number (svc-tools manifest state lists them)'
    throw new ToolError(`--index is for task logs: ${advice}`)
  }
  const records: PrintedRecord[] = []
  const problems: Finding[] = []
  const contents = readAll(bytes, kind, file, problems, (record) => {
    const one = printed(record, SUMMARIES[kind], file, problems)
    if (index === null || names(one.value, index)) records.push(one)
  })
  return {
    file,
    kind,
    number: contents?.header.number ?? null,
    bytes: bytes.length,
    validBytes: contents?.validBytes ?? null,
    tail: contents?.tail ?? null,
    records,
    problems,
  }
}

/** Returns true if a record belongs to a task of the index, or to a batch with such tasks. */
function names(value: unknown, uid: string): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { index, indexes } = value as { readonly index?: unknown; readonly indexes?: unknown }
  return index === uid || (Array.isArray(indexes) && indexes.includes(uid))
}

function readAll(
  bytes: Uint8Array,
  kind: string,
  file: string,
  problems: Finding[],
  visit: (record: LogRecord) => void,
): LogContents | null {
  try {
    return readLog(bytes, kind, visit)
  } catch (error) {
    problems.push(findingOf(file, error))
    return null
  }
}

function printed(
  record: LogRecord,
  summarise: Summarise | undefined,
  file: string,
  problems: Finding[],
): PrintedRecord {
  const { offset, bytes, type, sequence, group, payload } = record
  const place = { offset, bytes, type, sequence, group }
  if (summarise === undefined) return { ...place, text: null, value: { bytes: payload.length } }
  try {
    return { ...place, ...summarise(type, payload) }
  } catch (error) {
    problems.push(findingOf(`${file} (record ${sequence} at ${offset})`, error))
    return { ...place, text: null, value: null }
  }
}

function editSummary(type: number, payload: Uint8Array): TaskRecordSummary {
  if (type !== EDIT_RECORD) throw new ToolError(`a record of type ${type} is not an edit`)
  const edit = decodeEdit(payload)
  const head = `${edit.checkpoint ? 'checkpoint' : 'edit'} ${edit.sequence}`
  return { text: [head, ...edit.changes.map(changeText)].join('\n    '), value: plain(edit) }
}

export function logPrintText(log: PrintedLog): string {
  const { file, kind, number, bytes, validBytes, tail, records, problems } = log
  const name = number === null ? kind : `${kind} ${number}`
  const lines = [`${file}: ${name}, ${bytesText(bytes)}, ${countOf(records.length, 'record')}`]
  for (const record of records) {
    const place = `@${record.offset} #${record.sequence}`
    const text = record.text ?? `type ${record.type}, ${countText(record.bytes)} bytes`
    lines.push(`${place}  ${text}`)
  }
  if (validBytes !== null) {
    const room = bytes - validBytes
    const what = tail === 'torn' ? 'an unfinished write, which the next start removes' : 'room'
    lines.push(
      room === 0
        ? `ends at ${validBytes}`
        : `ends at ${validBytes}, then ${countOf(room, 'byte')} of ${what}`,
    )
  }
  for (const finding of problems) lines.push(findingText(finding))
  return `${lines.join('\n')}\n`
}
