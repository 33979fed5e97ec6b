// Hits as a search shows them, beside the fields of the document: distances, vectors, origins,
// scores. Then facets with their order and their statistics.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { DEFAULT_FEDERATION, type SearchRequest } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  openTestEngine,
  PLAIN_SEARCH,
  searchFor,
  type TestEngine,
} from '../../testing/test-engine.ts'
import { originText, proxiedOrigin, scoreValue } from './hits.ts'

let engine: TestEngine
async function change(patch: object): Promise<void> {
  await changeSettings(engine, 'shops', patch)
  await engine.idle()
}
const answer = (request: Partial<SearchRequest> = {}) => searchFor(engine, 'shops', request)
const hitsOf = async (request: Partial<SearchRequest> = {}) => (await answer(request)).hits
const one = async (id: number, request: Partial<SearchRequest>) =>
  (await hitsOf({ ...request, filter: `id = ${id}` }))[0]

const SHOPS = [
  {
    id: 1,
    name: 'red door',
    size: 3,
    kind: 'b',
    _geo: { lat: 1, lng: 0 },
    _vectors: { e: [1, 0] },
  },
  {
    id: 2,
    name: 'blue door',
    size: 5,
    kind: 'a',
    _geo: { lng: '0', lat: '2' },
    _vectors: {
      e: [
        [1, 1],
        [2, 0],
      ],
    },
  },
  { id: 3, name: 'grey', size: 5, kind: 'b', _vectors: { other: [9], e: [0, 1] } },
  { id: 4, name: 'door red', size: 2 ** 60, kind: ['c', 'b'], _vectors: { e: null } },
]

beforeAll(async () => {
  engine = await openTestEngine(new FakeDisk().mount())
  await addDocuments(engine, 'shops', SHOPS.slice(3), { primaryKey: 'id' })
  await change({
    filterableAttributes: ['id', 'kind', 'size'],
    sortableAttributes: ['_geo', 'size'],
  })
  await change({ embedders: { e: { source: 'userProvided', dimensions: 2 } } })
  await addDocuments(engine, 'shops', SHOPS.slice(0, 3))
  await engine.idle()
})
afterAll(() => engine.close())

describe('a distance', () => {
  const near = (point: string) => ({ sort: [`_geoPoint(${point}):asc`] })
  it('is that of the point by which the search sorts', async () => {
    const hits = await hitsOf(near('0, 0'))
    const found = hits.map((hit: { id: number; _geoDistance?: number }) => [
      hit.id,
      hit._geoDistance === undefined ? null : Math.round(hit._geoDistance / 1000),
    ])
    expect(found.slice(0, 2)).toEqual([
      [1, 111],
      [2, 222],
    ])
    expect(found.slice(2).every(([, distance]: [number, number | null]) => distance === null)).toBe(
      true,
    )
    expect(await one(1, near('1, 0'))).toHaveProperty('_geoDistance', 0)
  })

  it.each<[string, Partial<SearchRequest>]>([
    ['a search by no point', { sort: ['size:asc'] }],
    ['a point in other digits', near('1e0,0')],
    ['hits without their place', { ...near('0,0'), attributesToRetrieve: ['id'] }],
  ])('is not shown by %s', async (_, request) => {
    expect(await one(1, request)).not.toHaveProperty('_geoDistance')
  })

  it('is shown for any sort of the list', async () => {
    const hit = await one(1, { sort: ['size:asc', '_geoPoint(1,0):desc'] })
    expect(hit._geoDistance).toBe(0)
  })
})

describe('vectors', () => {
  it.each([
    [1, { e: { embeddings: [[1, 0]], regenerate: false } }],
    [
      2,
      {
        e: {
          embeddings: [
            [1, 1],
            [2, 0],
          ],
          regenerate: false,
        },
      },
    ],
    [3, { other: [9], e: { embeddings: [[0, 1]], regenerate: false } }],
    [4, { e: { embeddings: [], regenerate: false } }],
  ])('of document %i are shown on request', async (id, vectors) => {
    expect((await one(id, { retrieveVectors: true }))._vectors).toEqual(vectors)
    expect((await one(id, { retrieveVectors: false }))._vectors).toBeUndefined()
  })

  it('are shown if the list of displayed fields leaves out that documents have them', async () => {
    await change({ displayedAttributes: ['id'] })
    expect(await one(3, { retrieveVectors: true })).toMatchObject({
      id: 3,
      _vectors: { other: [9] },
    })
    await change({ displayedAttributes: ['id', '_vectors'] })
    expect(await one(3, { retrieveVectors: true })).toEqual({ id: 3 })
    await change({ displayedAttributes: null })
  })
})

describe('fields', () => {
  it.each<[readonly string[] | null, readonly string[] | null, readonly string[]]>([
    [null, null, ['_geo', 'id', 'kind', 'name', 'size']],
    [null, ['name', 'lacking'], ['name']],
    [null, ['*', 'lacking'], ['_geo', 'id', 'kind', 'name', 'size']],
    [['id', 'size', 'lacking'], null, ['id', 'size']],
    [['id', 'size'], ['name', 'size'], ['size']],
    [['id', 'size'], ['*'], ['id', 'size']],
  ])('displayed %j, requested %j: %j', async (displayedAttributes, attributesToRetrieve, names) => {
    await change({ displayedAttributes })
    expect(Object.keys(await one(1, { attributesToRetrieve })).sort()).toEqual(names)
    await change({ displayedAttributes: null })
  })
})

describe('formatted hits', () => {
  it.each<[Partial<SearchRequest>, object]>([
    [
      { attributesToHighlight: ['name'] },
      { id: 1, _formatted: { id: '1', name: '<em>red</em> door' } },
    ],
    [
      { showMatchesPosition: true },
      { id: 1, _matchesPosition: { name: [{ start: 0, length: 3 }] } },
    ],
  ])('%j', async (request, expected) => {
    const attributesToRetrieve = ['id', 'name']
    const hit = await one(1, { q: 'red', attributesToRetrieve, ...request })
    expect(hit).toMatchObject(expected)
    expect('_formatted' in hit).toBe('_formatted' in expected)
    expect('_matchesPosition' in hit).toBe('_matchesPosition' in expected)
  })

  it('have commas between their members, also without fields', async () => {
    const hit = await one(1, {
      q: 'red',
      attributesToRetrieve: [],
      attributesToHighlight: ['name'],
      showMatchesPosition: true,
      showRankingScore: true,
      showRankingScoreDetails: true,
    })
    expect(Object.keys(hit)).toEqual([
      '_formatted',
      '_matchesPosition',
      '_rankingScore',
      '_rankingScoreDetails',
    ])
    expect(await one(1, { attributesToRetrieve: [], showRankingScore: true })).toEqual({
      _rankingScore: 1,
    })
    expect(await one(1, { attributesToRetrieve: [] })).toEqual({})
  })
})

describe('an origin', () => {
  const uid = asIndexUid('a"b')
  const key = { parts: [], score: 0.5, position: 2 }
  it.each([
    [originText(uid, 2, 1, null), { indexUid: uid, queriesPosition: 2, weightedRankingScore: 1 }],
    [
      originText(uid, 0, 0.25, 'é'),
      { indexUid: uid, queriesPosition: 0, weightedRankingScore: 0.25, remote: 'é' },
    ],
  ])('%s', (text, expected) => {
    expect(JSON.parse(text)).toEqual(expected)
  })

  it('for another instance has everything that it merges by', () => {
    const parts = [{ kind: 'score', score: 0.5 }] as const
    const place = { indexUid: uid, queriesPosition: 2, weightedRankingScore: 0.5 }
    expect(proxiedOrigin(uid, { ...key, parts }, { f: 'a' }, null, false)).toEqual({
      ...place,
      weightedScoreValues: [{ weightedScore: 0.5 }],
      extra_document: { f: 'a' },
    })
    expect(proxiedOrigin(uid, { ...key, parts }, {}, 3, true)).toEqual({
      ...place,
      weightedScoreValues: [],
      extra_document: {},
      pinnedPosition: 3,
      semantic: true,
    })
  })

  it.each<[Parameters<typeof scoreValue>[0], object]>([
    [{ kind: 'sort', ascending: true, value: 'a' }, { sort: { asc: true, value: 'a' } }],
    [
      { kind: 'sort', ascending: false, value: 'a', isHidden: true },
      { sort: { asc: false, value: null } },
    ],
    [{ kind: 'geo', ascending: false, distance: 7 }, { geoSort: { asc: false, distance: 7 } }],
    [
      { kind: 'geo', ascending: true, distance: 7, isHidden: true },
      { geoSort: { asc: true, distance: null } },
    ],
  ])('has the value %j as %j', (part, expected) => {
    expect(scoreValue(part)).toEqual(expected)
  })

  it('in a federated search names index, query and weighted score', async () => {
    const request = { ...PLAIN_SEARCH, q: 'red' }
    const asked = (weight: number, queryPosition: number, filter: string) => ({
      indexUid: asIndexUid('shops'),
      request: { ...request, filter },
      weight,
      queryPosition,
    })
    const federation = { ...DEFAULT_FEDERATION, limit: 10 }
    const context = {
      requestUid: 'r',
      queryUid: null,
      features: engine.administration.features,
      signal: new AbortController().signal,
    }
    const searches = [asked(1, 0, 'id = 1'), asked(3, 1, 'id = 4')]
    const bytes = await engine.queries.federatedSearch(searches, federation, context)
    const { hits } = JSON.parse(Buffer.from(bytes).toString())
    expect(hits.map((hit: { id: number }) => hit.id)).toEqual([4, 1])
    expect(hits[0]._federation).toMatchObject({ indexUid: 'shops', queriesPosition: 1 })
    const [first, second] = hits.map((hit: never) => hit['_federation']['weightedRankingScore'])
    expect(first).toBeGreaterThan(2 * second)
  })
})

describe('facets', () => {
  const facets = async (asked: SearchRequest['facets'], more: Partial<SearchRequest> = {}) => {
    const found = await answer({ facets: asked, ...more })
    return [found.facetDistribution, found.facetStats]
  }

  it('have the counts and bounds of what is found', async () => {
    expect(await facets(['kind', 'size'], { filter: 'size < 6' })).toEqual([
      { kind: { a: 1, b: 2 }, size: { 3: 1, 5: 2 } },
      { size: { min: 3, max: 5 } },
    ])
  })

  it('have sums on request', async () => {
    const [, stats] = await facets([{ attribute: 'size', stats: true }], { filter: 'size < 6' })
    expect(stats).toEqual({ size: { min: 3, max: 5, avg: 13 / 3, sum: 13, count: 3 } })
  })

  it.each<[object, readonly string[]]>([
    [{}, ['a', 'b', 'c']],
    [{ sortFacetValuesBy: { kind: 'count' } }, ['b', 'c', 'a']],
    [{ sortFacetValuesBy: { '*': 'count' } }, ['b', 'c', 'a']],
    [{ sortFacetValuesBy: { '*': 'count', kind: 'alpha' } }, ['a', 'b', 'c']],
    [{ maxValuesPerFacet: 2 }, ['a', 'b']],
  ])('with the setting %j show %j', async (faceting, values) => {
    await change({ faceting: { sortFacetValuesBy: { '*': 'alpha' }, ...faceting } })
    const text = (await facets(['kind']))[0]
    expect(Object.keys(text.kind)).toEqual(values)
    await change({ faceting: null })
  })

  it('with conditions of their own are counted without them', async () => {
    const filter = 'kind = a'
    expect((await facets(['kind'], { filter }))[0]).toEqual({ kind: { a: 1 } })
    const own = { attribute: 'kind', disjunctive: true }
    expect((await facets([own, 'size'], { filter }))[0]).toEqual({
      kind: { a: 1, b: 3, c: 1 },
      size: { 5: 1 },
    })
  })
})
