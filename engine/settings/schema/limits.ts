// Limits of settings and their reasons.

/**
 * UTF-16 units of a word or phrase. Indexed words have at most 250 bytes, so longer ones match
 * nothing; ten thousand leave room for any phrase, and are normalised in a millisecond.
 */
export const WORD_UNITS_MAX = 10_000
