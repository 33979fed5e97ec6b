// Another member becomes the leader, while clients read and an instance may be killed. No write is on
// its way then: writes that only the former leader has confirmed are lost by a takeover.
import { settleNetwork } from '../network/changes.ts'
import { END_MS_MAX } from '../network/ledger.ts'
import type { Verified } from '../network/verify.ts'
import { pause, untilHolds } from '../parts/client.ts'
import { faultOfInstance, heal } from './faults.ts'
import type { SimulatedSession } from './session.ts'
import { simulatedReads } from './traffic.ts'

const KILL_MS_MAX = 1500
const CHANGES = '/tasks?types=networkTopologyChange&limit=1'
const LAST = '/tasks?limit=1'

/** `verified`: the state before, which the new leader has to keep. */
export async function replaceLeader(session: SimulatedSession, verified: Verified): Promise<void> {
  const { random, world, leaderName } = session
  const heir = session.pick([...session.members].filter((name) => name !== leaderName))
  session.event(`TAKEOVER ${heir} from ${leaderName}`)
  session.count('takeovers')
  session.isEnding = false
  session.isCalm = false
  const reads = simulatedReads(session)
  const killed = session.instance(session.pick([...session.members]))
  const kill = async (): Promise<void> => {
    if (random.below(2) === 0) return
    await pause(random.below(KILL_MS_MAX))
    await faultOfInstance(world, random, killed, 'kill')
  }
  await Promise.all([kill(), leads(session, heir)])
  session.leaderName = heir
  await heal(session)
  const status = await endOfLastChange(session)
  if (status !== 'succeeded') {
    session.event(`the change of the takeover ${status}`)
    session.isUnsettled = true
    await settleNetwork(session)
  }
  session.isEnding = true
  await reads
  const { json } = await session.askLeader('GET', LAST)
  session.settled = verified.works
  session.fromUid = json.results[0].uid + 1
  session.acknowledged.clear()
}

/** Sends the change until the heir leads: all members have to answer for it. */
async function leads(session: SimulatedSession, heir: string): Promise<void> {
  const member = session.instance(heir)
  await untilHolds(`${heir} leads`, END_MS_MAX, async () => {
    const { json } = await member.ask('GET', '/network')
    if (json.leader === heir) return true
    await member.ask('PATCH', '/network', { body: { leader: heir } })
    return false
  })
}

async function endOfLastChange(session: SimulatedSession): Promise<string> {
  let status = ''
  await untilHolds('the change of the takeover ends', END_MS_MAX, async () => {
    const [change] = (await session.leader.ask('GET', CHANGES)).json.results
    status = change.status
    return change.finishedAt !== null
  })
  return status
}
