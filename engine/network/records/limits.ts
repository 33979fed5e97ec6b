// Limits of a network of instances, each with its reason.
import { MiB } from '../../../format/bytes/index.ts'

/** Size of the whole description: it is one record of the manifest on every instance. */
export const NETWORK_BYTES_MAX = MiB
