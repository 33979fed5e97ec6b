// An export from one server to another.
import { expect, test } from 'vitest'
import { startServer } from './test-server.ts'

test('documents and settings arrive; what matched is told', async () => {
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

test('a local address is refused unless it is listed', async () => {
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
