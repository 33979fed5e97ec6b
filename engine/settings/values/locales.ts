// The language codes that settings and searches accept. `engine/text` defines them.
import { LOCALES as CODES } from '../../text/index.ts'

/** Every accepted code, first of two letters, then of three, in the order of messages. */
export const LOCALES: readonly string[] = [...CODES.keys()]

/**
 * The accepted codes in the order of messages about query parameters: by length, then by alphabet.
 */
export const LOCALES_BY_ALPHABET: readonly string[] = [...LOCALES].sort(
  (a, b) => a.length - b.length || (a < b ? -1 : 1),
)

/** Returns the three-letter code of an accepted code, or undefined if it is not accepted. */
export const localeCode = (code: string): string | undefined => CODES.get(code)
