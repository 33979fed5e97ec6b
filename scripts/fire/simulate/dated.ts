// Documents of a network that one client writes, one request after another, each with the next
// version. Each instance is read alone: it never shows an older version after a newer one.
import type { Work } from '../kill/work.ts'
import { MAIN, plain } from '../network/work.ts'
import { endOfTask, pause } from '../parts/client.ts'
import { answered } from './lines.ts'
import { type SimulatedSession, writeOnce } from './session.ts'

/** Larger than all other ids of the index. */
const FIRST_ID = 1000
const IDS = Array.from({ length: 8 }, (_, i) => FIRST_ID + i)
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
    if (accepted === true && kind === 'write') await seeOwn(session, work, id, version)
    await pause(random.below(WRITE_PAUSE_MS))
  }
}

/** Waits for the end of a task at the leader, which shows the write from then on. */
async function seeOwn(
  session: SimulatedSession,
  work: Work,
  id: number,
  version: number,
): Promise<void> {
  const uid = [...session.acknowledged].findLast(([, one]) => one === work)?.[0]
  if (uid === undefined || session.hasChanges) return
  const { leader, history } = session
  const { status } = await endOfTask(leader, uid)
  if (status === 'succeeded') history.saw(leader.name, MAIN, id, version)
}

/** Reads the documents of one instance. One that it lacks may be deleted, or on other instances. */
export async function readDated(session: SimulatedSession, name: string): Promise<void> {
  const { random, history } = session
  const body = { ids: IDS, fields: ['id', 'version'], useNetwork: false }
  const path = `/indexes/${MAIN}/documents/fetch`
  while (!session.isEnding) {
    await pause(random.below(READ_PAUSE_MS))
    const answer = await answered(session.instance(name).ask('POST', path, { body }))
    if (answer?.status !== 200) continue
    session.count('reads of one instance')
    const found = answer.json.results as readonly { id: number; version: number }[]
    for (const { id, version } of found) {
      const wrong = history.read(name, MAIN, id, version)
      if (wrong !== null) session.problem(wrong)
    }
  }
}
