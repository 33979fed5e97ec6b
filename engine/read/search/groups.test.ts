// The groups of a search: each is what a search among the documents with the values of a hit finds.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SearchRequest } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  openTestEngine,
  searchFor,
  type TestEngine,
} from '../../testing/index.ts'

type Lamp = {
  readonly id: number
  readonly brand?: string
  readonly tags: readonly string[]
  readonly watts: number
  readonly name: string
}
const LAMPS = Array.from({ length: 60 }, (_, id): Lamp => {
  const brand = id % 7 === 0 ? {} : { brand: ['Lux', 'lux', 'Sol', 'Nox'][id % 4]! }
  const tags = [`t${id % 5}`, `t${id % 3}`].slice(0, id % 3)
  return { id, ...brand, tags, watts: (id * 13) % 40, name: id % 2 === 0 ? 'red lamp' : 'lamp' }
})

let engine: TestEngine
beforeAll(async () => {
  engine = await openTestEngine(new FakeDisk().mount())
  await changeSettings(engine, 'lamps', {
    filterableAttributes: ['brand', 'tags', 'id', 'watts'],
    sortableAttributes: ['watts'],
    rankingRules: ['sort', 'words'],
  })
  for (const part of [LAMPS.slice(0, 25), LAMPS.slice(25)]) {
    await addDocuments(engine, 'lamps', part, { primaryKey: 'id' })
    await engine.idle()
  }
})
afterAll(() => engine.close())

type Group = { readonly totalHits: number; readonly hits: readonly Lamp[] }
type Found = { readonly hits: readonly Lamp[]; readonly groups: readonly Group[] }
const search = async (request: Partial<SearchRequest>): Promise<Found> =>
  (await searchFor(engine, 'lamps', request)) as Found

describe('groups', () => {
  it.each<[string, Partial<SearchRequest>]>([
    ['of a page', { offset: 1, limit: 2 }],
    ['in order of a sort', { sort: ['watts:desc'], limit: 5 }],
    ['of a query with a filter', { q: 'red', filter: 'watts > 9', limit: 5 }],
  ])('%s have the documents with the brand of the hit', async (_, more) => {
    const { hits, groups } = await search({ distinct: 'brand', hitsPerGroup: 3, ...more })
    expect(hits.length).toBeGreaterThan(1)
    expect(groups).toHaveLength(hits.length)
    for (const [at, { id, brand }] of hits.entries()) {
      const own = brand === undefined ? `id = ${id}` : `brand = ${brand}`
      const given = more.filter === undefined ? own : `${String(more.filter)} AND ${own}`
      const alone = await search({ ...more, filter: given, offset: 0, limit: 1000 })
      expect(alone.hits.length).toBeGreaterThan(brand === undefined ? 0 : 3)
      expect(groups[at]).toEqual({
        totalHits: alone.hits.length,
        hits: alone.hits.slice(0, 3),
      })
      // Both cases are one value.
      expect(groups[at]!.hits[0]).toEqual(hits[at])
    }
  })

  it('of several values have the documents that share one of them', async () => {
    const { hits, groups } = await search({ distinct: 'tags', hitsPerGroup: 100, limit: 100 })
    for (const [at, { id, tags }] of hits.entries()) {
      const those = LAMPS.filter(
        (one) => one.id === id || one.tags.some((tag) => tags.includes(tag)),
      )
      expect(groups[at]!.hits.map((one) => one.id)).toEqual(those.map((one) => one.id))
    }
    expect(hits.filter(({ tags }) => tags.length > 0).length).toBeGreaterThan(1)
  })

  it.each<[Partial<SearchRequest>, string]>([
    [{ hitsPerGroup: 3 }, 'hits have no groups without a distinct attribute.'],
    [{ distinct: 'brand', hitsPerGroup: 0 }, 'expected a number from 1 to 100.'],
    [{ distinct: 'brand', hitsPerGroup: 101 }, 'expected a number from 1 to 100.'],
  ])('are refused for %j', async (request, words) => {
    await expect(search(request)).rejects.toMatchObject({
      code: 'invalid_search_hits_per_group',
      message: expect.stringContaining(`Invalid value at \`.hitsPerGroup\`: ${words}`),
    })
    for (const hitsPerGroup of [1, 100]) {
      const { groups } = await search({ distinct: 'brand', hitsPerGroup, limit: 1 })
      expect(groups[0]!.hits.length).toBe(Math.min(hitsPerGroup, groups[0]!.totalHits))
    }
  })
})
