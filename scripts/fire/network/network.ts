// A network of instances under fire: clients write and search all the time, while instances are
// killed, paused, cut off, added and removed, one outage at a time. A round is an outage, a change
// of the network, or both at the same time.
//
// Expected: no search on any member ever returns missing or duplicate hits, or an error; and when
// the network is idle, every acknowledged write has taken effect exactly once.
import { rmSync } from 'node:fs'
import { pause } from '../parts/client.ts'
import { chosen, type Report, type Run } from '../parts/report.ts'
import { changeNetwork, settleNetwork } from './changes.ts'
import { formNetwork, type NetworkSession, OUTAGES, type Outage } from './session.ts'
import { traffic } from './traffic.ts'
import { TRUST_ROUNDS, trustFire } from './trust.ts'
import { verifyNetwork } from './verify.ts'

export const ROUNDS = ['kill', 'stop', 'drop', 'hold', 'change', 'both', 'cancel'] as const
export type RoundKind = (typeof ROUNDS)[number]
export const ALL_ROUNDS = [...ROUNDS, ...TRUST_ROUNDS]

export type FireOptions = Run & {
  readonly instances: number
  readonly rounds: number
  /** The kinds of rounds to draw from. */
  readonly kinds: readonly RoundKind[]
  /** Whether the kinds are used one after another instead of drawn. */
  readonly inTurn?: boolean
  /** Milliseconds of the longest outage. */
  readonly outageMs?: number
  /** Number of rounds between two verifications. */
  readonly verifyEvery?: number
}

const SHARDS = 6
/** Owners of each shard. */
const REPLICAS = 2

/** `network`: rounds of both kinds of networks. */
export async function networkRun(
  given: Run & { rounds: number; instances: number; only: string },
): Promise<Report> {
  const { rounds, instances, only, seed, progress } = given
  const all = chosen(only, ALL_ROUNDS)
  const trustKinds = TRUST_ROUNDS.filter((kind) => all.includes(kind))
  const trustRounds = Math.round((rounds * trustKinds.length) / all.length)
  const trust =
    trustRounds === 0
      ? null
      : await trustFire({ rounds: trustRounds, kinds: trustKinds, seed, progress })
  const rest = rounds - trustRounds
  const kinds = ROUNDS.filter((kind) => all.includes(kind))
  const plain =
    rest === 0 ? null : await networkFire({ rounds: rest, instances, kinds, seed, progress })
  return {
    figures: { ...prefixed('trust', trust), ...prefixed('plain', plain) },
    problems: [...(trust?.problems ?? []), ...(plain?.problems ?? [])],
  }
}

const prefixed = (name: string, report: Report | null): Report['figures'] =>
  Object.fromEntries(
    Object.entries(report?.figures ?? {}).map(([figure, value]) => [`${name}: ${figure}`, value]),
  )

export async function networkFire(options: FireOptions): Promise<Report> {
  const session = await formNetwork(options.seed, options.instances, SHARDS, REPLICAS)
  const settledMs: number[] = []
  let [done, documents, tasks] = [0, 0, 0]
  try {
    while (done < options.rounds && session.problems.length === 0) {
      const until = Math.min(options.rounds, done + (options.verifyEvery ?? 10))
      session.isEnding = false
      const clients = traffic(session)
      try {
        while (done < until && session.problems.length === 0)
          await runRound(session, options, done++)
        await settleNetwork(session)
      } finally {
        session.isEnding = true
        await clients
      }
      const verified = await verifyNetwork(session)
      settledMs.push(verified.settledMs)
      ;({ documents, tasks } = verified)
    }
  } catch (error) {
    session.problem(error instanceof Error ? (error.stack ?? error.message) : String(error))
  } finally {
    session.isEnding = true
    await session.stop()
  }
  const { counts, problems, root } = session
  if (problems.length === 0) rmSync(root, { recursive: true })
  else problems.push(`the databases are in ${root}`)
  const settled = { 'until all instances had caught up': settledMs }
  return { figures: { rounds: done, documents, tasks, ...counts, ...settled }, problems }
}

async function runRound(session: NetworkSession, options: FireOptions, done: number) {
  const { kinds, inTurn = false, rounds, progress, outageMs = 3000 } = options
  const { random } = session
  const kind = inTurn ? kinds[done % kinds.length]! : session.pick(kinds)
  progress?.(done, rounds, kind)
  const outage = (kind: Outage): Promise<void> => {
    session.count(kind)
    return session.outage(session.pick([...session.members]), kind, random.below(outageMs))
  }
  const change = (cancelMs: number): Promise<void> => {
    session.count(cancelMs < 0 ? 'changes' : 'canceled changes')
    return changeNetwork(session, cancelMs)
  }
  if (kind === 'change') await change(-1)
  else if (kind === 'cancel') await change(random.below(1500))
  else if (kind === 'both') {
    const later = pause(random.below(800)).then(() => outage(session.pick(OUTAGES)))
    await Promise.all([change(-1), later])
  } else await outage(kind)
  await pause(random.below(800))
}
