// Ceilings of the task queue and their reasons.
import { GiB, KiB, MiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'
import { UID_NONE } from '../../../format/tasks/index.ts'

/** The last uid there can be; the one above stands for none. */
export const TASK_UID_MAX = UID_NONE - 1

/**
 * Past this many tasks the oldest finished ones are deleted, so that memory (100 B a task) stays
 * bounded.
 */
export const TASK_COUNT_MAX = 1_000_000
/** How many go at once: rarely enough not to be noticed, few enough for one record. */
export const AUTO_DELETION_COUNT = 100_000
/** Fewer finished tasks than this are not worth a deletion, which is a task itself. */
export const AUTO_DELETION_COUNT_MIN = 2

/** Writes are refused when this much of the log is needed: it is read as a whole at every start. */
export const QUEUE_BYTES_MAX = GiB
/**
 * … and when the log is this long, garbage included; it cannot grow past 2 GiB, and batches must
 * end.
 */
export const LOG_BYTES_MAX = 1792 * MiB

/** What may be on its way to the log at once; the log itself takes no more than 64 MiB. */
export const APPENDING_BYTES_MAX = 16 * MiB

/**
 * A body up to this size travels inside its record: cheaper than a file of its own, which costs two
 * syncs.
 */
export const INLINE_BODY_BYTES_MAX = 16 * KiB
/** … and up to this size once the queue is a quarter full, so that a million tasks fit. */
export const INLINE_BODY_BYTES_MAX_CROWDED = 512

/**
 * Decoded records of tasks, small bodies included, and of batches kept for reading again: what was
 * written lately is what is asked for. Small, so that a server which takes in documents all day has
 * as much memory after minutes as after hours: 24 MiB took a quarter of an hour to fill.
 */
export const TASK_CACHE_BYTES_MAX = 4 * MiB
export const BATCH_CACHE_BYTES_MAX = 2 * MiB

/** How long the scheduler waits after the task log refused a record before it tries again. */
export const RETRY_PAUSE_MS = 10_000

assert(LOG_BYTES_MAX + 2 * APPENDING_BYTES_MAX < 0x7fffffff, 'there is room for batches to end')

/** A log below this is never rewritten: it opens in no time. */
export const REWRITE_BYTES_MIN = 4 * MiB
/**
 * Share of a log that is garbage when rewriting it pays: each byte is then copied once on average.
 */
export const REWRITE_GARBAGE_SHARE = 0.5
/** The same for a log of more than half of `LOG_BYTES_MAX`, where room is worth more. */
export const REWRITE_GARBAGE_SHARE_LONG = 0.2
/**
 * A log up to this size is rewritten at once when a task with a secret has ended: 0.2 s of work in
 * slices. In a longer one the secret goes with the next rewrite.
 */
export const REWRITE_FOR_SECRET_BYTES_MAX = 64 * MiB

/** The largest limit of a page: one more is fetched, and the sum must stay a u32. */
export const PAGE_LIMIT_MAX = 0xfffffffe
