// The clients of a network of trust under fire. Each document has one writer, which raises its
// version and sends a write again until a leader has accepted it. Searches run on all members.
import { type Answer, pause } from '../parts/client.ts'
import { END_MS_MAX } from './ledger.ts'
import type { Member } from './member.ts'
import { remoteErrorsOf } from './session.ts'
import { OTHERS, type Other, type TrustSession, type Versions } from './trust-session.ts'

const WRITERS = 2
const SEARCHERS = 2
const WRITE_PAUSE_MS = 120
const SEARCH_PAUSE_MS = 60
const AGAIN_MS = 50
const IDS_MAX = 200
export const LIMIT = 1000

/** Sends writes and searches until `isEnding`. */
export async function trustTraffic(session: TrustSession): Promise<void> {
  const failed = (error: unknown): void => session.problem(`a client: ${error}`)
  await Promise.all([
    ...Array.from({ length: WRITERS }, (_, writer) => writeOn(session, writer).catch(failed)),
    ...Array.from({ length: SEARCHERS }, () => searchOn(session).catch(failed)),
  ])
}

async function writeOn(session: TrustSession, writer: number): Promise<void> {
  const { chance, written } = session
  while (!session.isEnding) {
    const uid = OTHERS[chance.below(OTHERS.length)]!
    const versions = written.get(uid)!
    const ids = new Set(
      Array.from({ length: 1 + chance.below(4) }, () => {
        return chance.below(IDS_MAX / WRITERS) * WRITERS + writer
      }),
    )
    const docs = [...ids].map((id) => {
      const version = (versions.get(id) ?? 0) + 1
      versions.set(id, version)
      return session.docs(uid, [id], version)[0]!
    })
    const path = `/indexes/${uid}/documents`
    const begun = performance.now()
    while (!(await isAccepted(session, path, docs))) {
      if (performance.now() - begun > END_MS_MAX) throw new Error(`no leader accepts ${path}`)
      await pause(AGAIN_MS)
    }
    session.count('writes acknowledged')
    await pause(chance.below(WRITE_PAUSE_MS))
  }
}

/** Codes with which a write is refused for a while. */
const PASSING: ReadonlySet<string> = new Set(['not_a_leader', 'too_many_task_requests'])

/** Sends a write; returns true if it is certain that the network has it. */
async function isAccepted(session: TrustSession, path: string, body: object): Promise<boolean> {
  const { leader } = session
  const { epoch } = leader
  const wasTakenOver = session.isTakenOver
  let answer: Answer
  try {
    answer = await leader.ask('POST', path, { body })
  } catch (error) {
    if (leader.epoch === epoch && !leader.isOut) session.problem(`a write failed: ${error}`)
    return false
  }
  const isLeadershipSure = !wasTakenOver && !session.isTakenOver && leader === session.leader
  if (answer.status === 202) {
    const others = session.members.size - 1
    if (isLeadershipSure || (await isConfirmed(leader, answer.json.taskUid, others))) return true
    session.count('unconfirmed writes, sent again')
    return false
  }
  if (isLeadershipSure && !PASSING.has(answer.json?.code)) {
    session.problem(`a write was refused on ${leader.name}: ${answer.text.slice(0, 300)}`)
  }
  return false
}

/** Returns whether all other members have a task of the leader. */
async function isConfirmed(leader: Member, uid: number, others: number): Promise<boolean> {
  try {
    const { json } = await leader.ask('GET', `/tasks/${uid}`)
    const remotes = Object.values(json.network?.remote_tasks ?? {}) as { taskUid?: number }[]
    return remotes.filter(({ taskUid }) => typeof taskUid === 'number').length === others
  } catch (error) {
    // The leader was killed: the client cannot know.
    if (error instanceof SyntaxError) throw error
    return false
  }
}

export type Found = { readonly id: number; readonly version: number }
type Probe = {
  readonly name: string
  /** POST by default. */
  readonly method?: string
  readonly path: (uid: Other) => string
  readonly body?: (uid: Other) => object
  /** Returns the documents of the index in an answer. */
  readonly found: (answer: Answer['json'], uid: Other) => readonly Found[]
}

const SHOWN = { attributesToRetrieve: ['id', 'version'] }
type Hit = Found & { readonly _federation?: { readonly indexUid: string } }

const PROBES: readonly Probe[] = [
  {
    name: 'search',
    path: (uid) => `/indexes/${uid}/search`,
    body: () => ({ q: '', limit: LIMIT, ...SHOWN }),
    found: ({ hits }) => hits,
  },
  {
    name: 'filtered search',
    path: (uid) => `/indexes/${uid}/search`,
    body: () => ({ q: 'ston', filter: 'version > 0', sort: ['version:asc'], limit: LIMIT }),
    found: ({ hits }) => hits,
  },
  {
    name: 'multi-search',
    path: () => '/multi-search',
    body: () => ({ queries: OTHERS.map((indexUid) => ({ indexUid, limit: LIMIT, ...SHOWN })) }),
    found: ({ results }, uid) => results[OTHERS.indexOf(uid)].hits,
  },
  {
    name: 'federated search',
    path: () => '/multi-search',
    body: () => ({
      federation: { limit: LIMIT },
      queries: OTHERS.map((indexUid) => ({ indexUid, ...SHOWN })),
    }),
    found: ({ hits }, uid) => (hits as Hit[]).filter((hit) => hit._federation?.indexUid === uid),
  },
  {
    name: 'fetch of documents',
    path: (uid) => `/indexes/${uid}/documents/fetch`,
    body: () => ({ limit: LIMIT, fields: ['id', 'version'] }),
    found: ({ results }) => results,
  },
  {
    name: 'list of documents',
    method: 'GET',
    path: (uid) => `/indexes/${uid}/documents?limit=${LIMIT}&fields=id,version`,
    found: ({ results }) => results,
  },
]

async function searchOn(session: TrustSession): Promise<void> {
  const { chance } = session
  while (!session.isEnding) {
    const { up } = session
    const name = up[chance.below(up.length)]
    const uid = OTHERS[chance.below(OTHERS.length)]!
    if (name !== undefined && chance.below(5) === 0) await countKinds(session, name, uid)
    else if (name !== undefined) {
      await probe(session, name, PROBES[chance.below(PROBES.length)]!, uid)
    }
    await pause(chance.below(SEARCH_PAUSE_MS))
  }
}

async function probe(session: TrustSession, name: string, one: Probe, uid: Other): Promise<void> {
  const expected = session.expected.get(uid)!
  const { name: what, method = 'POST', path, body, found } = one
  const answer = await session.search(name, what, method, path(uid), body?.(uid))
  if (answer === null) return
  const wrong = wrongDocuments(found(answer.json, uid), expected, session.written.get(uid)!)
  judge(session, `${what} of ${uid} on ${name}`, answer, wrong)
}

/** Facets must count all documents. */
async function countKinds(session: TrustSession, name: string, uid: Other): Promise<void> {
  const least = kindsOf(session.expected.get(uid)!)
  const body = { facets: ['kind'], limit: 1 }
  const answer = await session.search(name, 'facets', 'POST', `/indexes/${uid}/search`, body)
  if (answer === null) return
  const most = kindsOf(session.written.get(uid)!)
  const counts = answer.json.facetDistribution?.kind ?? {}
  const few = Object.keys(most).filter((kind) => (counts[kind] ?? 0) < (least[kind] ?? 0))
  const many = Object.keys(counts).filter((kind) => counts[kind] > (most[kind] ?? 0))
  const shown = JSON.stringify({ counts, least, most })
  judge(session, `facets of ${uid} on ${name}`, answer, {
    missing: few.length > 0 ? shown : null,
    wrong: many.length > 0 ? shown : null,
  })
}

function kindsOf(versions: Versions): { readonly [kind: string]: number } {
  const counts: { [kind: string]: number } = {}
  for (const id of versions.keys()) counts[`kind${id % 3}`] = (counts[`kind${id % 3}`] ?? 0) + 1
  return counts
}

type Verdict = { readonly missing: string | null; readonly wrong: string | null }

/** Compares found documents with those that must be there, and those that may be. */
export function wrongDocuments(found: readonly Found[], least: Versions, most: Versions): Verdict {
  const versions = new Map(found.map(({ id, version }) => [id, version]))
  const missing = [...least].filter(([id, version]) => !((versions.get(id) ?? 0) >= version))
  const wrong = found.filter(({ id, version }) => !(version <= (most.get(id) ?? 0)))
  const doubled = found.length - versions.size
  const told = [
    ...(wrong.length > 0 ? [`no client wrote ${JSON.stringify(wrong.slice(0, 5))}`] : []),
    ...(doubled > 0 ? [`${doubled} documents are there twice`] : []),
  ]
  const lost = missing.slice(0, 5).map(([id, version]) => {
    return `${id} (version ${version}, found ${versions.get(id) ?? 'nothing'})`
  })
  return {
    missing: missing.length > 0 ? `${missing.length} of ${least.size} lack: ${lost}` : null,
    wrong: told.length > 0 ? told.join('; ') : null,
  }
}

/** An answer may lack documents if it says which instance they are on. */
function judge(session: TrustSession, place: string, answer: Answer, verdict: Verdict): void {
  if (verdict.wrong !== null) session.problem(`${place}: ${verdict.wrong}`)
  if (verdict.missing === null) return
  if (Object.keys(remoteErrorsOf(answer)).length > 0) {
    session.count('answers that lacked documents and named an instance')
  } else session.problem(`${place}: incomplete, and no error: ${verdict.missing}`)
}
