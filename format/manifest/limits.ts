// Ceilings of edits and their reasons.

/** A field id is a u16 in every layer. */
export const FIELDS_MAX = 65536

/** What the interface allows for the uid of an index, in bytes; ours are ASCII. */
export const INDEX_UID_BYTES_MAX = 512

/** The largest file that can be mapped: the binding takes the length as a signed 32-bit number. */
export const SEGMENT_BYTES_MAX = 0x7fffffff

/** Longer than any word for what a layer holds. */
export const LAYER_NAME_MAX = 32

export const U32_MAX = 0xffffffff
