// Limits of what an instance keeps and takes for others, and of what it asks them, each with its
// reason.
import { KiB, MiB } from '../../format/bytes/index.ts'

/**
 * Of the task log, what is kept for one remote. The log cannot be rewritten meanwhile, and writes
 * are refused when it has 1792 MiB: an instance that is away must not stop those.
 */
export const BACKLOG_LOG_BYTES_MAX = 512 * MiB

/** Tasks that are kept for one remote: 50 bytes of memory each. */
export const BACKLOG_TASKS_MAX = 500_000

/**
 * How long it is tried to tell an instance that it was removed: what waits for it keeps the task
 * log from being compacted.
 */
export const FAREWELL_MS = 3_600_000

/** Bytes of an answer of one instance: as many as a search of it alone may have. */
export const ANSWER_BYTES_MAX = 64 * MiB

/**
 * Bytes of answers of other instances that are held at a time, by all requests: some instances may
 * answer with as much as they may, and ones that lie do not fill the memory.
 */
export const ANSWERS_BYTES_MAX = 512 * MiB

/** Milliseconds for an instance that others can replace. */
export const FIRST_MS = 2000

/**
 * Milliseconds for the last owner of a shard, where it rests after a failure: it may be slow, or
 * have come back, and without it hits are missing.
 */
export const LAST_MS = 10_000

/** Durations of an instance that are remembered for its 95th percentile. */
export const DURATIONS_KEPT = 100

/** Durations that say enough; before that a second owner is asked after `HEDGE_MS`. */
export const DURATIONS_MIN = 20

/** Milliseconds after which a second owner is asked while little is known of the first. */
export const HEDGE_MS = 100

/** Bounds in milliseconds: earlier it would double the load, later it would be of no use. */
export const HEDGE_MS_MIN = 5
export const HEDGE_MS_MAX = 1000

/**
 * Bytes of the names of shards in a header; Node takes 16 KiB of headers. Past it an instance that
 * is asked cannot tell whether it holds them.
 */
export const SHARDS_HEADER_BYTES_MAX = 8 * KiB

/** How often a search is planned anew while instances disagree about the network. */
export const REPLANS_MAX = 5

/** Milliseconds before a search is planned anew for the first time; doubled each time. */
export const REPLAN_MS = 50

/** Milliseconds for which searches are not planned anew after doing so did not help. */
export const DISAGREED_MS = 30_000

/** How often members are told that an instance lacks writes, and for how long they believe it. */
export const LATE_MS = 2000
export const BEHIND_MS = 8000
