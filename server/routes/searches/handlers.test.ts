// The handlers of searches, with an engine and other instances that the test plays: which of them
// answers, with which request, and who may ask.
import { describe, expect, test } from 'vitest'
import { EngineFault } from '../../../engine/index.ts'
import { ApiError } from '../../errors/index.ts'
import { NETWORK } from '../../testing/fake-instance.ts'
import { call, type World } from './test-call.ts'

const MULTI = 'POST /multi-search'
const query = (change: object = {}) => ({ indexUid: 'films', q: 'x', ...change })

describe('several searches', () => {
  test('of this instance run together, in order', async () => {
    const { shown, calls } = await call(MULTI, { queries: [query(), query({ indexUid: 'books' })] })
    expect(shown).toBe('{"results":["own","own"]}')
    expect(calls).toHaveLength(1)
    expect(calls[0]![1]).toMatchObject([
      { indexUid: 'films', request: { q: 'x', limit: 20 }, isNetwork: false },
      { indexUid: 'books' },
    ])
  })

  test('of the network are answered by it, the others here', async () => {
    const queries = [query({ useNetwork: true }), query({ q: 'y' }), query({ useNetwork: true })]
    const { shown, names, calls } = await call(MULTI, { queries }, NETWORK)
    expect(shown).toBe('{"results":["network","own","network"]}')
    expect(names).toEqual(['network several', 'multiSearch'])
    expect(calls[0]![2]).toEqual([0, 2])
    // Without another instance the network is this one, which owns no shard of it.
    const alone = await call(MULTI, { queries }, { features: ['network'] })
    expect(alone.shown).toBe('{"results":["own","own","own"]}')
    const own = alone.calls.filter(([name]) => name === 'multiSearch').map(([, one]) => one)
    expect(
      own.map((one) => (one as { request: { shards?: unknown } }[])[0]!.request.shards),
    ).toEqual([[], undefined, []])
  })

  test.each<[string, object, World, object]>([
    [
      'an index that the caller may not see',
      { queries: [query(), query({ indexUid: 'secret' })] },
      { caller: { visible: (uid) => uid !== 'secret' } },
      { refused: 'invalid_api_key', message: expect.stringContaining('Inside `.queries[1]`: ') },
    ],
    [
      'a rule without its feature',
      { queries: [query({ inlineRule: { uid: 'r' } })] },
      {},
      { refused: 'feature_not_enabled' },
    ],
    [
      'a rule without its feature in a federation',
      { queries: [query({ inlineRule: { uid: 'r' } })], federation: {} },
      {},
      { refused: 'feature_not_enabled' },
    ],
    [
      'a personal order without a provider',
      { queries: [query({ personalize: { userContext: 'u' } })] },
      {},
      { refused: 'feature_not_enabled' },
    ],
    [
      'a personal federation without a provider',
      { queries: [], federation: { personalize: { userContext: 'u' } } },
      {},
      { refused: 'feature_not_enabled' },
    ],
    [
      'options of a federation',
      { queries: [query({ federationOptions: {} })] },
      {},
      { refused: 'invalid_multi_search_federation_options' },
    ],
    [
      'facets of an index that the caller may not see',
      { queries: [], federation: { facetsByIndex: { secret: ['a'] } } },
      { caller: { visible: (uid) => uid !== 'secret' } },
      {
        refused: 'invalid_api_key',
        message: expect.stringContaining('Inside `.federation.facetsByIndex.secret`: '),
      },
    ],
    [
      'a remote that is unknown',
      { queries: [query({ federationOptions: { remote: 'c' } })], federation: {} },
      NETWORK,
      { refused: 'invalid_multi_search_remote' },
    ],
    [
      'a call of another instance without the feature',
      { queries: [query()], federation: {} },
      { headers: { 'svc-proxy-search': 'true' } },
      { refused: 'feature_not_enabled' },
    ],
  ])('are refused: %s', async (_, body, world, refusal) => {
    const { shown, calls } = await call(MULTI, body, world)
    expect(shown).toMatchObject(refusal)
    expect(calls).toEqual([])
  })

  test('of an index that does not exist are a fault of the body', async () => {
    const answer = (): never => {
      throw new EngineFault('index_not_found', 'no')
    }
    const { shown } = await call(MULTI, { queries: [query()], federation: {} }, { answer })
    expect(shown).toMatchObject({ refused: 'index_not_found', status: 400 })
    const other = () => Promise.reject(new ApiError('bad_request', 'other'))
    const refused = await call(MULTI, { queries: [query()], federation: {} }, { answer: other })
    expect(refused.shown).toMatchObject({ message: 'other' })
  })
})

describe('a federation', () => {
  const body = (change: object = {}) => ({ queries: [query(change)], federation: { limit: 3 } })

  test('is answered here, by the network, or by a remote', async () => {
    const own = await call(MULTI, body({ federationOptions: { weight: 2 } }))
    expect(own.names).toEqual(['federatedSearch'])
    expect(own.calls[0]).toMatchObject([
      'federatedSearch',
      [{ indexUid: 'films', weight: 2, queryPosition: null }],
      { limit: 3 },
    ])
    expect(own.calls[0]![1]).not.toHaveProperty('0.target')
    expect(own.calls[0]![2]).not.toHaveProperty('merger')
    const network = await call(MULTI, body({ useNetwork: true }), NETWORK)
    expect(network.names).toEqual(['network federated'])
    expect(network.calls[0]![1]).toMatchObject([{ target: 'network', weight: 1 }])
    const remote = await call(MULTI, body({ federationOptions: { remote: 'b' } }), NETWORK)
    expect(remote.calls[0]![1]).toMatchObject([{ target: { remote: 'b' } }])
    const alone = await call(MULTI, body({ useNetwork: true }), { features: ['network'] })
    expect(alone.names).toEqual(['federatedSearch'])
    expect(alone.calls[0]![1]).toMatchObject([{ request: { shards: [] } }])
  })

  test('for another instance says who merges it', async () => {
    const world = { ...NETWORK, headers: { 'svc-proxy-search': 'true' } }
    const stranger = await call(MULTI, body(), world)
    expect(stranger.calls[0]![2]).toMatchObject({ merger: { by: 'stranger', form: 'json' } })
    const member = await call(MULTI, body(), { ...world, isMember: true })
    expect(member.calls[0]![2]).toMatchObject({ merger: { by: 'member', form: 'json' } })
  })
})

describe('searches for another instance', () => {
  const POST = 'POST /network/search'
  const search = (change: object = {}) => ({ queries: [query()], federation: {}, ...change })
  /** The answers: their status and their JSON. */
  const answersOf = (shown: unknown): readonly unknown[] => {
    const text = String(shown)
    const end = text.indexOf('\n')
    const { answers } = JSON.parse(text.slice(0, end)) as {
      answers: { status: number; length: number }[]
    }
    let at = end + 1
    return answers.map(({ status, length }) => {
      const json = text.slice(at, (at += length))
      return [status, JSON.parse(json)]
    })
  }

  test('need the feature, and the key of a member where documents are divided', async () => {
    expect((await call(POST, { searches: [] })).shown).toMatchObject({
      refused: 'feature_not_enabled',
    })
    const world = { ...NETWORK, leader: 'b' }
    expect((await call(POST, { searches: [] }, world)).shown).toMatchObject({
      refused: 'invalid_api_key',
    })
    const member = await call(POST, { searches: [] }, { ...world, isMember: true })
    expect(answersOf(member.shown)).toEqual([])
  })

  test('have an answer each, in order; a refusal is the answer of its search', async () => {
    const searches = [
      search(),
      search({ federation: null }),
      search({ isForModel: true }),
      search({ asksStatistics: true }),
      search({ queries: [query({ indexUid: 'secret' })] }),
      search({ shards: [{ query: 0, names: ['s'] }], callerFilters: [1] }),
    ]
    const caller = { visible: (uid: string) => uid !== 'secret' }
    const { shown, calls } = await call(POST, { searches }, { ...NETWORK, caller })
    expect(answersOf(shown)).toMatchObject([
      [200, 'federatedSearch'],
      [400, { message: 'Missing field `federation`' }],
      [403, { code: 'invalid_api_key' }],
      [403, { code: 'invalid_api_key' }],
      [403, { code: 'invalid_api_key' }],
      [200, 'federatedSearch'],
    ])
    expect(calls[0]![2]).toMatchObject({ merger: { by: 'stranger', form: 'partial' } })
    expect(calls[1]![1]).toMatchObject([{ request: { shards: ['s'], callerFilters: 1 } }])
  })

  test('of a member may be for a model, or ask for statistics', async () => {
    const statistics = [{ documents: 1, words: {}, frequencies: [] }]
    const searches = [
      search({ isForModel: true, statistics }),
      search(),
      search({ asksStatistics: true, shards: [{ query: 0, names: ['s'] }] }),
      search({ asksStatistics: true, queries: [] }),
    ]
    const { shown, calls } = await call(POST, { searches }, { ...NETWORK, isMember: true })
    expect(answersOf(shown)).toMatchObject([
      [200, 'federatedSearch'],
      [200, 'federatedSearch'],
      [200, 'statistics'],
      [400, { message: 'Statistics need a query.' }],
    ])
    const [forModel, other] = calls.filter(([name]) => name === 'federatedSearch')
    expect(forModel![1]).toMatchObject([
      { request: { isForModel: true, statistics: statistics[0] } },
    ])
    expect(forModel![2]).toMatchObject({ merger: { by: 'member', form: 'partial' } })
    const [plain] = other![1] as { request: object }[]
    expect(plain!.request).not.toHaveProperty('isForModel')
    expect(plain!.request).not.toHaveProperty('statistics')
    const asked = calls.filter(([name]) => name === 'statistics')
    expect(asked).toMatchObject([['statistics', 'films', { shards: ['s'] }]])
  })
})

describe('a part of an answer for another instance', () => {
  const SIMILAR = ['POST /network/similar', { id: '1', embedder: 'e', indexUid: 'films' }] as const
  const FOREIGN = ['POST /network/foreign', { indexUid: 'films', ids: ['1'] }] as const

  test.each([SIMILAR, FOREIGN])(
    '%s is for members with rights to the index',
    async (path, body) => {
      const refusal = async (world: World) =>
        ((await call(path, body, world)).shown as { refused?: string }).refused
      expect(await refusal({ isMember: true })).toBe('feature_not_enabled')
      expect(await refusal(NETWORK)).toBe('invalid_api_key')
      const sees = (uid: string) => ({
        ...NETWORK,
        isMember: true,
        caller: { visible: (one: string) => one === uid },
      })
      expect(await refusal(sees('books'))).toBe('invalid_api_key')
      expect(await refusal(sees('films'))).toBeUndefined()
      expect(await refusal({ ...NETWORK, isMember: true })).toBeUndefined()
    },
  )

  test('has the filter of the caller, and reads vectors or compares them', async () => {
    const world: World = { ...NETWORK, isMember: true, caller: { filterOf: () => 'a = 1' } }
    const [path, body] = SIMILAR
    const target = await call(path, body, world)
    expect(target.calls[0]).toMatchObject([
      'similar',
      'films',
      { filter: ['a = 1'], within: ['a = 1'], step: { kind: 'target' } },
    ])
    const vectors = [{ slot: 0, vector: [1] }]
    const part = await call(path, { ...body, vectors, shards: ['s'], within: 'b = 2' }, world)
    expect(part.calls[0]![2]).toMatchObject({
      within: ['b = 2', 'a = 1'],
      step: { kind: 'part', shards: ['s'] },
    })
    const foreign = await call(...FOREIGN, world)
    expect(foreign.calls[0]).toMatchObject(['foreign', 'films', { step: 'documents', ids: ['1'] }])
  })
})

describe('one search', () => {
  const SEARCH = 'POST /indexes/:indexUid/search'
  test('is answered here or by the network', async () => {
    const names = async (body: object, world?: World) => (await call(SEARCH, body, world)).names
    expect(await names({})).toEqual(['search'])
    expect(await names({ useNetwork: true }, NETWORK)).toEqual(['network search'])
    expect(await names({}, { ...NETWORK, leader: 'b' })).toEqual(['network search'])
    expect(await names({ useNetwork: false }, { ...NETWORK, leader: 'b' })).toEqual(['search'])
    const alone = await call(SEARCH, { useNetwork: true }, { features: ['network'] })
    expect(alone.calls[0]).toMatchObject(['search', 'films', { shards: [] }])
    expect((await call(SEARCH, {})).calls[0]![2]).not.toHaveProperty('shards')
  })

  test.each<[string, object, World, string]>([
    [SEARCH, {}, { uid: 'a b' }, 'invalid_index_uid'],
    [SEARCH, { useNetwork: true, filter: 'a =' }, {}, 'invalid_search_filter'],
    [SEARCH, { useNetwork: true }, {}, 'feature_not_enabled'],
    [SEARCH, { useNetwork: true, showCorrection: true }, NETWORK, 'invalid_search_show_correction'],
    [SEARCH, { inlineRule: { uid: 'r' } }, {}, 'feature_not_enabled'],
    [SEARCH, { personalize: { userContext: 'u' } }, {}, 'feature_not_enabled'],
    [
      'POST /indexes/:indexUid/facet-search',
      { facetName: 'f' },
      { uid: 'a b' },
      'invalid_index_uid',
    ],
    [
      'POST /indexes/:indexUid/facet-search',
      { facetName: 'f', useNetwork: true },
      NETWORK,
      'invalid_search_use_network',
    ],
    ['POST /indexes/:indexUid/suggest', {}, { uid: 'a b' }, 'invalid_index_uid'],
    [
      'POST /indexes/:indexUid/suggest',
      { useNetwork: true },
      NETWORK,
      'invalid_suggest_use_network',
    ],
    [
      'POST /indexes/:indexUid/similar',
      { id: 1, embedder: 'e' },
      { uid: 'a b' },
      'invalid_index_uid',
    ],
  ])('%s of %j is refused', async (path, body, world, code) => {
    expect((await call(path, body, world)).shown).toMatchObject({ refused: code })
  })

  test('has the filter of its caller, as facets, suggestions and similar documents have', async () => {
    const world: World = { caller: { filterOf: (uid) => `${uid} = 1` } }
    const narrowed = async (path: string, body: object) => (await call(path, body, world)).calls[0]
    expect(await narrowed(SEARCH, { filter: 'a = 2' })).toMatchObject([
      'search',
      'films',
      { filter: ['a = 2', 'films = 1'], callerFilters: 1 },
    ])
    const facets = await narrowed('POST /indexes/:indexUid/facet-search', { facetName: 'f' })
    expect(facets).toMatchObject(['facetSearch', 'films', { search: { filter: ['films = 1'] } }])
    const suggested = await narrowed('POST /indexes/:indexUid/suggest', { q: 'a' })
    expect(suggested).toMatchObject(['suggest', 'films', { filter: ['films = 1'] }])
    const similar = await narrowed('POST /indexes/:indexUid/similar', { id: 1, embedder: 'e' })
    expect(similar).toMatchObject([
      'similar',
      'films',
      { id: '1', filter: ['films = 1'], within: ['films = 1'] },
    ])
  })
})
