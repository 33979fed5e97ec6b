// Owners of shards in the form that threads receive, and the documents that move from one instance
// to another when owners change.
import { areShardsSame, isResynced, type TopologyChange } from './change.ts'
import type { Network } from './network.ts'
import { elected, type ShardSet, type Transfer } from './rendezvous.ts'

/** A network with a leader divides its documents into shards. */
const isSharded = ({ leader }: Network): boolean => leader !== null

/** Returns the shards that this instance holds, or null if it holds all documents. */
export function shardSetOf({ self, shards, leader }: Network): ShardSet | null {
  if (leader === null) return null
  return {
    names: [...shards.keys()],
    held: [...shards.values()].map(({ remotes }) => self !== null && remotes.includes(self)),
  }
}

/**
 * Returns the shards of an instance that becomes or ceases to be a member: a new member keeps all
 * its documents; a removed instance has no `self`.
 */
export const keepsAll = (before: Network, after: Network): ShardSet | null =>
  after.self === null && before.self !== null ? shardSetOf(before) : null

/**
 * Returns the documents that `self` sends to `remote`, or null for none. A shard that `self` gets
 * again itself may be wrong and is not sent.
 */
export function transferTo(change: TopologyChange, self: string, remote: string): Transfer | null {
  const { before, after } = change
  const wanted = [...after.shards.values()].map(({ remotes }) => remotes.includes(remote))
  if (!wanted.includes(true)) return null
  const to = { names: [...after.shards.keys()], held: wanted }
  if (!isSharded(before) || before.shards.size === 0) {
    return change.renewed.includes(self) ? null : { from: null, to }
  }
  // If the shards are the same, every document stays in its shard.
  const isSame = areShardsSame(before, after)
  const sends = [...before.shards].map(([name, { remotes }]) => {
    if (isSame && after.shards.get(name)?.remotes.includes(remote) !== true) return false
    if (isResynced(change, self, name)) return false
    // In a shard of other owners, it may have documents that an earlier change left behind.
    if (!remotes.includes(self)) return true
    if (remotes.includes(remote) && !isResynced(change, remote, name)) return false
    return senderOf(change, name, remotes) === self
  })
  if (!sends.includes(true)) return null
  return { from: { names: [...before.shards.keys()], held: sends }, to }
}

/**
 * Returns the owner that sends a shard, preferably one that answers, and then one that stays; null
 * if all of them get the shard again.
 */
export function senderOf(
  change: TopologyChange,
  shard: string,
  owners: readonly string[],
): string | null {
  const { after, absent } = change
  const right = owners.filter((one) => !isResynced(change, one, shard))
  const answering = right.filter((one) => !absent.includes(one))
  // One that did not answer may come back before the change ends.
  const able = answering.length > 0 ? answering : right
  const staying = able.filter((one) => after.remotes.has(one))
  return elected(staying.length > 0 ? staying : able, shard)
}

/** Whether the remote leaves, and others wait for it only briefly, if at all. */
export const mayBeAway = ({ absent, after }: TopologyChange, remote: string): boolean =>
  absent.includes(remote) && !after.remotes.has(remote)

/** Whether other instances need the documents of a remote: it leaves and has to send some. */
export function isNeeded(change: TopologyChange, remote: string): boolean {
  const { before, after } = change
  if (after.remotes.has(remote)) return true
  return [...before.shards].some(([name, { remotes }]) => {
    return remotes.includes(remote) && senderOf(change, name, remotes) === remote
  })
}

/** Returns the remotes that may send documents to `self`: all others, before and after. */
export function exportersTo({ before, after }: TopologyChange, self: string): readonly string[] {
  if (!after.remotes.has(self)) return []
  const names = new Set([...before.remotes.keys(), ...after.remotes.keys()])
  names.delete(self)
  return [...names].sort()
}

/** Whether `remote` is the only owner of some shard. */
export const holdsAlone = ({ shards }: Network, remote: string): boolean =>
  [...shards.values()].some(({ remotes }) => remotes.length === 1 && remotes[0] === remote)
