// Limits on what a client may cost before its request is known, and on how long it may take.
import { KiB, MiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'

const SECOND = 1000

/** Request line and headers together; searches by GET carry filters in the URL. */
export const HEADER_BYTES_MAX = 128 * KiB
/** Open connections: each costs memory and a file descriptor. */
export const CONNECTIONS_MAX = 16_384
/**
 * Descriptors that connections leave free, so that tasks and searches never lack them: 29 of the
 * idle process, 5 of each further thread, and files that are written or mapped at the moment.
 */
export const DESCRIPTORS_RESERVED = 64
/** A search thread has 5, and half a thread that builds segments. */
export const DESCRIPTORS_PER_PROCESSOR = 8
/** The socket, and the file of a body of documents, or the call of another server. */
export const DESCRIPTORS_PER_CONNECTION = 2
/** Even with very few descriptors an operator can reach the server. */
export const CONNECTIONS_MIN = 8
/** The limit of macOS, where it cannot be read. */
export const DESCRIPTORS_ASSUMED = 10_240
/** Requests that one connection may pipeline; they are answered one at a time. */
export const PIPELINED_MAX = 128
/**
 * Interval and number of probes of a client that has closed its half: together longer than any
 * search runs.
 */
export const PROBE_MS = SECOND
export const PROBES_MAX = 30
/** No route has more path segments. */
export const PATH_PARTS_MAX = 8
/** Smaller answers gain nothing from compression. */
export const COMPRESS_BYTES_MIN = 256
/**
 * Memory of a decoder without its Brotli window: its next output, 32 KiB of gzip's window, tables.
 */
export const DECODER_BYTES = 160 * KiB
/**
 * Memory for all request bodies together: 13 JSON bodies of the default limit. Where larger bodies
 * are allowed, the largest still fits, with a decoder.
 */
export const BODY_ACCOUNT_BYTES = 128 * MiB
export const DECODER_ROOM_BYTES = 32 * MiB
/**
 * The first bytes of a body are not counted, so that usual searches never wait for room: for the
 * largest number of connections they add up to twice the size of the account.
 */
export const BODY_FREE_BYTES = 16 * KiB
/** Memory of a body of documents while it is passed on: a chunk that waits and one in transfer. */
export const DOCUMENTS_BYTES = 128 * KiB
/** Minimum rate of long transfers in both directions: the slowest mobile networks. */
export const BYTES_PER_SECOND_MIN = 1024
/** Smaller answers fit in the buffers of the system. */
export const TRACKED_ANSWER_BYTES_MIN = 64 * KiB
/** Memory for all answers that their clients have not read; the oldest are given up first. */
export const ANSWERS_BYTES_MAX = 128 * MiB
/**
 * Streams of one HTTP/2 connection that its client may reset before they are answered: a burst, and
 * a rate per second. A person who types causes a few resets a second.
 */
export const RESETS_MAX = 100
export const RESETS_PER_SECOND_MAX = 20

/**
 * Requests and answers whose rate is checked in one turn of the event loop. Ending one costs up to
 * 0.1 ms, checking one that is in time less than a microsecond.
 */
export const CHECKS_PER_TURN_MAX = 32

/** Timeouts and intervals, in milliseconds. */
export type Timeouts = {
  /** From the first byte of a request to the end of its headers. */
  readonly headersMs: number
  /** From the first byte of a request to the last byte of its body. */
  readonly requestMs: number
  /** Waiting for the client's bytes of a JSON body; a longer body gets more time for its bytes. */
  readonly bodyMs: number
  /** A body that is silent for this long is ended when others wait for its memory. */
  readonly silentMs: number
  /** How long a body waits for room before its client gets an error. */
  readonly roomMs: number
  /** Interval between checks of the rate of clients. */
  readonly paceMs: number
  /** Between two bytes of a request, or of an answer that is being read. */
  readonly idleMs: number
  /** Between two requests on a connection. */
  readonly keepAliveMs: number
  /** Silence after which the system probes whether the other end still exists. */
  readonly probeMs: number
  /** Interval between checks of the limits above. */
  readonly checkMs: number
  /** The rest of a refused body is read for this long, so that the client sees the answer. */
  readonly drainMs: number
  /** How long running requests may take to finish when the server stops. */
  readonly stopMs: number
}

export const TIMEOUTS: Timeouts = {
  headersMs: 30 * SECOND,
  // 100 MB at 0.2 Mbit/s.
  requestMs: 3600 * SECOND,
  // 10 MB at 2.7 Mbit/s.
  bodyMs: 30 * SECOND,
  silentMs: 2 * SECOND,
  // Longer than it takes until a silent body has been ended.
  roomMs: 5 * SECOND,
  paceMs: SECOND,
  idleMs: 60 * SECOND,
  // Longer than the connection pools of usual clients keep a connection.
  keepAliveMs: 75 * SECOND,
  probeMs: 60 * SECOND,
  checkMs: 10 * SECOND,
  drainMs: 10 * SECOND,
  stopMs: 5 * SECOND,
}

assert(CONNECTIONS_MIN < CONNECTIONS_MAX, 'the bounds of connections are in order')
assert(DECODER_BYTES <= DECODER_ROOM_BYTES, 'a decoder has room')
assert(
  DECODER_ROOM_BYTES < BODY_ACCOUNT_BYTES && DOCUMENTS_BYTES < BODY_ACCOUNT_BYTES,
  'a body and its decoder fit the account',
)
assert(
  CONNECTIONS_MAX * BODY_FREE_BYTES <= 2 * BODY_ACCOUNT_BYTES,
  'uncounted bytes are at most twice the account',
)
assert(DESCRIPTORS_RESERVED < DESCRIPTORS_ASSUMED, 'connections have descriptors')
assert(
  COMPRESS_BYTES_MIN < TRACKED_ANSWER_BYTES_MIN && TRACKED_ANSWER_BYTES_MIN < ANSWERS_BYTES_MAX,
  'tracked answers fit the account',
)
assert(RESETS_PER_SECOND_MAX < RESETS_MAX, 'a burst may be larger than the rate')
assert(
  TIMEOUTS.headersMs < TIMEOUTS.requestMs && TIMEOUTS.bodyMs < TIMEOUTS.requestMs,
  'parts of a request end before it',
)
assert(
  TIMEOUTS.silentMs + TIMEOUTS.paceMs < TIMEOUTS.roomMs,
  'a silent body is ended while others wait for its room',
)
assert(TIMEOUTS.checkMs < TIMEOUTS.headersMs, 'time-outs are checked in time')
assert(TIMEOUTS.stopMs < TIMEOUTS.idleMs, 'a stop does not wait for idle clients')
