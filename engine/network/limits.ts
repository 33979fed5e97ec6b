// Limits of a network of instances, each with its reason.

/** The whole description: it is one record of the manifest, and every instance holds a copy. */
export const NETWORK_BYTES_MAX = 1024 * 1024
