// A writer, its followers and the object store between them, as their clients know them.
import { FollowModel } from '../followers/follow-model.ts'
import type { Counts } from '../network/ledger.ts'
import { INSTANCE_FAULTS } from './faults.ts'
import { History } from './history.ts'
import { SimulatedMember } from './session.ts'
import { type Configs, type StandbyKind, serveStandby } from './standby.ts'
import { SimulatedStore } from './store.ts'
import { Swaps } from './swaps.ts'
import type { World } from './world.ts'

export const STANDBY_FAULTS = [...INSTANCE_FAULTS, 'weather', 'storeCut', 'storeTrouble'] as const
export type StandbyFault = (typeof STANDBY_FAULTS)[number]

export type FollowPlan = {
  readonly instances: number
  readonly rounds: number
  /** Receives the number of events of each kind. */
  readonly counts: Counts
  readonly faults: readonly StandbyFault[]
  /** Whether writers hold a lease, and standbys take over. */
  readonly hasLease: boolean
}

/** Few, so that each is often written again. */
const IDS = 24

export class FollowSession {
  readonly world: World
  readonly store: SimulatedStore
  readonly members = new Map<string, SimulatedMember>()
  readonly model: FollowModel
  readonly history = new History()
  readonly swaps = new Swaps()
  readonly counts: Counts
  isEnding = false

  constructor(world: World, configs: Configs, plan: FollowPlan) {
    this.world = world
    this.counts = plan.counts
    const { clock, random } = world
    this.store = new SimulatedStore(clock, random)
    this.model = new FollowModel(random, IDS)
    for (let i = 0; i < plan.instances; i++) {
      const name = String.fromCharCode(97 + i)
      const kind: StandbyKind = plan.hasLease
        ? i === 0
          ? 'writer'
          : 'standby'
        : i === 0
          ? 'publisher'
          : 'follower'
      const serve = serveStandby(configs[kind], this.store)
      this.members.set(name, new SimulatedMember(world, name, serve))
    }
  }

  pick<T>(values: readonly T[]): T {
    return values[this.world.random.below(values.length)]!
  }

  count(name: string): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1
  }
}
