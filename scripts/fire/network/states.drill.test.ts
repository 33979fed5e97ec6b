// In each state of a change of the network, the leader or another member is killed. The change ends
// with every document on its owners. The test plays a fourth member, which decides when the others
// continue.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { untilHolds } from '../parts/client.ts'
import { Member } from './member.ts'

const NAMES = ['a', 'b', 'c'] as const
type Name = (typeof NAMES)[number]
const PLAYED = 'd'
const IDS = Array.from({ length: 90 }, (_, id) => id)
/** Two different divisions of all documents among three pairs. */
const LAYOUTS = [
  { s1: ['a', 'b'], s2: ['b', 'c'], s3: ['c', 'a'] },
  { s1: ['b', 'c'], s2: ['c', 'a'], s3: ['a', 'b'], s4: ['a', 'c'] },
] as const
const END_MS_MAX = 100_000

const root = mkdtempSync(join(tmpdir(), 'svc-states-'))
const instances = new Map<Name, Member>()
let played: Server
/** Whether the played member accepts documents; otherwise exports to it wait. */
let takes = true
const held: (() => void)[] = []
let layout = 0
/** Members that have notified the played member that they search by the new network. */
const routed = new Set<string>()
/** Ids of documents that were written while the network changed. */
const written: number[] = []

const instance = (name: Name): Member => {
  const found = instances.get(name)
  if (found === undefined) throw new Error(`no instance ${name}`)
  return found
}

beforeAll(async () => {
  await Promise.all(
    NAMES.map(async (name) => {
      instances.set(name, await Member.start(name, root))
      const features = { body: { network: true } }
      await instance(name).ask('PATCH', '/experimental-features', features)
    }),
  )
  played = createServer((request, response) => {
    const parts: Uint8Array[] = []
    request.on('data', (part: Uint8Array) => parts.push(part))
    request.on('end', () => {
      const isImport = request.headers['x-svc-proxy-import-remote'] !== undefined
      if (!takes && isImport) return void held.push(() => answer(said))
      const answer = (text: string): void => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(text)
      }
      const said = JSON.stringify({ network: true, results: [], taskUid: 1 })
      const isMessage = request.url?.startsWith('/network/control') === true
      if (isMessage) hear(Buffer.concat(parts).toString())
      answer(isMessage ? '' : said)
    })
  })
  await new Promise<void>((resolve) => played.listen(0, '127.0.0.1', resolve))
  const { port } = played.address() as AddressInfo
  const urls = NAMES.map((name) => [name, { url: instance(name).url }] as const)
  const remotes = {
    ...Object.fromEntries(urls),
    [PLAYED]: { url: `http://127.0.0.1:${port}` },
  }
  const body = { self: 'a', leader: 'a', remotes, shards: shardsOf(0) }
  const uid = await accepted(await instance('a').ask('PATCH', '/network', { body }))
  await say('exportNoIndexForRemote', {})
  await say('importFinishedForRemote', { successful: true, routed: true })
  await ended(uid)
  const films = IDS.map((id) => ({ id, title: `film ${id}` }))
  await accepted(await instance('a').ask('POST', '/indexes/films/documents', { body: films }))
  const large = Array.from({ length: 1500 }, (_, id) => ({ id, text: `word ${id} `.repeat(20) }))
  await accepted(await instance('a').ask('POST', '/indexes/large/documents', { body: large }))
  await allIdle()
}, 120_000)

afterAll(async () => {
  played.closeAllConnections()
  played.close()
  await Promise.all([...instances.values()].map((each) => each.end()))
  rmSync(root, { recursive: true })
})

function hear(text: string): void {
  const { message } = JSON.parse(text) as { message: { remote: string; routed?: boolean } }
  if (message.routed === true) routed.add(message.remote)
}

const shardsOf = (at: number): object =>
  Object.fromEntries(
    Object.entries(LAYOUTS[at]!).map(([shard, remotes]) => [shard, { remotes: [...remotes] }]),
  )

async function accepted(answer: { status: number; text: string; json: { taskUid: number } }) {
  expect(answer.text).toContain('taskUid')
  expect(answer.status).toBe(202)
  return answer.json.taskUid
}

/** Requests the other layout; returns the uid of the task. */
async function change(): Promise<number> {
  const known = Object.keys(LAYOUTS[layout]!).map((shard) => [shard, null])
  layout = 1 - layout
  routed.clear()
  const shards = { ...Object.fromEntries(known), ...shardsOf(layout) }
  return accepted(await instance('a').ask('PATCH', '/network', { body: { shards } }))
}

/** Sends a message of the played member to all others, again while one of them is down. */
async function say(type: string, members: object): Promise<void> {
  for (const name of NAMES) {
    await until(`${name} receives ${type}`, async () => {
      const { json } = await instance(name).ask('GET', `/tasks?${CHANGES}&limit=1`)
      const { network } = json.results[0]
      const leaders = (await instance('a').ask('GET', `/tasks?${CHANGES}&limit=1`)).json.results[0]
      const origin = {
        remoteName: 'a',
        taskUid: leaders.uid,
        networkVersion: leaders.network.network_version,
      }
      const isSame = name === 'a' || network.origin?.networkVersion === origin.networkVersion
      if (!isSame) return false
      const body = { origin, message: { type, remote: PLAYED, ...members } }
      const { status } = await instance(name).ask('POST', '/network/control', { body })
      // A member that refuses the message must have finished the change.
      return status === 200 || json.results[0].status === 'succeeded'
    })
  }
}

const CHANGES = 'types=networkTopologyChange'

const until = (what: string, holds: () => Promise<boolean>): Promise<void> =>
  untilHolds(what, END_MS_MAX, holds)

const messageOf = async (name: Name): Promise<string> => {
  const { json } = await instance(name).ask('GET', `/tasks?${CHANGES}&limit=1`)
  return json.results[0].details.message
}

const says = (name: Name, text: string): Promise<void> =>
  until(`${name} says ${text}`, async () => (await messageOf(name)).includes(text))

async function ended(uid: number): Promise<void> {
  await until(`task ${uid} ends`, async () => {
    const { json } = await instance('a').ask('GET', `/tasks/${uid}`)
    return json.finishedAt !== null
  })
  const { json } = await instance('a').ask('GET', `/tasks/${uid}`)
  expect(json).toMatchObject({ status: 'succeeded' })
  await allIdle()
}

const allIdle = (): Promise<void> =>
  until('all tasks end', async () => {
    const path = '/tasks?statuses=enqueued,processing&limit=1'
    const answers = await Promise.all(NAMES.map((name) => instance(name).ask('GET', path)))
    return answers.every(({ json }) => json.total === 0)
  })

const fetched = async (name: Name, options: object): Promise<readonly number[]> => {
  const body = { limit: 1000, fields: ['id'], ...options }
  const { json, text } = await instance(name).ask('POST', '/indexes/films/documents/fetch', {
    body,
  })
  if (json?.results === undefined) throw new Error(text)
  return (json.results as { id: number }[]).map(({ id }) => id).sort((x, y) => x - y)
}

/** Expects that each member finds all documents and stores only those of its shards. */
async function expectWhole(): Promise<void> {
  const all = [...IDS, ...written].sort((x, y) => x - y)
  const byShard = new Map<string, readonly number[]>()
  for (const name of NAMES) {
    expect(await fetched(name, { useNetwork: true })).toEqual(all)
    let held = 0
    for (const [shard, owners] of Object.entries(LAYOUTS[layout]!)) {
      const filter = `_shard = ${shard}`
      const ids = await fetched(name, { useNetwork: false, filter })
      const isOwner = (owners as readonly string[]).includes(name)
      if (isOwner) expect(ids).toEqual(byShard.get(shard) ?? ids)
      else expect(ids).toEqual([])
      if (isOwner) byShard.set(shard, ids)
      held += ids.length
    }
    expect((await fetched(name, { useNetwork: false })).length).toBe(held)
  }
  expect([...byShard.values()].flat().sort((x, y) => x - y)).toEqual(all)
}

async function killed(name: Name): Promise<void> {
  await instance(name).kill()
  await instance(name).start()
}

/** Sends a write that waits until the change has ended. */
async function write(): Promise<void> {
  const id = 1000 + written.length
  const body = [{ id, title: 'late' }]
  await accepted(await instance('a').ask('POST', '/indexes/films/documents', { body }))
  written.push(id)
}

/** Returns the sum of the stored documents of all members. */
async function copies(): Promise<number> {
  const held = await Promise.all(NAMES.map((name) => fetched(name, { useNetwork: false })))
  return held.reduce((sum, { length }) => sum + length, 0)
}

const STATES = ['older tasks', 'exporting', 'importing', 'waiting', 'routed', 'deleting'] as const

for (const victim of ['a', 'b'] as const) {
  test.each(STATES)(
    `completes the change when ${victim} is killed in the state: %s`,
    async (state) => {
      takes = state !== 'exporting'
      if (state === 'older tasks') {
        const body = { searchableAttributes: layout === 0 ? ['text'] : ['*'] }
        await accepted(await instance('a').ask('PATCH', '/indexes/large/settings', { body }))
      }
      const before = await copies()
      const uid = await change()
      await write()
      if (state === 'older tasks') await killed(victim)
      await says(victim, 'Importing documents')
      if (state === 'exporting' || state === 'importing') await killed(victim)
      takes = true
      for (const answer of held.splice(0)) answer()
      await say('exportNoIndexForRemote', {})
      for (const name of NAMES) await says(name, 'Waiting for')
      if (state === 'waiting') await killed(victim)
      await say('importFinishedForRemote', { successful: true, routed: false })
      // All others search by the new network. They delete no documents before the played member
      // does too.
      await until('all search by the new network', async () => routed.size === NAMES.length)
      if (state === 'routed') await killed(victim)
      const { json } = await instance('a').ask('GET', `/tasks/${uid}`)
      expect(json.finishedAt).toBe(null)
      expect(await copies()).toBeGreaterThan(before)
      await say('importFinishedForRemote', { successful: true, routed: true })
      if (state === 'deleting') await killed(victim)
      await ended(uid)
      await expectWhole()
    },
    120_000,
  )
}
