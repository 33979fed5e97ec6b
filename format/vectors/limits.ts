// Limits of a vectors segment and their reasons. Builders assert them, readers refuse values beyond
// them.
import { assert } from '../errors.ts'

/** Document ids are below this, as in the other layers: an `IdSet` is dense from id 0 on. */
export const DOCUMENT_IDS_MAX = 1 << 28

/** Most rows of one embedder in a segment; row numbers stay small integers in V8. */
export const ROWS_MAX = 1 << 26

/**
 * Most embedders of a segment: the settings allow 256 at a time, and removed ones may still be
 * stored.
 */
export const EMBEDDERS_MAX = 1024

/** Most vectors of one document for one embedder; the API documents this limit. */
export const DOCUMENT_ROWS_MAX = 256

/** Fragment number of a row without a fragment, if other rows of its embedder have one. */
export const NO_FRAGMENT = 255

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

assert(SHARED_ROWS_MIN >= CODED_ROWS_MIN, 'rows that threads share have codes')
assert(CODED_ROWS_MIN >= BLOCK_ROWS, 'the first block of codes is full')
assert(DOCUMENT_ROWS_MAX < ROWS_MAX, 'the rows of a document fit into a segment')
assert(NO_FRAGMENT <= 0xff, 'a fragment is one byte')
