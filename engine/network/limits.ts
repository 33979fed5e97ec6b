// Limits of a network of instances, each with its reason.
import { MiB } from '../../format/bytes/index.ts'

/** The whole description: it is one record of the manifest, and every instance holds a copy. */
export const NETWORK_BYTES_MAX = MiB
