// Repairs of instances whose documents or settings differ from those of others.
import { afterEach, expect, test } from 'vitest'
import { Rendezvous } from '../../engine/network/records/index.ts'
import { asTaskUid } from '../../format/ids.ts'
import { originHeaders } from './calls/headers.ts'
import { type Body, TestNetwork } from './test-network.ts'

const SHARDS = { s1: ['a', 'b'], s2: ['b', 'c'], s3: ['c', 'a'] }
const SHORT = {
  EXPERIMENTAL_PROXY_BACKOFF_TIMEOUT_SECONDS: '1',
  EXPERIMENTAL_PROXY_CONNECT_TIMEOUT_SECONDS: '1',
}
const DOCUMENTS = 300

let network: TestNetwork

afterEach(async () => {
  await network.end()
})

const shards = new Rendezvous(Object.keys(SHARDS))
const shardOf = (id: number): string =>
  Object.keys(SHARDS)[shards.winner(Buffer.from(String(id)))] ?? ''

const idsOf = (shard: string): readonly number[] =>
  Array.from({ length: DOCUMENTS }, (_, id) => id).filter((id) => shardOf(id) === shard)

async function prepare(options = {}): Promise<void> {
  network = new TestNetwork({ ...SHORT, ...options })
  await network.form(['a', 'b', 'c'], SHARDS)
  const films = Array.from({ length: DOCUMENTS }, (_, id) => ({ id, title: `film ${id}` }))
  for (const uid of ['films', 'books']) {
    expect(await network.ask('a', 'POST', `/indexes/${uid}/documents`, films)).toMatchObject({
      http: 202,
    })
  }
  await network.settled()
}

let copies = 0

/** Changes one instance alone, as if the leader had sent a task to it only. */
async function changeAlone(
  name: string,
  method: string,
  path: string,
  body: unknown,
): Promise<void> {
  const { version } = await network.ask(name, 'GET', '/network')
  const origin = {
    remoteName: 'a',
    taskUid: asTaskUid(1e6 + copies++),
    networkVersion: String(version),
  }
  const answer = await fetch(network.url(name) + path, {
    method,
    headers: { 'content-type': 'application/json', ...originHeaders(origin) },
    body: JSON.stringify(body),
  })
  expect(answer.status).toBe(202)
  await network.settled()
}

const tasksOf = async (name: string): Promise<readonly Body[]> => {
  const { results } = await network.ask(name, 'GET', '/tasks?limit=1000')
  return results as readonly Body[]
}

type Import = { readonly indexName: string | null; readonly documentCount: number }

/** Returns the documents that an instance has received from others, by index. */
async function received(name: string): Promise<{ readonly [uid: string]: number }> {
  const counts: Record<string, number> = {}
  for (const { network: part } of await tasksOf(name)) {
    const source = (part as { readonly import_from?: Import } | null)?.import_from
    if (source?.indexName == null || source.documentCount === 0) continue
    counts[source.indexName] = (counts[source.indexName] ?? 0) + source.documentCount
  }
  return counts
}

/** Returns the statuses of the tasks with settings that another instance has sent. */
const settingsSent = async (name: string, uid: string): Promise<readonly unknown[]> =>
  (await tasksOf(name)).flatMap(({ type, indexUid, status, network: part }) => {
    const isImport = (part as { readonly import_from?: Import } | null)?.import_from !== undefined
    return isImport && type === 'settingsUpdate' && indexUid === uid ? [status] : []
  })

const isRepaired = async (): Promise<boolean> => {
  const { remotes, change } = await network.ask('a', 'GET', '/network/status')
  const all = Object.values(remotes as Record<string, Body>)
  return change === null && all.every(({ stale }) => stale === null)
}

const repair = (body: Body = {}): Promise<Body> => network.ask('a', 'POST', '/network/repair', body)

/** Returns the comparison; an instance that is slow on a busy machine is asked again. */
async function verify(): Promise<Body> {
  let compared: Body = {}
  await network.until(async () => {
    compared = await network.ask('b', 'GET', '/network/replicas')
    return !['unsettled', 'unreachable'].includes(String(compared['verdict']))
  })
  return compared
}

const changesSoFar = async (): Promise<number> =>
  (await tasksOf('a')).filter(({ type }) => type === 'networkTopologyChange').length

/**
 * Expects that the leader finds a difference and repairs it. After 20 s without a write the leader
 * repairs without a request: on a busy machine that may come first.
 */
async function repairOf(wanted: Body, body: Body = {}): Promise<void> {
  const before = await changesSoFar()
  let answer: Body = {}
  const hasBegun = async () => (await changesSoFar()) > before || !(await isRepaired())
  await network.until(async () => {
    answer = await repair(body)
    return answer['verdict'] === 'different' || (await hasBegun())
  })
  if (answer['verdict'] === 'different') expect(answer).toMatchObject(wanted)
}

/** Makes documents of the shard wrong on one instance: changed, missing and superfluous ones. */
async function damage(name: string, shard: string): Promise<void> {
  const [changed, missing] = idsOf(shard)
  const superfluous = Array.from({ length: 50 }, (_, i) => DOCUMENTS + i).find(
    (id) => shardOf(id) === shard,
  )
  await changeAlone(name, 'POST', '/indexes/films/documents', [
    { id: changed, title: 'wrong' },
    { id: superfluous, title: 'superfluous' },
  ])
  await changeAlone(name, 'POST', '/indexes/films/documents/delete-batch', [missing])
}

test('sends only the shard that differs', async () => {
  await prepare()
  await damage('b', 's1')
  await repairOf({ http: 200, repaired: { b: ['s1'] }, unclear: [] })
  await network.until(isRepaired)
  await network.settled()
  expect(await verify()).toMatchObject({ verdict: 'equal', differences: [] })
  expect(await received('b')).toEqual({ films: idsOf('s1').length })
  expect(await received('c')).toEqual({})
  expect(await received('a')).toEqual({})
  expect(await repair()).toMatchObject({ verdict: 'equal', repaired: {} })
}, 120_000)

test('an instance that missed too many writes is sent only the shards that have changed', async () => {
  await prepare({ EXPERIMENTAL_NETWORK_BACKLOG_SIZE: '1' })
  await network.stop('c')
  const [id] = idsOf('s2')
  const film = [{ id, title: 'changed' }]
  await network.ask('a', 'POST', '/indexes/films/documents', film)
  await network.ask('a', 'PATCH', '/indexes/books/settings', { stopWords: ['the'] })
  await network.until(async () => !(await isRepaired()))
  await network.start('c')
  await network.until(isRepaired)
  await network.settled()
  expect(await verify()).toMatchObject({ verdict: 'equal', differences: [] })
  expect(await received('c')).toEqual({ films: idsOf('s2').length })
}, 120_000)

test('a repair takes one wrong shard from an instance that has another one wrong', async () => {
  await prepare()
  await damage('b', 's1')
  await damage('c', 's3')
  // Two owners differ and neither leads.
  await damage('c', 's2')
  await repairOf({
    repaired: { b: ['s1'], c: ['s3'] },
    unclear: [{ index: 'films', shard: 's2', instances: ['b', 'c'] }],
  })
  await network.until(isRepaired)
  await network.settled()
  expect(await verify()).toMatchObject({
    verdict: 'different',
    differences: [{ shard: 's2' }],
  })
  await repairOf({ repaired: { c: ['s2'] } }, { instances: ['c'] })
  await network.until(isRepaired)
  await network.settled()
  expect(await verify()).toMatchObject({ verdict: 'equal' })
  const films = await network.ask('c', 'POST', '/indexes/films/search', { q: 'wrong' })
  expect(films['hits']).toEqual([])
  expect(await received('b')).toEqual({ films: idsOf('s1').length })
  expect(await received('c')).toEqual({ films: idsOf('s2').length + idsOf('s3').length })
}, 120_000)

test('sends settings and indexes that differ, and no document', async () => {
  await prepare()
  await changeAlone('b', 'PATCH', '/indexes/films/settings', {
    stopWords: ['the'],
    synonyms: { film: ['movie'] },
  })
  await changeAlone('c', 'POST', '/indexes', { uid: 'alone', primaryKey: 'id' })
  await repairOf({ repaired: { b: [], c: [] }, unclear: [] })
  await network.until(isRepaired)
  await network.settled()
  expect(await verify()).toMatchObject({ verdict: 'equal', differences: [] })
  // No search may run between a reset and the new settings.
  expect(await settingsSent('b', 'films')).toEqual(['succeeded'])
  expect(Object.keys(await network.content('c'))).toEqual(['books', 'films'])
  expect(await received('b')).toEqual({})
  expect(await received('c')).toEqual({})
}, 120_000)

test.each(['a', 'b', 'c'])(
  'a repair continues after a restart of %s',
  async (name) => {
    await prepare()
    await damage('b', 's1')
    await damage('c', 's3')
    await repair()
    await network.until(async () => {
      const { change } = await network.ask('a', 'GET', '/network/status')
      return change !== null
    })
    await network.stop(name)
    await network.start(name)
    await network.until(isRepaired)
    await network.settled()
    expect(await verify()).toMatchObject({ verdict: 'equal', differences: [] })
  },
  120_000,
)

test('a canceled repair is tried again; searches and writes continue meanwhile', async () => {
  await prepare()
  await damage('b', 's1')
  await repair()
  let change: Body | null = null
  await network.until(async () => {
    change = (await network.ask('a', 'GET', '/network/status'))['change'] as Body | null
    return change !== null
  })
  await network.ask('a', 'POST', '/tasks/cancel?types=networkTopologyChange')
  const later = { id: 2000, title: 'later' }
  await network.ask('a', 'POST', '/indexes/films/documents', [later])
  let isWrongFound = false
  await network.until(async () => {
    const found = await network.ask('c', 'POST', '/indexes/films/search', { q: 'wrong' })
    isWrongFound ||= (found['hits'] as readonly Body[]).length > 0
    return isRepaired()
  })
  expect(isWrongFound).toBe(false)
  await network.settled()
  expect(await verify()).toMatchObject({ verdict: 'equal', differences: [] })
  const found = await network.ask('b', 'POST', '/indexes/films/search', { q: 'later' })
  expect(found['hits']).toMatchObject([later])
}, 120_000)

test('the leader repairs an instance without a request once no task has run for a while', async () => {
  await prepare()
  await damage('b', 's1')
  await network.until(async () => (await received('b'))['films'] !== undefined)
  await network.until(isRepaired)
  await network.settled()
  expect(await verify()).toMatchObject({ verdict: 'equal', differences: [] })
}, 120_000)

test('only the leader starts a repair', async () => {
  await prepare()
  expect(await network.ask('b', 'POST', '/network/repair', {})).toMatchObject({
    http: 400,
    code: 'not_a_leader',
  })
}, 120_000)
