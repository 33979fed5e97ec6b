// Databases, dumps and snapshots that earlier builds wrote (fixtures/databases). A database of an
// older analysis is refused with advice and unchanged, or taken over and answers like a new one; all
// others open. Each version of a format that a build ever wrote is in one of them.
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
import { dirname, join, relative } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, describe, expect, it, test } from 'vitest'
import { asTaskUid } from '../../format/ids.ts'
import { restoreArchive } from '../backup/snapshot/index.ts'
import { profileNamed } from '../store/layers/index.ts'
import { FakeDisk, fileBytes, RealFileSystem } from '../store/storage/index.ts'
import { ANALYSIS_VERSION } from '../text/index.ts'
import { openFromDump } from './test-dump.ts'
import {
  addDocuments,
  allTasks,
  documentsOf,
  enqueue,
  openTestEngine,
  searchFor,
  type TestEngine,
} from './test-engine.ts'
import { type DatabaseFiles, versionsIn } from './test-format-versions.ts'

const fixtures = join(import.meta.dirname, '../../fixtures/databases')
const namesOf = (ending: string): string[] =>
  readdirSync(fixtures).flatMap((name) =>
    name.endsWith(ending) ? [name.slice(0, -ending.length)] : [],
  )
const names = namesOf('.json.gz')
const folder = mkdtempSync(join(tmpdir(), 'svc-old-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Files = { readonly [path: string]: string }

const filesOf = (name: string): Files =>
  JSON.parse(gunzipSync(readFileSync(join(fixtures, `${name}.json.gz`))).toString())

const bytesOf = (files: Files): DatabaseFiles =>
  new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text, 'base64')]))

const versions = new Map(names.map((name) => [name, versionsIn(bytesOf(filesOf(name)))]))
/**
 * Values of versions 4 to 6 are old only if numbers are rounded, texts cut, or elements without
 * rows.
 */
const isOld = (name: string): boolean =>
  name === 'rounded-numbers' ||
  name === 'cut-values' ||
  name === 'rowless-elements' ||
  [...(versions.get(name)!.get('TEXT analysis') ?? [])].some((one) => one < ANALYSIS_VERSION)

/** The release that wrote a database. */
const releaseOf = (name: string): string =>
  Buffer.from(filesOf(name)['VERSION']!, 'base64').toString().trim()

let folders = 0

/** Unpacks these files into a new data folder; returns its path. */
function unpacked(files: Files): string {
  const root = join(folder, `${++folders}`)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), Buffer.from(content, 'base64'))
  }
  return root
}

const contentOf = (root: string, { ...files }: Files): Files =>
  Object.fromEntries(
    Object.keys(files).map((path) => [path, readFileSync(join(root, path)).toString('base64')]),
  )

/** Opens the database by the release that wrote it. */
const open = (root: string, upgrade: boolean): Promise<TestEngine> =>
  openTestEngine(new RealFileSystem(root), { path: root, upgrade, ...releaseIn(root) })

function releaseIn(root: string): { readonly version?: string } {
  const path = join(root, 'VERSION')
  return existsSync(path) ? { version: readFileSync(path, 'utf8') } : {}
}

async function found(engine: TestEngine, q: string, filter: string | null = null) {
  const { hits } = await searchFor(engine, 'films', { q, filter })
  return hits.map(({ id }: { id: number }) => id)
}

/** Expects the documents and searches of the requests of fixtures/databases/make.mjs. */
async function expectFilms(engine: TestEngine): Promise<void> {
  expect(await documentsOf(engine, 'books')).toEqual([{ isbn: 'a-1', name: 'Harbour Tales' }])
  expect(await documentsOf(engine, 'films')).toHaveLength(5)
  expect(await found(engine, 'harbuor')).toEqual([2, 1])
  expect(await found(engine, 'port')).toEqual([2, 1])
  expect(await found(engine, '', 'tags = SEA')).toEqual([1, 2])
  expect(await found(engine, '', 'year > 1990')).toEqual([1, 2])
  expect(await found(engine, '', '_geoRadius(48.9, 2.4, 1000)')).toEqual([2])
  expect(await found(engine, 'dampfschiff')).toEqual([4])
  expect(await found(engine, '电影')).toEqual([5])
}

/** Vectors, a shape and a key, which the builds of the first fixtures were not asked for. */
async function expectPoints(engine: TestEngine): Promise<void> {
  const nearest = await searchFor(engine, 'points', {
    vector: Float64Array.of(1, 6, 4, 2),
    hybrid: { embedder: 'default', semanticRatio: 1 },
    limit: 1,
  })
  expect(nearest.hits).toEqual([{ id: 104 }])
  const filter = '_geoPolygon([48, 2], [49, 2], [49, 3], [48, 3])'
  expect((await searchFor(engine, 'points', { filter })).hits).toMatchObject([{ id: 7 }])
  expect(engine.keys.list().length).toBeGreaterThan(0)
}

/** Neighbours that doubles do not tell apart. */
async function expectNumbers(engine: TestEngine): Promise<void> {
  const count = async (filter: string): Promise<number> =>
    (await searchFor(engine, 'numbers', { filter })).hits.length
  expect(await count('id = 712345678901234561')).toBe(1)
  expect(await count('id > 712345678901234560')).toBe(2)
  expect(await count('owner 9007199254740992 TO 9007199254740992')).toBe(1)
  expect(await count('owner != 9007199254740993')).toBe(2)
}

/** Objects of an array that meet a whole condition. */
async function expectElements(engine: TestEngine): Promise<void> {
  const filter = 'variants[color = red AND size = 42]'
  const { hits } = await searchFor(engine, 'shirts', { filter })
  expect(hits.map(({ id }: { id: number }) => id)).toEqual([2, 3])
}

const hasElements = (name: string): boolean => name.endsWith('-elements')

/** Texts that share their first bytes. */
async function expectValues(engine: TestEngine): Promise<void> {
  for (const [id, end] of ['a', 'b'].entries()) {
    const filter = `address = "${'long '.repeat(120)}${end}"`
    expect((await searchFor(engine, 'values', { filter })).hits).toMatchObject([{ id }])
  }
}

/** Vectors in lists: a document has 32 of 256 directions, from that of its id on. */
async function expectCircle(engine: TestEngine): Promise<void> {
  for (const direction of [0, 100, 255]) {
    const angle = (direction * Math.PI) / 128
    const { hits } = await searchFor(engine, 'circle', {
      vector: Float64Array.of(Math.cos(angle), Math.sin(angle)),
      hybrid: { embedder: 'default', semanticRatio: 1 },
      limit: 20,
    })
    expect(hits).toHaveLength(20)
    // Codes of two dimensions hardly tell neighbouring directions apart.
    for (const { id } of hits) expect((direction - id + 513) % 256).toBeLessThan(34)
  }
}

const hasCircle = (name: string): boolean => name === 'vector-lists'
const hasValues = (name: string): boolean => name.endsWith('-values')
const hasNumbers = (name: string): boolean => name.endsWith('-numbers')
const hasPoints = (name: string): boolean => versions.get(name)!.has('VECT/CODE')

describe.each(names)('%s', (name) => {
  const files = filesOf(name)

  it.runIf(isOld(name))('is refused with advice, and left unchanged', async () => {
    const root = unpacked(files)
    const error: Error = await open(root, false).then(
      () => expect.unreachable('it opens'),
      (refusal) => refusal,
    )
    expect(error.message).toContain(
      `incompatible with your current engine version (${releaseOf(name)}).`,
    )
    expect(error.message).toContain('`--upgrade-db`')
    const now = contentOf(root, files)
    expect(Object.keys(files).filter((path) => now[path] !== files[path])).toEqual([])
  })

  it('opens, after an upgrade if it is old, keeps everything, and answers', async () => {
    const root = unpacked(files)
    const engine = await open(root, isOld(name))
    await engine.idle()
    const tasks = await allTasks(engine)
    const statuses = tasks.map(({ status }) => status)
    expect(statuses.slice(0, 8)).toEqual([...Array(7).fill('succeeded'), 'failed'])
    expect(new Set(statuses.slice(8))).toEqual(new Set(['succeeded']))
    if (isOld(name)) {
      expect(tasks.at(-1)!.details).toEqual({
        upgradeFrom: `v${releaseOf(name)}`,
        upgradeTo: `v${releaseOf(name)}`,
      })
    }
    const uids = engine.documents.listIndexes(null).map(({ uid }) => uid)
    const more = hasPoints(name) ? ['points'] : []
    if (hasNumbers(name)) more.unshift('numbers')
    if (hasElements(name)) more.push('shirts')
    if (hasValues(name)) more.push('values')
    if (hasCircle(name)) more.push('circle')
    expect(uids).toEqual(['books', 'films', 'nothing', ...more].sort())
    await expectFilms(engine)
    if (hasPoints(name)) await expectPoints(engine)
    if (hasNumbers(name)) await expectNumbers(engine)
    if (hasElements(name)) await expectElements(engine)
    if (hasValues(name)) await expectValues(engine)
    if (hasCircle(name)) await expectCircle(engine)
    await engine.allMerged()
    await engine.close()
    const again = await open(root, false)
    await expectFilms(again)
    await again.close()
  })
})

describe.each(namesOf('.snapshot'))('the snapshot of %s', (name) => {
  it('is restored, and opens as its database does', async () => {
    const disk = new FakeDisk()
    const archive = fileBytes(new RealFileSystem(fixtures), `${name}.snapshot`)
    await restoreArchive(archive, disk.mount(), { progress: () => undefined })
    disk.kill()
    const options = { upgrade: isOld(name), version: releaseOf(name) }
    const engine = await openTestEngine(disk.mount(), options)
    await engine.idle()
    await expectFilms(engine)
    await expectPoints(engine)
    if (hasNumbers(name)) await expectNumbers(engine)
    if (hasElements(name)) await expectElements(engine)
    if (hasValues(name)) await expectValues(engine)
    await engine.close()
  })
})

describe.each(namesOf('.dump'))('the dump of %s', (name) => {
  it('is imported into a database that answers like the old one', async () => {
    const engine = await openFromDump(new RealFileSystem(fixtures), name)
    await expectFilms(engine)
    await expectPoints(engine)
    if (hasNumbers(name)) await expectNumbers(engine)
    if (hasElements(name)) await expectElements(engine)
    if (hasValues(name)) await expectValues(engine)
    await engine.close()
  })
})

/** Analysis 1 was never recorded: segments of that time do not tell their analysis, which is 0. */
const firstOf = (format: string): number => (format.endsWith('analysis') ? 0 : 1)
const NEVER_WRITTEN: readonly string[] = ['TEXT analysis 1', 'COLS analysis 1']

/** Returns the versions of all formats that this build writes. */
async function writtenNow(): Promise<ReturnType<typeof versionsIn>> {
  const root = join(folder, 'now')
  mkdirSync(root)
  const engine = await open(root, false)
  const patch = {
    filterableAttributes: ['_geo', '_geojson', 'year'],
    infixSearch: { attributes: ['title'] },
    embedders: { default: { source: 'userProvided', dimensions: 2 } },
  }
  const settings = { kind: 'settingsUpdate', patch, isDeletion: false, allowIndexCreation: true }
  await enqueue(engine, 'films', { ...settings, kind: 'settingsUpdate' })
  const film = (id: number) => ({
    id,
    title: `film ${id}`,
    // Large: with residues.
    year: 2 ** 53 + 2 * id,
    _geo: { lat: 1, lng: 2 },
    _geojson: { type: 'Point', coordinates: [1, 2] },
    _vectors: { default: [1, id] },
  })
  await addDocuments(
    engine,
    'films',
    Array.from({ length: 300 }, (_, id) => film(id)),
  )
  await engine.idle()
  await addDocuments(engine, 'films', [film(1)])
  await engine.idle()
  await engine.close()
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return versionsIn(new Map(paths.map((path) => [relative(root, path), readFileSync(path)])))
}

describe('versions of formats', () => {
  it('are in a database each, from the first to the one that is written now', async () => {
    const kept = new Set(
      [...versions.values()].flatMap((found) =>
        [...found].flatMap(([format, all]) => [...all].map((version) => `${format} ${version}`)),
      ),
    )
    const now = await writtenNow()
    expect([...now.keys()].sort()).toEqual(expect.arrayContaining(['TEXT/META', 'VECT/CODE']))
    const lists = versions.get('vector-lists')!
    expect([lists.get('VECT/EMBS'), lists.get('VECT/LIST')]).toEqual([
      new Set([1, 2]),
      new Set([1]),
    ])
    const wanted = [...now].flatMap(([format, all]) => {
      const first = firstOf(format)
      const past = Array.from({ length: Math.max(...all) + 1 - first }, (_, i) => first + i)
      return past.map((version) => `${format} ${version}`)
    })
    const missing = wanted.filter((one) => !kept.has(one) && !NEVER_WRITTEN.includes(one))
    expect(missing, 'fixtures/databases/make.mjs makes a database with a new version').toEqual([])
    for (const name of ['text', 'columns'] as const) {
      const { kind, analysis } = profileNamed(name)
      expect(now.get(`${kind} analysis`)).toEqual(new Set([analysis!.version]))
    }
  })

  it('come with a dump and a snapshot of the same build', () => {
    expect(namesOf('.dump').length).toBeGreaterThan(0)
    expect(namesOf('.dump')).toEqual(namesOf('.snapshot'))
    expect(namesOf('.dump').filter((name) => !names.includes(name))).toEqual([])
  })
})

test('words that were found by a text inside of them still are', async () => {
  const engine = await open(unpacked(filesOf('infixes')), true)
  await engine.idle()
  expect(await found(engine, 'schifffahrt')).toEqual([4])
  expect(await found(engine, 'arbou')).toEqual([2, 1])
  await engine.close()
})

test('rules whose actions are a list are read as an object, and so are the tasks about them', async () => {
  const root = unpacked(filesOf('array-actions'))
  const engine = await open(root, true)
  await engine.idle()
  const actions = {
    pin: [
      { indexUid: 'films', id: '3', position: 0 },
      { id: '4', position: 1 },
    ],
  }
  expect(engine.administration.rules()).toMatchObject([
    { uid: 'empty', description: 'No actions', actions: {} },
    { uid: 'sea', precedence: 2, conditions: { query: { words: 'harbour' } }, actions },
  ])
  expect(await found(engine, 'harbour')).toEqual([3, 4, 2, 1])
  const details = (await allTasks(engine)).flatMap((task) =>
    task.kind === 'dsrUpdate' ? [task.details] : [],
  )
  expect(details[0]).toMatchObject({ rule: { precedence: 2, actions } })
  // A rewritten log holds details instead of contents.
  await engine.tasks.compact()
  expect((await engine.tasks.get(asTaskUid(8), null))!.details).toEqual(details[0])
  await engine.close()
})
