// The quick start of docs/network.md: three instances, three shards of two replicas, one leader.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asTaskUid } from '../../format/ids.ts'
import { startServer, type TestServer } from '../testing/test-server.ts'
import { importHeaders } from './calls/headers.ts'

type Body = { readonly [member: string]: unknown }
type Name = 'a' | 'b' | 'c'

const NAMES: readonly Name[] = ['a', 'b', 'c']
const SHARDS = { s1: ['a', 'b'], s2: ['b', 'c'], s3: ['c', 'a'] }
const IDS = Array.from({ length: 60 }, (_, id) => id)

const servers = new Map<Name, TestServer>()

beforeAll(async () => {
  for (const name of NAMES) servers.set(name, await startServer())
  for (const name of NAMES) await ask(name, 'PATCH', '/experimental-features', { network: true })
  const remotes = Object.fromEntries(NAMES.map((name) => [name, { url: server(name).url }]))
  const shards = Object.fromEntries(
    Object.entries(SHARDS).map(([shard, owners]) => [shard, { remotes: owners }]),
  )
  const answer = await ask('a', 'PATCH', '/network', { self: 'a', leader: 'a', remotes, shards })
  expect(answer).toMatchObject({ http: 202, type: 'networkTopologyChange' })
  const films = IDS.map((id) => ({ id, title: id % 2 === 0 ? 'even' : 'odd' }))
  const written = await ask('a', 'POST', '/indexes/films/documents', films)
  expect(written).toMatchObject({ http: 202 })
  await settled()
}, 60_000)

afterAll(async () => {
  for (const each of servers.values()) await each.stop()
})

function server(name: Name): TestServer {
  const found = servers.get(name)
  if (found === undefined) throw new Error(`no instance ${name}`)
  return found
}

async function ask(name: Name, method: string, path: string, body?: unknown): Promise<Body> {
  const answer = await server(name).ask(method, path, body)
  return { http: answer.status, ...(answer.body as object) }
}

const search = (name: Name, body: object): Promise<Body> =>
  ask(name, 'POST', '/indexes/films/search', { limit: 1000, ...body })

const idsOf = ({ hits }: Body): readonly number[] =>
  (hits as readonly { readonly id: number }[]).map(({ id }) => id).sort((a, b) => a - b)

/** Waits until all instances have finished their tasks. */
async function settled(): Promise<void> {
  for (;;) {
    const lists = await Promise.all(
      [...servers.values()].map((each) =>
        each.ask('GET', '/tasks?statuses=enqueued,processing&limit=1'),
      ),
    )
    if (lists.every(({ body }) => (body as Body).total === 0)) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

test('stores the documents of its shards on each instance, finds all documents', async () => {
  const counts = await Promise.all(
    NAMES.map(async (name) => {
      const stats = await ask(name, 'GET', '/indexes/films/stats')
      return stats.numberOfDocuments as number
    }),
  )
  expect(counts.reduce((sum, count) => sum + count)).toBe(IDS.length * 2)
  expect(Math.max(...counts)).toBeLessThan(IDS.length)
  for (const name of NAMES) {
    const answer = await search(name, {})
    expect(idsOf(answer)).toEqual(IDS)
    expect(answer.remoteErrors).toEqual({})
    expect(await ask(name, 'GET', '/indexes/films/documents/7')).toMatchObject({ id: 7 })
  }
})

test('filters by shard; all shards together have all documents', async () => {
  const parts = await Promise.all(
    Object.keys(SHARDS).map((shard) => search('b', { filter: `_shard = ${shard}` })),
  )
  expect(parts.flatMap(idsOf).sort((a, b) => a - b)).toEqual(IDS)
  const others = await search('c', { filter: '_shard != s1' })
  expect(idsOf(others)).toEqual([...idsOf(parts[1]!), ...idsOf(parts[2]!)].sort((a, b) => a - b))
})

test('finds similar documents on one instance if the client requests that', async () => {
  const embedders = { own: { source: 'userProvided', dimensions: 2 } }
  await ask('a', 'PATCH', '/indexes/near/settings', { embedders })
  const documents = IDS.map((id) => ({ id, _vectors: { own: [Math.cos(id), Math.sin(id)] } }))
  await ask('a', 'POST', '/indexes/near/documents', documents)
  await settled()
  const similar = (name: Name, body: object): Promise<Body> =>
    ask(name, 'POST', '/indexes/near/similar', { embedder: 'own', limit: 100, ...body })
  const query = 'embedder=own&limit=100'
  for (const id of [1, 2, 3]) {
    const answers = await Promise.all(NAMES.map((name) => similar(name, { id })))
    const others = IDS.filter((one) => one !== id)
    expect(idsOf(answers[0]!)).toEqual(others)
    for (const answer of answers) expect(answer.hits).toEqual(answers[0]!.hits)
    const got = await ask('b', 'GET', `/indexes/near/similar?id=${id}&${query}&useNetwork=true`)
    expect(got).toMatchObject({ hits: answers[0]!.hits, estimatedTotalHits: others.length })
    const own = await Promise.all(NAMES.map((name) => similar(name, { id, useNetwork: false })))
    expect(own.map(({ http }) => http).sort()).toEqual([200, 200, 400])
    expect(Math.max(...own.map((answer) => Number(answer.estimatedTotalHits ?? 0)))).toBeLessThan(
      others.length,
    )
  }
  expect(await similar('c', { id: 'none' })).toMatchObject({ code: 'not_found_similar_id' })
  expect(await similar('c', { id: 1, embedder: 'x' })).toMatchObject({
    code: 'invalid_similar_embedder',
  })
  await ask('a', 'DELETE', '/indexes/near')
  await settled()
})

test('refers writers to the leader', async () => {
  const answer = await ask('b', 'POST', '/indexes/films/documents', [{ id: 99 }])
  expect(answer).toMatchObject({ http: 400, code: 'not_a_leader' })
})

test('sends changes to all owners; tasks show which', async () => {
  const settings = await ask('a', 'PATCH', '/indexes/films/settings', {
    filterableAttributes: ['title'],
  })
  const deleted = await ask('a', 'DELETE', '/indexes/films/documents/6')
  await settled()
  const task = await ask('a', 'GET', `/tasks/${settings.taskUid}`)
  expect(task).toMatchObject({
    status: 'succeeded',
    network: {
      remote_tasks: { b: { taskUid: expect.anything() }, c: { taskUid: expect.anything() } },
    },
  })
  expect(await ask('a', 'GET', `/tasks/${deleted.taskUid}`)).toMatchObject({ status: 'succeeded' })
  for (const name of NAMES) {
    const even = await search(name, { filter: 'title = even', facets: ['title'] })
    expect(idsOf(even)).toEqual(IDS.filter((id) => id % 2 === 0 && id !== 6))
    expect(even.facetDistribution).toEqual({ title: { even: 29 } })
  }
})

test('cancels a task on all instances; later writes run', async () => {
  // An instance that accepts all tasks and never reports that it is done.
  const silent = createServer((_, response) => {
    response.writeHead(202, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ network: true, taskUid: 1 }))
  })
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo
  const remotes = { d: { url: `http://127.0.0.1:${port}` } }
  const change = await ask('a', 'PATCH', '/network', { remotes })
  expect(change).toMatchObject({ http: 202, type: 'networkTopologyChange' })
  const waiting = '/tasks?types=networkTopologyChange&statuses=enqueued,processing'
  expect(await ask('b', 'GET', waiting)).toMatchObject({ total: 1 })
  await ask('a', 'POST', `/tasks/cancel?uids=${change.taskUid}`)
  const written = await ask('a', 'POST', '/indexes/films/documents', [{ id: 100, title: 'late' }])
  await settled()
  expect(await ask('a', 'GET', `/tasks/${change.taskUid}`)).toMatchObject({ status: 'canceled' })
  const canceled = '/tasks?types=networkTopologyChange&statuses=canceled'
  expect(await ask('b', 'GET', canceled)).toMatchObject({ total: 1 })
  expect(await ask('a', 'GET', `/tasks/${written.taskUid}`)).toMatchObject({ status: 'succeeded' })
  silent.close()
  silent.closeAllConnections()
  expect(await ask('a', 'PATCH', '/network', { remotes: { d: null } })).toMatchObject({ http: 202 })
  await settled()
  const deletion = await ask('a', 'DELETE', '/indexes/films/documents/100')
  expect(deletion).toMatchObject({ http: 202 })
  await settled()
  expect(idsOf(await search('b', {}))).toEqual(IDS.filter((id) => id !== 6))
}, 60_000)

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20))

async function ended(name: Name, uid: unknown): Promise<void> {
  while ((await ask(name, 'GET', `/tasks/${uid}`)).finishedAt === null) await pause()
}

/**
 * Changes the network after a failed change. By itself, the leader may have begun to send documents
 * to an instance that lacks them; that change would wait for an instance that sends nothing.
 */
async function changedAgain(body: object): Promise<Body> {
  for (;;) {
    const open = '/tasks/cancel?types=networkTopologyChange&statuses=enqueued,processing'
    await ask('a', 'POST', open)
    const answer = await ask('a', 'PATCH', '/network', body)
    if (answer.http === 202) return answer
    await pause()
  }
}

test('fails a change on all instances when one cannot import; documents stay', async () => {
  // An instance that accepts all tasks; its exports are played below.
  const played = createServer((_, response) => {
    response.writeHead(202, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ network: true, taskUid: 1, results: [] }))
  })
  await new Promise<void>((resolve) => played.listen(0, '127.0.0.1', resolve))
  const { port } = played.address() as AddressInfo
  const before = idsOf(await search('b', {}))
  const body = {
    remotes: { d: { url: `http://127.0.0.1:${port}` } },
    shards: { s1: { remotes: ['b', 'c'] } },
  }
  const { taskUid } = await ask('a', 'PATCH', '/network', body)
  const { version } = await ask('a', 'GET', '/network')
  const source = { remoteName: 'd', indexName: 'films', documentCount: 1, indexCount: 1 }
  const origin = {
    remoteName: 'a',
    taskUid: asTaskUid(Number(taskUid)),
    networkVersion: String(version),
  }
  const taken = await fetch(`${server('b').url}/indexes/films/documents`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...importHeaders({ ...source, totalDocuments: 1, key: '7' }, origin),
    },
    body: JSON.stringify([{ title: 'without an id' }]),
  })
  expect(taken.status).toBe(202)
  for (const name of ['a', 'c'] as const) {
    const message = { type: 'exportNoIndexForRemote', remote: 'd' }
    expect(await ask(name, 'POST', '/network/control', { origin, message })).toMatchObject({
      http: 200,
    })
  }
  await ended('a', taskUid)
  const words = 'Documents could not be imported by `b`: all stay where they were'
  expect(await ask('a', 'GET', `/tasks/${taskUid}`)).toMatchObject({
    status: 'failed',
    error: { message: words },
  })
  for (const name of ['b', 'c'] as const) {
    const list = await ask(name, 'GET', '/tasks?types=networkTopologyChange&limit=1')
    expect((list.results as readonly Body[])[0]?.status).not.toBe('succeeded')
  }
  played.close()
  played.closeAllConnections()
  for (const name of NAMES) expect(idsOf(await search(name, {}))).toEqual(before)
  // The next change starts from the current places of documents.
  const shards = { s1: { remotes: SHARDS.s1 } }
  const next = await changedAgain({ remotes: { d: null }, shards })
  await settled()
  expect(await ask('a', 'GET', `/tasks/${next.taskUid}`)).toMatchObject({ status: 'succeeded' })
  for (const name of NAMES) expect(idsOf(await search(name, {}))).toEqual(before)
}, 60_000)

/** Starts a task that blocks the instance until it is canceled; returns its uid. */
async function occupied(name: Name, url: string): Promise<number> {
  const { taskUid } = await ask(name, 'POST', '/export', { url })
  for (;;) {
    const task = await ask(name, 'GET', `/tasks/${taskUid}`)
    if (task.status === 'processing') return taskUid as number
    await pause()
  }
}

const statusOf = async (name: Name, uid: unknown): Promise<unknown> =>
  (await ask(name, 'GET', `/tasks/${uid}`)).status

/** Returns the uid that a task of the leader has on another instance. */
async function copyOf(name: Name, uid: unknown): Promise<number> {
  const { network } = await ask('a', 'GET', `/tasks/${uid}`)
  const { remote_tasks } = network as { remote_tasks: { [name: string]: { taskUid: number } } }
  return remote_tasks[name]!.taskUid
}

test('cancels a write on all instances, or on no instance if one has run it', async () => {
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  // No instance has run the write.
  const busy = { a: await occupied('a', url), b: await occupied('b', url), c: 0 }
  busy.c = await occupied('c', url)
  const waiting = await ask('a', 'POST', '/indexes/films/documents', [{ id: 201, title: 'no' }])
  await ask('a', 'POST', `/tasks/cancel?uids=${busy.a},${waiting.taskUid}`)
  for (const name of ['b', 'c'] as const) {
    await ask(name, 'POST', `/tasks/cancel?uids=${busy[name]}`)
  }
  await settled()
  expect(await statusOf('a', waiting.taskUid)).toBe('canceled')
  for (const name of ['b', 'c'] as const) {
    expect(await statusOf(name, await copyOf(name, waiting.taskUid))).toBe('canceled')
  }
  // One instance has run the write.
  busy.a = await occupied('a', url)
  busy.c = await occupied('c', url)
  const run = await ask('a', 'POST', '/indexes/films/documents', [{ id: 202, title: 'yes' }])
  const copy = await copyOf('b', run.taskUid)
  while ((await statusOf('b', copy)) !== 'succeeded') await pause()
  const cancelation = await ask('a', 'POST', `/tasks/cancel?uids=${busy.a},${run.taskUid}`)
  await ask('c', 'POST', `/tasks/cancel?uids=${busy.c}`)
  await settled()
  expect(await ask('a', 'GET', `/tasks/${cancelation.taskUid}`)).toMatchObject({
    details: { matchedTasks: 2, canceledTasks: 1 },
  })
  expect(await statusOf('a', run.taskUid)).toBe('succeeded')
  expect(await statusOf('c', await copyOf('c', run.taskUid))).toBe('succeeded')
  for (const name of NAMES)
    expect(idsOf(await search(name, {})).filter((id) => id > 200)).toEqual([202])
  silent.close()
  silent.closeAllConnections()
  await ask('a', 'DELETE', '/indexes/films/documents/202')
  await settled()
}, 60_000)

const ABSENT = [
  ['POST', '/indexes/none/search', {}],
  ['POST', '/multi-search', { queries: [{ indexUid: 'films' }, { indexUid: 'none' }] }],
  ['POST', '/indexes/none/documents/fetch', {}],
  ['GET', '/indexes/none/documents'],
  ['GET', '/indexes/none/documents/1'],
] as const

test('searches an index on the other owners while one has not created it', async () => {
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const busy = await occupied('c', `http://127.0.0.1:${(silent.address() as AddressInfo).port}`)
  const films = IDS.map((id) => ({ id }))
  const written = await ask('a', 'POST', '/indexes/fresh/documents', films)
  for (const name of ['a', 'b'] as const) {
    const uid = name === 'a' ? written.taskUid : await copyOf(name, written.taskUid)
    while ((await statusOf(name, uid)) !== 'succeeded') await pause()
  }
  // Each shard has an owner besides the instance that has not created the index.
  for (const name of NAMES) {
    const found = await ask(name, 'POST', '/indexes/fresh/search', { limit: 1000 })
    expect({ name, ids: idsOf(found) }).toEqual({ name, ids: IDS })
  }
  const lists = { fresh: { indexUid: 'fresh', limit: 1000 }, films: { indexUid: 'films' } }
  for (const name of NAMES) {
    const queries = [lists.films, lists.fresh, lists.films, lists.fresh]
    const { results } = await ask(name, 'POST', '/multi-search', { queries })
    const found = results as readonly Body[]
    expect(found.map(({ indexUid }) => indexUid)).toEqual(queries.map(({ indexUid }) => indexUid))
    expect(found[0]).toMatchObject({ estimatedTotalHits: IDS.length - 1, remoteErrors: {} })
    expect([found[1], found[3]].map((answer) => idsOf(answer!))).toEqual([IDS, IDS])
    const fetched = await ask(name, 'POST', '/indexes/fresh/documents/fetch', { limit: 1000 })
    expect(fetched).toMatchObject({ total: IDS.length })
    expect(idsOf({ hits: fetched.results })).toEqual(IDS)
    const page = await ask(name, 'GET', '/indexes/fresh/documents?limit=3')
    expect(page.results).toHaveLength(3)
    for (const id of IDS.slice(0, 9)) {
      expect(await ask(name, 'GET', `/indexes/fresh/documents/${id}`)).toMatchObject({ id })
    }
  }
  for (const [method, path, body] of ABSENT) {
    const absent = await ask('c', method, path, body)
    expect(absent).toMatchObject({ code: 'index_not_found' })
  }
  expect(await ask('c', 'GET', '/indexes/fresh/documents/none')).toMatchObject({
    http: 404,
    code: 'document_not_found',
  })
  await ask('c', 'POST', `/tasks/cancel?uids=${busy}`)
  await settled()
  silent.close()
  silent.closeAllConnections()
}, 60_000)

test('answers for the shards of an instance that is down', async () => {
  await server('c').stop()
  servers.delete('c')
  const wanted = IDS.filter((id) => id !== 6)
  for (const name of ['a', 'b'] as const) {
    expect(idsOf(await search(name, {}))).toEqual(wanted)
    const queries = [{ indexUid: 'films' }]
    const merged = await ask(name, 'POST', '/multi-search', {
      queries,
      federation: { limit: 1000 },
    })
    expect(idsOf(merged)).toEqual(wanted)
  }
}, 30_000)
