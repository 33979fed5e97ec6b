// Limits of changes of a network and of copies of tasks, each with its reason.
import { assert } from '../../../format/errors.ts'

/** Pause before a disk that refused the records of a change is asked again, in milliseconds. */
export const RECORD_AGAIN_MS = 1000

/** Tasks that one message names. */
export const GROUP_MAX = 1000
/** Milliseconds for which copies are held; afterwards the origin has decided or is down. */
export const HOLD_MS = 10_000
/** Milliseconds between checks of the cancelation of copies. */
export const LOOK_MS = 10
/** Milliseconds a request waits for a cancelation; the origin sends nothing else meanwhile. */
export const CANCEL_MS = 3000

assert(LOOK_MS < CANCEL_MS, 'a request looks more than once')
assert(CANCEL_MS < HOLD_MS, 'copies are held longer than a request for their cancelation lasts')
