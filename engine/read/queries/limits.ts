// Limits of questions, each with its reason.
import { MiB } from '../../../format/bytes/index.ts'

/**
 * Bytes of all answers that are gathered from parts. Hundreds of multi-searches of usual size (100
 * KB) fit; one that is alone may have more, up to what any answer may have.
 */
export const GATHERED_BYTES_MAX = 64 * MiB
