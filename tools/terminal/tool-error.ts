// The failure of a command: one line with the reason and the remedy, and exit code 2.

import { StorageError } from '../../engine/index.ts'
import { CorruptionError, VersionError } from '../../format/errors.ts'
import { systemFailureText } from './system-failure.ts'

/** The command failed. `message` is a sentence for people, with the remedy. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

/**
 * Converts `error` to a ToolError if the system or the caller caused it; returns null for a
 * defect.
 */
export function toolErrorOf(error: unknown): ToolError | null {
  if (error instanceof ToolError) return error
  const refused = systemFailureText(error)
  if (refused !== null) return new ToolError(refused)
  const worldly =
    error instanceof StorageError ||
    error instanceof CorruptionError ||
    error instanceof VersionError
  return worldly ? new ToolError(error.message) : null
}
