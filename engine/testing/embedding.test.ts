// Embedders in a whole engine with a fake provider: which texts are embedded and when again, the
// effects of failures, and how searches get their vectors.
import { afterEach, expect, test } from 'vitest'
import { asIndexUid } from '../../format/ids.ts'
import type { OutgoingAnswer, OutgoingRequest } from '../model/index.ts'
import { FakeDisk } from '../store/storage/index.ts'
import { fakeEmbedding, REST_EMBEDDER, withFragments } from './test-embedding.ts'
import {
  addDocuments,
  changeSettings,
  documentsOf,
  openTestEngine,
  PLAIN_SIMILAR,
  searchFor,
  type TestEngine,
  vectorsOf,
} from './test-engine.ts'

let engine: TestEngine | null = null
afterEach(async () => {
  await engine?.close()
  engine = null
})

type Play = (texts: readonly string[]) => OutgoingAnswer | null

/**
 * Returns a vector that depends on the first letter: texts with the same first letter are similar.
 */
const vectorOf = (text: string): number[] => {
  const angle = (text.charCodeAt(0) % 26) / 8
  return [Math.cos(angle), Math.sin(angle)]
}

async function world(play: Play = () => null, ignoresEmbedders = false) {
  const received: string[][] = []
  const send = async ({ body }: OutgoingRequest): Promise<OutgoingAnswer> => {
    const { texts } = JSON.parse(Buffer.from(body!).toString()) as { texts: string[] }
    received.push(texts)
    const vectors = texts.map(vectorOf)
    return play(texts) ?? { status: 200, body: Buffer.from(JSON.stringify({ vectors })) }
  }
  const disk = new FakeDisk()
  const opened = await openTestEngine(disk.mount(), {
    embedding: fakeEmbedding(send, { ignoresEmbedders }),
  })
  engine = opened
  const settled = async (work: Promise<{ uid: number }>) => {
    const { uid } = await work
    await opened.idle()
    return (await opened.tasks.get(uid as never, null))!
  }
  const embedder = { ...REST_EMBEDDER, dimensions: 2 }
  return {
    embedder,
    add: (documents: readonly object[], method: 'replace' | 'update' = 'replace') =>
      settled(addDocuments(opened, 'i', documents, { method })),
    set: (patch: object | null) =>
      settled(changeSettings(opened, 'i', { embedders: { e: patch } })),
    /** Returns ids of the documents that are similar to one, most similar first. */
    similar: async (id: number) => {
      const request = { ...PLAIN_SIMILAR, id: String(id), embedder: 'e' }
      const bytes = await opened.queries.similar(asIndexUid('i'), request, contextOf(opened))
      const { hits } = JSON.parse(Buffer.from(bytes).toString()) as { hits: { id: number }[] }
      return hits.map((hit) => hit.id)
    },
    /** Returns the texts since the last call. */
    texts: () => received.splice(0).flat().sort(),
    documents: () => documentsOf(opened, 'i'),
    /** Returns ids of the documents that match a filter. */
    filtered: async (filter: string) => {
      const { hits } = await searchFor(opened, 'i', { filter })
      return hits.map(({ id }: { readonly id: number }) => id)
    },
    vectors: () => vectorsOf(opened, 'i', 'e'),
    search: (q: string, semanticRatio: number) =>
      searchFor(opened, 'i', { q, hybrid: { embedder: 'e', semanticRatio } }),
    requests: async () =>
      (await opened.tasks.batch((await lastBatch(opened)) as never, null))!.stats,
  }
}

const lastBatch = async (opened: TestEngine): Promise<number> => {
  let last = 0
  while ((await opened.tasks.batch((last + 1) as never, null)) !== null) last++
  return last
}

const contextOf = ({ administration: { features } }: TestEngine) => {
  const { signal } = new AbortController()
  return { requestUid: 'r', queryUid: null, features, signal }
}

const NO: OutgoingAnswer = { status: 422, body: Buffer.from('no') }

test('a text is embedded once, and again when it changes', async () => {
  const { add, set, embedder, texts } = await world()
  await set(embedder)
  await add([
    { id: 1, title: 'alpha' },
    { id: 2, title: 'beta' },
  ])
  expect(texts()).toEqual(['alpha', 'beta'])
  await add([{ id: 1, n: 1 }], 'update')
  expect(texts()).toEqual([])
  await add([{ id: 1, title: 'gamma' }], 'update')
  expect(texts()).toEqual(['gamma'])
  await add([{ id: 2, title: 'delta', _vectors: { e: [1, 0] } }])
  await add([{ id: 2, title: 'epsilon' }])
  expect(texts()).toEqual([])
})

test('a change of settings embeds the affected documents', async () => {
  const { add, set, embedder, texts } = await world()
  await add([
    { id: 1, title: 'alpha' },
    { id: 2, title: 'beta', mark: '!' },
  ])
  await set(embedder)
  expect(texts()).toEqual(['alpha', 'beta'])
  await set({ documentTemplate: '{{doc.title}}{% if doc.mark %}{{doc.mark}}{% endif %}' })
  expect(texts()).toEqual(['beta!'])
  await set({ apiKey: 'new' })
  expect(texts()).toEqual([])
  await set({ url: 'http://p/other' })
  expect(texts()).toEqual(['alpha', 'beta!'])
})

test('sends fields in the order of the body, and compares them in any order', async () => {
  const { add, set, embedder, texts } = await world()
  await set({ ...embedder, documentTemplate: '{% for f in fields %}{{f.name}} {% endfor %}' })
  await add([{ id: 1, title: 'a' }])
  await add([{ title: 'b', more: 1, id: 2 }])
  expect(texts()).toEqual(['id title ', 'title more id '])
  await add([{ id: 2, more: 1, title: 'b' }])
  expect(texts()).toEqual([])
  await add([{ extra: 1, id: 1 }], 'update')
  expect(texts()).toEqual(['extra id title '])
})

test('a model with other dimensions replaces one', async () => {
  let dimensions = 2
  const { add, set, embedder, vectors } = await world((texts) => ({
    status: 200,
    body: Buffer.from(
      JSON.stringify({ vectors: texts.map(() => new Array(dimensions).fill(0.5)) }),
    ),
  }))
  await set({ ...embedder, dimensions: null })
  await add([{ id: 1, title: 'a' }])
  dimensions = 3
  expect((await set({ url: 'http://p/other' })).error).toBeNull()
  expect((await add([{ id: 2, title: 'b' }])).error).toBeNull()
  const lengths = async () => (await vectors()).map(([first]) => first!.length)
  expect(await lengths()).toEqual([3, 3])
  // Vectors from documents cannot be converted.
  await add([{ id: 3, title: 'c', _vectors: { e: [1, 2, 3] } }])
  dimensions = 4
  expect((await set({ url: 'http://p/third' })).error).toMatchObject({
    message: expect.stringMatching(/dimension/),
  })
  expect(await lengths()).toEqual([3, 3, 3])
})

test('an embedder that replaces a quantized one of the same name stores vectors as numbers', async () => {
  const { add, set, embedder, documents } = await world()
  await set({ ...embedder, binaryQuantized: true })
  await add([{ id: 1, title: 'a', _vectors: { e: [1, -1] } }])
  const both = [set(null), set(embedder)]
  for (const ended of await Promise.all(both)) expect(ended.error).toBeNull()
  expect(await documents()).toHaveLength(1)
})

test('new fragments are appended, changed ones keep their place', async () => {
  const { add, set, texts, vectors } = await world()
  const fragments = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, { value: `${name} {{doc.title}}` }]))
  await set(withFragments({ m: 'm {{doc.title}}', z: 'z {{doc.title}}' }, 2))
  await add([{ id: 1, title: 'a' }])
  expect(texts()).toEqual(['m a', 'z a'])
  await set({ indexingFragments: fragments(['b']) })
  expect(texts()).toEqual(['b a'])
  await set({ indexingFragments: { z: { value: 'q' } } })
  expect(texts()).toEqual(['q'])
  const shown = async () => (await vectors())[0]!.map(([x]) => x!.toFixed(3))
  const of = (text: string) => vectorOf(text)[0]!.toFixed(3)
  expect(await shown()).toEqual([of('m'), of('q'), of('b')])
  await set({ indexingFragments: { m: null } })
  expect(await shown()).toEqual([of('q'), of('b')])
  expect(texts()).toEqual([])
})

test('imported vectors belong to their original fragments', async () => {
  const { add, set, texts, vectors, filtered } = await world()
  await engine!.administration.setFeatures({ multimodal: true })
  await set(withFragments({ m: 'm {{doc.title}}', z: 'z {{doc.more}}' }, 2))
  const made = (embeddings: readonly number[][], regenerate = true) => {
    return { _vectors: { e: { embeddings, regenerate } } }
  }
  await add([
    { id: 1, title: 'a', more: 'b', ...made([vectorOf('m'), vectorOf('z')]) },
    { id: 2, more: 'b', ...made([vectorOf('z')]) },
    { id: 3, title: 'a', more: 'b', ...made([vectorOf('o')]) },
    { id: 4, title: 'a', more: 'b', ...made([vectorOf('m'), vectorOf('z')], false) },
  ])
  expect(texts()).toEqual([])
  expect(await filtered('_vectors.e.fragments.m EXISTS')).toEqual([1])
  expect(await filtered('_vectors.e.fragments.z EXISTS')).toEqual([1, 2])
  expect(await filtered('_vectors.e.userProvided EXISTS')).toEqual([3, 4])
  await add([{ id: 1, title: 'c' }], 'update')
  expect(texts()).toEqual(['m c'])
  expect((await vectors())[0]).toHaveLength(2)
})

test('similar documents are compared by vectors of the same fragment', async () => {
  const { add, set, similar } = await world()
  await set(withFragments({ picture: '{{doc.image}}', words: '{{doc.title}}' }, 2))
  await add([
    { id: 1, image: 'a', title: 'm' },
    { id: 2, image: 'c', title: 'z' },
    // Its only vector equals that of the picture of the first document.
    { id: 3, title: 'a' },
    { id: 4, title: 'n' },
    // Without fragments the position counts: its first vector is compared with pictures.
    { id: 5, _vectors: { e: [vectorOf('a'), vectorOf('t')] } },
  ])
  expect(await similar(1)).toEqual([5, 4, 2, 3])
  expect(await similar(4)).toEqual([1, 5, 2, 3])
})

test('a refusal of a provider changes nothing, and shows in the batch', async () => {
  const { add, set, embedder, documents, requests } = await world((texts) =>
    texts.includes('poison') ? NO : null,
  )
  await set(embedder)
  const task = await add([
    { id: 1, title: 'fine' },
    { id: 2, title: 'poison', _vector: [1] },
  ])
  expect(task.error).toEqual({
    code: 'vector_embedding_error',
    message:
      'Index `i`: While embedding documents for embedder `e`: error: received unexpected HTTP 422 ' +
      'from embedding server\n  - server replied with `no`' +
      '\n- Hint: try replacing `_vector` by `_vectors` in 1 document(s).',
  })
  expect(await documents()).toEqual([])
  expect((await requests()).embedderRequests).toMatchObject({ total: 1, failed: 1 })
})

test('requests show in the batch while it runs', async () => {
  const shown: Promise<{ embedderRequests: unknown }>[] = []
  const made = await world(() => {
    shown.push(made.requests())
    return null
  })
  await made.set(made.embedder)
  shown.length = 0
  await made.add(Array.from({ length: 400 }, (_, id) => ({ id, title: `film ${id}` })))
  const counts = (await Promise.all(shown)).map(({ embedderRequests }) => embedderRequests)
  expect(counts.length).toBeGreaterThan(1)
  expect(counts.at(-1)).toMatchObject({ total: expect.any(Number), failed: 0 })
})

test('ignored failures leave documents without vectors', async () => {
  const { add, set, embedder, documents, search } = await world(
    (texts) => (texts.includes('poison') ? NO : null),
    true,
  )
  await set(embedder)
  const many = Array.from({ length: 12 }, (_, i) => ({ id: i, title: i === 0 ? 'poison' : 'fine' }))
  expect((await add(many)).error).toBeNull()
  expect(await documents()).toHaveLength(12)
  // The request of the first ten has failed; documents with a vector come first.
  const ids = (await search('fine', 1)).hits.map(({ id }: { id: number }) => id)
  expect(new Set(ids.slice(0, 2))).toEqual(new Set([10, 11]))
})

test('a document that cannot be rendered fails its batch with its id', async () => {
  const { add, set, embedder } = await world()
  await set(embedder)
  const task = await add([{ id: 7, name: 'none' }])
  expect(task.error).toMatchObject({
    code: 'invalid_document_fields',
    message: expect.stringMatching(
      /^Index `i`: user error: missing field in document `7`: liquid: /,
    ),
  })
})

test('a search requests a vector only if its words do not suffice', async () => {
  const { add, set, embedder, texts, search } = await world()
  await set(embedder)
  await add([
    { id: 1, title: 'alpha' },
    { id: 2, title: 'beta' },
  ])
  texts()
  expect((await search('alp', 1)).hits[0]).toMatchObject({ id: 1 })
  expect(texts()).toEqual(['alp'])
  expect((await search('x', 0.5)).semanticHitCount).toBe(2)
  expect(texts()).toEqual(['x'])
  await search('', 1)
  await search('alpha', 0)
  expect(texts()).toEqual([])
})

test('without its provider a hybrid search uses words alone, a semantic one fails', async () => {
  let isGone = false
  const { add, set, embedder, search } = await world(() => (isGone ? NO : null))
  await set(embedder)
  await add([{ id: 1, title: 'alpha' }])
  isGone = true
  expect(await search('alpha', 0.5)).toMatchObject({ hits: [{ id: 1 }], semanticHitCount: 0 })
  await expect(search('alpha', 1)).rejects.toMatchObject({
    code: 'vector_embedding_error',
    message: expect.stringMatching(
      /^Error while generating embeddings: error: received unexpected/,
    ),
  })
})
