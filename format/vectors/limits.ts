// Limits of a vectors segment and their reasons. Builders assert them, readers refuse values beyond
// them.
import { assert } from '../errors.ts'
import { ROWS_MAX } from '../vector-codes/index.ts'

/** Document ids are below this, as in the other layers: an `IdSet` is dense from id 0 on. */
export const DOCUMENT_IDS_MAX = 1 << 28

/**
 * Most embedders of a segment: the settings allow 256 at a time, and removed ones may still be
 * stored.
 */
export const EMBEDDERS_MAX = 1024

/** Most vectors of one document for one embedder; the API documents this limit. */
export const DOCUMENT_ROWS_MAX = 256

/** Fragment number of a row without a fragment, if other rows of its embedder have one. */
export const NO_FRAGMENT = 255

assert(DOCUMENT_ROWS_MAX < ROWS_MAX, 'the rows of a document fit into a segment')
assert(NO_FRAGMENT <= 0xff, 'a fragment is one byte')
