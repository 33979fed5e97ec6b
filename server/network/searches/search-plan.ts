// Chooses the instances for a search: one owner of each shard, preferably this instance, if
// documents are divided; otherwise every registered instance.
import type { Engine, Network } from '../../../engine/index.ts'
import type { Availability } from '../calls/index.ts'

/** Shards that an instance has to search, or null if documents are not divided. */
export type RequestedShards = readonly string[] | null

export type SearchPlan = {
  readonly network: Network
  readonly isSharded: boolean
  /** Shards of this instance, or undefined if it takes no part. */
  readonly own: RequestedShards | undefined
  readonly remotes: ReadonlyMap<string, RequestedShards>
  /**
   * By shard, the owners that have it. One that may have a part of it only is left out; without
   * another one, the answer names it.
   */
  readonly owners: ReadonlyMap<string, readonly string[]>
  /** Shards without an owner that can be called, with their last owner. */
  readonly unowned: ReadonlyMap<string, string>
  /**
   * Instances whose documents had not moved when the plan was made: answers by this plan lack
   * them, also if the network changes meanwhile.
   */
  readonly unreached: readonly string[]
}

/** Computed once per request, so that all its queries use the same instances. */
export function searchPlan(
  topology: Pick<Engine['topology'], 'serving' | 'unreached' | 'isPartial'>,
  availability: Availability,
  random: () => number = Math.random,
): SearchPlan {
  const { serving: network, unreached } = topology
  const { self, remotes, shards, leader } = network
  if (leader === null) {
    const others = [...remotes.keys()].filter((name) => name !== self)
    const isListed = self !== null && remotes.has(self)
    const called = new Map<string, RequestedShards>(others.map((name) => [name, null]))
    return {
      network,
      isSharded: false,
      own: isListed ? null : undefined,
      remotes: called,
      owners: new Map(),
      unowned: new Map(),
      unreached,
    }
  }
  const owned = new Map(
    [...shards].map(([shard, { remotes: owners }]) => [
      shard,
      owners.filter((name) => !topology.isPartial(name, shard)),
    ]),
  )
  const own: string[] = []
  const called = new Map<string, string[]>()
  const unowned = new Map<string, string>()
  // Prefer instances that are called anyway.
  const mayLack = self !== null && availability.lacksWrites(self)
  for (const [shard, owners] of owned) {
    const isOwn = self !== null && owners.includes(self)
    // If another owner fails, this instance is called like the others.
    if (isOwn && !(mayLack && owners.some((name) => hasAll(name, availability)))) {
      own.push(shard)
      continue
    }
    const owner = chosenOwner(owners, availability, called, random)
    if (owner === null) unowned.set(shard, shards.get(shard)?.remotes.at(-1) ?? '')
    else called.set(owner, [...(called.get(owner) ?? []), shard])
  }
  return { network, isSharded: true, own, remotes: called, owners: owned, unowned, unreached }
}

/**
 * Chooses an available owner at random, or a paused one, which may be back. An owner that lacks
 * writes is the last choice: its shards may be on their way to it.
 */
export function chosenOwner(
  owners: readonly string[],
  availability: Availability,
  called: ReadonlyMap<string, unknown>,
  random: () => number = Math.random,
): string | null {
  const available = owners.filter((name) => availability.isAvailable(name))
  const whole = owners.filter((name) => hasAll(name, availability))
  const left = whole.length > 0 ? whole : owners.filter((name) => availability.mayBeTried(name))
  const able = available.length > 0 ? available : left
  const known = able.filter((name) => called.has(name))
  const from = known.length > 0 ? known : able
  return from[Math.floor(random() * from.length)] ?? null
}

/** Returns true if the instance may be called and lacks no writes. */
const hasAll = (name: string, availability: Availability): boolean =>
  availability.mayBeTried(name) && !availability.lacksWrites(name)
