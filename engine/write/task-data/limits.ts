// Limits of the task queue and their reasons.
import { GiB, KiB, MiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'
import { UID_NONE } from '../../../format/tasks/index.ts'

/** The greatest uid; the next number means no task. */
export const TASK_UID_MAX = UID_NONE - 1

/**
 * Number of tasks beyond which the oldest finished ones are deleted, to bound memory (100 B a
 * task).
 */
export const TASK_COUNT_MAX = 1_000_000
/** Tasks deleted at a time: enough to make deletions rare, few enough for one record. */
export const AUTO_DELETION_COUNT = 100_000
/** With fewer finished tasks than this, no deletion is enqueued, because it is a task itself. */
export const AUTO_DELETION_COUNT_MIN = 2

/**
 * Bytes of needed records at which writes are refused: the log is read as a whole at every start.
 */
export const QUEUE_BYTES_MAX = GiB
/**
 * Bytes of the whole log, garbage included, at which writes are refused: it cannot grow past 2 GiB,
 * and batches must be able to end.
 */
export const LOG_BYTES_MAX = 1792 * MiB

/** Bytes that may be passed to the log at a time; the log itself accepts at most 64 MiB. */
export const APPENDING_BYTES_MAX = 16 * MiB

/**
 * Bytes of the largest body stored inside its record: cheaper than a separate file, which costs two
 * syncs.
 */
export const INLINE_BODY_BYTES_MAX = 16 * KiB
/** The same limit once the queue is a quarter full, so that a million tasks fit. */
export const INLINE_BODY_BYTES_MAX_CROWDED = 512

/**
 * Bytes of cached decoded records of tasks, small bodies included, and of batches: recent ones are
 * requested most. Small, so that a server which accepts documents all day uses as much memory after
 * minutes as after hours.
 */
export const TASK_CACHE_BYTES_MAX = 4 * MiB
export const BATCH_CACHE_BYTES_MAX = 2 * MiB

/**
 * Milliseconds that the scheduler waits after the disk or the machine has refused a batch: short at
 * first, because connections that use up the descriptors may end at any time; then longer, because
 * each attempt repeats the whole work of the batch.
 */
export const RETRY_PAUSE_MS_MIN = 500
export const RETRY_PAUSE_MS_MAX = 30_000
export const RETRY_PAUSE_GROWTH = 2

/**
 * Bytes of bodies, and documents, of a batch that may run beside a long one: little enough work that
 * the long one hardly notices it, and that the next small one waits for milliseconds.
 */
export const SMALL_BATCH_BYTES_MAX = 256 * KiB
export const SMALL_BATCH_DOCUMENTS_MAX = 256
/**
 * Bytes of bodies, and documents or ids, from which a batch is long as soon as it begins: writes
 * behind it would wait for a noticeable time.
 */
export const LONG_BATCH_BYTES_MIN = 2 * MiB
export const LONG_BATCH_DOCUMENTS_MIN = 5000
/**
 * Milliseconds after which any other batch is long, such as a change of settings. Batches of small
 * requests end before, so that these run one after another as in Meilisearch.
 */
export const LONG_BATCH_MS_MIN = 500

/** Bytes below which a log is never rewritten, because it opens fast enough. */
export const REWRITE_BYTES_MIN = 4 * MiB
/** Share of garbage in a log that triggers a rewrite: each byte is then copied once on average. */
export const REWRITE_GARBAGE_SHARE = 0.5
/** The same share for a log longer than half of `LOG_BYTES_MAX`, where space is scarce. */
export const REWRITE_GARBAGE_SHARE_LONG = 0.2
/**
 * Bytes up to which a log is rewritten immediately when a task with a secret has ended: 0.2 s of
 * work in slices. In a longer log the secret disappears with the next rewrite.
 */
export const REWRITE_FOR_SECRET_BYTES_MAX = 64 * MiB

/**
 * Changes of tasks that may wait until they are sent to a follower of the queue; beyond it the
 * follower loses them and has to read the lists again.
 */
export const FEED_TASKS_MAX = 100_000
/** Milliseconds between two reports of the progress of a batch: a person reads no faster. */
export const FEED_PROGRESS_MS = 250

/** The largest limit of a page: one more is fetched, and the sum must fit a u32. */
export const PAGE_LIMIT_MAX = 0xfffffffe

assert(QUEUE_BYTES_MAX < LOG_BYTES_MAX, 'the log holds the needed records of a full queue')
assert(
  TASK_COUNT_MAX * INLINE_BODY_BYTES_MAX_CROWDED <= QUEUE_BYTES_MAX,
  'a million small bodies fit the queue',
)
assert(INLINE_BODY_BYTES_MAX_CROWDED < INLINE_BODY_BYTES_MAX, 'a crowded queue stores less inline')
assert(
  INLINE_BODY_BYTES_MAX <= APPENDING_BYTES_MAX,
  'a record with its body may be passed to the log',
)
assert(INLINE_BODY_BYTES_MAX <= TASK_CACHE_BYTES_MAX, 'the cache holds a record with its body')
assert(AUTO_DELETION_COUNT < TASK_COUNT_MAX, 'a deletion leaves tasks')
assert(AUTO_DELETION_COUNT_MIN < AUTO_DELETION_COUNT, 'a deletion frees more than it takes')
assert(SMALL_BATCH_BYTES_MAX < LONG_BATCH_BYTES_MIN, 'no small batch is long by its bytes')
assert(SMALL_BATCH_DOCUMENTS_MAX < LONG_BATCH_DOCUMENTS_MIN, 'nor by its documents')
assert(RETRY_PAUSE_MS_MIN < RETRY_PAUSE_MS_MAX && RETRY_PAUSE_GROWTH > 1, 'pauses grow')
assert(REWRITE_BYTES_MIN < LOG_BYTES_MAX / 2, 'a log is rewritten before it is long')
assert(REWRITE_GARBAGE_SHARE_LONG < REWRITE_GARBAGE_SHARE, 'a long log is rewritten earlier')
assert(
  QUEUE_BYTES_MAX < (1 - REWRITE_GARBAGE_SHARE_LONG) * LOG_BYTES_MAX,
  'a full queue leaves garbage to rewrite before the log is full',
)
