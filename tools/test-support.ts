// A small database on a real disk, made by the engine itself: several indexes, segments in files
// and inside the manifest, dead documents, a task that waits with its body. For tests.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openManifest } from '../engine/store/catalog/index.ts'
import { RealFileSystem } from '../engine/store/storage/index.ts'
import type { TaskContent } from '../engine/task-kinds/index.ts'
import { addDocuments, enqueue, openTestEngine } from '../engine/testing/test-engine.ts'
import type { Change } from '../format/manifest/index.ts'

const WORDS = ['harbour', 'mountain', 'quiet', 'größe', 'star', 'stars', 'starling', 'night', 'sea']

/** One film of many; all of it follows from its number. */
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
  /** Of index `films`, live. */
  readonly films: number
  remove(): void
}

/** `large`: films of the first import; 300 and more make segments of their own files. */
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

/** A task with a body in a file, which nobody runs. */
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

/** What film `id` brings for the embedder. */
export const filmVector = (id: number): readonly number[] =>
  Array.from({ length: VECTOR_DIMENSIONS }, (_, d) => Math.fround(Math.sin(id * 1.7 + d * d + 1)))

/** Index `films` of so many documents with vectors for the embedder `own`, in files. */
export async function makeVectors(documents = 700): Promise<MadeDatabase> {
  const root = mkdtempSync(join(tmpdir(), 'svc-tools-'))
  const path = join(root, 'data.ms')
  const engine = await openTestEngine(RealFileSystem.create(path), { restMs: 1e9 })
  const own = { source: 'userProvided', dimensions: VECTOR_DIMENSIONS }
  const all = films(0, documents) as readonly { readonly id: number }[]
  await enqueue(engine, 'films', settings({ embedders: { own } }))
  const withVectors = all.map((one) => ({ ...one, _vectors: { own: filmVector(one.id) } }))
  await addDocuments(engine, 'films', withVectors)
  await engine.settle()
  await engine.close()
  return { path, films: documents, remove: () => rmSync(root, { recursive: true }) }
}

/** Commits an edit that a sound engine would not. */
export async function commitEdit(path: string, changes: readonly Change[]): Promise<void> {
  const options = { version: '1.50.0', upgrade: false, drawLogSalt: () => 7 }
  const manifest = await openManifest(new RealFileSystem(path), options)
  await manifest.commit(changes)
  await manifest.close()
}
