// The network that searches use: during a change the former one, until all documents have moved.
import type { TaskUid } from '../../../format/ids.ts'
import {
  formerNetwork,
  keepsAll,
  type Network,
  NO_NETWORK,
  placedNetwork,
  type ShardSet,
  shardSetOf,
  type TopologyChange,
  wasDivided,
} from '../records/index.ts'
import type { TopologyMessages } from './topology-messages.ts'
import type { TopologyRecords } from './topology-records.ts'

export class ServingNetwork {
  readonly #records: TopologyRecords
  readonly #messages: TopologyMessages
  readonly #current: () => Network
  /** While a change runs: the previous shards, with the current addresses of instances. */
  #former: Network = NO_NETWORK
  /** Whether documents of the former network are being deleted. */
  #isDeleting = false
  #placed: {
    readonly placement: Network
    readonly current: Network
    readonly network: Network
  } | null = null
  #shardsOf: Network['shards'] | null = null
  #shardNames: readonly string[] = []

  /** `current` returns the network as it was last changed. */
  constructor(records: TopologyRecords, messages: TopologyMessages, current: () => Network) {
    this.#records = records
    this.#messages = messages
    this.#current = current
  }

  begin({ before, after }: TopologyChange): void {
    const remotes = new Map([...before.remotes, ...after.remotes])
    const former = formerNetwork(before, after)
    this.#former = { ...former, self: after.self ?? before.self, remotes }
    this.#isDeleting = false
  }

  beginDeletion(): void {
    this.#isDeleting = true
  }

  /** The network that searches use. */
  get network(): Network {
    if (this.#messages.change === null) return this.#placedNetwork
    // Urls and keys may be new; shards are still in their old places.
    return this.#messages.isRouted ? this.#current() : this.#former
  }

  get unreached(): readonly string[] {
    const before = this.#messages.change?.before ?? this.#records.placement
    const current = this.#current()
    const { leader, remotes } = current
    if (before === undefined || leader === null || this.#messages.isRouted) return []
    const isNew = before.leader === null && !wasDivided(before, current)
    const others = isNew ? before.remotes.keys() : []
    const bringing = this.#messages.change?.bringing ?? this.#records.bringing
    const names = new Set([...others, ...bringing])
    return [...names].filter((name) => name !== leader && remotes.has(name))
  }

  alsoServed(version: string): Network | null {
    const { change } = this.#messages
    if (change === null) return null
    const { after } = change
    if (version === this.#former.version) return this.#isDeleting ? null : this.#former
    const { self } = after
    const hasImported = self !== null && this.#messages.all().finished[self] === true
    return version === after.version && hasImported ? after : null
  }

  /** The network by which documents are placed while no change runs. */
  get #placedNetwork(): Network {
    const current = this.#current()
    const { placement } = this.#records
    if (placement === undefined) return current
    const known = this.#placed
    if (known?.placement === placement && known.current === current) return known.network
    const network = placedNetwork(placement, current)
    this.#placed = { placement, current, network }
    return network
  }

  /** Shard names of the network that searches use, or null if documents are not divided. */
  get shardNames(): readonly string[] | null {
    const { shards } = this.network
    if (shards.size === 0) return null
    if (this.#shardsOf !== shards) {
      this.#shardsOf = shards
      this.#shardNames = [...shards.keys()]
    }
    return this.#shardNames
  }

  /** Returns the shards under which a task runs; `change`: the one whose task has not ended. */
  shardsOf(uid: TaskUid, change: TopologyChange | null): ShardSet | null {
    if (change === null) return shardSetOf(this.#placedNetwork)
    if (uid >= change.uid) return shardSetOf(change.after)
    const { before, after } = change
    const isMember = after.self !== null && before.remotes.has(after.self)
    return isMember ? shardSetOf({ ...before, self: after.self }) : keepsAll(before, after)
  }
}
