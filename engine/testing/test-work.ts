// Random work for an engine, and its expected result: used by tests of power failures and failing
// disks.
import { expect } from 'vitest'
import { asIndexUid } from '../../format/ids.ts'
import type { Random } from '../store/storage/index.ts'
import type { TaskContent } from '../task-kinds/index.ts'
import {
  addDocuments,
  allTasks,
  documentsWithVectors,
  enqueue,
  searchFor,
  type TestEngine,
} from './test-engine.ts'

type Doc = { readonly id: number; readonly [field: string]: unknown }
/** The vector that a document has for the embedder; `null` means no vector. */
type Brought = { readonly e: readonly number[] | null }
/** The form in which vectors are read back: with an embedder of that name, and without. */
type Shown = { readonly e: { readonly embeddings: readonly number[][] } | readonly number[] | null }

/** A request of a client. `name` is returned as the task's metadata. */
export type Work = { readonly name: string } & (
  | {
      readonly kind: 'import'
      readonly method: 'replace' | 'update'
      readonly docs: readonly Doc[]
    }
  | { readonly kind: 'delete'; readonly ids: readonly number[] }
  | { readonly kind: 'clear' }
  /** Removes some documents and changes the others. */
  | { readonly kind: 'edit'; readonly every: number; readonly word: string }
  | { readonly kind: 'settings'; readonly patch: object }
)

const WORDS = ['harbour', 'mountain', 'quiet', 'song', 'light', 'winter', 'paper', 'stone']
const PATCHES = [
  { filterableAttributes: ['n'] },
  { filterableAttributes: ['n', 'text'], sortableAttributes: ['n'] },
  { searchableAttributes: ['text'] },
  { searchableAttributes: ['*'], stopWords: ['quiet'] },
  { stopWords: [], filterableAttributes: ['text'] },
  { embedders: { e: { source: 'userProvided', dimensions: 2 } } },
  { embedders: { e: { source: 'userProvided', dimensions: 2 } }, filterableAttributes: ['n'] },
  { embedders: { e: null } },
]
/** Every document states its vector: an embedder refuses documents without one. */
const VECTORS: readonly Brought['e'][] = [null, [1, 0], [0.5, 0.5], [-0.25, 1], [0, -1]]

export function randomWork(random: Random, name: string): Work {
  const kind = random.below(20)
  if (kind === 0) return { name, kind: 'clear' }
  if (kind <= 3) return { name, kind: 'settings', patch: PATCHES[random.below(PATCHES.length)]! }
  if (kind <= 6) {
    const ids = Array.from({ length: 1 + random.below(5) }, () => random.below(40))
    return { name, kind: 'delete', ids }
  }
  if (kind === 7) {
    return { name, kind: 'edit', every: 2 + random.below(20), word: WORDS[random.below(8)]! }
  }
  const docs = Array.from({ length: 1 + random.below(12) }, () => randomDoc(random))
  return { name, kind: 'import', method: random.below(2) === 0 ? 'replace' : 'update', docs }
}

function randomDoc(random: Random): Doc {
  const words = Array.from({ length: random.below(6) }, () => WORDS[random.below(WORDS.length)])
  const doc: { [field: string]: unknown } = {}
  if (random.below(3) > 0) doc['text'] = words.join(' ')
  if (random.below(3) > 0) doc['n'] = random.below(10)
  // Sometimes a field that is long enough for a separate file.
  if (random.below(12) === 0) doc['long'] = `${'filler '.repeat(4000)}${random.below(1000)}`
  const vector = VECTORS[random.below(VECTORS.length)]!
  return { id: random.below(40), ...doc, _vectors: { e: vector } satisfies Brought }
}

const settingsContent = (patch: object): TaskContent => ({
  kind: 'settingsUpdate',
  patch: patch as never,
  isDeletion: false,
  allowIndexCreation: true,
})

const EDIT =
  'if doc.id % context.every == 1 { doc = () } else { doc.n = ((doc.n ?? 0) + 1) % 10; ' +
  'doc.text = (doc.text ?? "") + " " + context.word }'

function edited({ n, text, ...rest }: Doc, { every, word }: Edition): Doc | null {
  if (rest.id % every === 1) return null
  return { ...rest, n: (Number(n ?? 0) + 1) % 10, text: `${text ?? ''} ${word}` }
}

type Edition = Extract<Work, { kind: 'edit' }>

/** Resolves when the task is acknowledged. */
export function sendWork(engine: TestEngine, work: Work): Promise<unknown> {
  const { name } = work
  switch (work.kind) {
    case 'import':
      return addDocuments(engine, 'a', work.docs, { method: work.method, metadata: name })
    case 'delete': {
      const ids = work.ids.map(String)
      return enqueue(engine, 'a', { kind: 'documentDeletion', by: 'ids', ids }, name)
    }
    case 'clear':
      return enqueue(engine, 'a', { kind: 'documentDeletion', by: 'all' }, name)
    case 'settings':
      return enqueue(engine, 'a', settingsContent(work.patch), name)
    case 'edit': {
      const { every, word } = work
      const edition = { filter: null, context: { every, word }, function: EDIT }
      return enqueue(engine, 'a', { kind: 'documentEdition', ...edition }, name)
    }
  }
}

/** Returns the documents after the tasks of these names, on an empty database. */
function model(works: ReadonlyMap<string, Work>, names: readonly string[]): Map<number, Doc> {
  const docs = new Map<number, Doc>()
  for (const name of names) {
    const work = works.get(name)!
    if (work.kind === 'clear') docs.clear()
    if (work.kind === 'delete') for (const id of work.ids) docs.delete(id)
    if (work.kind === 'edit') {
      for (const [id, doc] of docs) {
        const after = edited(doc, work)
        if (after === null) docs.delete(id)
        else docs.set(id, after)
      }
    }
    if (work.kind !== 'import') continue
    for (const doc of work.docs) {
      const old = work.method === 'update' ? docs.get(doc.id) : undefined
      docs.set(doc.id, { ...old, ...doc })
    }
  }
  return docs
}

/**
 * Checks that all acknowledged tasks exist and have ended, and that the documents are their result.
 */
export async function checkWork(
  engine: TestEngine,
  works: ReadonlyMap<string, Work>,
  acknowledged: ReadonlySet<string>,
): Promise<void> {
  const tasks = await allTasks(engine)
  const names = tasks.map(({ customMetadata }) => customMetadata ?? '')
  for (const name of acknowledged) expect(names).toContain(name)
  const ended = ['succeeded', 'failed']
  for (const task of tasks) expect(ended, JSON.stringify(task)).toContain(task.status)
  const succeeded = names.filter((_, i) => tasks[i]!.status === 'succeeded')
  const expected = model(works, succeeded)
  if (engine.documents.listIndexes(null).length === 0) {
    expect(expected.size).toBe(0)
    return
  }
  const documents = await documentsWithVectors(engine, 'a')
  const found = new Map(documents.map((doc) => [(doc as Doc).id, withVector(doc as Doc)]))
  expect(byId(found)).toEqual(byId(expected))
  await checkNearest(engine, expected)
  const searchable = engine.documents.settings(asIndexUid('a'))['searchableAttributes'] as string[]
  const stops = engine.documents.settings(asIndexUid('a'))['stopWords'] as string[]
  for (const word of WORDS) {
    if (stops.includes(word)) continue
    const held = [...expected.values()].filter(({ text }) => `${text ?? ''}`.includes(word))
    const answer = await searchFor(engine, 'a', { q: `"${word}"` })
    expect(answer.estimatedTotalHits, `${word} in ${searchable}`).toBe(held.length)
  }
  const filterable = engine.documents.settings(asIndexUid('a'))['filterableAttributes'] as string[]
  if (!filterable.includes('n')) return
  for (let n = 0; n < 10; n++) {
    const held = [...expected.values()].filter((doc) => doc['n'] === n)
    const answer = await searchFor(engine, 'a', { filter: `n = ${n}` })
    expect(answer.estimatedTotalHits).toBe(held.length)
  }
}

/** Returns a document as it was sent, whether or not its vector is stored separately. */
function withVector(doc: Doc): Doc {
  const shown = (doc['_vectors'] as Shown | undefined)?.e ?? null
  const vector = shown !== null && 'embeddings' in shown ? shown.embeddings[0] : shown
  // After the removal of an embedder, a document without a vector has an empty list.
  return { ...doc, _vectors: { e: vector === undefined || vector?.length === 0 ? null : vector } }
}

/** Checks that searches by vector find every document that has one, the nearest first. */
async function checkNearest(engine: TestEngine, docs: ReadonlyMap<number, Doc>): Promise<void> {
  const { e } = engine.documents.settings(asIndexUid('a'))['embedders'] as { readonly e?: object }
  if (e === undefined) return
  const held = [...docs.values()].filter((doc) => (doc['_vectors'] as Brought).e !== null)
  const { hits } = await searchFor(engine, 'a', {
    hybrid: { embedder: 'e', semanticRatio: 1 },
    vector: Float64Array.of(1, 0),
    limit: 1000,
  })
  expect(hits).toHaveLength(docs.size)
  const cosine = (doc: Doc): number => {
    const [x, y] = (doc['_vectors'] as Brought).e!
    return x! / Math.hypot(x!, y!)
  }
  const nearest: readonly Doc[] = hits.slice(0, held.length)
  const cosines = nearest.map(({ id }) => cosine(docs.get(id)!))
  expect(cosines).toEqual(held.map(cosine).sort((a, b) => b - a))
}

const byId = (docs: ReadonlyMap<number, object>) =>
  [...docs].sort(([a], [b]) => a - b).map(([, doc]) => doc)
