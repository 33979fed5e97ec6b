// An export from one server to another.
import { expect, test } from 'vitest'
import { PlayedProvider } from './test-provider.ts'
import { wordVector } from './test-provider-vectors.ts'
import { startServer } from './test-server.ts'

test('sends documents and settings; the task shows what matched', async () => {
  const [from, to] = [await startServer(), await startServer()]
  try {
    await from.ask('PATCH', '/indexes/books/settings', {
      filterableAttributes: ['year'],
      stopWords: ['the'],
    })
    const books = [2001, 2002, 2003].map((year, i) => ({ year, key: `b${i}`, 'a "b"': [1.5] }))
    await from.ask('POST', '/indexes/books/documents?primaryKey=key', books)
    await from.ask('POST', '/indexes', { uid: 'empty' })
    await from.idle()
    const task = await from.ask('POST', '/export', {
      url: to.url,
      payloadSize: 10,
      indexes: { 'b*': { filter: 'year > 2001' }, empty: {} },
    })
    await from.idle()
    expect(
      (await from.ask('GET', `/tasks/${(task.body as { taskUid: number }).taskUid}`)).body,
    ).toMatchObject({
      status: 'succeeded',
      details: {
        payloadSize: '10 B',
        indexes: {
          books: { filter: 'year > 2001', overrideSettings: false, matchedDocuments: 2 },
          empty: { filter: null, overrideSettings: false, matchedDocuments: 0 },
        },
      },
    })
    await to.idle()
    expect((await to.ask('GET', '/indexes/books/documents')).body).toMatchObject({
      results: books.slice(1),
      total: 2,
    })
    expect((await to.ask('GET', '/indexes/books')).body).toMatchObject({ primaryKey: 'key' })
    expect((await to.ask('GET', '/indexes/books/settings')).body).toMatchObject({
      filterableAttributes: ['year'],
      stopWords: ['the'],
    })
    expect((await to.ask('GET', '/indexes/empty')).status).toBe(200)
  } finally {
    await from.stop()
    await to.stop()
  }
})

test('refuses a local address that is not listed', async () => {
  const from = await startServer({ EXPERIMENTAL_ALLOWED_IP_NETWORKS: '10.0.0.0/8' })
  try {
    await from.ask('POST', '/indexes', { uid: 'books' })
    await from.ask('POST', '/export', { url: 'http://localhost:9' })
    await from.idle()
    expect((await from.ask('GET', '/tasks/1')).body).toMatchObject({
      status: 'failed',
      error: {
        code: 'internal',
        message: 'Failed to export documents to remote server: bad uri: Rejected URI',
      },
    })
  } finally {
    await from.stop()
  }
})

test('keeps the fragments of vectors', async () => {
  const provider = await PlayedProvider.start()
  const [from, to] = [await startServer(), await startServer()]
  try {
    const request = { texts: ['{{fragment}}', '{{..}}'] }
    const response = { vectors: ['{{embedding}}', '{{..}}'] }
    provider.set({ '/r': { request, response, dims: 8 } })
    const template = (value: string) => ({ value })
    const embedder = { source: 'rest', url: `${provider.url}/r`, dimensions: 8, request, response }
    const first = {
      ...embedder,
      indexingFragments: { words: template('{{doc.title}}') },
      searchFragments: { q: template('{{q}}') },
    }
    for (const { ask } of [from, to]) {
      await ask('PATCH', '/experimental-features', { multimodal: true })
    }
    const settings = '/indexes/books/settings/embedders'
    await from.ask('PATCH', settings, { e: first })
    // The source sorts this fragment first by name, but the documents' vectors list it last.
    const second = { indexingFragments: { cover: template('{{doc.cover}}') } }
    await from.ask('PATCH', settings, { e: second })
    await from.ask('POST', '/indexes/books/documents', [
      { id: 1, title: 'sea', cover: 'red' },
      { id: 2, title: 'wood' },
      { id: 3, cover: 'green' },
    ])
    await from.idle()
    await from.ask('POST', '/export', { url: to.url })
    await from.idle()
    provider.takeRequests('count', true)
    await to.idle()
    const found = async (fragment: string): Promise<readonly unknown[]> => {
      const filter = `_vectors.e.fragments.${fragment} EXISTS`
      const { body } = await to.ask('POST', '/indexes/books/search', { filter })
      return (body as { hits: { id: number }[] }).hits.map(({ id }) => id)
    }
    expect(await found('words')).toEqual([1, 2])
    expect(await found('cover')).toEqual([1, 3])
    await to.ask('PUT', '/indexes/books/documents', [{ id: 1, cover: 'blue' }])
    await to.idle()
    expect(provider.takeRequests('texts', false)).toEqual({ '/r': ['blue'] })
    const path = '/indexes/books/documents/1?retrieveVectors=true'
    const vectors = async ({ ask }: typeof to): Promise<readonly unknown[]> =>
      ((await ask('GET', path)).body as { _vectors: { e: { embeddings: unknown[] } } })._vectors.e
        .embeddings
    const [words] = await vectors(from)
    const there = await vectors(to)
    expect(there).toHaveLength(2)
    expect(there[1]).toEqual(words)
    expect(there[0]).toEqual(wordVector('blue', 8))
  } finally {
    await from.stop()
    await to.stop()
    await provider.stop()
  }
})
