// Errors of the operating system; the only place that interprets an errno.
import { type StorageCode, StorageError } from './errors.ts'

const CODES: { readonly [errno: string]: StorageCode } = {
  ENOSPC: 'no_space',
  EDQUOT: 'no_space',
  EMFILE: 'too_many_open_files',
  ENFILE: 'too_many_open_files',
  EACCES: 'permission',
  EPERM: 'permission',
  EROFS: 'permission',
  ENOENT: 'missing',
  EEXIST: 'exists',
}

/** Returns the code of an errno, or of an error without one. */
export const storageCodeOf = (errno: string): StorageCode => CODES[errno] ?? 'io'

/** Node's code for a thread that did not start: its pipes need descriptors. */
const THREAD_DID_NOT_START = 'ERR_WORKER_INIT_FAILED'

/** Codes of a machine or a disk that is at its limits or fails. */
const SCARCE: ReadonlySet<string> = new Set([
  'ENOSPC',
  'EDQUOT',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'EIO',
  THREAD_DID_NOT_START,
])

/** Returns true if an error came from the operating system: it has an errno and a code. */
export const isSystemError = (error: unknown): error is NodeJS.ErrnoException & { code: string } =>
  error instanceof Error && 'errno' in error && 'code' in error && typeof error.code === 'string'

/**
 * Returns the error as a StorageError if the machine or its disk is at its limits: Node reports
 * such failures also where no file of the database is concerned, for example when a thread starts.
 * Other errors are returned unchanged.
 */
export function withScarcity(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (error instanceof StorageError || !SCARCE.has(code)) return error
  if (code === THREAD_DID_NOT_START) {
    const words = `a thread could not start (${code})`
    return new StorageError('too_many_open_files', '', words, { cause: error })
  }
  const words = `the operating system refused a call of the server (${code})`
  return new StorageError(storageCodeOf(code), '', words, { cause: error })
}

/** Codes of failures that end without a change of the database: the same work can then succeed. */
const PASSING: ReadonlySet<StorageCode> = new Set([
  'no_space',
  'too_many_open_files',
  'permission',
  'io',
])

/** Returns true for a failure of the machine or its disk that an operator can end. */
export const isPassing = (error: unknown): error is StorageError =>
  error instanceof StorageError && PASSING.has(error.code)
