// Ceilings of a log and their reasons.
import { MiB } from '../bytes/index.ts'
import { assert } from '../errors.ts'

/**
 * The largest payload: a checkpoint of a very large catalog fits, and a length read from disk stays
 * sane.
 */
export const LOG_PAYLOAD_BYTES_MAX = 256 * MiB

/**
 * Sequence numbers are u32; at 10,000 records a second a file of them would take five days to fill.
 */
export const LOG_RECORDS_MAX = 0xffffffff

/**
 * How many times its own length the search behind a damaged record may read; real damage needs
 * once.
 */
export const LOG_SEARCH_FACTOR = 16

assert(LOG_PAYLOAD_BYTES_MAX % 8 === 0, 'the largest record ends at a multiple of 8')
