// Queries of a list that contradict the rest of the request, searches of the network, tasks that
// reads name, and answers in personal order.
import { describe, expect, test } from 'vitest'
import type { Engine, Features } from '../../../engine/index.ts'
import { asIndexUid } from '../../../format/ids.ts'
import { ApiError } from '../../errors/index.ts'
import { type ListedSearch, type MultiSearch, readMultiSearch } from '../../parse/index.ts'
import type { RouteOptions } from '../context/index.ts'
import { checkFederatedQuery, checkFederationOptions, checkSingleQuery } from './federated-query.ts'
import { readParts } from './multi-search.ts'
import {
  checkCorrection,
  checkRemote,
  isProxied,
  spansNetwork,
  usesNetwork,
} from './network-search.ts'
import { personalized, personalizedResults } from './personal-order.ts'

const bodyOf = (query: object, federation?: object): MultiSearch =>
  readMultiSearch(
    Buffer.from(JSON.stringify({ queries: [{ indexUid: 'a', ...query }], federation })),
  )
const queryOf = (query: object): ListedSearch => bodyOf(query).queries[0]!

const refusalOf = (run: () => unknown): string => {
  try {
    run()
    return ''
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return `${error.code}: ${error.message}`
  }
}

const PAGES = 'invalid_multi_search_query_pagination'
const FACETS = 'invalid_multi_search_query_facets'

describe('a query of a federation', () => {
  test.each<[object, object, code: string, words: string]>([
    [{}, {}, '', ''],
    [{ offset: 0 }, {}, PAGES, 'remove `offset`'],
    [{ limit: 0 }, {}, PAGES, 'remove `limit`'],
    [{ page: 1 }, {}, PAGES, 'remove `page`'],
    [{ hitsPerPage: 1 }, {}, PAGES, 'remove `hitsPerPage`'],
    [{ countTotal: true }, {}, PAGES, 'remove `countTotal`'],
    [{ countTotal: false }, {}, '', ''],
    [{ facets: [] }, {}, '', ''],
    [{ facets: ['x', 'y'] }, {}, FACETS, 'pass `federation.facetsByIndex.a: ["x", "y"]`'],
    [{ facets: ['x'] }, {}, FACETS, 'remove `facets`'],
    [{ facets: [], disjunctiveFacets: ['x'] }, {}, FACETS, 'remove `disjunctiveFacets`'],
    [{ disjunctiveFacets: ['x'] }, {}, FACETS, 'remove `disjunctiveFacets`'],
    [
      { personalize: { userContext: 'u' } },
      {},
      'invalid_multi_search_query_personalization',
      'pass `federation.personalize`',
    ],
    [
      { showPerformanceDetails: false },
      {},
      'invalid_multi_search_query_show_performance_details',
      'remove `showPerformanceDetails`',
    ],
    [{ distinct: 'x' }, {}, '', ''],
    [{}, { distinct: 'x' }, '', ''],
    [{ distinct: 'x' }, { distinct: 'y' }, 'invalid_multi_search_distinct', 'remove `distinct`'],
  ])('%j in %j', (query, federation, code, words) => {
    const body = bodyOf(query, federation)
    const found = refusalOf(() => checkFederatedQuery(body.queries[0]!, body.federation!))
    expect(found.split(':')[0]).toBe(code)
    expect(found).toContain(words)
  })

  test('alone has no options of a federation', () => {
    expect(refusalOf(() => checkSingleQuery(queryOf({})))).toBe('')
    expect(refusalOf(() => checkSingleQuery(queryOf({ federationOptions: {} })))).toContain(
      'invalid_multi_search_federation_options',
    )
  })

  test.each([
    [{}, false, ''],
    [{ federationOptions: { weight: 2 } }, false, ''],
    [
      { federationOptions: { remote: 'b' } },
      false,
      'Performing a remote federated search requires',
    ],
    [{ federationOptions: { remote: 'b' } }, true, ''],
    [
      { federationOptions: { remote: 'b' }, useNetwork: true },
      true,
      'Using `.useNetwork` is not allowed',
    ],
    [{ federationOptions: { remote: 'b' }, useNetwork: false }, true, ''],
    [
      { federationOptions: { queryPosition: 0 } },
      false,
      'Using `federationOptions.queryPosition` requires',
    ],
    [{ federationOptions: { queryPosition: 0 } }, true, ''],
  ])('%j with the network feature %s', (query, network, refusal) => {
    const features = { network } as Features
    const found = refusalOf(() => checkFederationOptions(queryOf(query), features))
    if (refusal === '') expect(found).toBe('')
    else expect(found).toContain(refusal)
  })
})

describe('a search of the network', () => {
  const engineOf = (leader: string | null, network: boolean, remotes: readonly string[]): Engine =>
    ({
      administration: { features: { network } },
      network: { get: () => ({ leader, remotes: new Map(remotes.map((name) => [name, {}])) }) },
    }) as unknown as Engine

  test.each<[boolean | null, string | null, boolean, boolean | string]>([
    [null, null, false, false],
    [null, null, true, false],
    [null, 'b', true, true],
    [null, 'b', false, 'feature_not_enabled'],
    [true, null, true, true],
    [false, 'b', true, false],
    [false, null, false, 'feature_not_enabled'],
  ])('useNetwork %s, leader %s, feature %s: %s', (useNetwork, leader, feature, expected) => {
    const run = (): boolean => usesNetwork(engineOf(leader, feature, []), useNetwork)
    if (typeof expected === 'string') expect(refusalOf(run)).toContain(expected)
    else expect(run()).toBe(expected)
  })

  test('spans other instances if there are some', () => {
    expect(spansNetwork(engineOf('b', true, ['b']), null)).toBe(true)
    expect(spansNetwork(engineOf('b', true, ['b']), undefined)).toBe(true)
    expect(spansNetwork(engineOf('b', true, ['b']), false)).toBe(false)
    expect(spansNetwork(engineOf(null, true, ['b']), null)).toBe(false)
    expect(spansNetwork(engineOf(null, true, ['b']), true)).toBe(true)
    expect(spansNetwork(engineOf('b', true, []), true)).toBe(false)
    expect(spansNetwork(engineOf('b', false, ['b']), true)).toBe(false)
  })

  test('names an instance that is known, and shows no corrections', () => {
    const network = { self: 'a', remotes: new Map([['b', {}]]) } as never
    expect(refusalOf(() => checkRemote(network, 'a'))).toBe('')
    expect(refusalOf(() => checkRemote(network, 'b'))).toBe('')
    expect(refusalOf(() => checkRemote(network, 'c'))).toContain('remote `c` is not registered')
    const correct = (showCorrection: boolean, useNetwork: boolean | null) =>
      refusalOf(() => checkCorrection({ showCorrection, useNetwork }))
    expect([correct(false, true), correct(true, false), correct(true, null)]).toEqual(['', '', ''])
    expect(correct(true, true)).toContain('invalid_search_show_correction')
  })

  test('comes from another instance if its header says exactly so', () => {
    const from = (value: string | undefined) =>
      isProxied({ header: (name) => (name === 'svc-proxy-search' ? value : undefined) })
    expect([from('true'), from('True'), from(undefined)]).toEqual([true, false, false])
  })
})

test('a read of several searches names the tasks of each', () => {
  const { queries } = readMultiSearch(
    Buffer.from(
      JSON.stringify({
        queries: [
          { indexUid: 'a', minTaskUid: 3 },
          { indexUid: 'b', useNetwork: true, minTaskUid: 0, minTaskTimeout: 7 },
          { indexUid: 'a' },
        ],
      }),
    ),
  )
  const minTask = { minTaskTimeout: 5 }
  const isOfNetwork = ({ useNetwork }: ListedSearch): boolean => useNetwork === true
  expect(readParts(queries, minTask, isOfNetwork)).toEqual({
    indexes: ['a', 'b'],
    minTask,
    isNetwork: true,
    further: [
      { indexes: ['a'], minTask: { minTaskUid: 3 }, isNetwork: false },
      { indexes: ['b'], minTask: { minTaskUid: 0, minTaskTimeout: 7 }, isNetwork: true },
    ],
  })
  expect(readParts(queries, {}, () => false).isNetwork).toBe(false)
})

describe('an answer in personal order', () => {
  const signal = new AbortController().signal
  const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

  /** A provider that writes its orders in front of the answer. */
  function optionsOf(isOn = true, cutoff: unknown = null) {
    const asked: unknown[] = []
    let counted = 0
    const options = {
      engine: { documents: { settings: () => ({ searchCutoffMs: cutoff }) } },
      events: { personalizedSearch: () => counted++ },
      personalizer: isOn
        ? {
            personalize: (
              answer: Uint8Array,
              { signal: _, ...order }: object & { signal: unknown },
            ) => {
              asked.push([Buffer.from(answer).toString(), order])
              if ('query' in order && order.query === 'fail') {
                return Promise.reject(new ApiError('remote_bad_response', 'down'))
              }
              return Promise.resolve([json('ordered')])
            },
          }
        : null,
    } as unknown as RouteOptions
    return { options, asked, counted: () => counted }
  }
  const order = (query: string, isPersonal = true) => ({
    personalize: isPersonal ? { userContext: 'u' } : null,
    query,
    indexUid: asIndexUid('a'),
  })
  const textOf = (reply: object): string => {
    if ('body' in reply) return String(reply.body)
    return Buffer.concat((reply as { parts: Uint8Array[] }).parts).toString()
  }

  test('of one search is ordered if that was requested', async () => {
    const { options, asked, counted } = optionsOf(true, 150)
    const plain = await personalized(options, json({ a: 1 }), order('q', false), signal)
    expect([textOf(plain), counted()]).toEqual(['{"a":1}', 0])
    expect(textOf(await personalized(options, json({ a: 1 }), order('q'), signal))).toBe(
      '"ordered"',
    )
    const all = { ...order('q'), indexUid: null }
    await personalized(options, json({ a: 1 }), all, signal)
    expect(counted()).toBe(2)
    expect(asked).toEqual([
      ['{"a":1}', { userContext: 'u', query: 'q', totalMs: 150 }],
      ['{"a":1}', { userContext: 'u', query: 'q', totalMs: null }],
    ])
    const off = personalized(optionsOf(false).options, json({}), order('q'), signal)
    await expect(off).rejects.toMatchObject({ code: 'feature_not_enabled' })
  })

  test('of several searches is ordered where that was requested', async () => {
    const { options, asked, counted } = optionsOf()
    const answers = json({ results: [{ a: 1 }, { b: 2 }, { c: 3 }] })
    const plain = [order('x', false), order('y', false), order('z', false)]
    expect(textOf(await personalizedResults(options, [answers], plain, signal))).toBe(
      answers.toString(),
    )
    const halves = [answers.subarray(0, 9), answers.subarray(9)]
    expect(textOf(await personalizedResults(options, halves, plain, signal))).toBe(
      answers.toString(),
    )
    expect(counted()).toBe(0)
    const some = [order('x', false), order('y'), order('z', false)]
    expect(textOf(await personalizedResults(options, halves, some, signal))).toBe(
      '{"results":[{"a":1},"ordered",{"c":3}]}',
    )
    expect([asked.length, counted()]).toEqual([1, 1])
    const failed = personalizedResults(
      options,
      halves,
      [...some.slice(0, 2), order('fail')],
      signal,
    )
    await expect(failed).rejects.toMatchObject({
      code: 'remote_bad_response',
      message: 'Inside `.queries[2]`: down',
    })
  })
})
