// A small database on a real disk, created by the engine: several indexes, segments in files and
// inside the manifest, dead documents, a waiting task with its body. For tests.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openManifest } from '../engine/store/catalog/index.ts'
import { RealFileSystem } from '../engine/store/storage/index.ts'
import type { TaskContent } from '../engine/task-kinds/index.ts'
import { addDocuments, enqueue, openTestEngine } from '../engine/testing/test-engine.ts'
import type { Change } from '../format/manifest/index.ts'

const WORDS = ['harbour', 'mountain', 'quiet', 'größe', 'star', 'stars', 'starling', 'night', 'sea']

/** Returns film number `id`; the id determines all its members. */
export const film = (id: number) => ({
  id,
  title: `${WORDS[id % 9]} ${WORDS[(id * 7 + 3) % 9]} ${id}`,
  overview: Array.from({ length: 30 }, (_, i) => `${WORDS[(id + i * i) % 9]}${(id * i) % 50}`).join(
    ' ',
  ),
  year: 1950 + (id % 70),
  genres: [['drama'], ['drama', 'comedy'], []][id % 3],
  ...(id % 4 === 0 ? { _geo: { lat: (id % 90) / 2, lng: id % 180 } } : {}),
  ...(id % 5 === 0 ? { note: { author: `A${id % 7}`, stars: id % 6 } } : {}),
})

const films = (from: number, to: number): object[] =>
  Array.from({ length: to - from }, (_, i) => film(from + i))

const settings = (patch: object): TaskContent =>
  ({ kind: 'settingsUpdate', patch, isDeletion: false, allowIndexCreation: true }) as TaskContent

export type MadeDatabase = {
  readonly path: string
  /** Number of live documents in index `films`. */
  readonly films: number
  remove(): void
}

/** `large`: films of the first import; from 300 on, segments are separate files. */
export async function makeDatabase(large = 300): Promise<MadeDatabase> {
  const root = mkdtempSync(join(tmpdir(), 'svc-tools-'))
  const path = join(root, 'data.ms')
  await fill(path, large)
  await leaveWaiting(path)
  return {
    path,
    films: large - 2 + 3,
    remove: () => rmSync(root, { recursive: true }),
  }
}

async function fill(path: string, large: number): Promise<void> {
  const engine = await openTestEngine(RealFileSystem.create(path), { restMs: 1e9 })
  const patch = {
    filterableAttributes: ['year', 'genres', '_geo'],
    sortableAttributes: ['year'],
    searchableAttributes: ['title', 'overview', 'note'],
  }
  await enqueue(engine, 'films', settings(patch))
  await addDocuments(engine, 'films', films(0, large))
  await engine.idle()
  await addDocuments(engine, 'films', [
    { ...film(7), title: 'another title' },
    ...films(large, large + 3),
  ])
  await engine.idle()
  await enqueue(engine, 'films', { kind: 'documentDeletion', by: 'ids', ids: ['3', '4'] })
  await addDocuments(engine, 'films', [{ id: 11, year: 1900 }], { method: 'update' })
  await addDocuments(engine, 'books', [{ isbn: 'a-1', name: 'One' }, { isbn: 'b-2' }], {
    primaryKey: 'isbn',
  })
  await engine.idle()
  await addDocuments(engine, 'books', [{ isbn: 'b 2' }])
  await engine.idle()
  await engine.close()
}

/** Adds a task with a body in a file, and does not run it. */
async function leaveWaiting(path: string): Promise<void> {
  const engine = await openTestEngine(RealFileSystem.create(path), {
    batchTasksMax: 0,
    restMs: 1e9,
  })
  await addDocuments(engine, 'films', films(0, 400))
  await addDocuments(engine, 'films', films(0, 1))
  await engine.close()
}

/** Dimensions of the vectors of `makeVectors`. */
export const VECTOR_DIMENSIONS = 32

/** Returns the vector of film `id` for the embedder. */
export const filmVector = (id: number): readonly number[] =>
  Array.from({ length: VECTOR_DIMENSIONS }, (_, d) => Math.fround(Math.sin(id * 1.7 + d * d + 1)))

/**
 * Creates index `films` with this number of documents and vectors for the embedder `own`, in files.
 */
export async function makeVectors(documents = 700): Promise<MadeDatabase> {
  const root = mkdtempSync(join(tmpdir(), 'svc-tools-'))
  const path = join(root, 'data.ms')
  const engine = await openTestEngine(RealFileSystem.create(path), { restMs: 1e9 })
  const own = { source: 'userProvided', dimensions: VECTOR_DIMENSIONS }
  const all = films(0, documents) as readonly { readonly id: number }[]
  await enqueue(engine, 'films', settings({ embedders: { own } }))
  const withVectors = all.map((one) => ({ ...one, _vectors: { own: filmVector(one.id) } }))
  await addDocuments(engine, 'films', withVectors)
  await engine.allMerged()
  await engine.close()
  return { path, films: documents, remove: () => rmSync(root, { recursive: true }) }
}

/** Commits an edit that a sound engine would not make. */
export async function commitEdit(path: string, changes: readonly Change[]): Promise<void> {
  const options = { version: '1.50.0', upgrade: false, drawLogSalt: () => 7 }
  const manifest = await openManifest(new RealFileSystem(path), options)
  await manifest.commit(changes)
  await manifest.close()
}
