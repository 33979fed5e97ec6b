// The embedded engine: requests, answers and errors of the HTTP API, in this process.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { DEFAULT_SEARCH } from '../../engine/index.ts'
import { SvcSearchError } from './errors.ts'
import { open } from './open.ts'
import { completed } from './options.ts'
import type { SearchRequest } from './search-types.ts'
import type { Engine } from './types.ts'

const root = mkdtempSync(join(tmpdir(), 'svc-embed-'))
const engines: Engine[] = []
let folders = 0
afterAll(async () => {
  for (const engine of engines) await engine.close()
  rmSync(root, { recursive: true })
})

const IN_PLACE = null
const newPath = (): string => join(root, `db${folders++}`)

async function opened(path = newPath()): Promise<Engine> {
  const engine = await open({ path, onWarning: () => undefined }, IN_PLACE)
  engines.push(engine)
  return engine
}

const FILMS = [
  { id: 1, title: 'The Godfather', year: 1972 },
  { id: 2, title: 'Heat', year: 1995 },
]

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'fine',
    (error: unknown) => (error instanceof SvcSearchError ? error.code : error),
  )

describe('an embedded engine', () => {
  it('adds and searches documents, and has the same after a restart', async () => {
    const path = newPath()
    const first = await opened(path)
    const added = await first.waitForTask(await first.addDocuments('films', FILMS))
    expect(added).toMatchObject({ status: 'succeeded', details: { indexedDocuments: 2 } })
    expect((await first.search('films', { q: 'godfahter' })).hits).toEqual([FILMS[0]])
    const bytes = await first.searchBytes('films', { q: 'heat' })
    expect(JSON.parse(new TextDecoder().decode(bytes)).hits).toEqual([FILMS[1]])
    await first.close()
    const second = await opened(path)
    expect(await second.document('films', 2, { fields: ['title'] })).toEqual({ title: 'Heat' })
    expect((await second.documents('films')).total).toBe(2)
  })

  it('reads any number of documents from a generator, and text in each format', async () => {
    const engine = await opened()
    async function* many() {
      for (let id = 0; id < 3000; id++) yield { id, title: `title ${id}`, text: 'x'.repeat(50) }
    }
    await engine.waitForTask(await engine.addDocuments('many', many()))
    expect((await engine.documents('many', { limit: 0 })).total).toBe(3000)
    const csv = 'id;title\n1;One\n'
    const options = { format: 'csv', csvDelimiter: ';' } as const
    await engine.waitForTask(await engine.importDocuments('csv', csv, options))
    expect((await engine.documents('csv')).results).toEqual([{ id: '1', title: 'One' }])
    await engine.waitForTask(await engine.updateDocuments('csv', [{ id: 1, year: 2000 }]))
    expect(await engine.document('csv', 1)).toEqual({ id: 1, title: 'One', year: 2000 })
    const gone = await engine.waitForTask(await engine.deleteDocuments('csv', { ids: [1] }))
    expect(gone.details).toMatchObject({ deletedDocuments: 1 })
  })

  it('stores settings, lists tasks, and accepts every other request', async () => {
    const engine = await opened()
    await engine.createIndex('films', { primaryKey: 'id' })
    const change = { filterableAttributes: ['year'] }
    await engine.waitForTask(await engine.updateSettings('films', change))
    expect(await engine.settings('films')).toMatchObject(change)
    await engine.waitForTask(await engine.addDocuments('films', FILMS))
    expect((await engine.search('films', { filter: 'year < 1980' })).hits).toHaveLength(1)
    const { results } = await engine.tasks({ types: ['settingsUpdate'], statuses: ['succeeded'] })
    expect(results.map(({ uid }) => uid)).toEqual([1])
    const features = await engine.request('PATCH', '/experimental-features', { metrics: true })
    expect(features).toMatchObject({ metrics: true })
    expect(await engine.request('GET', '/metrics')).toContain('# TYPE')
    expect(await engine.request('GET', '/indexes?limit=0')).toMatchObject({ total: 1 })
  })

  it('accepts every member of a search that the API has, and no other', () => {
    const members: { readonly [Name in keyof Required<SearchRequest>]: true } = {
      q: true,
      offset: true,
      limit: true,
      page: true,
      hitsPerPage: true,
      countTotal: true,
      searchAfter: true,
      hitsPerGroup: true,
      filter: true,
      attributesToRetrieve: true,
      attributesToCrop: true,
      cropLength: true,
      cropMarker: true,
      attributesToHighlight: true,
      highlightPreTag: true,
      highlightPostTag: true,
      showMatchesPosition: true,
      showRankingScore: true,
      showRankingScoreDetails: true,
      showPerformanceDetails: true,
      sort: true,
      distinct: true,
      facets: true,
      disjunctiveFacets: true,
      facetScope: true,
      sortScope: true,
      matchingStrategy: true,
      querySyntax: true,
      attributesToSearchOn: true,
      rankingScoreThreshold: true,
      locales: true,
      hybrid: true,
      vector: true,
      retrieveVectors: true,
      media: true,
      personalize: true,
      useNetwork: true,
      inlineRule: true,
      showCorrection: true,
      attributeWeights: true,
      boosts: true,
      boostsNow: true,
    }
    expect(Object.keys(members).sort()).toEqual(Object.keys(DEFAULT_SEARCH).sort())
  })
})

describe('refusals', () => {
  it('have the codes, types and links of the API', async () => {
    const engine = await opened()
    const error = await engine.search('none').catch((error: unknown) => error)
    expect(error).toBeInstanceOf(SvcSearchError)
    expect(error).toMatchObject({
      name: 'SvcSearchError',
      code: 'index_not_found',
      type: 'invalid_request',
      message: 'Index `none` not found.',
      link: expect.stringMatching(/#index_not_found$/),
    })
    const wrong = { limt: 1 } as SearchRequest
    expect(await codeOf(engine.search('none', wrong))).toBe('bad_request')
    expect(await codeOf(engine.search('no index'))).toBe('invalid_index_uid')
    expect(await codeOf(engine.search('x', { limit: -1 }))).toBe('invalid_search_limit')
    expect(await codeOf(engine.addDocuments('x', [3 as never]))).toBe('malformed_payload')
    expect(await codeOf(engine.addDocuments('x', 3 as never))).toBe('malformed_payload')
    expect(await codeOf(engine.addDocuments('x', [{ n: 1n }]))).toBe('malformed_payload')
    expect(await codeOf(engine.task(99))).toBe('task_not_found')
    expect(await codeOf(engine.waitForTask(99))).toBe('task_not_found')
    expect(await codeOf(engine.request('GET', '/nowhere'))).toBe('route_not_found')
    expect(await codeOf(engine.request('GET', '/%zz'))).toBe('route_not_found')
    expect(await codeOf(engine.request('GET', '/a'.repeat(20)))).toBe('route_not_found')
    expect(await engine.request('GET', 'tasks?limit=1')).toMatchObject({ results: [], limit: 1 })
    const text = { format: 'ndjson' } as const
    expect(await codeOf(engine.importDocuments('x', 3 as never, text))).toBe('malformed_payload')
    expect(await codeOf(engine.importDocuments('x', [3] as never, text))).toBe('malformed_payload')
    expect(await codeOf(engine.deleteDocuments('x', null as never))).toBe('invalid_options')
    expect(await codeOf(engine.deleteDocuments('x', { all: false as true }))).toBe(
      'invalid_options',
    )
  })

  it('come from code of the program that throws, and leave everything as it was', async () => {
    const path = newPath()
    const engine = await opened(path)
    await engine.waitForTask(await engine.addDocuments('films', FILMS))
    const own = new Error('of the program')
    const throws = (): never => {
      throw own
    }
    async function* later(count: number) {
      for (let id = 0; id < count; id++) yield { id, text: 'x'.repeat(1000) }
      throw own
    }
    function* now(count: number) {
      for (let id = 0; id < count; id++) yield { id, text: 'x'.repeat(1000) }
      throw own
    }
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    const documents: readonly unknown[] = [
      now(0),
      now(500),
      later(0),
      later(500),
      { [Symbol.iterator]: throws },
      { [Symbol.asyncIterator]: throws },
      { [Symbol.iterator]: () => ({ next: throws }) },
      { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(own) }) },
      { [Symbol.iterator]: () => 5 },
      { [Symbol.iterator]: 5 },
      { [Symbol.iterator]: () => ({ next: () => 5 }) },
      {
        *[Symbol.iterator]() {
          yield Promise.reject(own)
        },
      },
      [{ toJSON: throws }],
      Object.defineProperty({}, Symbol.iterator, { get: throws }),
      new Proxy({}, { has: throws }),
      revoked.proxy,
      [revoked.proxy],
      [{ id: 1 }, undefined],
      Readable.from(later(3)),
    ]
    for (const [at, one] of documents.entries()) {
      expect(await codeOf(engine.addDocuments('films', one as never)), `${at}`).toMatch(
        /^(malformed_payload|invalid_options)$/,
      )
    }
    const error = await engine.updateDocuments('films', later(300)).catch((e: unknown) => e)
    expect(error).toMatchObject({ cause: own, message: expect.stringContaining(own.message) })
    const bytes = async function* () {
      yield Buffer.from('{"id":7}\n')
      throw own
    }
    expect(await codeOf(engine.importDocuments('films', bytes(), { format: 'ndjson' }))).toBe(
      'malformed_payload',
    )
    // Any value can be thrown.
    const nothing = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject() }) }
    expect(await codeOf(engine.addDocuments('films', nothing as never))).toBe('malformed_payload')
    expect((await engine.tasks()).total).toBe(1)
    expect((await engine.documents('films')).results).toEqual(FILMS)
    expect(readdirSync(join(path, 'tasks', 'bodies'))).toEqual([])
    const added = await engine.waitForTask(await engine.addDocuments('films', [{ id: 3 }]))
    expect(added.status).toBe('succeeded')
  })

  it('come from arguments of wrong types, never as an internal error', async () => {
    const engine = await opened()
    const throwing = Object.defineProperty({}, 'limit', {
      enumerable: true,
      get: () => {
        throw new Error('of the program')
      },
    })
    const odd: readonly unknown[] = [
      null,
      3,
      Number.NaN,
      true,
      '',
      '\ud800',
      Symbol('s'),
      1n,
      {},
      Object.create(null),
      [],
      () => 1,
      new Map(),
      throwing,
      { toString: null },
    ]
    const works: readonly ((value: never) => Promise<unknown>)[] = [
      (value) => engine.createIndex(value),
      (value) => engine.createIndex('a', value),
      (value) => engine.createIndex('a', { primaryKey: value }),
      (value) => engine.updateIndex(value, { primaryKey: 'id' }),
      (value) => engine.updateIndex('none', value),
      (value) => engine.deleteIndex(value),
      (value) => engine.swapIndexes(value),
      (value) => engine.index(value),
      (value) => engine.indexes(value),
      (value) => engine.indexes({ limit: value }),
      (value) => engine.settings(value),
      (value) => engine.updateSettings('none', value),
      (value) => engine.resetSettings(value),
      (value) => engine.addDocuments(value, []),
      (value) => engine.addDocuments('b', [], value),
      (value) => engine.importDocuments('b', value, { format: 'json' }),
      (value) => engine.importDocuments('b', '', value),
      (value) => engine.importDocuments('b', '', { format: value }),
      (value) => engine.deleteDocuments(value, { all: true }),
      (value) => engine.deleteDocuments('none', value),
      (value) => engine.document('none', value),
      (value) => engine.document('none', 1, value),
      (value) => engine.document('none', 1, { fields: value }),
      (value) => engine.documents('none', value),
      (value) => engine.search('none', value),
      (value) => engine.search('none', {}, value),
      (value) => engine.search('none', {}, { signal: value }),
      (value) => engine.searchBytes(value, {}, value),
      (value) => engine.facetSearch('none', value, value),
      (value) => engine.suggest('none', value, value),
      (value) => engine.multiSearch(value),
      (value) => engine.federatedSearch(value),
      (value) => engine.task(value),
      (value) => engine.tasks(value),
      (value) => engine.tasks({ uids: value }),
      (value) => engine.cancelTasks(value),
      (value) => engine.deleteTasks(value),
      (value) => engine.waitForTask(value, { timeoutMs: 1000 }),
      (value) => engine.waitForTask(99_999, { timeoutMs: value }),
      (value) => engine.waitForTask(99_999, { signal: value }),
      (value) => engine.request(value, '/stats'),
      (value) => engine.request('GET', value),
      (value) => engine.request('POST', '/indexes', value),
      (value) => engine.request('GET', '/stats', undefined, value),
    ]
    for (const [at, work] of works.entries()) {
      for (const value of odd) {
        const code = await codeOf(work(value as never))
        expect([typeof code, code], `method ${at}, ${typeof value}`).not.toContain('internal')
        expect(typeof code, `method ${at}, ${typeof value}`).toBe('string')
      }
    }
    expect(await codeOf(engine.stats())).toBe('fine')
  })

  it('are not lost if the function for warnings throws', async () => {
    const emitted = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    const { note } = completed(
      {
        path: 'x',
        onWarning: () => {
          throw new Error('of the program')
        },
      },
      '1.2.3',
      null,
    )
    note?.('a warning')
    expect(emitted.mock.calls.map(([message]) => message)).toEqual([
      'a warning',
      'onWarning has thrown an error',
    ])
    emitted.mockRestore()
  })

  it.each([
    [null, 'options have to be an object'],
    [{}, 'option `path` is missing'],
    [{ path: '' }, 'option `path` has to be a path'],
    [{ path: 'x', searchThreads: 0 }, 'option `searchThreads` has to be an integer from 1 to 1024'],
    [{ path: 'x', upgrade: 1 }, 'option `upgrade` has to be true or false'],
    [{ path: 'x', treads: 1 }, /^unknown option `treads`: expected one of `path`, /],
  ])('options are checked (%#)', async (options, message) => {
    const work = open(options as never, IN_PLACE)
    await expect(work).rejects.toMatchObject({
      code: 'invalid_options',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    })
  })

  it('a database that is already open is refused, and a closed engine refuses calls', async () => {
    const path = newPath()
    const engine = await opened(path)
    expect(await codeOf(opened(path))).toBe('database_locked')
    await engine.close()
    await engine.close()
    expect(await codeOf(engine.search('films'))).toBe('engine_closed')
    expect(await codeOf((await opened(path)).indexes())).toBe('fine')
  })

  it('a waiting caller is rejected by its signal and when the engine closes', async () => {
    const engine = await opened()
    const task = await engine.addDocuments('films', FILMS)
    const aborted = engine.waitForTask(task, { signal: AbortSignal.abort() })
    expect(['timeout', 'fine']).toContain(await codeOf(aborted))
    const waiting = codeOf(engine.waitForTask(await engine.addDocuments('films', FILMS)))
    await engine.close()
    expect(['engine_closed', 'fine']).toContain(await waiting)
  })
})
