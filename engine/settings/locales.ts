// The language codes that settings and searches accept, as lists and one by one. The codes are
// those that `engine/text` knows.
import { LOCALES as CODES } from '../text/index.ts'

/** Every accepted code, of two letters, then of three, in the order of messages. */
export const LOCALES: readonly string[] = [...CODES.keys()]

/** The accepted codes as a query parameter's message lists them: each length by alphabet. */
export const LOCALES_BY_ALPHABET: readonly string[] = [...LOCALES].sort(
  (a, b) => a.length - b.length || (a < b ? -1 : 1),
)

/** The three-letter code of an accepted code; undefined when it is not accepted. */
export const localeCode = (code: string): string | undefined => CODES.get(code)
