// Imports at launch: when they happen, what they leave when they fail, and which parts of the
// database a snapshot holds.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Config, readConfig } from '../config/index.ts'
import { Log } from '../log/index.ts'
import { BUCKET, STORE_KEY, startStore, type TestStore } from '../testing/test-object-store.ts'
import { startServer } from '../testing/test-server.ts'
import { importAtLaunch } from './imports.ts'

const root = mkdtempSync(join(tmpdir(), 'svc-imports-'))
const SNAPSHOT = join(root, 'snapshots', 'db.snapshot')
/** The answers of the server from which the snapshot was made. */
let answers: unknown
const QUESTION = { q: 'gold', facets: ['kind'], showRankingScore: true }

beforeAll(async () => {
  const db = join(root, 'db')
  const server = await startServer({ DB_PATH: db, SNAPSHOT_DIR: join(root, 'snapshots') })
  const settings = { filterableAttributes: ['kind'] }
  await server.ask('PATCH', '/indexes/things/settings', settings)
  const documents = Array.from({ length: 4000 }, (_, id) => ({
    id,
    kind: id % 7,
    text: `gold ${id}`,
  }))
  await server.ask('POST', '/indexes/things/documents', documents)
  await server.ask('PATCH', '/experimental-features', { containsFilter: true })
  await server.idle()
  answers = withoutTime((await server.ask('POST', '/indexes/things/search', QUESTION)).body)
  expect((await server.ask('POST', '/snapshots')).status).toBe(202)
  await server.idle()
  await server.stop()
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const withoutTime = (body: unknown): unknown => ({
  ...(body as object),
  processingTimeMs: 0,
  requestUid: null,
})

let folders = 0
const freshFolder = (): string => join(root, `fresh-${folders++}`)

const configOf = (options: { readonly [name: string]: string }): Promise<Config> => {
  const variables = Object.entries(options).map(([name, value]) => [`SVC_${name}`, value])
  return readConfig(new Map(), Object.fromEntries(variables))
}

async function launched(options: {
  readonly [name: string]: string
}): Promise<{ readonly failure: string; readonly said: string }> {
  let said = ''
  const write = (line: string): void => {
    said += line
  }
  const log = new Log({ level: 'INFO', mode: 'human', write, now: () => 0 })
  try {
    const config = await configOf(options)
    await importAtLaunch({ config, log, indexWorker: null, isWatched: false, write })
    return { failure: '', said }
  } catch (error) {
    return { failure: (error as Error).message, said }
  }
}

describe('a snapshot that is imported', () => {
  it('gives the same answers, features and tasks, and creates no new snapshot', async () => {
    const db = freshFolder()
    expect(await launched({ DB_PATH: db, IMPORT_SNAPSHOT: SNAPSHOT })).toMatchObject({
      failure: '',
    })
    expect(readdirSync(db)).not.toContain('IMPORTING')
    const server = await startServer({ DB_PATH: db })
    const found = await server.ask('POST', '/indexes/things/search', QUESTION)
    expect(withoutTime(found.body)).toEqual(answers)
    const features = await server.ask('GET', '/experimental-features')
    expect(features.body).toMatchObject({ containsFilter: true })
    const tasks = await server.ask('GET', '/tasks')
    const { results } = tasks.body as { results: { type: string; status: string }[] }
    expect(results.map(({ type, status }) => `${type} ${status}`)).toEqual([
      'snapshotCreation succeeded',
      'documentAdditionOrUpdate succeeded',
      'settingsUpdate succeeded',
    ])
    await server.stop()
  })

  it('has the segments of the database, byte for byte', async () => {
    const db = freshFolder()
    await launched({ DB_PATH: db, IMPORT_SNAPSHOT: SNAPSHOT })
    const segments = readdirSync(join(db, 'segments'))
    expect(segments.length).toBeGreaterThan(0)
    for (const name of segments) {
      const both = [join(root, 'db'), db].map((at) => readFileSync(join(at, 'segments', name)))
      expect(both[0]!.equals(both[1]!), name).toBe(true)
    }
  })

  it('is read-only, belongs to its owner alone, and is named after the database folder', () => {
    expect(statSync(SNAPSHOT).mode & 0o777).toBe(0o400)
    expect(readdirSync(join(root, 'snapshots'))).toEqual(['db.snapshot'])
  })
})

describe('the decision to import', () => {
  const missing = join(root, 'nowhere.snapshot')

  it('is an error when a database exists, before anything else is checked', async () => {
    const db = join(root, 'db')
    const words = `database already exists at ${JSON.stringify(db)}, try to delete it or rename it`
    for (const file of [SNAPSHOT, missing]) {
      expect((await launched({ DB_PATH: db, IMPORT_SNAPSHOT: file })).failure).toBe(words)
    }
    const ignoring = { DB_PATH: db, IGNORE_SNAPSHOT_IF_DB_EXISTS: 'true' }
    expect((await launched({ ...ignoring, IMPORT_SNAPSHOT: SNAPSHOT })).failure).toBe('')
    expect((await launched({ ...ignoring, IMPORT_SNAPSHOT: missing })).failure).toBe(
      `snapshot doesn't exist at ${missing}`,
    )
    const both = { ...ignoring, IGNORE_MISSING_SNAPSHOT: 'true', IMPORT_SNAPSHOT: missing }
    expect((await launched(both)).failure).toBe('')
  })

  it('is an error when the file is missing', async () => {
    const db = freshFolder()
    expect((await launched({ DB_PATH: db, IMPORT_SNAPSHOT: missing })).failure).toBe(
      `snapshot doesn't exist at ${missing}`,
    )
    const ignoring = { DB_PATH: db, IMPORT_SNAPSHOT: missing, IGNORE_MISSING_SNAPSHOT: 'true' }
    const { failure, said } = await launched(ignoring)
    expect(failure).toBe('')
    expect(said).toContain('the snapshot does not exist: starting without it')
    expect(existsSync(db)).toBe(false)
  })

  it('treats an empty folder as a missing database', async () => {
    const db = freshFolder()
    mkdirSync(db)
    expect((await launched({ DB_PATH: db, IMPORT_SNAPSHOT: SNAPSHOT })).failure).toBe('')
    expect(readdirSync(db)).toContain('CURRENT')
  })

  it('can come from the configuration file as well', async () => {
    const db = freshFolder()
    const file = join(root, 'config.toml')
    writeFileSync(
      file,
      `import_snapshot = ${JSON.stringify(missing)}\nignore_missing_snapshot = true`,
    )
    const { failure, said } = await launched({ DB_PATH: db, CONFIG_FILE_PATH: file })
    expect(failure).toBe('')
    expect(said).toContain('starting without it')
  })

  it('needs the accompanying option, and one import at a time', async () => {
    const alone = await launched({ IGNORE_MISSING_SNAPSHOT: 'true' })
    expect(alone.failure).toContain('--import-snapshot <IMPORT_SNAPSHOT>')
    const both = await launched({ IMPORT_SNAPSHOT: missing, IMPORT_DUMP: missing })
    expect(both.failure).toContain('cannot be used with')
  })
})

describe('a file that is not a snapshot', () => {
  const invalid = join(root, 'invalid.snapshot')
  const truncated = join(root, 'truncated.snapshot')
  beforeAll(() => {
    writeFileSync(invalid, 'This is no archive.')
    writeFileSync(truncated, readFileSync(SNAPSHOT))
    truncateSync(truncated, statSync(SNAPSHOT).size - 300)
  })

  it.each([
    ['text', () => invalid],
    ['a truncated one', () => truncated],
    ['a folder', () => root],
  ])('is refused and leaves no database: %s', async (_, file) => {
    const db = freshFolder()
    const refused = await launched({ DB_PATH: db, IMPORT_SNAPSHOT: file() })
    expect(refused.failure).not.toBe('')
    expect(existsSync(db)).toBe(false)
  })

  it('is ignored like a missing one, with a warning', async () => {
    const db = freshFolder()
    for (const file of [invalid, truncated]) {
      const options = { DB_PATH: db, IMPORT_SNAPSHOT: file, IGNORE_MISSING_SNAPSHOT: 'true' }
      const { failure, said } = await launched(options)
      expect(failure).toBe('')
      expect(said).toMatch(/WARN .* is invalid: .*; starting without it/)
      expect(existsSync(db)).toBe(false)
    }
  })
})

describe('a dump that is imported', () => {
  const folder = join(root, 'dumps')
  const missing = join(root, 'nowhere.dump')
  const invalid = join(root, 'invalid.dump')
  let dump = ''
  beforeAll(async () => {
    writeFileSync(invalid, 'This is no archive.')
    const server = await startServer({ DB_PATH: join(root, 'db'), DUMP_DIR: folder })
    await server.ask('POST', '/dumps')
    await server.idle()
    await server.stop()
    dump = join(folder, readdirSync(folder).find((name) => name.endsWith('.dump'))!)
  })

  it('gives the same answers', async () => {
    const db = freshFolder()
    const { failure, said } = await launched({ DB_PATH: db, IMPORT_DUMP: dump })
    expect(failure).toBe('')
    expect(said).toContain('`things`')
    const server = await startServer({ DB_PATH: db })
    const found = await server.ask('POST', '/indexes/things/search', QUESTION)
    expect(withoutTime(found.body)).toEqual(answers)
    await server.stop()
    // Now a database exists.
    const again = { DB_PATH: db, IMPORT_DUMP: dump }
    expect((await launched(again)).failure).toContain('database already exists at ')
    const ignoring = await launched({ ...again, IGNORE_DUMP_IF_DB_EXISTS: 'true' })
    expect(ignoring.failure).toBe('')
    expect(ignoring.said).toContain('a database exists: the dump is not imported')
  })

  it.each([
    ['missing', missing, `dump doesn't exist at "${missing}"`, 'does not exist'],
    ['invalid', invalid, `the dump "${invalid}" is invalid: `, 'is invalid: '],
  ])('is refused if it is %s, and ignored with a warning', async (_, file, refusal, warning) => {
    const db = freshFolder()
    const options = { DB_PATH: db, IMPORT_DUMP: file }
    expect((await launched(options)).failure).toContain(refusal)
    const { failure, said } = await launched({ ...options, IGNORE_MISSING_DUMP: 'true' })
    expect(failure).toBe('')
    expect(said).toMatch(new RegExp(`WARN .*${warning}.*starting without it`))
    expect(existsSync(db)).toBe(false)
  })
})

describe('an import that was killed', () => {
  it('is removed by the next start, and can be run again', async () => {
    const db = freshFolder()
    await launched({ DB_PATH: db, IMPORT_SNAPSHOT: SNAPSHOT })
    // The state after a kill: all files and the marker are present.
    writeFileSync(join(db, 'IMPORTING'), '')
    const { failure, said } = await launched({ DB_PATH: db })
    expect(failure).toBe('')
    expect(said).toContain('interrupted import')
    expect(readdirSync(db)).toEqual([])
    expect((await launched({ DB_PATH: db, IMPORT_SNAPSHOT: SNAPSHOT })).failure).toBe('')
    expect(readdirSync(db)).toContain('CURRENT')
  })
})

describe('a snapshot in an object store', () => {
  let store: TestStore
  const options = (db: string, isIncremental: boolean) => ({
    DB_PATH: db,
    OBJSTORE_BUCKET_URL: store.url,
    OBJSTORE_BUCKET_REGION: 'us-east-1',
    OBJSTORE_BUCKET_NAME: BUCKET,
    OBJSTORE_SNAPSHOT_PREFIX: isIncremental ? 'increments' : 'archive',
    OBJSTORE_ACCESS_KEY: STORE_KEY,
    OBJSTORE_SECRET_KEY: STORE_KEY,
    EXPERIMENTAL_ALLOWED_IP_NETWORKS: '127.0.0.0/8',
    ...(isIncremental ? { OBJSTORE_INCREMENTAL: 'true' } : {}),
  })
  beforeAll(async () => {
    store = await startStore()
  })
  afterAll(() => store.stop())

  it.each([false, true])(
    'gives the same answers on an empty machine, incremental: %s',
    async (incremental) => {
      const server = await startServer(options(join(root, 'db'), incremental))
      await server.ask('POST', '/snapshots')
      await server.idle()
      await server.stop()
      const db = join(freshFolder(), 'db')
      const all = { ...options(db, incremental), IMPORT_SNAPSHOT: 'objstore:' }
      expect(await launched(all)).toMatchObject({ failure: '' })
      for (const name of readdirSync(join(db, 'segments'))) {
        const both = [join(root, 'db'), db].map((at) => readFileSync(join(at, 'segments', name)))
        expect(both[0]!.equals(both[1]!), name).toBe(true)
      }
      const again = await startServer({ DB_PATH: db })
      const found = await again.ask('POST', '/indexes/things/search', QUESTION)
      expect(withoutTime(found.body)).toEqual(answers)
      await again.stop()
      // A start that already has its database sends no request to the store.
      store.trouble = () => ({ kind: 'reset' })
      const ignoring = { ...all, IGNORE_SNAPSHOT_IF_DB_EXISTS: 'true' }
      expect((await launched(ignoring)).failure).toBe('')
      expect((await launched(all)).failure).toContain('database already exists at ')
      store.trouble = () => null
    },
  )

  it('that does not exist is an error, or ignored', async () => {
    const db = join(freshFolder(), 'db')
    const name = 'objstore:20260101-000000000000-00000000'
    const all = { ...options(db, true), IMPORT_SNAPSHOT: name }
    expect((await launched(all)).failure).toBe(`snapshot doesn't exist at ${name}`)
    const { failure, said } = await launched({ ...all, IGNORE_MISSING_SNAPSHOT: 'true' })
    expect(failure).toBe('')
    expect(said).toContain('starting without it')
    expect(existsSync(db)).toBe(false)
  })

  it('that is damaged leaves no database', async () => {
    const db = join(freshFolder(), 'db')
    store.trouble = (method, url) =>
      method === 'GET' && url.includes('/files/')
        ? { kind: 'status', status: 200, body: 'something else' }
        : null
    const all = { ...options(db, true), IMPORT_SNAPSHOT: 'objstore:' }
    expect((await launched(all)).failure).toContain('is not what was uploaded')
    expect(existsSync(db)).toBe(false)
    store.trouble = () => null
  })

  it('needs the options of the store', async () => {
    const given = { DB_PATH: freshFolder(), IMPORT_SNAPSHOT: 'objstore:' }
    expect((await launched(given)).failure).toContain('needs the options of the store')
  })
})
