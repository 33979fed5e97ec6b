// Limits of settings and their reasons.

/**
 * UTF-16 units of a word or phrase. Indexed words have at most 250 bytes, so longer ones match
 * nothing; ten thousand leave room for any phrase, and are normalised in a millisecond.
 */
export const WORD_UNITS_MAX = 10_000
/**
 * Words of a synonym, on either side. Ten words of a query are read, and for each sequence of its
 * words synonyms are looked up.
 */
export const SYNONYM_WORDS_MAX = 8
