// Limits of the streams of tasks and batches, each with its reason.
import { KiB, MiB } from '../../format/bytes/index.ts'
import { assert } from '../../format/errors.ts'

/** Open streams: each holds a connection, and costs a write for each group of events. */
export const LISTENERS_MAX = 1024
/** Share of the connections that streams may hold: others must get in. */
export const LISTENERS_SHARE_MAX = 0.5
/**
 * Bytes of events that wait for a listener; one that has more is disconnected. Listeners with the
 * same rights share the bytes. Some 5,000 tasks.
 */
export const LISTENER_BYTES_MAX = 2 * MiB
/** Milliseconds that events may wait for a listener before it is disconnected. */
export const LISTENER_STALL_MS = 60_000
/** Events are sent in groups of this size or a little more, because a socket holds a whole group. */
export const GROUP_BYTES = 64 * KiB
/**
 * Writes to listeners in a second, at most: each is a call of the system. With N listeners groups of events
 * are therefore at least N milliseconds apart; the first event after a rest is sent at once.
 */
export const WRITES_PER_SECOND_MAX = 1000
/** Milliseconds between groups of events, at least: a batch changes several tasks at once. */
export const GROUP_MS_MIN = 10
/** Silent connections are closed by proxies; the usual limit is 60 s. */
export const KEEP_ALIVE_MS = 15_000
/** A stream outlives the check of its key and of the feature: milliseconds between checks. */
export const CHECK_MS = 1000

assert(GROUP_BYTES < LISTENER_BYTES_MAX, 'several groups may wait')
assert(KEEP_ALIVE_MS < LISTENER_STALL_MS, 'a stalled listener is noticed without events')
assert(CHECK_MS < KEEP_ALIVE_MS, 'keep-alives are sent in time')
