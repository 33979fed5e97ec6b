// Limits of tombstones and their reasons.

/**
 * Most documents of one segment, so the most that can be dead in it. Mapped files are below 2 GiB,
 * which leaves less than 32 bytes per document at this count. It also bounds the memory that a few
 * bytes of runs can request.
 */
export const SEGMENT_DOCUMENTS_MAX = 1 << 26
