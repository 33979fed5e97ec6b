// Limits of the catalog and their reasons.
import { KiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'
import { LOG_FILE_BYTES_MAX, LOG_ROOM_BYTES_MIN } from '../storage/index.ts'

/**
 * A manifest shorter than this is not rotated. A cold start reads 50 MB/s of small edits (1 MiB of
 * batches of one document: 22 ms, mostly code that is not compiled yet), so this bounds a start
 * after a crash.
 */
export const MANIFEST_BYTES_MIN = 512 * KiB

/** A manifest with more than this after its checkpoint is rotated when the database is closed. */
export const MANIFEST_BYTES_AT_CLOSE = 64 * KiB

/**
 * A manifest is rotated when it has grown to this many times its checkpoint, which spreads out the
 * work.
 */
export const MANIFEST_GROWTH = 2

/**
 * Longest content of CURRENT and VERSION, which hold one line; a longer file was not written by us.
 */
export const LINE_FILE_BYTES_MAX = 256

/** A manifest is read as a whole; the log stops growing at this size (engine/store/storage). */
export const MANIFEST_FILE_BYTES_MAX = 0x7fffffff

/** A manifest without edits is shorter than this, the room after it included. */
export const UNUSED_BYTES_MAX = 128 * KiB

/** Greatest count of documents with a field: document ids are u32. */
export const FIELD_COUNT_MAX = 0xffffffff

assert(UNUSED_BYTES_MAX < MANIFEST_BYTES_MIN, 'a manifest without edits is not rotated')
assert(
  LOG_ROOM_BYTES_MIN < UNUSED_BYTES_MAX,
  'a manifest without edits is recognised with its room',
)
assert(
  MANIFEST_BYTES_AT_CLOSE < MANIFEST_BYTES_MIN,
  'closing rotates smaller manifests than running',
)
assert(MANIFEST_FILE_BYTES_MAX <= LOG_FILE_BYTES_MAX, 'a manifest is a log')
assert(MANIFEST_GROWTH > 1, 'a new manifest is not rotated at once')
