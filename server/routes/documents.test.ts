// The routes of documents, with an engine and a network that the test plays: which of them answers,
// with which request, and which bodies are discarded.
import { describe, expect, test } from 'vitest'
import { EngineFault } from '../../engine/index.ts'
import { ApiError } from '../errors/index.ts'
import type { Reply } from '../http/messages/index.ts'
import { type FakeInstance, fakePorts, fakeRequest, NETWORK } from '../testing/fake-instance.ts'
import type { RouteOptions } from './context/index.ts'
import { documentRoutes } from './documents.ts'

type World = FakeInstance & {
  /** Error of the engine, by the name of its method. */
  readonly fails?: { readonly [method: string]: Error }
}

/** The shards of a network that this instance does not know. */
const UNKNOWN = { 'svc-proxy-serving': 'v9;digest;s' }
const PROXIED = { 'svc-proxy-search': 'true' }

function asksNetwork(): never {
  throw new ApiError('bad_request', 'the network')
}

/** Calls a route; returns its answer or its refusal, and the calls of the engine. */
async function call(target: string, world: World = {}, body: unknown = {}) {
  const calls: (readonly unknown[])[] = []
  const on =
    (name: string, answer: unknown = name) =>
    async (...given: readonly unknown[]): Promise<unknown> => {
      calls.push([name, ...given])
      if (world.fails?.[name] !== undefined) throw world.fails[name]
      return answer
    }
  const options = {
    engine: {
      ...fakePorts(world),
      documents: {
        get: on('get'),
        list: on('list'),
        discard: on('discard'),
        enqueueDocuments: on('enqueueDocuments', { uid: 3, enqueuedAt: 0 }),
        receive: (format: unknown) => {
          calls.push(['receive', format])
          return { finish: on('finish', 'received'), abort: on('abort') }
        },
      },
      tasks: { enqueue: on('enqueue', { uid: 3, enqueuedAt: 0 }) },
    },
    instances: {
      contained: { newest: () => null, own: on('own', true), others: on('others', true) },
      searches: { parts: {}, plan: asksNetwork, room: asksNetwork },
    },
    registrationOf: () => {
      if (world.fails?.['registration'] !== undefined) throw world.fails['registration']
      return 'registration'
    },
  } as unknown as RouteOptions
  const [method, path] = target.split(' ')
  const { handle } = documentRoutes(options).find(
    (one) => one.method === method && one.path === path,
  )!
  const request = { ...fakeRequest(world, body), pour: on('pour') }
  const shown = await Promise.resolve()
    .then(() => handle(request as never))
    .then(
      (reply) => (reply as Reply).body,
      (error: ApiError) => [error.code, error.message],
    )
  return { shown, calls, names: calls.map(([name]) => name) }
}

const OF_NETWORK = ['bad_request', 'the network']
const NO_FEATURE = ['feature_not_enabled', expect.stringContaining('`network`')]
const GET = 'GET /indexes/:indexUid/documents/:documentId'
const LIST = 'GET /indexes/:indexUid/documents'
const FETCH = 'POST /indexes/:indexUid/documents/fetch'

describe('one document', () => {
  const absent = (code: EngineFault['code']) => ({ get: new EngineFault(code, code) })
  const ON = { ...NETWORK, query: 'useNetwork=true' }

  test.each<[string, World, unknown]>([
    ['found here', ON, 'get'],
    ['the document is absent', { ...ON, fails: absent('document_not_found') }, OF_NETWORK],
    ['the index is absent', { ...ON, fails: absent('index_not_found') }, OF_NETWORK],
    [
      'the documents are divided',
      { ...NETWORK, leader: 'b', fails: absent('document_not_found') },
      OF_NETWORK,
    ],
    [
      'another failure',
      { ...ON, fails: absent('invalid_document_filter') },
      ['invalid_document_filter', 'invalid_document_filter'],
    ],
    ['no failure of the engine', { ...ON, fails: { get: new Error('no') } }, [undefined, 'no']],
    [
      'this instance alone is asked',
      { ...ON, query: 'useNetwork=false', leader: 'b', fails: absent('document_not_found') },
      ['document_not_found', 'document_not_found'],
    ],
    [
      'the network is not asked',
      { ...NETWORK, fails: absent('document_not_found') },
      ['document_not_found', 'document_not_found'],
    ],
    ['a divided network without its feature', { leader: 'b' }, NO_FEATURE],
    ['no index', { uid: 'a b' }, ['invalid_index_uid', expect.stringContaining('`a b`')]],
    [
      'shards of another network',
      { headers: UNKNOWN },
      ['network_version_mismatch', expect.any(String)],
    ],
  ])('is read: %s', async (_, world, answer) => {
    expect((await call(GET, world)).shown).toEqual(answer)
  })

  test('has the fields and vectors that were requested', async () => {
    const { calls } = await call(GET, { query: 'fields=a,b&retrieveVectors=true' })
    expect(calls).toEqual([['get', 'films', '1', ['a', 'b'], true]])
  })
})

describe('a page of documents', () => {
  test.each<[string, World, object, unknown]>([
    ['one instance', {}, {}, 'list'],
    ['the network', NETWORK, { useNetwork: true }, OF_NETWORK],
    ['a network that divides documents', { ...NETWORK, leader: 'b' }, {}, OF_NETWORK],
    ['one instance of it', { ...NETWORK, leader: 'b' }, { useNetwork: false }, 'list'],
    ['a network that does not divide documents', NETWORK, {}, 'list'],
    ['a network of this instance alone', { features: ['network'] }, { useNetwork: true }, 'list'],
    ['a network without its feature', { remotes: ['b'] }, { useNetwork: true }, NO_FEATURE],
    ['another instance, without the feature', { headers: PROXIED }, {}, NO_FEATURE],
    [
      'shards of another network',
      { headers: UNKNOWN },
      {},
      ['network_version_mismatch', expect.any(String)],
    ],
    ['no index', { uid: 'a b' }, {}, ['invalid_index_uid', expect.stringContaining('`a b`')]],
  ])('of %s', async (_, world, body, answer) => {
    expect((await call(FETCH, world, body)).shown).toEqual(answer)
    if (world.features === undefined && 'useNetwork' in body) return
    const query = Object.entries(body).map(([name, value]) => `${name}=${value}`)
    expect((await call(LIST, { ...world, query: query.join('&') })).shown).toEqual(answer)
  })

  test('has no document of a network that this instance is alone in', async () => {
    const own = async (world: World, body: object) => (await call(FETCH, world, body)).calls[0]![2]
    expect(await own({ features: ['network'] }, { useNetwork: true, ids: ['1'] })).toMatchObject({
      ids: [],
    })
    expect(await own({}, { ids: ['1'] })).toMatchObject({ ids: ['1'] })
  })

  test('for another instance says so, and names the shards of its network', async () => {
    const [, , request, context] = (await call(FETCH)).calls[0]!
    expect(request).not.toHaveProperty('merger')
    expect(context).not.toHaveProperty('shardNames')
    const headers = { ...PROXIED, 'svc-proxy-serving': 'v2;digest;t' }
    const served = (await call(FETCH, { ...NETWORK, headers })).calls[0]!
    expect(served[2]).toMatchObject({ merger: 'other' })
    expect(served[3]).toMatchObject({ shardNames: ['t'] })
  })
})

test.each<[string, World, readonly string[]]>([
  [FETCH, { ...NETWORK, leader: 'b' }, ['own', 'others']],
  [LIST, { ...NETWORK, leader: 'b', query: 'useNetwork=false' }, ['own', 'list']],
  [LIST, { ...NETWORK, leader: 'b' }, ['own', 'others']],
  [LIST, { ...NETWORK, query: 'useNetwork=true' }, ['own']],
  [GET, { ...NETWORK, leader: 'b' }, ['own', 'others', 'get']],
  [GET, { ...NETWORK, leader: 'b', query: 'useNetwork=false' }, ['own', 'get']],
])('%s of %j waits for the tasks of those that answer', async (target, world, names) => {
  const headers = { 'svc-min-task-uid': '5' }
  expect((await call(target, { ...world, headers })).names).toEqual(names)
})

describe('documents that are added', () => {
  const POST = 'POST /indexes/:indexUid/documents'
  const json = { 'content-type': 'application/json' }

  test.each<[string, string, World, unknown, object]>([
    [POST, 'application/json', {}, { kind: 'json' }, {}],
    [POST, 'application/x-ndjson', {}, { kind: 'ndjson' }, {}],
    [POST, 'text/csv', {}, { kind: 'csv', delimiter: ',' }, {}],
    [POST, 'text/csv', { query: 'csvDelimiter=%7C' }, { kind: 'csv', delimiter: '|' }, {}],
    [POST.replace('POST', 'PUT'), 'application/json', {}, { kind: 'json' }, { method: 'update' }],
    [
      POST,
      'application/json',
      { query: 'primaryKey=k&skipCreation=true&customMetadata=m' },
      { kind: 'json' },
      { primaryKey: 'k', skipCreation: true, customMetadata: 'm' },
    ],
    [
      POST,
      'application/json',
      { caller: { mayCreateIndex: false } },
      { kind: 'json' },
      { allowIndexCreation: false },
    ],
  ])('%s of %s with %j is one task', async (target, type, world, format, change) => {
    const { calls } = await call(target, { ...world, headers: { 'content-type': type } })
    const options = {
      method: 'replace',
      primaryKey: null,
      skipCreation: false,
      allowIndexCreation: true,
      customMetadata: null,
      registration: 'registration',
      ...change,
    }
    expect(calls.map(([name, ...given]) => [name, ...(name === 'pour' ? [] : given)])).toEqual([
      ['receive', format],
      ['pour'],
      ['finish'],
      ['enqueueDocuments', 'films', 'received', options],
    ])
  })

  test.each<[World, unknown, readonly string[]]>([
    [
      { caller: { isValid: () => false } },
      ['invalid_api_key', 'The provided API key is invalid.'],
      ['receive', 'pour', 'finish', 'discard'],
    ],
    [
      { fails: { registration: new ApiError('bad_request', 'no') } },
      ['bad_request', 'no'],
      ['receive', 'pour', 'finish', 'discard'],
    ],
    [{ fails: { pour: new Error('no') } }, [undefined, 'no'], ['receive', 'pour', 'abort']],
    [
      { fails: { finish: new Error('no') } },
      [undefined, 'no'],
      ['receive', 'pour', 'finish', 'abort'],
    ],
    [{ uid: 'a b' }, ['invalid_index_uid', expect.any(String)], []],
    [{ query: 'csvDelimiter=%C3%A9' }, ['invalid_document_csv_delimiter', expect.any(String)], []],
    [
      { query: 'csvDelimiter=%7C' },
      [
        'invalid_content_type',
        'The Content-Type `application/json` does not support the use of a csv delimiter. ' +
          'The csv delimiter can only be used with the Content-Type `text/csv`.',
      ],
      [],
    ],
  ])('are refused: %j', async (world, refusal, names) => {
    const found = await call(POST, { headers: json, ...world })
    expect([found.shown, found.names]).toEqual([refusal, names])
  })
})

describe('documents that are deleted or edited', () => {
  const DOCUMENTS = '/indexes/:indexUid/documents'
  const feature = { features: ['editDocumentsByFunction'] } as const

  test.each<[string, World, unknown]>([
    [`DELETE ${DOCUMENTS}`, {}, {}],
    [`DELETE ${DOCUMENTS}/:documentId`, {}, {}],
    [`POST ${DOCUMENTS}/delete-batch`, {}, [1]],
    [`POST ${DOCUMENTS}/delete`, {}, { filter: 'a = 1' }],
    [`POST ${DOCUMENTS}/edit`, feature, { function: 'doc.a = 1' }],
  ])('by %s are one task of their index', async (target, world, body) => {
    const { calls } = await call(target, { ...world, query: 'customMetadata=m' }, body)
    const content = expect.any(Object)
    const task = { indexUid: 'films', content, customMetadata: 'm', registration: 'registration' }
    expect(calls).toEqual([['enqueue', task]])
    const { shown } = await call(target, { ...world, uid: 'a b' }, body)
    expect(shown).toEqual(['invalid_index_uid', expect.stringContaining('`a b`')])
  })
})
