// Limits of the storage layer and their reasons.
import { KiB, MiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'
import { FRAME_PAGE_BYTES } from '../../../format/frame/index.ts'
import { LOG_PAYLOAD_BYTES_MAX } from '../../../format/log/index.ts'

/** Longest mapping: the binding takes the length as a signed 32-bit number. */
export const MAP_BYTES_MAX = 0x7fffffff

/**
 * Bytes of a file that are read at a time where files cannot be mapped: reading fewer takes as
 * long, and more would be read for nothing when postings of single words are used.
 */
export const LAZY_CHUNK_BYTES = 64 * KiB

/**
 * Most bytes of a thread's files in memory where files cannot be mapped: a database of a million
 * short documents. Files beyond that are read again.
 */
export const LOADED_BYTES_MAX = 256 * MiB

/**
 * Most bytes of waiting appends of a log. More means that the disk has stopped; memory must not
 * grow with it.
 */
export const LOG_QUEUE_BYTES_MAX = 64 * MiB

/**
 * Largest write of a log; a larger group gains nothing, since writing then takes longer than
 * syncing.
 */
export const LOG_GROUP_BYTES_MAX = 4 * MiB

/**
 * Longest log: it is read as a whole when it is opened. Writers of logs start a new file long
 * before this.
 */
export const LOG_FILE_BYTES_MAX = 0x7fffffff

/** Less free space than this counts as a full disk: a log allocates this much in one step. */
export const FREE_BYTES_MIN = MiB
/**
 * Milliseconds for which a folder that was found sound is not looked at again: many requests for
 * the health, as of load balancers, cost one look.
 */
export const HEALTHY_MS = 50
/** Shortest interval in ms between two recoveries of a failed log that health checks start. */
export const RECOVERY_PAUSE_MS = 1000

/** Zeros allocated after a log's end: a quarter of its length, but at least this… */
export const LOG_ROOM_BYTES_MIN = 64 * KiB
/** …and at most this, which a sync writes in a few milliseconds. */
export const LOG_ROOM_BYTES_MAX = MiB

/** Buffer of a sequential writer: large enough that the cost of system calls does not matter. */
export const WRITE_BUFFER_BYTES = 256 * KiB

/** Bytes of a large file read at a time: some milliseconds of disk time and little memory. */
export const STREAM_CHUNK_BYTES = 256 * KiB

assert(LOG_GROUP_BYTES_MAX < LOG_QUEUE_BYTES_MAX, 'a group fits into the queue')

assert(LOG_ROOM_BYTES_MIN <= LOG_ROOM_BYTES_MAX, 'the room of a log has bounds in order')
assert(LOG_ROOM_BYTES_MAX <= FREE_BYTES_MIN, 'a disk that is not full has room for a log')
assert(LAZY_CHUNK_BYTES % FRAME_PAGE_BYTES === 0, 'a read loads whole pages')
assert(LAZY_CHUNK_BYTES < LOADED_BYTES_MAX, 'a chunk may be loaded')
assert(LOG_PAYLOAD_BYTES_MAX < LOG_FILE_BYTES_MAX, 'the largest record fits into a log')
