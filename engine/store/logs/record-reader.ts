// Reads records of a log back: one by its offset, or portions of many.
import { dataView, KiB } from '../../../format/bytes/index.ts'
import {
  decodeLogRecord,
  LOG_RECORD_HEADER_BYTES,
  LOG_SEAL,
  type LogRecord,
  logRecordBytes,
} from '../../../format/log/index.ts'
import { StorageError } from '../../model/index.ts'
import type { File } from '../storage/index.ts'
import type { AppendLog } from './append-log.ts'
import { naming } from './open-log.ts'

/** Bytes that a scan reads at a time. */
const PORTION_BYTES = 64 * KiB
/** Bytes read first for one record: most records are shorter. */
const FIRST_READ_BYTES = 4096

export type LogEntry = {
  readonly offset: number
  readonly type: number
  readonly payload: Uint8Array
}

/** The writer of a log file, and a descriptor for reading the same file. */
export type ReadableLog = { readonly log: AppendLog; readonly reader: File }

/** Reads the record at an offset. @throws StorageError (as a rejection) */
export async function readRecord({ log, reader }: ReadableLog, offset: number): Promise<LogEntry> {
  let bytes = new Uint8Array(Math.min(FIRST_READ_BYTES, log.bytes - offset))
  await readFully(reader, offset, bytes)
  const size = recordSize(reader.path, bytes, log.bytes - offset, offset)
  if (size > bytes.length) {
    bytes = new Uint8Array(size)
    await readFully(reader, offset, bytes)
  }
  return entryOf(decodeAt(log, bytes.subarray(0, size), offset))
}

/**
 * Reads the records that begin in [at, end), up to about 64 KiB. `next`: where the next portion
 * begins. @throws StorageError (as a rejection)
 */
export async function readPortion(
  { log, reader }: ReadableLog,
  at: number,
  end: number,
): Promise<{ entries: readonly LogEntry[]; next: number }> {
  let bytes = new Uint8Array(Math.min(PORTION_BYTES, log.bytes - at))
  await readFully(reader, at, bytes)
  const first = recordSize(reader.path, bytes, log.bytes - at, at)
  if (first > bytes.length) {
    bytes = new Uint8Array(first)
    await readFully(reader, at, bytes)
  }
  const entries: LogEntry[] = []
  let next = at
  while (next < end && next - at + LOG_RECORD_HEADER_BYTES <= bytes.length) {
    const rest = bytes.subarray(next - at)
    const size = recordSize(reader.path, rest, log.bytes - next, next)
    if (size > rest.length) break
    const record = decodeAt(log, rest.subarray(0, size), next)
    if (record.type !== LOG_SEAL) entries.push(entryOf(record))
    next += size
  }
  return { entries, next }
}

/**
 * Returns the size of the record at the beginning of `bytes`, according to its header. @throws
 * StorageError
 */
function recordSize(path: string, bytes: Uint8Array, left: number, offset: number): number {
  if (bytes.length >= LOG_RECORD_HEADER_BYTES) {
    const view = dataView(bytes)
    const size = logRecordBytes(view.getUint32(8, true))
    if (size <= left) return size
  }
  throw new StorageError('corrupt', path, `\`${path}\` is damaged: no record at ${offset}`)
}

/** Fills `target` from `at` on. @throws StorageError (as a rejection) */
export async function readFully(file: File, at: number, target: Uint8Array): Promise<void> {
  const got = await file.readAsync(at, target)
  if (got === target.length) return
  throw new StorageError(
    'short_file',
    file.path,
    `\`${file.path}\` ends before ${at + target.length}`,
  )
}

const decodeAt = (log: AppendLog, bytes: Uint8Array, offset: number): LogRecord =>
  naming(log.path, () => decodeLogRecord(bytes, log.header, offset))

export const entryOf = ({ offset, type, payload }: LogRecord): LogEntry => ({
  offset,
  type,
  payload,
})
