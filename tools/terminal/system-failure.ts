// Describes an error of the operating system: the file or folder, and the remedy.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'

type SystemError = Error & { readonly code: string; readonly path: string }

const isSystemError = (error: unknown): error is SystemError =>
  error instanceof Error &&
  'errno' in error &&
  'code' in error &&
  'path' in error &&
  typeof error.path === 'string'

/** Returns null if the error is not about a path. */
export function systemFailureText(error: unknown): string | null {
  if (!isSystemError(error)) return null
  const { code, path, message } = error
  const folder = dirname(path)
  if (code === 'ENOENT' && !existsSync(folder)) {
    return `there is no folder \`${folder}\` for \`${path}\`: create it first (mkdir -p), or name another`
  }
  const reason = REASONS[code]
  return reason === undefined ? `${message}` : `\`${path}\` ${reason}`
}

const REASONS: { readonly [errno: string]: string } = {
  ENOENT: 'does not exist: check the path',
  EACCES: 'is not accessible to this user: choose another path, or run as the user that owns it',
  EPERM: 'is not accessible to this user: choose another path, or run as the user that owns it',
  EISDIR: 'is a folder: name a file',
  ENOTDIR: 'leads through a file as if it were a folder: check the path',
  EROFS: 'is on a read-only file system: choose another path',
  ENOSPC: 'cannot be written, the disk is full: free space, or choose another path',
  EDQUOT: 'cannot be written, the quota is used up: free space, or choose another path',
}
