// Creates and opens logs as AppendLogs. Page: format/log/LOG.md
import { assert, CorruptionError, VersionError } from '../../../format/errors.ts'
import type { Tag } from '../../../format/frame/index.ts'
import {
  encodeLogHeader,
  LOG_HEADER_BYTES,
  type LogContents,
  type LogHeader,
  type LogRecord,
  logRecordBytes,
  readLog,
  writeLogRecord,
} from '../../../format/log/index.ts'
import { StorageError } from '../../model/index.ts'
import {
  directoryOf,
  type FileSystem,
  LOG_FILE_BYTES_MAX,
  readFile,
  temporaryName,
  writeAside,
} from '../storage/index.ts'
import { AppendLog } from './append-log.ts'
import { lastBlockOfFile } from './log-file.ts'

/** A record with which a log begins. */
export type NewRecord = { readonly type: number; readonly payload: Uint8Array }

/**
 * Creates a log that begins with these records and opens it. The file gets its name when all of it
 * is durable, and the name is durable when this resolves. @throws StorageError
 */
export async function createLog(
  fs: FileSystem,
  path: string,
  header: LogHeader,
  records: readonly NewRecord[],
): Promise<AppendLog> {
  const bytes = encodeLog(header, records)
  await writeAside(fs, path, bytes)
  await fs.renameAsync(temporaryName(path), path)
  await fs.syncDirectoryAsync(directoryOf(path))
  const file = await fs.openAsync(path, 'log')
  const end = bytes.length
  const lastBlock = lastBlockOfFile(bytes, end)
  return new AppendLog(fs, file, { header, records: records.length, end, size: end, lastBlock })
}

/**
 * Returns a log up to the end of its last record: bytes behind it are empty room, or belong to a
 * write that was never acknowledged. Changes nothing. @throws StorageError
 */
export const soundBytes = (fs: FileSystem, path: string, kind: Tag): Uint8Array => {
  const bytes = readFile(fs, path, LOG_FILE_BYTES_MAX)
  return bytes.subarray(0, naming(path, () => readLog(bytes, kind, () => undefined)).validBytes)
}

/** How a log is opened. */
export type OpenLogOptions = {
  /** May refuse the log by throwing; nothing was changed by then. */
  readonly accept?: (contents: LogContents) => void
  /**
   * True if the log was closed in order and is unchanged since: nothing is written, and the caller
   * syncs it before anything is appended.
   */
  readonly isAsClosed?: boolean
}

/**
 * Opens a log for writing: `visit` receives every record, and a torn end is cut off. All records
 * that were read are durable afterwards, so it blocks for one sync, unless `isAsClosed`. The last
 * group is written again before the sync: a process that was killed after a failed sync leaves the
 * group in the cache, marked clean, where reads find it but a sync does not write it (see
 * log-file.ts). Earlier groups were durable when the last one was written.
 * @throws StorageError `corrupt` and `version` with the cause; errors of `visit` and `accept`
 */
export function openLog(
  fs: FileSystem,
  path: string,
  kind: Tag,
  visit: (record: LogRecord) => void,
  { accept, isAsClosed = false }: OpenLogOptions = {},
): { readonly log: AppendLog; readonly contents: LogContents } {
  const bytes = readFile(fs, path, LOG_FILE_BYTES_MAX)
  const contents = naming(path, () => {
    const found = readLog(bytes, kind, visit)
    accept?.(found)
    return found
  })
  const { header, records, validBytes: end } = contents
  const file = fs.open(path, 'log')
  try {
    const torn = contents.tail === 'torn'
    if (torn) file.truncate(end)
    if (torn || !isAsClosed) {
      file.write(contents.lastGroup, bytes.subarray(contents.lastGroup, end))
      file.sync()
    }
    const size = torn ? end : bytes.length
    const lastBlock = lastBlockOfFile(bytes, end)
    const log = new AppendLog(fs, file, { header, records, end, size, lastBlock })
    return { log, contents }
  } catch (error) {
    file.close()
    throw error
  }
}

/**
 * Runs `work` on the bytes of `path` and converts its format errors to StorageErrors with that
 * name.
 */
export function naming<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const options = { cause: error }
    if (error instanceof CorruptionError) {
      throw new StorageError('corrupt', path, `\`${path}\` is damaged: ${error.message}`, options)
    }
    if (error instanceof VersionError) {
      const advice = 'it was written by another release'
      throw new StorageError('version', path, `\`${path}\`: ${advice}: ${error.message}`, options)
    }
    throw error
  }
}

/** Returns the bytes of a log that holds these records. */
export function encodeLog(header: LogHeader, records: readonly NewRecord[]): Uint8Array {
  let length = LOG_HEADER_BYTES
  for (const { payload } of records) length += logRecordBytes(payload.length)
  const bytes = new Uint8Array(length)
  bytes.set(encodeLogHeader(header))
  let at = LOG_HEADER_BYTES
  for (let i = 0; i < records.length; i++) {
    at = writeLogRecord(bytes, at, header.salt, i, 0, records[i]!.type, records[i]!.payload)
  }
  assert(at === length, 'a log is as long as computed')
  return bytes
}
