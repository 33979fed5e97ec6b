// The documents of an instance that was down for longer than the leader keeps tasks for it.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type Body, TestNetwork } from './test-network.ts'

const SHORT = {
  EXPERIMENTAL_PROXY_BACKOFF_TIMEOUT_SECONDS: '1',
  EXPERIMENTAL_PROXY_CONNECT_TIMEOUT_SECONDS: '1',
}
/** The leader keeps no tasks for an instance that is down. */
const FORGETFUL = { ...SHORT, EXPERIMENTAL_NETWORK_BACKLOG_SIZE: '1' }
const SHARDS = { s1: ['a', 'b'], s2: ['b', 'c'], s3: ['c', 'a'] }

let network: TestNetwork

afterEach(async () => {
  await network.end()
})

const films = (from: number, to: number, title: string): readonly Body[] =>
  Array.from({ length: to - from }, (_, i) => ({ id: from + i, title }))

const write = async (method: string, path: string, body?: unknown): Promise<void> => {
  expect(await network.ask('a', method, path, body)).toMatchObject({ http: 202 })
}

/** Makes one change of each sort. `uid` is an index that has documents. */
async function changeMuch(uid: string): Promise<void> {
  await write('POST', `/indexes/${uid}/documents`, films(40, 80, 'later'))
  await write('PUT', `/indexes/${uid}/documents`, films(0, 5, 'changed'))
  await write('POST', `/indexes/${uid}/documents/delete-batch`, [10, 11, 12, 50])
  await write('PATCH', `/indexes/${uid}/settings`, { filterableAttributes: ['title'] })
  await write('POST', '/indexes', { uid: 'made', primaryKey: 'id' })
  await write('POST', '/indexes/made/documents', films(0, 20, 'made'))
  await write('DELETE', '/indexes/gone')
  await write('POST', '/swap-indexes', [{ indexes: ['left', 'right'] }])
  await write('PATCH', '/indexes/old-name', { uid: 'new-name' })
}

async function prepare(): Promise<void> {
  await network.form(['a', 'b', 'c'], SHARDS)
  for (const uid of ['films', 'gone', 'left', 'right', 'old-name']) {
    await write('POST', `/indexes/${uid}/documents`, films(0, 40, uid))
  }
  await network.settled()
}

/** Expects each document on both its owners, with the same content. */
async function checkReplicas(): Promise<void> {
  let compared: Body = {}
  await network.until(async () => {
    compared = await network.ask('b', 'GET', '/network/replicas')
    // An instance is slow on a busy machine, also shortly after its start.
    return !['unsettled', 'unreachable'].includes(String(compared['verdict']))
  })
  expect(compared).toMatchObject({ verdict: 'equal', differences: [] })
  const contents = await Promise.all(['a', 'b', 'c'].map((name) => network.content(name)))
  const known = new Map<string, { readonly text: string; count: number }>()
  for (const content of contents) {
    expect(Object.keys(content)).toEqual(Object.keys(contents[0]!))
    for (const [uid, index] of Object.entries(content)) {
      const { settings, documents } = index as { settings: Body; documents: readonly Body[] }
      expect(settings).toEqual((contents[0]![uid] as { settings: Body }).settings)
      for (const document of documents) {
        const key = `${uid} ${document['id']}`
        const text = JSON.stringify(document)
        const entry = known.get(key) ?? { text, count: 0 }
        known.set(key, entry)
        expect(text).toBe(entry.text)
        entry.count++
      }
    }
  }
  expect([...known].filter(([, { count }]) => count !== 2)).toEqual([])
  const counts = new Map<string, number>()
  for (const key of known.keys()) {
    const uid = key.split(' ')[0]!
    counts.set(uid, (counts.get(uid) ?? 0) + 1)
  }
  expect(Object.fromEntries([...counts].sort())).toEqual({
    films: 76,
    left: 40,
    made: 20,
    'new-name': 40,
    right: 40,
  })
}

test.each([
  ['is sent what it missed', SHORT, 1],
  ['gets its shards again if it missed too much', FORGETFUL, 2],
])(
  'an instance that was down %s',
  async (_, options, changes) => {
    network = new TestNetwork(options)
    await prepare()
    await network.stop('c')
    await changeMuch('films')
    await network.until(async () => {
      const list = await network.ask('a', 'GET', '/tasks?statuses=enqueued,processing&limit=1')
      return list['total'] === 0
    })
    await network.start('c')
    await write('POST', '/indexes/films/documents', films(79, 80, 'later'))
    await network.until(async () => {
      const { results } = await network.ask('a', 'GET', '/tasks?types=networkTopologyChange')
      const list = results as readonly Body[]
      return list.length === changes && list.every(({ status }) => status === 'succeeded')
    })
    await network.settled()
    await checkReplicas()
  },
  120_000,
)

const changesOf = async (name: string): Promise<readonly Body[]> => {
  const list = await network.ask(name, 'GET', '/tasks?types=networkTopologyChange')
  return list['results'] as readonly Body[]
}

test.each(['a', 'b', 'c'])(
  'completes the renewal of an instance while %s restarts',
  async (name) => {
    network = new TestNetwork(FORGETFUL)
    await prepare()
    await network.stop('c')
    await changeMuch('films')
    await network.start('c')
    // The change has begun and may be at any step.
    await network.until(async () => (await changesOf('a')).length >= 2)
    await network.stop(name)
    await network.start(name)
    await network.until(async () => {
      const { remotes, change } = await network.ask('a', 'GET', '/network/status')
      const isStale = Object.values(remotes as Record<string, Body>).some(
        ({ stale }) => stale !== null,
      )
      return !isStale && change === null
    })
    await network.settled()
    await checkReplicas()
  },
  180_000,
)

test('keeps all missed tasks for the only owner of a shard, also beyond the limit', async () => {
  network = new TestNetwork(FORGETFUL)
  await network.form(['a', 'b'], { s1: ['a'], s2: ['b'] })
  await network.stop('b')
  await write('POST', '/indexes/films/documents', films(0, 50, 'all'))
  const { remotes } = await network.ask('a', 'GET', '/network/status')
  expect(remotes).toMatchObject({ b: { stale: null, backlog: { tasks: 1 } } })
  await network.start('b')
  await network.until(async () => {
    const answer = await network.ask('a', 'POST', '/indexes/films/search', { limit: 100 })
    return (answer['hits'] as readonly Body[] | undefined)?.length === 50
  })
  expect(await changesOf('a')).toHaveLength(1)
}, 60_000)

test('keeps unsent tasks after a restart of the leader and a deletion of tasks', async () => {
  network = new TestNetwork(SHORT)
  await prepare()
  await network.stop('c')
  await changeMuch('films')
  await network.until(async () => {
    const list = await network.ask('a', 'GET', '/tasks?statuses=enqueued,processing&limit=1')
    return list['total'] === 0
  })
  await network.ask('a', 'DELETE', '/tasks?statuses=succeeded,failed')
  await network.ask('a', 'POST', '/tasks/compact')
  await network.stop('a')
  await network.start('a')
  await network.start('c')
  await network.until(async () => {
    const { remotes } = await network.ask('a', 'GET', '/network/status')
    return Object.values(remotes as Record<string, Body>).every(({ backlog }) =>
      [0, undefined].includes((backlog as Body | null)?.['tasks'] as number | undefined),
    )
  })
  await network.settled()
  await checkReplicas()
}, 120_000)

test.each([
  ['is sent what it missed', SHORT, 1],
  ['gets its shards again', FORGETFUL, 2],
])(
  'searches find all documents while an instance %s',
  async (_, options, changes) => {
    network = new TestNetwork(options)
    await prepare()
    await network.stop('c')
    for (let id = 40; id < 60; id++) {
      await write('POST', '/indexes/films/documents', films(id, id + 1, 'later'))
    }
    const found = async (name: string): Promise<number> => {
      const answer = await network.ask(name, 'POST', '/indexes/films/search', { limit: 100 })
      return (answer['hits'] as readonly Body[]).length
    }
    await network.until(async () => (await found('a')) === 60 && (await found('b')) === 60)
    await network.start('c')
    let lowest = 60
    await network.until(async () => {
      for (const name of ['a', 'b']) lowest = Math.min(lowest, await found(name))
      const all = await changesOf('a')
      const own = (await network.ask('c', 'GET', '/indexes/films/stats'))['numberOfDocuments']
      const isDone = all.length === changes && all.every(({ status }) => status === 'succeeded')
      return isDone && Number(own) > 30
    })
    await network.settled()
    expect(lowest).toBe(60)
    expect(await found('c')).toBe(60)
  },
  120_000,
)

test('renews the shards of an instance that is added again after a canceled removal', async () => {
  network = new TestNetwork(SHORT)
  await network.form(['a', 'b', 'c'], SHARDS)
  for (const uid of ['films', 'gone']) {
    await write('POST', `/indexes/${uid}/documents`, films(0, 40, uid))
  }
  await network.settled()
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  // The export that runs on the instance delays its part of the change.
  const busy = await network.ask('c', 'POST', '/export', { url })
  const change = await network.ask('a', 'PATCH', '/network', { remotes: { c: null } })
  await network.ask('a', 'POST', `/tasks/cancel?uids=${change['taskUid']}`)
  const statusOf = async (): Promise<unknown> =>
    (await network.ask('a', 'GET', `/tasks/${change['taskUid']}`))['status']
  await network.until(
    async () => (await statusOf()) !== 'enqueued' && (await statusOf()) !== 'processing',
  )
  expect(await statusOf()).toBe('canceled')
  await write('DELETE', '/indexes/gone')
  await write('POST', '/indexes/films/documents/delete-batch', [1, 2, 3, 4, 5, 6, 7, 8])
  await network.ask('c', 'POST', `/tasks/cancel?uids=${busy['taskUid']}`)
  await write('PATCH', '/network', {})
  await network.settled()
  await write('PATCH', '/network', {
    remotes: { c: { url: network.url('c') } },
    shards: { s2: { addRemotes: ['c'] }, s3: { addRemotes: ['c'] } },
  })
  await network.settled()
  for (const name of ['a', 'b', 'c']) {
    expect(Object.keys(await network.content(name))).not.toContain('gone')
  }
  const replicas = await network.ask('b', 'GET', '/network/replicas')
  expect(replicas).toMatchObject({ verdict: 'equal', differences: [] })
  silent.close()
  silent.closeAllConnections()
}, 60_000)
