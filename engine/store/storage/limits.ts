// Ceilings of the storage layer and their reasons.
import { KiB, MiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'

/** The binding takes the length of a mapping as a signed 32-bit number. */
export const MAP_BYTES_MAX = 0x7fffffff

/** Waiting appends of a log; more means that the disk has stopped, and memory must not follow. */
export const LOG_QUEUE_BYTES_MAX = 64 * MiB

/**
 * One write of a log; a larger group gains nothing, since writing then takes longer than syncing.
 */
export const LOG_GROUP_BYTES_MAX = 4 * MiB

/**
 * A log is read as a whole when it is opened; whoever writes one starts a new file long before
 * this.
 */
export const LOG_FILE_BYTES_MAX = 0x7fffffff

/** Less free space than this counts as none: a log asks for so much at once. */
export const FREE_BYTES_MIN = MiB
/** How often a log that has failed is recovered because somebody asked for its health. */
export const RECOVERY_PAUSE_MS = 1000

/** Zeros laid down in front of a log's end: a quarter of what it holds, but at least this… */
export const LOG_ROOM_BYTES_MIN = 64 * KiB
/** …and at most this, which a sync writes in a few milliseconds. */
export const LOG_ROOM_BYTES_MAX = MiB

/**
 * What a sequential writer gathers before it writes: large enough that the system call does not
 * show.
 */
export const WRITE_BUFFER_BYTES = 256 * KiB

/** What is read of a large file at once: some milliseconds of disk, nothing to memory. */
export const STREAM_CHUNK_BYTES = 256 * KiB

assert(LOG_GROUP_BYTES_MAX < LOG_QUEUE_BYTES_MAX, 'a group fits into the queue')
