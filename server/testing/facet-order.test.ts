// The order of facet values as a request asks for it, over HTTP: the values that are shown of a field
// with more of them than an answer has.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from './test-server.ts'

const SHOWN = 3
const SETTINGS = {
  filterableAttributes: ['tag', 'year'],
  faceting: { maxValuesPerFacet: SHOWN },
}
/** Value n of 10 has n documents; by name the rarest come first. */
const DOCUMENTS = Array.from({ length: 10 }, (_, n) =>
  Array.from({ length: n + 1 }, (_, i) => ({ id: 100 * n + i, tag: `t${n}`, year: 2000 + n })),
).flat()

type Counts = { readonly [field: string]: { readonly [value: string]: number } }

describe('the order of facet values', () => {
  let server: TestServer

  beforeAll(async () => {
    server = await startServer()
    for (const uid of ['a', 'b']) {
      await server.ask('PATCH', `/indexes/${uid}/settings`, SETTINGS)
      await server.ask('POST', `/indexes/${uid}/documents`, DOCUMENTS)
    }
    await server.idle()
  })
  afterAll(() => server?.stop())

  async function counts(path: string, body: object): Promise<Counts> {
    const answer = await server.ask('POST', path, body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    return (answer.body as { readonly facetDistribution: Counts }).facetDistribution
  }
  const FREQUENT = { t9: 10, t8: 9, t7: 8 }

  test('by count, by name, and of the settings', async () => {
    const search = (...facets: readonly unknown[]) => counts('/indexes/a/search', { facets })
    expect((await search('tag'))['tag']).toEqual({ t0: 1, t1: 2, t2: 3 })
    const { tag, year } = await search('*', { attribute: '*', order: 'count' })
    expect(Object.entries(tag!)).toEqual(Object.entries(FREQUENT))
    expect(year).toEqual({ 2009: 10, 2008: 9, 2007: 8 })
    const named = { attribute: 'tag', order: 'alpha' }
    expect(await search(named, { attribute: '*', order: 'count' })).toEqual({
      tag: { t0: 1, t1: 2, t2: 3 },
      year,
    })
  })

  test('with disjunctive facets, several searches and one list of several indexes', async () => {
    const byCount = { attribute: 'tag', order: 'count', disjunctive: true }
    const search = { filter: 'tag = t1', facets: [byCount] }
    expect((await counts('/indexes/a/search', search))['tag']).toEqual(FREQUENT)
    const { body } = await server.ask('POST', '/multi-search', {
      queries: [{ indexUid: 'b', ...search }],
    })
    expect(body).toMatchObject({ results: [{ facetDistribution: { tag: FREQUENT } }] })
    const facetsByIndex = { a: [byCount], b: [byCount] }
    const merged = await counts('/multi-search', {
      federation: { facetsByIndex, mergeFacets: { maxValuesPerFacet: SHOWN } },
      queries: ['a', 'b'].map((indexUid) => ({ indexUid })),
    })
    expect(merged['tag']).toEqual({ t9: 20, t8: 18, t7: 16 })
  })

  test('is refused with buckets, and with an unknown name', async () => {
    const fault = async (facet: object) => {
      const { body } = await server.ask('POST', '/indexes/a/search', { facets: [facet] })
      return body
    }
    const code = 'invalid_search_facets'
    const both = { attribute: 'year', order: 'count', histogram: { interval: 2 } }
    expect(await fault(both)).toMatchObject({
      code,
      message: expect.stringContaining('`order` and `histogram` exclude each other'),
    })
    expect(await fault({ attribute: 'year', order: 'sampledCount' })).toMatchObject({ code })
  })
})
