// Damaged vectors are repaired: readable ones stay, the others are reported as lost.

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RealFileSystem } from '../../engine/store/storage/index.ts'
import { documentsWithVectors, openTestEngine } from '../../engine/testing/test-engine.ts'
import { asIndexUid } from '../../format/ids.ts'
import { filmVector, type MadeDatabase, makeVectors } from '../test-support.ts'
import { repairDatabase, repairText } from './index.ts'
import type { RepairResult } from './repair.ts'

const SILENT = { at: () => undefined, end: () => undefined }
const folder = mkdtempSync(join(tmpdir(), 'svc-repair-'))
let made: MadeDatabase
beforeAll(async () => {
  made = await makeVectors()
}, 60_000)
afterAll(() => {
  made.remove()
  rmSync(folder, { recursive: true })
})

let copies = 0
/** Returns a copy in which one bit of the file with this extension is changed. */
function damaged(extension: string, at: (length: number) => number): string {
  const path = join(folder, `${++copies}`, 'data.ms')
  cpSync(dirname(made.path), dirname(path), { recursive: true })
  const segments = join(path, 'segments')
  const file = join(segments, readdirSync(segments).find((name) => name.endsWith(extension))!)
  const bytes = readFileSync(file)
  bytes[at(bytes.length)]! ^= 0x10
  writeFileSync(file, bytes)
  return path
}

const repair = (path: string): Promise<RepairResult> =>
  repairDatabase(path, {
    release: '1.50.0',
    isMeant: true,
    openProgress: () => SILENT,
    openCount: () => SILENT,
  })

type Shown = {
  readonly id: number
  readonly _vectors?: { readonly own?: { readonly embeddings: readonly number[][] } }
}

/**
 * Returns the ids of all documents, and of those with their vector; a wrong vector fails the test.
 */
async function left(path: string) {
  const engine = await openTestEngine(new RealFileSystem(path), { path, batchTasksMax: 0 })
  const documents = (await documentsWithVectors(engine, 'films')) as Shown[]
  const stats = engine.documents.indexStats(asIndexUid('films'))
  await engine.close()
  const own = (one: Shown) => one._vectors?.own?.embeddings ?? []
  const withVector = documents.filter((one) => own(one).length > 0)
  for (const one of withVector) expect(own(one)[0]!.map(Math.fround)).toEqual(filmVector(one.id))
  expect(stats.numberOfEmbeddings).toBe(withVector.length)
  expect(stats.numberOfEmbeddedDocuments).toBe(withVector.length)
  return { ids: documents.map(({ id }) => id), withVector: withVector.map(({ id }) => id) }
}

it('keeps readable vectors, and reports the others as lost', async () => {
  const path = damaged('.vecs', (length) => Math.floor(length / 3))
  const result = await repair(path)
  expect(result).toMatchObject({ isDone: true, left: [] })
  expect(result.steps.map(({ kind }) => kind)).toEqual(['salvage', 'rebuild'])
  const [lost] = result.lost
  expect(lost).toMatchObject({ what: 'vectors', index: 'films', documents: lost!.ids.length })
  expect(lost!.documents).toBeGreaterThan(0)
  expect(lost!.documents).toBeLessThan(made.films / 2)
  const { ids, withVector } = await left(path)
  expect(ids).toHaveLength(made.films)
  expect(withVector).toEqual(ids.filter((id) => !lost!.ids.includes(String(id))))
  expect(repairText(result)).toContain(`Lost: vectors of ${lost!.documents} documents of films`)
})

it('rebuilds codes without loss', async () => {
  const path = damaged('.vecs', (length) => length - 1000)
  expect(await repair(path)).toMatchObject({ isDone: true, left: [], lost: [] })
  expect((await left(path)).withVector).toHaveLength(made.films)
})

it('counts vectors if none can be read', async () => {
  const path = damaged('.vecs', (length) => length - 3)
  const result = await repair(path)
  expect(result).toMatchObject({ isDone: true, left: [] })
  expect(result.lost).toMatchObject([{ what: 'vectors', documents: made.films }])
  const { ids, withVector } = await left(path)
  expect([ids.length, withVector.length]).toEqual([made.films, 0])
})

it('removes the vectors of lost documents', async () => {
  const path = damaged('.docs', (length) => Math.floor(length / 3))
  const result = await repair(path)
  expect(result).toMatchObject({ isDone: true, left: [] })
  expect(result.lost.map(({ what }) => what)).toEqual(['documents'])
  const { ids, withVector } = await left(path)
  expect(ids.length).toBeLessThan(made.films)
  expect(withVector).toEqual(ids)
})
