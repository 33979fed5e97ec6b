// The ceilings of text analysis, each with its reason. They are part of what an index answers:
// changing one changes results, and needs the index built anew.
import { assert } from '../../format/errors.ts'

/**
 * Which analysis this is: counted up with every change of what a text gives, word lists and tables
 * included. What was indexed by another one is not found word for word. 1: words whole but for the
 * platform's. 2: Chinese and German word lists, one normal form for Chinese and Japanese.
 */
export const ANALYSIS_VERSION = 3
/**
 * Longest indexed term. Longer tokens keep their position but cannot be found: they are not words.
 */
export const TERM_BYTES_MAX = 250
/** Positions of one field of one document fit a u16; what comes after is not searchable. */
export const POSITIONS_MAX = 65536
/**
 * Position distance over a hard separator, and between two values of one field: never a near pair.
 */
export const WIDE_STEP = 8
/** Longest normalised facet string, in bytes. */
export const FACET_BYTES_MAX = 468
/**
 * A longer raw token is normalised each time it occurs: remembering it costs more than it saves.
 */
export const REMEMBERED_BYTES_MAX = 512

assert(TERM_BYTES_MAX < REMEMBERED_BYTES_MAX, 'every indexable ASCII token is remembered')
