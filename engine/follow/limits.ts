// Ceilings of following another database and their reasons.
import { KiB, MiB } from '../../format/bytes/index.ts'

/** What a read of the task log takes at a time: 1 to 2 ms of decoding. */
export const PORTION_BYTES = 64 * KiB
/** What reading one record reads first: most records are shorter. */
export const FIRST_READ_BYTES = 4 * KiB
/** Files on their way at once. */
export const LANES_MAX = 8
/** Lanes beside those, for indexes that clients wait for while the others have large files. */
export const DEMAND_LANES_MAX = 4
/** After so many failures in a row files are fetched of the newest snapshot. */
export const STALE_FAILURES = 3
/** How long a request waits for an index that is being downloaded: shorter than clients wait. */
export const WAIT_MS_MAX = 10_000
/** Requests that wait so, each with its connection. */
export const WAITERS_MAX = 1000
/** What an index may need beside what was fetched of it, to be taken over with the next edit. */
export const CATCH_UP_BYTES_MAX = 64 * MiB
/** For so long a bucket is used with the credentials it was opened with. */
export const BUCKET_MS_MAX = 5 * 60_000
/** How often a lease is written. */
export const LEASE_RENEWAL_MS = 60_000
/** The longest pause between two looks while the store fails. */
export const PAUSE_MS_MAX = 30_000
