// Reads that name a task of the leader, on every member of a network: members that have received it
// or not, tasks that are not sent to them, members that are away.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestNetwork } from './test-network.ts'

const NAMES = ['a', 'b', 'c'] as const
const network = new TestNetwork({ EXPERIMENTAL_PROXY_BACKOFF_TIMEOUT_SECONDS: '1' })

beforeAll(async () => {
  await network.form(NAMES, { r: ['a', 'b'], s: ['b', 'c'], t: ['c', 'a'] })
}, 120_000)
afterAll(() => network.end(), 60_000)

const IDS = Array.from({ length: 12 }, (_, id) => id)
let version = 0

/** Writes documents of a new version to the leader. Returns their task. */
async function write(): Promise<number> {
  version++
  const documents = IDS.map((id) => ({ id, word: `v${version}` }))
  const written = await network.ask('a', 'POST', '/indexes/films/documents', documents)
  return Number(written['taskUid'])
}

const search = (name: string, uid: number, more: object = {}) =>
  network.ask(name, 'POST', '/indexes/films/search', {
    ...{ q: `v${version}`, limit: 100, minTaskUid: uid, minTaskTimeout: 30_000 },
    ...more,
  })

/** Returns the number of hits, or the code of the error. */
const foundIn = (answer: { readonly [member: string]: unknown }): unknown =>
  (answer['hits'] as readonly unknown[] | undefined)?.length ?? answer['code']

test('contain it, whichever member answers', { timeout: 120_000 }, async () => {
  for (let round = 0; round < 6; round++) {
    const uid = await write()
    const answers = await Promise.all(NAMES.map((name) => search(name, uid)))
    expect(answers.map(foundIn)).toEqual([12, 12, 12])
    for (const name of NAMES) {
      const path = `/indexes/films/documents?limit=100&minTaskUid=${uid}`
      const { results } = await network.ask(name, 'GET', path)
      const words = (results as readonly { readonly word: string }[]).map(({ word }) => word)
      expect(words).toEqual(IDS.map(() => `v${version}`))
    }
  }
})

test('contain it for each query of several', { timeout: 60_000 }, async () => {
  const uid = await write()
  const query = { indexUid: 'films', q: `v${version}`, limit: 100 }
  const separate = { queries: [query, { ...query, minTaskUid: uid }] }
  const { results } = await network.ask('c', 'POST', '/multi-search', separate)
  const [, second] = results as readonly { readonly hits: readonly unknown[] }[]
  expect(second!.hits).toHaveLength(12)
  const { limit: _, ...merged } = { ...query, minTaskUid: await write(), q: `v${version}` }
  const federated = { federation: { limit: 100 }, queries: [merged] }
  expect(foundIn(await network.ask('b', 'POST', '/multi-search', federated))).toBe(12)
})

test('do not wait for a task that only the leader has', { timeout: 60_000 }, async () => {
  const { taskUid } = await network.ask('a', 'POST', '/dumps')
  for (const name of NAMES) {
    expect(foundIn(await search(name, Number(taskUid)))).toBe(12)
  }
})

test('name the newest task by the uid of the leader', { timeout: 60_000 }, async () => {
  const uid = await write()
  for (const name of NAMES) {
    const answer = await fetch(`${network.url(name)}/indexes/films/search?minTaskUid=${uid}`)
    expect(Number(answer.headers.get('svc-task-uid'))).toBe(uid)
  }
})

test('wait on the leader until others show a write', { timeout: 60_000 }, async () => {
  version++
  const documents = IDS.map((id) => ({ id, word: `v${version}` }))
  const path = '/indexes/films/documents?wait=searchable&timeout=30000'
  const written = await network.ask('a', 'POST', path, documents)
  expect(written).toMatchObject({ http: 200, status: 'succeeded' })
  const { hits } = await network.ask('a', 'POST', '/indexes/films/search', {
    q: `v${version}`,
    limit: 100,
  })
  expect(hits).toHaveLength(12)
})

test('need one owner of each shard', { timeout: 120_000 }, async () => {
  await network.stop('c')
  const uid = await write()
  expect(foundIn(await search('a', uid))).toBe(12)
  expect(foundIn(await search('b', uid))).toBe(12)
  await network.stop('b')
  // The shard `s` has no owner that answers: an answer without it does not contain the task.
  expect(foundIn(await search('a', uid, { minTaskTimeout: 300 }))).toBe('task_not_visible_yet')
  await network.start('b')
  await network.start('c')
  for (const name of NAMES) expect(foundIn(await search(name, uid))).toBe(12)
})
