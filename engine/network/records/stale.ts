// Stale remotes: sending tasks cannot bring their documents up to date, so their shards are sent to
// them again. Each instance keeps its own list in its manifest; it is durable.
import type { TaskUid } from '../../../format/ids.ts'
import {
  decodedJson,
  identifying,
  number,
  objectWith,
  oneOf,
  texts,
} from '../../../format/schema/index.ts'
import type { Manifest } from '../../store/catalog/index.ts'
import { type ValueSpace, ValueStore } from '../../store/values/index.ts'
import { areShardsSame, isResynced, type TopologyChange } from './change.ts'

/**
 * backlog: its unconfirmed tasks exceeded the limit. refused: it refused a task that the leader
 * accepted. interrupted: its shards were being sent again, and the transfer did not finish. absent:
 * it was not reachable while the network changed. different: its digests differ.
 */
export type StaleReason = 'backlog' | 'refused' | 'interrupted' | 'absent' | 'different'

export type StaleRemote = {
  readonly reason: StaleReason
  /** On the leader: tasks with lower uids are not sent to the remote. */
  readonly before: TaskUid
  /**
   * The only shards that may be wrong: the remote receives all writes. Absent if it lacks writes,
   * so that all its shards may be wrong.
   */
  readonly shards?: readonly string[]
}

const STALE: ValueSpace<StaleRemote> = {
  name: 'network-stale',
  encode: (value) => Buffer.from(JSON.stringify(value)),
  decode: (bytes) => decodedJson(RECORD, bytes, 'stale remotes'),
  // One record per remote, of at most 100 bytes; the network limits the number of remotes.
  limit: null,
}
const RECORD = objectWith<StaleRemote>(
  {
    reason: oneOf(['backlog', 'refused', 'interrupted', 'absent', 'different']),
    before: identifying<TaskUid>(number),
  },
  { shards: texts },
)

export class StaleRemotes {
  readonly #values: ValueStore<StaleRemote>

  /** @throws CorruptionError */
  constructor(manifest: Manifest) {
    this.#values = new ValueStore(manifest, STALE)
  }

  /** Returns stale remotes by name in byte order; the same map until one changes. */
  all(): ReadonlyMap<string, StaleRemote> {
    return this.#values.all()
  }

  has(remote: string): boolean {
    return this.#values.get(remote) !== undefined
  }

  /** Returns whether the remote lacks writes, which are not sent to it. */
  isLacking(remote: string): boolean {
    const known = this.#values.get(remote)
    return known !== undefined && known.shards === undefined
  }

  /** Durable when it resolves. @throws StorageError */
  async mark(remotes: Iterable<string>, stale: StaleRemote): Promise<void> {
    await this.#values.update(() => [...remotes].map((name) => [name, stale] as const))
  }

  /** @throws StorageError */
  async clear(remotes: Iterable<string>): Promise<void> {
    const known = [...remotes].filter((name) => this.has(name))
    if (known.length > 0)
      await this.#values.update(() => known.map((name) => [name, null] as const))
  }
}

/** The shards that a change sends to stale remotes again. */
export type ResyncLists = Pick<TopologyChange, 'renewed' | 'renewedShards'>

type Networks = Pick<TopologyChange, 'before' | 'after' | 'absent'>

/**
 * Returns whether a remote may have a part of a shard only: it gets the shard again, or that was
 * interrupted.
 */
export function mayBePartial(
  change: ResyncLists | null,
  stale: ReadonlyMap<string, StaleRemote>,
  remote: string,
  shard: string,
): boolean {
  if (change !== null && isResynced(change, remote, shard)) return true
  const known = stale.get(remote)
  return known?.reason === 'interrupted' && known.shards?.includes(shard) !== false
}

/** Whether an owner has a shard right; undefined: it is not stale. */
const isRightIn = (owner: StaleRemote | undefined, shard: string): boolean =>
  owner === undefined || owner.shards?.includes(shard) === false

/** A shard that some owners have wrong, and the remotes that alone have it right. */
export type LastCopy = {
  readonly shard: string
  readonly remotes: readonly string[]
  readonly wrong: readonly string[]
}

/**
 * Returns a shard that only remotes that leave have right, while an owner that stays lacks writes, or
 * null. Without these remotes the copy of that owner would count, also after a canceled change: they
 * are away then, and have sent nothing.
 */
export function lastCopy(
  { before, after }: Pick<Networks, 'before' | 'after'>,
  stale: ReadonlyMap<string, StaleRemote>,
): LastCopy | null {
  for (const [shard, { remotes: owners }] of before.shards) {
    const remotes = owners.filter((name) => isRightIn(stale.get(name), shard))
    const wrong = owners.filter((name) => !remotes.includes(name) && after.remotes.has(name))
    const isLast = remotes.length > 0 && !remotes.some((name) => after.remotes.has(name))
    if (isLast && wrong.length > 0) return { shard, remotes, wrong }
  }
  return null
}

/**
 * Returns the stale remotes whose shards can be sent again: each of their shards that may be wrong
 * has another owner that is reachable and has it right.
 */
export function resyncable(
  { before, after, absent }: Networks,
  stale: ReadonlyMap<string, StaleRemote>,
): ResyncLists {
  // If shards change, documents move between them, so a remote gets all of them again.
  const areSame = areShardsSame(before, after)
  const isRight = (name: string, shard: string): boolean =>
    areSame ? isRightIn(stale.get(name), shard) : !stale.has(name)
  const renewed = [...after.remotes.keys()].filter((name) => {
    if (!stale.has(name) || name === after.leader) return false
    const wrong = [...before.shards].filter(
      ([shard, { remotes }]) => remotes.includes(name) && !isRight(name, shard),
    )
    return wrong.every(([shard, { remotes }]) =>
      remotes.some((owner) => !absent.includes(owner) && isRight(owner, shard)),
    )
  })
  const limited = renewed.flatMap((name) => {
    const shards = areSame ? stale.get(name)?.shards : undefined
    return shards === undefined ? [] : [[name, shards] as const]
  })
  return { renewed, renewedShards: new Map(limited) }
}
