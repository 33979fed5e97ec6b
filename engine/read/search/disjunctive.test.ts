// Disjunctive facets compared with separate searches: each facet as a search without the conditions
// on it counts it.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FacetRequest, SearchRequest } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  enqueue,
  openTestEngine,
  searchFor,
  type TestEngine,
} from '../../testing/test-engine.ts'

const WORDS = ['lamp', 'lantern', 'light', 'desk', 'floor', 'copper']
const BRANDS = ['Lumo', 'Nocto', 'Halo', 'Ember']
const COLORS = ['red', 'green', 'blue']
const FIELDS = ['brand', 'color', 'price', 'size'] as const
type Field = (typeof FIELDS)[number]

const pick = <T>(list: readonly T[], at: number): T => list[at % list.length]!

const documentOf = (id: number, turn: number) => ({
  id,
  name: [0, 1, 2].map((i) => pick(WORDS, id * (i + 2) + turn * i)).join(' '),
  brand: pick(BRANDS, id * 7 + turn),
  ...(id % 4 === 0 ? {} : { color: [pick(COLORS, id), pick(COLORS, id >> 2)] }),
  price: (id * 31 + turn) % 23,
  ...(id % 3 === 0 ? {} : { size: [id % 5, (id >> 3) % 7] }),
  model: `m${(id * 13) % 29}`,
})

/** A condition of the top-level conjunction; `field` is null if it names several. */
type Condition = { readonly field: Field | null; readonly filter: string | readonly string[] }

const CONDITIONS: readonly Condition[] = [
  { field: 'brand', filter: 'brand = lumo' },
  { field: 'brand', filter: ['brand = lumo', 'brand = halo'] },
  { field: 'brand', filter: 'NOT brand = ember' },
  { field: 'brand', filter: 'brand IN [nocto, halo] OR brand STARTS WITH lu' },
  { field: 'color', filter: 'color = red' },
  { field: 'color', filter: ['color = red', 'color NOT EXISTS'] },
  { field: 'price', filter: 'price >= 5' },
  { field: 'price', filter: '(price 3 TO 15 AND price != 7)' },
  { field: 'size', filter: 'size IN [1, 2, 3]' },
  { field: null, filter: 'brand = nocto OR color = green' },
  { field: null, filter: ['size = 2', 'price < 12'] },
  { field: null, filter: 'model != m3' },
]

const requests = fc.record({
  q: fc.constantFrom(
    '',
    'lamp',
    'lantern light',
    'lam',
    'copper desk -floor',
    '"desk light"',
    'lamq',
  ),
  matchingStrategy: fc.constantFrom('last' as const, 'all' as const),
  distinct: fc.constantFrom(null, null, 'model'),
  rankingScoreThreshold: fc.constantFrom(null, null, 0.7),
  sort: fc.constantFrom(null, ['price:asc']),
  page: fc.oneof(
    fc.record({ offset: fc.nat(5), limit: fc.nat(12) }),
    fc.record({ page: fc.integer({ min: 1, max: 3 }), hitsPerPage: fc.nat(9) }),
  ),
})

type Answer = {
  readonly hits: unknown
  readonly facetDistribution: { readonly [field: string]: unknown }
  readonly facetStats: { readonly [field: string]: unknown }
}

describe('disjunctive facets', () => {
  let engine: TestEngine
  beforeAll(async () => {
    engine = await openTestEngine(new FakeDisk().mount())
    await changeSettings(engine, 'shop', {
      searchableAttributes: ['name'],
      filterableAttributes: [...FIELDS, 'model'],
      sortableAttributes: ['price'],
    })
    // Several segments, some of whose documents are dead.
    for (let turn = 0; turn < 4; turn++) {
      const ids = Array.from({ length: 60 }, (_, i) => turn * 40 + i)
      await addDocuments(
        engine,
        'shop',
        ids.map((id) => documentOf(id, turn)),
        { primaryKey: 'id' },
      )
      await engine.idle()
    }
    await enqueue(engine, 'shop', {
      kind: 'documentDeletion',
      by: 'ids',
      ids: ['3', '50', '51', '120'],
    })
    await engine.idle()
  })
  afterAll(() => engine.close())

  const search = (request: Partial<SearchRequest>): Promise<Answer> =>
    searchFor(engine, 'shop', request)

  it('are those of separate searches', async () => {
    await fc.assert(
      fc.asyncProperty(
        requests,
        fc.subarray([...CONDITIONS], { maxLength: 5 }),
        fc.subarray([...FIELDS]),
        fc.subarray([...FIELDS]),
        fc.nat(2),
        async ({ page, ...rest }, conditions, disjunctive, plain, last) => {
          const base = { ...rest, ...page }
          // The last conditions are those of a tenant token.
          const callerFilters = Math.min(last, conditions.length)
          const filterOf = (some: readonly Condition[]) => some.map(({ filter }) => filter)
          const own = conditions.slice(0, conditions.length - callerFilters)
          const ofToken = conditions.slice(conditions.length - callerFilters)
          const whole = {
            ...base,
            filter: filterOf(conditions),
            ...(callerFilters === 0 ? {} : { callerFilters }),
          }
          const got = await search({ ...whole, facets: plain, disjunctiveFacets: disjunctive })
          const all = await search({ ...whole, facets: [...FIELDS] })
          expect(got.hits).toEqual(all.hits)
          const fields = FIELDS.filter((one) => plain.includes(one) || disjunctive.includes(one))
          expect(Object.keys(got.facetDistribution ?? {})).toEqual([...fields].sort())
          for (const field of fields) {
            const left = own.filter((one) => one.field !== field)
            const expected = disjunctive.includes(field)
              ? await search({ ...base, filter: filterOf([...left, ...ofToken]), facets: [field] })
              : all
            const { facetDistribution, facetStats } = expected
            expect(got.facetDistribution[field]).toEqual(facetDistribution[field])
            expect(got.facetStats[field]).toEqual(facetStats[field])
          }
        },
      ),
      { numRuns: 150 },
    )
  }, 60_000)

  it('leave out conditions of one text, joined by AND', async () => {
    const filter = 'brand = lumo AND (color = red AND price < 15) AND (size = 1 OR price > 2)'
    const got = await search({ filter, disjunctiveFacets: ['brand', 'color', 'price'] })
    const expected = {
      brand: 'color = red AND price < 15 AND (size = 1 OR price > 2)',
      color: 'brand = lumo AND price < 15 AND (size = 1 OR price > 2)',
      price: 'brand = lumo AND color = red AND (size = 1 OR price > 2)',
    }
    for (const [field, left] of Object.entries(expected)) {
      const { facetDistribution } = await search({ filter: left, facets: [field] })
      expect(got.facetDistribution[field]).toEqual(facetDistribution[field])
    }
  })

  it('take names and patterns as facets do', async () => {
    const filter = ['brand = lumo', 'color = red']
    const facets: FacetRequest[] = ['price', { attribute: 'color', disjunctive: true }]
    const { facetDistribution } = await search({ filter, facets, disjunctiveFacets: ['bra*'] })
    expect(Object.keys(facetDistribution)).toEqual(['brand', 'color', 'price'])
    const byBrand = await search({ filter: 'color = red', facets: ['brand'] })
    expect(facetDistribution['brand']).toEqual(byBrand.facetDistribution['brand'])
    await expect(search({ disjunctiveFacets: ['name'] })).rejects.toThrow(
      'Invalid facet distribution: Pattern `name` is not filterable',
    )
  })
})
