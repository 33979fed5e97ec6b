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

/** Above this number of candidates, short fields are looked up first. */
const LENGTHS_READ_MAX = 4096

it.each([LENGTHS_READ_MAX, LENGTHS_READ_MAX + 900])('fields of %d candidates', async (count) => {
  const engine = await openTestEngine(new FakeDisk().mount())
  const patch = {
    rankingRules: ['exactness'],
    pagination: { maxTotalHits: count },
    searchCutoffMs: 60_000,
  }
  const settings = { kind: 'settingsUpdate', patch, isDeletion: false, allowIndexCreation: true }
  await enqueue(engine, 'a', settings as never)
  const documents = Array.from({ length: count }, (_, id) => ({
    id,
    title: ['red fox runs', 'red', 'red fox', 'red'][id % 500] ?? 'red fox runs',
    text: ['red', 'the red fox', 'the red fox', 'red dog'][id % 500] ?? 'the red fox',
  }))
  await addDocuments(engine, 'a', documents)
  await engine.idle()
  /** Returns the number of documents by the kind of match, by `id % 500`; 4 and more as 4. */
  const found = async (q: string, attributes: readonly string[] | null) => {
    const request = {
      q,
      filter: null,
      limit: count,
      attributesToSearchOn: attributes,
      showRankingScoreDetails: true,
    }
    const { hits } = await searchFor(engine, 'a', request)
    const counts: { [kind: string]: number } = {}
    for (const { id, _rankingScoreDetails: details } of hits) {
      const kind = `${Math.min(id % 500, 4)} ${details.exactness.matchType}`
      counts[kind] = (counts[kind] ?? 0) + 1
    }
    return counts
  }
  const shares = [0, 1, 2, 3].map((rest) => documents.filter(({ id }) => id % 500 === rest).length)
  const others = count - shares.reduce((sum, share) => sum + share, 0)
  const kinds = (...matches: readonly string[]) =>
    Object.fromEntries(matches.map((match, at) => [`${at} ${match}`, shares[at] ?? others]))
  const [equal, begun, no] = ['exactMatch', 'matchesStart', 'noExactMatch'] as const
  expect(await found('"red"', null)).toEqual(kinds(equal, equal, begun, equal, begun))
  // A word may stand in its place in another field.
  expect(await found('"red"', ['text'])).toEqual(kinds(equal, begun, begun, begun, begun))
  expect(await found('"red fox"', null)).toEqual({
    [`0 ${begun}`]: shares[0],
    [`1 ${no}`]: shares[1],
    [`2 ${equal}`]: shares[2],
    [`4 ${begun}`]: others,
  })
  await engine.close()
})
