// Limits of embedding inside a batch, each with its reason.
import { MiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'
import { ATTEMPTS_MAX, INPUTS_PER_REQUEST, REQUESTS_AT_ONCE } from '../providers/index.ts'

/** Inputs per message: as many requests as may run at the same time. */
export const INPUTS_PER_MESSAGE = 400
/** Approximate bytes of inputs per message: they are copied between threads. */
export const MESSAGE_BYTES_MAX = MiB
/** Interval at which a thread that waits for vectors checks whether its batch was canceled. */
export const WAIT_MS = 50
/**
 * Batches with more inputs wait less for a provider that fails: their task is repeated as a whole
 * if it fails, and thousands of requests would each wait as long as one.
 */
export const PATIENT_INPUTS_MAX = 1000
/** Attempts of a group of inputs in such a batch: about 70 s with the default pauses. */
export const IMPATIENT_ATTEMPTS_MAX = 7

assert(IMPATIENT_ATTEMPTS_MAX < ATTEMPTS_MAX, 'a large batch waits less than a small one')
assert(
  INPUTS_PER_MESSAGE === INPUTS_PER_REQUEST * REQUESTS_AT_ONCE,
  'a message keeps all requests of a call busy',
)
