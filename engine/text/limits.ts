// The limits of text analysis, each with its reason. They affect search results: changing one
// requires that indexes are built again.
import { assert } from '../../format/errors.ts'

/**
 * The version of the analysis: raised with every change of the tokens of a text, word lists and
 * tables included. Words that another version indexed may not be found. 1: words whole except for
 * those of the platform's segmenter. 2: Chinese and German word lists, one normal form for Chinese
 * and Japanese. 3: variants of characters stay apart where a rule names Japanese. 4: stop words have
 * terms; compatibility forms, invisible characters, signs beside words, ß ø ł and the like. 5: ends
 * of list elements, dots before words and parts of words have terms; emoji are words. 6: compounds of
 * Dutch, Danish, Swedish and Norwegian. 7: digits in Thai, Khmer and Lao, more signs and pictures
 * (★), letters with hooks and bars, signs in compatibility forms. Values of fields have a version of their own
 * (`engine/store/layers/columns.ts`).
 */
export const ANALYSIS_VERSION = 7
/**
 * Longest indexed term. Longer tokens keep their position but cannot be found: they are not words.
 */
export const TERM_BYTES_MAX = 250
/**
 * Positions of one field of one document fit a u16. Words behind them share the last one: they are
 * found, and no order among them is known.
 */
export const POSITIONS_MAX = 65536
/**
 * Distance of positions across a hard separator, and between two values of one field: too far for
 * words to count as near.
 */
export const WIDE_STEP = 8
/** Longest normalised facet string, in bytes. */
export const FACET_BYTES_MAX = 468
/** Bytes of a longer one that are stored: the hash behind them takes eleven characters of three. */
export const FACET_HEAD_BYTES = FACET_BYTES_MAX - 33
/**
 * UTF-16 units that are read of a facet string. Half of them are enough for its longest form, since
 * every character becomes a byte or more; a sigma at its end depends on characters behind it.
 */
export const FACET_UNITS_READ_MAX = 4 * FACET_BYTES_MAX
/** Rules of stems in one index: their numbers, from 1, take three bits of a raw token's tag. */
export const STEMMINGS_MAX = 7
/** A longer raw token is normalised each time it occurs: caching it costs more than it saves. */
export const REMEMBERED_BYTES_MAX = 512

assert(TERM_BYTES_MAX < REMEMBERED_BYTES_MAX, 'every indexable ASCII token is remembered')

assert(FACET_UNITS_READ_MAX >= 2 * FACET_BYTES_MAX, 'enough is read for the longest facet string')
