// The check of databases with vectors: counts are right in every layout, and damaged segments are
// named.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RealFileSystem } from '../../engine/store/storage/index.ts'
import { addDocuments, enqueue, openTestEngine } from '../../engine/testing/test-engine.ts'
import { asIndexNo } from '../../format/ids.ts'
import { findingText } from '../inspect/index.ts'
import { commitEdit, type MadeDatabase, makeVectors, VECTOR_DIMENSIONS } from '../test-support.ts'
import { checkDatabase, findingsOf } from './index.ts'

let made: MadeDatabase
beforeAll(async () => {
  made = await makeVectors()
}, 60_000)
afterAll(() => made.remove())

const SILENT = { at: () => undefined, end: () => undefined }
const OPTIONS = { lock: true, release: '1.50.0', openProgress: () => SILENT }
const problemsOf = (path: string): string[] =>
  findingsOf(checkDatabase(path, OPTIONS)).map(findingText)

it('counts fields as vectors move between documents and their layer', async () => {
  const path = `${made.path}-moved`
  cpSync(made.path, path, { recursive: true })
  const own = { source: 'userProvided', dimensions: VECTOR_DIMENSIONS }
  const other = { source: 'userProvided', dimensions: 1 }
  for (const embedders of [{ own: null }, { own }, { own, other }, { own: null, other: null }]) {
    const engine = await openTestEngine(new RealFileSystem(path), { path, restMs: 1e9 })
    const patch = { embedders } as never
    await enqueue(engine, 'films', {
      kind: 'settingsUpdate',
      patch,
      isDeletion: false,
      allowIndexCreation: true,
    })
    if (!('other' in embedders)) {
      await addDocuments(engine, 'films', [{ id: 3, _vectors: { own: null, other: [1] } }])
    }
    await engine.allMerged()
    await engine.close()
    expect(problemsOf(path), JSON.stringify(embedders)).toEqual([])
  }
  rmSync(path, { recursive: true })
}, 60_000)

it('finds wrong counts of vectors', async () => {
  const path = `${made.path}-counted`
  cpSync(made.path, path, { recursive: true })
  await commitEdit(path, [
    { kind: 'vector-counts', index: asIndexNo(1), vectors: 2, documents: -1 },
  ])
  const counts = 'the number of vectors differs from the manifest'
  expect(problemsOf(path)).toEqual([
    expect.stringContaining(`${counts}: 700 of 700 documents instead of 702 of 699 documents`),
  ])
  rmSync(path, { recursive: true })
})

it('names the damaged vectors segment for damage anywhere', () => {
  const path = `${made.path}-damaged`
  cpSync(made.path, path, { recursive: true })
  const name = readdirSync(join(path, 'segments')).find((file) => file.endsWith('.vecs'))!
  const file = join(path, 'segments', name)
  const sound = readFileSync(file)
  for (let at = 0; at < sound.length; at += 4999) {
    const bytes = Uint8Array.from(sound)
    bytes[at]! ^= 4
    writeFileSync(file, bytes)
    expect(problemsOf(path).join('\n'), `byte ${at}`).toContain(name)
  }
  rmSync(path, { recursive: true })
}, 60_000)
