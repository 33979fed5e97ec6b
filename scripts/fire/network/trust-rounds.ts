// The rounds of a network of trust under fire: clones of members, leaders that are replaced, clocks
// that jump. Each resolves when all members run again.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pause, untilHolds } from '../parts/client.ts'
import { PLACE } from '../parts/instance.ts'
import { endOfChange, removalOf, settleNetwork } from './changes.ts'
import { END_MS_MAX } from './ledger.ts'
import type { Member } from './member.ts'
import { OTHERS, type TrustSession, type Versions } from './trust-session.ts'
import { type Found, LIMIT, wrongDocuments } from './trust-traffic.ts'

const HOUR_MS = 3_600_000
const SHIFT_HOURS_MAX = 48
/** Milliseconds for which a clone may try to do harm. */
const CLONE_MS = 700
/** Documents with such ids are written to instances that must not lead. */
const STRAY_ID = 900_000

/** A snapshot of a member is restored and started elsewhere. */
export async function restoredSnapshot(session: TrustSession): Promise<void> {
  const name = session.pick(session.up)
  session.event(`a snapshot of ${name} is restored`)
  const source = session.instance(name)
  const { json } = await source.ask('POST', '/snapshots')
  await untilHolds('the snapshot is made', END_MS_MAX, async () => {
    const task = await source.ask('GET', `/tasks/${json.taskUid}`)
    return task.json.status === 'succeeded'
  })
  const clone = session.newClone()
  const file = join(session.snapshots(name), `${PLACE}.snapshot`)
  const instance = await session.start(clone, ['--import-snapshot', file])
  await watchClone(session, instance, async () => undefined)
}

/**
 * The folder of a member is copied and started elsewhere. `isAway`: meanwhile the member does not
 * run, so that the copy cannot know whether it is the original.
 */
export async function copiedFolder(session: TrustSession, isAway: boolean): Promise<void> {
  const name = session.pick(session.up)
  session.event(`the folder of ${name} is copied${isAway ? ' while it is away' : ''}`)
  const source = session.instance(name)
  const clone = session.newClone()
  const target = join(session.root, clone, PLACE)
  source.isOut = true
  source.epoch++
  if (isAway) await source.kill()
  // As an image of a disk: all files at the same moment.
  else source.signal('SIGSTOP')
  cpSync(source.db, target, { recursive: true })
  rmSync(join(target, 'LOCK'), { force: true })
  const back = async (): Promise<void> => {
    if (isAway) await source.start()
    else source.signal('SIGCONT')
    source.epoch++
    source.isOut = false
  }
  if (!isAway) await back()
  const instance = await session.start(clone)
  await watchClone(session, instance, async () => {
    if (!isAway) return
    await untilHolds('a copy without its original says why it waits', END_MS_MAX, async () => {
      const { json } = await instance.ask('GET', '/network/status')
      return typeof json.problem === 'string'
    })
    const { json, text } = await instance.ask('POST', '/indexes/films/documents', {
      body: session.docs('films', [STRAY_ID], 1),
    })
    if (json?.taskUid !== undefined) session.problem(`a copy that waits accepts writes: ${text}`)
    await back()
  })
}

/** Waits until a clone has left the network, and tries to do harm with it. */
async function watchClone(
  session: TrustSession,
  clone: Member,
  before: () => Promise<void>,
): Promise<void> {
  session.count('clones')
  try {
    await before()
    await untilHolds(`${clone.name} leaves the network`, END_MS_MAX, async () => {
      const { json } = await clone.ask('GET', '/network')
      return json.self === null && json.leader === null
    })
    const body = session.docs('films', [STRAY_ID + 1], 1)
    await clone.ask('POST', '/indexes/films/documents', { body })
    const repair = await clone.ask('POST', '/network/repair', { body: {} })
    if (Object.keys(repair.json?.repaired ?? {}).length > 0) {
      session.problem(`${clone.name} repairs: ${repair.text}`)
    }
    await pause(session.random.below(CLONE_MS))
  } catch (error) {
    session.problem(`${clone.name}: ${error}\n${clone.said.slice(-2000)}`)
  } finally {
    await clone.end()
    rmSync(clone.folder, { recursive: true })
  }
}

/** Another member takes over while the leader runs; the old leader may be killed meanwhile. */
export async function takeover(session: TrustSession): Promise<void> {
  const old = session.leaderName
  const heir = session.pick(session.up.filter((name) => name !== old))
  const killMs = session.random.below(2) === 0 ? null : session.random.below(1200)
  session.event(
    `${heir} takes over from ${old}${killMs === null ? '' : `, killed at ${killMs} ms`}`,
  )
  session.isTakenOver = true
  session.count('takeovers')
  const killed =
    killMs === null
      ? null
      : pause(killMs).then(() => session.outage(old, 'kill', session.random.below(500)))
  const uid = await patched(session, heir, { leader: heir })
  session.leaderName = heir
  await endOfTakeover(session, uid)
  await killed
  session.isTakenOver = false
}

/** The leader is lost, another member takes over without it; later the old leader is back. */
export async function lostLeader(session: TrustSession): Promise<void> {
  const old = session.leaderName
  const { remotes, shards } = await session.places()
  if (remotes.length <= session.replicas) return takeover(session)
  const heir = session.pick(session.up.filter((name) => name !== old))
  session.event(`${old} is lost, ${heir} takes over`)
  session.count('takeovers')
  const lost = session.instance(old)
  lost.isOut = true
  lost.epoch++
  await lost.kill()
  session.members.delete(old)
  const removal = removalOf(session, old, remotes, shards)
  const uid = await patched(session, heir, { leader: heir, ...removal })
  session.leaderName = heir
  await endOfTakeover(session, uid)
  await pause(session.random.below(500))
  await lost.start()
  await givesWay(session, lost)
  session.event(`${old} has given way`)
  await findsAll(session, lost)
  const owners = Object.fromEntries(
    Object.entries(shards).map(([shard, names]) => [shard, { remotes: names }]),
  )
  const again = { remotes: { [old]: session.remoteOf(old) }, shards: owners }
  await endOfTakeover(session, await patched(session, heir, again))
  lost.epoch++
  lost.isOut = false
  session.members.add(old)
}

/** An old leader that is back refuses writes as soon as it has asked another member. */
async function givesWay(session: TrustSession, lost: Member): Promise<void> {
  const body = session.docs('films', [STRAY_ID + 2], 1)
  await untilHolds(`${lost.name} gives way`, END_MS_MAX, async () => {
    const answer = await lost.ask('POST', '/indexes/films/documents', { body })
    if (answer.status === 202) session.count('writes accepted by an old leader at its return')
    return answer.json?.code === 'not_a_leader'
  })
}

/** An old leader outside the network finds what the new leader finds, or says what it lacks. */
async function findsAll(session: TrustSession, lost: Member): Promise<void> {
  for (const uid of OTHERS) {
    const search = (instance: Member) =>
      instance.ask('POST', `/indexes/${uid}/search`, { body: { limit: LIMIT } })
    let least: Versions = new Map()
    // A busy machine refuses searches for a while.
    await untilHolds(`the leader searches ${uid}`, END_MS_MAX, async () => {
      const { status, json } = await search(session.leader)
      if (status !== 200) return false
      least = new Map((json.hits as Found[]).map(({ id, version }) => [id, version]))
      return true
    })
    await untilHolds(`${lost.name} finds all of ${uid}`, END_MS_MAX, async () => {
      const { json } = await search(lost)
      if (Object.keys(json.remoteErrors ?? {}).length > 0) return true
      return wrongDocuments(json.hits, least, session.written.get(uid)!).missing === null
    })
  }
}

/** Sends a change to an instance until it accepts it; returns the uid of the task. */
async function patched(session: TrustSession, name: string, body: object): Promise<number> {
  let uid = -1
  await untilHolds(`${name} accepts a change`, END_MS_MAX, async () => {
    uid = (await session.instance(name).expect(202, 'PATCH', '/network', body)).json.taskUid
    return true
  })
  return uid
}

async function endOfTakeover(session: TrustSession, uid: number): Promise<void> {
  const status = await endOfChange(session, uid)
  if (status === 'succeeded') return
  session.problem(`the change of a takeover ${status}`)
  session.isUnsettled = true
  await settleNetwork(session)
}

/** The clock of a member jumps, perhaps several times, and perhaps before a start. */
export async function wrongClock(session: TrustSession): Promise<void> {
  const { random } = session
  const name = session.pick(session.up)
  const shift = (): number => (random.below(2 * SHIFT_HOURS_MAX + 1) - SHIFT_HOURS_MAX) * HOUR_MS
  for (let i = 0; i <= random.below(3); i++) {
    const ms = shift()
    session.event(`the clock of ${name} is ${ms / HOUR_MS} h wrong`)
    session.instance(name).setClock(ms)
    session.count('jumps of clocks')
    await pause(random.below(500))
  }
  if (random.below(3) === 0) await session.outage(name, 'kill', random.below(300))
  if (random.below(2) === 0) session.instance(name).setClock(0)
}
