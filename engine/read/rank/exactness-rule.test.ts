// The longest field that can equal a query (docs/search-semantics.md#exactness).
import { expect, it } from 'vitest'
import { FakeDisk } from '../../store/storage/index.ts'
import { addDocuments, enqueue, openTestEngine, searchFor } from '../../testing/test-engine.ts'

const FIELD_WORDS_MAX = 30

it('a field of up to 30 words can equal a query, a longer one only begins with it', async () => {
  const engine = await openTestEngine(new FakeDisk().mount())
  // A slow machine must not cut the search off.
  const patch = { rankingRules: ['exactness'], searchCutoffMs: 60_000 }
  const settings = { kind: 'settingsUpdate', patch, isDeletion: false, allowIndexCreation: true }
  await enqueue(engine, 'a', settings as never)
  const textOf = (count: number): string =>
    Array.from({ length: count }, (_, at) => `word${at}`).join(' ')
  const lengths = [FIELD_WORDS_MAX - 1, FIELD_WORDS_MAX, FIELD_WORDS_MAX + 1]
  await addDocuments(
    engine,
    'a',
    lengths.map((id) => ({ id, title: textOf(id) })),
  )
  await engine.idle()
  const matches: string[] = []
  for (const length of lengths) {
    const request = { q: `"${textOf(length)}"`, filter: null, showRankingScoreDetails: true }
    const { hits } = await searchFor(engine, 'a', request)
    const own = hits.find(({ id }: { readonly id: number }) => id === length)
    matches.push(own._rankingScoreDetails.exactness.matchType)
  }
  expect(matches).toEqual(['exactMatch', 'exactMatch', 'matchesStart'])
  await engine.close()
})
