// Limits of key records and their reasons.
import { MiB } from '../bytes/index.ts'
import { assert } from '../errors.ts'

/**
 * Largest record in bytes. It is encoded and decoded on the main thread, and a new manifest writes
 * all records: a megabyte is far more than people write as a description.
 */
export const KEY_BYTES_MAX = MiB

/** Longest list of actions or indexes; a record of the largest size could not hold more. */
export const KEY_LIST_MAX = 65_536

assert(KEY_LIST_MAX <= KEY_BYTES_MAX, 'a list needs a byte for each element')
