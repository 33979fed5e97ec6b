// The share of its statements that the tests of a room execute at least.

/** The least for a room without a row below. */
export const FLOOR = 0.95

/** Rooms that have less: a share may only rise, and a row may only go. */
export const FLOORS: Readonly<Record<string, number>> = {
  'engine/api': 0.92,
  'engine/imports': 0.7,
  'engine/model': 0.75,
  'engine/natives': 0.2,
  'engine/open': 0.9,
  'engine/read/boosts': 0.94,
  'engine/read/filter': 0.94,
  'engine/runner': 0.92,
  'engine/runtime': 0.73,
  'engine/threads': 0.94,
  'engine/time': 0.47,
  'format/bytes': 0.54,
  'format/cache': 0.63,
  'format/postings': 0.93,
}
