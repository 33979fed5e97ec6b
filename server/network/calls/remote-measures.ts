// Values of the metrics about the other instances of a network.
import type { Engine } from '../../../engine/index.ts'
import type { Availability } from './availability.ts'
import type { RemoteCalls, RemoteTally } from './remote-tally.ts'

export type RemoteMeasure = {
  readonly remote: string
  readonly isAvailable: boolean
  readonly shards: number
  /** Unconfirmed tasks; null unless this instance is the leader. */
  readonly backlog: { readonly tasks: number; readonly bytes: number } | null
  /** True if its shards have to be sent again. */
  readonly isStale: boolean
  /** Null before the first call. */
  readonly calls: Readonly<RemoteCalls> | null
}

export type RemoteMeasures = {
  readonly remotes: readonly RemoteMeasure[]
  readonly self: string | null
  /** Null if unknown on this instance. */
  readonly areReplicasEqual: boolean | null
}

export function remoteMeasures(
  { network, replication }: Pick<Engine, 'network' | 'replication'>,
  availability: Availability,
  tally: RemoteTally,
  areReplicasEqual: boolean | null,
): RemoteMeasures {
  const { self, leader, remotes, shards } = network.get()
  const calls = tally.calls()
  const isLeader = leader !== null && leader === self
  const stale = replication.stale()
  return {
    self,
    areReplicasEqual: isLeader ? areReplicasEqual : null,
    remotes: [...remotes.keys()].map((remote) => {
      const { tasks, logBytes, fileBytes } = replication.backlog(remote)
      return {
        remote,
        isAvailable: availability.isAvailable(remote),
        shards: [...shards.values()].filter(({ remotes: owners }) => owners.includes(remote))
          .length,
        backlog: isLeader && remote !== self ? { tasks, bytes: logBytes + fileBytes } : null,
        isStale: stale.has(remote),
        calls: calls.get(remote) ?? null,
      }
    }),
  }
}
