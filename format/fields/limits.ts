// Limits of a columns segment and their reasons. Builders assert them, readers refuse values beyond
// them.
import { assert } from '../errors.ts'

/**
 * Document ids are below this. An `IdSet` is dense from id 0 on, so this bounds a set to 32 MiB for
 * any content of a damaged file.
 */
export const DOCUMENT_IDS_MAX = 1 << 28

/** Most documents of a segment; merging stops at fewer. Bounds the counts in a damaged file. */
export const SEGMENT_DOCS_MAX = 1 << 24

/** Number of field ids: they are u16. */
export const FIELD_IDS_MAX = 1 << 16

/** Longest normalised string in bytes; `Normalise` cuts longer ones. */
export const STRING_BYTES_MAX = 468

/** Longest original string in bytes; documents are far smaller than this. */
export const ORIGINAL_BYTES_MAX = 1 << 28

/** Largest size of a segment's columns in bytes: offsets are u32 and stay small integers in V8. */
export const DATA_BYTES_MAX = 2 ** 31 - 1

assert(SEGMENT_DOCS_MAX <= DOCUMENT_IDS_MAX, 'each document of a segment has an id')
assert(ORIGINAL_BYTES_MAX < DATA_BYTES_MAX, 'the longest string fits into a segment')
