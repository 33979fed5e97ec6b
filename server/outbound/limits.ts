// Limits of calls to other servers, each with its reason.
import { KiB, MiB } from '../../format/bytes/index.ts'
import { assert } from '../../format/errors.ts'

/** Bytes read of an answer by default: only short errors are needed. */
export const ANSWER_BYTES_MAX = MiB
/**
 * Answers of at least this size for another thread use shared memory, because copying them takes
 * noticeable time.
 */
export const SHARED_BYTES_MIN = 256 * KiB
/**
 * An idle connection is closed after this time: exports come in bursts, webhooks with each batch.
 */
export const IDLE_SOCKET_MS = 30_000
/** A server closes idle connections at its own time; a call must not meet that moment. */
export const IDLE_MARGIN_MS = 1000
/** How long an object store may neither accept nor send anything while a request is in progress. */
export const STORE_SILENCE_MS = 60_000
/** How long a model may be silent: some think for minutes before their first word. */
export const MODEL_SILENCE_MS = 300_000
/** Redirects to follow; longer chains are loops. */
export const REDIRECTS_MAX = 10
/** Bytes of an answer's head, and of its trailers, as in Node. */
export const ANSWER_HEAD_BYTES_MAX = 16 * KiB
/** Interim answers (1xx) before an answer: some servers send one a second while they work. */
export const INTERIM_ANSWERS_MAX = 1000
/** Idle connections that are kept: four to each instance of a large network. */
export const IDLE_CONNECTIONS_MAX = 256
/** TLS sessions that are kept to be resumed, as many as Node keeps. */
export const TLS_SESSIONS_MAX = 100
/** Bytes of a streamed answer that are read before they are wanted: a read of a socket. */
export const READ_AHEAD_BYTES = 64 * KiB
/** Shorter secrets are ignored: words of answers would be taken for them. */
export const SECRET_LENGTH_MIN = 6
/** The same in answers that are data: a short one would be found in a text by chance. */
export const SECRET_LENGTH_MIN_IN_DATA = 8
/** Bytes of a request's JSON that are searched for secrets, in 2 ms: settings, networks. */
export const SECRET_BODY_BYTES_MAX = 256 * KiB
/** Bytes of a refusal that are kept, and searched in 5 ms: messages are shorter. */
export const REFUSAL_BYTES_MAX = 128 * KiB
/** Bytes of a line of a stream that are searched as one text; models send some hundred. */
export const MASKED_LINE_BYTES_MAX = 128 * KiB

assert(IDLE_MARGIN_MS < IDLE_SOCKET_MS, 'an idle connection is used before its margin')
assert(SECRET_LENGTH_MIN <= SECRET_LENGTH_MIN_IN_DATA, 'data are searched for longer secrets')
assert(REFUSAL_BYTES_MAX <= ANSWER_BYTES_MAX, 'a refusal is an answer')
assert(SHARED_BYTES_MIN <= ANSWER_BYTES_MAX, 'large answers are shared')
