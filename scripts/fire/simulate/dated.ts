// Documents of a network that one client writes, one request after another, each with the next
// version. Each instance is read alone: it never shows an older version after a newer one. The client
// reads its own writes on any member.
import type { Work } from '../kill/work.ts'
import { remoteErrorsOf } from '../network/session.ts'
import { MAIN, plain } from '../network/work.ts'
import { pause } from '../parts/client.ts'
import { answered, CLIENT } from './lines.ts'
import { type SimulatedSession, writeOnce } from './session.ts'

/** Larger than all other ids of the index. */
const FIRST_ID = 1000
const IDS = Array.from({ length: 8 }, (_, i) => FIRST_ID + i)
const PATH = `/indexes/${MAIN}/documents/fetch`
/** Milliseconds that a read waits for a write. */
const WAIT_MS_MAX = 5000
const WRITE_PAUSE_MS = 1200
const READ_PAUSE_MS = 1500

export async function writeDated(session: SimulatedSession): Promise<void> {
  const { random, works, history } = session
  while (!session.isEnding) {
    const name = `d${works.size}`
    const id = session.pick(IDS)
    const version = works.size
    const kind = random.below(5) === 0 ? 'delete' : 'write'
    history.sent({ index: MAIN, kind, ids: [id], version })
    const docs = [{ id, kind: 'dated', version }]
    const work: Work =
      kind === 'delete'
        ? { name, kind, index: MAIN, ids: [id] }
        : { name, kind: 'import', index: MAIN, method: 'POST', docs }
    const accepted = await answered(writeOnce(session, plain(work)))
    if (accepted === true) await readOwn(session, work, id, kind === 'delete' ? null : version)
    await pause(random.below(WRITE_PAUSE_MS))
  }
}

/** Reads the write on any member, and asks for an answer that contains it. */
async function readOwn(
  session: SimulatedSession,
  work: Work,
  id: number,
  version: number | null,
): Promise<void> {
  const { history, acknowledged, members } = session
  const minTaskUid = [...acknowledged].findLast(([, one]) => one === work)?.[0]
  const name = session.pick([...members])
  const body = { ids: [id], fields: ['id', 'version'], minTaskUid, minTaskTimeout: WAIT_MS_MAX }
  const answer = await answered(session.instance(name).ask('POST', PATH, { body }))
  if (answer?.status !== 200 || Object.keys(remoteErrorsOf(answer)).length > 0) return
  session.count('reads of own writes')
  const shown = answer.json.results[0]?.version ?? null
  history.saw(CLIENT, MAIN, id, version)
  const wrong = history.read(CLIENT, MAIN, id, shown)
  if (wrong !== null) session.problem(`on ${name}: ${wrong}`)
}

/** Reads the documents of one instance. One that it lacks may be deleted, or on other instances. */
export async function readDated(session: SimulatedSession, name: string): Promise<void> {
  const { random, history } = session
  const body = { ids: IDS, fields: ['id', 'version'], useNetwork: false }
  while (!session.isEnding) {
    await pause(random.below(READ_PAUSE_MS))
    const answer = await answered(session.instance(name).ask('POST', PATH, { body }))
    if (answer?.status !== 200) continue
    session.count('reads of one instance')
    const found = answer.json.results as readonly { id: number; version: number }[]
    for (const { id, version } of found) {
      const wrong = history.read(name, MAIN, id, version)
      if (wrong !== null) session.problem(wrong)
    }
  }
}
