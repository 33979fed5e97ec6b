// Requests of operators: compare replicas, list the owners of shards, plan a change.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Body, TestNetwork } from '../test-network.ts'

const NAMES = ['a', 'b', 'c']
const COUNT = 300

let network: TestNetwork

beforeAll(async () => {
  network = new TestNetwork({
    EXPERIMENTAL_PROXY_BACKOFF_TIMEOUT_SECONDS: '1',
    EXPERIMENTAL_PROXY_CONNECT_TIMEOUT_SECONDS: '1',
  })
  await network.form(NAMES, { s1: ['a', 'b'], s2: ['b', 'c'], s3: ['c', 'a'] })
  const films = Array.from({ length: COUNT }, (_, id) => ({ id, title: `film ${id}`, year: 2000 }))
  await network.ask('a', 'POST', '/indexes/films/documents', films)
  // The same fields, first seen in another order.
  await network.ask('a', 'POST', '/indexes/films/documents', [{ year: 1, id: 7, title: 'seven' }])
  await network.settled()
}, 60_000)

afterAll(async () => {
  await network.end()
})

const replicas = (): Promise<Body> => network.ask('b', 'GET', '/network/replicas')

/** Writes to one instance alone, as though the leader had sent the write. */
async function writeAlone(name: string, method: string, path: string, body?: unknown) {
  const { version } = await network.ask(name, 'GET', '/network')
  const headers = {
    'content-type': 'application/json',
    'svc-proxy-origin-remote': 'a',
    'svc-proxy-origin-taskuid': '99999',
    'svc-proxy-origin-network-version': String(version),
  }
  const sent = body === undefined ? null : JSON.stringify(body)
  const answer = await fetch(network.url(name) + path, { method, headers, body: sent })
  expect(answer.status).toBe(202)
  await network.settled()
}

test('finds equal replicas equal, from every instance', async () => {
  for (const name of NAMES) {
    const answer = await network.ask(name, 'GET', '/network/replicas')
    expect(answer).toMatchObject({ http: 200, verdict: 'equal', differences: [] })
    const counts = Object.values(answer['instances'] as Record<string, Body>)
    const documents = counts.map((one) => one['documents'] as number)
    expect(documents.reduce((sum, one) => sum + one)).toBe(COUNT * 2)
  }
})

test('reports a difference of one document, one setting or one index', async () => {
  const list = await network.ask('b', 'POST', '/indexes/films/documents/fetch', {
    useNetwork: false,
    filter: '_shard = s2',
    limit: 1,
  })
  const [film] = list['results'] as readonly Body[]
  await writeAlone('b', 'PUT', '/indexes/films/documents', [{ id: film!['id'], year: 2001 }])
  const different = { verdict: 'different' }
  expect(await replicas()).toMatchObject({
    ...different,
    differences: [{ index: 'films', shard: 's2', instance: 'c', problem: 'documents' }],
  })
  await writeAlone('b', 'PUT', '/indexes/films/documents', [{ id: film!['id'], year: 2000 }])
  expect(await replicas()).toMatchObject({ verdict: 'equal' })
  await writeAlone('c', 'DELETE', `/indexes/films/documents/${film!['id']}`)
  const lost = await replicas()
  const [difference] = lost['differences'] as readonly Body[]
  expect(lost).toMatchObject({ ...different, differences: [{ instance: 'c', shard: 's2' }] })
  expect(difference!['documents']).toBe((difference!['expectedDocuments'] as number) - 1)
  await writeAlone('c', 'POST', '/indexes/films/documents', [film])
  expect(await replicas()).toMatchObject({ verdict: 'equal' })
  await writeAlone('c', 'PATCH', '/indexes/films/settings', { stopWords: ['the'] })
  expect(await replicas()).toMatchObject({
    ...different,
    differences: [{ index: 'films', instance: 'c', problem: 'settings' }],
  })
  await writeAlone('c', 'DELETE', '/indexes/films/settings/stop-words')
  await writeAlone('c', 'POST', '/indexes', { uid: 'more' })
  const missing = { index: 'more', problem: 'missingIndex' }
  expect(await replicas()).toMatchObject({
    ...different,
    differences: [
      { ...missing, instance: 'a' },
      { ...missing, instance: 'b' },
    ],
  })
  await writeAlone('c', 'DELETE', '/indexes/more')
  const embedders = { own: { source: 'userProvided', dimensions: 2 } }
  await network.ask('a', 'PATCH', '/indexes/films/settings', { embedders })
  const vector = (own: unknown) => [{ ...film, _vectors: { own } }]
  await network.ask('a', 'POST', '/indexes/films/documents', vector([0.25, 1]))
  await network.settled()
  expect(await replicas()).toMatchObject({ verdict: 'equal' })
  await writeAlone('c', 'POST', '/indexes/films/documents', vector([0.25, 0.75]))
  expect(await replicas()).toMatchObject({
    ...different,
    differences: [{ index: 'films', shard: 's2', problem: 'documents' }],
  })
  await writeAlone('c', 'POST', '/indexes/films/documents', vector([0.25, 1]))
  expect(await replicas()).toMatchObject({ verdict: 'equal' })
})

test('plans the same moves that the change then makes', async () => {
  await network.start('d')
  const change = {
    remotes: { d: { url: network.url('d') } },
    shards: { s1: { addRemotes: ['d'], removeRemotes: ['a'] } },
  }
  const before = await network.ask('a', 'GET', '/network')
  const plan = await network.ask('a', 'POST', '/network/plan', change)
  expect(await network.ask('a', 'GET', '/network')).toEqual(before)
  const instances = plan['instances'] as Record<string, Record<string, { documents: number }>>
  const receives = instances['d']!['receives']!.documents
  expect(receives).toBeGreaterThan(COUNT / 6)
  expect(instances['a']!['deletes']!.documents).toBe(receives)
  expect(plan).toMatchObject({
    moves: [{ to: 'd', documents: receives }],
    unreachable: [],
    instances: { d: { shardsBefore: [], shardsAfter: ['s1'] }, c: { receives: { documents: 0 } } },
  })
  expect(await network.ask('a', 'PATCH', '/network', change)).toMatchObject({ http: 202 })
  await network.settled()
  const held = await network.ask('d', 'GET', '/indexes/films/stats')
  expect(held['numberOfDocuments']).toBe(receives)
  expect(await replicas()).toMatchObject({ verdict: 'equal' })
}, 60_000)

test('shows the owners of shards and the waiting tasks in the status', async () => {
  await network.stop('c')
  await network.ask('a', 'POST', '/indexes/films/documents', [{ id: 1000, title: 'late' }])
  const status = await network.ask('a', 'GET', '/network/status')
  expect(status).toMatchObject({
    self: 'a',
    leader: 'a',
    change: null,
    remotes: {
      a: { isSelf: true, isLeader: true, backlog: null },
      b: { shards: ['s1', 's2'], backlog: { tasks: expect.any(Number) }, stale: null },
      c: {
        shards: ['s2', 's3'],
        backlog: { tasks: 1, bytes: expect.any(Number) },
        lastError: 'remote_could_not_send_request',
      },
    },
    shards: { s1: ['b', 'd'] },
  })
}, 30_000)

test.each([
  ['not JSON', 1, '<html>'],
  ['other JSON', 2, '{"version":1}'],
  ['a malformed list', 3, '{"version":"x","isSettled":true,"indexes":[{"uid":1}]}'],
])('names an instance whose digests are %s', async (_, at, body) => {
  const liar = createServer((request, response) => {
    const isDigest = request.url?.startsWith('/network/digests') === true
    response.end(isDigest ? body : JSON.stringify({ network: true, results: [], taskUid: 1 }))
  })
  await new Promise<void>((resolve) => liar.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(liar.address() as AddressInfo).port}`
  const { leader, ...rest } = await network.ask('b', 'GET', '/network')
  expect(leader).toBe('a')
  const remotes = rest['remotes'] as Record<string, object>
  const { version } = rest
  // The message goes to one instance that is not the leader. It receives no more writes.
  const message = {
    origin: { remoteName: 'a', taskUid: 1, networkVersion: version },
    message: {
      type: 'networkForRemote',
      remote: 'b',
      network: JSON.stringify({
        version: `ffffffff-ffff-7fff-bfff-fffffffffff${at}`,
        self: 'b',
        leader: 'a',
        remotes: [...Object.keys(remotes), 'liar'].map((name) => [
          name,
          name === 'liar' ? url : network.url(name),
          null,
          null,
        ]),
        shards: [['s', ['b', 'liar']]],
      }),
    },
  }
  await network.ask('b', 'POST', '/network/control', message)
  const answer = await replicas()
  expect(answer).toMatchObject({ instances: { liar: { error: expect.stringContaining('parse') } } })
  liar.close()
  liar.closeAllConnections()
})
