// One process per database: flock on a separate file. The only importer of fs-ext.
//
// The lock belongs to the open file and ends with it, however the process ends; the file remains.
// It holds the process id of the owner, for people to read. Readers share the lock and write no id.
import fs from 'node:fs'
import { createRequire } from 'node:module'
import { isSystemError, StorageError } from '../../model/index.ts'
import { guarded, storageError } from './errno.ts'
import type { Lock } from './file-system.ts'

type FsExt = { readonly flockSync: (fd: number, flags: 'exnb' | 'shnb') => void }

/**
 * Locks the file at `file`, which is created with the permissions `mode` if it is missing. `path`
 * is its name in errors.
 */
export function lockFile(file: string, path: string, mode: number): Lock {
  const fd = guarded(path, 'open', () =>
    fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_CREAT, mode),
  )
  try {
    const { flockSync } = createRequire(import.meta.url)('fs-ext') as FsExt
    flockSync(fd, 'exnb')
    const text = Buffer.from(`${process.pid}\n`)
    fs.writeSync(fd, text, 0, text.length, 0)
    // Only when it is needed: ext4 may wait for the disk when a file that was written a moment ago
    // is truncated (up to 110 ms).
    if (fs.fstatSync(fd).size !== text.length) fs.ftruncateSync(fd, text.length)
  } catch (error) {
    const owner = readOwner(fd)
    fs.closeSync(fd)
    throw isLocked(error) ? lockedError(path, owner) : storageError(error, path, 'lock')
  }
  return lockOf(() => fs.closeSync(fd))
}

/**
 * Takes the shared lock of readers: it excludes holders of `lockFile`, but not other readers.
 * Writes nothing and creates no file: if the file is missing, no process holds the lock.
 */
export function lockFileForReading(file: string, path: string): Lock {
  if (!fs.existsSync(file)) return lockOf(() => undefined)
  const fd = guarded(path, 'open', () => fs.openSync(file, fs.constants.O_RDONLY))
  try {
    const { flockSync } = createRequire(import.meta.url)('fs-ext') as FsExt
    flockSync(fd, 'shnb')
  } catch (error) {
    const owner = readOwner(fd)
    fs.closeSync(fd)
    throw isLocked(error) ? lockedError(path, owner) : storageError(error, path, 'lock')
  }
  return lockOf(() => fs.closeSync(fd))
}

/** Returns a lock that calls `release`. */
export const lockOf = (release: () => void): Lock => ({ release, [Symbol.dispose]: release })

const isLocked = (error: unknown): boolean =>
  isSystemError(error) && (error.code === 'EAGAIN' || error.code === 'EWOULDBLOCK')

/**
 * Returns the process id to name in the message, or an empty text. Other contents of
 * the file than digits are ignored, and so is the id of a dead process: readers leave the id of the
 * last server in the file.
 */
function readOwner(fd: number): string {
  const bytes = Buffer.alloc(16)
  const length = fs.readSync(fd, bytes, 0, bytes.length, 0)
  const owner = /^\d+/.exec(bytes.toString('latin1', 0, length))?.[0] ?? ''
  return isAlive(Number(owner)) ? owner : ''
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
