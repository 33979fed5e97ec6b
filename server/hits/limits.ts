// Limits of work on finished answers, each with its reason.
import { KiB } from '../../format/bytes/index.ts'

/** Bytes of an answer that are scanned before other work runs: about a millisecond. */
export const SLICE_BYTES = 256 * KiB
