// Dump and import of indexes with embedders while their provider is unreachable: vectors, and the
// fragment of each, stay the same.

import { afterEach, expect, test } from 'vitest'
import { MiB } from '../../format/bytes/index.ts'
import type { OutgoingAnswer, OutgoingRequest } from '../model/index.ts'
import { FakeDisk, type FileSystem } from '../store/storage/index.ts'
import {
  addDocuments,
  enqueue,
  fakeEmbedding,
  openTestEngine,
  type PLAIN_SEARCH,
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

/** The text of the request that determines the dimensions of an embedder. */
const TRIAL = 'test'

/** Answers like Ollama, and like the rest embedders of this test. Records the texts. */
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

  /** Returns the texts that were embedded since the last call, in alphabetical order. */
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
    embedding: fakeEmbedding(provider.send),
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
  const task = await engine.tasks.get(uid as never, null)
  expect(task, JSON.stringify(task?.error)).toMatchObject({ status: 'succeeded' })
  return task!
}

/** Returns the engine of an imported dump of another one, created while the provider is away. */
async function moved(engine: TestEngine, provider: Provider, dumps: FileSystem) {
  const task = await succeeded(engine, engine.tasks.enqueueDump())
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

const hits = async (engine: TestEngine, requested: Partial<typeof PLAIN_SEARCH>) =>
  (await searchFor(engine, 'i', requested)).hits as readonly Hit[]

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
  await engine.administration.setFeatures({ multimodal: true })
  await set(engine, { e: withFragments({ words: 'w {{doc.title}}' }, 3) })
  // It is the first by name, but the vectors of documents have it last.
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
  // A second time: the imported database can be dumped as well.
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

test('vectors whose number differs from that of the fragments stay user provided', async () => {
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
