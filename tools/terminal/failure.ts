// What a tool could not do: one line that says why and what to do, and exit code 2.

import { StorageError } from '../../engine/index.ts'
import { CorruptionError, VersionError } from '../../format/errors.ts'
import { systemFailureText } from './system-failure.ts'

/** The work could not be done. `message` is a sentence for people, with the way out. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'
}

/**
 * `error` as a ToolFailure when the world or the caller is to blame for it; null: a mistake of
 * ours.
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
