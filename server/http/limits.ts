// What a client may cost before it has asked for anything, and how long it may take.

const KiB = 1024
const SECOND = 1000

/** Request line and headers together; searches by GET carry filters in their address. */
export const HEADER_BYTES_MAX = 128 * KiB
/** From the first byte of a request to the end of its headers. */
export const HEADERS_MS_MAX = 30 * SECOND
/** From the first byte of a request to the last of its body: 100 MB at 0.2 Mbit/s. */
export const REQUEST_MS_MAX = 3600 * SECOND
/** Between two bytes of a request, or of an answer that is taken; then the connection ends. */
export const IDLE_MS_MAX = 60 * SECOND
/** Between two requests on a connection: longer than the pools of usual clients keep one. */
export const KEEP_ALIVE_MS = 75 * SECOND
/** After this much silence the system asks whether the other end still exists. */
export const PROBE_AFTER_MS = 60 * SECOND
/** How often connections are looked over for the limits above. */
export const CHECK_EVERY_MS = 10 * SECOND
/** Open connections: each costs some 10 KB and a file descriptor. */
export const CONNECTIONS_MAX = 16_384
/** Requests that one connection may send ahead of their answers. */
export const PIPELINED_MAX = 128
/** No route has more parts. */
export const PATH_PARTS_MAX = 8
/** The rest of a body that was refused is read for this long, so that the client sees the answer. */
export const DRAIN_MS_MAX = 10 * SECOND
/** Below this an answer gains nothing from being packed. */
export const COMPRESS_BYTES_MIN = 256
/** What a decoder hands on at a time. */
export const DECODED_CHUNK_BYTES = 64 * KiB
/** Running requests have this long to finish when the server stops. */
export const STOP_MS_MAX = 5 * SECOND
/** The largest body when nothing else is configured. */
export const BODY_BYTES_MAX_DEFAULT = 100_000_000
