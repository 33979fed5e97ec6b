// What a client may cost before it has asked for anything, and how long it may take.
import { KiB, MiB } from '../../format/bytes/index.ts'

const SECOND = 1000

/** Request line and headers together; searches by GET carry filters in their address. */
export const HEADER_BYTES_MAX = 128 * KiB
/** Open connections: each costs some 10 KB and a file descriptor. */
export const CONNECTIONS_MAX = 16_384
/**
 * Requests that one connection may send ahead of their answers; they wait for their turn, one at a
 * time.
 */
export const PIPELINED_MAX = 128
/**
 * A client that has closed its half is asked so often, and so many times, whether it still waits:
 * longer than any search runs.
 */
export const PROBE_MS = SECOND
export const PROBES_MAX = 30
/** No route has more parts. */
export const PATH_PARTS_MAX = 8
/** Below this an answer gains nothing from being packed. */
export const COMPRESS_BYTES_MIN = 256
/** A decoder without its Brotli window: what it hands on next, 32 KiB of gzip's window, tables. */
export const DECODER_BYTES = 160 * KiB
/**
 * Memory for request bodies, all together: 13 JSON bodies of the usual ceiling. Where larger bodies
 * are allowed the largest still fits, with a decoder.
 */
export const BODY_ACCOUNT_BYTES = 128 * MiB
export const DECODER_ROOM_BYTES = 32 * MiB
/**
 * This much of a body is free, so that usual searches never wait for room: with as many
 * connections as may be open it is as much as the account.
 */
export const BODY_FREE_BYTES = 16 * KiB
/** What a body of documents holds while it is handed on: a chunk that waits and one on its way. */
export const DOCUMENTS_BYTES = 128 * KiB
/** What may take long has to come or to be taken at this rate: the slowest mobile networks. */
export const BYTES_PER_SECOND_MIN = 1024
/** Answers of less than this fit in the buffers of the system. */
export const TRACKED_ANSWER_BYTES_MIN = 64 * KiB
/** Answers that their clients have yet to take, all together; the oldest are given up first. */
export const ANSWERS_BYTES_MAX = 128 * MiB
/**
 * Streams of one HTTP/2 connection that its client may reset before they are answered: so many at
 * once, and so many a second. A person who types resets a few a second.
 */
export const RESETS_MAX = 100
export const RESETS_PER_SECOND_MAX = 20

/**
 * How many requests and answers have their pace checked in one turn of the event loop. Ending one
 * costs up to 0.1 ms, finding that it is in time less than a microsecond.
 */
export const CHECKS_PER_TURN_MAX = 32

/** How long things may take, in milliseconds. */
export type Timeouts = {
  /** From the first byte of a request to the end of its headers. */
  readonly headersMs: number
  /** From the first byte of a request to the last of its body. */
  readonly requestMs: number
  /** Waiting for the client's bytes of a JSON body; a longer body gets more time for its bytes. */
  readonly bodyMs: number
  /** A body that is silent for so long makes room when others wait for it. */
  readonly silentMs: number
  /** How long a body waits for room before its client is told to come back. */
  readonly roomMs: number
  /** How often the pace of clients is looked at. */
  readonly paceMs: number
  /** Between two bytes of a request, or of an answer that is taken. */
  readonly idleMs: number
  /** Between two requests on a connection. */
  readonly keepAliveMs: number
  /** After this much silence the system asks whether the other end still exists. */
  readonly probeMs: number
  /** How often connections are looked over for the above. */
  readonly checkMs: number
  /** The rest of a refused body is read for this long, so that the client sees the answer. */
  readonly drainMs: number
  /** Running requests have this long to finish when the server stops. */
  readonly stopMs: number
}

export const TIMEOUTS: Timeouts = {
  headersMs: 30 * SECOND,
  // 100 MB at 0.2 Mbit/s.
  requestMs: 3600 * SECOND,
  // 10 MB at 2.7 Mbit/s.
  bodyMs: 30 * SECOND,
  silentMs: 2 * SECOND,
  // Longer than it takes until a silent body has made room.
  roomMs: 5 * SECOND,
  paceMs: SECOND,
  idleMs: 60 * SECOND,
  // Longer than the pools of usual clients keep a connection.
  keepAliveMs: 75 * SECOND,
  probeMs: 60 * SECOND,
  checkMs: 10 * SECOND,
  drainMs: 10 * SECOND,
  stopMs: 5 * SECOND,
}
