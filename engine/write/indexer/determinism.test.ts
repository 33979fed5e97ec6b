// Segments do not depend on the number of threads that build them: the same work with one and
// with three threads leaves the same files with the same bytes under the same numbers, the same state of
// the manifest, and fails with the same fault.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundleInto } from '../../../fixtures/bundle.ts'
import { applyPatch, defaultSettings, type IndexSettings } from '../../settings/index.ts'
import { RealFileSystem } from '../../store/storage/index.ts'
import { type Builders, startBuilders } from './builders.ts'
import { threadsAtOnce } from './chunk-size.ts'
import { type Document, deletionOf, importOf, SmallIndex } from './test-support.ts'

const THREADS = [1, 3]
const CHUNK_BYTES_MAX = 120_000
const folder = mkdtempSync(join(tmpdir(), 'svc-determinism-'))
const program = join(folder, 'index-worker.mjs')
beforeAll(() => void bundleInto(folder, 'engine/write/indexer/worker.ts', 'index-worker.mjs'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Building threads that count the segments they accepted. */
class CountedBuilders implements Builders {
  readonly #builders: Builders
  accepted = 0

  constructor(root: string, count: number) {
    const shared = new SharedArrayBuffer(64)
    const data = { root, niceness: 0, shared, thread: 0 }
    this.#builders = startBuilders(count, pathToFileURL(program), data)
  }

  get count(): number {
    return this.#builders.count
  }

  offer(...task: Parameters<Builders['offer']>): boolean {
    const accepted = this.#builders.offer(...task)
    if (accepted) this.accepted++
    return accepted
  }

  documentsRead(): number {
    return this.#builders.documentsRead()
  }

  collect(): ReturnType<Builders['collect']> {
    return this.#builders.collect()
  }
}

let databases = 0
/** An index in a separate folder built by this many threads, and a way to wait for them. */
function newIndex(threads: number, settings: IndexSettings) {
  const root = join(folder, `data-${databases++}`)
  const fs = RealFileSystem.create(root)
  for (const name of ['segments', 'tasks', 'tasks/bodies']) fs.makeDirectory(name)
  const builders = threads > 1 ? new CountedBuilders(root, threads - 1) : null
  return { root, builders, index: new SmallIndex(settings, fs, builders) }
}

/** Builds indexes until another thread has taken part, which is then running. */
async function untilShared({ root, builders, index }: ReturnType<typeof newIndex>): Promise<void> {
  if (builders === null) return
  while (builders.accepted === 0) {
    const probe = new SmallIndex(defaultSettings(), index.fs, builders)
    await probe.run([importOf(documents(500))], CHUNK_BYTES_MAX)
    for (const name of readdirSync(join(root, 'segments'))) index.fs.remove(`segments/${name}`)
    await sleep(20)
  }
  builders.accepted = 0
}

const documents = (count: number, more: (id: number) => Document = () => ({})): Document[] =>
  Array.from({ length: count }, (_, id) => ({
    id,
    title: `Film number ${id} of word${(id * 31) % 97}`,
    text: Array.from({ length: 30 }, (_, i) => `w${(id * 7919 + i * i * 31) % 4001}`).join(' '),
    price: (id * 7919) % 1000,
    maker: { name: `maker ${id % 13}`, [`since${id % 5}`]: 1900 + (id % 100) },
    ...more(id),
  }))

const settings = (patch: object): IndexSettings => applyPatch(defaultSettings(), patch).settings

/** Additions, updates of few and of unsearched fields, deletions, a rebuild, a merge. */
async function work(index: SmallIndex): Promise<void> {
  const run = (operations: Parameters<SmallIndex['run']>[0]) =>
    index.run(operations, CHUNK_BYTES_MAX)
  await run([importOf(documents(3000))])
  const changed = documents(2000, (id) => (id % 3 === 0 ? { title: `renamed ${id}`, new: id } : {}))
  const ids = Array.from({ length: 150 }, (_, i) => String(i * 17))
  await run([importOf(changed, { method: 'update' }), deletionOf('ids', ids)])
  await run([importOf(documents(1500, (id) => ({ price: id })))])
  await index.rebuild(
    settings({ searchableAttributes: ['title'], filterableAttributes: ['price', 'maker'] }),
    CHUNK_BYTES_MAX,
  )
  await run([importOf(documents(1200, (id) => ({ 'unsearched field': id })))])
  await index.merge()
  await run([importOf(documents(700, (id) => ({ title: `again ${id}` })))])
}

const filesOf = (root: string): Map<string, Buffer> => {
  const names = readdirSync(join(root, 'segments')).sort()
  return new Map(names.map((name) => [name, readFileSync(join(root, 'segments', name))]))
}

/** Returns the lengths of unequal files and their bytes around the first difference, or null. */
function differenceOf(a: Buffer, b: Buffer): string | null {
  if (a.equals(b)) return null
  const at = a.findIndex((byte, i) => byte !== b[i])
  const around = (bytes: Buffer) => bytes.toString('hex', Math.max(0, at - 16), at + 48)
  return `at ${at} of ${a.length} and ${b.length}: ${around(a)} and ${around(b)}`
}

it('leaves the same folder and the same state with any number of threads', async () => {
  const results = []
  for (const threads of THREADS) {
    const made = newIndex(threads, settings({ filterableAttributes: ['price'] }))
    await untilShared(made)
    await work(made.index)
    if (made.builders !== null) expect(made.builders.accepted).toBeGreaterThan(0)
    results.push({ files: filesOf(made.root), database: made.index.database })
  }
  const [alone, ...others] = results
  expect(alone!.files.size).toBeGreaterThan(6)
  for (const { files, database } of others) {
    expect([...files.keys()]).toEqual([...alone!.files.keys()])
    for (const [name, bytes] of files)
      expect(differenceOf(bytes, alone!.files.get(name)!), name).toBeNull()
    expect(database).toEqual(alone!.database)
  }
}, 120_000)

it('fails with the fault of the first faulty document with any number of threads', async () => {
  const faulty = documents(3000, (id) => (id === 900 || id === 2900 ? { _geo: `at ${id}` } : {}))
  for (const threads of THREADS) {
    const made = newIndex(threads, settings({ filterableAttributes: ['_geo'] }))
    await untilShared(made)
    const run = made.index.run([importOf(faulty)], CHUNK_BYTES_MAX)
    await expect(run).rejects.toThrow('at 900')
    expect(filesOf(made.root).size).toBe(0)
  }
}, 120_000)

it('allows as many threads as the memory permits, and always one', () => {
  expect(threadsAtOnce(1 << 30, 32 << 20)).toBe(2)
  expect(threadsAtOnce(1 << 30, 1 << 20)).toBe(64)
  expect(threadsAtOnce(1 << 20, 1 << 20)).toBe(1)
  // A thread more would exceed the limit.
  expect(threadsAtOnce((1 << 30) - 1, 32 << 20)).toBe(1)
  expect(threadsAtOnce(1 << 20, 0)).toBe(Number.POSITIVE_INFINITY)
})
