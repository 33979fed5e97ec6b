// Databases that earlier builds wrote (fixtures/databases): each is refused with advice and
// unchanged, or taken over and answers like a new one.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { RealFileSystem } from '../store/storage/index.ts'
import { allTasks, documentsOf, openTestEngine, searchFor, type TestEngine } from './test-engine.ts'

const fixtures = join(import.meta.dirname, '../../fixtures/databases')
const names = readdirSync(fixtures).flatMap((name) => /^(.+)\.json\.gz$/.exec(name)?.[1] ?? [])
const folder = mkdtempSync(join(tmpdir(), 'svc-old-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Files = { readonly [path: string]: string }

const filesOf = (name: string): Files =>
  JSON.parse(gunzipSync(readFileSync(join(fixtures, `${name}.json.gz`))).toString())

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

const open = (root: string, upgrade: boolean): Promise<TestEngine> =>
  openTestEngine(new RealFileSystem(root), { path: root, upgrade })

async function found(engine: TestEngine, q: string, filter: string | null = null) {
  const { hits } = await searchFor(engine, 'films', { q, filter })
  return hits.map(({ id }: { id: number }) => id)
}

describe.each(names)('%s', (name) => {
  const files = filesOf(name)

  it('is refused with advice, and left unchanged', async () => {
    const root = unpacked(files)
    const error: Error = await open(root, false).then(
      () => expect.unreachable('it opens'),
      (refusal) => refusal,
    )
    expect(error.message).toContain('incompatible with your current engine version (1.50.0).')
    expect(error.message).toContain('`--upgrade-db`')
    const now = contentOf(root, files)
    expect(Object.keys(files).filter((path) => now[path] !== files[path])).toEqual([])
  })

  it('is taken over, keeps everything, and answers like a new one', async () => {
    const root = unpacked(files)
    const engine = await open(root, true)
    await engine.idle()
    const tasks = await allTasks(engine)
    expect(tasks.map(({ status }) => status)).toEqual([
      ...Array(7).fill('succeeded'),
      'failed',
      'succeeded',
    ])
    expect(tasks.at(-1)!.details).toEqual({ upgradeFrom: 'v1.50.0', upgradeTo: 'v1.50.0' })
    expect(engine.documents.listIndexes(null).map(({ uid }) => uid)).toEqual([
      'books',
      'films',
      'nothing',
    ])
    expect(await documentsOf(engine, 'books')).toEqual([{ isbn: 'a-1', name: 'Harbour Tales' }])
    expect(await documentsOf(engine, 'films')).toHaveLength(5)
    expect(await found(engine, 'harbuor')).toEqual([2, 1])
    expect(await found(engine, 'port')).toEqual([2, 1])
    expect(await found(engine, '', 'tags = SEA')).toEqual([1, 2])
    expect(await found(engine, '', 'year > 1990')).toEqual([1, 2])
    expect(await found(engine, '', '_geoRadius(48.9, 2.4, 1000)')).toEqual([2])
    expect(await found(engine, 'dampfschiff')).toEqual([4])
    expect(await found(engine, '电影')).toEqual([5])
    await engine.allMerged()
    await engine.close()
    const again = await open(root, false)
    expect(await found(again, 'song')).toEqual([3])
    await again.close()
  })
})
