// One process per database: a lock on a separate file, see ./flock.ts.
//
// The lock belongs to the open file and ends with it, however the process ends; the file remains.
// It holds the process id of the owner, for people to read. Readers share the lock and write no id.
import fs from 'node:fs'
import { isSystemError, StorageError } from '../../model/index.ts'
import { guarded, storageError } from './errno.ts'
import type { Lock } from './file-system.ts'
import { openLocked, type Sharing } from './flock.ts'

const { O_CREAT, O_RDONLY, O_RDWR } = fs.constants

/**
 * Locks the file at `file`, which is created with the permissions `mode` if it is missing. `path`
 * is its name in errors.
 */
export function lockFile(file: string, path: string, mode: number): Lock {
  const fd = openOrRefuse(file, path, O_RDWR | O_CREAT, mode, 'exclusive')
  try {
    const text = Buffer.from(`${process.pid}\n`)
    fs.writeSync(fd, text, 0, text.length, 0)
    // Only when it is needed: ext4 may wait for the disk when a file that was written a moment ago
    // is truncated (up to 110 ms).
    if (fs.fstatSync(fd).size !== text.length) fs.ftruncateSync(fd, text.length)
  } catch (error) {
    fs.closeSync(fd)
    throw storageError(error, path, 'lock')
  }
  return lockOf(() => fs.closeSync(fd))
}

/**
 * Takes the shared lock of readers: it excludes holders of `lockFile`, but not other readers.
 * Writes nothing and creates no file: if the file is missing, no process holds the lock.
 */
export function lockFileForReading(file: string, path: string): Lock {
  if (!fs.existsSync(file)) return lockOf(() => undefined)
  const fd = openOrRefuse(file, path, O_RDONLY, 0, 'shared')
  return lockOf(() => fs.closeSync(fd))
}

function openOrRefuse(
  file: string,
  path: string,
  flags: number,
  mode: number,
  sharing: Sharing,
): number {
  const fd = openLocked({ file, path, flags, mode, sharing })
  if (fd === null) throw lockedError(path, readOwner(file, path))
  return fd
}

/** Returns a lock that calls `release`. */
export const lockOf = (release: () => void): Lock => ({ release, [Symbol.dispose]: release })

/**
 * Returns the process id to name in the message, or an empty text. Other contents of
 * the file than digits are ignored, and so is the id of a dead process: readers leave the id of the
 * last server in the file.
 */
function readOwner(file: string, path: string): string {
  // Windows does not open a file that is locked.
  if (process.platform === 'win32') return ''
  const fd = guarded(path, 'open', () => fs.openSync(file, O_RDONLY))
  try {
    const bytes = Buffer.alloc(16)
    const length = fs.readSync(fd, bytes, 0, bytes.length, 0)
    const owner = /^\d+/.exec(bytes.toString('latin1', 0, length))?.[0] ?? ''
    return isAlive(Number(owner)) ? owner : ''
  } finally {
    fs.closeSync(fd)
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: the process exists but belongs to another user. ESRCH: it does not exist.
    return isSystemError(error) && error.code === 'EPERM'
  }
}

export function lockedError(path: string, owner: string): StorageError {
  const who = owner === '' ? 'another process' : `another server (process ${owner})`
  const advice = 'stop it first, or name another database'
  return new StorageError('locked', path, `${who} uses this database: ${advice}`)
}
