// Every document that counts as found is a hit: with any rules, where words may stand in some fields
// only, and where fields allow no typos.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { SearchRequest } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  enqueue,
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
  title: [id * 3, id * 7 + 1].map(pick).join(' '),
  note: [id + 2, id * 5, (id >> 1) * 3, id >> 2].map(pick).join(' '),
  tags: [pick(id >> 1), pick(id * 11 + 4)],
}))

const word = fc.constantFrom(...WORDS, 'lantarn', 'stome', 'li', 'sun light')
const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((list) => list.join(' '))
const leaf = fc.tuple(fc.constantFrom('', ...FIELDS.map((field) => `${field}:`)), word)
const leaves = fc.array(leaf, { minLength: 1, maxLength: 4 })
const boolean = fc
  .tuple(leaves, fc.constantFrom(' OR ', ' AND ', ' '))
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

const CLASSIC = ['words', 'typo', 'proximity', 'attributeRank', 'wordPosition', 'exactness']
const exactFields = { typoTolerance: { disableOnAttributes: ['note'] } }

describe.each([
  ['all rules', { rankingRules: CLASSIC }],
  ['rules of places first', { rankingRules: ['wordPosition', 'attributeRank', 'exactness'] }],
  [
    'a field without typos',
    { rankingRules: ['words', 'wordPosition', ...CLASSIC.slice(1, 4)], ...exactFields },
  ],
  [
    'positions before exactness',
    { rankingRules: ['words', 'wordPosition', 'exactness'], ...exactFields },
  ],
])('with %s', (_, settings) => {
  let engine: TestEngine
  beforeAll(async () => {
    engine = await openTestEngine(new FakeDisk().mount())
    const patch = { ...settings, searchableAttributes: FIELDS }
    const content = { patch, isDeletion: false, allowIndexCreation: true }
    await enqueue(engine, 'films', { kind: 'settingsUpdate', ...content })
    await addDocuments(engine, 'films', documents, { primaryKey: 'id' })
    await engine.idle()
  })

  it('as many hits are listed as are counted', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const { estimatedTotalHits, hits } = await searchFor(engine, 'films', {
          ...request,
          limit: COUNT,
        })
        expect(hits).toHaveLength(estimatedTotalHits)
      }),
      { numRuns: 150 },
    )
  })
})
