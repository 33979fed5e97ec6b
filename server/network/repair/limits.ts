// Limits of comparisons of replicas, each with its reason.
import { MiB } from '../../../format/bytes/index.ts'

/** Bytes of the digests of one instance: enough for 100,000 pairs of an index and a shard. */
export const ANSWER_BYTES_MAX = 16 * MiB
/** Milliseconds for them: an instance may have to read a million documents. */
export const REQUEST_MS = 120_000
