// Ceilings of publishing and their reasons.
import { KiB, MiB } from '../../format/bytes/index.ts'

/** Checksums of so many bytes are counted without a thread: 20 ms, a block at a time. */
export const DIGEST_BYTES_MAX = 16 * MiB
/** How often old states are removed from the store. */
export const RETENTION_MS = 60_000
/** What publishing for the last time may take when the process is told to stop. */
export const LAST_MS = 10_000
/** For how long a request is tried again; the next attempt publishes what there is then. */
export const RETRY_MS_MAX = 10_000
/** States that stay however old: a follower may have begun to fetch one of them. */
export const KEPT_MIN = 3
/** A piece of the task log: half of it is sent for nothing, on average; its name takes 90 bytes. */
export const PIECE_BYTES = 512 * KiB
