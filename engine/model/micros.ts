// The unit of timestamps.

/** Whole microseconds since 1970, UTC. */
export type Micros = number
