// Limits of calls to providers of embeddings, each with its reason.
import { MiB } from '../../../format/bytes/index.ts'

/** Texts per request: as many as small models process in one pass. */
export const INPUTS_PER_REQUEST = 10
/** Requests of one call that run at the same time. */
export const REQUESTS_AT_ONCE = 40
/** Attempts for one group of inputs, including the first. */
export const ATTEMPTS_MAX = 11
/** Milliseconds added to the pause after "too many requests". */
export const BUSY_PAUSE_MS = 100
/**
 * Bytes of an answer: ten vectors of 16,384 numbers of twenty characters have 3 MB. The main thread
 * parses them at once, so they have a limit.
 */
export const ANSWER_BYTES_MAX = 4 * MiB
/** Characters of an answer that a message quotes. */
export const REPLY_LENGTH_MAX = 4000
/** Largest number of wrong letters for which a member's name is suggested. */
export const TYPO_MAX = 2
/** Query vectors of longer texts are not cached, in bytes. */
export const CACHED_TEXT_BYTES_MAX = 2000
