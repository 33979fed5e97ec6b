// Limits of embedding inside a batch, each with its reason.
import { MiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'
import { INPUTS_PER_REQUEST, REQUESTS_AT_ONCE } from '../providers/index.ts'

/** Inputs per message: as many requests as may run at the same time. */
export const INPUTS_PER_MESSAGE = 400
/** Approximate bytes of inputs per message: they are copied between threads. */
export const MESSAGE_BYTES_MAX = MiB
/** Interval at which a thread that waits for vectors checks whether its batch was canceled. */
export const WAIT_MS = 50

assert(
  INPUTS_PER_MESSAGE === INPUTS_PER_REQUEST * REQUESTS_AT_ONCE,
  'a message keeps all requests of a call busy',
)
