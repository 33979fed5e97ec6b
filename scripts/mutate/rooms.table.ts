// Rooms whose decisions are tested by seeded faults, and the faults that no test can notice.

/** Rooms in which a wrong comparison loses data, leaks it, or answers wrongly. */
export const ROOMS: readonly string[] = [
  'engine/write/tiers',
  'engine/write/merging',
  'engine/write/batching',
  'engine/network/records',
  'engine/network/topology',
  'engine/followers/publishing',
  'format/tombstones',
  'format/idset',
  'format/log',
  'format/manifest',
  'server/auth',
  'server/network/calls',
  'server/network/searches',
  'server/network/writes',
]

/** A fault that changes nothing that a caller can see: `file: line of the source → fault`. */
export const EQUIVALENT: { readonly [fault: string]: string } = {}
