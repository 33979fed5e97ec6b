// Limits of exports, each with its reason.
import { MiB } from '../../../format/bytes/index.ts'

const SECOND = 1000

/** Reads are answered at once; a server that is silent for so long is asked again. */
export const ANSWER_TIMEOUT_MS = 5 * SECOND
/** The other side writes a chunk to its disk before it answers: 200 MiB at 10 MiB/s. */
export const CHUNK_TIMEOUT_MS = 20 * SECOND
/** So long one request is tried again: a server that restarts or is redeployed is back by then. */
export const RETRY_MS_MAX = 15 * 60 * SECOND
export const RETRY_PAUSE_MS_MIN = 500
export const RETRY_PAUSE_GROWTH = 2
export const RETRY_PAUSE_MS_MAX = 10 * SECOND
/** Bytes of a chunk where neither the request nor the server names them. */
export const CHUNK_BYTES_DEFAULT = 20 * MiB
