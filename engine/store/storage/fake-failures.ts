// What can go wrong on a FakeDisk, and how it is asked for.
import type { StorageError } from '../../model/index.ts'
import { storageError } from './errno.ts'

export type FakeOperation =
  | 'open'
  | 'read'
  | 'write'
  | 'truncate'
  | 'sync'
  | 'close'
  | 'look'
  | 'list'
  | 'make'
  | 'sync-folder'
  | 'rename'
  | 'remove'
  | 'map'

export type Fault = {
  readonly on: FakeOperation
  readonly errno: 'EIO' | 'ENOSPC' | 'EMFILE' | 'EACCES' | 'EROFS'
  /** Part of the path; all paths when absent. */
  readonly path?: string
  /** How many matching operations succeed first; 0 when absent. */
  readonly after?: number
  /** How many fail then; 1 when absent. */
  readonly times?: number
  /** For writes: how many bytes are written before it fails; 0 when absent. */
  readonly part?: number
  /**
   * For syncs: sectors that are not written hold neither old nor new bytes on disk; false when
   * absent.
   */
  readonly ruins?: boolean
}

/**
 * Thrown by everything once the power is off; no code under test may take it for an ordinary
 * failure.
 */
export class PowerOff extends Error {
  override readonly name = 'PowerOff'
}

/** The StorageError that this errno would have come out as. */
export function systemError(errno: string, path: string, action: string): StorageError {
  const error = Object.assign(new Error(`${errno}: injected`), { code: errno, errno: -1 })
  return storageError(error, path, action)
}
