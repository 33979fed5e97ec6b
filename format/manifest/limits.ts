// Limits of edits and their reasons.

/** Longest uid of an index in bytes, as the API allows; uids are ASCII. */
export const INDEX_UID_BYTES_MAX = 512

/** Largest segment: the binding for mapped files takes the length as a signed 32-bit number. */
export const SEGMENT_BYTES_MAX = 0x7fffffff

/** Longest name of a layer, longer than any reasonable one. */
export const LAYER_NAME_MAX = 32

export const U32_MAX = 0xffffffff
