// The clients of a simulated network: they write to its leader and search on any member, while
// lines and instances fail. Answers are checked against the writes before them.
import { remoteErrorsOf } from '../network/session.ts'
import { documentWork, indexWork, MAIN, type NetworkWork, PERMANENT } from '../network/work.ts'
import { type Answer, pause } from '../parts/client.ts'
import { readDated, writeDated } from './dated.ts'
import { answered } from './lines.ts'
import { type SimulatedSession, writeOnce } from './session.ts'

const DOCUMENT_WRITERS = 2
const WRITE_PAUSE_MS = 2000
const INDEX_PAUSE_MS = 2500
const SEARCH_PAUSE_MS = 2000
/** One write in this many is canceled as soon as it is acknowledged. */
const CANCELED_SHARE = 15
const LIMIT = 10 * PERMANENT
const UNNAMED = 'indexCreation,indexDeletion,indexSwap,settingsUpdate'

/** Searches on members, and reads of each instance, until `isEnding`. */
export async function simulatedReads(session: SimulatedSession): Promise<void> {
  const names = [...session.instances.keys()]
  await Promise.all([searchOn(session), ...names.map((name) => readDated(session, name))])
}

/** Sends writes, searches and reads until `isEnding`. */
export async function simulatedTraffic(session: SimulatedSession): Promise<void> {
  const times = (count: number, work: () => Promise<void>) => Array.from({ length: count }, work)
  await Promise.all([
    ...times(DOCUMENT_WRITERS, () => writeDocuments(session)),
    writeIndexes(session),
    writeDated(session),
    simulatedReads(session),
  ])
}

async function writeDocuments(session: SimulatedSession): Promise<void> {
  const { random, works } = session
  while (!session.isEnding) {
    const name = `w${works.size}`
    const accepted = await answered(writeOnce(session, documentWork(random, name)))
    if (accepted === true && random.below(CANCELED_SHARE) === 0) await cancel(session, name)
    await pause(random.below(WRITE_PAUSE_MS))
  }
}

async function cancel(session: SimulatedSession, name: string): Promise<void> {
  const work = session.works.get(name)
  const uid = [...session.acknowledged].findLast(([, one]) => one === work)?.[0]
  if (uid === undefined) return
  session.canceled.add(uid)
  await answered(session.leader.ask('POST', `/tasks/cancel?uids=${uid}`))
}

/** Sends one write at a time: its task carries no name and is found by its place. */
async function writeIndexes(session: SimulatedSession): Promise<void> {
  const { random, works } = session
  while (!session.isEnding) {
    const next = indexWork(random, `x${works.size}`)
    if ((await answered(writeOnce(session, next))) === null) await findUnnamed(session, next)
    await pause(random.below(INDEX_PAUSE_MS))
  }
}

/** Finds out whether a write without an answer was registered. */
async function findUnnamed(session: SimulatedSession, { work }: NetworkWork): Promise<void> {
  const { acknowledged } = session
  const { json } = await session.askLeader('GET', `/tasks?types=${UNNAMED}&limit=1`)
  const uid = json.results[0]?.uid as number | undefined
  if (uid !== undefined && !acknowledged.has(uid)) acknowledged.set(uid, work)
}

type Hit = { readonly id: number }
const FILTER = 'kind = permanent'
const SEARCH = { q: '', filter: FILTER, attributesToRetrieve: ['id'], useNetwork: true }
const QUERY = { ...SEARCH, indexUid: MAIN }

type Probe = {
  readonly path: string
  readonly body: object
  readonly hits: (answer: Answer['json']) => readonly Hit[]
}

/** Searches that find all permanent documents. */
const PROBES: readonly Probe[] = [
  {
    path: `/indexes/${MAIN}/search`,
    body: { ...SEARCH, limit: LIMIT },
    hits: ({ hits }) => hits,
  },
  {
    path: '/multi-search',
    body: { federation: { limit: LIMIT }, queries: [QUERY] },
    hits: ({ hits }) => hits,
  },
  {
    path: '/multi-search',
    body: { queries: [{ ...QUERY, limit: LIMIT }] },
    hits: ({ results }) => results[0].hits,
  },
  {
    path: `/indexes/${MAIN}/documents/fetch`,
    body: { filter: FILTER, fields: ['id'], limit: LIMIT, useNetwork: true },
    hits: ({ results }) => results,
  },
]

async function searchOn(session: SimulatedSession): Promise<void> {
  const { random } = session
  while (!session.isEnding) {
    const name = session.pick([...session.members])
    await probe(session, name, session.pick(PROBES))
    await pause(random.below(SEARCH_PAUSE_MS))
  }
}

/** An answer has every permanent document once, or names an instance that did not answer. */
async function probe(
  session: SimulatedSession,
  name: string,
  { path, body, hits }: Probe,
): Promise<void> {
  const member = session.instance(name)
  const isCalm = session.isCalm
  const answer = await answered(member.ask('POST', path, { body }))
  if (answer === null || !session.members.has(name)) return
  session.count('searches')
  const place = `a search on ${name}`
  if (answer.status !== 200) {
    session.count(`searches refused: ${answer.json?.code}`)
    if (isCalm && session.isCalm) session.problem(`${place}: ${answer.status} ${answer.text}`)
    return
  }
  const ids = hits(answer.json).map(({ id }) => id)
  const found = new Set(ids)
  if (found.size < ids.length) session.problem(`${place} returns documents twice: ${ids}`)
  const missing = Array.from({ length: PERMANENT }, (_, id) => id).filter((id) => !found.has(id))
  const named = Object.keys(remoteErrorsOf(answer))
  if (named.length > 0) session.count('searches that name what is missing')
  if (missing.length === 0 || (named.length > 0 && !(isCalm && session.isCalm))) return
  const lacks = `lacks ${missing.length} documents: ${missing.slice(0, 8)}`
  session.problem(`${place} ${lacks}; it names ${JSON.stringify(remoteErrorsOf(answer))}`)
}
