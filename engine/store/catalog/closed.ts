// The clean-shutdown marker, the file CLOSED: how the logs of a database ended when it was closed
// cleanly. A log that lost its last records looks like one to which they were never written
// (format/log, "Where a log ends"): without the marker, an incomplete copy would open as an older
// database, and segments that its manifest does not name would be removed.
//
// Text: a line per log, and a checksum line:
//
//   manifest-000007.log 12345 8f1c22ab      path, length, crc32 of the last 24 bytes, the seal
//   tasks/tasks-000003.log 4096 01d2e3f4
//   crc32 5a6b7c8d                          of the lines above
//
// The file exists from the end of a process that closed the database until the next process opens
// it for writing. It becomes durable only after the seals are, and its removal is durable before
// anything is appended; so its content is always true of an undamaged database. A process that is
// killed leaves no marker, and the next start compares nothing.

import { crc32 } from 'node:zlib'
import { decoder, encoder } from '../../../format/bytes/index.ts'
import { LOG_HEADER_BYTES, LOG_RECORD_HEADER_BYTES, LOG_SEAL } from '../../../format/log/index.ts'
import { StorageError } from '../../model/index.ts'
import { logFiles } from '../logs/index.ts'
import { type FileSystem, readFile, replaceFile } from '../storage/index.ts'
import { LINE_FILE_BYTES_MAX } from './limits.ts'
import { CLOSED, TASKS } from './names.ts'

type LogEnd = { readonly path: string; readonly bytes: number; readonly checksum: number }

const LINE = /^(\S+) (\d{1,15}) ([0-9a-f]{8})$/

/** Name prefix of the task log's files. */
export const TASK_LOG = 'tasks'

/**
 * Compares the logs with CLOSED; returns false if there is no such file. If it returns true, the
 * logs and their names were durable when the database was closed.
 * @throws StorageError `corrupt` or `missing` with the name of the file that changed
 */
export function checkClosed(fs: FileSystem): boolean {
  if (!fs.exists(CLOSED)) return false
  for (const end of readClosed(fs)) {
    if (!fs.exists(end.path)) {
      const words = `\`${end.path}\` is missing: it was there when the database was closed`
      throw new StorageError('missing', end.path, words)
    }
    const size = fs.size(end.path)
    if (size !== end.bytes) throw notAsItWas(end.path, `${size} bytes instead of ${end.bytes}`)
    if (crc32(tailOf(fs, end.path, size)) !== end.checksum) {
      throw notAsItWas(end.path, 'another last record')
    }
  }
  return true
}

/**
 * Writes CLOSED durably. All logs must be closed; if one has no seal, nothing is written. @throws
 * StorageError
 */
export async function writeClosed(fs: FileSystem, manifest: string): Promise<void> {
  const tasks = logFiles(fs, TASKS, TASK_LOG).at(-1)
  const paths = tasks === undefined ? [manifest] : [manifest, tasks.path]
  let lines = ''
  for (const path of paths) {
    const end = await sealedEnd(fs, path)
    if (end === null) return
    lines += `${path} ${end.bytes} ${hex(end.checksum)}\n`
  }
  await replaceFile(fs, CLOSED, encoder.encode(withProof(lines)))
}

/**
 * Makes the logs and their names durable (the folder may be a copy that is only in the cache), then
 * removes CLOSED; the removal is durable when the promise resolves. @throws StorageError
 */
export async function removeClosed(fs: FileSystem, manifest: string): Promise<void> {
  const tasks = logFiles(fs, TASKS, TASK_LOG).at(-1)
  const paths = tasks === undefined ? [manifest] : [manifest, tasks.path]
  const logs = paths.map((path) => syncFile(fs, path))
  await Promise.all([...logs, fs.syncDirectoryAsync(TASKS), fs.syncDirectoryAsync('')])
  if (fs.exists(CLOSED)) await fs.removeAsync(CLOSED)
  await fs.syncDirectoryAsync('')
}

async function syncFile(fs: FileSystem, path: string): Promise<void> {
  const file = await fs.openAsync(path, 'write')
  try {
    await file.syncAsync()
  } finally {
    file.close()
  }
}

/** Makes a log that ends with a seal durable and returns its end, or null if it has no seal. */
async function sealedEnd(fs: FileSystem, path: string): Promise<LogEnd | null> {
  const file = await fs.openAsync(path, 'write')
  try {
    const bytes = file.size()
    const head = new Uint8Array(LOG_HEADER_BYTES)
    const seal = new Uint8Array(LOG_RECORD_HEADER_BYTES)
    if (bytes < head.length + seal.length) return null
    await file.readAsync(0, head)
    await file.readAsync(bytes - seal.length, seal)
    if (!isSeal(new DataView(seal.buffer), new DataView(head.buffer))) return null
    await file.syncAsync()
    return { path, bytes, checksum: crc32(seal) }
  } finally {
    file.close()
  }
}

/**
 * Returns true if the record has the salt of the log's header, no payload and the type of seals:
 * format/log/LOG.md.
 */
const isSeal = (record: DataView, head: DataView): boolean =>
  record.getUint32(0, true) === head.getUint32(12, true) &&
  record.getUint32(8, true) === 0 &&
  record.getUint16(20, true) === LOG_SEAL

function readClosed(fs: FileSystem): readonly LogEnd[] {
  const text = decoder.decode(readFile(fs, CLOSED, LINE_FILE_BYTES_MAX))
  const lines = text.split('\n').slice(0, -2)
  if (text !== withProof(lines.map((line) => `${line}\n`).join(''))) throw damaged()
  return lines.map((line) => {
    const [, path, bytes, checksum] = LINE.exec(line) ?? []
    if (path === undefined) throw damaged()
    return { path, bytes: Number(bytes), checksum: Number.parseInt(checksum!, 16) }
  })
}

const hex = (checksum: number): string => checksum.toString(16).padStart(8, '0')

const withProof = (lines: string): string => `${lines}crc32 ${hex(crc32(encoder.encode(lines)))}\n`

/** Returns the last record of a closed log: as many bytes as a seal has. */
function tailOf(fs: FileSystem, path: string, bytes: number): Uint8Array {
  const tail = new Uint8Array(LOG_RECORD_HEADER_BYTES)
  const file = fs.open(path, 'read')
  try {
    file.read(Math.max(0, bytes - tail.length), tail)
    return tail
  } finally {
    file.close()
  }
}

const damaged = (): StorageError =>
  new StorageError('corrupt', CLOSED, `\`${CLOSED}\` is damaged: it does not prove itself`)

function notAsItWas(path: string, finding: string): StorageError {
  const words = `\`${path}\` is not what it was when the database was closed`
  return new StorageError('corrupt', path, `${words}: ${finding}`)
}
