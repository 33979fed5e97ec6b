// The status of the network as known to one instance: shards, availability and pending tasks.
import type { Engine } from '../../engine/index.ts'
import type { TaskUid } from '../../format/ids.ts'
import type { Availability, Status } from './calls/index.ts'

export type RemoteStatus = {
  readonly url: string
  readonly isSelf: boolean
  readonly isLeader: boolean
  readonly status: Status
  /** Names of its shards. */
  readonly shards: readonly string[]
  /** Unconfirmed tasks; null unless this instance is the leader. */
  readonly backlog: { readonly tasks: number; readonly bytes: number } | null
  /** Why its shards have to be sent again, or null. */
  readonly stale: string | null
  /** The error of the last attempt to send it a task, or null. */
  readonly lastError: string | null
}

export type NetworkStatus = {
  readonly self: string | null
  readonly leader: string | null
  readonly version: string
  readonly remotes: { readonly [name: string]: RemoteStatus }
  readonly shards: { readonly [name: string]: readonly string[] }
  /** The running topology change, or null. */
  readonly change: { readonly taskUid: TaskUid; readonly message: string | null } | null
  /** Number of times that the leadership has passed to another instance. */
  readonly term: number
  /** Why this instance takes no part in the network, or null if it does. */
  readonly problem: string | null
  /** Result of the leader's last comparison, or null if unknown on this instance. */
  readonly replicasEqual: boolean | null
}

type Parts = {
  readonly engine: Engine
  readonly availability: Availability
  readonly lastError: (remote: string) => string | null
  readonly replicasEqual: boolean | null
  readonly problem: string | null
}

export async function networkStatus(parts: Parts): Promise<NetworkStatus> {
  const { engine, availability, lastError, replicasEqual, problem } = parts
  const { self, leader, version, term, remotes, shards } = engine.network.get()
  const { replication, topology } = engine
  const isLeader = leader !== null && leader === self
  const described = [...remotes].map(([name, { url }]): [string, RemoteStatus] => {
    const { tasks, logBytes, fileBytes } = replication.backlog(name)
    const isOther = name !== self
    return [
      name,
      {
        url,
        isSelf: !isOther,
        isLeader: name === leader,
        status: availability.status(name),
        shards: [...shards].filter(([, one]) => one.remotes.includes(name)).map(([shard]) => shard),
        backlog: isLeader && isOther ? { tasks, bytes: logBytes + fileBytes } : null,
        stale: replication.stale().get(name)?.reason ?? null,
        lastError: lastError(name),
      },
    ]
  })
  const { change } = topology
  const task = change === null ? null : await engine.tasks.get(change.uid, null)
  const message = task?.details?.['message']
  return {
    self,
    leader,
    version,
    remotes: Object.fromEntries(described),
    shards: Object.fromEntries([...shards].map(([name, one]) => [name, one.remotes])),
    change:
      change === null
        ? null
        : { taskUid: change.uid, message: typeof message === 'string' ? message : null },
    term,
    problem,
    replicasEqual,
  }
}
