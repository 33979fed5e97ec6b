// A shard that differs is sent again, and meanwhile the instance that sends it, the one that
// receives it, or the leader is killed. Afterwards every document is on its owners once, with the
// content that was acknowledged.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, untilHolds } from '../parts/client.ts'
import { Member } from './member.ts'

/** `a` leads and does not own the damaged shard; `b` receives it from `c`. */
const SHARDS = { s1: ['b', 'c'], s2: ['a', 'b'], s3: ['a', 'c'] } as const
const NAMES = ['a', 'b', 'c'] as const
type Name = (typeof NAMES)[number]
const IMPORTER: Name = 'b'
const DAMAGED = 's1'
/** A third of them is the damaged shard: more than three requests of 1 MiB. */
const DOCUMENTS = 2400
const TEXT_BYTES = 5000
const END_MS_MAX = 100_000

const root = mkdtempSync(join(tmpdir(), 'svc-repair-'))
const instances = new Map<Name, Member>()
/** The acknowledged title of each document, by id. */
const titles = new Map<number, string>()
let copies = 0

const instance = (name: Name): Member => instances.get(name)!

beforeAll(async () => {
  await Promise.all(
    NAMES.map(async (name) => {
      instances.set(name, await Member.start(name, root))
      await instance(name).ask('PATCH', '/experimental-features', { body: { network: true } })
    }),
  )
  const remotes = Object.fromEntries(NAMES.map((name) => [name, { url: instance(name).url }]))
  const shards = Object.fromEntries(
    Object.entries(SHARDS).map(([shard, owners]) => [shard, { remotes: owners }]),
  )
  const body = { self: 'a', leader: 'a', remotes, shards }
  accepted(await instance('a').ask('PATCH', '/network', { body }))
  await settled()
  // Indexing long texts would take most of the time.
  const settings = { searchableAttributes: ['title'] }
  accepted(await instance('a').ask('PATCH', '/indexes/films/settings', { body: settings }))
  await write(0, DOCUMENTS, 'right')
  await settled()
}, 120_000)

afterAll(async () => {
  await Promise.all([...instances.values()].map((each) => each.end()))
  rmSync(root, { recursive: true })
})

const accepted = ({ status, text }: Answer): void => expect([status, text]).toContain(202)

/** Texts differ, so that compressed requests are not small. */
const textOf = (id: number): string => {
  let text = ''
  for (let seed = id + 1; text.length < TEXT_BYTES; ) {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
    text += seed.toString(36)
  }
  return text
}

async function write(from: number, to: number, title: string): Promise<void> {
  const body = Array.from({ length: to - from }, (_, i) => {
    return { id: from + i, title, text: textOf(from + i) }
  })
  accepted(await instance('a').ask('POST', '/indexes/films/documents', { body }))
  for (const { id } of body) titles.set(id, title)
}

const until = (what: string, holds: () => Promise<boolean>): Promise<void> =>
  untilHolds(what, END_MS_MAX, holds)

const settled = (): Promise<void> =>
  until('all tasks end', async () => {
    const path = '/tasks?statuses=enqueued,processing&limit=1'
    const answers = await Promise.all(NAMES.map((name) => instance(name).ask('GET', path)))
    return answers.every(({ json }) => json.total === 0)
  })

type Found = { readonly id: number; readonly title: string; readonly text: string }

async function fetched(name: Name, options: object): Promise<readonly Found[]> {
  const body = { limit: 10_000, ...options }
  const answer = await instance(name).ask('POST', '/indexes/films/documents/fetch', { body })
  if (answer.json?.results === undefined) throw new Error(answer.text)
  return answer.json.results
}

const idsOf = async (name: Name, shard: string): Promise<readonly number[]> => {
  const found = await fetched(name, { useNetwork: false, filter: `_shard = ${shard}` })
  return found.map(({ id }) => id).sort((x, y) => x - y)
}

/** Changes the receiving instance alone, as if the leader had sent the task to it only. */
async function changeAlone(path: string, body: object): Promise<void> {
  const { json } = await instance(IMPORTER).ask('GET', '/network')
  const headers = {
    'x-svc-proxy-origin-remote': 'a',
    'x-svc-proxy-origin-taskuid': String(1e6 + copies++),
    'x-svc-proxy-origin-network-version': String(json.version),
  }
  accepted(await instance(IMPORTER).ask('POST', path, { body, headers }))
}

/** Makes a tenth of the shard's documents wrong on its receiver, and adds one too many. */
async function damage(): Promise<void> {
  const ids = await idsOf('c', DAMAGED)
  const changed = ids.filter((_, i) => i % 10 === 0)
  const body = changed.map((id) => ({ id, title: 'wrong', text: '' }))
  await changeAlone('/indexes/films/documents', body)
  await changeAlone('/indexes/films/documents/delete-batch', changed.slice(0, 5))
  await settled()
}

/** Holds what is sent to the receiver from the given request of documents on. */
function holdAt(request: number): Promise<void> {
  const { proxy } = instance(IMPORTER)
  return new Promise((resolve) => {
    let seen = 0
    proxy.holdsFrom = (bytes) => {
      const isImport = IMPORT.test(bytes.subarray(0, 2048).toString('latin1'))
      if (!isImport || seen++ !== request) return false
      proxy.holdsFrom = () => false
      resolve()
      return true
    }
  })
}

const IMPORT = /^POST \/indexes\/films\/documents(?:\?|\/delete).*x-svc-proxy-import-remote/is

async function expectWhole(): Promise<void> {
  const { json } = await instance('a').ask('GET', '/network/replicas')
  expect(json).toMatchObject({ verdict: 'equal', differences: [] })
  const all = [...titles.keys()].sort((x, y) => x - y)
  for (const name of NAMES) {
    const found = await fetched(name, { useNetwork: true })
    expect(found.map(({ id }) => id).sort((x, y) => x - y)).toEqual(all)
    const own = await fetched(name, { useNetwork: false })
    for (const { id, title, text } of [...found, ...own]) {
      if (title !== titles.get(id) || text !== textOf(id))
        throw new Error(`${name}: ${id}, ${title}`)
    }
  }
  for (const [shard, owners] of Object.entries(SHARDS)) {
    const ids = await idsOf(owners[0], shard)
    expect(await idsOf(owners[1], shard)).toEqual(ids)
    for (const name of NAMES) {
      if (!owners.some((owner) => owner === name)) expect(await idsOf(name, shard)).toEqual([])
    }
  }
}

/** The request that is held: the deletion, the first part, or a later one. */
const MOMENTS = [
  ['before the shard is deleted', 0],
  ['before its first documents', 1],
  ['between its documents', 3],
] as const
const VICTIMS = [
  ['the sender', 'c'],
  ['the receiver', 'b'],
  ['the leader', 'a'],
] as const

for (const [role, victim] of VICTIMS) {
  test.each(MOMENTS)(
    `a repair ends after ${role} was killed %s`,
    async (_, request) => {
      await damage()
      const held = holdAt(request)
      const body = { instances: [IMPORTER] }
      const { json } = await instance('a').ask('POST', '/network/repair', { body })
      expect(json).toMatchObject({ repaired: { [IMPORTER]: [DAMAGED] } })
      await held
      await instance(victim).kill()
      instance(IMPORTER).proxy.mode = 'pass'
      await instance(victim).start()
      // A write waits until the repair has ended.
      await write(DOCUMENTS + copies, DOCUMENTS + copies + 3, 'late')
      await until('the repair ends', async () => {
        const status = (await instance('a').ask('GET', '/network/status')).json
        const remotes = Object.values(status.remotes as { [name: string]: { stale: unknown } })
        return status.change === null && remotes.every(({ stale }) => stale === null)
      })
      await settled()
      await expectWhole()
    },
    150_000,
  )
}
