// Limits of changes of a network, each with its reason.

/** Pause before a disk that refused the records of a change is asked again, in milliseconds. */
export const RECORD_AGAIN_MS = 1000
