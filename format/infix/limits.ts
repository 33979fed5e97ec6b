// Limits of the index of grams, with their reasons.

/**
 * Characters of a gram, so a text of fewer cannot be looked up. Of two characters there are some
 * hundred grams in Latin script, each in a tenth of all terms: their lists would take as much room
 * and say next to nothing.
 */
export const GRAM_CHARS = 3
/** Longest gram in bytes: a character has up to four. */
export const GRAM_BYTES_MAX = GRAM_CHARS * 4
/** Longest text whose grams are listed, in bytes; no term is longer. */
export const GRAM_TEXT_BYTES_MAX = 250
/**
 * A further list is read only if it has at most this many bytes for each term that is left: 128
 * bytes take as long to decode as the key of a term takes to be compared.
 */
export const LIST_BYTES_A_TERM = 128
