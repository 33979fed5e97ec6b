// Converts the answer of `GET /network/status` for the network view: a summary, the instances with
// their problems, a table of shards, and the progress of a running change.
import { bytesText, plural } from '../parts/index.ts'

type RemoteStatus = {
  readonly url: string
  readonly isSelf: boolean
  readonly isLeader: boolean
  readonly status: 'available' | 'unavailable'
  readonly shards: readonly string[]
  readonly backlog: { readonly tasks: number; readonly bytes: number } | null
  readonly stale: string | null
  readonly lastError: string | null
}

export type NetworkAnswer = {
  readonly self: string | null
  readonly leader: string | null
  readonly remotes: { readonly [name: string]: RemoteStatus }
  readonly shards: { readonly [name: string]: readonly string[] }
  readonly change: { readonly taskUid: number; readonly message: string | null } | null
  readonly replicasEqual: boolean | null
}

export type InstanceRow = {
  readonly name: string
  readonly url: string
  readonly roles: readonly string[]
  readonly isAvailable: boolean
  readonly shards: number
  /** Problems of the instance: unconfirmed writes, outdated shards, the last error. */
  readonly notes: readonly string[]
}

export type ShardRow = {
  readonly name: string
  /** Whether each instance owns the shard, in the order of `instances`. */
  readonly owners: readonly boolean[]
  /** Number of owners that are available. */
  readonly available: number
}

export type Phase = { readonly name: string; readonly state: 'done' | 'current' | 'ahead' }

export type ChangeModel = {
  readonly taskUid: number
  readonly phases: readonly Phase[]
  readonly message: string | null
  /** Share of documents, 0 to 1, that the current phase has processed, or null if unknown. */
  readonly share: number | null
}

export type NetworkModel = {
  readonly summary: string
  readonly replicas: { readonly text: string; readonly isGood: boolean } | null
  /** The shards, or null if the network has no leader and documents are not sharded. */
  readonly shards: readonly ShardRow[] | null
  readonly instances: readonly InstanceRow[]
  readonly change: ChangeModel | null
}

/** Returns true if the server is part of a network. */
export const hasNetwork = ({ remotes }: NetworkAnswer): boolean => Object.keys(remotes).length > 0

export function networkModel(answer: NetworkAnswer): NetworkModel {
  const { leader, remotes, shards, change, replicasEqual } = answer
  const names = Object.keys(remotes).sort()
  const isDivided = leader !== null
  return {
    summary: summaryOf(names.length, isDivided ? Object.values(shards) : null),
    replicas: isDivided ? replicasOf(replicasEqual) : null,
    shards: isDivided
      ? Object.keys(shards)
          .sort()
          .map((name) => shardRow(name, shards[name]!, names, remotes))
      : null,
    instances: names.map((name) => instanceRow(name, remotes[name]!)),
    change: change === null ? null : changeModel(change),
  }
}

function summaryOf(instances: number, shards: readonly (readonly string[])[] | null): string {
  const all = plural(instances, 'instance')
  if (shards === null) return `${all}, each with its own documents`
  const counts = shards.map(({ length }) => length)
  const [least, most] = [Math.min(...counts), Math.max(...counts)]
  const owners = least === most ? plural(most, 'owner') : `${least} to ${most} owners`
  return shards.length === 0
    ? `${all}, no shards`
    : `${all}, ${plural(shards.length, 'shard')} with ${owners} each`
}

/** Returns the result of the leader's comparison, or null if replicas were not compared. */
const replicasOf = (areEqual: boolean | null): NetworkModel['replicas'] =>
  areEqual === null
    ? null
    : areEqual
      ? { text: 'all replicas are equal', isGood: true }
      : { text: 'replicas differ', isGood: false }

const shardRow = (
  name: string,
  owners: readonly string[],
  instances: readonly string[],
  remotes: NetworkAnswer['remotes'],
): ShardRow => ({
  name,
  owners: instances.map((instance) => owners.includes(instance)),
  available: owners.filter((owner) => isAvailable(remotes[owner])).length,
})

/** The instance that answers this request counts as available. */
const isAvailable = (remote: RemoteStatus | undefined): boolean =>
  remote !== undefined && (remote.isSelf || remote.status === 'available')

function instanceRow(name: string, remote: RemoteStatus): InstanceRow {
  const { url, isSelf, isLeader, shards, backlog, stale, lastError } = remote
  const notes: string[] = []
  if (backlog !== null && backlog.tasks > 0) {
    const { tasks, bytes } = backlog
    notes.push(`${plural(tasks, 'write')} not confirmed yet (${bytesText(bytes)})`)
  }
  if (stale !== null) notes.push(`receives its shards again: ${stale}`)
  if (lastError !== null) notes.push(lastError)
  return {
    name,
    url,
    roles: [...(isLeader ? ['leader'] : []), ...(isSelf ? ['this instance'] : [])],
    isAvailable: isAvailable(remote),
    shards: shards.length,
    notes,
  }
}

/** The phases of a change in order, each with the beginning of the task's message in that phase. */
const PHASES = [
  ['earlier tasks', 'Waiting for tasks enqueued'],
  ['export', 'Exporting'],
  ['import', 'Importing'],
  ['other instances', 'Waiting for `'],
  ['deletion', 'Deleting'],
] as const

const PROCESSED = /processed (\d+) out of (\d+)/

function changeModel({ taskUid, message }: NonNullable<NetworkAnswer['change']>): ChangeModel {
  const at = PHASES.findIndex(([, begin]) => message?.startsWith(begin) === true)
  const [, processed = '', total = ''] = PROCESSED.exec(message ?? '') ?? []
  return {
    taskUid,
    phases: PHASES.map(([name], i) => ({
      name,
      state: i < at ? 'done' : i === at ? 'current' : 'ahead',
    })),
    message,
    share: Number(total) > 0 ? Math.min(1, Number(processed) / Number(total)) : null,
  }
}
