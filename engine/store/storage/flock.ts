// Locks of whole files that end with the process, however it ends, and that all ways below share:
// processes that use different ways exclude each other.
//
// - Linux: flock(2). It belongs to the open file, so a child process can acquire it on an inherited
//   descriptor and end: where no native package can call the system, the program `flock` (of
//   util-linux or busybox) does that.
// - macOS and BSD: open(2) with O_EXLOCK or O_SHLOCK is open and flock in one call.
// - Windows: files that libuv opens without sharing cannot be opened a second time.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import { isSystemError, StorageError } from '../../model/index.ts'
import { koffi, loadNative, prebuilt } from '../../natives/index.ts'
import { guarded, storageError } from './errno.ts'

export type Sharing = 'exclusive' | 'shared'

/** Opens the file with `flags` and locks it; returns null if another process holds it. */
type Opener = (request: LockRequest) => number | null

type LockRequest = {
  readonly file: string
  /** The name of the file in errors. */
  readonly path: string
  readonly flags: number
  /** Permissions of a new file. */
  readonly mode: number
  readonly sharing: Sharing
}

/** `flock` throws the system's error. */
type FsExt = {
  readonly flock: (fd: number, operation: number) => void
  readonly constants: {
    readonly LOCK_SH: number
    readonly LOCK_EX: number
    readonly LOCK_NB: number
  }
}

export type LockWay = 'fs-ext' | 'koffi' | 'open' | 'program'

/** `open(2)` of macOS and the BSDs; Node does not name these flags. */
const O_NONBLOCK = 0x4
const O_LOCK = { shared: 0x10, exclusive: 0x20 } as const
/** libuv's flag for a file that cannot be opened a second time. */
const UV_FS_O_EXLOCK = 0x10000000
/** `flock(2)` */
const LOCK = { shared: 1, exclusive: 2 } as const
const LOCK_NB = 4

const PROGRAMS = ['/usr/bin/flock', '/bin/flock', 'flock'] as const
const PROGRAM_MS_MAX = 10_000
/** Exit code of `flock -n` if another process holds the lock. */
const CONFLICT = 1

/**
 * Types of file systems on other machines (statfs(2)): there, a lock belongs to the process that
 * acquired it.
 */
const NETWORK_TYPES: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
])

/** Returns the descriptor, or null if another process holds the lock. @throws StorageError */
export const openLocked: Opener = (request) => OPENERS[lockWay()](request)

/** Returns the way that this process uses. */
export function lockWay(platform: NodeJS.Platform = process.platform): LockWay {
  if (fsExt() !== null) return 'fs-ext'
  if (platform !== 'linux') return 'open'
  return koffi() === null ? 'program' : 'koffi'
}

/** Returns null if fs-ext cannot be loaded. Its binary takes the numbers of `flock(2)`. */
export const fsExt = (): FsExt | null =>
  loadNative<FsExt>('fs-ext', [
    ...prebuilt('fs-ext', true),
    (require) => require('fs-ext/build/Release/fs_ext.node'),
  ])

const OPENERS: { readonly [way in LockWay]: Opener } = {
  'fs-ext': (request) =>
    openThenLock(request, (fd) => {
      try {
        const { flock, constants } = fsExt()!
        const { LOCK_EX, LOCK_SH, LOCK_NB } = constants
        flock(fd, (request.sharing === 'exclusive' ? LOCK_EX : LOCK_SH) | LOCK_NB)
        return true
      } catch (error) {
        if (isConflict(error)) return false
        throw error
      }
    }),
  koffi: (request) =>
    openThenLock(request, (fd) => {
      const { load, errno } = koffi()!
      const flock = load(null).func('int flock(int, int)')
      if (flock(fd, LOCK[request.sharing] | LOCK_NB) === 0) return true
      const number = errno()
      if (number === os.constants.errno.EWOULDBLOCK) return false
      throw new StorageError('io', request.path, cannotLock(request.path, `errno ${number}`))
    }),
  program: (request) => openThenLock(request, (fd) => lockByProgram(fd, request)),
  open: openAndLock,
}

function openThenLock(
  { file, path, flags, mode }: LockRequest,
  lock: (fd: number) => boolean,
): number | null {
  const fd = guarded(path, 'open', () => fs.openSync(file, flags, mode))
  let isLocked = false
  try {
    isLocked = lock(fd)
  } catch (error) {
    throw storageError(error, path, 'lock')
  } finally {
    if (!isLocked) fs.closeSync(fd)
  }
  return isLocked ? fd : null
}

/** Locks an open file by the first of these programs that exists. @throws StorageError */
export function lockByProgram(
  fd: number,
  { file, path, sharing }: LockRequest,
  programs: readonly string[] = PROGRAMS,
): boolean {
  refuseNetwork(fs.statfsSync(file).type, path)
  const args = sharing === 'exclusive' ? ['-n', '3'] : ['-n', '-s', '3']
  for (const program of programs) {
    const { error, status, stderr } = spawnSync(program, args, {
      stdio: ['ignore', 'ignore', 'pipe', fd],
      encoding: 'utf8',
      timeout: PROGRAM_MS_MAX,
    })
    if (isSystemError(error) && error.code === 'ENOENT') continue
    if (error !== undefined) throw error
    if (status === 0) return true
    const words = stderr.trim()
    if (status === CONFLICT && words === '') return false
    throw new StorageError('io', path, cannotLock(path, `${program}: ${words || status}`))
  }
  const advice = 'install util-linux or busybox, or the package fs-ext'
  throw new StorageError('io', path, cannotLock(path, `there is no program flock: ${advice}`))
}

/** @throws StorageError if the type of file system is that of another machine's files */
export function refuseNetwork(type: number, path: string): void {
  // Signed on systems where the field has 32 bits.
  const name = NETWORK_TYPES.get(type >>> 0)
  if (name === undefined) return
  const words = `locks on ${name} need the package fs-ext or koffi, or use a local disk`
  throw new StorageError('io', path, cannotLock(path, words))
}

function openAndLock({ file, path, flags, mode, sharing }: LockRequest): number | null {
  const lock = process.platform === 'win32' ? WINDOWS_LOCK[sharing] : O_LOCK[sharing] | O_NONBLOCK
  try {
    return fs.openSync(file, flags | lock, mode)
  } catch (error) {
    if (isConflict(error)) return null
    throw storageError(error, path, 'open')
  }
}

/** A reader's open file keeps others from opening the file without sharing. */
const WINDOWS_LOCK = { shared: 0, exclusive: UV_FS_O_EXLOCK } as const

/** EBUSY: Windows, for a file that another process has opened without sharing. */
const CONFLICTS: ReadonlySet<string> = new Set(['EAGAIN', 'EWOULDBLOCK', 'EBUSY'])

const isConflict = (error: unknown): boolean => isSystemError(error) && CONFLICTS.has(error.code)

const cannotLock = (path: string, reason: string): string => `cannot lock \`${path}\`: ${reason}`
