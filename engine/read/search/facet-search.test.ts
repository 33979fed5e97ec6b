// Values of a facet that a text finds: typos, words without them, languages, candidates, faults.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import type { FacetSearchRequest, SearchRequest } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  openTestEngine,
  PLAIN_SEARCH,
  type TestEngine,
} from '../../testing/test-engine.ts'

let engine: TestEngine
async function change(patch: object): Promise<void> {
  await changeSettings(engine, 'shop', patch)
  await engine.idle()
}
const PRODUCTS = [
  { id: 1, brand: 'Lantern', kind: 'lamp red', year: 1 },
  { id: 2, brand: 'Lanterna', kind: 'lamp', year: 2 },
  { id: 3, brand: 'Storm', kind: 'coat', year: 2 },
  { id: 4, brand: 'Stone', kind: 'ring', year: 3 },
  { id: 5, brand: 'Stone', kind: 'lamp', year: 3 },
  { id: 6, brand: '石屋', kind: 'lamp', year: 3 },
  { id: 7, brand: 7, kind: 'lamp', year: 3 },
]
const SETTINGS = {
  filterableAttributes: ['brand', 'year'],
  searchableAttributes: ['kind'],
  faceting: { maxValuesPerFacet: 3 },
}
beforeAll(async () => {
  engine = await openTestEngine(new FakeDisk().mount())
  await change(SETTINGS)
  await addDocuments(engine, 'shop', PRODUCTS)
  await engine.idle()
})
afterAll(() => engine.close())

async function ask(
  facetQuery: string | null,
  search: Partial<SearchRequest> = {},
  more: Partial<FacetSearchRequest> = {},
) {
  const request = {
    facetName: 'brand',
    facetQuery,
    exhaustiveFacetCount: null,
    search: { ...PLAIN_SEARCH, ...search },
    ...more,
  }
  const bytes = await engine.queries.facetSearch(asIndexUid('shop'), request, {
    requestUid: 'r',
    queryUid: null,
    features: engine.administration.features,
    signal: new AbortController().signal,
  })
  return JSON.parse(Buffer.from(bytes).toString())
}
const found = async (...asked: Parameters<typeof ask>): Promise<string[]> =>
  (await ask(...asked)).facetHits.map(
    ({ value, count }: { value: string; count: number }) => `${value} ${count}`,
  )

describe('a text', () => {
  it.each([
    ['st', ['Stone 2', 'Storm 1']],
    ['STÓ', ['Stone 2', 'Storm 1']],
    ['stome', ['Stone 2']],
    ['stnoe', ['Stone 2']],
    ['sotn', []],
    ['lantern', ['Lantern 1', 'Lanterna 1']],
    ['lanxern', ['Lantern 1', 'Lanterna 1']],
    ['lanxexn', []],
    ['lanxexna', []],
    ['lanxexnas', []],
    ['lanterxax', ['Lanterna 1']],
    ['7', ['7 1']],
    ['石', ['石屋 1']],
    ['', ['7 1', 'Lantern 1', 'Lanterna 1']],
  ])('%s finds %j', async (text, values) => {
    expect(await found(text)).toEqual(values)
  })

  it('has no typos if the settings say so', async () => {
    for (const typoTolerance of [{ enabled: false }, { disableOnAttributes: ['brand'] }]) {
      await change({ typoTolerance })
      expect([await found('stome'), await found('ston')]).toEqual([[], ['Stone 2']])
      await change({ typoTolerance: null })
    }
    await change({ typoTolerance: { disableOnAttributes: ['brand.name'] } })
    expect(await found('stome')).not.toEqual([])
    await change({ typoTolerance: { disableOnWords: ['Lantern', 'stome'] } })
    expect([await found('lantern'), await found('stome')]).toEqual([['Lantern 1'], []])
    expect(await found('lanter')).toEqual(['Lantern 1', 'Lanterna 1'])
    const sizes = { oneTypo: 6, twoTypos: 7 }
    await change({ typoTolerance: { disableOnWords: [], minWordSizeForTypos: sizes } })
    expect([await found('stome'), await found('stomes')]).toEqual([[], []])
    expect(await found('lanxexn')).toEqual(['Lantern 1', 'Lanterna 1'])
    await change({ typoTolerance: null })
  })

  it('is returned, with null for none', async () => {
    expect(await ask('st')).toMatchObject({ facetQuery: 'st' })
    expect(Object.keys(await ask(null))).toEqual(['facetHits', 'facetQuery', 'processingTimeMs'])
    expect((await ask(null)).facetQuery).toBeNull()
  })

  it('finds values in the order of the facet, up to its limit', async () => {
    await change({ faceting: { maxValuesPerFacet: 2, sortFacetValuesBy: { brand: 'count' } } })
    expect(await found('st')).toEqual(['Stone 2', 'Storm 1'])
    const [first, ...others] = await found(null)
    expect([first, others.length]).toEqual(['Stone 2', 1])
    await change({ faceting: { ...SETTINGS.faceting, sortFacetValuesBy: null } })
  })
})

describe('the candidates', () => {
  it.each<[Partial<SearchRequest>, Partial<FacetSearchRequest>, readonly string[]]>([
    [{ filter: 'year = 3' }, {}, ['Stone 2']],
    [{ q: 'lamp' }, {}, ['Stone 1']],
    [{ q: 'lamp -red' }, {}, ['Stone 1']],
    [{ q: 'coat' }, {}, ['Storm 1']],
    [{ q: 'coat', filter: 'year = 3' }, {}, []],
    [{ q: 'lamp red', matchingStrategy: 'all' }, {}, []],
    [{ q: ' ' }, {}, ['Stone 2', 'Storm 1']],
    [{ q: 'ring', rankingScoreThreshold: 1 }, {}, ['Stone 1']],
    [{ q: 'rings', rankingScoreThreshold: 1 }, {}, []],
  ])('of %j, %j have the values %j', async (search, more, values) => {
    expect(await found('st', search, more)).toEqual(values)
  })

  it('count each distinct value once', async () => {
    await change({ distinctAttribute: 'brand' })
    const all = { exhaustiveFacetCount: true }
    expect(await found('st', { q: 'ring' })).toEqual(['Stone 1'])
    expect(await found('st', {}, all)).toEqual(['Stone 1', 'Storm 1'])
    await change({ distinctAttribute: null })
  })
})

describe('a facet search', () => {
  it('is refused without a facet, and where the setting is off', async () => {
    await expect(ask('a', {}, { facetName: 'kind' })).rejects.toMatchObject({
      code: 'invalid_facet_search_facet_name',
    })
    expect(await found('a', {}, { facetName: 'year' })).toEqual([])
    await change({ facetSearch: false })
    await expect(ask('a')).rejects.toMatchObject({ code: 'facet_search_disabled' })
    await change({ facetSearch: null })
  })

  it('of a facet that no document has finds nothing', async () => {
    await change({ filterableAttributes: ['brand', 'year', 'later'] })
    expect(await found('a', {}, { facetName: 'later' })).toEqual([])
  })
})
