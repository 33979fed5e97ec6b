// Search rules that scale scores: whole searches, compared with sorting all hits by scaled scores.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import type { InlineRule, RuleActions, ScaleAction } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  enqueue,
  openTestEngine,
  searchFor,
  type TestEngine,
} from '../../testing/test-engine.ts'

const WORDS = ['salt', 'iron', 'road', 'garden'] as const
const COLORS = ['red', 'blue', 'green'] as const
const COUNT = 40

const DOCUMENTS = Array.from({ length: COUNT }, (_, id) => ({
  id,
  title: Array.from({ length: 1 + (id % 3) }, (_, i) => WORDS[(id * 7 + i * 5) % 4]).join(' '),
  color: COLORS[id % 3]!,
  price: id % 5,
  _vectors: { own: [Math.sin(id), Math.cos(id)] },
}))

let engine: TestEngine

const set = (patch: object) => changeSettings(engine, 'shop', patch)

beforeAll(async () => {
  engine = await openTestEngine(new FakeDisk().mount())
  await set({
    searchableAttributes: ['title'],
    filterableAttributes: ['color', 'price'],
    sortableAttributes: ['price'],
    embedders: { own: { source: 'userProvided', dimensions: 2 } },
  })
  await addDocuments(engine, 'shop', DOCUMENTS)
  await engine.administration.setFeatures({ dynamicSearchRules: true })
  await engine.idle()
})

afterAll(() => engine.close())

const ruleOf = (actions: RuleActions, uid = 'r'): InlineRule => ({
  uid,
  active: true,
  conditions: {},
  actions,
})

type Hit = {
  readonly id: number
  readonly _rankingScore: number
  readonly _rankingScoreDetails: { readonly [rule: string]: { readonly order: number } }
}
type Found = { readonly hits: readonly Hit[]; readonly estimatedTotalHits: number }

const find = async (request: object, actions: RuleActions = {}): Promise<Found> =>
  (await searchFor(engine, 'shop', {
    limit: 100,
    showRankingScore: true,
    ...request,
    inlineRule: ruleOf(actions),
  })) as Found

const idsOf = async (request: object, actions?: RuleActions): Promise<number[]> =>
  (await find(request, actions)).hits.map(({ id }) => id)

const anyScale: fc.Arbitrary<ScaleAction> = fc.record(
  {
    weight: fc.constantFrom(0, 0.4, 0.5, 1, 1.5, 2, 100),
    ids: fc.uniqueArray(fc.nat(COUNT + 3).map(String), { maxLength: 12 }),
    filter: fc.constantFrom<unknown>(
      'color = red',
      ['price > 1', ['color = blue', 'color = green']],
      'title = salt',
      '',
    ),
    indexUid: fc.constantFrom(asIndexUid('shop'), asIndexUid('other')),
  },
  { requiredKeys: ['weight'] },
)

/** Returns whether an action names a document, read from its definition. */
function names({ ids, filter, indexUid = asIndexUid('shop') }: ScaleAction, id: number): boolean {
  const { color, price } = DOCUMENTS[id]!
  if (indexUid !== 'shop' || ids?.includes(String(id)) === false) return false
  if (filter === 'color = red') return color === 'red'
  // The attribute is not filterable.
  if (filter === 'title = salt') return false
  return Array.isArray(filter) ? price > 1 && color !== 'red' : true
}

const weightOf = (scales: readonly ScaleAction[], id: number): number =>
  scales.filter((one) => names(one, id)).reduce((product, { weight }) => product * weight, 1)

const anyQuery = fc.constantFrom('salt', 'salt road', 'irn', 'gar', '')

describe('scaled scores', () => {
  it('order all hits, on every page', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyQuery,
        fc.array(anyScale, { maxLength: 5 }),
        fc.nat(20),
        fc.nat(20),
        fc.constantFrom(null, 0.3, 0.8),
        async (q, scale, offset, limit, rankingScoreThreshold) => {
          const { hits } = await find({ q })
          const expected = hits
            .map(({ id, _rankingScore }) => ({ id, score: _rankingScore * weightOf(scale, id) }))
            .filter(({ id }) => weightOf(scale, id) > 0)
            .filter(({ score }) => score >= (rankingScoreThreshold ?? 0))
            .sort((a, b) => b.score - a.score || a.id - b.id)
          const found = await find({ q, rankingScoreThreshold }, { scale })
          expect(found.hits.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
          expect(found.hits.map((hit) => hit._rankingScore)).toEqual(
            expected.map(({ score }) => Math.min(1, score)),
          )
          expect(found.estimatedTotalHits).toBe(expected.length)
          const page = await find({ q, rankingScoreThreshold, offset, limit }, { scale })
          expect(page.hits).toEqual(found.hits.slice(offset, offset + limit))
        },
      ),
      { numRuns: 120 },
    )
  })

  it('hide documents with the weight 0, which count nowhere, unless they are pinned', async () => {
    const scale = [{ filter: 'color = red', weight: 0 }]
    const request = { q: '', facets: ['color'], hitsPerPage: 50 }
    const found = (await searchFor(engine, 'shop', {
      ...request,
      inlineRule: ruleOf({ scale }),
    })) as unknown as { totalHits: number; facetDistribution: { color: object } }
    expect(found.facetDistribution.color).toEqual({ blue: 13, green: 13 })
    expect(found.totalHits).toBe(26)
    const pin = [{ id: '3', position: 1 }]
    const ids = await idsOf({ q: '' }, { scale, pin })
    expect(ids.slice(0, 3)).toEqual([1, 3, 2])
    expect(ids).toHaveLength(27)
  })

  it('decide only among equal hits when a sort comes first', async () => {
    const scale = [{ ids: ['7', '8'], weight: 10 }]
    const ids = await idsOf({ q: '', sort: ['price:desc'] }, { scale })
    expect(ids.slice(0, 8)).toEqual([4, 9, 14, 19, 24, 29, 34, 39])
    expect(ids[8]).toBe(8)
    expect(ids[16]).toBe(7)
  })

  it('show the rules and the product of their weights in the details of a hit', async () => {
    await enqueue(engine, '.meili_dsr', {
      kind: 'dsrUpdate',
      uid: 'stored',
      rule: { precedence: 1, actions: { scale: [{ ids: ['0', '1'], weight: 0.5 }] } },
    })
    await engine.idle()
    const scale = [{ ids: ['0'], weight: 3 }]
    const { hits } = await find({ q: 'salt', showRankingScoreDetails: true }, { scale })
    const details = new Map(hits.map((hit) => [hit.id, hit._rankingScoreDetails]))
    expect(details.get(0)!['scale']).toEqual({ order: 6, rules: ['stored', 'r'], weight: 1.5 })
    const scaled = hits.filter((hit) => 'scale' in hit._rankingScoreDetails)
    expect(scaled.map(({ id }) => id).sort()).toEqual([0, 1])
    const { hits: all } = await find({ q: '', showRankingScoreDetails: true })
    expect(all.filter(({ id }) => id < 2).map((hit) => hit._rankingScoreDetails)).toEqual([
      { scale: { order: 0, rules: ['stored'], weight: 0.5 } },
      { scale: { order: 0, rules: ['stored'], weight: 0.5 } },
    ])
    await enqueue(engine, '.meili_dsr', { kind: 'dsrClear' })
    await engine.idle()
  })

  it('choose the best document of each distinct value', async () => {
    await fc.assert(
      fc.asyncProperty(anyQuery, fc.array(anyScale, { maxLength: 4 }), async (q, scale) => {
        const seen = new Set<string>()
        const expected = (await idsOf({ q }, { scale })).filter((id) => {
          const { color } = DOCUMENTS[id]!
          return !seen.has(color) && seen.add(color)
        })
        expect(await idsOf({ q, distinct: 'color' }, { scale })).toEqual(expected)
        const paged = await searchFor(engine, 'shop', {
          q,
          distinct: 'color',
          hitsPerPage: 2,
          inlineRule: ruleOf({ scale }),
        })
        expect(paged.totalHits).toBe(expected.length)
        expect(paged.hits.map(({ id }: Hit) => id)).toEqual(expected.slice(0, 2))
      }),
      { numRuns: 60 },
    )
  })

  it('order hits found by vectors, and by words and vectors', async () => {
    for (const semanticRatio of [1, 0.5]) {
      const request = { q: 'salt', vector: new Float64Array([1, 0]) }
      const hybrid = { embedder: 'own', semanticRatio }
      const plain = await find({ ...request, hybrid })
      const scale = [{ filter: 'color = blue', weight: 0.2 }]
      const scaled = await find({ ...request, hybrid }, { scale })
      const isBlue = ({ id }: Hit): boolean => DOCUMENTS[id]!.color === 'blue'
      expect(plain.hits.slice(0, 10).some(isBlue)).toBe(true)
      expect(scaled.hits).toHaveLength(plain.hits.length)
      expect(scaled.hits.slice(0, 10).some(isBlue)).toBe(false)
      const others = (hits: readonly Hit[]) => hits.filter((hit) => !isBlue(hit))
      expect(others(scaled.hits)).toEqual(others(plain.hits))
      const scores = new Map(plain.hits.map((hit) => [hit.id, hit._rankingScore]))
      for (const hit of scaled.hits.filter(isBlue)) {
        expect(hit._rankingScore).toBeCloseTo(scores.get(hit.id)! * 0.2, 12)
      }
    }
  })

  it('do nothing without the feature', async () => {
    await engine.administration.setFeatures({ dynamicSearchRules: false })
    const scale = [{ weight: 0 }]
    expect(await idsOf({ q: '' }, { scale })).toHaveLength(COUNT)
    await engine.administration.setFeatures({ dynamicSearchRules: true })
    expect(await idsOf({ q: '' }, { scale })).toEqual([])
  })
})

describe('a rule of a search', () => {
  const first = async (inlineRule: InlineRule, request: object = {}): Promise<number> =>
    (await searchFor(engine, 'shop', { q: 'salt', ...request, inlineRule })).hits[0].id

  it('takes the place of a stored rule with its uid, in the order of precedence', async () => {
    const pinTo = (id: number) => ({ pin: [{ id: String(id), position: 0 }] })
    await enqueue(engine, '.meili_dsr', {
      kind: 'dsrUpdate',
      uid: 'stored',
      rule: { precedence: 5, actions: pinTo(7) },
    })
    await engine.idle()
    expect(await first(ruleOf(pinTo(9)))).toBe(7)
    expect(await first({ ...ruleOf(pinTo(9)), precedence: 4 })).toBe(9)
    expect(await first(ruleOf(pinTo(9), 'stored'))).toBe(9)
    expect(await first({ ...ruleOf(pinTo(9), 'stored'), active: false })).toBe(0)
    const conditions = { query: { words: 'iron' } }
    expect(await first({ ...ruleOf(pinTo(9), 'stored'), conditions })).toBe(0)
    await enqueue(engine, '.meili_dsr', { kind: 'dsrClear' })
    await engine.idle()
  })
})
