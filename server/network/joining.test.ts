// An instance that joins a network: indexes that it knew as a member before are those of the leader
// again, and indexes that only this instance has come with their settings.
import { afterEach, expect, test } from 'vitest'
import { TestNetwork } from './test-network.ts'

const IDS = Array.from({ length: 40 }, (_, id) => id)

let network: TestNetwork

afterEach(() => network.end())

const write = (method: string, path: string, body?: unknown) => network.ask('a', method, path, body)

async function changed(body: object): Promise<void> {
  expect(await write('PATCH', '/network', body)).toMatchObject({ http: 202 })
  await network.settled()
}

const joined = (name: string, shard: string): Promise<void> =>
  changed({
    remotes: { [name]: { url: network.url(name) } },
    shards: { [shard]: { addRemotes: [name] } },
  })

const uidsOf = async (name: string): Promise<readonly string[]> =>
  Object.keys(await network.content(name))

test('forgets indexes that were deleted after it had left', async () => {
  network = new TestNetwork()
  await network.form(['a', 'b', 'c'], { s1: ['a', 'b'], s2: ['b', 'c'], s3: ['c', 'a'] })
  for (const uid of ['deleted', 'kept', 'replaced']) {
    await write('PATCH', `/indexes/${uid}/settings`, { stopWords: ['the'] })
    await write('POST', `/indexes/${uid}/documents?primaryKey=id`, [{ id: 1, key: 1 }])
  }
  await network.settled()
  await changed({
    remotes: { c: null },
    shards: { s2: { remotes: ['a', 'b'] }, s3: { remotes: ['a', 'b'] } },
  })
  await write('DELETE', '/indexes/deleted')
  await write('DELETE', '/indexes/replaced')
  await write('POST', '/indexes', { uid: 'replaced', primaryKey: 'key' })
  const documents = IDS.map((key) => ({ key }))
  await write('POST', '/indexes/replaced/documents', documents)
  await network.settled()
  await joined('c', 's2')
  for (const name of ['a', 'b', 'c']) expect(await uidsOf(name)).toEqual(['kept', 'replaced'])
  expect(await network.ask('c', 'GET', '/indexes/replaced')).toMatchObject({ primaryKey: 'key' })
  expect(await network.ask('a', 'GET', '/network/replicas')).toMatchObject({ verdict: 'equal' })
  const found = await network.ask('c', 'POST', '/indexes/replaced/documents/fetch', { limit: 100 })
  expect(found).toMatchObject({ total: IDS.length })
}, 60_000)

test('brings the settings of an index that only this instance has', async () => {
  network = new TestNetwork()
  await network.form(['a', 'b'], { s1: ['a', 'b'], s2: ['b', 'a'] })
  await network.start('c')
  const documents = IDS.map((id) => ({ id, kind: id % 3 }))
  await network.ask('c', 'PATCH', '/indexes/own/settings', { filterableAttributes: ['kind'] })
  await network.ask('c', 'POST', '/indexes/own/documents', documents)
  await network.settled()
  await joined('c', 's2')
  for (const name of ['a', 'b', 'c']) {
    const body = { filter: 'kind = 1', limit: 100 }
    const found = await network.ask(name, 'POST', '/indexes/own/documents/fetch', body)
    expect(found).toMatchObject({ http: 200, total: 13 })
  }
  expect(await network.ask('a', 'GET', '/network/replicas')).toMatchObject({ verdict: 'equal' })
}, 60_000)

test('has the settings of the leader for an index that both have', async () => {
  network = new TestNetwork()
  await network.form(['a', 'b'], { s1: ['a', 'b'], s2: ['b', 'a'] })
  await network.start('c')
  await write('PATCH', '/indexes/films/settings', { stopWords: ['the'] })
  await write('POST', '/indexes/films/documents', [{ id: 1 }])
  const own = {
    synonyms: { film: ['movie'] },
    embedders: { e: { source: 'userProvided', dimensions: 2 } },
  }
  await network.ask('c', 'PATCH', '/indexes/films/settings', own)
  await network.ask('c', 'POST', '/indexes/films/documents', [{ id: 2 }])
  await network.settled()
  await joined('c', 's2')
  const settings = await write('GET', '/indexes/films/settings')
  expect(await network.ask('c', 'GET', '/indexes/films/settings')).toEqual(settings)
  expect(await write('GET', '/network/replicas')).toMatchObject({ verdict: 'equal' })
}, 60_000)

test('is refused together with another instance that has other settings of the same index', async () => {
  network = new TestNetwork()
  await network.form(['a', 'b'], { s1: ['a', 'b'], s2: ['b', 'a'] })
  for (const [name, words] of [
    ['c', ['the']],
    ['d', ['a']],
  ] as const) {
    await network.start(name)
    await network.ask(name, 'PATCH', '/indexes/own/settings', { stopWords: words })
  }
  await network.settled()
  const both = {
    remotes: { c: { url: network.url('c') }, d: { url: network.url('d') } },
    shards: { s2: { addRemotes: ['c', 'd'] } },
  }
  const refused = await write('PATCH', '/network', both)
  expect(refused).toMatchObject({ http: 400, code: 'invalid_network_remotes' })
  expect(refused['message']).toContain('Remotes `c` and `d` have an index `own`')
  expect((await write('GET', '/network'))['remotes']).not.toHaveProperty('c')
  await network.ask('d', 'PATCH', '/indexes/own/settings', { stopWords: ['the'] })
  await network.settled()
  await changed(both)
  expect(await write('GET', '/indexes/own/settings')).toMatchObject({ stopWords: ['the'] })
  expect(await write('GET', '/network/replicas')).toMatchObject({ verdict: 'equal' })
}, 60_000)
