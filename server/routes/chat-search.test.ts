// The searches of a model, with an engine and other instances that the test plays: what the model
// is told about the indexes, what it finds, and which faults it can correct.
import { describe, expect, test } from 'vitest'
import { type ChatWorkspace, EngineFault } from '../../engine/index.ts'
import { asIndexUid } from '../../format/ids.ts'
import type { SearchArguments } from '../chat/index.ts'
import { ApiError } from '../errors/index.ts'
import { EVERYTHING } from '../http/index.ts'
import type { Caller, RequestContext } from '../http/messages/index.ts'
import { searchTool } from './chat-search.ts'
import { DESCRIBED_INDEXES_MAX, FOUND_BYTES_MAX, type RouteOptions } from './context/index.ts'

type World = {
  readonly indexes?: readonly string[]
  readonly caller?: Partial<Caller>
  readonly leader?: string
  readonly displayed?: readonly string[]
  readonly answer?: (limit: number) => object
  /** The outcome of the template for a document. */
  readonly template?: (document: string) => object
  /** Indexes that were deleted in the meantime. */
  readonly gone?: readonly string[]
}

const HITS = { hits: [{ id: 1, secret: 's', _federation: { remote: 'b' } }, { id: 2 }] }
const QUESTION = { indexUid: asIndexUid('shop'), q: 'red', filter: null }

async function toolOf(world: World) {
  const calls: (readonly unknown[])[] = []
  const events: string[] = []
  type Search = { readonly indexUid: string; readonly request: { readonly limit: number } }
  const answered = async (name: string, searches: readonly Search[]): Promise<Buffer[]> => {
    calls.push([name, ...searches])
    return searches.map(({ request }) =>
      Buffer.from(JSON.stringify(world.answer?.(request.limit) ?? HITS)),
    )
  }
  const engine = {
    administration: { features: { network: true } },
    network: { get: () => ({ leader: world.leader ?? null }) },
    documents: {
      listIndexes: (visible: Caller['visible']) =>
        (world.indexes ?? ['shop'])
          .map((uid) => asIndexUid(uid))
          .filter((uid) => visible?.(uid) ?? true)
          .map((uid) => ({ uid })),
      index: () => ({ primaryKey: 'id' }),
      settings: (uid: string) => {
        if (world.gone?.includes(uid)) throw new EngineFault('index_not_found', 'gone')
        return {
          chat: {
            description: `about ${uid}`,
            documentTemplate: 'T',
            searchParameters: { limit: 5 },
          },
          displayedAttributes: world.displayed ?? ['*'],
          searchableAttributes: ['title', ['body', 'note']],
        }
      },
    },
    queries: {
      ranksByScores: () => true,
      search: async (indexUid: string, request: Search['request']) =>
        (await answered('search', [{ indexUid, request }]))[0],
      multiSearch: async (searches: readonly Search[]) => {
        const answers = await answered('several', searches)
        return [Buffer.from(`{"results":[${answers.map(String).join(',')}]}`)]
      },
    },
    templates: {
      run: async ({ source, input }: { readonly source: string; readonly input: unknown }) => {
        const { json, searchable } = input as {
          readonly json: Uint8Array
          readonly searchable: readonly string[]
        }
        const text = Buffer.from(json).toString()
        const made = world.template?.(text)
        if (made !== undefined) return made
        const rendered = `${source} ${text} ${searchable.join('+')}`
        return { kind: 'done', json: Buffer.from(JSON.stringify({ rendered })) }
      },
    },
  }
  const options = {
    engine,
    events: { chatSearch: (kind: string) => events.push(kind) },
    instances: {
      searches: { several: async (searches: readonly Search[]) => answered('network', searches) },
    },
  } as unknown as RouteOptions
  const context: RequestContext = {
    uid: 'u',
    address: '::1',
    signal: new AbortController().signal,
    header: () => undefined,
  }
  const caller: Caller = { ...EVERYTHING, ...world.caller }
  const asking = { caller, context, state: undefined }
  const tool = await searchTool(options, asking, { prompts: {} } as unknown as ChatWorkspace)
  return { tool, calls, events }
}

const search = async (world: World, asked: Partial<SearchArguments> = {}) => {
  const { tool, calls, events } = await toolOf({ answer: () => HITS, ...world })
  const searchedFrom = calls.length
  const { signal } = new AbortController()
  const outcome = await tool.search({ ...QUESTION, ...asked }, signal)
  return { outcome, calls: calls.slice(searchedFrom), events }
}

const outcomeOf = async (world: World, asked: Partial<SearchArguments> = {}) =>
  (await search(world, asked)).outcome

describe('the description', () => {
  const facetDistribution = { size: { 10: 1, 9: 1, 2: 4 }, name: { a: 1, b: 1, c: 2 } }
  const described = async (world: World) => {
    const { tool, calls } = await toolOf({ answer: () => ({ facetDistribution }), ...world })
    const { parameters, description } = JSON.parse(tool.definition).function
    const { index_uid: uid, filter } = parameters.properties
    return { uids: uid.enum, description, filter: filter.description as string, calls }
  }

  test('lists the indexes by name, with their frequent values first', async () => {
    const { uids, description, filter, calls } = await described({ indexes: ['b', 'a'] })
    expect(uids).toEqual(['a', 'b'])
    expect(description).toContain(' - a: about a\n\n\n\n - b: about b')
    expect(filter).toContain('of the a index\nsize: 2, 10, 9.\nname: c, b, a.\n')
    expect(calls).toHaveLength(2)
    expect(calls[0]).toMatchObject([
      'search',
      { indexUid: 'a', request: { limit: 0, facets: ['*'], facetValuesByCount: 10 } },
    ])
  })

  test('leaves out invisible and deleted indexes', async () => {
    const caller = { visible: (uid: string) => uid !== 'b' }
    const { uids } = await described({ indexes: ['a', 'b', 'c', 'd'], caller, gone: ['c'] })
    expect(uids).toEqual(['a', 'd'])
  })

  test('counts no values for a caller without searches', async () => {
    const { uids, filter, calls } = await described({ caller: { may: () => false } })
    expect([uids, filter.includes('size'), calls]).toEqual([['shop'], false, []])
  })

  test('counts the values of some indexes only, if there are many', async () => {
    const indexes = Array.from({ length: DESCRIBED_INDEXES_MAX + 1 }, (_, at) => `i${1000 + at}`)
    const { uids, calls } = await described({ indexes })
    expect([uids.length, calls.length]).toEqual([indexes.length, DESCRIBED_INDEXES_MAX])
  })

  test('is limited in length', async () => {
    const long = { facetDistribution: { f: { ['x'.repeat(200 * 1024)]: 1 } } }
    const { filter, calls } = await described({ indexes: ['a', 'b', 'c'], answer: () => long })
    expect([filter.match(/f: x/g)?.length, calls.length]).toEqual([1, 2])
  })

  test('has no values where they cannot be counted', async () => {
    const failing = (error: Error) =>
      described({
        answer: () => {
          throw error
        },
      })
    const without = await failing(new EngineFault('invalid_search_facets', 'no facets'))
    expect(without.uids).toEqual(['shop'])
    expect((await failing(new ApiError('remote_timeout', 'late'))).uids).toEqual(['shop'])
    await expect(failing(new EngineFault('invalid_search_filter', 'f'))).rejects.toThrow('f')
    const none = await described({ answer: () => ({ hits: [] }) })
    expect(none.filter).not.toContain('size')
  })
})

describe('a search', () => {
  const [first, second] = ['{"id":1,"secret":"s"}', '{"id":2}']

  test('has the parameters of the index and the words of the model', async () => {
    const filterOf = () => 'own = 1'
    const { outcome, calls, events } = await search({ caller: { filterOf } }, { filter: 'a = 1' })
    expect(calls).toMatchObject([
      [
        'search',
        {
          indexUid: 'shop',
          request: {
            q: 'red',
            filter: ['a = 1', 'own = 1'],
            limit: 5,
            matchingStrategy: 'any',
            isForModel: true,
          },
        },
      ],
    ])
    expect(events).toEqual(['internal'])
    expect(outcome).toEqual({
      kind: 'found',
      content: `T ${first} title+body+note\nT ${second} title+body+note`,
      sources: `[${first},${second}]`,
    })
  })

  test('finds documents twice if the client may not see all fields', async () => {
    const { outcome, calls } = await search({ displayed: ['id'] })
    expect(calls).toMatchObject([
      ['several', { request: { isForModel: true } }, { request: { isForModel: false } }],
    ])
    expect(outcome).toMatchObject({ kind: 'found', sources: `[${first},${second}]` })
  })

  test('runs in the network', async () => {
    const { outcome, calls } = await search({ leader: 'a' })
    expect(calls.map(([name]) => name)).toEqual(['network'])
    expect(outcome).toMatchObject({ kind: 'found', sources: `[${first},${second}]` })
  })

  test('needs all instances', async () => {
    const answer = (limit: number) =>
      limit === 0 ? HITS : { ...HITS, remoteErrors: { b: { message: 'is down' } } }
    expect(await outcomeOf({ leader: 'a', answer })).toEqual({
      kind: 'refused',
      status: expect.any(Number),
      message: 'The instance `b` does not answer: is down',
    })
  })

  test('finds a limited number of bytes', async () => {
    const ofLength = (length: number) => ({ hits: [{ x: 'x'.repeat(length - 20) }] })
    const answer = (length: number) => (limit: number) => (limit === 0 ? HITS : ofLength(length))
    const overhead = JSON.stringify(ofLength(20)).length - 20
    const most = await outcomeOf({ answer: answer(FOUND_BYTES_MAX - overhead) })
    expect(most.kind).toBe('found')
    expect(await outcomeOf({ answer: answer(FOUND_BYTES_MAX - overhead + 1) })).toMatchObject({
      kind: 'refused',
      status: 400,
      message: expect.stringContaining(`have ${FOUND_BYTES_MAX + 1} bytes`),
    })
  })

  test.each([
    ['an invalid key', { isValid: () => false }],
    ['a key without searches', { may: () => false }],
    ['a key of other indexes', { visible: (uid: string) => uid !== 'shop' }],
  ])('is refused to %s', async (_, caller) => {
    const { outcome, calls, events } = await search({ caller })
    expect([calls, events]).toEqual([[], []])
    expect(outcome).toMatchObject({ kind: 'refused', status: 403 })
  })

  test('is refused in the words of the key', async () => {
    const refusal = () => new ApiError('invalid_api_key', 'not this index')
    const caller = { visible: () => false, refusal }
    expect(await outcomeOf({ caller })).toMatchObject({ message: 'not this index' })
  })
})

describe('a fault', () => {
  const failing = (code: EngineFault['code'], displayed: readonly string[] = ['*']) =>
    outcomeOf({
      displayed,
      answer: (limit) => {
        if (limit === 0) return HITS
        throw new EngineFault(code, 'Inside `.queries[1]`: Index `shop`: not so')
      },
    })

  test('that the model can correct has the words without its position', async () => {
    const message = 'Inside `.queries[1]`: not so'
    expect(await failing('invalid_search_sort')).toEqual({ kind: 'wrong', message })
    expect(await failing('invalid_search_distinct', ['id'])).toEqual({
      kind: 'wrong',
      message: 'not so',
    })
  })

  test('that it cannot correct is a refusal', async () => {
    expect(await failing('invalid_search_facets')).toMatchObject({ kind: 'refused', status: 400 })
  })

  test('of the syntax of a filter is a refusal', async () => {
    const { outcome, calls } = await search({}, { filter: 'a =' })
    expect(calls).toEqual([])
    expect(outcome).toMatchObject({ kind: 'refused', status: 400 })
  })

  test('of the template names the document', async () => {
    const ofDocument = (during: string, hits: readonly object[] = HITS.hits) =>
      outcomeOf({
        answer: () => ({ hits }),
        template: () => ({ kind: 'fault', during, words: 'no x', at: null }),
      })
    expect(await ofDocument('parsing')).toMatchObject({
      kind: 'refused',
      message: 'user error: cannot parse template: liquid: no x',
    })
    const missing = (id: string) => `user error: missing field in document \`${id}\`: liquid: no x`
    expect(await ofDocument('rendering')).toMatchObject({ message: missing('1') })
    expect(await ofDocument('rendering', [{}])).toMatchObject({ message: missing('') })
    const nested = await ofDocument('rendering', [{ id: { a: 1 } }])
    expect(nested).toMatchObject({ message: missing('') })
  })

  test('is thrown once the conversation has ended', async () => {
    const { tool } = await toolOf({ caller: { isValid: () => false } })
    await expect(tool.search(QUESTION, AbortSignal.abort())).rejects.toThrow(ApiError)
  })
})
