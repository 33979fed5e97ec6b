// The placement of documents after a topology change was canceled or failed: the network of the
// change is active, but documents are still divided as before. They are searched and changed there
// until another change moves them.
import type { Network, Remote, Shard } from './network.ts'

/** The only shard of documents that were not divided. */
const WHOLE = 'all'

/**
 * Returns whether documents were divided before a change to `after`. An instance that joins knows
 * the shards of the network that it joins, but no leader; a leader without one had all documents.
 */
export const wasDivided = (before: Network, after: Network): boolean =>
  before.leader !== null || (before.shards.size > 0 && after.self !== after.leader)

/**
 * Returns the network by which documents are placed until a change to `after` has moved them. If
 * they were not divided before, the leader has all of them.
 */
export function formerNetwork(before: Network, after: Network): Network {
  const { leader, leaderId } = after
  if (before.leader !== null || leader === null) return before
  if (wasDivided(before, after)) return { ...before, leader, leaderId }
  // Different from both versions, and the same on all members: another version of UUID.
  const version = `${after.version.slice(0, 14)}8${after.version.slice(15)}`
  return { ...after, version, shards: new Map([[WHOLE, { remotes: [leader] }]]) }
}

/**
 * Returns the network by which documents are placed. `before` is the network before the change,
 * `current` the active one. If a shard has lost all its owners since, its current owners count.
 */
export function placedNetwork(before: Network, current: Network): Network {
  const former = formerNetwork(before, current)
  if (former.leader === null || current.leader === null) return current
  const shards = new Map<string, Shard>()
  for (const [name, { remotes }] of former.shards) {
    const left = remotes.filter((remote) => current.remotes.has(remote))
    const owners = left.length > 0 ? left : current.shards.get(name)?.remotes
    if (owners === undefined) return current
    shards.set(name, { remotes: owners })
  }
  const isWhole = [...former.shards].every(([, { remotes }]) =>
    remotes.some((remote) => current.remotes.has(remote)),
  )
  if (!isWhole && !hasSameShards(former, current)) return current
  const remotes = new Map<string, Remote>()
  for (const [name, remote] of current.remotes) {
    if (former.remotes.has(name) || !isWhole) remotes.set(name, remote)
  }
  const { version } = isWhole ? former : current
  return { ...current, remotes, shards, version }
}

/** Whether both networks divide documents into the same shards. */
const hasSameShards = (a: Network, b: Network): boolean =>
  a.shards.size === b.shards.size && [...a.shards.keys()].every((name) => b.shards.has(name))
