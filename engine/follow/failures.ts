// Failures that pass: of the store, of the disk, or of what was published.
import { CorruptionError, VersionError } from '../../format/errors.ts'
import { ArchiveError } from '../backup/archive/index.ts'
import { EngineFault, StorageError } from '../model/index.ts'
import { ForeignSnapshot } from './snapshot-files.ts'

/** Whether the next attempt may do better; anything else is a mistake of ours. */
export const mayPass = (error: unknown): error is Error =>
  error instanceof EngineFault ||
  error instanceof StorageError ||
  error instanceof ArchiveError ||
  error instanceof ForeignSnapshot ||
  error instanceof CorruptionError ||
  error instanceof VersionError
