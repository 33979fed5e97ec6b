// The faults of instances and of the lines between them: begun at random moments, and healed.
import type { Random } from '../../../engine/store/storage/index.ts'
import { pause } from '../parts/client.ts'
import { answered, CLIENT, type LineState, type Weather } from './lines.ts'
import type { SimulatedMember, SimulatedSession } from './session.ts'
import type { World } from './world.ts'

export const INSTANCE_FAULTS = [
  'kill',
  'pause',
  'restart',
  'powerOff',
  'powerOffMidway',
  'fullDisk',
  'failedSync',
  'slowDisk',
] as const
export type InstanceFault = (typeof INSTANCE_FAULTS)[number]

export const FAULTS = [...INSTANCE_FAULTS, 'weather', 'cut', 'cutOneWay'] as const
export type FaultKind = (typeof FAULTS)[number]

const STATES: readonly LineState[] = ['refused', 'silent', 'halfOpen']
/** Milliseconds that an instance is away. */
const AWAY_MS = 6000
/** Operations of the disk before its power fails in the middle of something. */
const MIDWAY_STEPS = 150
const FREE_BYTES = 20_000
const SYNCS_BEFORE = 30
/** One operation of a healthy disk in this many is slow. */
const SLOW_DISK_SHARE = 16

/** Begins a fault of a network; resolves when it is over, or lasts until `heal`. */
export async function disturb(session: SimulatedSession, kind: FaultKind): Promise<void> {
  const { random, world } = session
  const member = session.instance(session.pick([...session.members]))
  session.count(kind)
  session.event(`FAULT ${kind} ${member.name}`)
  if (kind === 'weather') world.lines.weather = weatherOf(random)
  else if (kind === 'cut' || kind === 'cutOneWay') cut(session, member, kind === 'cut')
  else await faultOfInstance(world, random, member, kind)
}

/** Draws the troubles of all lines. */
export const weatherOf = (random: Random): Weather => ({
  lostRequest: random.below(3) * 20,
  lostAnswer: random.below(3) * 20,
  reset: random.below(3) * 20,
  busy: random.below(3) * 20,
  repeated: random.below(2) * 50,
  slow: random.below(3) * 100,
  delayMs: 1 + random.below(20),
  slowMs: 100 + random.below(2000),
})

/** Begins a fault of one instance; resolves when it is over, or lasts until it is healed. */
export async function faultOfInstance(
  world: World,
  random: Random,
  member: SimulatedMember,
  kind: InstanceFault,
): Promise<void> {
  const { instance } = member
  const { disk } = instance
  switch (kind) {
    case 'kill':
    case 'restart':
    case 'powerOff':
      if (!instance.isUp) return
      if (kind === 'kill') instance.kill()
      else if (kind === 'powerOff') instance.powerOff()
      else await instance.stop()
      await pause(random.below(AWAY_MS))
      return start(world, member)
    case 'pause':
      return instance.pause(random.below(AWAY_MS))
    case 'powerOffMidway':
      disk.powerOffAfter(random.below(MIDWAY_STEPS))
      return
    case 'fullDisk':
      disk.capacity = disk.usedBytes + random.below(FREE_BYTES)
      return
    case 'failedSync': {
      const times = 1 + random.below(3)
      // Sectors are not ruined: with a loss of power before the repair that is two faults of a disk,
      // and confirmed records are gone (format/log/LOG.md). Engine tests ruin them.
      const on = random.below(2) === 0 ? 'write' : 'sync'
      disk.fail({ on, errno: 'EIO', after: random.below(SYNCS_BEFORE), times })
      return
    }
    case 'slowDisk':
      instance.slowDiskShare = 1
  }
}

/** Separates an instance from others, and sometimes from the clients too. */
function cut(session: SimulatedSession, { name }: SimulatedMember, isBothWays: boolean): void {
  const { random, world } = session
  const state = session.pick(STATES)
  const isWhole = random.below(2) === 0
  for (const other of session.instances.keys()) {
    if (other === name || (!isWhole && random.below(2) === 0)) continue
    world.lines.set(other, name, state)
    if (isBothWays) world.lines.set(name, other, state)
  }
  if (random.below(3) === 0) world.lines.set(CLIENT, name, state)
}

async function start(world: World, { name, instance }: SimulatedMember): Promise<void> {
  if (instance.isUp || instance.isStarting) return
  try {
    await instance.start()
  } catch (error) {
    // The disk may be full or fail, or the power goes off again.
    world.note(`${name} does not start: ${error}`)
  }
}

/** Ends all faults of a network. */
export async function heal(session: SimulatedSession): Promise<void> {
  session.event('all faults are healed')
  session.world.lines.heal()
  await healInstances(session.world, [...session.instances.values()])
}

/** Heals disks; instances that are down or not healthy start again. */
export async function healInstances(
  world: World,
  members: readonly SimulatedMember[],
): Promise<void> {
  for (const { instance } of members) {
    instance.disk.powerOffAfter(Number.POSITIVE_INFINITY)
    instance.disk.capacity = Number.POSITIVE_INFINITY
    instance.disk.heal()
    instance.slowDiskShare = SLOW_DISK_SHARE
  }
  for (const member of members) {
    const { instance } = member
    while (instance.isStarting || instance.isStopped) await pause(LOOK_MS)
    if (instance.isUp && (await needsRestart(member)) && instance.isUp) instance.kill()
    await start(world, member)
    if (!instance.isUp) world.problem(`${member.name} does not start on a healthy disk`)
  }
}

const LOOK_MS = 20

/**
 * An operator starts an instance again that is not healthy: its log refuses writes, for example.
 * It may be killed before it answers, while a network changes.
 */
async function needsRestart(member: SimulatedMember): Promise<boolean> {
  return (await answered(member.ask('GET', '/health')))?.status !== 200
}
