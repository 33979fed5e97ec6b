// Checks that an idle network has exactly the documents that clients wrote, and one leader.
import { pause, untilHolds } from '../parts/client.ts'
import { END_MS_MAX, untilQuiet, untilRenewed } from './ledger.ts'
import { OTHERS, type TrustSession } from './trust-session.ts'
import { type Found, wrongDocuments } from './trust-traffic.ts'

const LIMIT = 100_000

type Document = Found & { readonly secret: string }

/** Clients must not write meanwhile. @throws Error when the network does not become idle */
export async function verifyTrust(session: TrustSession): Promise<void> {
  await session.writeMine()
  await settled(session)
  await verifyLeader(session)
  await settled(session)
  await equalReplicas(session)
  for (const name of session.members) {
    for (const uid of OTHERS) await verifyDocuments(session, name, uid)
  }
  session.expectWritten()
}

async function settled(session: TrustSession): Promise<void> {
  await untilQuiet(session)
  await untilRenewed(session)
  await untilHolds('all writes are confirmed', END_MS_MAX, async () => {
    const { json } = await session.leader.ask('GET', '/network/status')
    const remotes = Object.values(
      json.remotes as { [name: string]: { backlog: null | { tasks: number } } },
    )
    return remotes.every(({ backlog }) => (backlog?.tasks ?? 0) === 0)
  })
  await untilQuiet(session)
}

/** The leader accepts writes, and all other members name it. */
async function verifyLeader(session: TrustSession): Promise<void> {
  for (const name of session.members) {
    const instance = session.instance(name)
    const [network, write] = await Promise.all([
      instance.ask('GET', '/network'),
      instance.ask('POST', '/indexes/films/documents', { body: [] }),
    ])
    const { self, leader } = network.json
    if (self !== name || leader !== session.leaderName) {
      session.problem(`${name} is ${self} and follows ${leader}, not ${session.leaderName}`)
    }
    const wanted = name === session.leaderName ? 'undefined' : 'not_a_leader'
    if (String(write.json?.code) !== wanted) {
      session.problem(`a write to ${name}: ${write.status} ${write.text.slice(0, 300)}`)
    }
  }
}

/** Replicas may differ only after a takeover, and then a repair makes them equal. */
async function equalReplicas(session: TrustSession): Promise<void> {
  let last = ''
  for (const begun = performance.now(); performance.now() - begun < END_MS_MAX; ) {
    const { json, text } = await session.leader.ask('GET', '/network/replicas')
    if (json.verdict === 'equal') return
    last = text
    if (json.verdict === 'different') {
      const { text: repair } = await session.leader.ask('POST', '/network/repair', { body: {} })
      session.event(`replicas differ: ${JSON.stringify(json.differences).slice(0, 500)}: ${repair}`)
      session.count('repairs')
      await settled(session)
    }
    await pause(200)
  }
  session.problem(`replicas stay different: ${last.slice(0, 1500)}`)
}

async function verifyDocuments(session: TrustSession, name: string, uid: string): Promise<void> {
  const instance = session.instance(name)
  const path = `/indexes/${uid}/documents/fetch`
  const fetched = async (options: object) => {
    const { json, text } = await instance.ask('POST', path, { body: { limit: LIMIT, ...options } })
    if (json?.results === undefined) throw new Error(`${path} on ${name}: ${text.slice(0, 500)}`)
    return json
  }
  let results: readonly Document[] = []
  // On a busy machine a call of another instance may take too long.
  await untilHolds(`${name} finds ${uid} on all members`, END_MS_MAX, async () => {
    const found = await fetched({})
    results = found.results
    return Object.keys(found.remoteErrors ?? {}).length === 0
  })
  const versions = session.written.get(uid)!
  const { missing, wrong } = wrongDocuments(results, versions, versions)
  for (const told of [missing, wrong]) {
    if (told === null) continue
    session.problem(`${uid} on ${name}, at rest: ${told}`)
  }
  for (const doc of results) {
    const [wanted] = session.docs(uid, [doc.id], versions.get(doc.id) ?? 0)
    const isSame = Object.entries(wanted!).every(([field, value]) => Object(doc)[field] === value)
    if (!isSame) session.problem(`${uid} on ${name} has changed: ${JSON.stringify(doc)}`)
  }
  const { json } = await session.leader.ask('GET', '/network')
  const shards = Object.entries(json.shards as { [shard: string]: { remotes: string[] } })
  const own = shards.filter(([, { remotes }]) => remotes.includes(name)).map(([shard]) => shard)
  const all = await fetched({ useNetwork: false })
  const filter = `_shard IN ${JSON.stringify(own)}`
  const ofShards = own.length === 0 ? { total: 0 } : await fetched({ useNetwork: false, filter })
  if (all.total !== ofShards.total) {
    session.problem(`${name} has ${all.total} documents of ${uid}, ${ofShards.total} of its shards`)
  }
}
