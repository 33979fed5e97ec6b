// Bounds of the documents layer and why they are where they are.
import { KiB } from '../bytes/index.ts'

/**
 * Records share a block up to so many bytes: a hit costs one block (14 µs), and the ratio stays
 * near 3.
 */
export const BLOCK_TARGET_BYTES = 8192

/** A slot of the external id table has 24 bits for a position. Merging stops below. */
export const DOCUMENTS_PER_SEGMENT_MAX = 2 ** 24 - 1

/** Field ids are u16. */
export const FIELDS_MAX = 65536

/** The longest external id; the primary key rules allow no more. */
export const EXTERNAL_ID_BYTES_MAX = 511

/**
 * One document may be as large as a body; nothing that is read claims more memory than this at
 * once.
 */
export const BLOCK_RAW_BYTES_MAX = 2 ** 30

/** 128 KiB from 4 bytes is the most that a zstd block can expand. */
export const BLOCK_EXPANSION_MAX = 32768

/** What a reader keeps of decompressed blocks when it is given no cache to share. */
export const OWN_CACHE_BYTES = 256 * KiB
