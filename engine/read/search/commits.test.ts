// Many small commits with searches between them, on an index whose large segments stay: every
// answer equals that of a new index with the same documents, including order, scores, facets and
// totals. Guards the caches by segment: results of an earlier view must not show.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SearchRequest } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  documentsOf,
  enqueue,
  openTestEngine,
  searchFor,
  type TestEngine,
} from '../../testing/test-engine.ts'

/** Words that are prefixes, misspellings and parts of each other. */
const WORDS = (
  'sun sunny sunset sunflower flower flowers flour set sets sea harbour harbor harbours harpoon ' +
  'light lights lighthouse house mouse international internatonal nation national the a of été ' +
  '東京 42'
).split(' ')
/** Words that only commits add, and that later ones remove again. */
const LATER_WORDS = WORDS.concat('newest', 'newer', 'word', 'sunnier', 'houses', 'seta', '4242')
const SETTINGS = {
  // A busy machine must not cut a ranking short.
  searchCutoffMs: 60_000,
  searchableAttributes: ['title', 'text'],
  filterableAttributes: ['kind', 'price', 'owner', '_geo'],
  sortableAttributes: ['price', 'title', '_geo'],
  synonyms: { sea: ['ocean sun'], house: ['light house'] },
}
const QUERIES: readonly Partial<SearchRequest>[] = (
  'sun|s|su|sunflwer|sunflower|lighthouse|light house|harbuor|harbou|internationl|the sea|' +
  'internatinal nation|flower set|sunset light|mouse hou|new|newe|newest word|wrod|"sun set"|' +
  '"the light" house|sun -set|東京|-"the light" sun|42|sea lights of the house|été|' +
  'flowers -harbour|'
)
  .split('|')
  .map((q) => ({ q, showRankingScoreDetails: true }))
const OTHER_QUERIES: readonly Partial<SearchRequest>[] = [
  { q: 'light set', matchingStrategy: 'all' },
  { q: 'light sun newest', matchingStrategy: 'frequency' },
  { q: 'harbor', attributesToSearchOn: ['text'] },
  { q: 'sun', filter: 'price > 20 AND kind = red' },
  { q: null, filter: 'kind IN [red, blue] OR price 10 TO 30' },
  { q: null, filter: 'NOT kind EXISTS OR owner IS NULL OR owner IS EMPTY' },
  { q: 'fl', filter: 'kind STARTS WITH r', sort: ['price:desc'] },
  { q: 'set', facets: ['kind', 'price', 'owner'] },
  { q: null, facets: ['*'], sort: ['title:asc', 'price:asc'] },
  { q: 'light', distinct: 'owner' },
  { q: null, distinct: 'kind', hitsPerPage: 5 },
  { q: null, filter: '_geoRadius(10, 10, 900000)' },
  { q: 'sun', sort: ['_geoPoint(11, 9):asc'], limit: 30 },
  { q: 'sunset', showRankingScore: true, rankingScoreThreshold: 0.6 },
]

type Row = { readonly id: number; readonly [member: string]: unknown }

const anyText = (words: readonly string[], maxLength: number) =>
  fc
    .array(fc.constantFrom(...words, '.'), { minLength: 1, maxLength })
    .map((drawn) => drawn.join(' '))
const rowOf = (id: fc.Arbitrary<number>, words: readonly string[]): fc.Arbitrary<Row> =>
  fc.record({
    id,
    title: anyText(words, 3),
    text: anyText(words, 12),
    kind: fc.constantFrom<unknown>('red', 'Red', 'blue', 'green', ['red', 'round'], 7, undefined),
    price: fc.constantFrom<unknown>(1, 10, 15, 20, 30, '30', undefined),
    owner: fc.constantFrom<unknown>('ann', 'Bob', null, '', [], undefined),
    _geo: fc.option(fc.record({ lat: fc.integer({ min: 0, max: 20 }), lng: fc.nat(20) }), {
      nil: undefined,
    }),
  })

const BASE = 700
type Commit = { readonly rows: readonly Row[]; readonly deleted: readonly number[] }
const commit: fc.Arbitrary<Commit> = fc.record({
  // Known ids and new ones: updates, additions, and additions of ids that were deleted.
  rows: fc.uniqueArray(rowOf(fc.nat(BASE + 60), LATER_WORDS), {
    maxLength: 12,
    selector: ({ id }) => id,
  }),
  deleted: fc.array(fc.nat(BASE + 60), { maxLength: 4 }),
})
const history = fc.record({
  base: fc
    .array(rowOf(fc.constant(0), WORDS), { minLength: BASE, maxLength: BASE })
    .map((rows) => rows.map((row, id) => ({ ...row, id }))),
  commits: fc.array(commit, { minLength: 8, maxLength: 8 }),
})

async function engineWith(rows: readonly Row[]): Promise<TestEngine> {
  const engine = await openTestEngine(new FakeDisk().mount())
  await changeSettings(engine, 'shop', SETTINGS)
  await addDocuments(engine, 'shop', rows, { primaryKey: 'id' })
  await engine.idle()
  return engine
}

async function answersOf(engine: TestEngine): Promise<unknown[]> {
  const answers: unknown[] = []
  for (const query of [...QUERIES, ...OTHER_QUERIES]) {
    const answer = await searchFor(engine, 'shop', { limit: 40, ...query })
    // Facets as text, because the order of their members matters.
    const facets = JSON.stringify(answer.facetDistribution)
    answers.push({ query, ...answer, processingTimeMs: 0, facets })
  }
  return answers
}

async function change(engine: TestEngine, { rows, deleted }: Commit): Promise<void> {
  if (rows.length > 0) await addDocuments(engine, 'shop', rows)
  const ids = deleted.map(String)
  await enqueue(engine, 'shop', { kind: 'documentDeletion', by: 'ids', ids })
  await engine.idle()
}

describe('after many small commits', () => {
  it('answers equal those of a new index with the same documents', async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ base, commits }) => {
        const engine = await engineWith(base)
        for (const [at, each] of commits.entries()) {
          await change(engine, each)
          // Every view is searched, so that its cache entries are there for the next one.
          const answers = await answersOf(engine)
          if (at % 4 !== 3) continue
          // Ties are broken by the order in which documents are stored, so the old index sets the
          // order.
          const fresh = await engineWith((await documentsOf(engine, 'shop')) as Row[])
          expect(answers).toEqual(await answersOf(fresh))
          await fresh.close()
        }
        await engine.allMerged()
        const fresh = await engineWith((await documentsOf(engine, 'shop')) as Row[])
        expect(await answersOf(engine)).toEqual(await answersOf(fresh))
        await Promise.all([fresh.close(), engine.close()])
      }),
      { numRuns: 2, endOnFailure: true },
    )
  }, 240_000)
})
