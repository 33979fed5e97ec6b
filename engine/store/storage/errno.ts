// Converts system errors to StorageErrors.
import { isSystemError, type StorageCode, StorageError, storageCodeOf } from '../../model/index.ts'

const WORDS: { readonly [code in StorageCode]?: string } = {
  no_space: 'no space left on the device',
  too_many_open_files: 'too many open files',
  permission: 'permission denied',
  missing: 'no such file',
  exists: 'there is a file of that name already',
}

/** Clearer reasons than the system's own words, by errno. */
const REASONS: { readonly [errno: string]: string } = {
  ENOTDIR: 'a part of the path is a file, not a folder',
  EROFS: 'the file system is read-only',
}

/**
 * Returns a StorageError that names the action, the path and the reason. `action` is a verb such as
 * `write` or `open`; `root` is the name of the folder for an empty path.
 */
export function storageError(
  error: unknown,
  path: string,
  action: string,
  root = 'the database folder',
): StorageError {
  if (error instanceof StorageError) return error
  const errno = isSystemError(error) ? error.code : ''
  const code = storageCodeOf(errno)
  const reason =
    REASONS[errno] ?? WORDS[code] ?? (error instanceof Error ? error.message : String(error))
  const place = path === '' ? root : `\`${path}\``
  const name = errno === '' ? '' : ` (${errno})`
  return new StorageError(code, path, `cannot ${action} ${place}: ${reason}${name}`, {
    cause: error,
  })
}

/** Runs `work` and converts system errors to StorageErrors. `root`: see `storageError`. */
export function guarded<T>(path: string, action: string, work: () => T, root?: string): T {
  try {
    return work()
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw storageError(error, path, action, root)
  }
}

/** Runs a callback function of `node:fs` as a promise that rejects with a StorageError. */
export function promised<T>(
  path: string,
  action: string,
  work: (done: (error: NodeJS.ErrnoException | null, value?: T) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    work((error, value) => {
      if (error) reject(storageError(error, path, action))
      else resolve(value as T)
    })
  })
}

/** Returns the error for an open file whose path leads to another file or to nothing. */
export function goneError(path: string): StorageError {
  const words = `\`${path}\` was removed or replaced while it was open`
  return new StorageError('missing', path, words)
}
