// Limits of the log, each with its reason.
import { KiB, MiB } from '../../format/bytes/index.ts'
import { assert } from '../../format/errors.ts'

/** Bytes that wait while the reader of stderr is too slow: some ten thousand lines. */
export const STDERR_BYTES_MAX = 2 * MiB
/**
 * Bytes that wait for a reader of `/logs/stream`; above it lines are dropped, and the reader is
 * notified.
 */
export const STREAM_BYTES_MAX = MiB
/** Entries of a profile are sent in groups: at this size, or after this time. */
export const PROFILE_FLUSH_BYTES = 8 * KiB
export const PROFILE_FLUSH_MS = 1000
/** Milliseconds that the last lines may take when the process ends. */
export const LAST_LINES_MS = 1000

assert(PROFILE_FLUSH_BYTES < STREAM_BYTES_MAX, 'a group of a profile may wait')
