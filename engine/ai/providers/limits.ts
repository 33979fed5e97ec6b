// Limits of calls to providers of embeddings, each with its reason.
import { MiB } from '../../../format/bytes/index.ts'

/** Texts of one request: what small models take in one pass. */
export const INPUTS_PER_REQUEST = 10
/** Requests of one piece of work that are on their way at once. */
export const REQUESTS_AT_ONCE = 40
/** Requests for one batch of inputs, the first included. */
export const ATTEMPTS_MAX = 11
/** What a pause after "too many requests" is longer by. */
export const BUSY_PAUSE_MS = 100
/**
 * Bytes of an answer: ten vectors of 16,384 numbers of twenty characters have 3 MB. Parsing 4 MB
 * takes the main thread 30 ms; usual answers have 50 to 400 KB.
 */
export const ANSWER_BYTES_MAX = 4 * MiB
/** Characters of an answer that a message quotes. */
export const REPLY_LENGTH_MAX = 4000
/** Letters by which the name of a member may be off to be suggested. */
export const TYPO_MAX = 2
/** Query vectors are not remembered for texts longer than this, in bytes. */
export const CACHED_TEXT_BYTES_MAX = 2000
