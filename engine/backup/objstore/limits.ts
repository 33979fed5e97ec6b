// Ceilings of the object store and their reasons.
import { KiB, MiB } from '../../../format/bytes/index.ts'

/** Pauses between tries of a request: half a second first, then half as much again each time… */
export const RETRY_PAUSE_MS_MIN = 500
export const RETRY_PAUSE_GROWTH = 1.5
/** …up to a minute… */
export const RETRY_PAUSE_MS_MAX = 60_000
/** …for a quarter of an hour in all: a store that is down for longer is somebody's business. */
export const RETRY_MS_MAX = 15 * 60_000

/** Answers that say something in XML are short; a list of a thousand objects is 400 kB. */
export const XML_BYTES_MAX = 8 * MiB
/** What of an answer is put into a message. */
export const SHOWN_ANSWER_MAX = 1000

/** The protocol's own bound of a multipart upload. */
export const PARTS_MAX = 10_000

/** What is read of a file at once on its way to the store. */
export const SLICE_BYTES = 256 * KiB

/** Pages of a list of objects: ten million objects. */
export const LIST_PAGES_MAX = 10_000

/** Small requests on their way at once: leases, heads, deletions. */
export const SMALL_REQUESTS_MAX = 16
/** Objects that retention deletes at a time, since nothing is uploaded meanwhile: 2 s at 30 ms. */
export const DELETED_OBJECTS_MAX = 1000

/** A lease that was not renewed for so long names nothing any more; followers renew each minute. */
export const LEASE_MS = 10 * 60_000
export const LEASE_BYTES_MAX = 4 * KiB
/** Followers that are heeded: each costs a request whenever old snapshots are removed. */
export const LEASES_MAX = 1000
