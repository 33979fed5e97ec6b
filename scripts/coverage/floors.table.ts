// The share of its statements that the tests of a room execute at least.

/** The least for a room without a row below. */
export const FLOOR = 0.95

/** Rooms that have less: a share may only rise, and a row may only go. */
export const FLOORS: Readonly<Record<string, number>> = {}
