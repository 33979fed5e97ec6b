// Words found by a text inside of them, on a whole server: the setting and its faults, searches before
// and after changes of documents and settings, several indexes, a network, dumps.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../config/index.ts'
import { importAtLaunch } from '../launch/imports.ts'
import { Log } from '../log/index.ts'
import { startServer, type TestServer } from './test-server.ts'

type Hit = { readonly id: number; readonly [member: string]: unknown }
type Found = { readonly hits: readonly Hit[]; readonly estimatedTotalHits: number }

const ROUTE = '/indexes/parts/settings/infix-search'
const PARTS = [
  { id: 1, title: 'Fußballtrikot blau', sku: 'AB12XYZ6778', note: 'Handballtrikot' },
  { id: 2, title: 'Trikot rot', sku: 'QQ1', note: 'x' },
  { id: 3, title: 'Trikots, drei Stück', sku: 'XYZ6', note: 'x' },
  { id: 4, title: 'Hose', sku: 'XYZ61', note: 'Fußballtrikot' },
]

const root = mkdtempSync(join(tmpdir(), 'svc-infix-'))
const folders = { DB_PATH: join(root, 'db'), DUMP_DIR: join(root, 'dumps') }
let server: TestServer
beforeAll(async () => {
  server = await startServer(folders)
  await server.ask('POST', '/indexes/parts/documents?primaryKey=id', PARTS)
  await server.ask('PATCH', '/indexes/parts/settings', { filterableAttributes: ['id'] })
  await server.idle()
})
afterAll(async () => {
  await server.stop()
  rmSync(root, { recursive: true })
})

const search = async (body: object, uid = 'parts'): Promise<Found> =>
  (await server.ask('POST', `/indexes/${uid}/search`, body)).body as Found
const ids = async (q: string, more: object = {}): Promise<number[]> =>
  (await search({ q, ...more })).hits.map(({ id }) => id)
const change = async (method: string, path: string, body?: unknown): Promise<void> => {
  const { status } = await server.ask(method, path, body)
  expect(status).toBe(202)
  await server.idle()
}

describe('the setting', () => {
  test('is off, and not among the others while it is', async () => {
    expect(await server.ask('GET', ROUTE)).toEqual({ status: 200, body: null })
    const { body } = await server.ask('GET', '/indexes/parts/settings')
    expect(body).not.toHaveProperty('infixSearch')
    expect(await ids('trikot')).toEqual([2, 3])
  })

  test.each([
    [{}, 'Missing field `attributes`'],
    [{ attributes: 'sku' }, 'Invalid value type at `.attributes`: expected an array'],
    [{ attributes: ['sku'], minLength: 2 }, '`minLength` should be between `3` and `250`'],
    [{ attributes: ['sku'], minLength: 251 }, 'maximum value authorized is `250`'],
    [{ attributes: ['sku'], length: 3 }, 'Unknown field `length`'],
    [['sku'], 'Invalid value type: expected an object'],
  ])('refuses %j', async (body, words) => {
    const answer = await server.ask('PUT', ROUTE, body)
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_settings_infix_search' } })
    expect((answer.body as { message: string }).message).toContain(words)
  })

  test('is turned on for an index that has documents', async () => {
    await change('PUT', ROUTE, { attributes: ['title', 'sku', 'title'] })
    const value = { attributes: ['title', 'sku'], minLength: 3 }
    expect((await server.ask('GET', ROUTE)).body).toEqual(value)
    const { body } = await server.ask('GET', '/indexes/parts/settings')
    expect(body).toMatchObject({ infixSearch: value })
    const sent = { infixSearch: { attributes: ['title', 'sku', 'title'], minLength: 3 } }
    expect((await server.ask('GET', '/tasks?limit=1')).body).toMatchObject({
      results: [{ status: 'succeeded', details: sent }],
    })
  })
})

describe('a search', () => {
  test('finds a text inside of words behind whole words and beginnings', async () => {
    expect(await ids('trikot')).toEqual([2, 3, 1])
    expect(await ids('xyz6')).toEqual([3, 4, 1])
    expect(await ids('handball')).toEqual([1])
    expect(await ids('andball')).toEqual([])
  })

  test('shows that it costs a typo, and marks the matched part', async () => {
    const { hits } = await search({
      q: 'trikot blau',
      showRankingScoreDetails: true,
      showMatchesPosition: true,
      attributesToHighlight: ['*'],
      attributesToCrop: ['title:1'],
    })
    expect(hits[0]).toMatchObject({
      id: 1,
      _rankingScoreDetails: { typo: { typoCount: 1, maxTypoCount: 2 } },
      _matchesPosition: {
        title: [
          { start: 8, length: 6 },
          { start: 15, length: 4 },
        ],
      },
      _formatted: { title: 'Fußball<em>trikot</em>…', note: 'Handballtrikot' },
    })
  })

  test('works with strategies, filters, attributes and phrases', async () => {
    expect(await ids('trikot rikots', { matchingStrategy: 'all' })).toEqual([3])
    expect(await ids('ballt zzz', { matchingStrategy: 'last' })).toEqual([1])
    expect(await ids('zzz ballt', { matchingStrategy: 'frequency' })).toEqual([1])
    expect(await ids('xyz6', { filter: 'id != 3' })).toEqual([4, 1])
    expect(await ids('yz6', { attributesToSearchOn: ['sku'] })).toEqual([1, 3, 4])
    expect(await ids('yz6', { attributesToSearchOn: ['title'] })).toEqual([])
    expect(await ids('trikot', { attributesToSearchOn: ['note'] })).toEqual([])
    expect(await ids('"ballt"')).toEqual([])
    expect(await ids('hose -trikot')).toEqual([4])
    expect(await ids('xyz6 -ballt')).toEqual([3, 1, 4])
  })

  test('of several indexes or of a network finds the same', async () => {
    await server.ask('POST', '/indexes/others/documents?primaryKey=id', [
      { id: 9, title: 'Basketballtrikot' },
    ])
    await change('PATCH', '/indexes/others/settings', { infixSearch: { attributes: ['*'] } })
    const queries = ['parts', 'others'].map((indexUid) => ({ indexUid, q: 'trikot' }))
    const federated = await server.ask('POST', '/multi-search', { federation: {}, queries })
    expect((federated.body as Found).hits.map(({ id }) => id)).toEqual([2, 3, 1, 9])
    await server.ask('PATCH', '/experimental-features', { network: true })
    await server.ask('PATCH', '/network', { self: 'here', remotes: { here: { url: 'http://a' } } })
    expect(await ids('trikot', { useNetwork: true })).toEqual([2, 3, 1])
    await server.ask('PATCH', '/network', { self: null, remotes: { here: null } })
  })
})

test('documents that are added, changed and deleted are found as a scan finds them', async () => {
  const words = [
    'Fußballtrikot',
    'xtrikotx',
    'Trikot',
    'Kotflügel',
    'мотофутбол',
    'футбол',
    'AB9trik',
  ]
  const titles = new Map<number, string>()
  let step = 7
  const next = (below: number): number => {
    step = (step * 48_271) % 2_147_483_647
    return step % below
  }
  for (let round = 0; round < 12; round++) {
    const documents = Array.from({ length: 60 }, () => {
      const id = 100 + next(300)
      titles.set(id, `${words[next(words.length)]} ${words[next(words.length)]}${next(50)}`)
      return { id, title: titles.get(id) }
    })
    await server.ask('POST', '/indexes/parts/documents', documents)
    const gone = Array.from({ length: 15 }, () => 100 + next(300))
    for (const id of gone) titles.delete(id)
    await change('POST', '/indexes/parts/documents/delete-batch', gone)
    if (round === 9) await change('POST', '/indexes/parts/compact')
    for (const q of ['trikot', 'rikot1', 'утбо', 'b9tri', 'allt']) {
      const found = await ids(q, { filter: 'id >= 100', limit: 1000, attributesToRetrieve: ['id'] })
      const plain = (text: string) => text.toLowerCase().replace('ß', 'ss')
      const scanned = [...titles].filter(([, title]) =>
        plain(title)
          .split(' ')
          .some((word) => word.includes(q)),
      )
      const least = new Set(scanned.map(([id]) => id))
      expect(
        [...least].filter((id) => !found.includes(id)),
        `${q} in round ${round}`,
      ).toEqual([])
      // Words with a typo are found as well, but none that is longer by more.
      if (q.length < 5) expect(found).toHaveLength(least.size)
    }
  }
  await change('POST', '/indexes/parts/documents/delete', { filter: 'id >= 100' })
})

test('a change of the attributes or of the length applies to all documents', async () => {
  await change('PUT', ROUTE, { attributes: ['note'], minLength: 6 })
  expect(await ids('trikot')).toEqual([2, 3, 1, 4])
  expect(await ids('kotba', { matchingStrategy: 'all' })).toEqual([])
  expect(await ids('yz6')).toEqual([])
  await change('DELETE', ROUTE)
  expect(await ids('ballt')).toEqual([])
  expect((await server.ask('GET', ROUTE)).body).toBeNull()
  await change('PATCH', '/indexes/parts/settings', {
    infixSearch: { attributes: ['sku'], minLength: 4 },
  })
  expect(await ids('2xyz')).toEqual([1])
})

test('a restart and a dump keep it', async () => {
  await change('POST', '/dumps')
  await server.stop()
  server = await startServer(folders)
  expect(await ids('2xyz')).toEqual([1])
  await server.stop()
  const [dump] = readdirSync(folders.DUMP_DIR)
  const imported = { DB_PATH: join(root, 'imported'), IMPORT_DUMP: join(folders.DUMP_DIR, dump!) }
  const variables = Object.entries(imported).map(([name, value]) => [`SVC_${name}`, value])
  const config = await readConfig(new Map(), Object.fromEntries(variables))
  const write = (): void => undefined
  const log = new Log({ level: 'OFF', mode: 'human', write, now: () => 0 })
  await importAtLaunch({ config, log, indexWorker: null, isWatched: false, write })
  server = await startServer({ DB_PATH: imported.DB_PATH })
  expect((await server.ask('GET', ROUTE)).body).toEqual({ attributes: ['sku'], minLength: 4 })
  expect(await ids('2xyz')).toEqual([1])
})
