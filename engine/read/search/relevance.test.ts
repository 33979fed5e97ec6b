// The rule `bm25` and the matching strategy `any`, from request to answer, over an index whose
// documents were changed and deleted.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { DEFAULT_SEARCH, type SearchRequest } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  enqueue,
  openTestEngine,
  searchFor,
  type TestEngine,
} from '../../testing/test-engine.ts'
import { oracleScores } from '../bm25/test-oracle.ts'

const HALF = 5
const WORDS = 'river ravine stone store lantern light night fall summer winter'.split(' ')

type Film = { readonly id: number; readonly title: string; readonly body: string }
const pick = (at: number): string => WORDS[Math.abs(at) % WORDS.length]!
const film = (id: number, seed: number): Film => ({
  id,
  title: Array.from({ length: 1 + (id % 4) }, (_, i) => pick(id * 7 + seed * (i + 3) + i)).join(
    ' ',
  ),
  body: Array.from({ length: 3 + (id % 9) }, (_, i) => pick(id * i + seed * 5 + (i >> 1))).join(
    ' ',
  ),
})

async function changed(engine: TestEngine, settings: object): Promise<void> {
  await changeSettings(engine, 'films', { ...settings })
  await engine.idle()
}

type Answer = {
  readonly hits: readonly {
    readonly id: number
    readonly _rankingScore: number
    readonly _rankingScoreDetails?: { readonly [rule: string]: object }
  }[]
  readonly estimatedTotalHits?: number
  readonly totalHits?: number
}

describe('a search ranked by bm25', () => {
  let engine: TestEngine
  const left = new Map<number, Film>()
  const search = async (request: Partial<SearchRequest>): Promise<Answer> =>
    searchFor(engine, 'films', { matchingStrategy: 'any', showRankingScore: true, ...request })

  beforeAll(async () => {
    engine = await openTestEngine(new FakeDisk().mount())
    await changed(engine, {
      rankingRules: ['bm25'],
      searchableAttributes: ['title', 'body'],
      filterableAttributes: ['id'],
    })
    const add = async (films: readonly Film[]): Promise<void> => {
      for (const one of films) left.set(one.id, one)
      await addDocuments(engine, 'films', films, { primaryKey: 'id' })
      await engine.idle()
    }
    await add(Array.from({ length: 60 }, (_, id) => film(id, 1)))
    await add(Array.from({ length: 20 }, (_, i) => film(i * 3, 2)))
    await add([film(100, 3), film(101, 4)])
    const ids = ['5', '6', '21', '59']
    await enqueue(engine, 'films', { kind: 'documentDeletion', by: 'ids', ids })
    for (const id of ids) left.delete(Number(id))
    await engine.idle()
  })

  it('has the scores of the oracle, and finds documents with any word', async () => {
    const terms = fc.uniqueArray(fc.constantFrom(...WORDS, 'lantarn', 'absent'), { minLength: 1 })
    const weights = fc.constantFrom(null, { title: 3 }, { title: 0, '*': 2 })
    await fc.assert(
      fc.asyncProperty(terms, weights, async (query, attributeWeights) => {
        const films = [...left.values()]
        const texts = films.map(({ title, body }) => ({ title, body }))
        const scores = oracleScores(texts, query, { weights: attributeWeights ?? {} })
        const wanted = new Map(films.map(({ id }, at) => [id, scores[at]!]))
        const { hits } = await search({ q: query.join(' '), limit: 100, attributeWeights })
        for (const { id, _rankingScore: shown } of hits) {
          expect((HALF * shown) / (1 - shown)).toBeCloseTo(wanted.get(id)!, 4)
        }
        const found = hits.map(({ id }) => id)
        const positive = films.filter(({ id }) => wanted.get(id)! > 0).map(({ id }) => id)
        expect(found).toEqual(expect.arrayContaining(positive))
        expect(hits.map((hit) => hit._rankingScore)).toEqual(
          hits.map((hit) => hit._rankingScore).sort((a, b) => b - a),
        )
      }),
      { numRuns: 40 },
    )
  })

  it('shows the same page of any length, and drops hits below a threshold', async () => {
    const q = 'river stone night'
    const all = await search({ q, limit: 100 })
    for (const offset of [0, 1, 7, 20]) {
      const { hits } = await search({ q, offset, limit: 5 })
      expect(hits).toEqual(all.hits.slice(offset, offset + 5))
    }
    const threshold = all.hits[10]!._rankingScore
    const above = all.hits.filter((hit) => hit._rankingScore >= threshold)
    const few = await search({ q, rankingScoreThreshold: threshold, limit: 100 })
    expect(few.hits).toEqual(above)
    expect(few.estimatedTotalHits).toBe(above.length)
    const paged = await search({ q, rankingScoreThreshold: threshold, page: 1, hitsPerPage: 3 })
    expect(paged.hits).toEqual(above.slice(0, 3))
    expect(paged.totalHits).toBe(above.length)
  })

  it('counts the same documents without an order', async () => {
    const { hits, estimatedTotalHits } = await search({ q: 'river stone', limit: 1 })
    const whole = await search({ q: 'river stone', limit: 100 })
    expect(hits).toEqual(whole.hits.slice(0, 1))
    expect(estimatedTotalHits).toBe(whole.hits.length)
    const filtered = await search({ q: 'river stone', filter: 'id < 20', limit: 100 })
    expect(filtered.hits).toEqual(whole.hits.filter(({ id }) => id < 20))
  })

  it('shows what each word adds', async () => {
    const { hits } = await search({ q: 'river absent', limit: 1, showRankingScoreDetails: true })
    const { _rankingScore, _rankingScoreDetails: details } = hits[0]!
    const { bm25 } = details!
    expect(bm25).toMatchObject({ order: 0, score: _rankingScore, words: [{ word: 'river' }] })
    const { words, bm25: sum } = bm25 as { words: { contribution: number }[]; bm25: number }
    expect(words[0]!.contribution).toBeCloseTo(sum, 5)
  })

  it('lets other rules decide before it and between equal scores', async () => {
    await changed(engine, { rankingRules: ['words', 'bm25', 'id:desc'] })
    const { hits } = await search({
      q: 'river stone night',
      limit: 100,
      showRankingScoreDetails: true,
    })
    const keys = hits.map(({ id, _rankingScoreDetails: details }) => {
      const { words, bm25 } = details as {
        words: { matchingWords: number }
        bm25: { bm25: number }
      }
      return [words.matchingWords, bm25.bm25, id] as const
    })
    const order = keys.toSorted((a, b) => b[0] - a[0] || b[1] - a[1] || b[2] - a[2])
    expect(keys).toEqual(order)
    expect(new Set(keys.map(([count]) => count)).size).toBeGreaterThan(2)
    await changed(engine, { rankingRules: ['bm25', 'typo', 'proximity', 'exactness'] })
    const again = await search({ q: 'river stone night', limit: 100 })
    expect(again.hits).toHaveLength(hits.length)
    await changed(engine, { rankingRules: ['bm25'] })
  })

  it('finds a document that has the phrase alone, and not those of negative words', async () => {
    await addDocuments(engine, 'films', [{ id: 200, title: 'deep purple', body: 'x' }])
    await engine.idle()
    const ids = async (q: string) => (await search({ q, limit: 100 })).hits.map(({ id }) => id)
    expect(await ids('"deep purple" river')).toContain(200)
    expect(await ids('"purple deep"')).toEqual([])
    expect(await ids('purple river -deep')).not.toContain(200)
    const long = [...Array.from({ length: 99 }, (_, i) => `absent${i}`), 'purple', 'deep'].join(' ')
    expect(await ids(long)).toContain(200)
    expect(await ids(long.replace('purple deep', 'absent purple'))).not.toContain(200)
  })

  it('counts the values of the documents above a threshold by the weights of a facet search', async () => {
    await changed(engine, { filterableAttributes: ['title'] })
    const heavy = { q: 'river', limit: 100, showRankingScore: true, attributeWeights: { title: 9 } }
    const { hits } = await search(heavy)
    const rankingScoreThreshold = hits[hits.length >> 1]!._rankingScore
    const { signal } = new AbortController()
    const context = { requestUid: 'u', queryUid: null, features: {}, signal } as never
    const countOf = async (
      attributeWeights: SearchRequest['attributeWeights'],
    ): Promise<number> => {
      const asked = { q: 'river', rankingScoreThreshold, limit: 1000, attributeWeights }
      const bytes = await engine.queries.facetSearch(
        asIndexUid('films'),
        {
          facetName: 'title',
          facetQuery: null,
          exhaustiveFacetCount: true,
          search: { ...DEFAULT_SEARCH, ...asked },
        },
        context,
      )
      const { facetHits } = JSON.parse(Buffer.from(bytes as Uint8Array).toString())
      const found = facetHits.reduce((sum: number, { count }: { count: number }) => sum + count, 0)
      expect(found).toBe((await search(asked)).hits.length)
      return found
    }
    expect(await countOf({ title: 0 })).toBeLessThan(await countOf({ title: 9 }))
  })
})
