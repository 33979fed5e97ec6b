// The first hour of a user: start, first index, first search, mistakes of all kinds, tools,
// shutdown.
import { mkdirSync } from 'node:fs'
import { finished, type Place, type Server } from './place.ts'
import type { Report } from './report.ts'
import { REQUEST_MISTAKES } from './request-mistakes.table.ts'
import { START_MISTAKES } from './start-mistakes.table.ts'

export const MASTER_KEY = 'the-master-key-of-the-newcomer'
const DOCUMENTS = JSON.stringify([
  { id: 1, title: 'The Godfather', year: 1972, genres: ['crime', 'drama'] },
  { id: 2, title: 'Goodfellas', year: 1990, genres: ['crime'] },
])
const CSV = 'id,title,year\n3,Heat,1995\n4,Casino,1995\n'
const SETTINGS = '{"filterableAttributes": ["genres", "year"]}'
const SEARCH = '{"q": "godfahter", "filter": "year < 1980", "facets": ["genres"]}'

/** The first steps of the README, without a key. */
export async function firstStart(place: Place, report: Report): Promise<void> {
  report.chapter('Start, first index, first search (npx svc-search)')
  const server = await place.start('npx')
  report.check('it is healthy', await server.call({ path: '/health' }), {
    code: 200,
    says: ['available'],
  })
  report.check('the address answers programs', await server.call({ path: '/' }), { code: 200 })
  const page = await fetch(`${server.url}/`, { headers: { accept: 'text/html' } })
  const html = { code: page.status, text: await page.text() }
  report.check('and shows browsers a page', html, { code: 200, says: ['<title>Svc Search'] })
  const accepted = await addDocuments(server)
  report.check('documents are accepted', accepted, { code: 202, says: ['"taskUid":0'] })
  const added = await finished(server, accepted)
  report.check('and indexed', added, { code: 200, says: ['"indexedDocuments":2', 'succeeded'] })
  const settings = await server.call({
    method: 'PATCH',
    path: '/indexes/films/settings',
    body: SETTINGS,
  })
  report.check('settings are changed', await finished(server, settings), {
    code: 200,
    says: ['succeeded'],
  })
  const found = { method: 'POST', path: '/indexes/films/search', body: SEARCH }
  report.check('a search with a typo, a filter and facets', await server.call(found), {
    code: 200,
    says: ['The Godfather', '"facetDistribution"', '"estimatedTotalHits":1'],
  })
  report.chapter('Mistakes in requests')
  for (const { what, call, expected } of REQUEST_MISTAKES) {
    report.check(what, await server.call(call), expected)
  }
  const noId = await server.call({
    method: 'POST',
    path: '/indexes/films/documents',
    body: '[{"title": "no id"}]',
  })
  report.check('a document without its id fails as a task', await finished(server, noId), {
    code: 200,
    says: ['"status":"failed"', 'missing_document_id'],
  })
  await secondServer(place, report, server)
  const { text } = await server.stop()
  report.holds('Ctrl-C stops it', text.includes('stopping signal=SIGINT'), text)
}

const addDocuments = (server: Server) =>
  server.call({ method: 'POST', path: '/indexes/films/documents', body: DOCUMENTS })

/** Starts a second server while the address and the database are in use. */
async function secondServer(place: Place, report: Report, server: Server): Promise<void> {
  report.chapter('A second server beside the first')
  const { host } = new URL(server.url)
  const other = ['--http-addr', host, '--db-path', 'other.ms']
  report.check('the address is in use', await place.run('svc-server', other), {
    code: 1,
    says: [host, 'in use', '--http-addr'],
  })
  const same = await place.run('svc-server', ['--http-addr', '127.0.0.1:0'])
  report.check('the database is in use', same, { code: 1, says: ['data.ms', /process|server/] })
  const check = await place.run('svc-tools', ['db', 'check'])
  report.check('db check beside a server', check, { code: 2, says: ['stop it first'] })
}

export async function startMistakes(place: Place, report: Report): Promise<void> {
  report.chapter('Mistakes in starting and in the tools')
  mkdirSync(place.path('meili.ms/auth'), { recursive: true })
  for (const name of ['indexes', 'tasks']) mkdirSync(place.path(`meili.ms/${name}`))
  place.write('meili.ms/VERSION', '1.12.0')
  place.write('films.csv', CSV)
  for (const { what, command, words, variables, expected } of START_MISTAKES) {
    report.check(what, await place.run(command, words, variables), expected)
  }
}

/** Starts with a master key: checks refusals without it, and the tools of the command line. */
export async function keysAndTools(place: Place, report: Report): Promise<void> {
  report.chapter('Keys')
  const server = await place.start('svc-server', [], { SVC_MASTER_KEY: MASTER_KEY })
  const search = { method: 'POST', path: '/indexes/films/search', body: '{}' }
  report.check('without a key', await server.call(search), {
    code: 401,
    says: ['missing_authorization_header'],
  })
  report.check('with a wrong key', await server.call({ ...search, key: 'wrong' }), {
    code: 403,
    says: ['invalid_api_key'],
  })
  const keys = await server.call({ path: '/keys', key: MASTER_KEY })
  report.check('the keys that it has made', keys, { code: 200, says: ['Default Search API Key'] })
  const { results } = JSON.parse(keys.text) as {
    readonly results: readonly { readonly name: string; readonly key: string }[]
  }
  const { key = '' } = results.find(({ name }) => name === 'Default Search API Key') ?? {}
  report.check('the search key searches', await server.call({ ...search, key }), { code: 200 })
  const stats = await server.call({ path: '/stats', key })
  report.check('and does nothing else', stats, { code: 403, says: ['invalid_api_key'] })

  report.chapter('Tools beside a running server')
  const remote = (...words: readonly string[]) =>
    place.run('svc-tools', ['remote', ...words, '--url', server.url], {
      SVC_API_KEY: MASTER_KEY,
    })
  report.check(
    'remote without a key',
    await place.run('svc-tools', ['remote', 'search', 'films', '--url', server.url]),
    { code: 2, says: ['SVC_API_KEY'] },
  )
  report.check('remote import', await remote('import', 'films', 'films.csv'), {
    code: 0,
    says: ['2 documents are searchable'],
  })
  report.check('remote search', await remote('search', 'films', 'heat'), {
    code: 0,
    says: ['Heat'],
  })
  report.check(
    'remote settings set',
    await remote('settings', 'set', 'films', '{"stopWords":["the"]}'),
    {
      code: 0,
      says: ['changed'],
    },
  )
  report.check('remote settings get', await remote('settings', 'get', 'films', 'stopWords'), {
    code: 0,
    says: ['the'],
  })
  report.check('it stops', await server.stop(), { code: 0, says: ['stopping'] })
}

/** Runs the tools on the database without a server. */
export async function toolsAtRest(place: Place, report: Report): Promise<void> {
  report.chapter('Tools without a server')
  const tools = (...words: readonly string[]) => place.run('svc-tools', words)
  report.check('db check', await tools('db', 'check'), { code: 0, says: ['is sound'] })
  report.check('db size', await tools('db', 'size', '--svg', 'size.svg'), {
    code: 0,
    says: ['data.ms', 'films'],
  })
  report.check('index stats', await tools('index', 'stats', 'films'), {
    code: 0,
    says: ['4 documents'],
  })
  report.check('index explain', await tools('index', 'explain', 'films', 'godfahter'), {
    code: 0,
    says: ['one typo', 'godfather'],
  })
  report.check('index export', await tools('index', 'export', 'films', '-f', 'csv'), {
    code: 0,
    says: ['Goodfellas'],
  })
  report.check('tasks list', await tools('tasks', 'list', '--status', 'failed'), {
    code: 0,
    says: ['missing_document_id'],
  })
  report.check('npx svc-tools --version', await place.npx('svc-tools', ['--version']), {
    code: 0,
    says: [/^\d+\.\d+\.\d+/],
  })
}
