// The permanent load of clients on a network under fire: they write to its leader, and search on
// any member for documents that must be there.
import { type Answer, pause } from '../parts/client.ts'
import type { Member } from './member.ts'
import { type NetworkSession, write } from './session.ts'
import { documentWork, indexWork, MAIN, type NetworkWork, PERMANENT } from './work.ts'

const DOCUMENT_WRITERS = 4
const SEARCHERS = 2
const WRITE_PAUSE_MS = 150
/** One write in this many is canceled as soon as it is acknowledged. */
const CANCELED_SHARE = 12
const INDEX_PAUSE_MS = 900
const SEARCH_PAUSE_MS = 60
/** A timeout of a search proves nothing if the test itself did not run for this time. */
const STARVED_MS = 1000
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
  readonly method: string
  readonly path: string
  readonly body: object
  readonly ids: (answer: Answer['json']) => readonly number[]
}

type Hit = { readonly id: number }
const idsOf = (hits: readonly Hit[]): readonly number[] => hits.map(({ id }) => id)

const SHOWN = { attributesToRetrieve: ['id'] }
/** Searches that must find all permanent documents. */
const PROBES: readonly Probe[] = [
  {
    name: 'search',
    method: 'POST',
    path: `/indexes/${MAIN}/search`,
    body: { q: '', filter: FILTER, limit: LIMIT, ...SHOWN, useNetwork: true },
    ids: ({ hits }) => idsOf(hits),
  },
  {
    name: 'federated search',
    method: 'POST',
    path: '/multi-search',
    body: {
      federation: { limit: LIMIT },
      queries: [{ indexUid: MAIN, q: '', filter: FILTER, ...SHOWN, useNetwork: true }],
    },
    ids: ({ hits }) => idsOf(hits),
  },
  {
    name: 'multi-search',
    method: 'POST',
    path: '/multi-search',
    body: {
      queries: [
        { indexUid: MAIN, q: '', filter: FILTER, limit: LIMIT, ...SHOWN, useNetwork: true },
      ],
    },
    ids: ({ results }) => idsOf(results[0].hits),
  },
  {
    name: 'fetch',
    method: 'POST',
    path: `/indexes/${MAIN}/documents/fetch`,
    body: { filter: FILTER, limit: LIMIT, fields: ['id'], useNetwork: true },
    ids: ({ results }) => idsOf(results),
  },
]

async function searchOn(session: NetworkSession): Promise<void> {
  const { random } = session
  while (!session.isEnding) {
    const { up } = session
    if (up.length > 0)
      await probe(session, session.instance(session.pick(up)), session.pick(PROBES))
    await pause(random.below(SEARCH_PAUSE_MS))
  }
}

async function probe(session: NetworkSession, member: Member, wanted: Probe): Promise<void> {
  const { epoch } = member
  const before = session.outages
  const stalledBefore = session.stalls.totalMs
  let answer: Answer
  const begun = performance.now()
  try {
    answer = await member.ask(wanted.method, wanted.path, { body: wanted.body })
  } catch (error) {
    if (member.epoch === epoch) session.problem(`${wanted.name} on ${member.name} failed: ${error}`)
    return
  }
  if (member.epoch !== epoch || !session.members.has(member.name)) return
  session.count('searches')
  const isInOutage = Math.max(before, session.outages) > 0
  if (isInOutage) session.count('searches during an outage')
  const ms = Math.round(performance.now() - begun)
  const state = isInOutage ? 'in an outage' : 'all up'
  const place = `${wanted.name} on ${member.name}, ${ms} ms, ${state}`
  // The processors are busy, and the client may repeat the search.
  if (answer.json?.code === 'too_many_search_requests') {
    session.count('searches that had to come again')
    return
  }
  const isStarved = session.stalls.totalMs - stalledBefore >= STARVED_MS
  if (isStarved && ranOutOfTime(answer)) {
    session.count('searches out of time as the machine stood still')
    return
  }
  if (answer.status !== 200) {
    session.problem(`${place}: ${answer.status} ${answer.text.slice(0, 300)}`)
    return
  }
  const ids = wanted.ids(answer.json)
  const errors = JSON.stringify(remoteErrorsOf(answer))
  if (errors !== '{}') session.count('answers that named a failed instance')
  const wrong = wrongIds(ids)
  // The processors are also busy if a queried instance refuses for that reason.
  if (wrong !== null && errors.includes('too_many_search_requests')) {
    session.count('searches that had to come again')
    return
  }
  if (wrong !== null) session.problem(`${place}: ${wrong}, remoteErrors ${errors.slice(0, 300)}`)
}

type RemoteErrors = { readonly [remote: string]: { readonly code: string } }

const remoteErrorsOf = ({ json }: Answer): RemoteErrors =>
  json?.remoteErrors ?? json?.results?.[0]?.remoteErrors ?? {}

/** Returns whether other instances, or the search itself, exceeded a time limit. */
function ranOutOfTime(answer: Answer): boolean {
  const codes = Object.values(remoteErrorsOf(answer)).map(({ code }) => code)
  if (answer.status === 200) return codes.includes('remote_timeout')
  return answer.text.includes('because the search took longer than')
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
