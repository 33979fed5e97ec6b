// Words found by their stems, on a whole server: the setting and its faults, ranking, marks, updates,
// merges, several languages, dumps.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../config/index.ts'
import { importAtLaunch } from '../launch/imports.ts'
import { Log } from '../log/index.ts'
import { startServer, type TestServer } from './test-server.ts'

type Hit = { readonly id: number; readonly [member: string]: unknown }

const ROUTE = '/indexes/words/settings/localized-attributes'
const DOCUMENTS = [
  { id: 1, title: 'The Cat is Running home', note: 'x' },
  { id: 2, title: 'We run fast', note: 'x' },
  { id: 3, title: 'He ran', note: 'x' },
  { id: 4, title: 'x', note: 'runs' },
  { id: 5, title: 'News of the day', note: 'x' },
  { id: 6, title: 'A new day', note: 'x' },
]
const RULE = { attributePatterns: ['title'], locales: ['eng'] }

const root = mkdtempSync(join(tmpdir(), 'svc-stems-'))
const folders = { DB_PATH: join(root, 'db'), DUMP_DIR: join(root, 'dumps') }
let server: TestServer
beforeAll(async () => {
  server = await startServer(folders)
  await server.ask('POST', '/indexes/words/documents?primaryKey=id', DOCUMENTS)
  await server.idle()
})
afterAll(async () => {
  await server.stop()
  rmSync(root, { recursive: true })
})

const search = async (body: object, uid = 'words'): Promise<readonly Hit[]> =>
  ((await server.ask('POST', `/indexes/${uid}/search`, body)).body as { hits: Hit[] }).hits
const ids = async (q: string, more: object = {}): Promise<number[]> =>
  (await search({ q, ...more })).map(({ id }) => id)
const change = async (method: string, path: string, body?: unknown): Promise<void> => {
  expect((await server.ask(method, path, body)).status).toBe(202)
  await server.idle()
}

describe('the setting', () => {
  test('is off, and absent from rules without it', async () => {
    await change('PUT', ROUTE, [{ ...RULE, stemming: false }])
    expect((await server.ask('GET', ROUTE)).body).toEqual([RULE])
    expect(await ids('running ')).toEqual([1])
  })

  test.each([
    [[{ ...RULE, stemming: 3 }], 'expected a boolean'],
    [[{ ...RULE, stemming: { words: [] } }], 'Unknown field `words`'],
    [[{ ...RULE, stemming: { exceptions: 'x' } }], 'expected an array'],
    [[{ ...RULE, stemming: { dictionary: { a: 1 } } }], 'expected a string'],
    [[{ ...RULE, locales: ['jpn'], stemming: true }], 'none of its locales has stems'],
    [[{ ...RULE, locales: [], stemming: {} }], 'none of its locales has stems'],
    [Array.from({ length: 8 }, () => ({ ...RULE, stemming: true })), 'at most 7'],
  ])('refuses %j', async (body, words) => {
    const answer = await server.ask('PUT', ROUTE, body)
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'invalid_settings_localized_attributes' },
    })
    expect((answer.body as { message: string }).message).toContain(words)
  })

  test('is turned on for an index that has documents', async () => {
    const stemming = { exceptions: ['news'], dictionary: { ran: 'run' } }
    await change('PUT', ROUTE, [{ ...RULE, locales: ['en'], stemming }])
    expect((await server.ask('GET', ROUTE)).body).toEqual([{ ...RULE, stemming }])
  })

  test('is shown in the details of hits that have a word only in another form', async () => {
    type Details = { readonly typo: { readonly [member: string]: unknown } }
    const typos = async (q: string): Promise<object> => {
      const hits = await search({ q, showRankingScoreDetails: true })
      const typo = (hit: Hit) => (hit['_rankingScoreDetails'] as Details).typo
      return Object.fromEntries(hits.map((hit) => [hit.id, typo(hit)['otherForms']]))
    }
    expect(await typos('runs ')).toEqual({ 1: ['runs'], 2: ['runs'], 3: ['runs'], 4: undefined })
    expect(await typos('cats running ')).toEqual({ 1: ['cats'] })
    expect(await typos('hone ')).toEqual({ 1: undefined })
    const whole = { typoCount: 1, maxTypoCount: 1, score: 0.5, otherForms: ['runs'] }
    const [first] = await search({ q: 'runs ', filter: null, showRankingScoreDetails: true })
    expect(first).toMatchObject({ id: 4, _rankingScoreDetails: { typo: { typoCount: 0 } } })
    const second = (await search({ q: 'runs ', offset: 1, showRankingScoreDetails: true }))[0]
    expect(second).toMatchObject({ _rankingScoreDetails: { typo: whole } })
  })
})

describe('a search', () => {
  test.each([
    ['running ', [1, 2, 3]],
    ['run ', [2, 3, 1]],
    ['ran ', [3, 2, 1]],
    ['runs ', [4, 2, 3, 1]],
    ['cats', [1]],
    ['news ', [5]],
    ['new ', [6]],
    ['cats run', [1]],
  ])('for %j finds words as written first', async (q, expected) => {
    expect(await ids(q)).toEqual(expected)
  })

  test('is in the languages and fields that the request names', async () => {
    expect(await ids('running ', { locales: ['eng'] })).toEqual([1, 2, 3])
    expect(await ids('running ', { locales: ['deu'] })).toEqual([1])
    expect(await ids('running ', { attributesToSearchOn: ['note'] })).toEqual([])
  })

  test('shows that a stem costs a typo, and marks the word of the document', async () => {
    const hits = await search({
      q: 'running cats',
      attributesToHighlight: ['title'],
      showMatchesPosition: true,
      showRankingScoreDetails: true,
    })
    expect(hits).toMatchObject([
      {
        id: 1,
        _formatted: { title: 'The <em>Cat</em> is <em>Running</em> home' },
        _matchesPosition: { title: [{ start: 4 }, { start: 11, length: 7 }] },
        _rankingScoreDetails: { typo: { typoCount: 1 }, exactness: { matchType: 'noExactMatch' } },
      },
      { id: 2, _formatted: { title: 'We <em>run</em> fast' } },
      { id: 3, _formatted: { title: 'He <em>ran</em>' } },
    ])
  })

  test('follows updates and deletions of documents', async () => {
    await change('PUT', '/indexes/words/documents', [{ id: 2, title: 'We walked' }])
    await change('DELETE', '/indexes/words/documents/3')
    expect(await ids('runs ', { attributesToSearchOn: ['title'] })).toEqual([1])
    expect(await ids('walking ')).toEqual([2])
    await change('POST', '/indexes/words/documents', DOCUMENTS)
    expect(await ids('running ')).toEqual([1, 2, 3])
  })

  test('finds the words of many small batches, which are merged', async () => {
    for (let id = 100; id < 140; id++) {
      await change('POST', '/indexes/many/documents', [{ id, title: `jumping ${id}` }])
      if (id === 100)
        await change('PUT', ROUTE.replace('words', 'many'), [{ ...RULE, stemming: true }])
    }
    expect(await search({ q: 'jumps ', limit: 100 }, 'many')).toHaveLength(40)
  })
})

test('a dump keeps the setting', async () => {
  await change('POST', '/dumps')
  await server.stop()
  const [dump] = readdirSync(folders.DUMP_DIR)
  const imported = { DB_PATH: join(root, 'imported'), IMPORT_DUMP: join(folders.DUMP_DIR, dump!) }
  const variables = Object.entries(imported).map(([name, value]) => [`SVC_${name}`, value])
  const config = await readConfig(new Map(), Object.fromEntries(variables))
  const write = (): void => undefined
  const log = new Log({ level: 'OFF', mode: 'human', write, now: () => 0 })
  await importAtLaunch({ config, log, indexWorker: null, isWatched: false, write })
  server = await startServer({ DB_PATH: imported.DB_PATH })
  expect((await server.ask('GET', ROUTE)).body).toMatchObject([
    { stemming: { exceptions: ['news'] } },
  ])
  expect(await ids('running ')).toEqual([1, 2, 3])
})

test('a word is found by itself alone when it is off again', async () => {
  await change('PUT', ROUTE, [RULE])
  expect(await ids('running ')).toEqual([1])
})
