// Indexes with embedders in a dump and out of it, while their provider is away: vectors, and which
// fragment each was made of, are what they were.

import { afterEach, expect, test } from 'vitest'
import { MiB } from '../../format/bytes/index.ts'
import type { OutgoingAnswer, OutgoingRequest } from '../model/index.ts'
import { FakeDisk, type FileSystem } from '../store/storage/index.ts'
import {
  addDocuments,
  enqueue,
  openTestEngine,
  type PLAIN_SEARCH,
  playedEmbedding,
  REST_EMBEDDER,
  searchFor,
  type TestEngine,
  withFragments,
} from '../testing/index.ts'
import { fillFromDump } from './import-dump.ts'

const open: TestEngine[] = []
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close()
})

type Asked = { readonly texts?: readonly string[]; readonly input?: readonly string[] }

/** By which the dimensions of an embedder are learnt. */
const TRIAL = 'test'

/** Answers like Ollama, and as the rest embedders of this test say. Keeps the texts. */
class Provider {
  readonly #texts: string[] = []
  isAway = false
  requests = 0

  readonly send = async ({ body }: OutgoingRequest): Promise<OutgoingAnswer> => {
    this.requests++
    if (this.isAway) return { status: 422, body: Buffer.from('away') }
    const { texts, input } = JSON.parse(Buffer.from(body!).toString()) as Asked
    const all = texts ?? input ?? []
    this.#texts.push(...all.filter((text) => text !== TRIAL))
    const vectors = all.map((text) => [text.charCodeAt(0), text.length, 1])
    const answer = texts === undefined ? { embeddings: vectors } : { vectors }
    return { status: 200, body: Buffer.from(JSON.stringify(answer)) }
  }

  /** What was embedded since the last time, in order of the alphabet. */
  embedded(): readonly string[] {
    return this.#texts.splice(0).sort()
  }
}

const opened = async (
  disk: FakeDisk,
  provider: Provider,
  dumps: FileSystem,
): Promise<TestEngine> => {
  const engine = await openTestEngine(disk.mount(), {
    dumps: {
      folder: '/dumps',
      fileSystem: dumps,
      describe: (code) => ({ type: 'invalid_request', link: `https://errors#${code}` }),
    },
    embedding: playedEmbedding(provider.send),
  })
  open.push(engine)
  return engine
}

async function set(engine: TestEngine, embedders: object): Promise<void> {
  const patch = { embedders, filterableAttributes: ['id'] }
  const change = { kind: 'settingsUpdate', patch, isDeletion: false, allowIndexCreation: true }
  await succeeded(engine, enqueue(engine, 'i', change as never))
}

const add = (engine: TestEngine, documents: readonly object[], method?: 'update') =>
  succeeded(engine, addDocuments(engine, 'i', documents, { method: method ?? 'replace' }))

async function succeeded(engine: TestEngine, work: Promise<{ readonly uid: number }>) {
  const { uid } = await work
  await engine.idle()
  const task = await engine.task(uid as never, null)
  expect(task, JSON.stringify(task?.error)).toMatchObject({ status: 'succeeded' })
  return task!
}

/** The engine of a dump of another one, made while the provider is away. */
async function moved(engine: TestEngine, provider: Provider, dumps: FileSystem) {
  const task = await succeeded(engine, engine.enqueueDump())
  const requests = provider.requests
  provider.isAway = true
  const disk = new FakeDisk()
  await fillFromDump(disk.mount(), {
    path: '',
    version: '1.50.0',
    dump: { folder: '', name: `${task.details!['dumpUid']}.dump` },
    indexWorker: null,
    indexingMemoryMax: 16 * MiB,
    indexingThreads: 1,
    say: () => undefined,
    progress: () => undefined,
    report: () => undefined,
    dumpFileSystem: dumps,
  })
  disk.kill()
  const other = await opened(disk, provider, dumps)
  await other.idle()
  expect(provider.requests).toBe(requests)
  return other
}

type Hit = { readonly id: number; readonly _vectors: unknown }

const hits = async (engine: TestEngine, asked: Partial<typeof PLAIN_SEARCH>) =>
  (await searchFor(engine, 'i', asked)).hits as readonly Hit[]

const ids = async (engine: TestEngine, filter: string): Promise<readonly number[]> =>
  (await hits(engine, { filter })).map(({ id }) => id).sort()

const OLLAMA = {
  source: 'ollama',
  url: 'http://p/api/embed',
  model: 'm',
  documentTemplate: '{{doc.title}}',
}

test.each([
  ['rest', REST_EMBEDDER],
  ['rest with dimensions', { ...REST_EMBEDDER, dimensions: 3 }],
  ['ollama', OLLAMA],
  ['ollama with dimensions', { ...OLLAMA, dimensions: 3 }],
])('%s: vectors come with the dump, and only what changes is embedded', async (_, embedder) => {
  const dumps = new FakeDisk().mount()
  const provider = new Provider()
  const first = await opened(new FakeDisk(), provider, dumps)
  await set(first, { e: embedder })
  await add(first, [
    { id: 1, title: 'alpha' },
    { id: 2, title: 'beta' },
    { id: 3, title: 'own', _vectors: { e: { embeddings: [9, 9, 9], regenerate: false } } },
  ])
  const before = await hits(first, { retrieveVectors: true })
  provider.embedded()

  const second = await moved(first, provider, dumps)
  expect(await hits(second, { retrieveVectors: true })).toEqual(before)
  const vector = Float64Array.of(98, 4, 1)
  const near = { vector, hybrid: { embedder: 'e', semanticRatio: 1 }, limit: 1 }
  expect((await hits(second, near))[0]).toMatchObject({ id: 2 })

  provider.isAway = false
  await add(second, [{ id: 1, title: 'alpha', more: true }])
  expect(provider.embedded()).toEqual([])
  await add(second, [{ id: 1, title: 'gamma' }])
  await add(second, [{ id: 3, title: 'changed' }])
  expect(provider.embedded()).toEqual(['gamma'])
})

const PARTS = [
  '_vectors.e.fragments.words EXISTS',
  '_vectors.e.fragments.cover EXISTS',
  '_vectors.e.userProvided EXISTS',
  '_vectors.e.regenerate EXISTS',
  '_vectors.e EXISTS',
]

async function library(provider: Provider, dumps: FileSystem): Promise<TestEngine> {
  const engine = await opened(new FakeDisk(), provider, dumps)
  await engine.setFeatures({ multimodal: true })
  await set(engine, { e: withFragments({ words: 'w {{doc.title}}' }, 3) })
  // By name it comes first, but the vectors of documents have it last.
  await set(engine, { e: { indexingFragments: { cover: { value: 'c {{doc.cover}}' } } } })
  const own = [
    [1, 2, 3],
    [4, 5, 6],
  ]
  await add(engine, [
    { id: 1, title: 'alpha', cover: 'red' },
    { id: 2, title: 'beta' },
    { id: 3, cover: 'green' },
    { id: 4 },
    { id: 5, title: 'own', cover: 'own', _vectors: { e: { embeddings: own, regenerate: false } } },
    { id: 6, title: 'other', _vectors: { e: { embeddings: own, regenerate: true } } },
  ])
  return engine
}

test('fragments survive a dump', async () => {
  const dumps = new FakeDisk().mount()
  const provider = new Provider()
  const first = await library(provider, dumps)
  expect(provider.embedded()).toEqual(['c green', 'c red', 'w alpha', 'w beta'])
  const found = (engine: TestEngine) => Promise.all(PARTS.map((filter) => ids(engine, filter)))
  const before = {
    vectors: await hits(first, { retrieveVectors: true }),
    found: await found(first),
  }
  expect(before.found).toEqual([
    [1, 2],
    [1, 3],
    [5, 6],
    [1, 2, 3, 6],
    [1, 2, 3, 5, 6],
  ])

  const second = await moved(first, provider, dumps)
  expect(await hits(second, { retrieveVectors: true })).toEqual(before.vectors)
  expect(await found(second)).toEqual(before.found)
  // And once more: what the import made can be dumped as well.
  const third = await moved(second, provider, dumps)
  expect(await found(third)).toEqual(before.found)

  provider.isAway = false
  await add(third, [{ id: 1, cover: 'blue' }], 'update')
  expect(provider.embedded()).toEqual(['c blue'])
  await add(third, [{ id: 2, more: true }], 'update')
  await add(third, [{ id: 5, title: 'new' }], 'update')
  expect(provider.embedded()).toEqual([])
  await set(third, { e: { indexingFragments: { words: null } } })
  expect(provider.embedded()).toEqual([])
  expect(await ids(third, '_vectors.e.fragments.cover EXISTS')).toEqual([1, 3])
})

test('vectors that are not as many as the fragments of their document stay its own', async () => {
  const dumps = new FakeDisk().mount()
  const provider = new Provider()
  const first = await library(provider, dumps)
  const second = await moved(first, provider, dumps)
  provider.isAway = false
  expect(await ids(second, '_vectors.e.userProvided EXISTS')).toEqual([5, 6])
  provider.embedded()
  await add(second, [{ id: 6, cover: 'new' }], 'update')
  expect(provider.embedded()).toEqual(['c new', 'w other'])
})
