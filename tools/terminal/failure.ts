// The failure of a command: one line with the reason and the remedy, and exit code 2.

import { StorageError } from '../../engine/index.ts'
import { CorruptionError, VersionError } from '../../format/errors.ts'
import { systemFailureText } from './system-failure.ts'

/** The command failed. `message` is a sentence for people, with the remedy. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'
}

/**
 * Converts `error` to a ToolFailure if the system or the caller caused it; returns null for a
 * defect.
 */
export function toolFailureOf(error: unknown): ToolFailure | null {
  if (error instanceof ToolFailure) return error
  const refused = systemFailureText(error)
  if (refused !== null) return new ToolFailure(refused)
  const worldly =
    error instanceof StorageError ||
    error instanceof CorruptionError ||
    error instanceof VersionError
  return worldly ? new ToolFailure(error.message) : null
}
