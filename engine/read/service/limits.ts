// Limits of queries, each with its reason.
import { KiB, MiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'

/**
 * Bytes of all answers that are being gathered from parts. Hundreds of multi-searches of usual size
 * (100 KB) fit. A request that gathers alone may exceed it, up to the maximum size of an answer.
 */
export const GATHERED_BYTES_MAX = 64 * MiB

/**
 * Bytes of partial answers that the main thread merges itself. Sending a usual page to a search
 * thread and back takes as long as merging it.
 */
export const MERGED_HERE_BYTES_MAX = 128 * KiB

assert(MERGED_HERE_BYTES_MAX < GATHERED_BYTES_MAX, 'parts that are merged here may be gathered')
