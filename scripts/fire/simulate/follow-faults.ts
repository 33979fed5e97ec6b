// The faults of one round of a writer and its followers: of instances, as in a network, and of the
// object store and the lines to it.
import { pause } from '../parts/client.ts'
import { faultOfInstance, healInstances, weatherOf } from './faults.ts'
import type { FollowSession, StandbyFault } from './follow-session.ts'
import type { LineState } from './lines.ts'
import { NO_TROUBLE } from './store.ts'

const STATES: readonly LineState[] = ['refused', 'silent', 'halfOpen']
const CUT_MS_MAX = 10_000
const LATE_MS_MAX = 3000

export async function disturbStandby(session: FollowSession, kind: StandbyFault): Promise<void> {
  const { world, store } = session
  const { random, lines } = world
  const member = session.pick([...session.members.values()])
  session.count(kind)
  world.note(`FAULT ${kind} ${member.name}`)
  switch (kind) {
    case 'weather':
      lines.weather = weatherOf(random)
      return
    case 'storeCut':
      lines.set(member.name, store.name, session.pick(STATES))
      await pause(random.below(CUT_MS_MAX))
      lines.set(member.name, store.name, 'open')
      return
    case 'storeTrouble':
      store.trouble = {
        busy: random.below(3) * 100,
        failed: random.below(3) * 100,
        cut: random.below(3) * 50,
        lateMs: random.below(LATE_MS_MAX),
      }
      return
    default:
      return faultOfInstance(world, random, member, kind)
  }
}

export async function healStandby({ world, store, members }: FollowSession): Promise<void> {
  world.note('all faults are healed')
  store.trouble = NO_TROUBLE
  world.lines.heal()
  await healInstances(world, [...members.values()])
}
