// Searches with conditions on one element: facets and sorts of the values of matching elements, and
// the places where a filter may have such conditions.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { SearchRequest } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  openTestEngine,
  searchFor,
  type TestEngine,
} from '../../testing/test-engine.ts'

const SHIRTS = [
  {
    id: 1,
    title: 'Linen shirt',
    variants: [
      { color: 'red', size: 40, price: 30, stores: [{ city: 'Bern', stock: 0 }] },
      { color: 'blue', size: 42, price: 10, stores: [{ city: 'Rome', stock: 4 }] },
    ],
    shops: [
      { open: true, _geo: { lat: 10, lng: 10 } },
      { open: false, _geo: { lat: 20, lng: 20 } },
    ],
  },
  {
    id: 2,
    title: 'Cotton shirt',
    variants: [
      { color: 'Red', size: 42, price: 25, stores: [{ city: 'Rome', stock: 2 }] },
      { color: 'red', size: 40, price: 15, stores: [{ city: 'Bern', stock: 3 }] },
    ],
    shops: [{ open: true, _geo: { lat: 20, lng: 20 } }],
  },
  // One object instead of an array is one element.
  { id: 3, title: 'Silk shirt', variants: { color: 'red', size: 42, price: 20 } },
  { id: 4, title: 'Hat', variants: [] },
]

async function engineOf(documents: readonly object[]): Promise<TestEngine> {
  const engine = await openTestEngine(new FakeDisk().mount())
  const patch = {
    filterableAttributes: ['variants', 'shops', 'id'],
    sortableAttributes: ['variants.price', 'id'],
  }
  await changeSettings(engine, 'shop', patch)
  await addDocuments(engine, 'shop', documents, { primaryKey: 'id' })
  await engine.idle()
  return engine
}

type Answer = {
  readonly hits: { id: number }[]
  readonly facetDistribution?: { readonly [field: string]: { readonly [value: string]: number } }
  readonly facetStats?: { readonly [field: string]: unknown }
}

describe('conditions on one element', () => {
  let engine: TestEngine
  beforeAll(async () => {
    engine = await engineOf(SHIRTS)
  })
  const search = (request: Partial<SearchRequest>): Promise<Answer> =>
    searchFor(engine, 'shop', request)
  const ids = async (request: Partial<SearchRequest>) =>
    (await search(request)).hits.map(({ id }) => id)

  it('are met by one element', async () => {
    expect(await ids({ filter: 'variants.color = red AND variants.size = 42' })).toEqual([1, 2, 3])
    expect(await ids({ filter: 'variants[color = red AND size = 42]' })).toEqual([2, 3])
    expect(await ids({ filter: 'NOT variants[color = red AND size = 42]' })).toEqual([1, 4])
    expect(await ids({ filter: [['variants[size > 40]', 'id = 4']] })).toEqual([1, 2, 3, 4])
  })

  it('are met by elements inside elements', async () => {
    const inRome = 'stores[city = rome AND stock > 1]'
    expect(await ids({ filter: `variants[color = red AND ${inRome}]` })).toEqual([2])
    expect(await ids({ filter: 'variants[stores.city = bern AND stores.stock = 0]' })).toEqual([1])
    expect(await ids({ filter: 'variants.stores[city = bern AND stock = 3]' })).toEqual([2])
  })

  it('have places', async () => {
    const near = (lat: number) => `shops[_geoRadius(${lat}, ${lat}, 1000) AND open = true]`
    expect(await ids({ filter: near(10) })).toEqual([1])
    expect(await ids({ filter: near(20) })).toEqual([2])
    const box = '_geoBoundingBox([21, 21], [19, 19])'
    expect(await ids({ filter: `shops[${box} AND NOT open = true]` })).toEqual([1])
    const polygon = '_geoPolygon([9, 9], [9, 11], [11, 11], [11, 9])'
    expect(await ids({ filter: `shops[${polygon}]` })).toEqual([1])
  })

  it('count the values of matching elements alone in the scope `match`', async () => {
    const request = {
      filter: 'variants[color = red AND price > 10]',
      facets: ['variants.size', 'variants.stores.city', 'variants.price', 'id'],
    }
    const all = await search(request)
    expect(all.facetDistribution).toMatchObject({
      'variants.size': { 40: 2, 42: 3 },
      'variants.stores.city': { Bern: 2, Rome: 2 },
    })
    const matching = await search({ ...request, facetScope: 'match' })
    expect(matching.facetDistribution).toEqual({
      id: { 1: 1, 2: 1, 3: 1 },
      'variants.size': { 40: 2, 42: 2 },
      'variants.stores.city': { Bern: 2, Rome: 1 },
      'variants.price': { 15: 1, 20: 1, 25: 1, 30: 1 },
    })
    expect(matching.facetStats).toMatchObject({ 'variants.price': { min: 15, max: 30 } })
  })

  it('take the innermost elements, and leave NOT out', async () => {
    const filter = 'variants[color = red AND stores[stock > 1]]'
    const facets = ['variants.stores.city', 'variants.size']
    const { facetDistribution } = await search({ filter, facets, facetScope: 'match' })
    expect(facetDistribution).toEqual({
      'variants.size': { 40: 1, 42: 1 },
      'variants.stores.city': { Bern: 1, Rome: 1 },
    })
    const negated = await search({ filter: `NOT ${filter}`, facets, facetScope: 'match' })
    expect(negated.facetDistribution).toEqual({
      'variants.size': { 40: 1, 42: 2 },
      'variants.stores.city': { Bern: 1, Rome: 1 },
    })
  })

  it('are left out for disjunctive facets of their field', async () => {
    const request: Partial<SearchRequest> = {
      filter: 'variants[color = blue] AND variants[size = 42]',
      facets: ['variants.size'],
      disjunctiveFacets: ['variants.color'],
      facetScope: 'match',
    }
    expect((await search(request)).facetDistribution).toEqual({
      'variants.color': { blue: 1, Red: 2 },
      'variants.size': { 42: 1 },
    })
  })

  it('sort by the best value of matching elements in the scope `match`', async () => {
    const filter = 'variants[size = 42]'
    const sort = ['variants.price:asc']
    expect(await ids({ filter, sort })).toEqual([1, 2, 3])
    expect(await ids({ filter, sort, sortScope: 'match' })).toEqual([1, 3, 2])
    const desc = { filter, sort: ['variants.price:desc'] }
    expect(await ids(desc)).toEqual([1, 2, 3])
    expect(await ids({ ...desc, sortScope: 'match' })).toEqual([2, 3, 1])
  })

  it('has the values of matching elements as the definition says', async () => {
    const value = fc.constantFrom(1, 2, 3)
    const element = fc.record({ a: value, b: value, price: fc.nat(9) })
    const anyShirts = fc.array(
      fc.oneof(fc.array(element, { maxLength: 3 }), element, fc.constant(null)),
      { minLength: 1, maxLength: 12 },
    )
    await fc.assert(
      fc.asyncProperty(anyShirts, value, value, async (all, a, b) => {
        const shop = await engineOf(all.map((variants, id) => ({ id, variants })))
        const answer: Answer = await searchFor(shop, 'shop', {
          filter: `variants[a = ${a} AND b >= ${b}]`,
          facets: ['variants.price'],
          facetScope: 'match',
          sort: ['variants.price:desc'],
          sortScope: 'match',
        })
        await shop.close()
        const matching = all.flatMap((variants, id) => {
          const found = [variants ?? []].flat().filter((one) => one.a === a && one.b >= b)
          return found.length === 0 ? [] : [{ id, prices: found.map(({ price }) => price) }]
        })
        const best = new Map(matching.map(({ id, prices }) => [id, Math.max(...prices)]))
        const order = [...best.keys()].sort((x, y) => best.get(y)! - best.get(x)! || x - y)
        expect(answer.hits.map(({ id }) => id)).toEqual(order)
        const counts: { [price: string]: number } = {}
        for (const price of matching.flatMap(({ prices }) => [...new Set(prices)])) {
          counts[price] = (counts[price] ?? 0) + 1
        }
        expect(answer.facetDistribution?.['variants.price'] ?? {}).toEqual(counts)
      }),
      { numRuns: 20 },
    )
  })
})
