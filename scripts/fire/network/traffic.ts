// The permanent load of clients on a network under fire: they write to its leader, and search on
// any member for documents that must be there.
import { type Answer, pause } from '../parts/client.ts'
import { type NetworkSession, remoteErrorsOf, write } from './session.ts'
import { documentWork, indexWork, MAIN, type NetworkWork, PERMANENT } from './work.ts'

const DOCUMENT_WRITERS = 4
const SEARCHERS = 2
const WRITE_PAUSE_MS = 150
/** One write in this many is canceled as soon as it is acknowledged. */
const CANCELED_SHARE = 12
const INDEX_PAUSE_MS = 900
const SEARCH_PAUSE_MS = 60
const FILTER = 'kind = permanent'
const LIMIT = 10 * PERMANENT
const UNNAMED = 'indexCreation,indexDeletion,indexSwap,settingsUpdate'

/** Sends writes and searches until `isEnding`. */
export async function traffic(session: NetworkSession): Promise<void> {
  const writers = Array.from({ length: DOCUMENT_WRITERS }, () =>
    writeDocuments(session).catch((error: unknown) => session.problem(`a writer: ${error}`)),
  )
  const others = writeIndexes(session).catch((error: unknown) =>
    session.problem(`the writer of indexes: ${error}`),
  )
  const searchers = Array.from({ length: SEARCHERS }, () =>
    searchOn(session).catch((error: unknown) => session.problem(`a searcher: ${error}`)),
  )
  await Promise.all([...writers, others, ...searchers])
}

async function writeDocuments(session: NetworkSession): Promise<void> {
  const { random, works } = session
  while (!session.isEnding) {
    const name = `w${works.size}`
    const wasAccepted = await tryWrite(session, documentWork(random, name))
    if (wasAccepted && random.below(CANCELED_SHARE) === 0) await tryCancel(session, name)
    await pause(random.below(WRITE_PAUSE_MS))
  }
}

/** Sends one write at a time, because its task carries no name and is identified by its order. */
async function writeIndexes(session: NetworkSession): Promise<void> {
  const { random, works, acknowledged } = session
  while (!session.isEnding) {
    const next = indexWork(random, `x${works.size}`)
    if (!(await tryWrite(session, next))) {
      const path = `/tasks?types=${UNNAMED}&limit=1`
      const { json } = await session.askLeader('GET', path)
      const uid = json.results[0]?.uid as number | undefined
      if (uid !== undefined && !acknowledged.has(uid)) acknowledged.set(uid, next.work)
    }
    await pause(random.below(INDEX_PAUSE_MS))
  }
}

/** Returns false if the connection was lost; then it resolves when the leader answers again. */
async function tryWrite(session: NetworkSession, next: NetworkWork): Promise<boolean> {
  const { leader } = session
  const { epoch } = leader
  try {
    await write(session, next)
    return true
  } catch (error) {
    if (leader.epoch === epoch && !leader.isOut) session.problem(`a write failed: ${error}`)
    while (leader.isOut && !session.isEnding) await pause(20)
    return false
  }
}

/** Cancels a write, which may already have run; its task shows whether it has. */
async function tryCancel(session: NetworkSession, name: string): Promise<void> {
  const work = session.works.get(name)
  const uid = [...session.acknowledged].findLast(([, one]) => one === work)?.[0]
  if (uid === undefined) return
  const { leader } = session
  const { epoch } = leader
  session.canceled.add(uid)
  try {
    await leader.ask('POST', `/tasks/cancel?uids=${uid}`)
  } catch (error) {
    if (leader.epoch === epoch && !leader.isOut) session.problem(`a cancelation failed: ${error}`)
    while (leader.isOut && !session.isEnding) await pause(20)
  }
}

type Probe = {
  readonly name: string
  readonly path: string
  readonly body: object
  readonly ids: (answer: Answer['json']) => readonly number[]
}

type Hit = { readonly id: number }
const idsOf = (hits: readonly Hit[]): readonly number[] => hits.map(({ id }) => id)

const SEARCH = { q: '', filter: FILTER, attributesToRetrieve: ['id'], useNetwork: true }
const QUERY = { ...SEARCH, indexUid: MAIN }
/** Searches that must find all permanent documents. */
const PROBES: readonly Probe[] = [
  {
    name: 'search',
    path: `/indexes/${MAIN}/search`,
    body: { ...SEARCH, limit: LIMIT },
    ids: ({ hits }) => idsOf(hits),
  },
  {
    name: 'federated search',
    path: '/multi-search',
    body: { federation: { limit: LIMIT }, queries: [QUERY] },
    ids: ({ hits }) => idsOf(hits),
  },
  {
    name: 'multi-search',
    path: '/multi-search',
    body: { queries: [{ ...QUERY, limit: LIMIT }] },
    ids: ({ results }) => idsOf(results[0].hits),
  },
  {
    name: 'fetch',
    path: `/indexes/${MAIN}/documents/fetch`,
    body: { filter: FILTER, limit: LIMIT, fields: ['id'], useNetwork: true },
    ids: ({ results }) => idsOf(results),
  },
]

async function searchOn(session: NetworkSession): Promise<void> {
  while (!session.isEnding) {
    const { up } = session
    if (up.length > 0) await probe(session, session.pick(up), session.pick(PROBES))
    await pause(session.random.below(SEARCH_PAUSE_MS))
  }
}

async function probe(session: NetworkSession, name: string, wanted: Probe): Promise<void> {
  const { name: what, path, body, ids } = wanted
  const answer = await session.search(name, what, 'POST', path, body)
  if (answer === null) return
  const errors = JSON.stringify(remoteErrorsOf(answer))
  if (errors !== '{}') session.count('answers that named a failed instance')
  const wrong = wrongIds(ids(answer.json))
  if (wrong === null) return
  // The processors are also busy if a queried instance refuses for that reason.
  if (errors.includes('too_many_search_requests')) session.count('searches that had to come again')
  else session.problem(`${what} on ${name}: ${wrong}, remoteErrors ${errors.slice(0, 300)}`)
}

/** Returns what is wrong with the ids, or null if each permanent document occurs once. */
function wrongIds(ids: readonly number[]): string | null {
  const found = new Set(ids)
  const missing = Array.from({ length: PERMANENT }, (_, id) => id).filter((id) => !found.has(id))
  if (missing.length > 0) {
    return `incomplete, ${missing.length} of ${PERMANENT} are missing: ${missing.slice(0, 8)}`
  }
  if (ids.length !== found.size) return `${ids.length - found.size} documents are there twice`
  return ids.length === PERMANENT ? null : `${ids.length - PERMANENT} more than there are`
}
