// Rounds of a simulated network: clients write and search, faults come and go, and after each round
// everything is healed and checked.
import { changeNetwork, settleNetwork } from '../network/changes.ts'
import type { Counts } from '../network/ledger.ts'
import { type Verified, verifyNetwork } from '../network/verify.ts'
import { pause } from '../parts/client.ts'
import { disturb, type FaultKind, faultOfInstance, heal } from './faults.ts'
import { answered } from './lines.ts'
import { formSimulated, type SimulatedSession } from './session.ts'
import { replaceLeader } from './takeover.ts'
import { simulatedTraffic } from './traffic.ts'
import type { World } from './world.ts'

export type NetworkPlan = {
  readonly instances: number
  readonly rounds: number
  /** Receives the number of events of each kind. */
  readonly counts: Counts
  /** The faults to draw from; none for a calm network. */
  readonly faults: readonly FaultKind[]
  /** Whether the network changes: shards, replicas, instances and the leader. */
  readonly changes: boolean
}

const SHARDS = 4
const REPLICAS = 2
const FAULTS_MAX = 3
const ROUND_MS = 8000
/** Milliseconds after which nothing of a fault may show in an answer any more. */
const CALM_MS = 12_000
/** An instance outside of a network that changes. */
const SPARE = 'z'
/** Milliseconds from the request of a change to a kill. */
const KILL_MS_MAX = 2500
const LAST_CHANGE = '/tasks?types=networkTopologyChange&limit=1'

export async function simulatedNetwork(world: World, plan: NetworkPlan): Promise<void> {
  const { instances } = plan
  const sizes = { instances, shards: SHARDS, replicas: Math.min(REPLICAS, instances) }
  const session = await formSimulated(world, sizes)
  session.counts = plan.counts
  if (plan.changes) await session.join(SPARE)
  for (let round = 0; round < plan.rounds && world.problems.length === 0; round++) {
    session.event(`ROUND ${round}`)
    const verified = await runRound(session, () => disturbed(session, plan))
    if (!plan.changes || world.problems.length > 0 || session.random.below(2) === 0) continue
    await replaceLeader(session, verified)
    await runRound(session, () => pause(session.random.below(ROUND_MS / 2)))
  }
}

/** Clients write and read during the events of a round; then all is checked. */
async function runRound(session: SimulatedSession, events: () => Promise<void>): Promise<Verified> {
  session.isEnding = false
  const clients = simulatedTraffic(session)
  await events()
  session.isEnding = true
  await clients
  await settleNetwork(session)
  return verifyNetwork(session)
}

async function disturbed(session: SimulatedSession, plan: NetworkPlan): Promise<void> {
  const { random } = session
  const work: Promise<void>[] = []
  session.isCalm = plan.faults.length === 0
  if (plan.faults.length > 0) {
    for (let count = 1 + random.below(FAULTS_MAX); count > 0; count--) {
      await pause(random.below(ROUND_MS / FAULTS_MAX))
      work.push(disturb(session, session.pick(plan.faults)))
    }
  }
  if (plan.changes) work.push(change(session))
  await pause(random.below(ROUND_MS))
  await heal(session)
  await Promise.all(work)
  await heal(session)
  if (session.random.below(4) > 0) return
  await pause(CALM_MS)
  session.isCalm = true
  await pause(random.below(ROUND_MS))
}

/** Changes the network once or twice; an instance may be killed meanwhile. */
async function change(session: SimulatedSession): Promise<void> {
  const { random, world } = session
  for (let count = 1 + random.below(2); count > 0; count--) {
    const killed = session.instance(session.pick([...session.instances.keys()]))
    const kill = async (): Promise<void> => {
      if (random.below(2) === 0) return
      await pause(random.below(KILL_MS_MAX))
      await countKill(session)
      await faultOfInstance(world, random, killed, 'kill')
    }
    const cancelMs = random.below(4) === 0 ? random.below(2000) : -1
    session.count(cancelMs < 0 ? 'changes' : 'canceled changes')
    await Promise.all([changeNetwork(session, cancelMs), kill()])
  }
}

/** Counts a kill for the step at which the change is. */
async function countKill(session: SimulatedSession): Promise<void> {
  const answer = await answered(session.leader.ask('GET', LAST_CHANGE))
  const step = answer?.json?.results?.[0]?.details?.message
  if (typeof step === 'string') session.count(`kills: ${step.split(/[.:`]/)[0]}`)
}
