// Limits of a log and their reasons.
import { MiB } from '../bytes/index.ts'
import { assert } from '../errors.ts'

/**
 * Largest payload: a checkpoint of a very large catalog fits, and a damaged length cannot request
 * more.
 */
export const LOG_PAYLOAD_BYTES_MAX = 256 * MiB

/**
 * Most records of a file: sequence numbers are u32. At 10,000 records per second a file takes five
 * days to fill.
 */
export const LOG_RECORDS_MAX = 0xffffffff

/**
 * The search after a damaged record may read this many times the length of the log; real damage
 * needs to read it once.
 */
export const LOG_SEARCH_FACTOR = 16

assert(LOG_PAYLOAD_BYTES_MAX % 8 === 0, 'the largest record ends at a multiple of 8')

assert(LOG_PAYLOAD_BYTES_MAX < 0x80000000, 'the length of a payload stays a small integer')
assert(LOG_SEARCH_FACTOR > 1, 'the search may read the whole log once')
