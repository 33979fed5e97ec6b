// The failures that a FakeDisk can inject.
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
  /** Part of the path; all paths match if it is absent. */
  readonly path?: string
  /** Number of matching operations that succeed first; 0 if absent. */
  readonly after?: number
  /** Number of operations that then fail; 1 if absent. */
  readonly times?: number
  /** For writes: number of bytes that are written before the failure; 0 if absent. */
  readonly part?: number
  /**
   * For syncs: if true, unwritten sectors hold neither old nor new bytes on disk; false if absent.
   */
  readonly ruins?: boolean
}

/**
 * Thrown by every operation once the power is off. Code under test must not handle it as an
 * ordinary failure.
 */
export class PowerOff extends Error {
  override readonly name = 'PowerOff'
}

/** Returns the StorageError that this errno would cause. */
export function systemError(errno: string, path: string, action: string): StorageError {
  const error = Object.assign(new Error(`${errno}: injected`), { code: errno, errno: -1 })
  return storageError(error, path, action)
}
