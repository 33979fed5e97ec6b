// Limits of calls to other servers, each with its reason.
import { KiB, MiB } from '../../format/bytes/index.ts'

/** What is kept of an answer: errors are short, and nothing else is read. */
export const ANSWER_BYTES_MAX = MiB
/** From this on an answer for another thread lies in shared memory: copies of it would be felt. */
export const SHARED_BYTES_MIN = 256 * KiB
/** A connection that rests is closed: exports come in runs, webhooks batch after batch. */
export const IDLE_SOCKET_MS = 30_000
/** How long an object store may take nothing and say nothing while a request is on its way. */
export const STORE_SILENCE_MS = 60_000
/** How long a model may say nothing: some think for minutes before their first word. */
export const MODEL_SILENCE_MS = 300_000
/** Hops to follow; more of them are a loop. */
export const REDIRECTS_MAX = 10
