// Ceilings of tombstones and their reasons.

/**
 * The most documents of one segment, so the most that can be dead in it. Mapped files end below 2
 * GiB, which leaves less than 32 bytes a document at this count; and a few bytes of runs never ask
 * for more memory than a set of that size.
 */
export const SEGMENT_DOCUMENTS_MAX = 1 << 26
