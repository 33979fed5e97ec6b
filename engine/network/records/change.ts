// A topology change as its task stores it: the network before and after, from the point of view of
// this instance.
import { compareText } from '../../../format/bytes/index.ts'
import type { TaskUid } from '../../../format/ids.ts'
import {
  checkedValue,
  flag,
  mapOf,
  nullable,
  number,
  object,
  objectWith,
  open,
  text,
  texts,
} from '../../../format/schema/index.ts'
import type { Network, Remote, Shard } from './network.ts'
import type { TaskOrigin } from './task-network.ts'

export type TopologyChange = {
  /** The uid of its task on this instance. */
  readonly uid: TaskUid
  readonly before: Network
  readonly after: Network
  /**
   * Remotes that leave and did not answer, and remotes that lack writes. Others wait for one that
   * leaves only where it alone holds a shard, and briefly. One that stays sends only such shards.
   */
  readonly absent: readonly string[]
  /** Remotes that receive all documents of their shards again. */
  readonly renewed: readonly string[]
  /** By renewed remote: the only shards that it receives again. Others receive all of theirs. */
  readonly renewedShards: ReadonlyMap<string, readonly string[]>
  /** Whether an earlier change has left documents behind; they are deleted first. */
  readonly isDirty: boolean
  /** Whether this instance joins and was a member before; its empty indexes are deleted first. */
  readonly isReturning: boolean
  /** Instances that join with documents: these are found only once they have moved. */
  readonly bringing: readonly string[]
  /** The task of the change on the leader. */
  readonly origin: TaskOrigin
}

type StoredRemote = { [member in keyof Remote]: Remote[member] }
type StoredNetwork = {
  readonly self: string | null
  readonly leader: string | null
  readonly leaderId?: string | null
  readonly term?: number
  readonly version: string
  readonly remotes: { readonly [name: string]: StoredRemote }
  readonly shards: { readonly [name: string]: { readonly remotes: readonly string[] } }
}
type StoredChange = { readonly oldNetwork: StoredNetwork; readonly newNetwork: StoredNetwork } & {
  readonly absent?: readonly string[]
  readonly renewed?: readonly string[]
  readonly renewedShards?: { readonly [remote: string]: readonly string[] }
  readonly dirty?: boolean
  readonly returning?: boolean
  readonly bringing?: readonly string[]
}

const NETWORK = open(
  objectWith<StoredNetwork>(
    {
      self: nullable(text),
      leader: nullable(text),
      version: text,
      remotes: mapOf(
        open(
          object<StoredRemote>({
            url: text,
            searchApiKey: nullable(text),
            writeApiKey: nullable(text),
          }),
        ),
      ),
      shards: mapOf(object<{ readonly remotes: readonly string[] }>({ remotes: texts })),
    },
    { leaderId: nullable(text), term: number },
  ),
)
const CHANGE = open(
  objectWith<StoredChange>(
    { oldNetwork: NETWORK, newNetwork: NETWORK },
    {
      absent: texts,
      renewed: texts,
      renewedShards: mapOf(texts),
      dirty: flag,
      returning: flag,
      bringing: texts,
    },
  ),
)

export type ChangedNetworks = Pick<
  TopologyChange,
  | 'before'
  | 'after'
  | 'absent'
  | 'renewed'
  | 'renewedShards'
  | 'isDirty'
  | 'isReturning'
  | 'bringing'
>

/** Returns true if every document stays in its shard. */
export const areShardsSame = (
  before: Pick<Network, 'shards'>,
  after: Pick<Network, 'shards'>,
): boolean => JSON.stringify([...before.shards.keys()]) === JSON.stringify([...after.shards.keys()])

/** Returns whether the remote receives the shard again, because it may have it wrong. */
export const isResynced = (
  { renewed, renewedShards }: Pick<TopologyChange, 'renewed' | 'renewedShards'>,
  remote: string,
  shard: string,
): boolean => renewed.includes(remote) && renewedShards.get(remote)?.includes(shard) !== false

/** Returns the content of the change's task. */
export const changeContent = ({
  before,
  after,
  absent,
  renewed,
  renewedShards,
  isDirty,
  isReturning,
  bringing,
}: ChangedNetworks): object => ({
  oldNetwork: stored(before),
  newNetwork: stored(after),
  ...(absent.length === 0 ? {} : { absent }),
  ...(renewed.length === 0 ? {} : { renewed }),
  ...(renewedShards.size === 0 ? {} : { renewedShards: Object.fromEntries(renewedShards) }),
  ...(isDirty ? { dirty: true } : {}),
  ...(isReturning ? { returning: true } : {}),
  ...(bringing.length === 0 ? {} : { bringing }),
})

const stored = ({ remotes, shards, ...rest }: Network): StoredNetwork => ({
  ...rest,
  remotes: Object.fromEntries(remotes),
  shards: Object.fromEntries(shards),
})

/** @throws CorruptionError */
export function readChange(content: unknown): ChangedNetworks {
  const { oldNetwork, newNetwork, absent, renewed, renewedShards, bringing, ...flags } =
    checkedValue(CHANGE, content, 'task content')
  return {
    before: readStored(oldNetwork),
    after: readStored(newNetwork),
    absent: absent ?? [],
    renewed: renewed ?? [],
    renewedShards: new Map(Object.entries(renewedShards ?? {})),
    isDirty: flags.dirty ?? false,
    isReturning: flags.returning ?? false,
    bringing: bringing ?? [],
  }
}

const readStored = ({
  remotes,
  shards,
  leaderId = null,
  term = 0,
  ...rest
}: StoredNetwork): Network => ({
  ...rest,
  leaderId,
  term,
  remotes: sorted<Remote>(remotes),
  shards: sorted<Shard>(shards),
})

const sorted = <T>(members: { readonly [name: string]: T }): ReadonlyMap<string, T> =>
  new Map(Object.entries(members).sort(([a], [b]) => compareText(a, b)))
