// Ceilings of following another database and their reasons.
import { KiB } from '../../format/bytes/index.ts'

/** What a read of the task log takes at a time: 1 to 2 ms of decoding. */
export const PORTION_BYTES = 64 * KiB
/** What reading one record reads first: most records are shorter. */
export const FIRST_READ_BYTES = 4 * KiB
/** Files on their way at once. */
export const LANES_MAX = 8
/** How often a lease is written. */
export const LEASE_RENEWAL_MS = 60_000
/** The longest pause between two looks while the store fails. */
export const PAUSE_MS_MAX = 30_000
