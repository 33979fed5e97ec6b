// Rounds of a writer and its followers around a simulated object store. Without a lease the writer
// stays the writer; with a lease a standby takes over. After each round everything is healed, and
// all instances have to agree.
import type { Engine } from '../../../engine/index.ts'
import { INDEXES, type Request, SETTINGS_ID } from '../followers/follow-model.ts'
import { type Answer, pause } from '../parts/client.ts'
import { disturbStandby, healStandby } from './follow-faults.ts'
import { type FollowPlan, FollowSession } from './follow-session.ts'
import { answered } from './lines.ts'
import type { SimulatedMember } from './session.ts'
import type { Configs } from './standby.ts'
import { sidesOn } from './swaps.ts'
import type { World } from './world.ts'

const ROUND_MS = 12_000
const WRITE_PAUSE_MS = 2000
const READ_PAUSE_MS = 400
const READERS = 1
const FAULTS_MAX = 3
/** Milliseconds after healing until all instances agree. */
const AGREE_MS_MAX = 180_000
const LOOK_MS = 1000
const ALL = 100_000
/** Readers look at few documents, so that they see the same one again. */
const IDS = 4
/** The stop word of an index names the version of its settings. */
const STOP_WORD = 'version'
const [OK, ACCEPTED, NOT_FOUND] = [200, 202, 404]

export async function simulatedFollowers(
  world: World,
  configs: Configs,
  plan: FollowPlan,
): Promise<void> {
  const session = new FollowSession(world, configs, plan)
  for (const { instance } of session.members.values()) await instance.start()
  await session.swaps.create([...session.members.values()][0]!)
  for (let round = 0; round < plan.rounds && world.problems.length === 0; round++) {
    world.note(`ROUND ${round}`)
    session.isEnding = false
    const readers = [...session.members].flatMap(([name]) =>
      Array.from({ length: READERS }, (_, i) => readRepeatedly(session, name, i)),
    )
    const clients = Promise.all([writeRepeatedly(session), ...readers])
    await disturbed(session, plan)
    session.isEnding = true
    await clients
    await agreed(session)
  }
}

async function disturbed(session: FollowSession, { faults }: FollowPlan): Promise<void> {
  const { random } = session.world
  const work: Promise<void>[] = []
  for (let count = faults.length === 0 ? 0 : 1 + random.below(FAULTS_MAX); count > 0; count--) {
    await pause(random.below(ROUND_MS / FAULTS_MAX))
    work.push(disturbStandby(session, session.pick(faults)))
  }
  await pause(random.below(ROUND_MS))
  await healStandby(session)
  await Promise.all(work)
  await healStandby(session)
}

/** One client writes, so that the order of its requests is that of the versions. */
async function writeRepeatedly(session: FollowSession): Promise<void> {
  const { members, world } = session
  const names = [...members.keys()]
  for (let at = 0; !session.isEnding; ) {
    const member = members.get(names[at % names.length]!)!
    const kind = world.random.below(10)
    const isAcknowledged =
      kind < 2 ? await swap(session, member) : await write(session, member, kind)
    if (!isAcknowledged && world.random.below(2) === 0) at++
    await pause(world.random.below(WRITE_PAUSE_MS))
  }
}

async function swap(session: FollowSession, member: SimulatedMember): Promise<boolean> {
  const isAcknowledged = (await answered(session.swaps.swap(member))) === true
  if (isAcknowledged) session.count('swaps acknowledged')
  return isAcknowledged
}

async function write(
  session: FollowSession,
  member: SimulatedMember,
  kind: number,
): Promise<boolean> {
  const { model, history } = session
  const request = kind < 4 ? model.nextSettings() : model.next()
  model.sent(request)
  history.sent(request)
  const answer = await answered(send(session, member, request))
  if (answer?.status !== ACCEPTED) {
    session.count(`writes refused: ${answer?.json?.code ?? 'no answer'}`)
    return false
  }
  session.count(`${request.kind} acknowledged`)
  model.acknowledge(request)
  return true
}

function send(session: FollowSession, member: SimulatedMember, request: Request): Promise<Answer> {
  const { index, kind, ids, version } = request
  if (kind === 'delete') {
    return member.ask('POST', `/indexes/${index}/documents/delete-batch`, { body: ids })
  }
  if (kind === 'settings') {
    const filterableAttributes = version % 2 === 0 ? ['version'] : []
    const body = { stopWords: [`${STOP_WORD}${version}`], filterableAttributes }
    return member.ask('PATCH', `/indexes/${index}/settings`, { body })
  }
  const path = `/indexes/${index}/documents?primaryKey=id`
  return member.ask('POST', path, { body: session.model.documents(request) })
}

async function readRepeatedly(session: FollowSession, name: string, i: number): Promise<void> {
  const { members, history, swaps, world } = session
  const member = members.get(name)!
  const { instance } = member
  const reader = `reader ${i} of ${name}`
  for (; !session.isEnding; await pause(world.random.below(READ_PAUSE_MS))) {
    const kind = world.random.below(8)
    const before = instance.engine
    const isFollowing = isFollowingIn(before)
    if (kind === 0) {
      const wrong = await answered(swaps.read(member))
      if (wrong !== null) world.problem(wrong)
      continue
    }
    const index = session.pick(INDEXES)
    const id = kind === 1 ? SETTINGS_ID : world.random.below(IDS)
    const version = await answered(versionOn(member, index, id))
    // A writer shows what it may lose with the lease, until it has taken over a state of the next one.
    if (!isFollowing || instance.engine !== before) history.forget(reader)
    else if (version !== null) {
      const wrong = history.read(reader, index, id, version.shown)
      if (wrong !== null) world.problem(wrong)
    }
  }
}

const isFollowingIn = (engine: Engine | null): boolean =>
  (engine?.follows?.snapshot ?? null) !== null

/** Returns the version of a document or of settings, or null if the answer says nothing. */
async function versionOn(
  member: SimulatedMember,
  index: string,
  id: number,
): Promise<{ readonly shown: number | null } | null> {
  const place = id === SETTINGS_ID ? 'settings/stop-words' : `documents/${id}`
  const { status, json } = await member.ask('GET', `/indexes/${index}/${place}`)
  if (status === NOT_FOUND) return { shown: null }
  if (status !== OK) return null
  return { shown: id === SETTINGS_ID ? settingsVersion(json) : json.version }
}

const settingsVersion = ([word]: readonly string[]): number | null =>
  word === undefined ? null : Number(word.slice(STOP_WORD.length))

/** Waits until one instance writes and all others show its data, and compares that. */
async function agreed(session: FollowSession): Promise<void> {
  const { clock } = session.world
  const end = clock.now + AGREE_MS_MAX
  let problem = ''
  while (clock.now < end) {
    problem = await disagreement(session)
    if (problem === '') return settle(session)
    await pause(LOOK_MS)
  }
  session.world.problem(`the instances do not agree: ${problem}`)
}

async function disagreement({ members }: FollowSession): Promise<string> {
  const writers = [...members.values()].filter(({ instance }) => instance.engine?.follows === null)
  const [writer] = writers
  if (writer === undefined || writers.length > 1) return `${writers.length} instances write`
  const waiting = await writer.ask('GET', '/tasks?statuses=enqueued,processing&limit=1')
  if (waiting.json?.total !== 0) return `tasks of ${writer.name}: ${waiting.text.slice(0, 300)}`
  for (const index of INDEXES) {
    const expected = await contentOf(writer, index)
    for (const member of members.values()) {
      const shown = await contentOf(member, index)
      if (shown !== expected) return `${index} on ${member.name}: ${shown.slice(0, 200)}`
    }
  }
  const sides = await sidesOn(writer)
  for (const member of members.values()) {
    const shown = await sidesOn(member)
    if (shown !== sides) return `swapped indexes on ${member.name}: ${shown}, not ${sides}`
  }
  return ''
}

/** Returns the documents of an index and its settings, which count as one. */
async function contentOf(member: SimulatedMember, index: string): Promise<string> {
  const documents = await member.ask('GET', `/indexes/${index}/documents?limit=${ALL}`)
  if (documents.status === NOT_FOUND) return '[]'
  const settings = await member.ask('GET', `/indexes/${index}/settings`)
  if (documents.status !== OK) return documents.text
  if (settings.status !== OK) return settings.text
  const results = documents.json.results as readonly { id: number; version: number }[]
  const version = settingsVersion(settings.json.stopWords)
  const last = version === null ? [] : [{ id: SETTINGS_ID, version, all: settings.json }]
  return JSON.stringify([...results.toSorted((a, b) => a.id - b.id), ...last])
}

/** No acknowledged write is lost, and the documents are what some order of the requests allows. */
async function settle({ members, model, swaps, world }: FollowSession): Promise<void> {
  const writer = [...members.values()].find(({ instance }) => instance.engine?.follows === null)!
  for (const index of INDEXES) {
    const shown = JSON.parse(await contentOf(writer, index)) as { id: number; version: number }[]
    const versions = new Map(shown.map(({ id, version }) => [id, version]))
    if (versions.size !== shown.length) world.problem(`${index} shows documents twice`)
    const wrong = model.problemOf(index, versions)
    if (wrong !== null) world.problem(`on ${writer.name}: ${wrong}`)
    model.settle(index, versions)
  }
  const wrong = await swaps.settle(writer)
  if (wrong !== null) world.problem(`on ${writer.name}: ${wrong}`)
}
