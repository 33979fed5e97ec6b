// Limits of exports, each with its reason.
import { MiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'

const SECOND = 1000

/** Reads are answered quickly; after this time without an answer the request is repeated. */
export const ANSWER_TIMEOUT_MS = 5 * SECOND
/** The other side writes a chunk to its disk before it answers: 200 MiB at 10 MiB/s. */
export const CHUNK_TIMEOUT_MS = 20 * SECOND
/**
 * Time for which one request is repeated: a server that restarts or is redeployed is back by then.
 */
export const RETRY_MS_MAX = 15 * 60 * SECOND
export const RETRY_PAUSE_MS_MIN = 500
export const RETRY_PAUSE_GROWTH = 2
export const RETRY_PAUSE_MS_MAX = 10 * SECOND
/** Bytes of a chunk if neither the request nor the server specifies them. */
export const CHUNK_BYTES_DEFAULT = 20 * MiB

assert(RETRY_PAUSE_MS_MIN < RETRY_PAUSE_MS_MAX && RETRY_PAUSE_GROWTH > 1, 'pauses grow')
assert(CHUNK_TIMEOUT_MS + RETRY_PAUSE_MS_MAX < RETRY_MS_MAX, 'a request is repeated at least once')
assert(ANSWER_TIMEOUT_MS <= CHUNK_TIMEOUT_MS, 'a chunk takes longer than a read')
