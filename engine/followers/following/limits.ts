// Limits of following another database and their reasons.
import { KiB, MiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'
import { LEASE_MS } from '../../backup/objstore/index.ts'

/** Bytes of the task log per read: 1 to 2 ms of decoding. */
export const PORTION_BYTES = 64 * KiB
/** Bytes of the first read of a record: most records are shorter. */
export const FIRST_READ_BYTES = 4 * KiB
/** Files that are fetched at the same time. */
export const LANES_MAX = 8
/** Additional lanes for indexes that clients wait for while the others fetch large files. */
export const DEMAND_LANES_MAX = 4
/** After this many failures in a row the newest snapshot becomes the target. */
export const STALE_FAILURES = 3
/** How long a request waits for an index that is being downloaded: shorter than clients wait. */
export const WAIT_MS_MAX = 10_000
/** Waiting requests, each with its connection. */
export const WAITERS_MAX = 1000
/** Bytes that an index may need beyond its fetched files, to be taken over with the next edit. */
export const CATCH_UP_BYTES_MAX = 64 * MiB
/** How long a bucket is used with the credentials of its opening. */
export const BUCKET_MS_MAX = 5 * 60_000
/** How often a lease is renewed. */
export const LEASE_RENEWAL_MS = 60_000
/** The longest pause between two checks while the store fails. */
export const PAUSE_MS_MAX = 30_000

assert(FIRST_READ_BYTES < PORTION_BYTES, 'a first read is a part of a portion')
assert(2 * LEASE_RENEWAL_MS < LEASE_MS, 'a lease outlives a failed renewal')
