// Who holds which shard, as threads are told of it, and which documents go from one instance to
// another when that changes.
import { elected, type ShardSet, type Transfer } from '../model/index.ts'
import type { TopologyChange } from './change.ts'
import type { Network } from './network.ts'

/** Documents are divided where somebody leads. */
const isSharded = ({ leader }: Network): boolean => leader !== null

/** What this instance holds; null: every document it is given. */
export function shardSetOf({ self, shards, leader }: Network): ShardSet | null {
  if (leader === null) return null
  return {
    names: [...shards.keys()],
    held: [...shards.values()].map(({ remotes }) => self !== null && remotes.includes(self)),
  }
}

/**
 * What `self` hands to `remote`; null: nothing, whichever documents it has. One that is renewed
 * itself has old documents.
 */
export function transferTo(change: TopologyChange, self: string, remote: string): Transfer | null {
  const { before, after, renewed } = change
  const wanted = [...after.shards.values()].map(({ remotes }) => remotes.includes(remote))
  if (!wanted.includes(true) || renewed.includes(self)) return null
  const to = { names: [...after.shards.keys()], held: wanted }
  if (!isSharded(before) || before.shards.size === 0) return { from: null, to }
  // Documents of a shard stay in it where the shards are the same.
  const isSame = [...before.shards.keys()].join(' ') === [...after.shards.keys()].join(' ')
  const sends = [...before.shards].map(([name, { remotes }]) => {
    if (isSame && after.shards.get(name)?.remotes.includes(remote) !== true) return false
    // Of a shard that is not its own it has what an earlier change has left behind.
    if (!remotes.includes(self)) return true
    if (remotes.includes(remote) && !renewed.includes(remote)) return false
    return senderOf(change, name, remotes) === self
  })
  if (!sends.includes(true)) return null
  return { from: { names: [...before.shards.keys()], held: sends }, to }
}

/** Which owner hands over a shard: one that stays, where one does. null: none of them can. */
function senderOf(
  { after, absent, renewed }: TopologyChange,
  shard: string,
  owners: readonly string[],
): string | null {
  const able = owners.filter((one) => !absent.includes(one) && !renewed.includes(one))
  const staying = able.filter((one) => after.remotes.has(one))
  return elected(staying.length > 0 ? staying : able, shard)
}

/** Whether the others need what a remote has: it leaves, and no owner that stays has it as well. */
export function isNeeded(change: TopologyChange, remote: string): boolean {
  const { before, after, absent } = change
  if (after.remotes.has(remote)) return true
  if (absent.includes(remote)) return holdsAlone(before, remote)
  return [...before.shards].some(([name, { remotes }]) => {
    return remotes.includes(remote) && senderOf(change, name, remotes) === remote
  })
}

/** Remotes that hand over documents to `self`: all others, before and after. */
export function exportersTo({ before, after }: TopologyChange, self: string): readonly string[] {
  if (!after.remotes.has(self)) return []
  const names = new Set([...before.remotes.keys(), ...after.remotes.keys()])
  names.delete(self)
  return [...names].sort()
}

/** Shards that only `remote` holds. */
export const holdsAlone = ({ shards }: Network, remote: string): boolean =>
  [...shards.values()].some(({ remotes }) => remotes.length === 1 && remotes[0] === remote)
