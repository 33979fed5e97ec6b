// Limits on decompressed bodies.
import { KiB, MiB } from '../../format/bytes/index.ts'
import { assert } from '../../format/errors.ts'

/**
 * Largest ratio of decompressed to compressed bytes, and the size above which it applies. At the
 * strongest levels of gzip, Brotli and zstd, collections of real documents stay below 10, generated
 * ones, mostly empty or repeated, below 200. A bomb has 1,000 with gzip and 100,000 with Brotli.
 */
export const UNPACK_RATIO_MAX = 250
export const UNPACK_RATIO_FROM_BYTES = MiB
/** Size of the chunks that a decoder returns. */
export const DECODED_CHUNK_BYTES = 64 * KiB

assert(DECODED_CHUNK_BYTES < UNPACK_RATIO_FROM_BYTES, 'the ratio is checked between chunks')
