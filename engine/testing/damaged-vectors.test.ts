// A vectors segment with a flipped bit: searches that read it fail with an error that names the
// file, other requests are answered as before, and no wrong hit is returned.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { StorageError } from '../model/index.ts'
import { RealFileSystem, randomOf } from '../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  openTestEngine,
  searchFor,
  type TestEngine,
} from './test-engine.ts'

const DOCUMENTS = 700
const DIMENSIONS = 24
const FLIPS = 30
const SEED = 5

const folder = mkdtempSync(join(tmpdir(), 'svc-vectors-'))
const sound = join(folder, 'sound')
let file = ''

const vectorOf = (id: number): number[] =>
  Array.from({ length: DIMENSIONS }, (_, d) => Math.fround(Math.sin(id * 1.7 + d * d)))

const open = (path: string): Promise<TestEngine> =>
  openTestEngine(RealFileSystem.create(path), { restMs: 1e9 })

const words = (engine: TestEngine) => searchFor(engine, 'i', { q: 'lamp', filter: 'n = 3' })
const nearest = (engine: TestEngine, id: number) =>
  searchFor(engine, 'i', {
    vector: Float64Array.from(vectorOf(id)),
    hybrid: { embedder: 'e', semanticRatio: 1 },
    limit: 5,
  })

beforeAll(async () => {
  const engine = await open(sound)
  const embedders = { e: { source: 'userProvided', dimensions: DIMENSIONS } }
  await changeSettings(engine, 'i', { filterableAttributes: ['n'], embedders })
  const documents = Array.from({ length: DOCUMENTS }, (_, id) => ({
    id,
    n: id % 7,
    title: id % 2 === 0 ? 'lamp' : 'chair',
    _vectors: { e: vectorOf(id) },
  }))
  await addDocuments(engine, 'i', documents)
  await engine.allMerged()
  await engine.close()
  file = readdirSync(join(sound, 'segments')).find((name) => name.endsWith('.vecs'))!
  expect(file).toBeDefined()
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true }))

/** Returns a copy whose vectors segment has one changed bit. */
function damaged(at: number, bit: number): string {
  const path = join(folder, 'damaged')
  rmSync(path, { recursive: true, force: true })
  cpSync(sound, path, { recursive: true })
  const bytes = readFileSync(join(path, 'segments', file))
  bytes[at]! ^= 1 << bit
  writeFileSync(join(path, 'segments', file), bytes)
  return path
}

it(`is named, and keyword searches answer (seed ${SEED})`, async () => {
  const random = randomOf(SEED)
  const size = readFileSync(join(sound, 'segments', file)).length
  const reference = await open(sound)
  const expectedWords = (await words(reference)).hits
  const expectedNearest = await Promise.all(
    [3, 40].map(async (id) => (await nearest(reference, id)).hits),
  )
  await reference.close()
  let failures = 0
  for (let flip = 0; flip < FLIPS; flip++) {
    const engine = await open(damaged(random.below(size), random.below(8)))
    expect((await words(engine)).hits).toEqual(expectedWords)
    for (const [i, id] of [3, 40].entries()) {
      try {
        expect((await nearest(engine, id)).hits).toEqual(expectedNearest[i])
      } catch (error) {
        expect(error).toBeInstanceOf(StorageError)
        const { message } = error as StorageError
        expect(message).toContain(file)
        failures++
      }
    }
    expect((await words(engine)).hits).toEqual(expectedWords)
    await engine.close()
  }
  expect(failures).toBeGreaterThan(0)
}, 120_000)

it('fails the batches that read it, and leaves the index unchanged', async () => {
  const path = damaged(readFileSync(join(sound, 'segments', file)).length - 5, 3)
  const engine = await open(path)
  const before = await words(engine)
  const { uid } = await addDocuments(engine, 'i', [
    { id: 3, title: 'lamp', n: 3, _vectors: { e: vectorOf(9) } },
  ])
  await engine.allMerged()
  const task = await engine.tasks.get(uid, null)
  expect(['succeeded', 'failed']).toContain(task!.status)
  if (task!.status === 'failed') expect(JSON.stringify(task!.error)).toContain(file)
  const after = await words(engine)
  if (task!.status === 'failed') expect(after.hits).toEqual(before.hits)
  else expect(after.hits).toHaveLength(before.hits.length + 1)
  await engine.close()
}, 60_000)
