// Support for tests: codes of typed errors.
import { EngineFault, StorageError } from '../model/index.ts'

/** Returns the code of the typed error that `work` throws, or `none`. Other errors are thrown. */
export function codeOf(work: () => unknown): string {
  try {
    work()
    return 'none'
  } catch (error) {
    if (error instanceof StorageError || error instanceof EngineFault) return error.code
    throw error
  }
}
