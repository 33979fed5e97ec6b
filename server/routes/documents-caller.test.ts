// Requests for documents carry their caller and its signal, so that callers share the search
// threads fairly.
import { expect, it } from 'vitest'
import type { DocumentsContext } from '../../engine/model/index.ts'
import { testServer } from '../http/test-http.ts'
import { fakeEngine } from '../testing/fake-engine.ts'
import { fakeOptions } from '../testing/fake-options.ts'
import { allRoutes } from './index.ts'

it.each([
  ['GET', '/indexes/books/documents?limit=1', undefined],
  ['POST', '/indexes/books/documents/fetch', '{"limit":1}'],
])('%s %s names its caller', async (method, path, body) => {
  const contexts: (DocumentsContext | undefined)[] = []
  const fake = fakeEngine()
  const { documents } = fake
  const list: typeof documents.list = (...request) => {
    contexts.push(request[2])
    return documents.list(...request)
  }
  const engine = { ...fake, documents: { ...documents, list } }
  const server = await testServer(allRoutes({ ...fakeOptions(), engine }), {})
  try {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    await fetch(server.url + path, { method, headers, ...(body === undefined ? {} : { body }) })
  } finally {
    await server.stop()
  }
  expect(contexts).toMatchObject([{ caller: { key: '' }, signal: expect.any(AbortSignal) }])
  expect(contexts[0]?.caller?.address).toMatch(/127\.0\.0\.1|0:0:0:0/)
})
