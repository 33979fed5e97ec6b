// Stale remotes: sending tasks cannot bring their documents up to date, so their shards are sent to
// them again. Each instance keeps its own list in its manifest; it is durable.
import { decodedJson, number, object, oneOf } from '../../format/schema/index.ts'
import type { Manifest } from '../store/catalog/index.ts'
import { type ValueSpace, ValueStore } from '../store/values/index.ts'
import type { TopologyChange } from './change.ts'

/**
 * backlog: its unconfirmed tasks exceeded the limit. refused: it refused a task that the leader
 * accepted. interrupted: its shards were being sent again, and the transfer did not finish. absent:
 * it was not reachable while the network changed.
 */
export type StaleReason = 'backlog' | 'refused' | 'interrupted' | 'absent'

export type StaleRemote = {
  readonly reason: StaleReason
  /** On the leader: tasks with lower uids are not sent to the remote. */
  readonly before: number
}

const STALE: ValueSpace<StaleRemote> = {
  name: 'network-stale',
  encode: (value) => Buffer.from(JSON.stringify(value)),
  decode: (bytes) => decodedJson(RECORD, bytes, 'stale remotes'),
  // One record per remote, of at most 100 bytes; the network limits the number of remotes.
  limit: null,
}
const RECORD = object<StaleRemote>({
  reason: oneOf(['backlog', 'refused', 'interrupted', 'absent']),
  before: number,
})

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

/**
 * Returns the stale remotes whose shards can be sent again: each of their shards has another owner
 * that is reachable and not stale.
 */
export function renewable(
  { before, after, absent }: Pick<TopologyChange, 'before' | 'after' | 'absent'>,
  stale: ReadonlySet<string>,
): readonly string[] {
  const isSource = (name: string): boolean => !stale.has(name) && !absent.includes(name)
  return [...after.remotes.keys()].filter((name) => {
    if (!stale.has(name) || name === after.leader) return false
    const own = [...before.shards.values()].filter(({ remotes }) => remotes.includes(name))
    return own.every(({ remotes }) => remotes.some(isSource))
  })
}
