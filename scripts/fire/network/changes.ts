// Changes of a network under fire: replicas, shards and instances are added and removed.
import { pause, untilHolds } from '../parts/client.ts'
import { END_MS_MAX, type NetworkLedger, type Shards } from './ledger.ts'

type Change = {
  readonly what: string
  readonly body: object
  /** The name of the instance that leaves or joins. */
  readonly leaves?: string
  readonly joins?: string
}

const CHANGES = [
  'add a replica',
  'move a replica',
  'add a shard',
  'remove a shard',
  'remove an instance',
  'add an instance',
] as const
const SHARDS_MAX = 12

/**
 * Requests a change from the leader; resolves when its task has ended. `cancelMs`: milliseconds
 * until the change is canceled, or -1 to let it end.
 */
export async function changeNetwork(session: NetworkLedger, cancelMs: number): Promise<void> {
  const change = await drawnChange(session)
  if (change === null) return
  session.event(`${change.what}${cancelMs < 0 ? '' : `, canceled after ${cancelMs} ms`}`)
  if (change.leaves !== undefined) session.members.delete(change.leaves)
  const uid = await register(session, change.body)
  if (uid === null) {
    session.event('the change was refused')
    await readMembers(session, change)
    return
  }
  if (change.joins !== undefined) session.joinedBy.set(change.joins, uid)
  if (cancelMs >= 0) {
    await pause(cancelMs)
    await session.askLeader('POST', `/tasks/cancel?uids=${uid}`)
  }
  const status = await endOfChange(session, uid)
  session.event(`the change ${status}`)
  if (status === 'canceled') session.isUnsettled = true
  else if (status === 'succeeded') session.isUnsettled = false
  else session.problem(`a change of the network ${status}: ${change.what}`)
  await readMembers(session, change)
  // The instance gets no more writes, so some shards have one owner less until they have moved.
  if (session.isUnsettled && change.leaves !== undefined) await settleNetwork(session)
}

const SETTLING_MS = 500
/** 40 s: a task for an instance that loses its power is repeated after 30 s, and changes wait for it. */
const SETTLING_TRIES = 80

/** Makes an empty change, which moves every document to its owners. */
export async function settleNetwork(session: NetworkLedger): Promise<void> {
  for (let i = 0; session.isUnsettled && i < SETTLING_TRIES; i++) {
    const uid = await register(session, {})
    if (uid === null) await pause(SETTLING_MS)
    else if ((await endOfChange(session, uid)) === 'succeeded') session.isUnsettled = false
  }
  if (session.isUnsettled) session.problem('after a canceled change no other one succeeds')
}

/** Codes of refusals besides those of instances that are down; a full disk is one of the faults. */
const REFUSALS: ReadonlySet<unknown> = new Set([
  'unprocessed_network_task',
  'no_space_left_on_device',
])

/** Returns the uid of the task, or null if the change was refused. */
async function register(session: NetworkLedger, body: object): Promise<number | null> {
  try {
    const answer = await session.leader.ask('PATCH', '/network', { body })
    if (answer.status === 202) return answer.json.taskUid
    const code = answer.json?.code as string | undefined
    // A disk that fails may have kept the task.
    if (code === 'io_error') throw new Error(answer.text)
    const isExpected = code?.startsWith('remote_') || REFUSALS.has(code)
    if (!isExpected) session.problem(`PATCH /network: ${answer.text.slice(0, 500)}`)
    return null
  } catch (error) {
    // The leader ended, or its disk failed: its tasks show whether it has accepted the change.
    session.event(`PATCH /network: ${error}`)
    const { json } = await session.askLeader('GET', OPEN_CHANGES)
    return json.results[0]?.uid ?? null
  }
}

/**
 * Returns the status of a task of the leader after its end. @throws Error when it shows no progress
 * for too long
 */
export async function endOfChange(session: NetworkLedger, uid: number): Promise<string> {
  let last = ''
  for (let progressAt = performance.now(); performance.now() - progressAt < END_MS_MAX; ) {
    const { json, text } = await session.askLeader('GET', `/tasks/${uid}`)
    if (text !== last) progressAt = performance.now()
    last = text
    if (json.status === 'failed') session.problem(`a change failed: ${text.slice(0, 1000)}`)
    if (json.finishedAt) return json.status
    await pause(100)
  }
  throw new Error(`a change of the network does not end: ${last.slice(0, 1000)}`)
}

/**
 * Reads the current members from the leader. A joining instance counts as a member when it has
 * ended the change as well.
 */
async function readMembers(session: NetworkLedger, { leaves, joins }: Change): Promise<void> {
  const { json } = await session.askLeader('GET', '/network')
  const remotes = json.remotes as { readonly [name: string]: unknown }
  if (leaves !== undefined && leaves in remotes) session.members.add(leaves)
  if (joins !== undefined && joins in remotes && !session.isUnsettled) {
    await untilNoChange(session, joins)
    session.members.add(joins)
  }
}

const OPEN_CHANGES = '/tasks?types=networkTopologyChange&statuses=enqueued,processing&limit=1'

const untilNoChange = (session: NetworkLedger, name: string): Promise<void> =>
  untilHolds(`the change of the network ends on ${name}`, END_MS_MAX, async () => {
    return (await session.instance(name).ask('GET', OPEN_CHANGES)).json.total === 0
  })

/** Returns a random change, or null if a change of the drawn kind is not possible now. */
async function drawnChange(session: NetworkLedger): Promise<Change | null> {
  const { remotes, shards } = await session.places()
  const what = session.pick(CHANGES)
  switch (what) {
    case 'add a replica':
    case 'move a replica':
      return replicaChange(session, what, remotes, shards)
    case 'add a shard': {
      if (Object.keys(shards).length >= SHARDS_MAX) return null
      const name = `n${session.random.below(1_000_000)}`
      const owners = someOf(session, remotes, session.replicas)
      return { what: `${what} ${name}`, body: { shards: { [name]: { remotes: owners } } } }
    }
    case 'remove a shard': {
      if (Object.keys(shards).length <= 2) return null
      const name = session.pick(Object.keys(shards))
      return { what: `${what} ${name}`, body: { shards: { [name]: null } } }
    }
    case 'remove an instance':
      return removal(session, remotes, shards)
    default:
      return addition(session, remotes, shards)
  }
}

function replicaChange(
  session: NetworkLedger,
  what: string,
  remotes: readonly string[],
  shards: Shards,
): Change | null {
  const name = session.pick(Object.keys(shards))
  const owners = shards[name]!
  const others = remotes.filter((remote) => !owners.includes(remote))
  if (others.length === 0) return null
  const added = session.pick(others)
  const removed = session.pick(owners)
  const removes = what === 'move a replica' || owners.length > session.replicas
  const patch = { addRemotes: [added], ...(removes ? { removeRemotes: [removed] } : {}) }
  return { what: `${what} of ${name}: ${removed} to ${added}`, body: { shards: { [name]: patch } } }
}

/** Returns the change that removes an instance and gives all its shards another owner. */
function removal(
  session: NetworkLedger,
  remotes: readonly string[],
  shards: Shards,
): Change | null {
  const able = remotes.filter((name) => name !== session.leader.name)
  if (remotes.length <= session.replicas) return null
  const name = session.pick(able)
  return { what: `remove ${name}`, body: removalOf(session, name, remotes, shards), leaves: name }
}

/** Returns the change that removes this instance. `remotes`: those of the network before. */
export function removalOf(
  session: NetworkLedger,
  name: string,
  remotes: readonly string[],
  shards: Shards,
): object {
  const left = remotes.filter((remote) => remote !== name)
  const changed = Object.entries(shards)
    .filter(([, owners]) => owners.includes(name))
    .map(([shard, owners]) => {
      const kept = owners.filter((owner) => owner !== name)
      const others = left.filter((remote) => !kept.includes(remote))
      const missing = Math.max(0, session.replicas - kept.length)
      return [shard, { remotes: [...kept, ...someOf(session, others, missing)] }]
    })
  return { remotes: { [name]: null }, shards: Object.fromEntries(changed) }
}

function addition(
  session: NetworkLedger,
  remotes: readonly string[],
  shards: Shards,
): Change | null {
  const able = [...session.instances.keys()].filter((name) => !remotes.includes(name))
  if (able.length === 0) return null
  const name = session.pick(able)
  const given = someOf(session, Object.keys(shards), 1 + session.random.below(2))
  const body = {
    remotes: { [name]: session.remoteOf(name) },
    shards: Object.fromEntries(given.map((shard) => [shard, { addRemotes: [name] }])),
  }
  return { what: `add ${name} to ${given}`, body, joins: name }
}

function someOf(session: NetworkLedger, from: readonly string[], count: number): string[] {
  const left = [...from]
  const chosen: string[] = []
  while (chosen.length < count && left.length > 0) {
    chosen.push(...left.splice(session.random.below(left.length), 1))
  }
  return chosen
}
