// The length of words and phrases in settings: they are normalised on the main thread, and by every
// thread that reads the settings.
import { EngineFault, type FaultCode } from '../../model/index.ts'
import { WORD_UNITS_MAX } from './limits.ts'

/** Returns a check that refuses a word or phrase that is too long. */
export const refuseLongWords =
  (code: FaultCode) =>
  (words: readonly string[]): void => {
    const long = words.find(({ length }) => length > WORD_UNITS_MAX)
    if (long === undefined) return
    throw new EngineFault(
      code,
      `A word or phrase has ${long.length} characters: at most ${WORD_UNITS_MAX} are allowed.`,
    )
  }
