// Temporary failures: of the store, of the disk, or of the published state; and the pauses after
// them.
import { CorruptionError, VersionError } from '../../../format/errors.ts'
import { ArchiveError } from '../../backup/archive/index.ts'
import { EngineFault, StorageError } from '../../model/index.ts'
import { PAUSE_MS_MAX } from './limits.ts'
import { ForeignSnapshot } from './snapshot-files.ts'

/** Returns whether the next attempt may succeed; any other error is a programming error. */
export const mayPass = (error: unknown): error is Error =>
  error instanceof EngineFault ||
  error instanceof StorageError ||
  error instanceof ArchiveError ||
  error instanceof ForeignSnapshot ||
  error instanceof CorruptionError ||
  error instanceof VersionError

/** Returns the usual pause, doubled by each failure in a row, at most half a minute. */
export const pauseAfter = (failures: number, pollMs: number): number =>
  failures === 0 ? pollMs : Math.min(pollMs * 2 ** failures, PAUSE_MS_MAX)
