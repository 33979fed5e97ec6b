// A network of trust under fire: clients write and search all the time, and a hostile client
// pretends to be an instance, while members are cloned, replaced as the leader, killed, cut off,
// moved to other shards, and while their clocks jump. A round is one of these, and ends with the
// comparison of all documents.
//
// Expected: no acknowledged write is lost or done twice, no answer lacks documents without naming
// an instance, the hostile client changes nothing but its index and sees nothing but that, and one
// leader accepts writes.
import { rmSync } from 'node:fs'
import { pause } from '../parts/client.ts'
import type { Report, Run } from '../parts/report.ts'
import { changeNetwork, settleNetwork } from './changes.ts'
import { type Counts, untilRenewed } from './ledger.ts'
import { OUTAGES } from './session.ts'
import { hostileClients } from './trust-holder.ts'
import { copiedFolder, lostLeader, restoredSnapshot, takeover, wrongClock } from './trust-rounds.ts'
import { formTrustNetwork, type TrustSession } from './trust-session.ts'
import { trustTraffic } from './trust-traffic.ts'
import { verifyTrust } from './trust-verify.ts'

export const TRUST_ROUNDS = [
  'snapshot',
  'copy',
  'copy-away',
  'takeover',
  'lost-leader',
  'clock',
  'trust-change',
  'trust-outage',
] as const
export type TrustRound = (typeof TRUST_ROUNDS)[number]

/** Rounds of one network; then another one is formed. */
const ROUNDS_OF_NETWORK = 20
const PAUSE_MS = 400
const OUTAGE_MS = 1500
const CANCEL_MS = 1500

export type TrustOptions = Run & {
  readonly rounds: number
  readonly kinds: readonly TrustRound[]
  /** Whether the kinds are used one after another instead of drawn. */
  readonly inTurn?: boolean
}

export async function trustFire(options: TrustOptions): Promise<Report> {
  const counts: Counts = {}
  const problems: string[] = []
  let [done, networks] = [0, 0]
  while (done < options.rounds && problems.length === 0) {
    const session = await formTrustNetwork(options.seed + networks++)
    const until = Math.min(options.rounds, done + ROUNDS_OF_NETWORK)
    try {
      while (done < until && session.problems.length === 0) {
        await runRound(session, options, done++)
      }
    } catch (error) {
      session.problem(error instanceof Error ? (error.stack ?? error.message) : String(error))
    } finally {
      session.isEnding = true
      await session.stop()
    }
    for (const [name, count] of Object.entries(session.counts)) {
      counts[name] = (counts[name] ?? 0) + count
    }
    problems.push(...session.problems)
    if (problems.length > 0) problems.push(`the databases are in ${session.root}`)
    else rmSync(session.root, { recursive: true })
  }
  return { figures: { rounds: done, networks, ...counts }, problems }
}

async function runRound(
  session: TrustSession,
  { kinds, inTurn = false, rounds, progress }: TrustOptions,
  done: number,
): Promise<void> {
  const kind = inTurn ? kinds[done % kinds.length]! : session.pick(kinds)
  progress?.(done, rounds, kind)
  session.isEnding = false
  const clients = Promise.all([trustTraffic(session), hostileClients(session)])
  try {
    // In the first round the network is still being formed.
    await untilRenewed(session)
    await pause(session.random.below(PAUSE_MS))
    await act(session, kind)
    await pause(session.random.below(PAUSE_MS))
    await settleNetwork(session)
    await session.readIdentities()
  } finally {
    session.isEnding = true
    await clients
  }
  await verifyTrust(session)
}

async function act(session: TrustSession, kind: TrustRound): Promise<void> {
  switch (kind) {
    case 'snapshot':
      return restoredSnapshot(session)
    case 'copy':
      return copiedFolder(session, false)
    case 'copy-away':
      return copiedFolder(session, true)
    case 'takeover':
      return takeover(session)
    case 'lost-leader':
      return lostLeader(session)
    case 'clock':
      return wrongClock(session)
    case 'trust-change':
      session.count('changes')
      return changeNetwork(
        session,
        session.random.below(3) === 0 ? session.random.below(CANCEL_MS) : -1,
      )
    case 'trust-outage': {
      const name = session.pick(session.up)
      return session.outage(name, session.pick(OUTAGES), session.random.below(OUTAGE_MS))
    }
  }
}
