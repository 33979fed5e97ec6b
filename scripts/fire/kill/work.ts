// Random work for a server, and its expected result: documents with vectors, settings, embedders
// and indexes that come and go. All of it follows from a seed.
import type { Random } from '../../../engine/store/storage/index.ts'
import { providedEmbedder } from './provider.ts'

export type Doc = {
  readonly id: number
  /** Its vector for the embedder `e`; null means no vector. */
  readonly _vectors?: { readonly e: readonly number[] | null }
  readonly [field: string]: unknown
}

/** A request of a client. */
export type Work = { readonly name: string } & (
  | {
      readonly kind: 'import'
      readonly index: string
      readonly method: 'POST' | 'PUT'
      readonly docs: readonly Doc[]
    }
  | { readonly kind: 'delete'; readonly index: string; readonly ids: readonly number[] }
  | { readonly kind: 'clear'; readonly index: string }
  | {
      readonly kind: 'settings'
      readonly index: string
      readonly patch: Settings
      readonly embedders: Partial<Embedders>
    }
  | { readonly kind: 'create'; readonly index: string }
  | { readonly kind: 'drop'; readonly index: string }
  | { readonly kind: 'swap'; readonly indexes: readonly [string, string] }
)

type Settings = { readonly [setting: string]: readonly string[] }
/** `e`: documents bring vectors for it; `r`: the first word of its template. */
type Embedders = { readonly e: boolean; readonly r: 'first' | 'second' | null }

export type Request = { readonly method: string; readonly path: string; readonly body?: object }

export const INDEXES = ['a', 'b', 'c'] as const
export const WORDS = ['harbour', 'mountain', 'quiet', 'song', 'light', 'winter', 'paper', 'stone']
const DEFAULTS: Settings = {
  filterableAttributes: [],
  sortableAttributes: [],
  searchableAttributes: ['*'],
  stopWords: [],
}

const PATCHES: readonly Settings[] = [
  { filterableAttributes: ['n'] },
  { filterableAttributes: ['n', 'text'], sortableAttributes: ['n'] },
  { searchableAttributes: ['text'] },
  { searchableAttributes: ['*'], stopWords: ['quiet'] },
  { stopWords: [], filterableAttributes: ['text'] },
]
const EMBEDDER_PATCHES: readonly Partial<Embedders>[] = [
  { e: true },
  { e: true, r: 'first' },
  { r: 'first' },
  { r: 'second' },
  { r: 'second' },
  { e: false },
  { r: null },
]
/** Every document states its vector: an embedder refuses documents without one. */
const VECTORS: readonly (readonly number[] | null)[] = [
  null,
  [1, 0],
  [0.5, 0.5],
  [-0.25, 1],
  [0, -1],
]
/**
 * Small enough that documents are written several times, large enough for segments of some size.
 */
const IDS = 3000
const LARGE_DOCUMENTS = 1500

/** Returns true for works that are named in the task's metadata and may run in parallel. */
export const isNamed = ({ kind }: Work): boolean =>
  kind === 'import' || kind === 'delete' || kind === 'clear'

/** Work on documents. */
export function documentWork(random: Random, name: string): Work {
  const index = INDEXES[random.below(random.below(2) === 0 ? 1 : INDEXES.length)]!
  const kind = random.below(30)
  if (kind === 0) return { name, kind: 'clear', index }
  if (kind <= 5) return { name, kind: 'delete', index, ids: someIds(random) }
  const large = random.below(8) === 0
  const count = large ? LARGE_DOCUMENTS : 1 + random.below(random.below(3) === 0 ? 200 : 12)
  const docs = Array.from({ length: count }, () => document(random))
  return { name, kind: 'import', index, method: random.below(2) === 0 ? 'POST' : 'PUT', docs }
}

/** Work on indexes and settings. */
export function indexWork(random: Random, name: string): Work {
  const index = INDEXES[random.below(INDEXES.length)]!
  const kind = random.below(10)
  if (kind <= 5) {
    const isOfEmbedders = random.below(2) === 0
    const patch = isOfEmbedders ? {} : PATCHES[random.below(PATCHES.length)]!
    const embedders = isOfEmbedders ? EMBEDDER_PATCHES[random.below(EMBEDDER_PATCHES.length)]! : {}
    return { name, kind: 'settings', index, patch, embedders }
  }
  if (kind <= 6) return { name, kind: 'create', index }
  if (kind <= 7) return { name, kind: 'drop', index }
  const other = INDEXES[(INDEXES.indexOf(index) + 1) % INDEXES.length]!
  return { name, kind: 'swap', indexes: [index, other] }
}

/** Adds an embedder for the documents of the index with the most documents. */
export function embedderWork(random: Random, name: string): Work {
  const r = random.below(2) === 0 ? 'first' : 'second'
  return { name, kind: 'settings', index: INDEXES[0], patch: {}, embedders: { r } }
}

const someIds = (random: Random): number[] =>
  Array.from({ length: 1 + random.below(random.below(3) === 0 ? 1000 : 5) }, () =>
    random.below(IDS),
  )

function document(random: Random): Doc {
  const words = Array.from({ length: random.below(9) }, () => WORDS[random.below(WORDS.length)])
  const doc: { [field: string]: unknown } = {}
  if (random.below(3) > 0) doc['text'] = words.join(' ')
  if (random.below(3) > 0) doc['n'] = random.below(10)
  if (random.below(40) === 0) doc['long'] = `${'filler '.repeat(2000)}${random.below(1000)}`
  const e = VECTORS[random.below(VECTORS.length + 1)] ?? null
  return { id: random.below(IDS), ...doc, _vectors: { e } }
}

/** Returns the text that the embedder `r` embeds of a document, or null without that embedder. */
export const renderedText = (doc: { readonly [field: string]: unknown }, { r }: Embedders) =>
  r === null ? null : `${r} ${doc['text'] ?? ''}`

/** `provider`: its address. */
function embedderSettings({ e, r }: Partial<Embedders>, provider: string): object {
  const template = `${r} {% if doc.text %}{{ doc.text }}{% endif %}`
  const own = e === true ? { source: 'userProvided', dimensions: 2 } : null
  return {
    ...(e === undefined ? {} : { e: own }),
    ...(r === undefined ? {} : { r: r === null ? null : providedEmbedder(provider, template) }),
  }
}

/** `provider`: as for `embedderSettings`. */
export function requestOf(work: Work, provider: string): Request {
  const named = `customMetadata=${work.name}`
  switch (work.kind) {
    case 'import': {
      const path = `/indexes/${work.index}/documents?${named}`
      return { method: work.method, path, body: work.docs }
    }
    case 'delete': {
      const path = `/indexes/${work.index}/documents/delete-batch?${named}`
      return { method: 'POST', path, body: work.ids }
    }
    case 'clear':
      return { method: 'DELETE', path: `/indexes/${work.index}/documents?${named}` }
    case 'settings': {
      const embedders = embedderSettings(work.embedders, provider)
      const isOfEmbedders = Object.keys(embedders).length > 0
      const body = isOfEmbedders ? { ...work.patch, embedders } : work.patch
      return { method: 'PATCH', path: `/indexes/${work.index}/settings`, body }
    }
    case 'create':
      return { method: 'POST', path: '/indexes', body: { uid: work.index } }
    case 'drop':
      return { method: 'DELETE', path: `/indexes/${work.index}` }
    case 'swap':
      return { method: 'POST', path: '/swap-indexes', body: [{ indexes: work.indexes }] }
  }
}

export type Index = {
  readonly docs: Map<number, Doc>
  settings: Settings
  embedders: Embedders
}
export type Model = Map<string, Index>

/** Returns the result of these works on an empty database, one after another. */
export function modelOf(works: Iterable<Work>): Model {
  const model: Model = new Map()
  for (const work of works) apply(model, work)
  return model
}

function apply(model: Model, work: Work): void {
  switch (work.kind) {
    case 'import': {
      const { docs } = made(model, work.index)
      for (const doc of work.docs) {
        docs.set(doc.id, { ...(work.method === 'PUT' ? docs.get(doc.id) : {}), ...doc })
      }
      break
    }
    case 'delete':
      for (const id of work.ids) model.get(work.index)?.docs.delete(id)
      break
    case 'clear':
      model.get(work.index)?.docs.clear()
      break
    case 'settings': {
      const index = made(model, work.index)
      index.settings = { ...index.settings, ...work.patch }
      index.embedders = { ...index.embedders, ...work.embedders }
      break
    }
    case 'create':
      made(model, work.index)
      break
    case 'drop':
      model.delete(work.index)
      break
    case 'swap': {
      const [left, right] = work.indexes
      const [a, b] = [made(model, left), made(model, right)]
      model.set(left, b).set(right, a)
    }
  }
}

function made(model: Model, uid: string): Index {
  const known = model.get(uid)
  if (known !== undefined) return known
  const embedders = { e: false, r: null }
  const index: Index = { docs: new Map(), settings: DEFAULTS, embedders }
  model.set(uid, index)
  return index
}
