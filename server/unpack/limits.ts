// What a packed body may become.
import { KiB, MiB } from '../../format/bytes/index.ts'

/**
 * How many bytes a packed byte may stand for, over the first megabyte and from there on. Measured
 * on bodies of 1 to 16 MB at the strongest levels of gzip, Brotli and zstd: collections of real
 * documents come to 2 to 7, generated ones, mostly empty or the same, to 23 to 152. A bomb has
 * 1,000 with gzip and 100,000 with Brotli.
 */
export const UNPACK_RATIO_MAX = 250
export const UNPACK_RATIO_FROM_BYTES = MiB
/** What a decoder hands on at a time. */
export const DECODED_CHUNK_BYTES = 64 * KiB
