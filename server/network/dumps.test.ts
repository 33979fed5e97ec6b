// A dump of a member of a network, imported by a new instance that takes the member's place.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { readConfig } from '../config/index.ts'
import { importAtLaunch } from '../launch/imports.ts'
import { Log } from '../log/index.ts'
import { type Body, TestNetwork } from './test-network.ts'

const SHARDS = { s1: ['a', 'b'], s2: ['b', 'c'], s3: ['c', 'a'] }
const DOCUMENTS = 120
const root = mkdtempSync(join(tmpdir(), 'svc-network-dumps-'))
const DUMP_DIR = join(root, 'dumps')

let network: TestNetwork

afterEach(async () => {
  await network.end()
  rmSync(root, { recursive: true, force: true })
})

const idsOn = async (name: string): Promise<readonly number[]> => {
  const { films } = (await network.content(name)) as { readonly films: Body }
  return (films['documents'] as readonly { readonly id: number }[]).map(({ id }) => id)
}

/** Imports the only dump of the folder into the database of an instance that has not started. */
async function importDump(folder: string): Promise<void> {
  const [name] = readdirSync(DUMP_DIR)
  const options = { SVC_DB_PATH: folder, SVC_IMPORT_DUMP: join(DUMP_DIR, name!) }
  const config = await readConfig(new Map(), options)
  const write = (): void => undefined
  const log = new Log({ level: 'OFF', mode: 'human', write, now: () => 0 })
  await importAtLaunch({ config, log, indexWorker: null, isWatched: false, write })
}

test('an instance that imports the dump of a member has its documents, and takes its place', async () => {
  network = new TestNetwork({ DUMP_DIR })
  await network.form(['a', 'b', 'c'], SHARDS)
  const films = Array.from({ length: DOCUMENTS }, (_, id) => ({ id, title: `film ${id}` }))
  await network.ask('a', 'POST', '/indexes/films/documents', films)
  await network.settled()
  const own = await idsOn('b')
  expect(own.length).toBeGreaterThan(DOCUMENTS / 2)
  expect(own.length).toBeLessThan(DOCUMENTS)
  await network.ask('b', 'POST', '/dumps')
  await network.settled()
  await importDump(network.folderOf('d'))
  await network.start('d')
  await network.settled()

  // It has the member's documents, and is no member: it has no name and no leader.
  expect(await idsOn('d')).toEqual(own)
  const known = await network.ask('b', 'GET', '/network')
  const { version, shards } = known
  expect(await network.ask('d', 'GET', '/network')).toMatchObject({
    self: null,
    leader: null,
    version,
    shards,
  })
  const remotes = (await network.ask('d', 'GET', '/network'))['remotes'] as object
  expect(Object.keys(remotes)).toEqual(['a', 'b', 'c'])

  await network.stop('b')
  const change = await network.ask('a', 'PATCH', '/network', {
    remotes: { b: null, d: { url: network.url('d') } },
    shards: { s1: { addRemotes: ['d'] }, s2: { addRemotes: ['d'] } },
  })
  expect(change).toMatchObject({ http: 202 })
  await network.settled()
  expect(await idsOn('d')).toEqual(own)
  const counts = new Map<number, number>()
  for (const name of ['a', 'c', 'd']) {
    for (const id of await idsOn(name)) counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  expect([...counts.values()]).toEqual(Array.from({ length: DOCUMENTS }, () => 2))
  expect(await network.ask('c', 'GET', '/network/replicas')).toMatchObject({
    verdict: 'equal',
    differences: [],
  })
  for (const name of ['a', 'c', 'd']) {
    const found = await network.ask(name, 'POST', '/indexes/films/search', { limit: 1000 })
    expect((found['hits'] as readonly Body[]).map(({ id }) => id).length).toBe(DOCUMENTS)
    expect(found['remoteErrors']).toEqual({})
  }
}, 120_000)
