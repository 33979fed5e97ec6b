// Limits of the documents layer and their reasons.
import { KiB } from '../bytes/index.ts'
import { assert } from '../errors.ts'

/**
 * Records share a block of up to this many bytes: a hit costs one block, and smaller blocks
 * compress worse.
 */
export const BLOCK_TARGET_BYTES = 8192

/**
 * Most documents of a segment: a slot of the external id table has 24 bits for a position. Merging
 * stops at fewer.
 */
export const DOCUMENTS_PER_SEGMENT_MAX = 2 ** 24 - 1

/** Longest external id in bytes; the rules for primary keys allow no more. */
export const EXTERNAL_ID_BYTES_MAX = 511

/**
 * Largest uncompressed block: one document may be as large as a request body. Bounds the memory
 * that a damaged file can request.
 */
export const BLOCK_RAW_BYTES_MAX = 2 ** 30

/** Greatest ratio of raw to stored bytes: a zstd block expands 4 bytes to at most 128 KiB. */
export const BLOCK_EXPANSION_MAX = 32768

/** Capacity of a reader's own cache, if it is opened without a shared one. */
export const OWN_CACHE_BYTES = 256 * KiB

/** Larger blocks hold one large document, and few others would fit into their memory. */
export const RECYCLED_BLOCK_BYTES_MAX = 64 * KiB

/**
 * Memory of evicted blocks that waits for other blocks: a search evicts about as many blocks as it
 * reads, 20 for a page of hits.
 */
export const RECYCLED_BYTES_MAX = 512 * KiB

assert(BLOCK_TARGET_BYTES < BLOCK_RAW_BYTES_MAX, 'a block of many records is readable')
assert(BLOCK_TARGET_BYTES <= RECYCLED_BLOCK_BYTES_MAX, 'usual blocks are reused')
assert(RECYCLED_BLOCK_BYTES_MAX <= RECYCLED_BYTES_MAX, 'each reusable block may wait')
assert(BLOCK_TARGET_BYTES <= OWN_CACHE_BYTES, 'a cache holds a block')
