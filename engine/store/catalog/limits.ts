// Ceilings of the catalog and their reasons.
import { KiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'
import { FIELDS_MAX } from '../../../format/manifest/index.ts'

/**
 * Below this a manifest is not begun anew. A cold start reads 50 MB/s of small edits (1 MiB of
 * batches of one document: 22 ms, most of it code that is not compiled yet), so this is what a
 * start after a crash may take.
 */
export const MANIFEST_BYTES_MIN = 512 * KiB

/**
 * A manifest with more than this behind its checkpoint is begun anew when the database is closed.
 */
export const MANIFEST_BYTES_AT_CLOSE = 64 * KiB

/**
 * A manifest is begun anew when it has grown to this many times its checkpoint: the work is spread
 * out.
 */
export const MANIFEST_GROWTH = 2

/** CURRENT and VERSION hold a line; a longer file is not one of ours. */
export const LINE_FILE_BYTES_MAX = 256

/** A manifest is read as a whole; the log stops growing here (engine/store/storage). */
export const MANIFEST_FILE_BYTES_MAX = 0x7fffffff

/** A manifest without edits is shorter than this, the room behind it included. */
export const UNUSED_BYTES_MAX = 128 * KiB

/** Documents that have a field, and so the largest count: ids are u32. */
export const FIELD_COUNT_MAX = 0xffffffff

assert(FIELDS_MAX === 65536, 'field ids fit a u16')
