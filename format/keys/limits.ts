// Ceilings of key records and their reasons.
import { MiB } from '../bytes/index.ts'

/**
 * A record is read and written on the main thread, and a manifest begun anew writes all of them: a
 * megabyte of description is far beyond what people write, and takes 2 ms.
 */
export const KEY_BYTES_MAX = MiB

/** Elements of a list: what a record of the largest size could not hold is refused at once. */
export const KEY_LIST_MAX = 65_536
