// What the page makes of `GET /network/status`: a sentence, instances with what is wrong with them,
// a table of shards, and how far a running change is.
import { bytesText, plural } from './words.ts'

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
  /** What waits for it, and why it does not have it. */
  readonly notes: readonly string[]
}

export type ShardRow = {
  readonly name: string
  /** By instance, in their order. */
  readonly owners: readonly boolean[]
  /** Owners that can be asked. */
  readonly available: number
}

export type Phase = { readonly name: string; readonly state: 'done' | 'current' | 'ahead' }

export type ChangeModel = {
  readonly taskUid: number
  readonly phases: readonly Phase[]
  readonly message: string | null
  /** Documents that have come from the instance that is waited for, from 0 to 1; null: not told. */
  readonly share: number | null
}

export type NetworkModel = {
  readonly summary: string
  readonly replicas: { readonly text: string; readonly isGood: boolean } | null
  /** null: documents are not divided. */
  readonly shards: readonly ShardRow[] | null
  readonly instances: readonly InstanceRow[]
  readonly change: ChangeModel | null
}

/** Whether there is a network to be shown. */
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
  if (shards === null) return `${all}, each with documents of its own`
  const counts = shards.map(({ length }) => length)
  const [least, most] = [Math.min(...counts), Math.max(...counts)]
  const owners = least === most ? plural(most, 'owner') : `${least} to ${most} owners`
  return shards.length === 0
    ? `${all}, no shards`
    : `${all}, ${plural(shards.length, 'shard')} with ${owners} each`
}

/** The leader alone compares. */
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

/** An instance that answers this page is there. */
const isAvailable = (remote: RemoteStatus | undefined): boolean =>
  remote !== undefined && (remote.isSelf || remote.status === 'available')

function instanceRow(name: string, remote: RemoteStatus): InstanceRow {
  const { url, isSelf, isLeader, shards, backlog, stale, lastError } = remote
  const notes: string[] = []
  if (backlog !== null && backlog.tasks > 0) {
    const { tasks, bytes } = backlog
    notes.push(`${plural(tasks, 'write')} not confirmed yet (${bytesText(bytes)})`)
  }
  if (stale !== null) notes.push(`gets its shards anew: ${stale}`)
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

/** The states of a change in their order, and how its task begins to tell of each. */
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
