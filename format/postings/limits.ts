// Limits and thresholds of the text layer, with their reasons; more in ./POSTINGS.md
import { assert } from '../errors.ts'
import { FIELDS_MAX } from '../ids.ts'

/**
 * Longest term in bytes; the analysis drops longer tokens (the reference drops them at 250 bytes
 * too).
 */
export const TERM_BYTES_MAX = 250
/** Highest position: positions take 16 bits, and the analysis stops reading a field there. */
export const POSITION_MAX = 65535
/** Highest field id. */
export const FIELD_ID_MAX = FIELDS_MAX - 1
/**
 * Lists of up to this many documents are decoded whole: a search within so few varints saves
 * nothing.
 */
export const SMALL_DOCUMENTS_MAX = 128
/** Number of documents between two entry points into the occurrences of a long list. */
export const BLOCK_DOCUMENTS = 128
/**
 * Lists of at least this many documents store position sets. For shorter lists, decoding the
 * occurrences costs the same as reading sets.
 */
export const POSITION_SETS_DOCUMENTS_MIN = 1024
/**
 * Lists of at least this many documents also store the sets of positions from 16 on. Those are
 * larger than the sets of lower positions: a third of the postings of a million texts of 60 words.
 */
export const LATE_SETS_DOCUMENTS_MIN = 4096
/** Number of buckets of single positions, 0 to 15; queries read these first. */
export const EARLY_BUCKETS = 16

/** Returns true if a list of `documents` stores the set of a position bucket. */
export const hasBucketSets = (documents: number, bucket: number): boolean =>
  documents >= (bucket < EARLY_BUCKETS ? POSITION_SETS_DOCUMENTS_MIN : LATE_SETS_DOCUMENTS_MIN)
/** A prefix of at least this many terms of a segment has a posting of its own. */
export const STORED_PREFIX_TERMS_MIN = 100
/** Longest stored prefix in bytes. */
export const STORED_PREFIX_BYTES_MAX = 4

assert(SMALL_DOCUMENTS_MAX < POSITION_SETS_DOCUMENTS_MIN, 'short lists carry no position sets')
assert(STORED_PREFIX_BYTES_MAX === 4, 'a prefix key is one u32')

/** Returns the bucket of a position: the highest position that the bucket stands for. */
export function positionBucket(position: number): number {
  if (position < 16) return position
  if (position < 24) return 24
  if (position > 32768) return POSITION_MAX
  return 1 << (32 - Math.clz32(position - 1))
}

/** All buckets, ascending. */
export const BUCKETS: readonly number[] = [
  ...Array.from({ length: 16 }, (_, position) => position),
  24,
  ...Array.from({ length: 11 }, (_, i) => 32 << i),
  POSITION_MAX,
]

/**
 * By position: the index of its bucket in `BUCKETS`. Filled bucket by bucket, not by a call of
 * `positionBucket` for each position; every thread fills it at its start.
 */
export const BUCKET_INDEX: Uint8Array = new Uint8Array(POSITION_MAX + 1)
for (let index = 0, from = 0; index < BUCKETS.length; index++) {
  const name = BUCKETS[index]!
  const end = positionBucket(name) === name ? name + 1 : name
  BUCKET_INDEX.fill(index, from, end)
  from = end
}

assert(
  POSITION_SETS_DOCUMENTS_MIN <= LATE_SETS_DOCUMENTS_MIN,
  'a list with late sets has early ones',
)
assert(BLOCK_DOCUMENTS <= POSITION_SETS_DOCUMENTS_MIN, 'a list with position sets has entry points')
