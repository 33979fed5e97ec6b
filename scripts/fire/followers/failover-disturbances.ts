// The disturbances in a round of the session about take-overs. Each one ends when writes are
// acknowledged again; processes that have ended are started by the round.
import type { Random } from '../../../engine/store/storage/index.ts'
import type { Trouble } from '../../../server/testing/index.ts'
import { pause } from '../parts/client.ts'
import type { WayRequest } from '../parts/store.ts'
import type { Write } from './failover-writes.ts'
import type { StandbyInstance } from './instance.ts'

/** The session, as disturbances use it. */
export interface Disturbed {
  readonly random: Random
  readonly leaseMs: number
  readonly instances: readonly StandbyInstance[]
  readonly events: string[]
  /** A trouble that the store has for all instances. */
  trouble: (request: WayRequest) => Trouble | null
  /** When the time without writes began. */
  readonly from: number
  /** From now on it is measured how long no write is acknowledged. */
  begins(): void
  /**
   * Waits for an acknowledged write that fulfils the condition; too late a one is a fault.
   * `before`: the process that was the writer.
   */
  untilWritten(isIt: (write: Write) => boolean, before: number): Promise<void>
}

type Disturb = (session: Disturbed, writer: StandbyInstance) => Promise<void>

/** Returns a time of `from` to `to` times the lease. */
const leases = ({ random, leaseMs }: Disturbed, from: number, to: number): number =>
  Math.round(leaseMs * (from + ((to - from) * random.below(1000)) / 1000))

const pidOf = ({ program }: StandbyInstance): number => program!.pid

/** kill -9 of the writer, which returns later, or at once. */
const kill: Disturb = async (session, writer) => {
  const pid = pidOf(writer)
  const returns = session.random.below(4) === 0
  session.events.push(`${writer.name} killed${returns ? ', returns at once' : ''}`)
  await writer.kill()
  const back = returns ? writer.start() : null
  await session.untilWritten((one) => one.pid !== pid, pid)
  await back
}

/**
 * The writer is silent for longer than its lease: another one takes over, unless that one was
 * slower than the silence. Then the writer may go on.
 */
async function silent(
  session: Disturbed,
  writer: StandbyInstance,
  set: (isSilent: boolean) => void,
): Promise<void> {
  const pid = pidOf(writer)
  const ms = leases(session, 1.2, 3)
  session.events.push(`for ${ms} ms`)
  let end = Number.POSITIVE_INFINITY
  set(true)
  const over = pause(ms).then(() => {
    set(false)
    end = performance.now()
  })
  const isIt = (one: Write): boolean => one.pid !== pid || one.sentAt > end
  await session.untilWritten(isIt, pid).finally(() => over)
}

/** SIGSTOP and SIGCONT: the writer goes on as if no time had passed. */
const freeze: Disturb = (session, writer) => {
  session.events.push(`${writer.name} stopped`)
  return silent(session, writer, (is) => writer.signal(is ? 'SIGSTOP' : 'SIGCONT'))
}

const cut: Disturb = (session, writer) => {
  session.events.push(`${writer.name} cut from the store`)
  return silent(session, writer, (is) => writer.way.cut(is))
}

/** SIGTERM: it hands its role over. */
const terminate: Disturb = async (session, writer) => {
  const pid = pidOf(writer)
  session.events.push(`${writer.name} terminated`)
  const stopped = writer.stop()
  await session.untilWritten((one) => one.pid !== pid, pid)
  await stopped
}

/** The store has a trouble for some time; nothing need change. */
async function troubled(
  session: Disturbed,
  writer: StandbyInstance,
  trouble: (request: WayRequest) => Trouble | null,
): Promise<void> {
  session.trouble = trouble
  await pause(leases(session, 0.5, 2.5))
  session.trouble = () => null
  session.begins()
  await session.untilWritten((one) => one.sentAt > session.from, pidOf(writer))
}

const store: Disturb = (session, writer) => {
  const { random, leaseMs } = session
  const share = 1 + random.below(5)
  const troubles: readonly Trouble[] = [
    { kind: 'status', status: 503, body: 'busy' },
    { kind: 'reset' },
    { kind: 'lost' },
    { kind: 'lost' },
    { kind: 'half' },
    { kind: 'hang' },
    { kind: 'slow', ms: 50 + random.below(leaseMs / 3) },
    { kind: 'slow', ms: leaseMs / 2 + random.below(leaseMs) },
  ]
  const trouble = troubles[random.below(troubles.length)]!
  session.events.push(`store: ${trouble.kind}, 1 request of ${share}`)
  return troubled(session, writer, () => (random.below(share) === 0 ? trouble : null))
}

/** Writes of the writer record, or of heads, are executed; their answers are lost or late. */
const record: Disturb = (session, writer) => {
  const { random, leaseMs } = session
  const part = random.below(3) === 0 ? '/published/' : '/writer.json'
  const share = 1 + random.below(3)
  const late = leaseMs / 8 + random.below(2 * leaseMs)
  const trouble: Trouble = random.below(3) === 0 ? { kind: 'slow', ms: late } : { kind: 'lost' }
  session.events.push(`answers to ${part} ${trouble.kind}, 1 of ${share}`)
  return troubled(session, writer, ({ method, url }) =>
    method === 'PUT' && url.includes(part) && random.below(share) === 0 ? trouble : null,
  )
}

const JUMPS_S = [5, 60, 600, 7200, -5, -60, -600, -7200]

/** The wall clock of an instance jumps, and jumps back. A store refuses a clock of the future. */
const clock: Disturb = async (session, writer) => {
  const { random, instances } = session
  const one = random.below(2) === 0 ? writer : instances[random.below(instances.length)]!
  const seconds = JUMPS_S[random.below(JUMPS_S.length)]!
  session.events.push(`clock of ${one.name} jumps by ${seconds} s`)
  one.setClock(seconds * 1000)
  await pause(leases(session, 0.3, 2.5))
  one.setClock(0)
  session.begins()
  await session.untilWritten(({ sentAt }) => sentAt > session.from, pidOf(writer))
}

/** kill -9 of a follower: the writer goes on. */
const standby: Disturb = async (session, writer) => {
  const others = session.instances.filter((one) => one !== writer)
  const other = others[session.random.below(others.length)]!
  session.events.push(`${other.name}, a follower, killed`)
  await other.kill()
  const pid = pidOf(writer)
  await session.untilWritten((one) => one.pid === pid && one.sentAt > session.from, pid)
}

/** kill -9 of the writer, and of a follower while it may be taking over. */
const two: Disturb = async (session, writer) => {
  const { random, instances } = session
  const pid = pidOf(writer)
  const others = instances.filter((one) => one !== writer)
  const other = others[random.below(others.length)]!
  const returns = random.below(2) === 0
  const ms = random.below(2) === 0 ? leases(session, 0.8, 1.5) : leases(session, 0, 2)
  session.events.push(`${writer.name} killed, ${other.name} killed after ${ms} ms`)
  await writer.kill()
  const back = returns ? writer.start() : null
  await pause(ms)
  await other.kill()
  await back
  await other.start()
  session.begins()
  await session.untilWritten((one) => one.pid !== pid && one.sentAt > session.from, pid)
}

export const DISTURBANCES = {
  kill,
  freeze,
  terminate,
  cut,
  store,
  record,
  clock,
  standby,
  two,
}
export type Disturbance = keyof typeof DISTURBANCES
