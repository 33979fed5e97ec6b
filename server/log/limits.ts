// Limits of the log, each with its reason.
import { KiB, MiB } from '../../format/bytes/index.ts'

/** What waits for a reader of stderr that does not keep up: some ten thousand lines. */
export const STDERR_BYTES_MAX = 2 * MiB
/** What waits for a reader of `/logs/stream`; past it lines are left out, and it is told so. */
export const STREAM_BYTES_MAX = MiB
/** Entries of a profile are sent together: at this size, or after this time. */
export const PROFILE_FLUSH_BYTES = 8 * KiB
export const PROFILE_FLUSH_MS = 1000
/** How long the last lines may take when the process ends. */
export const LAST_LINES_MS = 1000
