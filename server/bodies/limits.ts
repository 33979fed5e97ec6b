// What large bodies may take, and how long.
import { KiB, MiB } from '../../format/bytes/index.ts'

const SECOND = 1000

/**
 * A body of up to so many bytes is read on the spot. The worst that fits, one exact number in four
 * bytes, takes 1 ms; honest ones take a tenth.
 */
export const SMALL_BYTES_MAX = 8 * KiB
/** And one of up to so many where a look at it says that it takes no longer. */
export const INLINE_BYTES_MAX = 64 * KiB
/**
 * Bodies that wait for the thread, all together and of one caller: with the largest body that is
 * taken, some seconds of work. More are refused with 503.
 */
export const WAITING_BYTES_MAX = 64 * MiB
export const LANE_BYTES_MAX = 32 * MiB
/** As above, counted in bodies: each costs a message, however small it is. */
export const WAITING_MAX = 512
export const LANE_MAX = 256
/**
 * Of the value that a body becomes, at a time: reading a piece takes less than a millisecond on the
 * main thread. About as many texts or numbers.
 */
export const PIECE_WEIGHT = 5_000
/** Heap of the thread in MiB: the largest body that is not refused needs 150. */
export const HEAP_MEGABYTES = 384
/** Reading the largest body takes two seconds on a busy machine: this long is a mistake of ours. */
export const READING_MS_MAX = 30 * SECOND
/** A thread that has had nothing to do for so long ends: V8 keeps the memory it once had. */
export const IDLE_MS = 10 * SECOND
