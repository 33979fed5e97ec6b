// The faults of one round of a simulated network: drawn, begun, and healed.

import { pause } from '../parts/client.ts'
import { CLIENT, type LineState } from './lines.ts'
import type { SimulatedMember, SimulatedSession } from './session.ts'

export const FAULTS = [
  'weather',
  'cut',
  'cutOneWay',
  'kill',
  'powerOff',
  'powerOffMidway',
  'fullDisk',
  'failedSync',
  'slowDisk',
] as const
export type FaultKind = (typeof FAULTS)[number]

const STATES: readonly LineState[] = ['refused', 'silent', 'halfOpen']
/** Milliseconds that an instance is away. */
const AWAY_MS = 6000
/** Operations of the disk before its power fails in the middle of something. */
const MIDWAY_STEPS = 150
const FREE_BYTES = 20_000

/** Begins a fault; resolves when it is over, or may last until `heal`. */
export async function disturb(session: SimulatedSession, kind: FaultKind): Promise<void> {
  const { random } = session
  const member = session.instance(session.pick([...session.members]))
  session.count(kind)
  session.event(`FAULT ${kind} ${member.name}`)
  const { disk } = member.instance
  switch (kind) {
    case 'weather':
      session.world.lines.weather = {
        lostRequest: random.below(3) * 20,
        lostAnswer: random.below(3) * 20,
        reset: random.below(3) * 20,
        repeated: random.below(2) * 50,
        slow: random.below(3) * 100,
        delayMs: 1 + random.below(20),
        slowMs: 100 + random.below(2000),
      }
      return
    case 'cut':
    case 'cutOneWay':
      return cut(session, member, kind === 'cut')
    case 'kill':
    case 'powerOff':
      return away(session, member, () => {
        if (kind === 'kill') member.instance.kill()
        else member.instance.powerOff()
      })
    case 'powerOffMidway':
      // It starts again when the round ends, unless the power holds until then.
      disk.powerOffAfter(random.below(MIDWAY_STEPS))
      return
    case 'fullDisk':
      disk.capacity = disk.usedBytes + random.below(FREE_BYTES)
      return
    case 'failedSync':
      disk.fail({
        on: 'sync',
        errno: 'EIO',
        after: random.below(30),
        times: 1 + random.below(3),
        ruins: random.below(2) === 0,
      })
      return
    case 'slowDisk':
      member.instance.slowDiskShare = 1
  }
}

/** Separates an instance from the others, and sometimes from the clients too. */
function cut(session: SimulatedSession, { name }: SimulatedMember, isBothWays: boolean): void {
  const state = session.pick(STATES)
  const { lines } = session.world
  const isWhole = session.random.below(2) === 0
  for (const other of session.instances.keys()) {
    if (other === name || (!isWhole && session.random.below(2) === 0)) continue
    lines.set(other, name, state)
    if (isBothWays) lines.set(name, other, state)
  }
  if (session.random.below(3) === 0) lines.set(CLIENT, name, state)
}

async function away(
  session: SimulatedSession,
  member: SimulatedMember,
  end: () => void,
): Promise<void> {
  if (!member.instance.isUp) return
  end()
  await pause(session.random.below(AWAY_MS))
  await start(session, member)
}

async function start(session: SimulatedSession, { name, instance }: SimulatedMember) {
  if (instance.isUp || instance.isStarting) return
  try {
    await instance.start()
  } catch (error) {
    // The disk may be full, its sync may fail, or the power may go off again.
    if (session.isCalm) session.problem(`${name} does not start: ${error}`)
    else session.event(`${name} does not start: ${error}`)
  }
}

/** Ends all faults; instances that are down start, and those with a failed disk start again. */
export async function heal(session: SimulatedSession): Promise<void> {
  session.event('all faults are healed')
  session.world.lines.heal()
  for (const member of session.instances.values()) {
    const { instance } = member
    const { disk } = instance
    disk.powerOffAfter(Number.POSITIVE_INFINITY)
    disk.capacity = Number.POSITIVE_INFINITY
    disk.heal()
    instance.slowDiskShare = 16
    while (instance.isStarting) await pause(20)
    if (instance.isUp && (await needsRestart(member))) instance.kill()
    await start(session, member)
  }
  for (const member of session.instances.values()) {
    if (!member.instance.isUp) session.problem(`${member.name} does not start on a healthy disk`)
  }
}

/** An operator starts an instance again that is not healthy: its log refuses writes, for example. */
async function needsRestart(member: SimulatedMember): Promise<boolean> {
  return (await member.ask('GET', '/health')).status !== 200
}
