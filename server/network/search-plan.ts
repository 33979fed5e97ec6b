// Which instances a search is for: where documents are divided one owner of each shard, this
// instance where it is one; otherwise every instance that is registered.
import type { Network } from '../../engine/index.ts'
import type { Availability } from './availability.ts'

/** Shards that an instance is asked for; null: documents are not divided. */
export type AskedShards = readonly string[] | null

export type SearchPlan = {
  readonly network: Network
  readonly isSharded: boolean
  /** undefined: this instance is not asked. */
  readonly own: AskedShards | undefined
  readonly remotes: ReadonlyMap<string, AskedShards>
  /** Shard → its last owner, where no owner can be asked. */
  readonly unowned: ReadonlyMap<string, string>
}

/** Made once for a request, so that all its queries ask the same instances. */
export function searchPlan(
  network: Network,
  availability: Availability,
  random: () => number = Math.random,
): SearchPlan {
  const { self, remotes, shards, leader } = network
  if (leader === null) {
    const others = [...remotes.keys()].filter((name) => name !== self)
    const isListed = self !== null && remotes.has(self)
    const asked = new Map<string, AskedShards>(others.map((name) => [name, null]))
    return {
      network,
      isSharded: false,
      own: isListed ? null : undefined,
      remotes: asked,
      unowned: new Map(),
    }
  }
  const own: string[] = []
  const asked = new Map<string, string[]>()
  const unowned = new Map<string, string>()
  // Shards whose owners were chosen go to instances that are asked anyway, where that is possible.
  const mayLack = self !== null && availability.lacksWrites(self)
  for (const [shard, { remotes: owners }] of shards) {
    const isOwn = self !== null && owners.includes(self)
    // Where another owner fails, this instance is asked as others are.
    if (isOwn && !(mayLack && owners.some((name) => hasAll(name, availability)))) {
      own.push(shard)
      continue
    }
    const owner = chosenOwner(owners, availability, asked, random)
    if (owner === null) unowned.set(shard, owners.at(-1) ?? '')
    else asked.set(owner, [...(asked.get(owner) ?? []), shard])
  }
  return { network, isSharded: true, own, remotes: asked, unowned }
}

/**
 * An owner that is available, at random; where none is, one that rests, as it may be back. One that
 * lacks writes comes last: it may be getting its shards anew, and be empty.
 */
export function chosenOwner(
  owners: readonly string[],
  availability: Availability,
  asked: ReadonlyMap<string, unknown>,
  random: () => number = Math.random,
): string | null {
  const available = owners.filter((name) => availability.isAvailable(name))
  const whole = owners.filter((name) => hasAll(name, availability))
  const left = whole.length > 0 ? whole : owners.filter((name) => availability.mayBeTried(name))
  const able = available.length > 0 ? available : left
  const known = able.filter((name) => asked.has(name))
  const from = known.length > 0 ? known : able
  return from[Math.floor(random() * from.length)] ?? null
}

/** It has all documents of its shards, and may be asked. */
const hasAll = (name: string, availability: Availability): boolean =>
  availability.mayBeTried(name) && !availability.lacksWrites(name)
