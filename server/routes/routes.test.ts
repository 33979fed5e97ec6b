// The routes over a fake engine that records its calls: refusals and their order, calls of the
// engine, the form of answers.

import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { EngineFault, type SearchContext, StorageError } from '../../engine/model/index.ts'
import { SETTING_NAMES } from '../../engine/settings/index.ts'
import { masterKeyOnly } from '../http/authorise.ts'
import { EVERYTHING, Router, requestUid } from '../http/index.ts'
import type { Caller, Route } from '../http/messages/index.ts'
import { RawClient, type TestServer, testServer } from '../http/test-http.ts'
import { type FakeEngine, fakeEngine } from '../testing/fake-engine.ts'
import { fakeOptions } from '../testing/fake-options.ts'
import { listText } from './context/list-text.ts'
import { allRoutes } from './index.ts'

/**
 * Returns one line per route: method, path, action of a key, body, whether the query string is
 * read.
 */
const routesText = (routes: readonly Route[]): string =>
  routes
    .map(({ method, path, permits, body, query }) =>
      [
        method.padEnd(6),
        path.padEnd(52),
        (permits ?? '-').padEnd(20),
        (typeof body === 'string' ? body : body.kind).padEnd(9),
        query === null ? '-' : 'query',
      ].join(' '),
    )
    .join('\n')
    .concat('\n')

const BODY_BYTES_MAX = 2048

let engine: FakeEngine
let server: TestServer
const routesOf = (of: FakeEngine) => allRoutes({ ...fakeOptions(), engine: of })

beforeEach(async () => {
  engine = fakeEngine()
  server = await testServer(routesOf(engine), { bodyBytesMax: BODY_BYTES_MAX })
})
afterEach(() => server.stop())

type Answer = { readonly status: number; readonly type: string | null; readonly body: unknown }

type Raw = string | Uint8Array<ArrayBuffer>
type Sent = { readonly headers?: { readonly [name: string]: string }; readonly raw?: Raw }

/** Sends JSON, or the request in `sent`. */
async function send(method: string, path: string, body?: unknown, sent: Sent = {}) {
  const isJson = body !== undefined
  const response = await fetch(server.url + path, {
    method,
    headers: { ...(isJson ? { 'content-type': 'application/json' } : {}), ...sent.headers },
    ...(isJson ? { body: JSON.stringify(body) } : sent.raw === undefined ? {} : { body: sent.raw }),
  })
  const text = await response.text()
  const type = response.headers.get('content-type')
  return { status: response.status, type, body: text === '' ? '' : JSON.parse(text) } as Answer
}

const calls = (method: string): unknown[] =>
  engine.calls.filter(([name]) => name === method).map(([, argument]) => argument)

test('the tables match the agreed ones', () => {
  const file = new URL('../../fixtures/http/routes.txt', import.meta.url)
  const text = routesText(new Router(routesOf(engine)).routes)
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, text)
  expect(text).toBe(readFileSync(file, 'utf8'))
})

const UID_RULE =
  'is not a valid index uid. Index uid can be an integer or a string containing only ' +
  'alphanumeric characters, hyphens (-) and underscores (_), and can not be more than 512 bytes.'
const JSON_ONLY = 'Accepted values for the Content-Type header are: `application/json`'

describe('order of refusals', () => {
  test.each([
    ['GET', '/indexes/a.b', undefined, 'invalid_index_uid', `\`a.b\` ${UID_RULE}`],
    ['GET', '/indexes/a%2Fb', undefined, 'invalid_index_uid', `\`a/b\` ${UID_RULE}`],
    ['GET', `/indexes/${'x'.repeat(401)}`, undefined, 'invalid_index_uid', 'more than 400 bytes.'],
    ['GET', `/indexes/${'x.'.repeat(300)}`, undefined, 'invalid_index_uid', UID_RULE],
    ['GET', '/indexes/a.b/stats', undefined, 'invalid_index_uid', UID_RULE],
    ['GET', '/indexes/a.b/stats?x=1', undefined, 'bad_request', 'Unknown parameter `x`'],
    ['DELETE', '/indexes/a.b', undefined, 'invalid_index_uid', UID_RULE],
    ['PATCH', '/indexes/a.b', { x: 1 }, 'bad_request', 'Unknown field `x`'],
    ['PATCH', '/indexes/a.b', {}, 'invalid_index_uid', UID_RULE],
    ['POST', '/indexes/a.b/compact', undefined, 'invalid_index_uid', UID_RULE],
    ['GET', '/indexes/a.b/documents?x=1', undefined, 'bad_request', 'Unknown parameter `x`'],
    ['GET', '/indexes/a.b/documents?ids=a.b', undefined, 'invalid_index_uid', UID_RULE],
    ['GET', '/indexes/a/documents?ids=a.b', undefined, 'invalid_document_ids', 'In `.ids[0]`'],
    ['GET', '/indexes/a.b/documents/1', undefined, 'invalid_index_uid', UID_RULE],
    ['GET', '/indexes/a.b/documents/1?x', undefined, 'bad_request', 'Unknown parameter `x`'],
    ['POST', '/indexes/a.b/documents/fetch', { x: 1 }, 'bad_request', 'Unknown field `x`'],
    ['POST', '/indexes/a.b/documents/fetch', {}, 'invalid_index_uid', UID_RULE],
    ['POST', '/indexes/a.b/documents?x=1', [], 'invalid_index_uid', UID_RULE],
    ['PUT', '/indexes/a/documents?x=1', [], 'bad_request', 'Unknown parameter `x`'],
    ['DELETE', '/indexes/a.b/documents?x=1', undefined, 'bad_request', 'Unknown parameter `x`'],
    ['DELETE', '/indexes/a.b/documents', undefined, 'invalid_index_uid', UID_RULE],
    ['DELETE', '/indexes/a.b/documents/1', undefined, 'invalid_index_uid', UID_RULE],
    ['POST', '/indexes/a.b/documents/delete?x=1', {}, 'bad_request', 'Unknown parameter `x`'],
    ['POST', '/indexes/a.b/documents/delete', {}, 'missing_document_filter', 'Missing field'],
    ['POST', '/indexes/a.b/documents/delete', { filter: 'c =' }, 'invalid_index_uid', UID_RULE],
    ['POST', '/indexes/a/documents/delete', { filter: 'c =' }, 'invalid_document_filter', 'value'],
    [
      'POST',
      '/indexes/a/documents/delete',
      { filter: ' ' },
      'invalid_document_filter',
      'Sending an empty filter is forbidden.',
    ],
    [
      'POST',
      '/indexes/a/documents/delete',
      { filter: 'c CONTAINS e' },
      'feature_not_enabled',
      'Using `CONTAINS` in a filter requires enabling the `contains filter`',
    ],
    ['POST', '/indexes/a.b/documents/delete-batch?x=1', {}, 'bad_request', 'Json deserialize'],
    ['POST', '/indexes/a.b/documents/delete-batch?x=1', [], 'bad_request', 'Unknown parameter'],
    ['POST', '/indexes/a.b/documents/delete-batch', [], 'invalid_index_uid', UID_RULE],
    ['POST', '/indexes/a.b/documents/edit?x=1', {}, 'bad_request', 'Unknown parameter `x`'],
    ['POST', '/indexes/a.b/documents/edit', {}, 'missing_document_edition_function', 'Missing'],
    [
      'POST',
      '/indexes/a.b/documents/edit',
      { function: 'doc.', context: 1, filter: '' },
      'feature_not_enabled',
      'Using the documents edit route requires enabling the `edit documents by function`',
    ],
    ['PATCH', '/indexes/a.b/settings', { x: 1 }, 'bad_request', 'Unknown field `x`'],
    ['PATCH', '/indexes/a.b/settings', { chat: {} }, 'invalid_index_uid', UID_RULE],
    [
      'PATCH',
      '/indexes/a/settings',
      { rankingRules: ['words', 'words'], chat: {} },
      'feature_not_enabled',
      'setting `chat` in the index settings requires enabling the `chat completions`',
    ],
    ['PUT', '/indexes/a.b/settings/stop-words', 1, 'invalid_settings_stop_words', 'an array'],
    ['PUT', '/indexes/a.b/settings/stop-words', null, 'invalid_index_uid', UID_RULE],
    ['DELETE', '/indexes/a.b/settings/chat', undefined, 'invalid_index_uid', UID_RULE],
    ['POST', '/indexes/a.b/search', { limit: 'x' }, 'invalid_search_limit', 'Invalid value type'],
    ['POST', '/indexes/a.b/search', {}, 'invalid_index_uid', UID_RULE],
    ['GET', '/indexes/a.b/search?limit=x', undefined, 'invalid_search_limit', 'Invalid value'],
    ['GET', '/indexes/a.b/search', undefined, 'invalid_index_uid', UID_RULE],
    ['POST', '/indexes/a.b/facet-search', {}, 'missing_facet_search_facet_name', 'Missing field'],
    [
      'POST',
      '/indexes/a/search',
      { useNetwork: false },
      'feature_not_enabled',
      'passing `useNetwork` in a search query requires enabling the `network`',
    ],
    // A filter that cannot be read is reported first.
    [
      'POST',
      '/indexes/a/search',
      { useNetwork: false, filter: '_shard = north' },
      'feature_not_enabled',
      'using a shard filter requires enabling the `network` experimental feature',
    ],
    [
      'GET',
      '/indexes/a/search?useNetwork=true&filter=x%20y',
      undefined,
      'invalid_search_filter',
      'Was expecting an operation',
    ],
    [
      'GET',
      '/indexes/a/search?useNetwork=true',
      undefined,
      'feature_not_enabled',
      'passing `useNetwork` in a search query',
    ],
    [
      'POST',
      '/indexes/a/documents/fetch',
      { useNetwork: true },
      'feature_not_enabled',
      'passing `useNetwork` in a search query',
    ],
    [
      'POST',
      '/multi-search',
      { queries: [{ indexUid: 'a', personalize: { userContext: 'x' } }] },
      'feature_not_enabled',
      'reranking search results requires enabling the `personalization`',
    ],
    ['GET', '/tasks/x', undefined, 'invalid_task_uids', 'Task uid `x` is invalid.'],
    ['GET', '/tasks/-1', undefined, 'invalid_task_uids', 'Task uid `-1` is invalid.'],
    ['GET', '/batches/1e3', undefined, 'invalid_batch_uids', 'Batch uid `1e3` is invalid.'],
    ['POST', '/tasks/cancel', undefined, 'missing_task_filters', 'filter the tasks to cancel'],
    ['DELETE', '/tasks?', undefined, 'missing_task_filters', 'filter the tasks to delete'],
    ['POST', '/tasks/cancel?uid=1', undefined, 'bad_request', 'Unknown parameter `uid`'],
    ['GET', '/tasks?limit=x', undefined, 'invalid_task_limit', 'could not parse `x`'],
    ['GET', '/indexes?limit=', undefined, 'invalid_index_limit', 'could not parse ``'],
    ['GET', '/stats?sizeFormat=kb', undefined, 'invalid_stats_size_format', '`human`, `raw`'],
    ['PATCH', '/experimental-features', { metric: true }, 'bad_request', 'did you mean'],
    ['POST', '/swap-indexes', [{ indexes: ['a'] }], 'invalid_swap_indexes', 'contains 1 indexes'],
  ] as const)('%s %s %j', async (method, path, body, code, message) => {
    const answer = await send(method, path, body)
    expect(answer).toMatchObject({ status: 400, body: { code, type: 'invalid_request' } })
    expect((answer.body as { message: string }).message).toContain(message)
    expect(engine.calls).toEqual([])
  })

  test.each([
    ['POST', '/indexes'],
    ['PATCH', '/indexes/a'],
    ['POST', '/swap-indexes'],
    ['POST', '/indexes/a/documents/fetch'],
    ['POST', '/indexes/a/documents/delete'],
    ['POST', '/indexes/a/documents/delete-batch'],
    ['POST', '/indexes/a/documents/edit'],
    ['PATCH', '/indexes/a/settings'],
    ['PUT', '/indexes/a/settings/synonyms'],
    ['PATCH', '/indexes/a/settings/faceting'],
    ['POST', '/indexes/a/search'],
    ['POST', '/indexes/a/facet-search'],
    ['PATCH', '/experimental-features'],
  ])('%s %s accepts JSON only', async (method, path) => {
    const of = (raw: string, type?: string) =>
      send(method, path, undefined, {
        raw: Buffer.from(raw),
        ...(type === undefined ? {} : { headers: { 'content-type': type } }),
      })
    const refusals = [
      await of('{}'),
      await of('{}', 'text/plain;charset=UTF-8'),
      await of('', 'application/json'),
      await of('[1,', 'application/json'),
      await of(`[${'1,'.repeat(BODY_BYTES_MAX)}1]`, 'application/json'),
    ]
    expect(refusals.map(({ status, body }) => [status, (body as { code: string }).code])).toEqual([
      [415, 'missing_content_type'],
      [415, 'invalid_content_type'],
      [400, 'missing_payload'],
      [400, 'malformed_payload'],
      [413, 'payload_too_large'],
    ])
    expect(refusals[1]!.body).toMatchObject({
      message: `The Content-Type \`text/plain;charset=UTF-8\` is invalid. ${JSON_ONLY}`,
    })
  })

  test.each([
    ['GET', '/indexes/a/documents/delete-batch'],
    ['GET', '/indexes/a/documents/fetch'],
    ['PATCH', '/indexes/a/documents'],
    ['POST', '/indexes/a/documents/1'],
    ['PATCH', '/indexes/a/settings/ranking-rules'],
    ['PUT', '/indexes/a/settings/typo-tolerance'],
    ['PUT', '/indexes/a/settings'],
    ['GET', '/tasks/cancel'],
    ['DELETE', '/tasks/0'],
    ['DELETE', '/batches'],
    ['POST', '/health'],
    ['POST', '/'],
  ])('%s %s is not an allowed method', async (method, path) => {
    expect(await send(method, path)).toEqual({ status: 405, type: null, body: '' })
  })

  test.each([
    '/index',
    '/indexes/a/nothing',
    '/indexes/a/settings/nope',
    '/indexes/a/documents/1/x',
    '/tasks/0/x',
    '/healthz',
    '/Indexes',
  ])('%s has no route', async (path) => {
    expect(await send('GET', path)).toMatchObject({
      status: 404,
      type: 'application/json',
      body: { code: 'route_not_found' },
    })
  })
})

describe('the instance', () => {
  test('reports health', async () => {
    expect(await send('GET', '/health')).toEqual({
      status: 200,
      type: 'application/json',
      body: { status: 'available' },
    })
    expect((await send('GET', '/')).body).toEqual({ status: 'Svc is running' })
    expect((await send('GET', '/version?x=1')).body).toEqual({
      commitSha: 'unknown',
      commitDate: 'unknown',
      pkgVersion: '9.8.7',
    })
  })

  test('counts documents', async () => {
    expect((await send('GET', '/stats')).body).toEqual({
      databaseSize: 4096,
      usedDatabaseSize: 1258291,
      lastUpdate: null,
      indexes: {},
    })
    await send('POST', '/indexes', { uid: 'a' })
    const human = await send('GET', '/stats?sizeFormat=human')
    expect(human.body).toMatchObject({
      databaseSize: '4.00 KiB',
      usedDatabaseSize: '1.20 MiB',
      lastUpdate: '2023-11-14T22:13:20Z',
    })
    const path = '/indexes/a/stats?showInternalDatabaseSizes=true&sizeFormat=human'
    const one = await send('GET', path)
    expect(JSON.stringify(one.body)).toBe(
      '{"numberOfDocuments":2,"indexSize":"8.00 KiB","usedIndexSize":"6.00 KiB",' +
        '"rawDocumentDbSize":"4.00 KiB","avgDocumentSize":"40.00 B",' +
        '"isIndexing":false,"internalDatabaseSizes":{"documents":"4.00 KiB"},' +
        '"numberOfEmbeddings":0,"numberOfEmbeddedDocuments":0,' +
        '"fieldDistribution":{"id":2,"name":1}}',
    )
    expect((await send('GET', '/indexes/a/stats')).body).not.toHaveProperty('internalDatabaseSizes')
    expect((await send('GET', '/indexes/b/stats')).status).toBe(404)
  })

  test('switches features', async () => {
    const before = await send('GET', '/experimental-features?x=1')
    expect(Object.keys(before.body as object)[0]).toBe('metrics')
    const after = await send('PATCH', '/experimental-features', { network: true, metrics: null })
    expect(after).toMatchObject({ status: 200, body: { network: true, metrics: false } })
    expect(engine.administration.features.network).toBe(true)
    expect((await send('POST', '/indexes/a/search', { useNetwork: true })).status).toBe(404)
  })
})

describe('indexes', () => {
  test('are created, listed in pages, changed, deleted', async () => {
    const created = await send('POST', '/indexes', { uid: 'b', primaryKey: 'id' })
    expect(created).toEqual({
      status: 202,
      type: 'application/json',
      body: {
        taskUid: 0,
        indexUid: 'b',
        status: 'enqueued',
        type: 'indexCreation',
        enqueuedAt: '2023-11-14T22:13:20Z',
      },
    })
    await send('POST', '/indexes', { uid: 'a' })
    const b = {
      uid: 'b',
      createdAt: '2023-11-14T22:13:20Z',
      updatedAt: '2023-11-14T22:13:20.000005Z',
      primaryKey: 'id',
    }
    expect((await send('GET', '/indexes/b')).body).toEqual(b)
    const page = await send('GET', '/indexes?offset=1&limit=5')
    expect(page.body).toEqual({ results: [b], offset: 1, limit: 5, total: 2 })
    expect((await send('GET', '/indexes?limit=0')).body).toMatchObject({ results: [], total: 2 })
    const huge = '/indexes?limit=18446744073709551615'
    expect((await send('GET', huge)).body).toMatchObject({ total: 2 })
    await send('PATCH', '/indexes/b', { uid: 'c', primaryKey: null })
    await send('DELETE', '/indexes/b')
    await send('POST', '/swap-indexes', [{ indexes: ['a', 'b'] }])
    expect(calls('enqueue').slice(2)).toEqual([
      {
        indexUid: 'b',
        content: { kind: 'indexUpdate', primaryKey: null, newUid: 'c' },
        customMetadata: null,
      },
      { indexUid: 'b', content: { kind: 'indexDeletion' }, customMetadata: null },
      {
        indexUid: null,
        content: { kind: 'indexSwap', swaps: [{ indexes: ['a', 'b'], rename: false }] },
        customMetadata: null,
      },
    ])
    expect(await send('GET', '/indexes/b')).toMatchObject({
      status: 404,
      body: { message: 'Index `b` not found.', code: 'index_not_found' },
    })
  })
})

describe('documents', () => {
  const upload = (raw: Raw, type: string, query = '', headers = {}, method = 'POST') =>
    send(method, `/indexes/a/documents${query}`, undefined, {
      raw,
      headers: { 'content-type': type, ...headers },
    })

  test('are received in every format', async () => {
    await upload('[{"id":1},{"id":2}]', 'application/json; charset=utf-8')
    await upload('{"id":1}\n{"id":2}\n{"id":3}', 'Application/X-NDJSON', '?primaryKey=id')
    await upload('id;t\n1;x', 'text/csv', '?csvDelimiter=;&skipCreation=TRUE&customMetadata=m')
    await upload(gzipSync('[{"id":1}]'), 'application/json', '', { 'content-encoding': 'gzip' })
    const last = await upload('{"id":1}', 'application/json', '', {}, 'PUT')
    expect(last).toMatchObject({ status: 202, body: { taskUid: 4, indexUid: 'a' } })
    expect(calls('receive')).toEqual([
      { kind: 'json' },
      { kind: 'ndjson' },
      { kind: 'csv', delimiter: ';' },
      { kind: 'json' },
      { kind: 'json' },
    ])
    const options = {
      method: 'replace',
      primaryKey: null,
      skipCreation: false,
      allowIndexCreation: true,
      customMetadata: null,
    }
    expect(calls('enqueueDocuments')).toMatchObject([
      { indexUid: 'a', body: { documents: 2 }, options },
      { body: { documents: 3 }, options: { ...options, primaryKey: 'id' } },
      { body: { documents: 1 }, options: { ...options, skipCreation: true, customMetadata: 'm' } },
      { body: { documents: 1 }, options },
      { body: { documents: 1 }, options: { ...options, method: 'update' } },
    ])
    expect(engine.openBodies).toBe(0)
  })

  test.each([
    ['x', 'text/plain', '', 415, 'The Content-Type `text/plain` is invalid.'],
    ['', 'text/plain', '', 415, 'The Content-Type `text/plain` is invalid.'],
    ['[]', 'application/vnd.api+json', '', 415, '`application/vnd.api` is invalid.'],
    ['[]', 'application/json', '?csvDelimiter=;', 415, 'does not support the use of a csv'],
    ['[]', 'application/json', '?csvDelimiter=%C3%A9', 400, 'csv delimiter must be an ascii'],
    ['[]', 'application/json', '?csvDelimiter=ab', 400, 'the following string of 2 characters'],
    ['', 'application/json', '', 400, 'A json payload is missing.'],
    ['', 'application/x-ndjson', '', 400, 'A ndjson payload is missing.'],
    ['', 'text/csv', '', 400, 'A csv payload is missing.'],
    ['[{"id":1},', 'application/json', '', 400, 'The `json` payload provided is malformed.'],
    ['a,b\n1', 'text/csv', '', 400, 'The `csv` payload provided is malformed'],
    [
      `[${' '.repeat(BODY_BYTES_MAX)}`,
      'application/json',
      '',
      413,
      'The provided payload reached the size limit. The maximum accepted payload size is 2 KiB.',
    ],
  ])('%j as %s%s is refused', async (raw, type, query, status, message) => {
    const answer = await upload(Buffer.from(raw), type, query)
    expect(answer.status).toBe(status)
    expect((answer.body as { message: string }).message).toContain(message)
    expect(engine.openBodies).toBe(0)
    expect(calls('enqueueDocuments')).toEqual([])
  })

  test('discards half a body', async () => {
    const client = new RawClient(server.port)
    client.write(
      'POST /indexes/a/documents HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n' +
        'Content-Length: 100\r\n\r\n{"id":1}\n',
    )
    while (engine.openBodies === 0) await sleep(5)
    client.end()
    while (engine.openBodies > 0) await sleep(5)
    expect(calls('enqueueDocuments')).toEqual([])
  })

  test('reports a full disk', async () => {
    engine.onChunk = () => Promise.reject(new StorageError('no_space', 'tasks/1', 'Disk full'))
    const answer = await upload('[{"id":1}]', 'application/json')
    expect(answer).toMatchObject({ status: 422, body: { code: 'no_space_left_on_device' } })
    expect(engine.openBodies).toBe(0)
  })

  test('are read', async () => {
    await send('POST', '/indexes', { uid: 'a' })
    expect((await send('GET', '/indexes/a/documents/1?fields=id')).body).toEqual({ id: 1 })
    expect(await send('GET', '/indexes/a/documents/a%20b')).toMatchObject({
      status: 404,
      body: { message: 'Document `a b` not found.' },
    })
    await send('GET', '/indexes/a/documents?limit=3&ids=1,b&filter=a%20=%201')
    await send('POST', '/indexes/a/documents/fetch', { ids: [1, 'b'], filter: 'a = 1', limit: 3 })
    const [byQuery, byBody] = calls('documents')
    expect(byQuery).toEqual(byBody)
    expect(byBody).toMatchObject({ ids: ['1', 'b'], limit: 3, filter: 'a = 1' })
  })

  test('are deleted', async () => {
    await send('DELETE', '/indexes/a/documents/b%20c?customMetadata=m')
    await send('DELETE', '/indexes/a/documents')
    await send('POST', '/indexes/a/documents/delete-batch', [1, 'x', 1.5])
    await send('POST', '/indexes/a/documents/delete', { filter: ['a = 1'] })
    expect(calls('enqueue')).toMatchObject([
      { content: { by: 'ids', ids: ['b c'] }, customMetadata: 'm' },
      { content: { by: 'all' } },
      { content: { by: 'ids', ids: ['1', 'x', '1.5'] } },
      { content: { by: 'filter', filter: ['a = 1'] } },
    ])
  })

  test('are edited if the feature is on; faults are reported in one order', async () => {
    await send('PATCH', '/experimental-features', { editDocumentsByFunction: true })
    const path = '/indexes/a/documents/edit'
    const wrong = { function: 'doc.', context: 1, filter: '' }
    const codes: unknown[] = []
    for (const [index, body] of [
      ['a.b', wrong],
      ['a', wrong],
      ['a', { ...wrong, function: 'doc.a = 1' }],
      ['a', { ...wrong, function: 'doc.a = 1', context: null }],
    ] as const) {
      const { status, body: answer } = await send('POST', path.replace('/a/', `/${index}/`), body)
      codes.push([status, (answer as { code: string }).code])
    }
    expect(codes).toEqual([
      [400, 'invalid_index_uid'],
      [400, 'bad_request'],
      [400, 'invalid_document_edition_context'],
      [400, 'invalid_document_filter'],
    ])
    expect(calls('enqueue')).toEqual([])
    const raw = '{"function":"doc.a = context.x","context":{"x":2.0},"filter":["a = 1"]}'
    const headers = { 'content-type': 'application/json' }
    const sent = { raw: Buffer.from(raw), headers }
    expect(await send('POST', `${path}?customMetadata=m`, undefined, sent)).toMatchObject({
      status: 202,
    })
    expect(calls('enqueue')).toMatchObject([
      {
        content: {
          kind: 'documentEdition',
          filter: ['a = 1'],
          context: { x: 2 },
          contextText: '{"x":2.0}',
          function: 'doc.a = context.x',
        },
        customMetadata: 'm',
      },
    ])
  })
})

describe('settings', () => {
  test('are read whole and one by one', async () => {
    await send('POST', '/indexes', { uid: 'a' })
    const whole = (await send('GET', '/indexes/a/settings')).body as { [name: string]: unknown }
    const hidden = [
      'attributeWeights',
      'boosts',
      'chat',
      'expiresAtAttribute',
      'foreignKeys',
      'infixSearch',
      'similarity',
    ]
    const names = SETTING_NAMES.filter((name) => !hidden.includes(name))
    expect(Object.keys(whole)).toEqual(names)
    expect((await send('GET', '/indexes/a/settings/ranking-rules')).body).toEqual(
      whole['rankingRules'],
    )
    expect((await send('GET', '/indexes/a/settings/distinct-attribute')).body).toBeNull()
    expect((await send('GET', '/indexes/a/settings/foreign-keys')).body).toEqual([])
    await send('PATCH', '/experimental-features', { chatCompletions: true })
    expect((await send('GET', '/indexes/a/settings')).body).toHaveProperty('chat')
    expect((await send('GET', '/indexes/b/settings')).status).toBe(404)
    expect((await send('GET', '/indexes/b/settings/chat')).status).toBe(404)
  })

  test('are changed and reset', async () => {
    await send('PATCH', '/indexes/a/settings', { stopWords: ['b', 'a'], pagination: null })
    await send('PUT', '/indexes/a/settings/distinct-attribute', 'x')
    await send('PATCH', '/indexes/a/settings/pagination', { maxTotalHits: 5 })
    await send('DELETE', '/indexes/a/settings/chat')
    await send('DELETE', '/indexes/a/settings')
    const kind = 'settingsUpdate'
    expect(calls('enqueue')).toMatchObject([
      {
        content: {
          kind,
          patch: { stopWords: ['a', 'b'], pagination: null },
          isDeletion: false,
          allowIndexCreation: true,
        },
      },
      { content: { patch: { distinctAttribute: 'x' } } },
      { content: { patch: { pagination: { maxTotalHits: 5 } } } },
      { content: { patch: { chat: null }, isDeletion: true, allowIndexCreation: false } },
      { content: { patch: { stopWords: null, chat: null }, isDeletion: true } },
    ])
  })
})

describe('searches', () => {
  beforeEach(() => send('POST', '/indexes', { uid: 'a' }))

  test('by body and by query are the same', async () => {
    await send('POST', '/indexes/a/search', { q: 'x y', limit: 2, facets: ['a'] })
    await send('GET', '/indexes/a/search?q=x+y&limit=2&facets=a')
    const [byBody, byQuery] = calls('search')
    expect(byQuery).toEqual(byBody)
    expect(await send('POST', '/indexes/b/search', {})).toMatchObject({ status: 404 })
  })

  test('carry the caller and the query', async () => {
    const contexts: SearchContext[] = []
    engine.onSearch = async (_asked, context) => {
      contexts.push(context)
      return Buffer.from('{}')
    }
    const ask = (headers: { readonly [name: string]: string }) =>
      send('POST', '/indexes/a/search', {}, { headers })
    await ask({})
    await ask({ 'Meili-Include-Metadata': ' True ' })
    await ask({ 'Svc-Include-Metadata': '1' })
    await ask({ 'Svc-Include-Metadata': 'yes' })
    expect(contexts.map(({ queryUid }) => queryUid !== null)).toEqual([false, true, true, false])
    for (const { requestUid: uid } of contexts) {
      expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
    expect(new Set(contexts.map(({ requestUid: uid }) => uid)).size).toBe(4)
  })

  test('answer with the bytes of the engine, unchanged', async () => {
    const bytes = Buffer.from('{"hits":[1.0,"\\u0041é"],"x":1e2}')
    engine.onSearch = () => Promise.resolve(bytes)
    const response = await fetch(`${server.url}/indexes/a/search?q=`)
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes)
  })

  test('have a Retry-After header when there are too many', async () => {
    engine.onSearch = () =>
      Promise.reject(new EngineFault('too_many_search_requests', 'Too many search requests.'))
    const response = await fetch(`${server.url}/indexes/a/search?q=`)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '10'])
  })

  test('of facets stay within one instance', async () => {
    const ask = (useNetwork: boolean) =>
      send('POST', '/indexes/a/facet-search', { facetName: 'f', useNetwork })
    expect(await ask(false)).toMatchObject({ body: { code: 'feature_not_enabled' } })
    await send('PATCH', '/experimental-features', { network: true })
    expect(await ask(true)).toMatchObject({ body: { code: 'invalid_search_use_network' } })
    expect(await ask(false)).toMatchObject({ status: 200 })
  })

  test('of facets accept the body of a search', async () => {
    await send('POST', '/indexes/a/facet-search', { facetName: 'f', q: 'x', limit: 3, zzz: 1 })
    expect(calls('facetSearch')).toMatchObject([{ facetName: 'f', search: { q: 'x' } }])
  })
})

describe('several searches', () => {
  const ask = (body: object) => send('POST', '/multi-search', body)
  const fault = async (body: object) => {
    const { status, body: answer } = await ask(body)
    const { code, message } = answer as { readonly code: string; readonly message: string }
    return { status, code, message }
  }

  beforeEach(() => send('POST', '/indexes', { uid: 'a' }))

  test('separate answers are the same as those of single searches', async () => {
    await send('POST', '/indexes/a/search', { q: 'x', limit: 3 })
    await ask({ queries: [{ indexUid: 'a', q: 'x', limit: 3 }, { indexUid: 'a' }] })
    const [alone] = calls('search')
    expect(calls('multiSearch')).toMatchObject([
      [
        { indexUid: 'a', request: alone },
        { indexUid: 'a', request: { q: null, limit: 20 } },
      ],
    ])
  })

  test('merged hits have weights and positions', async () => {
    await send('PATCH', '/experimental-features', { network: true })
    const federationOptions = { weight: 2.5, queryPosition: 4 }
    const federation = { limit: 3, facetsByIndex: { b: null, a: ['x'] } }
    await ask({ federation, queries: [{ indexUid: 'a', federationOptions }, { indexUid: 'a' }] })
    expect(calls('federatedSearch')).toMatchObject([
      {
        searches: [
          { indexUid: 'a', weight: 2.5, queryPosition: 4 },
          { indexUid: 'a', weight: 1, queryPosition: null },
        ],
        federation: {
          offset: 0,
          limit: 3,
          mergeFacets: null,
          facetsByIndex: { a: ['x'], b: null },
        },
      },
    ])
  })

  test('a missing index is a fault of the body, not of the path', async () => {
    const queries = [{ indexUid: 'zz' }]
    for (const body of [{ queries }, { queries, federation: {} }]) {
      expect(await fault(body)).toMatchObject({ status: 400, code: 'index_not_found' })
    }
  })

  test('refuses options of the federation in single searches', async () => {
    const wrong = (query: object, federation: object = {}) =>
      fault({ federation, queries: [{ indexUid: 'a' }, { indexUid: 'a', ...query }] })
    const begins = 'Inside `.queries[1]`: Using '
    expect(await wrong({ limit: 20, facets: ['x'] })).toMatchObject({
      code: 'invalid_multi_search_query_pagination',
    })
    expect(await wrong({ disjunctiveFacets: ['x'] })).toMatchObject({
      code: 'invalid_multi_search_query_facets',
    })
    expect((await wrong({ facets: ['a"b', 'c'] })).message).toContain(
      '`federation.facetsByIndex.a: ',
    )
    expect((await wrong({ showPerformanceDetails: false })).message).toContain(begins)
    expect((await wrong({ personalize: { userContext: 'x' } })).message).toContain(begins)
    expect(await wrong({ distinct: 'x' }, { distinct: 'y' })).toMatchObject({
      code: 'invalid_multi_search_distinct',
    })
    expect(await wrong({ distinct: 'x' })).toMatchObject({ status: 200 })
    expect(await fault({ queries: [{ indexUid: 'a', federationOptions: {} }] })).toMatchObject({
      code: 'invalid_multi_search_federation_options',
    })
  })

  test('do not reach other instances', async () => {
    const wrong = (query: object) =>
      fault({ federation: {}, queries: [{ indexUid: 'a', ...query }] })
    const remote = { federationOptions: { remote: 'west' } }
    expect(await wrong(remote)).toMatchObject({ code: 'feature_not_enabled' })
    expect(await wrong({ useNetwork: false })).toMatchObject({ code: 'feature_not_enabled' })
    await send('PATCH', '/experimental-features', { network: true })
    expect(await wrong(remote)).toMatchObject({ code: 'invalid_multi_search_remote' })
    expect(await wrong({ ...remote, useNetwork: true })).toMatchObject({
      code: 'invalid_multi_search_federation_options',
    })
  })

  test("stay within the caller's visible indexes and under its filter", async () => {
    const caller: Caller = {
      ...EVERYTHING,
      visible: (uid) => uid === 'a',
      filterOf: (uid) => `owner = ${uid}`,
    }
    const scoped = await testServer(routesOf(engine), { authorise: () => caller })
    const post = async (body: object) => {
      const headers = { 'content-type': 'application/json' }
      const sent = { method: 'POST', headers, body: JSON.stringify(body) }
      const response = await fetch(`${scoped.url}/multi-search`, sent)
      return [response.status, ((await response.json()) as { message?: string }).message]
    }
    const both = [{ indexUid: 'a', limit: 1 }, { indexUid: 'b' }]
    const refused = 'The provided API key is invalid.'
    try {
      for (const federation of [null, {}]) {
        expect(await post({ federation, queries: both })).toEqual([
          403,
          `Inside \`.queries[1]\`: ${refused}`,
        ])
      }
      const federation = { facetsByIndex: { b: ['x'] } }
      expect(await post({ federation, queries: [{ indexUid: 'a' }] })).toEqual([
        403,
        `Inside \`.federation.facetsByIndex.b\`: ${refused}`,
      ])
      await post({ queries: [{ indexUid: 'a', filter: 'x = 1' }] })
      expect(calls('multiSearch')).toMatchObject([
        [{ request: { filter: ['x = 1', 'owner = a'] } }],
      ])
    } finally {
      await scoped.stop()
    }
  })
})

describe('similar documents', () => {
  test('are requested by body and by query alike', async () => {
    await send('POST', '/indexes', { uid: 'a' })
    const request = { id: 1, embedder: 'e', limit: 2, filter: ['x = 1'] }
    await send('POST', '/indexes/a/similar', request)
    await send('GET', '/indexes/a/similar?embedder=e&id=1&limit=2&filter=%5B%22x%20=%201%22%5D')
    const [byBody, byQuery] = calls('similar')
    expect(byQuery).toEqual(byBody)
    expect(byBody).toMatchObject({ id: '1', embedder: 'e', within: null, offset: 0, limit: 2 })
  })
})

describe('fields', () => {
  test('are requested by any name of an index', async () => {
    await send('POST', '/indexes', { uid: 'a' })
    await send('POST', '/indexes/a/fields', { filter: { displayed: true }, limit: 3 })
    expect(calls('fields')).toMatchObject([{ offset: 0, limit: 3, filter: { displayed: true } }])
    expect(await send('POST', '/indexes/no.dots/fields', {})).toMatchObject({ status: 404 })
  })
})

describe('tasks', () => {
  test('are shown one by one and in pages', async () => {
    await send('POST', '/indexes', { uid: 'a' })
    await send('DELETE', '/indexes/a/documents?customMetadata=m')
    const task = await send('GET', '/tasks/1')
    expect(JSON.stringify(task.body)).toBe(
      '{"uid":1,"batchUid":1,"indexUid":"a","status":"succeeded","type":"documentDeletion",' +
        '"canceledBy":null,"details":{},"error":null,"duration":"PT0.001500S",' +
        '"enqueuedAt":"2023-11-14T22:13:20Z","startedAt":"2023-11-14T22:13:20Z",' +
        '"finishedAt":"2023-11-14T22:13:20.0015Z","customMetadata":"m"}',
    )
    const page = await send('GET', '/tasks?limit=1&statuses=succeeded&reverse=true')
    expect(page.body).toMatchObject({ total: 2, limit: 1, from: 0, next: null })
    expect(Object.keys(page.body as object)).toEqual(['results', 'total', 'limit', 'from', 'next'])
    expect(calls('tasks')).toMatchObject([
      { filter: { statuses: ['succeeded'] }, page: { limit: 1, reverse: true, from: null } },
    ])
    expect(await send('GET', '/tasks/7')).toMatchObject({
      status: 404,
      body: { message: 'Task `7` not found.', code: 'task_not_found' },
    })
    expect((await send('GET', '/batches/0')).body).toMatchObject({ uid: 0, progress: null })
    expect((await send('GET', '/batches')).body).toMatchObject({ results: [], total: 0 })
    expect(await send('GET', '/batches/7')).toMatchObject({
      status: 404,
      body: { message: 'Batch `7` not found.', code: 'batch_not_found' },
    })
  })

  test('are canceled and deleted by their filter, in its original form', async () => {
    const canceled = await send('POST', '/tasks/cancel?uids=1,,2&statuses=*', { ignored: 1 })
    const deleted = await send('DELETE', '/tasks?types=indexCreation')
    expect([canceled.status, deleted.status]).toEqual([200, 200])
    expect(calls('enqueueCancelation')).toMatchObject([
      { filter: { uids: [1, 2], statuses: null }, query: '?uids=1,,2&statuses=*' },
    ])
    expect(calls('enqueueDeletion')).toMatchObject([{ query: '?types=indexCreation' }])
  })

  test('long lists are written in slices', async () => {
    const items = Array.from({ length: 1234 }, (_, i) => i)
    const text = await listText(items, (item) => ({ item }), { total: 1234, next: null })
    expect(JSON.parse(text)).toEqual({
      results: items.map((item) => ({ item })),
      total: 1234,
      next: null,
    })
    expect(await listText([], (item) => item, { total: 0 })).toBe('{"results":[],"total":0}')
  })
})

describe('with a master key', () => {
  const key = 'a-master-key-of-tests'
  let locked: TestServer
  beforeAll(async () => {
    locked = await testServer(routesOf(fakeEngine()), { authorise: masterKeyOnly(key) })
  })
  afterAll(() => locked.stop())

  test.each([
    ['GET', '/health', undefined, 200],
    ['GET', '/', undefined, 200],
    ['GET', '/nowhere', undefined, 404],
    ['POST', '/health', undefined, 405],
    ['GET', '/version', undefined, 401],
    ['GET', '/indexes/bad.uid', undefined, 401],
    ['POST', '/indexes', undefined, 401],
    ['GET', '/version', 'Bearer wrong', 403],
    ['GET', '/version', `Bearer ${key}`, 200],
    ['GET', '/indexes/bad.uid', `Bearer ${key}`, 400],
  ])('%s %s with %s', async (method, path, authorization, status) => {
    const headers: { [name: string]: string } = authorization === undefined ? {} : { authorization }
    const response = await fetch(locked.url + path, { method, headers })
    expect(response.status).toBe(status)
  })
})

test('ids of requests sort by time', () => {
  const uids = [1, 1_700_000_000_000, 1_700_000_000_001, 2 ** 47].map((now) => requestUid(now))
  expect([...uids].sort()).toEqual(uids)
  expect(uids[1]).toMatch(/^018bcfe5-6800-7/)
  const many = Array.from({ length: 1000 }, () => requestUid(5))
  expect(new Set(many).size).toBe(1000)
})
