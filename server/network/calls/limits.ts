// Limits of the communication between instances, each with its reason.
import { CANCEL_MS } from '../../../engine/index.ts'
import { KiB, MiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'

/**
 * Bytes of the task log that are kept for one remote. The log cannot be compacted meanwhile, and
 * writes are refused at 1792 MiB: an absent instance must not cause that.
 */
export const BACKLOG_LOG_BYTES_MAX = 512 * MiB

/** Tasks that are kept for one remote; each takes 50 bytes of memory. */
export const BACKLOG_TASKS_MAX = 500_000

/**
 * How long messages to a removed instance are retried: its pending tasks prevent compaction of the
 * task log.
 */
export const REMOVED_RETRY_MS = 3_600_000

/** Bytes of one instance's answer: the limit of a local search. */
export const ANSWER_BYTES_MAX = 64 * MiB

/**
 * Bytes of other instances' answers that all requests hold together: enough for some answers of
 * full size, and a bound for hostile instances.
 */
export const ANSWERS_BYTES_MAX = 512 * MiB

/** Time limit in milliseconds for an instance that others can replace. */
export const FIRST_MS = 2000

/**
 * The same for the first search that is sent to an instance since this one has started, or since it
 * failed: threads start, code is compiled and files are read.
 */
export const FIRST_COLD_MS = 5000

/**
 * Time limit in milliseconds for the last owner of a shard while it is paused: it may be slow or be
 * back, and without it hits are missing.
 */
export const LAST_MS = 10_000

/** Number of durations per instance for the 95th percentile. */
export const DURATIONS_KEPT = 100

/** With fewer durations a second owner is called after `HEDGE_MS`. */
export const DURATIONS_MIN = 20

/** Milliseconds until a second owner is called, with too few durations of the first one. */
export const HEDGE_MS = 100

/** Bounds in milliseconds: an earlier call would double the load, a later one would not help. */
export const HEDGE_MS_MIN = 5
export const HEDGE_MS_MAX = 1000

/**
 * Bytes of shard names in a header; Node accepts 16 KiB of headers. Beyond that, a called instance
 * cannot check that it holds the shards.
 */
export const SHARDS_HEADER_BYTES_MAX = 8 * KiB

/** Number of new plans for a search while instances disagree about the network. */
export const REPLANS_MAX = 5

/** Milliseconds before the first new plan; doubled for each further one. */
export const REPLAN_MS = 50

/** Milliseconds without new plans after they did not help. */
export const MISMATCH_PAUSE_MS = 30_000

/** Interval of messages that an instance lacks writes, and how long members consider them valid. */
export const BEHIND_NOTICE_MS = 2000
export const BEHIND_MS = 8000

/**
 * Milliseconds for a message about a change of the network or a cancelation. An instance that loses
 * its power during one never answers, and the caller does nothing else meanwhile; all messages are
 * repeated.
 */
export const MESSAGE_MS = 5000

/** Bytes of documents in one request of an export: one task of the remote. */
export const PART_BYTES = MiB

/** Bytes of documents that a search thread reads at a time for an export: 5 to 10 ms. */
export const PIECE_BYTES = 64 * KiB

/**
 * The pause after a piece is as long as the piece took, up to this many milliseconds: a slow first
 * piece must not delay the export.
 */
export const PIECE_PAUSE_MS_MAX = 50

/** Searches of each thread and index before the instance serves shards: most code is compiled. */
export const WARM_ROUNDS = 24

/** Search threads that are prepared: a search needs one, and an export uses another one. */
export const WARM_THREADS = 2

/** Milliseconds for all of these searches: a change must not wait for long. */
export const WARM_MS_MAX = 3000

/** Smaller indexes are searched quickly by any thread; an index shows at most this many hits. */
export const WARM_DOCUMENTS_MIN = 1000

assert(
  FIRST_MS < FIRST_COLD_MS && FIRST_COLD_MS < LAST_MS,
  'the last owner of a shard gets the longest time',
)
assert(HEDGE_MS_MIN < HEDGE_MS && HEDGE_MS < HEDGE_MS_MAX, 'the bounds of hedging are in order')
assert(HEDGE_MS_MAX < FIRST_MS, 'a second owner is called before the first one times out')
assert(DURATIONS_MIN < DURATIONS_KEPT, 'enough durations are kept')
assert(BEHIND_NOTICE_MS < BEHIND_MS, 'a message is valid until the next one')
assert(CANCEL_MS < MESSAGE_MS, 'a message lasts longer than the cancelation that it waits for')
assert(ANSWER_BYTES_MAX <= ANSWERS_BYTES_MAX, 'an answer of full size is accepted')
assert(PIECE_BYTES <= PART_BYTES, 'a part holds a piece')
assert(
  REPLAN_MS * (2 ** REPLANS_MAX - 1) < MISMATCH_PAUSE_MS,
  'new plans end before the pause after them',
)
