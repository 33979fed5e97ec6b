// The share of its statements that the tests of a room execute at least.

/** The least for a room without a row below. */
export const FLOOR = 0.95

/** Rooms that have less: a share may only rise, and a row may only go. */
export const FLOORS: Readonly<Record<string, number>> = {
  'engine/api': 0.92,
  'engine/imports': 0.93,
  'engine/model': 0.93,
  'engine/natives': 0.2,
  'engine/open': 0.9,
  'engine/read/boosts': 0.94,
  'engine/read/filter': 0.94,
  'engine/read/search': 0.92,
  'engine/runner': 0.92,
  'engine/runtime': 0.94,
  'engine/threads': 0.94,
  'engine/write/indexer': 0.93,
  'format/postings': 0.93,
  'server/launch': 0.92,
  'server/observe': 0.94,
  'server/page': 0.9,
  'server/routes': 0.94,
  'tools/doctor': 0.91,
  'tools/dump': 0.93,
  'tools/indexes': 0.91,
  'tools/inspect': 0.9,
  'tools/snapshot': 0.9,
  'tools/tasks': 0.92,
}
