// The list of fields: its members, its filter, its pages.
import { beforeAll, describe, expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import type { FieldsFilter } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  openTestEngine,
  type TestEngine,
} from '../../testing/test-engine.ts'

const EVERY: FieldsFilter = {
  attributePatterns: null,
  displayed: null,
  searchable: null,
  sortable: null,
  distinct: null,
  rankingRule: null,
  filterable: null,
}

/** Features that patterns allow. */
const BOX = { facetSearch: true, filter: { equality: true, comparison: false } }

let engine: TestEngine

beforeAll(async () => {
  engine = await openTestEngine(new FakeDisk().mount())
  const patch = {
    displayedAttributes: ['name', 'box'],
    searchableAttributes: ['name', '_geo'],
    sortableAttributes: ['id', '_geo'],
    distinctAttribute: 'box.size',
    faceting: { sortFacetValuesBy: { name: 'count' } },
    filterableAttributes: ['name', { attributePatterns: ['box*'], features: BOX }],
    rankingRules: ['words', 'box.size:desc', 'id:asc'],
    localizedAttributes: [{ attributePatterns: ['n*', '_geo'], locales: ['fra', 'eng'] }],
  }
  await changeSettings(engine, 'a', patch)
  await addDocuments(engine, 'a', [
    { id: 1, name: 'x', box: { size: 1 }, _geo: { lat: 1, lng: 2 } },
  ])
  await engine.idle()
})

const fields = async (filter: Partial<FieldsFilter> | null, offset = 0, limit = 20) => {
  const fieldsRequest = { offset, limit, filter: filter === null ? null : { ...EVERY, ...filter } }
  return JSON.parse(
    Buffer.from(await engine.documents.fields(asIndexUid('a'), fieldsRequest)).toString(),
  )
}
const names = async (filter: Partial<FieldsFilter>): Promise<string[]> =>
  (await fields(filter)).results.map(({ name }: { name: string }) => name)

describe('fields of an index', () => {
  it('lack the halves of a location where no document has one', async () => {
    await addDocuments(engine, 'places', [{ id: 1, geo: 2 }])
    await engine.idle()
    const request = { offset: 0, limit: 20, filter: null }
    const list = Buffer.from(
      await engine.documents.fields(asIndexUid('places'), request),
    ).toString()
    const { results } = JSON.parse(list) as { readonly results: readonly { name: string }[] }
    expect(results.map(({ name }) => name)).toEqual(['geo', 'id'])
  })

  it('are ordered by name and show the effect of settings', async () => {
    const { results, ...page } = await fields(null)
    expect(page).toEqual({ offset: 0, limit: 20, total: 7 })
    expect(results.map(({ name }: { name: string }) => name)).toEqual(
      '_geo,_geo.lat,_geo.lng,box,box.size,id,name'.split(','),
    )
    expect(results[4]).toEqual({
      name: 'box.size',
      displayed: { enabled: true },
      searchable: { enabled: false },
      sortable: { enabled: false },
      distinct: { enabled: true },
      rankingRule: { enabled: true, order: 'desc' },
      filterable: {
        enabled: true,
        sortBy: 'alpha',
        facetSearch: true,
        equality: true,
        comparison: false,
      },
      localized: { locales: [] },
    })
    expect(results[5]).toEqual({
      name: 'id',
      displayed: { enabled: false },
      searchable: { enabled: false },
      sortable: { enabled: true },
      distinct: { enabled: false },
      rankingRule: { enabled: true, order: 'asc' },
      filterable: {
        enabled: false,
        sortBy: 'alpha',
        facetSearch: false,
        equality: false,
        comparison: false,
      },
      localized: { locales: [] },
    })
    expect(results[6]).toEqual({
      name: 'name',
      displayed: { enabled: true },
      searchable: { enabled: true },
      sortable: { enabled: false },
      distinct: { enabled: false },
      rankingRule: { enabled: false },
      filterable: {
        enabled: true,
        sortBy: 'count',
        facetSearch: true,
        equality: true,
        comparison: true,
      },
      localized: { locales: ['Fra', 'Eng'] },
    })
  })

  it('with coordinates are not texts', async () => {
    const [place] = (await fields(null)).results
    expect([place.searchable, place.localized]).toEqual([{ enabled: false }, { locales: [] }])
  })

  it.each([
    ['displayed', 'box,box.size,name'],
    ['searchable', 'name'],
    ['sortable', '_geo,_geo.lat,_geo.lng,id'],
    ['distinct', 'box.size'],
    ['rankingRule', 'box.size,id'],
    ['filterable', 'box,box.size,name'],
  ] as const)('pass a filter if their flag %s agrees: %s', async (flag, having) => {
    const all = await names({})
    const those = having.split(',')
    expect(await names({ [flag]: true })).toEqual(those)
    expect(await names({ [flag]: false })).toEqual(all.filter((name) => !those.includes(name)))
  })

  it('pass a filter if each of its conditions agrees', async () => {
    expect(await names({ displayed: true, searchable: false })).toEqual(['box', 'box.size'])
    expect(await names({ filterable: false, attributePatterns: ['*e*'] })).toEqual(
      '_geo,_geo.lat,_geo.lng'.split(','),
    )
    expect(await names({ attributePatterns: ['id', 'box'] })).toEqual(['box', 'id'])
    expect(await names({ attributePatterns: [] })).toEqual([])
  })

  it('come in pages', async () => {
    expect(await fields({ displayed: true }, 1, 1)).toMatchObject({
      results: [{ name: 'box.size' }],
      offset: 1,
      limit: 1,
      total: 3,
    })
    await expect(
      engine.documents.fields(asIndexUid('b'), { offset: 0, limit: 1, filter: null }),
    ).rejects.toThrow('Index `b` not found.')
  })
})
