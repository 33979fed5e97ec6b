// Searches from request to answer, in place, over small indexes on a disk in memory.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import type { SearchRequest } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  openTestEngine,
  PLAIN_SEARCH,
  searchFor,
  type TestEngine,
} from '../../testing/test-engine.ts'

const FILMS = [
  { id: 1, title: 'Harbour lights', year: 1994, tags: ['sea', 'drama'], _geo: { lat: 0, lng: 0 } },
  { id: 2, title: 'The quiet harbour', year: 2001, tags: ['sea'], _geo: { lat: 0, lng: 1 } },
  { id: 3, title: 'Mountain song', year: 1994, tags: ['drama'], plot: { place: 'harbour' } },
  { id: 4, title: 'Song of the sea', year: '1980', tags: [] },
  { id: 5, title: 'Harbor song', year: null, tags: ['sea', 'music'] },
]

async function engineOf(
  documents: readonly object[],
  settings: { readonly [setting: string]: unknown },
): Promise<TestEngine> {
  const engine = await openTestEngine(new FakeDisk().mount())
  await changeSettings(engine, 'films', settings)
  await addDocuments(engine, 'films', documents, { primaryKey: 'id' })
  await engine.idle()
  return engine
}

const idsOf = (answer: { hits: { id: number }[] }): number[] => answer.hits.map(({ id }) => id)

describe('a search', () => {
  let engine: TestEngine
  beforeAll(async () => {
    engine = await engineOf(FILMS, {
      searchableAttributes: ['title', 'plot', 'tags'],
      filterableAttributes: ['year', 'tags', '_geo'],
      sortableAttributes: ['year', 'title', '_geo'],
      stopWords: ['the', 'of'],
    })
  })
  const search = (request: Partial<SearchRequest>) => searchFor(engine, 'films', request)
  const ids = async (request: Partial<SearchRequest>) => idsOf(await search(request))

  it('finds words by prefix, with typos, in the order of the rules', async () => {
    expect(await ids({ q: 'harbour' })).toEqual([1, 2, 3, 5])
    expect(await ids({ q: 'song sea' })).toEqual([4, 5, 3])
    expect(await ids({ q: 'song sea', matchingStrategy: 'all' })).toEqual([4, 5])
    expect(await ids({ q: 'mou' })).toEqual([3])
    expect(await ids({ q: '"quiet harbour"' })).toEqual([2])
    expect(await ids({ q: 'nothing' })).toEqual([])
  })

  it('leaves out what negatives exclude', async () => {
    expect(await ids({ q: 'harbour -lights' })).toEqual([2, 3, 5])
    expect(await ids({ q: '-sea' })).toEqual([3])
    expect(await ids({ q: '-"quiet harbour" harbour' })).toEqual([1, 3, 5])
  })

  it('without words returns all documents by id', async () => {
    for (const q of [null, '', ' \u00a0', '!']) {
      expect(await ids({ q })).toEqual([1, 2, 3, 4, 5])
    }
    // A stop word alone is searched.
    expect(await ids({ q: 'the ' })).toEqual([2, 4])
  })

  it('searches only the requested attributes', async () => {
    expect(await ids({ q: 'harbour', attributesToSearchOn: ['plot*'] })).toEqual([3])
    expect(await ids({ q: 'sea', attributesToSearchOn: ['tags'] })).toEqual([1, 2, 5])
    await expect(search({ q: 'sea', attributesToSearchOn: ['year'] })).rejects.toThrow(
      'Attribute `year` is not searchable',
    )
  })

  it('sorts, filters and ranks', async () => {
    expect(await ids({ sort: ['year:asc'] })).toEqual([1, 3, 2, 4, 5])
    expect(await ids({ sort: ['year:desc', 'title:desc'] })).toEqual([2, 3, 1, 4, 5])
    expect(await ids({ q: 'sea', sort: ['title:asc'] })).toEqual([4, 5, 1, 2])
    expect(await ids({ filter: [['tags = music', 'year = 2001']] })).toEqual([2, 5])
    expect(await ids({ q: 'harbour', filter: 'year = 1994' })).toEqual([1, 3])
  })

  it('shows distances to the point it sorts by', async () => {
    const { hits } = await search({ sort: ['_geoPoint(0, 1):asc'] })
    expect(idsOf({ hits })).toEqual([2, 1, 3, 4, 5])
    expect(hits[1]).toMatchObject({ _geoDistance: 111195 })
    expect(hits[2]).not.toHaveProperty('_geoDistance')
  })

  it('has these members, in this order', async () => {
    const answer = await search({ q: 'harbour', facets: ['year'], limit: 1, offset: 1 })
    expect(Object.keys(answer)).toEqual([
      'hits',
      'query',
      'processingTimeMs',
      'limit',
      'offset',
      'estimatedTotalHits',
      'facetDistribution',
      'facetStats',
      'requestUid',
    ])
    expect(answer).toMatchObject({
      query: 'harbour',
      limit: 1,
      offset: 1,
      estimatedTotalHits: 4,
      facetDistribution: { year: { 1994: 2, 2001: 1 } },
      facetStats: { year: { min: 1994, max: 2001 } },
      requestUid: 'r',
    })
    const paged = await search({ q: 'harbour', page: 2, hitsPerPage: 3 })
    expect(idsOf(paged)).toEqual([5])
    expect(paged).toMatchObject({ page: 2, hitsPerPage: 3, totalPages: 2, totalHits: 4 })
    expect(await search({ page: 0 })).toMatchObject({ hits: [], totalHits: 5 })
    expect(await search({ hitsPerPage: 0 })).toMatchObject({ hits: [], totalPages: 0 })
  })

  it('shows the requested members', async () => {
    const { hits } = await search({
      q: 'harbour',
      limit: 1,
      attributesToRetrieve: ['title', 'plot.place', 'unheard'],
      attributesToHighlight: ['title'],
      showMatchesPosition: true,
    })
    expect(hits).toEqual([
      {
        title: 'Harbour lights',
        _formatted: { title: '<em>Harbour</em> lights' },
        _matchesPosition: { title: [{ start: 0, length: 7 }] },
      },
    ])
    const nested = await search({ q: 'mountain', attributesToRetrieve: ['plot.place'] })
    expect(nested.hits).toEqual([{ plot: { place: 'harbour' } }])
  })

  it('explains its scores', async () => {
    const [hit] = (
      await search({
        q: 'harbour',
        limit: 1,
        showRankingScore: true,
        showRankingScoreDetails: true,
      })
    ).hits
    expect(hit._rankingScore).toBeGreaterThan(0.9)
    expect(hit._rankingScoreDetails).toEqual({
      words: { order: 0, matchingWords: 1, maxMatchingWords: 1, score: 1 },
      typo: { order: 1, typoCount: 0, maxTypoCount: 1, score: 1 },
      proximity: { order: 2, score: 1 },
      attributeRank: { order: 3, score: 1 },
      wordPosition: { order: 4, score: 1 },
      exactness: { order: 5, matchType: 'matchesStart', score: 2 / 3 },
    })
    const sorted = await search({ sort: ['year:asc'], showRankingScoreDetails: true, limit: 1 })
    expect(sorted.hits[0]._rankingScoreDetails).toEqual({ 'year:asc': { order: 0, value: 1994 } })
  })

  it('drops hits below a threshold, and counts the others', async () => {
    const all = (await search({ q: 'song harbour', showRankingScore: true })).hits
    const scores = all.map((hit: { _rankingScore: number }) => hit._rankingScore)
    for (const threshold of [scores[1], scores[2], 1]) {
      const kept = all.filter((hit: { _rankingScore: number }) => hit._rankingScore >= threshold)
      const answer = await search({ q: 'song harbour', rankingScoreThreshold: threshold })
      expect(idsOf(answer)).toEqual(idsOf({ hits: kept }))
      expect(answer.estimatedTotalHits).toBe(kept.length)
    }
  })

  it('refuses requests that the index does not allow', async () => {
    const fault = async (request: Partial<SearchRequest>): Promise<unknown> =>
      search(request).catch((error) => error.code)
    expect(await fault({ sort: ['id:asc'] })).toBe('invalid_search_sort')
    expect(await fault({ filter: 'id = 1' })).toBe('invalid_search_filter')
    expect(await fault({ facets: ['id'] })).toBe('invalid_search_facets')
    expect(await fault({ distinct: 'id' })).toBe('invalid_search_distinct')
    expect(await fault({ vector: Float64Array.of(1) })).toBe('missing_search_hybrid')
    const hybrid = { embedder: 'none', semanticRatio: 0.5 }
    expect(await fault({ q: 'a', hybrid })).toBe('invalid_search_embedder')
    // Errors of the request alone are reported first.
    expect(await fault({ sort: ['id:asc'], attributesToSearchOn: ['id'] })).toBe(
      'invalid_search_attributes_to_search_on',
    )
  })

  it('counts no document below a threshold in place of one that shares its distinct value', async () => {
    const stones = [
      { id: 1, title: 'stone', kind: 'a', place: 'low' },
      { id: 2, title: 'stone lantern', kind: 'a', place: 'high' },
    ]
    const other = await engineOf(stones, { filterableAttributes: ['kind', 'place'] })
    for (const hitsPerPage of [0, 1, 5]) {
      const answer = await searchFor(other, 'films', {
        q: 'stone lantern',
        rankingScoreThreshold: 0.8,
        distinct: 'kind',
        hitsPerPage,
        facets: ['place'],
      })
      expect(answer.facetDistribution).toEqual({ place: { high: 1 } })
      expect(answer.totalHits).toBe(1)
    }
  })

  it('sees later documents and settings', async () => {
    const other = await engineOf(FILMS, {})
    const found = async () => idsOf(await searchFor(other, 'films', { q: 'harbour' }))
    expect(await found()).toEqual([3, 1, 2, 5])
    await addDocuments(other, 'films', [{ id: 1, title: 'Gone' }])
    await other.idle()
    expect(await found()).toEqual([3, 2, 5])
    await changeSettings(other, 'films', {
      searchableAttributes: ['plot'],
      displayedAttributes: ['id'],
    })
    await other.idle()
    const { hits } = await searchFor(other, 'films', { q: 'harbour' })
    expect(hits).toEqual([{ id: 3 }])
  })
})

type Row = { readonly id: number; readonly [field: string]: unknown }

const anyValue = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: -2, max: 3 }) },
  { weight: 2, arbitrary: fc.constantFrom('a', 'B', 'b', 'ä', '10') },
  { weight: 1, arbitrary: fc.constantFrom(null, '', true) },
)
const anyColumn = fc.oneof(anyValue, fc.array(anyValue, { maxLength: 3 }))
const anyRows: fc.Arbitrary<Row[]> = fc
  .array(fc.record({ x: anyColumn, y: anyColumn, w: fc.nat(3) }, { requiredKeys: ['w'] }), {
    minLength: 1,
    maxLength: 12,
  })
  .map((rows) => rows.map((row, id) => ({ id, ...row })))

const keysOf = (row: Row, field: string): (number | string)[] =>
  ([row[field] ?? []].flat() as unknown[]).flatMap((value): (number | string)[] => {
    if (typeof value === 'number') return [value]
    if (typeof value === 'boolean') return [String(value)]
    if (typeof value !== 'string') return []
    return [value.normalize('NFKD').toLowerCase()]
  })

/**
 * Numbers before texts before missing values; ascending order uses the smallest value, descending
 * the largest.
 */
function compareBy(field: string, ascending: boolean) {
  const keyOf = (row: Row): number | string | null => {
    const keys = keysOf(row, field)
    const numbers = keys.filter((key) => typeof key === 'number').sort((a, b) => a - b)
    const texts = keys.filter((key) => typeof key === 'string').sort()
    const kept: readonly (number | string)[] = numbers.length > 0 ? numbers : texts
    return kept.at(ascending ? 0 : -1) ?? null
  }
  const kind = (key: number | string | null): number =>
    typeof key === 'number' ? 0 : key === null ? 2 : 1
  return (a: Row, b: Row): number => {
    const [left, right] = [keyOf(a), keyOf(b)]
    if (kind(left) !== kind(right)) return kind(left) - kind(right)
    if (left === right) return 0
    return (left! < right! ? -1 : 1) * (ascending ? 1 : -1)
  }
}

const anySort = fc.shuffledSubarray(['x:asc', 'x:desc', 'y:asc', 'y:desc'])
const SORTED_SETTINGS = { sortableAttributes: ['x', 'y'], filterableAttributes: ['w', 'x'] }

describe('any documents', () => {
  it('come in the requested order, page by page', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyRows,
        anySort,
        fc.nat(14),
        fc.nat(5),
        async (rows, sort, offset, limit) => {
          const engine = await engineOf(rows, SORTED_SETTINGS)
          const orders = sort.map((rule) => compareBy(rule[0]!, rule.endsWith(':asc')))
          // A field orders only once.
          const first = sort.flatMap((rule, i) =>
            sort.findIndex((other) => other[0] === rule[0]) === i ? [orders[i]!] : [],
          )
          const sorted = rows.toSorted((a, b) => {
            for (const order of first) if (order(a, b) !== 0) return order(a, b)
            return a.id - b.id
          })
          const wanted = sorted.map(({ id }) => id)
          const answer = await searchFor(engine, 'films', { sort, offset, limit })
          expect(idsOf(answer)).toEqual(wanted.slice(offset, offset + limit))
          expect(answer.estimatedTotalHits).toBe(rows.length)
          const page = await searchFor(engine, 'films', { sort, page: 2, hitsPerPage: limit })
          expect(idsOf(page)).toEqual(wanted.slice(limit, 2 * limit))
          expect(page.totalHits).toBe(rows.length)
          const [scored] = (await searchFor(engine, 'films', { sort, showRankingScore: true })).hits
          expect(scored).toMatchObject({ id: wanted[0], _rankingScore: 1 })
          await engine.close()
        },
      ),
      { numRuns: 40 },
    )
  })

  it('are returned once for each distinct value', async () => {
    await fc.assert(
      fc.asyncProperty(anyRows, fc.nat(6), async (rows, limit) => {
        const engine = await engineOf(rows, SORTED_SETTINGS)
        const seen = new Set<unknown>()
        const wanted = rows.filter((row) => {
          const isNew = !seen.has(row['w'])
          seen.add(row['w'])
          return isNew
        })
        const distinct = 'w'
        const all = await searchFor(engine, 'films', { distinct })
        expect(idsOf(all)).toEqual(wanted.map(({ id }) => id))
        expect(all.estimatedTotalHits).toBe(wanted.length)
        const page = await searchFor(engine, 'films', { distinct, hitsPerPage: limit })
        expect(idsOf(page)).toEqual(wanted.slice(0, limit).map(({ id }) => id))
        expect(page.totalHits).toBe(wanted.length)
        const counted = await searchFor(engine, 'films', { distinct, limit, countTotal: true })
        expect(idsOf(counted)).toEqual(wanted.slice(0, limit).map(({ id }) => id))
        expect(counted).toMatchObject({ limit, offset: 0, estimatedTotalHits: wanted.length })
        await engine.close()
      }),
      { numRuns: 25 },
    )
  })

  it('are found with any pages', async () => {
    const words = ['sun', 'sunny', 'moon', 'set', 'sunset', 'flower']
    const anyTexts = fc.array(fc.array(fc.constantFrom(...words), { maxLength: 5 }), {
      minLength: 1,
      maxLength: 25,
    })
    const anyQuery = fc.array(fc.constantFrom(...words, 'su', '-moon'), { maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(
        anyTexts,
        anyQuery,
        fc.integer({ min: 1, max: 7 }),
        async (texts, q, size) => {
          const rows = texts.map((text, id) => ({ id, t: text.join(' ') }))
          const engine = await engineOf(rows, {})
          const request = { q: q.join(' ') }
          const all = idsOf(await searchFor(engine, 'films', request))
          expect(new Set(all).size).toBe(all.length)
          const paged: number[] = []
          for (let offset = 0; offset < all.length; offset += size) {
            const answer = await searchFor(engine, 'films', { ...request, offset, limit: size })
            expect(answer.estimatedTotalHits).toBe(all.length)
            paged.push(...idsOf(answer))
          }
          expect(paged).toEqual(all)
          const scored = await searchFor(engine, 'films', { ...request, showRankingScore: true })
          const scores = scored.hits.map((hit: { _rankingScore: number }) => hit._rankingScore)
          expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a))
          expect(idsOf(scored)).toEqual(all)
          await engine.close()
        },
      ),
      { numRuns: 30 },
    )
  })
})

describe('documents as stored', () => {
  const ask = async (engine: TestEngine, request: object) =>
    JSON.parse(
      Buffer.from(
        await engine.documents.list(asIndexUid('films'), {
          offset: 0,
          limit: 20,
          fields: null,
          retrieveVectors: false,
          ids: null,
          filter: null,
          sort: null,
          ...request,
        }),
      ).toString(),
    )

  it('are returned by id, filter and order, with all or some fields', async () => {
    const engine = await engineOf(FILMS, {
      filterableAttributes: ['year'],
      sortableAttributes: ['title'],
      displayedAttributes: ['title'],
    })
    expect(await ask(engine, {})).toEqual({ results: FILMS, offset: 0, limit: 20, total: 5 })
    const page = await ask(engine, { offset: 1, limit: 2, fields: ['id', 'plot.place', 'none'] })
    expect(page).toMatchObject({
      results: [{ id: 2 }, { id: 3, plot: { place: 'harbour' } }],
      total: 5,
    })
    const found = await ask(engine, { ids: ['3', '1', '77'], filter: 'year = 1994' })
    expect(found.results.map(({ id }: { id: number }) => id)).toEqual([1, 3])
    const sorted = await ask(engine, { sort: ['title:desc'], offset: 1, limit: 2 })
    expect(sorted.results.map(({ id }: { id: number }) => id)).toEqual([4, 3])
    const one = await engine.documents.get(asIndexUid('films'), '4', ['title'], true)
    expect(JSON.parse(Buffer.from(one).toString())).toEqual({
      title: 'Song of the sea',
      _vectors: {},
    })
    await expect(engine.documents.get(asIndexUid('films'), '77', null, false)).rejects.toThrow(
      'Document `77` not found.',
    )
  })
})

describe('vectors in hits', () => {
  const brought = { id: 1, title: 'x', _vectors: { e: [1, 2] } }
  const hitOf = async (document: object, displayedAttributes: readonly string[] | null) => {
    const engine = await engineOf([document], { displayedAttributes })
    expect((await searchFor(engine, 'films', {})).hits[0]).not.toHaveProperty('_vectors')
    return (await searchFor(engine, 'films', { retrieveVectors: true })).hits[0]
  }

  it('are shown as sent, on request', async () => {
    expect(await hitOf(brought, null)).toEqual(brought)
    expect(await hitOf({ id: 1 }, null)).toEqual({ id: 1, _vectors: {} })
  })

  it('are hidden by a list of displayed fields that names them, if documents contain any', async () => {
    expect(await hitOf(brought, ['id'])).toEqual({ id: 1, _vectors: { e: [1, 2] } })
    expect(await hitOf(brought, ['id', '_vectors'])).toEqual({ id: 1 })
    expect(await hitOf({ id: 1 }, ['id'])).toEqual({ id: 1 })
    expect(await hitOf({ id: 1 }, ['id', '_vectors'])).toEqual({ id: 1, _vectors: {} })
  })
})

describe('values of a facet', () => {
  it('are searched among the found documents', async () => {
    const engine = await engineOf(FILMS, { filterableAttributes: ['tags', 'year'] })
    const context = {
      requestUid: 'r',
      queryUid: null,
      features: engine.administration.features,
      signal: new AbortController().signal,
    }
    const values = async (facetQuery: string | null, search: Partial<SearchRequest> = {}) => {
      const request = {
        facetName: 'tags',
        facetQuery,
        exhaustiveFacetCount: null,
        search: { ...PLAIN_SEARCH, ...search },
      }
      const bytes = await engine.queries.facetSearch(asIndexUid('films'), request, context)
      const { facetHits } = JSON.parse(Buffer.from(bytes).toString())
      return facetHits.map(({ value, count }: { value: string; count: number }) => [value, count])
    }
    expect(await values('s')).toEqual([['sea', 3]])
    expect(await values(null, { filter: 'year = 1994' })).toEqual([
      ['drama', 2],
      ['sea', 1],
    ])
    expect(await values('', { q: 'quiet' })).toEqual([['sea', 1]])
    expect(await values('musik')).toEqual([['music', 1]])
  })
})
