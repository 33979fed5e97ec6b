// Checks that an idle network has exactly the acknowledged documents: every document is found once
// from every member, the owners of each shard have the same documents, and deleted documents are
// gone.

import { type Doc, type Index, modelOf, type Work } from '../kill/work.ts'
import { type NetworkLedger, untilQuiet, untilRenewed } from './ledger.ts'
import { INDEXES } from './work.ts'

type Task = {
  readonly uid: number
  readonly type: string
  readonly status: string
  readonly customMetadata?: string
  readonly error: unknown
  readonly network?: {
    readonly remote_tasks?: { readonly [remote: string]: { readonly error?: unknown } }
    readonly import_from?: unknown
  }
}

const ALL = 1_000_000
const SHOWN = 5
const FAILURES = /"(?:index_not_found|index_already_exists)"/

export type Verified = {
  readonly documents: number
  readonly tasks: number
  /** All works that took effect, in their order. */
  readonly works: readonly Work[]
  /** Milliseconds from the last write until all members had finished their tasks. */
  readonly settledMs: number
}

/** Clients must not write meanwhile. @throws when the network does not become idle */
export async function verifyNetwork(session: NetworkLedger): Promise<Verified> {
  const begun = performance.now()
  await untilQuiet(session)
  await untilRenewed(session)
  await untilQuiet(session)
  const tasks = await allTasks(session)
  const settledMs = performance.now() - begun
  const works = [...session.settled, ...succeeded(session, tasks)]
  const model = modelOf(works)
  const { json: network } = await session.leader.ask('GET', '/network')
  const owners = Object.entries(
    network.shards as { readonly [shard: string]: { readonly remotes: readonly string[] } },
  )
  let documents = 0
  for (const uid of INDEXES) {
    const index = model.get(uid)
    documents += index?.docs.size ?? 0
    await verifyIndex(session, uid, index, owners)
  }
  return { documents, tasks: tasks.length, works, settledMs }
}

/**
 * Returns all tasks of the leader. A task whose copy an instance never confirmed may remain in them:
 * the instance got documents instead, which are compared.
 */
async function allTasks(session: NetworkLedger): Promise<readonly Task[]> {
  const { json } = await session.leader.ask('GET', `/tasks?reverse=true&limit=${ALL}`)
  return json.results
}

/** Returns the works of succeeded tasks, in the order of tasks. */
function succeeded(session: NetworkLedger, tasks: readonly Task[]): readonly Work[] {
  const { works, acknowledged } = session
  const byUid = new Map(tasks.map((task) => [task.uid, task]))
  for (const [uid, work] of acknowledged) {
    if (!byUid.has(uid)) session.problem(`task ${uid} was acknowledged and is gone: ${work.kind}`)
  }
  const order: Work[] = []
  session.counts['writes canceled'] = 0
  for (const task of tasks) {
    if (task.uid < session.fromUid) continue
    if (['networkTopologyChange', 'taskCancelation'].includes(task.type)) continue
    if (task.network?.import_from !== undefined) continue
    const work = works.get(task.customMetadata ?? '') ?? acknowledged.get(task.uid)
    if (work === undefined) session.problem(`no client asked for task ${task.uid}, ${task.type}`)
    else if (task.status === 'succeeded') order.push(work)
    else if (task.status === 'canceled' && session.canceled.has(task.uid))
      session.count('writes canceled')
    else if (!FAILURES.test(JSON.stringify(task.error))) {
      session.problem(`task ${task.uid} is ${task.status}: ${JSON.stringify(task)}`)
    }
  }
  return order
}

type Owners = readonly (readonly [shard: string, { readonly remotes: readonly string[] }])[]

async function verifyIndex(
  session: NetworkLedger,
  uid: string,
  index: Index | undefined,
  shards: Owners,
): Promise<void> {
  const expected = shownAll(index === undefined ? [] : [...index.docs.values()])
  const byShard = new Map<string, string>()
  for (const name of session.members) {
    const instance = session.instance(name)
    const { status } = await instance.ask('GET', `/indexes/${uid}`)
    if (status !== (index === undefined ? 404 : 200)) {
      session.problem(`${name}: GET /indexes/${uid} says ${status}`)
      continue
    }
    if (index === undefined) continue
    await verifySettings(session, name, uid)
    const found = await fetchAll(session, name, uid, { useNetwork: true })
    compare(session, `${uid} from ${name}`, found, expected)
    let held = 0
    for (const [shard, { remotes }] of shards) {
      const body = { useNetwork: false, filter: `_shard = "${shard}"` }
      const local = await fetchAll(session, name, uid, body)
      if (!remotes.includes(name)) continue
      held += local.length
      const text = local.join('\n')
      const known = byShard.get(shard)
      byShard.set(shard, known ?? text)
      if (known !== undefined && known !== text) {
        const place = `${uid}, shard ${shard} on ${name}, compared with another replica`
        compare(session, place, local, known === '' ? [] : known.split('\n'))
      }
    }
    const all = await fetchAll(session, name, uid, { useNetwork: false })
    if (all.length !== held) {
      session.problem(`${name} has ${all.length} documents of ${uid}, ${held} are of its shards`)
    }
  }
  if (index === undefined) return
  const union = [...byShard.values()].flatMap((text) => (text === '' ? [] : text.split('\n')))
  compare(session, `${uid}, all shards together`, union.sort(), expected)
}

async function verifySettings(session: NetworkLedger, name: string, uid: string): Promise<void> {
  const path = `/indexes/${uid}/settings`
  const [here, there] = await Promise.all([
    session.instance(name).ask('GET', path),
    session.leader.ask('GET', path),
  ])
  if (here.text !== there.text) {
    session.problem(`settings of ${uid} on ${name}: ${here.text}\n    on the leader: ${there.text}`)
  }
}

async function fetchAll(
  session: NetworkLedger,
  name: string,
  uid: string,
  options: object,
): Promise<readonly string[]> {
  const path = `/indexes/${uid}/documents/fetch`
  const answer = await session
    .instance(name)
    .ask('POST', path, { body: { limit: ALL, ...options } })
  if (answer.status !== 200) {
    session.problem(`fetch of ${uid} from ${name}: ${answer.text.slice(0, 300)}`)
    return []
  }
  const { results, total } = answer.json as { results: readonly Doc[]; total: number }
  if (total !== results.length) {
    session.problem(`fetch of ${uid} from ${name}: ${results.length} documents, total ${total}`)
  }
  return shownAll(results)
}

/** Returns one line per document with ordered members; the lines are sorted. */
const shownAll = (docs: readonly Doc[]): readonly string[] =>
  docs.map((doc) => JSON.stringify(Object.fromEntries(Object.entries(doc).sort()))).sort()

function compare(
  session: NetworkLedger,
  place: string,
  found: readonly string[],
  expected: readonly string[],
): void {
  const wanted = new Set(expected)
  const present = new Set(found)
  const missing = expected.filter((line) => !present.has(line))
  const extra = found.filter((line) => !wanted.has(line))
  const doubled = found.length - present.size
  if (missing.length + extra.length + doubled === 0) return
  session.problem(
    `${place}: ${missing.length} of ${expected.length} documents are missing or differ ` +
      `(${missing.slice(0, SHOWN)}), ${extra.length} should not be there ` +
      `(${extra.slice(0, SHOWN)}), ${doubled} are there twice`,
  )
}
