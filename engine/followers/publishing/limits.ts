// Limits of publishing and their reasons.
import { KiB, MiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'
import { FILE_BYTES_MAX, PIECES_MAX } from '../../backup/snapshot/index.ts'

/** Checksums of up to this size are computed without a thread: 20 ms, a block at a time. */
export const DIGEST_BYTES_MAX = 16 * MiB
/** How often old states are removed from the store. */
export const RETENTION_MS = 60_000
/** States after which they are removed earlier: more would hold up uploads for seconds. */
export const RETENTION_STATES = 64
/** Time for the last publication after the process was asked to stop. */
export const LAST_MS = 10_000
/** How long a request is repeated; the next attempt publishes the state at that time. */
export const RETRY_MS_MAX = 10_000
/** Number of states that stay regardless of age: a follower may have begun to fetch one of them. */
export const KEPT_MIN = 3
/** A piece of the task log: half of it is sent in vain, on average; its name takes 90 bytes. */
export const PIECE_BYTES = 512 * KiB
/** How long a write waits to be published: shorter than clients wait. */
export const WAIT_MS_MAX = 30_000
/** The first pause after a failure while writes wait; it grows up to the interval. */
export const HURRY_MS = 100

assert(KEPT_MIN < RETENTION_STATES, 'states are removed before too many are kept')
assert(RETRY_MS_MAX < WAIT_MS_MAX, 'a waiting write sees the failure of its publication')
assert(HURRY_MS < WAIT_MS_MAX, 'a publication is repeated while a write waits')
assert(PIECE_BYTES * PIECES_MAX >= FILE_BYTES_MAX, 'the largest file has pieces')
