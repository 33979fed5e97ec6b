// Every document that counts as found is a hit: with any rules, where words may stand in some fields
// only, and where fields allow no typos.
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

const WORDS = 'harbour harbor lantern lanterns light lights stone storm sun sunlight'.split(' ')
const FIELDS = ['title', 'note', 'tags']
const COUNT = 60

const pick = (seed: number): string => WORDS[seed % WORDS.length]!
const documents = Array.from({ length: COUNT }, (_, id) => ({
  id,
  price: (id * 7) % 11,
  group: `g${id % 9}`,
  title: [id * 3, id * 7 + 1].map(pick).join(' '),
  note: [id + 2, id * 5, (id >> 1) * 3, id >> 2].map(pick).join(' '),
  tags: [pick(id >> 1), pick(id * 11 + 4)],
  _vectors: { own: id % 8 === 0 ? null : [Math.cos(id * 1.3), Math.sin(id * 2.1)] },
}))

const PAIRED = ['lanterns', 'light', 'harbour', 'stone', 'sun']
const word = fc.constantFrom(...WORDS, 'lantarn', 'stome', 'li', 'sun light')
const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((list) => list.join(' '))
const leaf = fc.tuple(fc.constantFrom('', ...FIELDS.map((field) => `${field}:`)), word)
const leaves = fc.array(leaf, { minLength: 1, maxLength: 4 })
const boolean = fc
  .tuple(leaves, fc.constantFrom(' OR ', ' AND ', ' ', ' OR NOT '))
  .map(([list, by]) => list.map(([field, text]) => field + text.replace(' ', '')).join(by))

const strategies = ['last', 'all', 'frequency', 'any'] as const
const requests: fc.Arbitrary<Partial<SearchRequest>> = fc.oneof(
  fc.record({ q: boolean, querySyntax: fc.constant('boolean' as const) }),
  fc.record({
    q: words,
    matchingStrategy: fc.constantFrom(...strategies),
    attributesToSearchOn: fc.constantFrom(null, ['title'], ['note', 'tags']),
  }),
)

// Words alone never decide at these ratios, at which no weighted score of them reaches 0.45.
const hybrids = fc.constantFrom(
  null,
  { embedder: 'own', semanticRatio: 0.6 },
  { embedder: 'own', semanticRatio: 0.9, fusion: 'rrf' as const },
)

const more: fc.Arbitrary<Partial<SearchRequest>> = fc.record({
  distinct: fc.constantFrom(null, 'group'),
  sort: fc.constantFrom(null, ['price:desc', 'id:asc']),
  filter: fc.constantFrom(null, 'price > 3'),
  rankingScoreThreshold: fc.constantFrom(null, 0.5),
  hybrid: hybrids,
  // The factor of a price of 0 is 0.
  boosts: fc.constantFrom(null, [{ field: 'price', function: 'linear' as const }]),
})

const CLASSIC = ['words', 'typo', 'proximity', 'attributeRank', 'sort', 'wordPosition', 'exactness']
const exactFields = { typoTolerance: { disableOnAttributes: ['note'] } }

describe.each([
  ['all rules', { rankingRules: CLASSIC }],
  ['scores by words', { rankingRules: ['bm25', 'sort'] }],
  [
    'rules of places first',
    { rankingRules: ['wordPosition', 'attributeRank', 'sort', 'exactness'] },
  ],
  [
    'a field without typos',
    { rankingRules: ['words', 'wordPosition', ...CLASSIC.slice(1, 5)], ...exactFields },
  ],
  [
    'words inside of words',
    {
      rankingRules: ['wordPosition', 'attributeRank', 'sort', 'exactness'],
      infixSearch: { attributes: ['title'], minLength: 3 },
    },
  ],
  ['exactness before sorts', { rankingRules: ['exactness', 'words', 'sort', 'proximity', 'typo'] }],
  [
    'stems without typos',
    {
      rankingRules: ['wordPosition', 'attributeRank', 'sort', 'exactness'],
      typoTolerance: { enabled: false },
    },
  ],
  [
    'positions before exactness',
    { rankingRules: ['words', 'wordPosition', 'exactness', 'sort'], ...exactFields },
  ],
])('with %s', (_, settings) => {
  let engine: TestEngine
  beforeAll(async () => {
    engine = await openTestEngine(new FakeDisk().mount())
    const patch = {
      ...settings,
      searchableAttributes: FIELDS,
      filterableAttributes: ['price', 'group'],
      sortableAttributes: ['id', 'price'],
      embedders: { own: { source: 'userProvided', dimensions: 2 } },
      // Time never cuts a ranking short.
      searchCutoffMs: 60_000,
      localizedAttributes: [{ attributePatterns: ['note'], locales: ['eng'], stemming: true }],
    }
    await changeSettings(engine, 'films', patch)
    await addDocuments(engine, 'films', documents, { primaryKey: 'id' })
    await engine.idle()
  })

  const search = async (request: Partial<SearchRequest>) => {
    const { hits, ...totals } = await searchFor(engine, 'films', request)
    return { ...totals, ids: hits.map(({ id }: { id: number }) => id) as readonly number[] }
  }

  const walked = async (request: Partial<SearchRequest>): Promise<readonly number[]> => {
    const found: number[] = []
    for (let searchAfter: string | null = ''; searchAfter !== null; ) {
      const page = await search({ ...request, searchAfter })
      found.push(...page.ids)
      searchAfter = page.cursor
    }
    return found
  }

  it('as many hits are listed as are counted, for each pair of some words', async () => {
    for (const first of PAIRED) {
      for (const second of PAIRED) {
        const q = `${first} ${second}`
        const { estimatedTotalHits, ids } = await search({ q, matchingStrategy: 'any' })
        expect({ q, hits: ids.length }).toEqual({ q, hits: estimatedTotalHits })
      }
    }
  })

  it('as many hits are listed as are counted, and pages are parts of the list', async () => {
    await fc.assert(
      fc.asyncProperty(
        requests,
        more,
        fc.integer({ min: 1, max: 9 }),
        async (words, rest, size) => {
          const vector = rest.hybrid === null ? null : Float64Array.of(0.4, -1)
          const request = { ...words, ...rest, vector }
          const { estimatedTotalHits, ids } = await search({ ...request, limit: COUNT })
          expect(ids).toHaveLength(estimatedTotalHits)
          expect(new Set(ids).size).toBe(ids.length)
          const page = await search({ ...request, page: 2, hitsPerPage: size })
          expect(page.ids).toEqual(ids.slice(size, 2 * size))
          // Pages of hits by vector count documents with equal values, too.
          if (vector === null || rest.distinct === null) expect(page.totalHits).toBe(ids.length)
          else expect(page.totalHits).toBeGreaterThanOrEqual(ids.length)
          const part = await search({ ...request, offset: size, limit: size, countTotal: true })
          expect([part.estimatedTotalHits, part.ids]).toEqual([ids.length, page.ids])
          expect(await walked({ ...request, limit: 4 * size })).toEqual(ids)
        },
      ),
      { numRuns: 25 },
    )
  })
})
