// Dumps at launch: when they are imported, what remains when an import fails, and that dumps
// written by other servers give the same answers here.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packed, smallDump } from '../../engine/backup/dumps/test-dumps.ts'
import { readConfig } from '../config/index.ts'
import { importBar } from '../launch/import-bar.ts'
import { importAtLaunch } from '../launch/imports.ts'
import { Log } from '../log/index.ts'
import { differencesOf, type Json, shapeOf } from './test-answers.ts'
import { startServer } from './test-server.ts'

type Options = { readonly [name: string]: string }

const root = mkdtempSync(join(tmpdir(), 'svc-dumps-'))
const dump = join(root, 'small.dump')
beforeAll(async () => writeFileSync(dump, await packed(smallDump())))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let folders = 0
const freshFolder = (): string => join(root, `fresh-${folders++}`)
/**
 * Dumps written by another server, with its answers after importing them. They are not part of the
 * project; the tests run where the folder of recordings is next to the checkout.
 */
const recorded = (name: string): string =>
  fileURLToPath(new URL(`../../../shared/conformance/dumps/${name}`, import.meta.url))

async function launched(
  options: Options,
  words: ReadonlyMap<'configFilePath', string> = new Map(),
) {
  let said = ''
  const write = (text: string): void => {
    said += text
  }
  const log = new Log({ level: 'INFO', mode: 'human', write, now: () => 0 })
  const variables = Object.entries(options).map(([name, value]) => [`SVC_${name}`, value])
  try {
    const config = await readConfig(words, Object.fromEntries(variables))
    await importAtLaunch({ config, log, indexWorker: null, isWatched: false, write })
    return { failure: '', said }
  } catch (error) {
    return { failure: (error as Error).message, said }
  }
}

/** The members of the answer that the tests read. */
type Body = {
  readonly results: readonly { readonly details: { readonly dumpUid: string } }[]
  readonly hits: readonly unknown[]
}

type Answer = {
  readonly method?: string
  readonly path: string
  readonly headers?: { readonly [name: string]: string }
  readonly request?: unknown
  readonly ignore?: readonly string[]
  readonly status: number
  readonly body: Json
}

const DUMPS = ['empty', 'plain', 'rich', 'vectors'] as const
const areThere = DUMPS.every((name) => existsSync(recorded(`${name}.dump`)))
/** Replaces the name that the other server has for itself by ours. */
const readRecorded = (name: string): unknown =>
  JSON.parse(readFileSync(recorded(name), 'utf8').replace(/[A-Z]\w+(?= is running without)/, 'Svc'))

/** The release 1.51 of the reference gives the actions of a rule as an object, as this server does. */
const ACTIONS = 'the actions of a rule are an object'

/** Answers that differ, by dump and path. */
const DIFFERENCES: { readonly [dump: string]: { readonly [path: string]: string } } = {
  rich: {
    '/dynamic-search-rules': ACTIONS,
    '/dynamic-search-rules/top': ACTIONS,
    '/tasks?limit=200': ACTIONS,
    '/multi-search': 'an element of a list that equals the query counts as an attribute that does',
    '/network': 'a link leads to a page of our own',
    '/batches?limit=200': 'the import of no documents hands nothing over, and says nothing of it',
  },
}

describe.skipIf(!areThere)('a dump written by another server', () => {
  it.each(DUMPS)('%s gives the same answers as there', async (name) => {
    const answers = readRecorded(`${name}.after-import.json`) as readonly Answer[]
    const { masterKey } = readRecorded(`${name}.json`) as { readonly masterKey: string | null }
    const db = freshFolder()
    const key: Options = masterKey === null ? {} : { MASTER_KEY: masterKey }
    const options = { DB_PATH: db, IMPORT_DUMP: recorded(`${name}.dump`), ...key }
    expect(await launched(options)).toMatchObject({ failure: '' })
    const server = await startServer({ DB_PATH: db, ...key })
    await server.idle()
    const differing: { [path: string]: readonly string[] } = {}
    for (const {
      method = 'GET',
      path,
      headers = {},
      request,
      ignore = [],
      ...recordedAnswer
    } of answers) {
      const auth = masterKey === null ? {} : { authorization: `Bearer ${masterKey}` }
      const type = request === undefined ? {} : { 'content-type': 'application/json' }
      const body = request === undefined ? null : JSON.stringify(request)
      const sent = { method, headers: { ...auth, ...headers, ...type }, body }
      const answer = await fetch(server.url + path, sent)
      const shape = shapeOf((await answer.json()) as Json, new Set(ignore))
      const differences = differencesOf(recordedAnswer.body, shape)
      if (answer.status !== recordedAnswer.status) differences.push(`status ${answer.status}`)
      if (differences.length > 0) differing[path] = differences
    }
    await server.stop()
    const expected = Object.keys(DIFFERENCES[name] ?? {})
    expect(Object.keys(differing).sort(), JSON.stringify(differing)).toEqual(expected.sort())
  })
})

describe('a dump written by this server', () => {
  it('is created by the route, and gives the same answers elsewhere', async () => {
    const dumps = freshFolder()
    const server = await startServer({ DUMP_DIR: dumps, MASTER_KEY: 'a-master-key-of-16-bytes' })
    const ask = (method: string, path: string, body?: unknown) =>
      fetch(server.url + path, {
        method,
        headers: {
          authorization: 'Bearer a-master-key-of-16-bytes',
          'content-type': 'application/json',
        },
        body: body === undefined ? null : JSON.stringify(body),
      }).then((answer) => answer.json() as Promise<Body>)
    await ask('PATCH', '/indexes/books/settings', { filterableAttributes: ['year'] })
    await ask('POST', '/indexes/books/documents', [
      { id: 1, title: 'One', year: 1950 },
      { id: 2, title: 'Two', year: 1960 },
    ])
    await server.idle()
    const keys = await ask('GET', '/keys')
    const hits = await ask('POST', '/indexes/books/search', { q: 'two', filter: 'year > 1955' })
    expect(await ask('POST', '/dumps')).toMatchObject({ type: 'dumpCreation' })
    await server.idle()
    const { results } = await ask('GET', '/tasks?types=dumpCreation')
    const name = `${results[0]!.details.dumpUid}.dump`
    expect(readdirSync(dumps)).toEqual([name])
    await server.stop()

    const db = freshFolder()
    const options = { DB_PATH: db, IMPORT_DUMP: join(dumps, name) }
    const { failure, said } = await launched(options)
    expect(failure).toBe('')
    for (const words of [
      'Importing a dump in format V6 of version',
      'Importing index `books`.',
      'Importing the settings.',
      'All documents successfully imported.',
    ]) {
      expect(said).toContain(words)
    }
    const other = await startServer({ DB_PATH: db, MASTER_KEY: 'a-master-key-of-16-bytes' })
    const again = (path: string, body?: unknown) =>
      fetch(other.url + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          authorization: 'Bearer a-master-key-of-16-bytes',
          'content-type': 'application/json',
        },
        body: body === undefined ? null : JSON.stringify(body),
      }).then((answer) => answer.json() as Promise<Body>)
    expect(await again('/keys')).toEqual(keys)
    const found = await again('/indexes/books/search', { q: 'two', filter: 'year > 1955' })
    expect(found.hits).toEqual(hits.hits)
    expect(found.hits).toHaveLength(1)
    await other.stop()
  })
})

describe('the decision to import', () => {
  const missing = join(root, 'nowhere.dump')
  const broken = join(root, 'broken.dump')
  const full = join(root, 'full')
  beforeAll(() => {
    writeFileSync(broken, readFileSync(dump).subarray(0, -40))
    mkdirSync(full)
    writeFileSync(join(full, 'something'), '')
  })

  it('is yes when there is a dump and no database', async () => {
    for (const db of [freshFolder(), freshFolder()]) {
      if (folders % 2 === 0) mkdirSync(db)
      expect(await launched({ DB_PATH: db, IMPORT_DUMP: dump })).toMatchObject({ failure: '' })
      expect(readdirSync(db)).toContain('CURRENT')
      expect(readdirSync(db)).not.toContain('IMPORTING')
      expect(readdirSync(db)).not.toContain('import')
    }
  })

  it('is an error when a database exists', async () => {
    const words = `database already exists at ${JSON.stringify(full)}, try to delete it or rename it`
    for (const file of [dump, missing]) {
      expect((await launched({ DB_PATH: full, IMPORT_DUMP: file })).failure).toBe(words)
    }
    const ignoring = { DB_PATH: full, IGNORE_DUMP_IF_DB_EXISTS: 'true' }
    expect((await launched({ ...ignoring, IMPORT_DUMP: dump })).failure).toBe('')
    expect((await launched({ ...ignoring, IMPORT_DUMP: missing })).failure).toContain(
      "doesn't exist",
    )
    const both = { ...ignoring, IGNORE_MISSING_DUMP: 'true', IMPORT_DUMP: missing }
    expect((await launched(both)).failure).toBe('')
    expect(readdirSync(full)).toEqual(['something'])
  })

  it.each([
    ['missing', missing, "dump doesn't exist at"],
    ['broken', broken, 'is invalid'],
  ])('about a %s dump follows the option', async (_, file, words) => {
    const db = freshFolder()
    const refused = await launched({ DB_PATH: db, IMPORT_DUMP: file })
    expect(refused.failure).toContain(words)
    expect(existsSync(db)).toBe(false)
    const ignoring = { DB_PATH: db, IMPORT_DUMP: file, IGNORE_MISSING_DUMP: 'true' }
    const ignored = await launched(ignoring)
    expect(ignored.failure).toBe('')
    expect(ignored.said).toContain('starting without it')
    expect(existsSync(db)).toBe(false)
  })

  it('can come from the configuration file', async () => {
    const db = freshFolder()
    const file = join(root, 'config.toml')
    const lines = [`db_path = ${JSON.stringify(db)}`, `import_dump = ${JSON.stringify(dump)}`]
    writeFileSync(file, `${lines.join('\n')}\n`)
    const words = new Map([['configFilePath', file] as const])
    expect(await launched({}, words)).toMatchObject({ failure: '' })
    expect(readdirSync(db)).toContain('CURRENT')
  })

  it('needs the dump that its options refer to', async () => {
    const { failure } = await launched({ IGNORE_MISSING_DUMP: 'true' })
    expect(failure).toContain('--import-dump')
    const both = await launched({ IMPORT_DUMP: dump, IMPORT_SNAPSHOT: dump })
    expect(both.failure).toContain('cannot be used with')
  })
})

describe('an import that was killed', () => {
  it('is removed at the next start, and can be run again', async () => {
    const db = freshFolder()
    mkdirSync(join(db, 'import'), { recursive: true })
    mkdirSync(join(db, 'segments'))
    writeFileSync(join(db, 'IMPORTING'), '')
    writeFileSync(join(db, 'CURRENT'), 'manifest-000001.log\n')
    const { failure, said } = await launched({ DB_PATH: db, IMPORT_DUMP: dump })
    expect(failure).toBe('')
    expect(said).toContain('interrupted import')
    const server = await startServer({ DB_PATH: db })
    expect((await server.ask('GET', '/indexes')).body).toMatchObject({ total: 1 })
    await server.stop()
  })
})

describe('the progress bar', () => {
  const watch = (isWatched: boolean) => {
    const written: string[] = []
    const write = (text: string): void => void written.push(text)
    const log = new Log({ level: 'INFO', mode: 'human', write, now: () => 0 })
    let now = 0
    const bar = importBar({ isWatched, write, log, now: () => now })
    const at = (ms: number, done: number): void => {
      now = ms
      bar.at({ step: 'documents of books', done, total: 200 })
    }
    return { written, at, bar }
  }

  it('rewrites one line on a terminal', () => {
    const { written, at, bar } = watch(true)
    at(50, 1)
    at(200, 100)
    bar.clear()
    bar.clear()
    expect(written).toEqual([
      '\r\x1b[K[============            ] 50 % · documents of books',
      '\r\x1b[K',
    ])
  })

  it('writes a line at intervals where no terminal is attached', () => {
    const { written, at, bar } = watch(false)
    for (let ms = 1000; ms <= 21_000; ms += 1000) at(ms, ms / 1000)
    bar.clear()
    expect(written).toHaveLength(2)
    expect(written[0]).toContain('importing: documents of books, 5 %')
  })
})
