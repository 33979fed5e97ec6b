// A network of trust under fire: clients write and search all the time, and a hostile client
// pretends to be an instance, while members are cloned, replaced as the leader, killed, cut off,
// moved to other shards, and while their clocks jump. A round is one of these, and ends with the
// comparison of all documents.
//
// Expected: no acknowledged write is lost or done twice, no answer lacks documents without naming
// an instance, the hostile client changes nothing but its index and sees nothing but that, and one
// leader accepts writes.
import { rmSync } from 'node:fs'
import { pause } from './ask.ts'
import { changeNetwork, settleNetwork } from './network-changes.ts'
import { OUTAGES, outage } from './network-outages.ts'
import { untilRenewed } from './network-verify.ts'
import { hostileClients } from './trust-holder.ts'
import { copiedFolder, lostLeader, restoredSnapshot, takeover, wrongClock } from './trust-rounds.ts'
import { formTrustNetwork, type TrustCounts, type TrustSession } from './trust-session.ts'
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

export type TrustOptions = {
  readonly rounds: number
  readonly kinds: readonly TrustRound[]
  /** Whether the kinds are used one after another instead of drawn. */
  readonly inTurn?: boolean
  readonly seed: number
  /** Milliseconds after which no new round begins. */
  readonly msMax: number
  readonly onRound?: (round: number, what: string) => void
}

export type TrustReport = {
  readonly rounds: number
  readonly networks: number
  readonly counts: TrustCounts
  /** The violated expectations; empty if all hold. */
  readonly problems: readonly string[]
  /** The folder of the databases of the network with problems, or null. */
  readonly root: string | null
}

export async function trustFire(options: TrustOptions): Promise<TrustReport> {
  const end = performance.now() + options.msMax
  const counts: { [count: string]: number } = {}
  let [done, networks] = [0, 0]
  let failed: TrustSession | null = null
  while (done < options.rounds && performance.now() < end && failed === null) {
    const session = await formTrustNetwork(options.seed + networks)
    networks++
    const until = Math.min(options.rounds, done + ROUNDS_OF_NETWORK)
    try {
      while (done < until && performance.now() < end && session.problems.length === 0) {
        await runRound(session, options, done++)
      }
    } catch (error) {
      session.problem(error instanceof Error ? (error.stack ?? error.message) : String(error))
    } finally {
      session.isEnding = true
      await session.stop()
    }
    for (const [name, count] of Object.entries(session.trust)) {
      counts[name] = (counts[name] ?? 0) + count
    }
    if (session.problems.length > 0) failed = session
    else rmSync(session.root, { recursive: true })
  }
  const { problems, root } = failed ?? { problems: [], root: null }
  return { rounds: done, networks, counts: counts as TrustCounts, problems, root }
}

async function runRound(
  session: TrustSession,
  { kinds, inTurn = false, onRound }: TrustOptions,
  done: number,
): Promise<void> {
  const kind = inTurn ? kinds[done % kinds.length]! : session.pick(kinds)
  onRound?.(done + 1, kind)
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
      session.trust.changes++
      return changeNetwork(
        session,
        session.random.below(3) === 0 ? session.random.below(CANCEL_MS) : -1,
      )
    case 'trust-outage': {
      const name = session.pick(session.up)
      return outage(session, name, session.pick(OUTAGES), session.random.below(OUTAGE_MS))
    }
  }
}
