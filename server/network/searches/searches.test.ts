// Searches over a network: who is asked for what, which answers are merged, and what is repeated.
import { describe, expect, it } from 'vitest'
import {
  DEFAULT_FEDERATION,
  DEFAULT_SEARCH,
  type Engine,
  EngineFault,
  type FederatedSearch,
  type Federation,
  type InstancesMerge,
  type Network,
  OutgoingFault,
  type SearchContext,
  type SearchRequest,
} from '../../../engine/index.ts'
import { asIndexUid } from '../../../format/ids.ts'
import { MEMBER_KEY, MISMATCH_PAUSE_MS, writeAnswers } from '../calls/index.ts'
import { SERVING } from './serving.ts'
import {
  CONTEXT,
  jsonBytes,
  NETWORK,
  type Reply,
  type Sent,
  searchesWith,
  UNDIVIDED,
} from './test-searches.ts'

const FILMS = asIndexUid('films')
const request = (more: Partial<SearchRequest> = {}) => ({
  indexUid: FILMS,
  request: { ...DEFAULT_SEARCH, ...more },
})
const absentIndex = (): never => {
  throw new EngineFault('index_not_found', 'Index `films` not found.')
}

type Part = { readonly status?: number; readonly json: unknown }
/** Answers to several searches in one body. */
const listed = (...parts: readonly Part[]): Reply => ({
  json: Buffer.concat(
    writeAnswers(parts.map(({ status = 200, json }) => ({ status, bytes: jsonBytes(json) }))),
  ),
})
const countOf = ({ body }: Sent): number =>
  (body as { readonly searches: readonly unknown[] }).searches.length
/** Each search is answered by the name of the instance. */
const named = (sent: Sent): Reply =>
  listed(...Array.from({ length: countOf(sent) }, () => ({ json: sent.to })))

type Given = Omit<Parameters<typeof searchesWith>[0], 'queries'> & {
  /** The part of this instance. */
  readonly own?: (searches: readonly FederatedSearch[]) => unknown
  readonly queries?: object
}

/** Answers are merged into the list of the names that they contain; `'bad'` cannot be merged. */
function world({ own = () => 'a', queries, ...given }: Given) {
  const parts: {
    readonly searches: readonly FederatedSearch[]
    readonly federation: Federation
  }[] = []
  const merges: InstancesMerge[] = []
  const made = searchesWith({
    answer: named,
    ...given,
    queries: {
      federatedSearch: async (searches: readonly FederatedSearch[], federation: Federation) => {
        parts.push({ searches, federation })
        return jsonBytes(own(searches))
      },
      mergeInstances: async (merge: InstancesMerge) => {
        merges.push(merge)
        const texts = merge.answers.map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString()))
        const at = texts.indexOf('bad')
        const detail = { kind: 'answer', at, lacksScores: false } as const
        if (at >= 0) throw new EngineFault('remote_bad_response', 'bad', detail)
        return jsonBytes(texts)
      },
      ...queries,
    },
  })
  const search = async (more: Partial<SearchRequest> = {}, context: SearchContext = CONTEXT) =>
    JSON.parse(Buffer.from(await made.searches.search(request(more), context)).toString())
  return { ...made, parts, merges, search, errors: () => merges.at(-1)!.remoteErrors }
}

describe('a search of a divided index', () => {
  it('asks each owner for its shards, from the first hit on', async () => {
    const { search, sent, parts, merges } = world({})
    expect(await search({ q: 'x', offset: 4, limit: 3 })).toEqual(['a', 'b'])
    const [{ searches, federation }] = parts as [(typeof parts)[0]]
    expect(searches).toMatchObject([{ request: { q: 'x', shards: ['s1'] }, place: null }])
    expect(federation).toMatchObject({ offset: 0, limit: 7, merger: { by: 'self' } })
    expect(sent).toMatchObject([{ to: 'b', method: 'POST', path: '/network/search' }])
    expect(sent[0]!.headers).toMatchObject({ 'content-type': 'application/json' })
    expect(sent[0]!.headers[SERVING]).toMatch(/;s2$/)
    const query = { indexUid: FILMS, q: 'x', useNetwork: false }
    expect(sent[0]!.body).toEqual({
      searches: [
        {
          queries: [{ ...query, federationOptions: { weight: 1, queryPosition: 0 } }],
          federation: { offset: 0, limit: 7 },
          shards: [{ query: 0, names: ['s2'] }],
        },
      ],
    })
    expect(merges[0]).toMatchObject({
      kind: 'single',
      self: 'a',
      queries: [{ indexUid: FILMS, q: 'x' }],
      federation: { offset: 4, limit: 3 },
      answers: [
        { remote: 'a', isOwn: true },
        { remote: 'b', isOwn: false },
      ],
      remoteErrors: {},
    })
  })

  it('leaves pages, facets and distinct values to the merge', async () => {
    const { search, parts, merges } = world({})
    const more = { facets: ['f'], distinct: 'd', showPerformanceDetails: true }
    await search(more)
    const parted = { facets: null, distinct: null, showPerformanceDetails: false }
    expect(parts[0]!.searches[0]!.request).toMatchObject(parted)
    const { facets, ...merged } = more
    expect(merges[0]!.federation).toMatchObject({ ...merged, facetsByIndex: { films: facets } })
  })

  it('sends disjunctive facets as objects, with the number of filters that they keep', async () => {
    const { search, sent, merges } = world({})
    const filter = ['a = 1', 'b = 2']
    await search({ facets: ['f'], disjunctiveFacets: ['a'], filter, callerFilters: 1 })
    const facetsByIndex = { films: ['f', { attribute: 'a', disjunctive: true }] }
    const body = { federation: { facetsByIndex }, callerFilters: [1] }
    expect(sent[0]!.body).toMatchObject({ searches: [body] })
    expect(JSON.stringify(sent[0]!.body)).not.toContain('disjunctiveFacets')
    expect(merges[0]!.federation).toMatchObject({ facetsByIndex })
    const others = world({})
    await others.search({ facets: ['f'], filter, callerFilters: 1 })
    expect(JSON.stringify(others.sent[0]!.body)).not.toContain('callerFilters')
  })

  it('names shards by a filter if their names are too long for a header', async () => {
    const long = 's'.repeat(9000)
    const network = { ...NETWORK, shards: new Map([[long, { remotes: ['b'] }]]) }
    const { search, sent } = world({ network })
    await search()
    expect(sent[0]!.headers[SERVING]).toBeUndefined()
    const filter = `_shard IN ["${long}"]`
    expect(sent[0]!.body).toMatchObject({ searches: [{ queries: [{ filter }], shards: [] }] })
  })

  it('is answered here if all shards are here', async () => {
    const all = { ...NETWORK, shards: new Map([['s1', { remotes: ['a', 'b'] }]]) }
    const asked: SearchRequest[] = []
    const given = (search: () => unknown) => ({
      network: all,
      unreached: ['z'],
      queries: {
        search: async (_uid: string, one: SearchRequest) => {
          asked.push(one)
          return jsonBytes(search())
        },
      },
    })
    const here = world(given(() => 'alone'))
    expect(await here.search({ q: 'x' })).toBe('alone')
    expect(asked[0]).toMatchObject({ q: 'x', shards: ['s1'], network: { self: 'a' } })
    expect(Object.keys(asked[0]!.network!.remoteErrors)).toEqual(['z'])
    expect([here.parts, here.sent]).toEqual([[], []])
    // Others have the index already.
    const absent = world({ ...given(absentIndex), own: absentIndex })
    expect(await absent.search()).toEqual(['b'])
    const broken = world(
      given(() => {
        throw new EngineFault('invalid_search_filter', 'bad filter')
      }),
    )
    await expect(broken.search()).rejects.toThrow('bad filter')
    expect(broken.sent).toEqual([])
  })

  it('sends the keys of the instance', async () => {
    const remote = { url: 'http://b', searchApiKey: 'find', writeApiKey: 'write' }
    const { search, sent } = world({ network: { ...NETWORK, remotes: new Map([['b', remote]]) } })
    await search()
    const headers = { authorization: 'Bearer find', [MEMBER_KEY]: 'write' }
    expect(sent[0]!.headers).toMatchObject(headers)
    const keyless = world({})
    await keyless.search()
    expect(Object.keys(keyless.sent[0]!.headers)).not.toContain(MEMBER_KEY)
  })
})

describe('a search of an index that is not divided', () => {
  it('asks every instance for all documents', async () => {
    const { search, sent, parts } = world({ network: UNDIVIDED })
    expect(await search()).toEqual(['a', 'b', 'c'])
    expect('shards' in parts[0]!.searches[0]!.request).toBe(false)
    expect(sent[0]!.headers[SERVING]).toBeUndefined()
    const options = { weight: 1, queryPosition: 0 }
    const queries = [{ indexUid: FILMS, federationOptions: options }]
    expect(sent[0]!.body).toMatchObject({ searches: [{ queries, shards: [] }] })
    expect((sent[0]!.body as { searches: { queries: object[] }[] }).searches[0]!.queries).toEqual(
      queries,
    )
  })

  it('finds nothing on an instance that is not listed', async () => {
    const { search, parts } = world({ network: { ...UNDIVIDED, self: null } })
    await search()
    expect(parts[0]!.searches[0]!.request.shards).toEqual([])
  })

  it('fails if the index is absent here', async () => {
    const { search } = world({ network: UNDIVIDED, own: absentIndex })
    await expect(search()).rejects.toMatchObject({ code: 'index_not_found' })
  })
})

describe('an answer of another instance', () => {
  const ofB =
    (reply: Reply) =>
    (sent: Sent): Reply =>
      sent.to === 'b' ? reply : named(sent)
  it.each<[string, Reply, readonly string[], string]>([
    ['in another form', { json: 'nonsense' }, ['a', 'c'], 'remote_bad_response'],
    [
      'that has too many parts',
      listed({ json: 1 }, { json: 2 }),
      ['a', 'c'],
      'remote_bad_response',
    ],
    ['that cannot be merged', listed({ json: 'bad' }), ['a', 'c'], 'remote_bad_response'],
    ['that says it failed', listed({ status: 500, json: {} }), ['a', 'c'], 'remote_remote_error'],
    ['that refuses the search', listed({ status: 400, json: {} }), ['a'], 'remote_bad_request'],
    [
      'that lacks the index',
      listed({ status: 404, json: { code: 'index_not_found' } }),
      ['a', 'c'],
      'remote_bad_request',
    ],
    [
      'that lacks another thing',
      listed({ status: 404, json: { code: 'x' } }),
      ['a'],
      'remote_bad_request',
    ],
    ['that is an error', { status: 500, code: 'internal' }, ['a', 'c'], 'remote_remote_error'],
    ['that lacks a page', listed({ status: 300, json: {} }), ['a'], 'remote_bad_request'],
    ['that is a success of any kind', listed({ status: 299, json: 'b' }), ['a', 'b'], ''],
  ])('%s', async (_, reply, answers, code) => {
    const { search, errors } = world({ answer: ofB(reply) })
    expect(await search()).toEqual(answers)
    expect(errors()).toMatchObject(code === '' ? {} : { b: { code } })
    expect(Object.keys(errors())).toEqual(code === '' ? [] : ['b'])
  })

  it('is not blamed for a fault of the merge or of this instance', async () => {
    const at = (own: () => unknown, fault: Error) =>
      world({ own, queries: { mergeInstances: () => Promise.reject(fault) } }).search()
    const own = (): string => 'a'
    await expect(at(own, new TypeError('broken'))).rejects.toThrow('broken')
    await expect(at(own, new EngineFault('io_error', 'disk'))).rejects.toThrow('disk')
    await expect(world({ own: () => 'bad' }).search()).rejects.toThrow('bad')
    const failing = (): never => {
      throw new EngineFault('invalid_search_filter', 'bad filter')
    }
    await expect(world({ own: failing }).search()).rejects.toThrow('bad filter')
  })

  it('is requested once more if the connection was closed or it failed, in the time that is left', async () => {
    let tries = 0
    let now = 0
    const closing =
      (fault: OutgoingFault, ms = 1) =>
      () => {
        now += ms
        if (tries++ === 0) throw fault
        return listed({ json: 'again' })
      }
    const closed = new OutgoingFault('unreachable', 'closed')
    const network: Network = { ...NETWORK, shards: new Map([['s', { remotes: ['b'] }]]) }
    const run = async (answer: () => Reply, signal = CONTEXT.signal) => {
      tries = 0
      const made = world({ network, answer, now: () => now, own: () => 'a' })
      const found = await made.search({}, { ...CONTEXT, signal })
      return [found, made.sent.length]
    }
    expect(await run(closing(closed))).toEqual([['a', 'again'], 2])
    expect(await run(closing(closed, 1000))).toEqual([['a'], 1])
    const failing = (status: number) => (): Reply =>
      tries++ === 0 ? { status, code: 'internal' } : listed({ json: 'again' })
    expect(await run(failing(500))).toEqual([['a', 'again'], 2])
    const unreadable = (): Reply => (tries++ === 0 ? { json: 'x' } : listed({ json: 'again' }))
    expect(await run(unreadable)).toEqual([['a', 'again'], 2])
    // An instance that is too busy is not asked more often.
    expect(await run(failing(503))).toEqual([['a'], 1])
    expect(await run(closing(new OutgoingFault('unreachable', 'late', true)))).toEqual([['a'], 1])
    const stop = new AbortController()
    const leaving = (): never => {
      stop.abort()
      throw closed
    }
    await expect(run(leaving, stop.signal)).rejects.toThrow('closed')
  })
})

describe('an index that is absent here', () => {
  it('is searched on other owners of the shards', async () => {
    const { search, sent } = world({ own: absentIndex })
    expect(await search()).toEqual(['b', 'b'])
    expect(sent.map(({ headers }) => headers[SERVING]!.split(';')[2]).sort()).toEqual(['s1', 's2'])
  })

  it('is absent if no instance has it', async () => {
    const refusal = listed({ status: 404, json: { code: 'index_not_found' } })
    const { search } = world({ own: absentIndex, answer: () => refusal })
    await expect(search()).rejects.toMatchObject({ code: 'index_not_found' })
    const nonsense = world({ own: absentIndex, answer: () => ({ json: 1 }) })
    await expect(nonsense.search()).rejects.toMatchObject({ code: 'index_not_found' })
  })
})

describe('several searches', () => {
  const list = [request({ q: 'x' }), request({ q: 'y' })]
  const run = async (given: Given, searches = list) => {
    const made = world(given)
    const answers = await made.searches.several(searches, [3, 5], CONTEXT)
    return { ...made, answers: answers.map((one) => JSON.parse(Buffer.from(one).toString())) }
  }

  it('go to an instance together', async () => {
    const { answers, sent, parts, merges } = await run({})
    expect(answers).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ])
    expect([sent.length, parts.length]).toEqual([1, 2])
    expect(parts.map(({ searches }) => searches[0]!.place)).toEqual([3, 5])
    expect(merges.map(({ kind }) => kind)).toEqual(['listed', 'listed'])
  })

  it('run alone if an instance lacks their index', async () => {
    const absent = { status: 404, json: { code: 'index_not_found' } }
    const lacking = (sent: Sent): Reply => {
      if (sent.to === 'b')
        return countOf(sent) === 2 ? listed(absent, { json: 'b' }) : listed(absent)
      return named(sent)
    }
    const elsewhere = await run({ answer: lacking })
    expect(elsewhere.answers).toEqual([
      ['a', 'c'],
      ['a', 'b'],
    ])
    const isX = ([one]: readonly FederatedSearch[]): boolean => one!.request.q === 'x'
    const here = await run({ own: (searches) => (isX(searches) ? absentIndex() : 'a') })
    expect(here.answers).toEqual([
      ['b', 'b'],
      ['a', 'b'],
    ])
    // The first search ran once more, alone.
    expect(here.sent.map(countOf)).toEqual([2, 1, 1])
  })

  it('name the instance that refused one of them', async () => {
    const answer = (): Reply => listed({ status: 400, json: {} }, { json: 'b' })
    const { answers, merges } = await run({ answer })
    expect(answers).toEqual([['a'], ['a', 'b']])
    expect(merges.map(({ remoteErrors }) => Object.keys(remoteErrors))).toEqual([['b'], []])
  })
})

describe('queries of one list', () => {
  type Target = 'network' | { readonly remote: string } | null
  const run = async (targets: readonly Target[], given: Given = {}) => {
    const made = world(given)
    const queries = targets.map((target, at) => {
      const queryPosition = at === 1 ? 9 : null
      return { ...request({ q: `${at}` }), weight: 1, queryPosition, target }
    })
    const bytes = await made.searches.federated(queries, DEFAULT_FEDERATION, CONTEXT)
    const sentQueries = made.sent.map(({ to, body }) => [
      to,
      (
        body as { searches: { queries: { q: string; federationOptions: object }[] }[] }
      ).searches[0]!.queries.map(({ q, federationOptions }) => [
        q,
        (federationOptions as { queryPosition: number }).queryPosition,
      ]),
    ])
    return {
      ...made,
      answer: JSON.parse(Buffer.from(bytes).toString()),
      own: made.parts.map(({ searches }) =>
        searches.map(({ request: { q }, place, queryPosition }) => [q, place, queryPosition]),
      ),
      sentQueries: sentQueries.sort(),
    }
  }

  it('go where they belong, with the positions of the client', async () => {
    const mixed = await run([null, { remote: 'c' }, 'network', { remote: 'a' }])
    expect(mixed.own).toEqual([
      [
        ['0', 0, 0],
        ['2', 2, 2],
        ['3', 3, 3],
      ],
    ])
    expect(mixed.sentQueries).toEqual([
      ['b', [['2', 2]]],
      ['c', [['1', 9]]],
    ])
    expect(mixed.answer).toEqual(['a', 'b', 'c'])
    const onlyThere = await run([{ remote: 'b' }, { remote: 'b' }])
    expect([onlyThere.own, onlyThere.sentQueries]).toEqual([
      [],
      [
        [
          'b',
          [
            ['0', 0],
            ['1', 9],
          ],
        ],
      ],
    ])
    expect((await run([null])).sent).toEqual([])
  })

  it('for one instance ask for all of its documents', async () => {
    const { sent } = await run([{ remote: 'c' }])
    expect(sent[0]!.headers[SERVING]).toBeUndefined()
    expect(sent[0]!.body).toMatchObject({ searches: [{ shards: [] }] })
    expect((await run([{ remote: 'c' }], { network: UNDIVIDED })).answer).toEqual(['c'])
  })

  it('for this instance alone fail if their index is absent', async () => {
    await expect(run([null, 'network'], { own: absentIndex })).rejects.toThrow(EngineFault)
    expect((await run(['network'], { own: absentIndex })).answer).toEqual(['b', 'b'])
  })

  it('say that they are for a model', async () => {
    const made = world({})
    const query = { ...request({ isForModel: true }), weight: 1, queryPosition: null }
    await made.searches.federated([{ ...query, target: 'network' }], DEFAULT_FEDERATION, CONTEXT)
    expect(made.sent[0]!.body).toMatchObject({ searches: [{ isForModel: true }] })
  })
})

describe('while instances disagree about the network', () => {
  const mismatch: Reply = { status: 412, code: 'network_version_mismatch' }

  it('a search is planned again, and later ones do not wait for agreement', async () => {
    let now = 0
    const given = { answer: () => mismatch, searchMs: 60, now: () => now }
    const { search, sent, errors, topology } = world(given)
    const rounds = async (): Promise<number> => {
      const before = sent.length
      await search()
      return (sent.length - before) / 2
    }
    // Once more after 50 ms; the pause after that would be too long.
    expect(await rounds()).toBe(2)
    expect(errors()).toMatchObject({ b: { code: 'network_version_mismatch' } })
    expect(await rounds()).toBe(1)
    now = MISMATCH_PAUSE_MS - 1
    expect(await rounds()).toBe(1)
    now++
    expect(await rounds()).toBe(2)
    topology.serving = { ...NETWORK, version: '0193a7f0-0000-7000-8000-000000000009' }
    expect(await rounds()).toBe(2)
  })

  it.each([
    ['while the pause is shorter than the time that is left', [50, 51, 100, 101], 0, [1, 2, 2, 3]],
    ['in the time that its calls have left', [160, 171], 70, [2, 3]],
    ['a limited number of times', [1e9], 0, [6]],
  ])('a search is planned again %s', async (_, times, callMs, expected) => {
    const rounds = times.map(async (searchMs) => {
      let now = 0
      const answer = ({ to }: Sent): Reply => {
        if (to === 'b') now += callMs
        return mismatch
      }
      const { search, sent } = world({ answer, searchMs, now: () => now })
      await search()
      return sent.filter(({ to }) => to === 'b').length
    })
    expect(await Promise.all(rounds)).toEqual(expected)
  })

  it('a search whose network has changed meanwhile runs again', async () => {
    const made = world({
      answer: (sent) => {
        made.topology.serving = { ...NETWORK, version: '0193a7f0-0000-7000-8000-000000000009' }
        return named(sent)
      },
    })
    expect(await made.search()).toEqual(['a', 'b'])
    expect(made.sent).toHaveLength(2)
  })
})

describe('foreign keys', () => {
  const features = { foreignKeys: true } as SearchContext['features']
  const context = { ...CONTEXT, features }
  const foreign: Partial<Engine['queries']> = {
    foreignUids: () => [asIndexUid('actors')],
    hydrate: async (uids, { found, answer }) =>
      found === null
        ? jsonBytes({})
        : jsonBytes([uids, JSON.parse(Buffer.from(answer).toString())]),
  }

  it('are resolved here, before and after the search', async () => {
    const seen: boolean[] = []
    const made = world({
      queries: {
        ...foreign,
        federatedSearch: async (_: unknown, _part: unknown, { features: on }: SearchContext) => {
          seen.push(on.foreignKeys)
          return jsonBytes('a')
        },
      },
    })
    expect(await made.search({}, context)).toEqual([['films'], ['a', 'b']])
    expect(seen).toEqual([false])
    const actors = { ...request(), indexUid: asIndexUid('actors') }
    const two = await made.searches.several([request(), actors], [0, 1], context)
    const shown = two.map((one) => JSON.parse(Buffer.from(one).toString())[0])
    expect(shown).toEqual([['films'], ['actors']])
  })
})
