// Limits of the object store and their reasons.
import { KiB, MiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'

/** Pauses between attempts of a request: half a second first, each 1.5 times the one before… */
export const RETRY_PAUSE_MS_MIN = 500
export const RETRY_PAUSE_GROWTH = 1.5
/** …up to a minute… */
export const RETRY_PAUSE_MS_MAX = 60_000
/** …for a quarter of an hour in all: a store that is down for longer needs an operator. */
export const RETRY_MS_MAX = 15 * 60_000

/** Answers in XML are short; a list of a thousand objects has 400 kB. */
export const XML_BYTES_MAX = 8 * MiB
/** Characters of an answer that a message quotes. */
export const SHOWN_ANSWER_MAX = 1000

/** The protocol's limit of a multipart upload. */
export const PARTS_MAX = 10_000

/** Bytes of a file that are read at a time for an upload. */
export const SLICE_BYTES = 256 * KiB

/** Pages of a list of objects: ten million objects. */
export const LIST_PAGES_MAX = 10_000

/** Small requests that run at the same time: leases, heads, deletions. */
export const SMALL_REQUESTS_MAX = 16
/** Objects that retention deletes per call, because uploads wait meanwhile: 2 s at 30 ms. */
export const DELETED_OBJECTS_MAX = 1000

/** An unreadable head is read again after this time: the store may have returned a part of it. */
export const UNREADABLE_MS = 60_000
/** Heads of each kind that a process wrote last: kept regardless of what the store lists. */
export const OWN_HEADS = 3
/**
 * Heads of the last seconds stay: a follower reads the newest one before it writes its lease, and
 * many a second may be written.
 */
export const RECENT_MS = 10_000
/** Keys of deleted files that are remembered, because a list may still show them: 10 MB. */
export const DELETED_KEYS_MAX = 50_000

/** A lease expires after this time without renewal; followers renew each minute. */
export const LEASE_MS = 10 * 60_000
export const LEASE_BYTES_MAX = 4 * KiB
/**
 * Followers that one store is planned for: each lease costs a request whenever old snapshots are
 * removed. More are read as well.
 */
export const LEASES_MAX = 1000

/** The longest writer lease, an hour: until then no instance takes over. */
export const WRITER_LEASE_MS_MAX = 60 * 60_000
/** Ends of terms that the writer record holds; writers of earlier terms are unknown. */
export const ENDS_MAX = 64
export const WRITER_BYTES_MAX = 64 * KiB
/** A lease is renewed this many times before it could be taken. */
export const RENEWALS_PER_LEASE = 4
/**
 * The part of its lease for which a process acts as the writer after it began to renew it. The rest
 * is for clocks that run at different speeds, and for an acknowledgement on its way.
 */
export const HELD_SHARE = 0.75
/** How often a publisher without a lease checks that no other one has taken its place. */
export const EXAMINE_MS = 10_000
/** How often a process that stands by reads the record, at least. */
export const LOOK_MS_MAX = 1000

export const PUBLISHER_BYTES_MAX = 4 * KiB

assert(
  RETRY_PAUSE_MS_MIN < RETRY_PAUSE_MS_MAX && RETRY_PAUSE_MS_MAX < RETRY_MS_MAX,
  'a request is repeated at least once',
)
assert(
  1 / RENEWALS_PER_LEASE < HELD_SHARE && HELD_SHARE < 1,
  'a lease is renewed while it is held, and not held to its end',
)
assert(LOOK_MS_MAX < WRITER_LEASE_MS_MAX, 'a lease that ends is noticed')
assert(RECENT_MS < LEASE_MS, 'a head stays until its follower has a lease')
