// Computes the effect of a change of the network without running it: documents and bytes that each
// instance would send, receive and delete.
import { elected, type IndexDigest, type Network } from '../../../engine/index.ts'
import { ApiError } from '../../errors/index.ts'
import type { AllDigests } from './digests.ts'

export type Amount = { readonly documents: number; readonly bytes: number }

export type ChangePlan = {
  readonly instances: {
    readonly [name: string]: {
      /** Names of its shards before and after the change. */
      readonly shardsBefore: readonly string[]
      readonly shardsAfter: readonly string[]
      readonly holds: Amount
      readonly receives: Amount
      readonly sends: Amount
      readonly deletes: Amount
    }
  }
  readonly moves: readonly ({ readonly from: string; readonly to: string } & Amount)[]
  /** Instances that do not answer; documents that they would send are not counted. */
  readonly unreachable: readonly string[]
}

type Sum = { documents: number; bytes: number }
const nothing = (): Sum => ({ documents: 0, bytes: 0 })

const add = (sum: Sum, { documents, bytes }: Amount): void => {
  sum.documents += documents
  sum.bytes += bytes
}

/** `all` are digests by the shards of `before` and of `after`. */
export function planChange(before: Network, after: Network, all: AllDigests): ChangePlan {
  const names = [...new Set([...before.remotes.keys(), ...after.remotes.keys()])].sort()
  const sums = new Map(
    names.map((name) => [
      name,
      { holds: nothing(), receives: nothing(), sends: nothing(), deletes: nothing() },
    ]),
  )
  const moves = new Map<string, { from: string; to: string } & Sum>()
  const absent = [...all].filter(([, one]) => one instanceof ApiError).map(([name]) => name)
  for (const [from, digest] of all) {
    if (digest instanceof ApiError) continue
    for (const group of digest.indexes.flatMap(({ shards }) => shards)) {
      const own = sums.get(from)!
      add(own.holds, group)
      const owners = ownersOf(after, group.next)
      if (after.leader !== null && !owners.includes(from)) add(own.deletes, group)
      for (const to of receivers(before, from, group, owners, absent)) {
        add(own.sends, group)
        add(sums.get(to)!.receives, group)
        const key = JSON.stringify([from, to])
        const move = moves.get(key) ?? { from, to, ...nothing() }
        moves.set(key, move)
        add(move, group)
      }
    }
  }
  const instances = Object.fromEntries(
    [...sums].map(([name, sum]) => [
      name,
      { shardsBefore: shardsOf(before, name), shardsAfter: shardsOf(after, name), ...sum },
    ]),
  )
  return { instances, moves: [...moves.values()], unreachable: absent }
}

/** Returns the new owners to which `from` has to send the documents of a group. */
function receivers(
  before: Network,
  from: string,
  { shard }: IndexDigest['shards'][number],
  owners: readonly string[],
  absent: readonly string[],
): readonly string[] {
  const others = owners.filter((name) => name !== from)
  if (before.leader === null || before.shards.size === 0) return others
  const old = ownersOf(before, shard)
  if (!old.includes(from)) return others
  const senders = old.filter((name) => !absent.includes(name))
  if (elected(senders, shard ?? '') !== from) return []
  return others.filter((name) => !old.includes(name))
}

const ownersOf = ({ shards }: Network, shard: string | null): readonly string[] =>
  (shard === null ? undefined : shards.get(shard))?.remotes ?? []

const shardsOf = ({ shards }: Network, name: string): readonly string[] =>
  [...shards].filter(([, { remotes }]) => remotes.includes(name)).map(([shard]) => shard)
