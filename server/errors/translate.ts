// Translates any failure into the error that a client gets: the only place where the three families
// of failures meet the catalogue. A failure outside of the families is a defect of ours.
import { EngineFault, StorageError, withScarcity } from '../../engine/index.ts'
import { CorruptionError, VersionError } from '../../format/errors.ts'
import { ApiError } from './api-error.ts'
import type { ErrorCode } from './catalogue.ts'

const STORE_SENTENCE =
  'This error generally happens when you have no space left on device or when your database ' +
  "doesn't have read or write right."

/** Returns the failure as an ApiError; an ApiError is returned unchanged. */
export function toApiError(thrown: unknown): ApiError {
  const failure = withScarcity(thrown)
  if (failure instanceof ApiError) return failure
  if (failure instanceof EngineFault) {
    // The type makes a fault whose code is not in the catalogue a compile error.
    const code: ErrorCode = failure.code
    return new ApiError(code, failure.message, undefined, { cause: failure })
  }
  if (failure instanceof StorageError) return ofStorage(failure.code, failure.message, failure)
  if (failure instanceof CorruptionError || failure instanceof VersionError) {
    return ofStorage('corrupt', failure.message, failure)
  }
  return ofOurs(failure)
}

const ofStorage = (code: StorageError['code'], message: string, cause: unknown): ApiError => {
  const [ours, sentence] = storageEntry(code, message)
  return new ApiError(ours, sentence, undefined, { cause })
}

const storageEntry = (
  code: StorageError['code'],
  message: string,
): readonly [ErrorCode, string] => {
  switch (code) {
    case 'no_space':
      return [
        'no_space_left_on_device',
        'There is no more space left on the device. ' +
          'Consider increasing the size of the disk/partition.',
      ]
    case 'too_many_open_files':
      return ['too_many_open_files', message]
    case 'corrupt':
    case 'version':
      return ['invalid_store_file', 'The database file is in an invalid state.']
    case 'permission':
    case 'missing':
    case 'locked':
    case 'exists':
    case 'short_file':
    case 'too_large':
    case 'io':
      return ['io_error', `${withoutStop(message)}. ${STORE_SENTENCE}`]
    default:
      // At worst a code stored by another version.
      code satisfies never
      return ['io_error', `${withoutStop(message)}. ${STORE_SENTENCE}`]
  }
}

const withoutStop = (message: string): string => message.replace(/\.$/, '')

/** The message reveals no internals: the cause is for the log. */
const ofOurs = (cause: unknown): ApiError =>
  new ApiError('internal', 'An internal error has occurred.', undefined, { cause })
