// Ceilings of following another database and their reasons.
import { MiB } from '../../format/bytes/index.ts'

/** A manifest that was published is read into memory at once, as at a start. */
export const MANIFEST_BYTES_MAX = 1024 * MiB
/** What a read of the task log takes at a time: 1 to 2 ms of decoding. */
export const PORTION_BYTES = 64 * 1024
/** What reading one record reads first: most records are shorter. */
export const FIRST_READ_BYTES = 4096
/** Files on their way at once. */
export const LANES_MAX = 8
/** A request to the store that fails is tried again for so long; then the next poll asks again. */
export const RETRY_MS_MAX = 5000
/** How often a lease is written. */
export const LEASE_RENEWAL_MS = 60_000
/** The longest pause between two looks while the store fails. */
export const PAUSE_MS_MAX = 30_000
