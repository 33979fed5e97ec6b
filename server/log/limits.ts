// Limits of the log, each with its reason.

/** What waits for a reader of stderr that does not keep up: some ten thousand lines. */
export const STDERR_BYTES_MAX = 2 * 1024 * 1024
/** What waits for a reader of `/logs/stream`; past it lines are left out, and it is told so. */
export const STREAM_BYTES_MAX = 1024 * 1024
/** Entries of a profile are sent together: at this size, or after this time. */
export const PROFILE_FLUSH_BYTES = 8 * 1024
export const PROFILE_FLUSH_MS = 1000
/** How long the last lines may take when the process ends. */
export const LAST_LINES_MS = 1000
