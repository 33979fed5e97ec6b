// Limits of the codes of vectors and their reasons. Builders assert them, readers refuse values
// beyond them.
import { assert } from '../errors.ts'

/** Most rows of one embedder in a segment; row numbers stay small integers in V8. */
export const ROWS_MAX = 1 << 26

/**
 * Greatest number of dimensions, more than any model has. A scan holds about a dozen vectors of
 * this length.
 */
export const DIMENSIONS_MAX = 1 << 16

/** Codes of fewer rows are copied for each search, which is as fast as reading shared ones. */
export const SHARED_ROWS_MIN = 1024

/** Rows per block: one for each byte of a SIMD register. */
export const BLOCK_ROWS = 16
/**
 * An embedder with at least this many rows has codes; with fewer, comparing all rows exactly costs
 * as little.
 */
export const CODED_ROWS_MIN = 256

/**
 * From this many rows on, rows are in lists by the center they are nearest to, where that saves
 * reading. The codes of fewer rows are read in about a millisecond.
 */
export const LISTED_ROWS_MIN = 1 << 17
/** Most lists of an embedder: the square root of `ROWS_MAX`, and as many again. */
export const LISTS_MAX = 1 << 14

assert(LISTED_ROWS_MIN >= SHARED_ROWS_MIN, 'threads share the centers of lists')
assert(LISTS_MAX ** 2 >= ROWS_MAX, 'the square root of the rows is a number of lists')
assert(SHARED_ROWS_MIN >= CODED_ROWS_MIN, 'rows that threads share have codes')
assert(CODED_ROWS_MIN >= BLOCK_ROWS, 'the first block of codes is full')
