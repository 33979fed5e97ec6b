// One process a database: flock on a file of its own. The only importer of fs-ext.
//
// The lock belongs to the open file and ends with it, however the process ends; the file stays. It
// holds the number of the process that has the lock, for people. Those who only read share it, and
// leave no number.
import fs from 'node:fs'
import { createRequire } from 'node:module'
import { StorageError } from '../../model/index.ts'
import { guarded, isSystemError, storageError } from './errno.ts'
import type { Lock } from './file-system.ts'

type FsExt = { readonly flockSync: (fd: number, flags: 'exnb' | 'shnb') => void }

/**
 * Locks the file at `file`, made with the rights `mode` if it is missing; `path` is its name in
 * errors.
 */
export function lockFile(file: string, path: string, mode: number): Lock {
  const fd = guarded(path, 'open', () =>
    fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_CREAT, mode),
  )
  try {
    const { flockSync } = createRequire(import.meta.url)('fs-ext') as FsExt
    flockSync(fd, 'exnb')
    const text = Buffer.from(`${process.pid}\n`)
    fs.ftruncateSync(fd, 0)
    fs.writeSync(fd, text, 0, text.length, 0)
  } catch (error) {
    const owner = readOwner(fd)
    fs.closeSync(fd)
    throw isLocked(error) ? lockedError(path, owner) : storageError(error, path, 'lock')
  }
  return lockOf(() => fs.closeSync(fd))
}

/**
 * The reader's side: keeps out whoever takes `lockFile`, not other readers. Nothing is written and
 * no file is made: where there is none, nobody has the lock.
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

/** A lock that `release` gives back. */
export const lockOf = (release: () => void): Lock => ({ release, [Symbol.dispose]: release })

const isLocked = (error: unknown): boolean =>
  isSystemError(error) && (error.code === 'EAGAIN' || error.code === 'EWOULDBLOCK')

/**
 * Who may be named in the message: digits only, whatever the file holds, and no process that is
 * gone, since readers leave the number of the last server standing.
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
    // ESRCH: there is none. EPERM: it is somebody else's.
    return isSystemError(error) && error.code === 'EPERM'
  }
}

export function lockedError(path: string, owner: string): StorageError {
  const who = owner === '' ? 'another process' : `another server (process ${owner})`
  const advice = 'stop it first, or name another database'
  return new StorageError('locked', path, `${who} uses this database: ${advice}`)
}
