// Limits on the size of bodies and on the time to read them.
import { KiB, MiB } from '../../format/bytes/index.ts'
import { assert } from '../../format/errors.ts'

const SECOND = 1000

/**
 * Bodies up to this size are read inline. The worst case, one exact number in four bytes, must not
 * delay other requests.
 */
export const SMALL_BYTES_MAX = 8 * KiB
/** Bodies up to this size are read inline if a quick scan shows that it takes no longer. */
export const INLINE_BYTES_MAX = 64 * KiB
/**
 * Bytes of bodies that wait for the thread, in total and per caller: with the largest accepted
 * body, some seconds of work. More are refused with 503.
 */
export const WAITING_BYTES_MAX = 64 * MiB
export const LANE_BYTES_MAX = 32 * MiB
/** The same as numbers of bodies, because each costs a message even if it is small. */
export const WAITING_MAX = 512
export const LANE_MAX = 256
/**
 * Weight of one piece of a value: reading a piece must not delay other requests on the main thread.
 * About the number of strings or numbers in it.
 */
export const PIECE_WEIGHT = 5_000
/** Heap of the thread in MiB: the largest accepted body needs 150. */
export const HEAP_MEGABYTES = 384
/** Far more than reading the largest body takes on a busy machine; longer reading is a defect. */
export const READING_MS_MAX = 30 * SECOND
/** The thread ends after this idle time, because V8 does not return the memory of its heap. */
export const IDLE_MS = 10 * SECOND

assert(SMALL_BYTES_MAX < INLINE_BYTES_MAX, 'small bodies are read inline')
assert(
  LANE_BYTES_MAX <= WAITING_BYTES_MAX && LANE_MAX <= WAITING_MAX,
  'a caller has a part of the queue',
)
assert(INLINE_BYTES_MAX < LANE_BYTES_MAX, 'a body that is not read inline may wait')
