// Limits of the metrics, each with its reason.

/**
 * Unrouted paths that are counted separately, because clients choose them; further ones are counted
 * together.
 */
export const STRAY_PATHS_MAX = 100
/** Characters shown of such a path. */
export const STRAY_PATH_CHARS_MAX = 100
/** How long the values of a finished batch of documents are shown, in addition to its duration. */
export const LAST_BATCH_SHOWN_MS = 5 * 60_000
