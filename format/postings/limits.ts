// Ceilings and thresholds of the text layer · why each has its value: ./POSTINGS.md
import { assert } from '../errors.ts'

/** Longest term; the analysis drops longer tokens (reference behaviour, 250 bytes). */
export const TERM_BYTES_MAX = 250
/** A position fits 16 bits: the analysis stops a field there. */
export const POSITION_MAX = 65535
/** Field ids fit 16 bits. */
export const FIELD_ID_MAX = 65535
/**
 * Lists up to this many documents are decoded whole: a few hundred varints, about a microsecond.
 */
export const SMALL_DOCUMENTS_MAX = 128
/** Documents between two entry points into the occurrences of a long list. */
export const BLOCK_DOCUMENTS = 128
/** From here on position sets are stored; below, decoding the occurrences costs the same. */
export const POSITION_SETS_DOCUMENTS_MIN = 1024
/**
 * From here on there are sets for positions of 16 and more as well. They take more than those
 * below: a third of the postings of a million texts of 60 words.
 */
export const LATE_SETS_DOCUMENTS_MIN = 4096
/** How many buckets are asked for first: those of positions below 16. */
export const EARLY_BUCKETS = 16

/** Whether a list of `documents` has a set for a position bucket. */
export const hasBucketSets = (documents: number, bucket: number): boolean =>
  documents >= (bucket < EARLY_BUCKETS ? POSITION_SETS_DOCUMENTS_MIN : LATE_SETS_DOCUMENTS_MIN)
/** A prefix that begins this many terms of a segment has a posting of its own. */
export const STORED_PREFIX_TERMS_MIN = 100
/** Longest stored prefix in bytes. */
export const STORED_PREFIX_BYTES_MAX = 4

assert(SMALL_DOCUMENTS_MAX < POSITION_SETS_DOCUMENTS_MIN, 'short lists carry no position sets')
assert(STORED_PREFIX_BYTES_MAX === 4, 'a prefix key is one u32')

/** The bucket that stands for positions like `position`: its own value is the bucket's name. */
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
 * By position: the index of its bucket in `BUCKETS`. Filled bucket by bucket, a tenth of the time
 * that asking for each position takes: every thread does it at its start.
 */
export const BUCKET_INDEX: Uint8Array = new Uint8Array(POSITION_MAX + 1)
for (let index = 0, from = 0; index < BUCKETS.length; index++) {
  const name = BUCKETS[index]!
  const end = positionBucket(name) === name ? name + 1 : name
  BUCKET_INDEX.fill(index, from, end)
  from = end
}
