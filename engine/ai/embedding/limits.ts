// Limits of embedding inside a batch, each with its reason.
import { MiB } from '../../../format/bytes/index.ts'

/** Inputs that are handed over together: as many requests as may be on their way at once. */
export const INPUTS_PER_MESSAGE = 400
/** Bytes of inputs, about, that are handed over together: they are copied between threads. */
export const MESSAGE_BYTES_MAX = MiB
/** A thread that waits for vectors looks as often whether its batch was called off. */
export const WAIT_MS = 50
