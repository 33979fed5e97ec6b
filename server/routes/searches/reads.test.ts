// The contexts of searches, the tasks that they wait for, and personal orders, by the route that was
// called.
import { describe, expect, test } from 'vitest'
import { ANSWER_BYTES_MAX } from '../../network/calls/index.ts'
import { NETWORK } from '../../testing/fake-instance.ts'
import { call, type World } from './test-call.ts'

const MULTI = 'POST /multi-search'
const SEARCH = 'POST /indexes/:indexUid/search'
const FACETS = 'POST /indexes/:indexUid/facet-search'
const SIMILAR = 'POST /indexes/:indexUid/similar'
const SUGGEST = 'POST /indexes/:indexUid/suggest'
const OTHERS_SEARCH = 'POST /network/search'
const OTHERS_SIMILAR = 'POST /network/similar'
const OTHERS_FOREIGN = 'POST /network/foreign'

const query = (change: object = {}) => ({ indexUid: 'films', q: 'x', ...change })
const searches = (...all: readonly object[]) => ({
  searches: all.map((one) => ({ queries: [query()], federation: {}, ...one })),
})
const similar = { id: '1', embedder: 'e' }

describe('a call of another instance', () => {
  const world: World = { features: ['network', 'foreignKeys'], remotes: ['b'], isMember: true }
  const BODIES = [
    [OTHERS_SEARCH, searches({})],
    [OTHERS_SEARCH, searches({ asksStatistics: true })],
    [OTHERS_SIMILAR, { ...similar, indexUid: 'films' }],
    [OTHERS_FOREIGN, { indexUid: 'films', ids: ['1'] }],
  ] as const

  test.each(BODIES)('to %s with %j names the shards of its network', async (path, body) => {
    const [plain] = (await call(path, body, world)).contexts
    expect(plain).not.toHaveProperty('shardNames')
    const headers = { 'svc-proxy-serving': 'v2;digest;t' }
    const [served] = (await call(path, body, { ...world, headers })).contexts
    expect(served).toMatchObject({ shardNames: ['t'], requestUid: 'request' })
    const unknown = { 'svc-proxy-serving': 'v3;digest;t' }
    expect((await call(path, body, { ...world, headers: unknown })).shown).toMatchObject({
      refused: 'network_version_mismatch',
    })
  })

  test('for the statistics of a query names its shards, if there are some', async () => {
    const of = async (change: object) => {
      const { calls } = await call(
        OTHERS_SEARCH,
        searches({ asksStatistics: true, ...change }),
        world,
      )
      return calls[0]![2]
    }
    expect(await of({})).not.toHaveProperty('shards')
    const shards = [
      { query: 1, names: ['t'] },
      { query: 0, names: ['s'] },
    ]
    expect(await of({ shards })).toMatchObject({ shards: ['s'] })
  })

  test('does not follow foreign keys, which its caller does', async () => {
    const follows = async (path: string, body: object) => {
      const [context] = (await call(path, body, world)).contexts
      return (context as { features: object }).features
    }
    expect(await follows(OTHERS_SEARCH, searches({}))).toMatchObject({
      network: true,
      foreignKeys: false,
    })
    expect(await follows(MULTI, { queries: [query()], federation: {} })).toMatchObject({
      foreignKeys: true,
    })
  })

  test.each([
    [{ isForModel: true }, ['isForModel']],
    [{ statistics: [{ documents: 1, words: {}, frequencies: [] }] }, ['statistics']],
    [{}, []],
  ])('for %j adds these members to its query', async (change, members) => {
    const { calls } = await call(OTHERS_SEARCH, searches(change), world)
    const [{ request }] = calls[0]![1] as [{ request: object }]
    const names = ['isForModel', 'statistics'].filter((name) => name in request)
    expect(names).toEqual(members)
  })

  test('has answers up to a size, together', async () => {
    const lengths = async (first: number, second: number) => {
      const answers = [first, second]
      const answer = () => ({ length: answers.shift() })
      return call(OTHERS_SEARCH, searches({}, {}), { ...world, answer })
    }
    const half = ANSWER_BYTES_MAX / 2
    expect((await lengths(half, half)).isRefused).toBe(false)
    expect((await lengths(half, half + 1)).shown).toMatchObject({
      refused: 'too_many_answers',
      message: 'The answers of all searches together are too large.',
    })
  })
})

describe('a read that names a task', () => {
  const DIVIDED = { ...NETWORK, leader: 'b' }
  const alone = { useNetwork: false }

  test.each<[string, object, World, readonly string[]]>([
    [SEARCH, {}, DIVIDED, ['own', 'others', 'network search']],
    [SEARCH, alone, DIVIDED, ['own', 'search']],
    [SEARCH, { useNetwork: true }, NETWORK, ['own', 'network search']],
    [FACETS, { facetName: 'f' }, DIVIDED, ['own', 'facetSearch']],
    [SUGGEST, {}, DIVIDED, ['own', 'suggest']],
    [SIMILAR, { ...similar, ...alone }, DIVIDED, ['own', 'similar']],
    [MULTI, { queries: [query()] }, DIVIDED, ['own', 'others', 'network several']],
    [MULTI, { queries: [query(alone)] }, DIVIDED, ['own', 'multiSearch']],
    [
      OTHERS_SEARCH,
      searches({ queries: [query(alone)] }),
      { ...DIVIDED, isMember: true },
      ['own', 'federatedSearch'],
    ],
    [
      OTHERS_SIMILAR,
      { ...similar, indexUid: 'films' },
      { ...DIVIDED, isMember: true },
      ['own', 'similar'],
    ],
    [
      OTHERS_FOREIGN,
      { indexUid: 'films', ids: ['1'] },
      { ...DIVIDED, isMember: true },
      ['own', 'foreign'],
    ],
  ])('%s of %j waits for it: %j', async (path, body, world, names) => {
    const headers = { 'svc-min-task-uid': '5' }
    expect((await call(path, body, { ...world, headers })).names).toEqual(names)
  })
})

test.each([
  [50, false],
  [51, true],
])('between the preparations of %i searches other work runs: %s', async (count, hasRun) => {
  let isRun = false
  const other = setImmediate(() => {
    isRun = true
  })
  await call(MULTI, { queries: Array.from({ length: count }, () => query()) })
  expect(isRun).toBe(hasRun)
  clearImmediate(other)
})

describe('a personal order', () => {
  const personalize = { userContext: 'u' }
  const world: World = { settings: {} }

  test.each<[string, object, readonly unknown[], string]>([
    [SEARCH, { q: 'x', personalize }, [['"search"', 'u', 'x']], '"ordered"'],
    [SEARCH, { personalize }, [['"search"', 'u', '']], '"ordered"'],
    [SEARCH, { q: 'x' }, [], '"search"'],
    [
      MULTI,
      { queries: [query({ personalize }), query(), query({ q: null, personalize })] },
      [
        ['"own"', 'u', 'x'],
        ['"own"', 'u', ''],
      ],
      '{"results":["ordered","own","ordered"]}',
    ],
    [
      MULTI,
      { queries: [query(), query({ q: null }), query({ q: 'y' })], federation: { personalize } },
      [['"federatedSearch"', 'u', 'x, y']],
      '"ordered"',
    ],
  ])('%s of %j', async (path, body, orders, answer) => {
    const { calls, shown } = await call(path, body, world)
    expect(shown).toBe(answer)
    const asked = calls.filter(([name]) => name === 'personalize')
    expect(asked.map(([, ...order]) => order)).toEqual(orders)
  })
})
