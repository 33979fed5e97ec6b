// Partial answers of three instances, each with a third of the documents, are merged into the answer
// of one instance that has all of them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import {
  DEFAULT_FEDERATION,
  type FacetRequest,
  type Federation,
  type Merger,
  type SearchRequest,
} from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  openTestEngine,
  PLAIN_SEARCH,
  type TestEngine,
} from '../../testing/index.ts'

const FILMS = asIndexUid('films')
const WORDS = ['river', 'stone', 'light', 'harbour', 'winter']
const DOCUMENTS = Array.from({ length: 90 }, (_, id) => ({
  id,
  title: [0, 1, 2].map((i) => WORDS[(id * (i + 2) + (id >> 3)) % WORDS.length]).join(' '),
  genre: ['Drama', 'drama', 'War', 'noir'][(id * 7 + (id >> 4)) % 4],
  year: 1990 + ((id * 11) % 25),
  group: `g${id % 13}`,
}))

let alone: TestEngine
const parts: TestEngine[] = []
beforeAll(async () => {
  const opened = async (documents: readonly object[]): Promise<TestEngine> => {
    const engine = await openTestEngine(new FakeDisk().mount())
    await changeSettings(engine, 'films', {
      filterableAttributes: ['genre', 'year', 'group'],
      sortableAttributes: ['year', 'id'],
      rankingRules: ['sort', 'words', 'exactness'],
    })
    await addDocuments(engine, 'films', documents, { primaryKey: 'id' })
    await engine.idle()
    return engine
  }
  alone = await opened(DOCUMENTS)
  for (let part = 0; part < 3; part++) {
    parts.push(await opened(DOCUMENTS.filter(({ id }) => id % 3 === part)))
  }
})
afterAll(async () => {
  for (const engine of [alone, ...parts]) await engine.close()
})

type Answer = {
  readonly hits: readonly { readonly id: number }[]
  readonly [member: string]: unknown
}
const parsed = (bytes: Uint8Array): Answer => JSON.parse(Buffer.from(bytes).toString())
const contextOf = (engine: TestEngine) => ({
  requestUid: 'r',
  queryUid: null,
  features: engine.administration.features,
  signal: new AbortController().signal,
})

type ClientRequest = Partial<SearchRequest> & { readonly facets?: readonly FacetRequest[] }

/** Asks all parts and merges on the first one. */
async function merged(
  wanted: ClientRequest,
  kind: 'single' | 'federated' = 'single',
): Promise<Answer> {
  const request: SearchRequest = { ...PLAIN_SEARCH, ...wanted }
  const { offset, limit, page, hitsPerPage, countTotal, distinct, facets } = request
  const federation: Federation = {
    ...DEFAULT_FEDERATION,
    offset,
    limit,
    page,
    hitsPerPage,
    countTotal,
    distinct,
    facetsByIndex: facets === null ? {} : { films: facets },
  }
  const sent = { ...request, distinct: null, facets: null, disjunctiveFacets: null }
  const search = { indexUid: FILMS, request: sent, weight: 1, queryPosition: 0 }
  const answers = await Promise.all(
    parts.map(async (engine, at) => {
      const merger: Merger =
        at === 0 ? { by: 'self', form: 'partial' } : { by: 'member', form: 'partial' }
      // Each sends all hits that may be on the page.
      const hitsMax = page === null ? offset + limit : page * (hitsPerPage ?? 20)
      const pages =
        page === null ? { offset: 0, limit: hitsMax } : { page: 1, hitsPerPage: hitsMax }
      const part = { ...federation, ...pages, merger }
      const bytes = await engine.queries.federatedSearch([search], part, contextOf(engine))
      return { remote: 'abc'[at]!, bytes, isOwn: at === 0 }
    }),
  )
  return parsed(
    await parts[0]!.queries.mergeInstances(
      {
        answers,
        federation,
        queries: [{ indexUid: FILMS, q: request.q, position: 0 }],
        kind,
        self: 'a',
        remoteErrors: { d: { code: 'gone' } },
      },
      contextOf(parts[0]!),
      Date.now(),
    ),
  )
}

const facetsOf = (...attributes: readonly string[]): readonly FacetRequest[] =>
  attributes.map((attribute) => ({ attribute }) as FacetRequest)

/** Without what belongs to the network, or to the moment. */
const comparable = ({ hits, processingTimeMs: _t, remoteErrors: _r, ...rest }: Answer): object => ({
  ...rest,
  hits: hits.map(({ _federation: _, ...hit }: { id: number; _federation?: unknown }) => hit),
})

describe('three instances', () => {
  it.each<[string, ClientRequest]>([
    ['a list', { limit: 12, sort: ['id:asc'] }],
    ['a query', { q: 'river stone', sort: ['year:desc', 'id:asc'], offset: 3, limit: 10 }],
    ['a page', { q: 'harbour', sort: ['id:asc'], page: 2, hitsPerPage: 7 }],
    ['a filter with facets', { filter: 'year > 2000', facets: facetsOf('genre', 'year') }],
    ['exact totals', { q: 'winter light', countTotal: true, limit: 4, sort: ['id:asc'] }],
    ['no hits', { q: 'nothing', facets: facetsOf('genre') }],
  ])('answer like one: %s', async (_, wanted) => {
    const all = { sort: ['id:asc'], ...wanted }
    const one = parsed(
      await alone.queries.search(FILMS, { ...PLAIN_SEARCH, ...all }, contextOf(alone)),
    )
    expect(comparable(await merged(all))).toEqual(comparable(one))
  })

  it('keep one document of each distinct value', async () => {
    const wanted = { distinct: 'group', sort: ['id:asc'], facets: facetsOf('genre') }
    const one = parsed(
      await alone.queries.search(FILMS, { ...PLAIN_SEARCH, ...wanted }, contextOf(alone)),
    )
    const all = await merged(wanted)
    expect(all.hits.map(({ id }) => id)).toEqual(one.hits.map(({ id }) => id))
    expect(all.hits).toHaveLength(13)
  })

  it('name the instance of each hit, and those that failed', async () => {
    const { hits, remoteErrors } = await merged({ limit: 9, sort: ['id:asc'] })
    expect(remoteErrors).toEqual({ d: { code: 'gone' } })
    const remotes = hits.map((hit) => (hit as { _federation?: { remote?: string } })._federation)
    expect(remotes.map((one) => one?.remote)).toEqual([...'abcabcabc'])
  })

  it('answer a federated search with facets by index', async () => {
    const { hits, facetsByIndex, limit } = await merged(
      { q: 'river', limit: 5, sort: ['id:asc'], facets: facetsOf('genre') },
      'federated',
    )
    expect([hits.length, limit]).toEqual([5, 5])
    const { facetDistribution } = parsed(
      await alone.queries.search(
        FILMS,
        { ...PLAIN_SEARCH, q: 'river', facets: facetsOf('genre') },
        contextOf(alone),
      ),
    )
    expect(facetsByIndex).toMatchObject({ films: { distribution: facetDistribution } })
  })
})
