// What a columns segment may hold, and why not more. Builders assert these, readers refuse beyond
// them.

/**
 * Document ids stay below this. An `IdSet` is dense from id 0 on, so a set takes at most 32 MiB
 * however a damaged file describes it.
 */
export const DOCUMENT_IDS_MAX = 1 << 28

/** Documents of a segment; merging stops below. Bounds what an opened segment may claim to hold. */
export const SEGMENT_DOCS_MAX = 1 << 24

/** Fields are u16. */
export const FIELD_IDS_MAX = 1 << 16

/**
 * Bytes of a normalised string; longer ones are cut by whoever normalises.
 */
export const STRING_BYTES_MAX = 468

/** Bytes of one original string; a document is far smaller than that. */
export const ORIGINAL_BYTES_MAX = 1 << 28

/** Bytes of all columns of one segment: offsets are u32 and stay in the range of small integers. */
export const DATA_BYTES_MAX = 2 ** 31 - 1
