// Commands on a running server, with a server in this process.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { REQUEST_MS } from '../../server/network/repair/limits.ts'
import { startServer } from '../../server/testing/test-server.ts'
import { runForTest } from '../test-run.ts'
import { addressOf, LONG_ANSWER_MS } from './ask.ts'
import { piecesOf } from './pieces.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-remote-'))
const MASTER_KEY = 'a-master-key-of-16-bytes'
let server: Awaited<ReturnType<typeof startServer>>

beforeAll(async () => {
  server = await startServer({ MASTER_KEY })
  vi.stubEnv('SVC_API_KEY', MASTER_KEY)
}, 60_000)
afterEach(() => vi.stubEnv('SVC_API_KEY', MASTER_KEY))
afterAll(async () => {
  vi.unstubAllEnvs()
  await server.stop()
  rmSync(folder, { recursive: true })
})

const run = (...words: readonly string[]) => runForTest(['remote', ...words, '--url', server.url])

function fileOf(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

test.each([
  ['http://localhost:7700', 'http://localhost:7700/tasks/1?a=b'],
  ['http://localhost:7700/', 'http://localhost:7700/tasks/1?a=b'],
  ['https://shop.example/search', 'https://shop.example/search/tasks/1?a=b'],
  ['https://shop.example/search//', 'https://shop.example/search/tasks/1?a=b'],
  ['https://shop.example/a/b?c=d#e', 'https://shop.example/a/b/tasks/1?a=b'],
])('the path of a URL stays: %s', (url, address) => {
  expect(addressOf(url, '/tasks/1?a=b')).toBe(address)
})

test('documents are imported from all formats, searched, and shown', async () => {
  const json = fileOf('a.json', '[{"id":1,"title":"Lamp"},{"id":2,"title":"Lantern"}]')
  expect(await run('import', 'things', json)).toEqual({
    code: 0,
    out: '2 documents are searchable in `things` (task 0).\n',
    err: '',
  })
  const csv = fileOf('b.csv', 'id;title;price:number\n3;"Desk; oak";20\n')
  const table = await run('import', 'things', csv, '--delimiter', ';', '--primary-key', 'id')
  expect(table.out).toContain('1 document is searchable')
  const lines = fileOf('c.txt', '{"id":1,"price":7}\n{"id":2,"price":8}\n')
  const update = await run('import', 'things', lines, '--format', 'ndjson', '--update', '--json')
  expect(JSON.parse(update.out)).toMatchObject({ bodies: 1, indexedDocuments: 2, failures: [] })
  const found = await run('search', 'things', 'lampp')
  expect(found).toMatchObject({ code: 0, err: '' })
  expect(found.out).toMatch(
    /^1 found in \d+ ms, 1 shown\n\n1\. {2}id: 1\n {4}title: Lamp\n {4}price: 7\n$/,
  )
  const all = await run('search', 'things', '--limit', '2', '--attributes', 'id', '--json')
  expect(JSON.parse(all.out)).toMatchObject({ hits: [{ id: 1 }, { id: 2 }] })
})

test.each([
  ['by.tsv', []],
  ['by.txt', ['--format', 'tsv']],
  ['named.csv', ['--delimiter', 'tab']],
  ['escaped.csv', ['--delimiter', '\\t']],
])('cells are separated by tabs: %s', async (name, words) => {
  const file = fileOf(name, 'id\tname\n1\t"Ann\tLee, jr."\n')
  const index = name.replace('.', '-')
  const { code, err } = await run('import', index, file, '--primary-key', 'id', ...words)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const { out } = await run('search', index, '--json')
  expect(JSON.parse(out)).toMatchObject({ hits: [{ id: '1', name: 'Ann\tLee, jr.' }] })
})

test('settings are read, changed, and copied', async () => {
  await run('import', 'films', fileOf('d.json', '[{"id":1,"year":1972},{"id":2,"year":1990}]'))
  const change = '{"filterableAttributes":["year"],"sortableAttributes":["year"]}'
  expect(await run('settings', 'set', 'films', change)).toEqual({
    code: 0,
    out: 'The settings of `films` are changed.\n',
    err: '',
  })
  const one = await run('settings', 'get', 'films', 'filterableAttributes')
  expect(JSON.parse(one.out)).toEqual(['year'])
  const all = fileOf('s.json', (await run('settings', 'get', 'films')).out)
  expect((await run('settings', 'set', 'copy', `@${all}`)).code).toBe(0)
  expect((await run('settings', 'get', 'copy', 'sortableAttributes')).out).toContain('year')
  const filtered = ['--filter', 'year < 1980', '--sort', 'year:desc', '--json']
  expect(JSON.parse((await run('search', 'films', ...filtered)).out)).toMatchObject({
    hits: [{ id: 1 }],
  })
})

test('a command waits longer for an instance than instances wait for each other', () => {
  expect(LONG_ANSWER_MS).toBeGreaterThan(REQUEST_MS)
})

test('failed tasks end with 1 and their reason', async () => {
  const bad = fileOf('bad.json', '[{"id":"not valid!"}]')
  const { code, out } = await run('import', 'bad', bad)
  expect(code).toBe(1)
  expect(out).toMatch(/^Task \d+ failed: .*not valid!/)
  const left = await run('import', 'bad', bad, '--no-wait')
  expect(left).toMatchObject({ code: 0 })
  expect(left.out).toMatch(/^On disk, indexed soon: task \d+\.\n$/)
  const rules = await run('settings', 'set', 'films', '{"distinctAttribute":"*"}')
  expect(rules.out + rules.err).toMatch(/distinct|films/)
})

test.each([
  [['import', 'a', 'nowhere.json'], '`nowhere.json` does not exist: check the path'],
  [['import', 'a', 'file.bin'], 'does not show the format: add --format json, ndjson, csv or tsv'],
  [
    ['import', 'a', 'x.csv', '--delimiter', '::'],
    '--delimiter must be one ASCII character, or tab',
  ],
  [['import', 'a', 'x.csv', '--from', 'algolia'], '--from needs JSON or NDJSON, not CSV'],
  [['import', 'a', 'x.json', '--geo', 'place'], '--geo needs --from'],
  [['import', 'a'], 'FILE is missing'],
  [['settings', 'set', 'films'], 'CHANGE is missing'],
  [['settings', 'set', 'films', '[1]'], 'the change must be an object of settings'],
  [['settings', 'set', 'films', '{'], 'the change is not JSON'],
  [['settings', 'get', 'films', 'rank'], 'there is no setting `rank`: displayedAttributes'],
  [['settings', 'get', 'none'], 'refuses (404): Index `none` not found.'],
  [['search', 'films', 'x', '--filter', 'a ='], 'refuses (400): Was expecting a value'],
])('%j is refused: %s', async (words, message) => {
  const { code, out, err } = await run(...words)
  expect(code).toBe(2)
  expect(out).toBe('')
  expect(err).toContain(message)
})

test('a key that lacks the action is refused with the missing action', async () => {
  vi.stubEnv('SVC_API_KEY', 'wrong')
  expect((await run('search', 'films')).err).toContain('one with the action `search`')
  const { err } = await run('settings', 'get', 'films')
  expect(err).toContain('set SVC_API_KEY to one with the action `settings.get`')
})

test('an export of another engine is imported, and found at all of its places', async () => {
  const records = fileOf(
    'algolia.ndjson',
    '{"objectID":"shop/1","name":"Two doors","_geoloc":[{"lat":48,"lng":11},{"lat":52,"lng":13}]}\n' +
      '{"objectID":"2","name":"One door","_geoloc":{"lat":52,"lng":13}}\n',
  )
  await run('settings', 'set', 'doors', '{"filterableAttributes":["_geo","_geojson"]}')
  const { code, out } = await run('import', 'doors', records, '--from', 'algolia')
  expect(code).toBe(0)
  expect(out).toMatch(
    /^2 documents are searchable in `doors` \(task \d+\)\.\nRewritten from Algolia:/,
  )
  expect(out).toContain('1 document has several places')
  const near = async (place: string) => {
    const found = await run('search', 'doors', '--filter', `_geoRadius(${place}, 1000)`, '--json')
    return JSON.parse(found.out).hits.map((hit: { name: string }) => hit.name)
  }
  expect(await near('48, 11')).toEqual(['Two doors'])
  expect((await near('52, 13')).sort()).toEqual(['One door', 'Two doors'])
  const lines = '{"index":{"_id":"1"}}\n{"name":"Lift","at":"52,13"}\n'
  const bulk = fileOf('bulk.ndjson', lines)
  const words = ['import', 'doors', bulk, '--from', 'elasticsearch', '--geo', 'at', '--json']
  const elastic = await run(...words, '--primary-key', 'objectID')
  expect(JSON.parse(elastic.out)).toMatchObject({
    indexedDocuments: 1,
    rewritten: { from: 'elasticsearch', documents: 1, ids: 0, places: 1 },
  })
  expect((await near('52, 13')).length).toBe(3)
})

test('pieces hold whole records for any split', () => {
  const rows = Array.from({ length: 300 }, (_, i) => `${i},"row ""${i}"",\nline two",a"b ${i}\r\n`)
  const header = 'id,text,more\r\n'
  const csv = fileOf('pieces.csv', header + rows.join(''))
  const lines = rows.map((row) => `${JSON.stringify({ row })}\n`).join('')
  const ndjson = fileOf('pieces.ndjson', lines)
  for (const bytes of [1, 1000, 5000, 1e9]) {
    const tables = [...piecesOf(csv, { format: 'csv', bytes, delimiter: ',' })]
    const texts = tables.map(({ body }) => Buffer.from(body).toString())
    for (const text of texts) expect(text.startsWith(header)).toBe(true)
    expect(texts.map((text) => text.slice(header.length)).join('')).toBe(rows.join(''))
    expect(tables.at(-1)!.done).toBe(header.length + rows.join('').length)
    const cut = [...piecesOf(ndjson, { format: 'ndjson', bytes, delimiter: ',' })]
    expect(Buffer.concat(cut.map(({ body }) => body)).toString()).toBe(lines)
    for (const { body } of cut) expect(body.at(-1)).toBe(10)
  }
  // After each of these records the next one begins: a quote in a cell without quotes, and quotes
  // after a delimiter, an end of a line and another quote that end a cell.
  for (const record of ['5" ruler,x\n', '6,"a,"\n', '7,"a\n"\n', '8,"a"""\n']) {
    const path = fileOf('odd.csv', `id,t\n${record}${'9,plain\n'.repeat(140_000)}`)
    const odd = [...piecesOf(path, { format: 'csv', bytes: 1, delimiter: ',' })]
    const ends = odd.map(({ body }) => Buffer.from(body.subarray(-8)).toString())
    expect(ends, record).toEqual(['9,plain\n', '9,plain\n'])
  }
  expect([...piecesOf(fileOf('e.csv', ''), { format: 'csv', bytes: 9, delimiter: ',' })]).toEqual(
    [],
  )
})
