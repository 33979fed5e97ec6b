// `svc-tools network status`: shows the owners of shards, the reachable instances, and waiting
// work.
import type { TaskUid } from '../../format/ids.ts'
import {
  flag,
  identifying,
  list,
  mapOf,
  nullable,
  number,
  object,
  objectWith,
  open,
  text,
  texts,
} from '../../format/schema/index.ts'
import { askInstance, type Instance } from '../remote/index.ts'
import { bytesText, countOf, shorten, table } from '../terminal/index.ts'

type Remote = {
  readonly url: string
  readonly isSelf: boolean
  readonly isLeader: boolean
  readonly status: string
  readonly shards: readonly string[]
  readonly backlog: { readonly tasks: number; readonly bytes: number } | null
  readonly stale: string | null
  readonly lastError: string | null
}

export type Status = {
  readonly self: string | null
  readonly leader: string | null
  readonly version: string
  readonly remotes: { readonly [name: string]: Remote }
  readonly shards: { readonly [name: string]: readonly string[] }
  readonly change: { readonly taskUid: TaskUid; readonly message: string | null } | null
  readonly problem?: string | null
  readonly replicasEqual: boolean | null
}

const STATUS = open(
  objectWith<Status>(
    {
      self: nullable(text),
      leader: nullable(text),
      version: text,
      remotes: mapOf(
        open(
          object<Remote>({
            url: text,
            isSelf: flag,
            isLeader: flag,
            status: text,
            shards: texts,
            backlog: nullable(
              open(object<NonNullable<Remote['backlog']>>({ tasks: number, bytes: number })),
            ),
            stale: nullable(text),
            lastError: nullable(text),
          }),
        ),
      ),
      shards: mapOf(list(text)),
      change: nullable(
        open(
          object<NonNullable<Status['change']>>({
            taskUid: identifying<TaskUid>(number),
            message: nullable(text),
          }),
        ),
      ),
      replicasEqual: nullable(flag),
    },
    { problem: nullable(text) },
  ),
)

/** @throws ToolError */
export const readStatus = (instance: Instance): Promise<Status> =>
  askInstance(instance, { method: 'GET', path: '/network/status', action: 'network.get' }, STATUS)

const NAME_MAX = 40
const SHARDS_SHOWN_MAX = 60
const EQUAL = new Map<boolean | null, string>([
  [true, 'Replicas are equal.\n'],
  [false, 'Replicas differ: see network verify.\n'],
])

export function statusText(status: Status): string {
  const { self, leader, remotes, shards, change, replicasEqual, problem = null } = status
  const names = Object.keys(remotes)
  if (names.length === 0) return 'This instance is not in a network.\n'
  const rows = Object.entries(remotes).map(([name, remote]) => [
    shorten(name, NAME_MAX),
    roleOf(remote),
    remote.status,
    shorten(remote.shards.join(' ') || '-', SHARDS_SHOWN_MAX),
    waitingOf(remote),
    shorten(remote.lastError ?? '', NAME_MAX),
  ])
  const columns = ['instance', 'role', 'status', 'shards', 'waits for it', 'last fault']
  const single = Object.entries(shards).filter(([, owners]) => owners.length === 1)
  const viewer = self === null ? 'an instance that is not a member' : `\`${self}\``
  return [
    `As ${viewer} sees it; ${leader === null ? 'no instance leads' : `\`${leader}\` leads`}.\n`,
    table(
      columns.map((title) => ({ title })),
      rows,
    ),
    change === null ? '' : `Task ${change.taskUid} changes the network: ${change.message ?? ''}\n`,
    single.length === 0
      ? ''
      : `${countOf(single.length, 'shard')} on one instance only: ` +
        `${shorten(single.map(([name]) => name).join(' '), SHARDS_SHOWN_MAX)}\n`,
    EQUAL.get(replicasEqual) ?? '',
    problem === null ? '' : `${problem}\n`,
  ].join('')
}

const roleOf = ({ isLeader, isSelf }: Remote): string =>
  [isLeader ? 'leads' : '', isSelf ? 'asked' : ''].filter((word) => word !== '').join(', ')

function waitingOf({ backlog, stale }: Remote): string {
  if (stale !== null) return `its shards again (${stale})`
  if (backlog === null) return ''
  return backlog.tasks === 0
    ? 'nothing'
    : `${countOf(backlog.tasks, 'task')}, ${bytesText(backlog.bytes)}`
}
