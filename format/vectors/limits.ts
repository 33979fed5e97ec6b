// Limits of a vectors segment and their reasons. Builders assert them, readers refuse values beyond
// them.

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
