// What a client may cost before it has asked for anything, and how long it may take.

const KiB = 1024
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
/** What a decoder hands on at a time. */
export const DECODED_CHUNK_BYTES = 64 * KiB

/** How long things may take, in milliseconds. */
export type Patience = {
  /** From the first byte of a request to the end of its headers. */
  readonly headersMs: number
  /** From the first byte of a request to the last of its body. */
  readonly requestMs: number
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

export const PATIENCE: Patience = {
  headersMs: 30 * SECOND,
  // 100 MB at 0.2 Mbit/s.
  requestMs: 3600 * SECOND,
  idleMs: 60 * SECOND,
  // Longer than the pools of usual clients keep a connection.
  keepAliveMs: 75 * SECOND,
  probeMs: 60 * SECOND,
  checkMs: 10 * SECOND,
  drainMs: 10 * SECOND,
  stopMs: 5 * SECOND,
}
