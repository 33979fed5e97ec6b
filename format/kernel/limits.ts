// Limits of the kernel's memory. Each bounds memory.
import { assert } from '../errors.ts'

/** Largest shared memory: addresses have 32 bits, and every system can reserve 2 GiB. */
export const MEMORY_PAGES_MAX = 1 << 15

/** Part of it for codes, in pages of 64 KiB: enough for 40 million rows of 96 dimensions. */
export const CODE_PAGES_MAX = 1 << 14

/**
 * Part of it for the text of segments, in pages of 64 KiB: 64 MiB. What does not fit is left to the
 * twins.
 */
export const TEXT_PAGES_MAX = 1 << 10

assert(
  CODE_PAGES_MAX + TEXT_PAGES_MAX < MEMORY_PAGES_MAX,
  'codes and texts leave room for the work of threads',
)
