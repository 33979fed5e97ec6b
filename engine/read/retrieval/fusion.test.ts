// Reciprocal rank fusion equals its definition, on lists and in searches; pages do not overlap.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  openTestEngine,
  searchFor,
  type TestEngine,
} from '../../testing/index.ts'
import type { RankedHit } from '../rank/index.ts'
import { fused, RANKS_MAX } from './fusion.ts'

const byWords = (id: number): RankedHit => ({ id, scores: [{ kind: 'words', rank: 1, max: 1 }] })
const byVector = (id: number): RankedHit => ({
  id,
  scores: [{ kind: 'vectorSort', similarity: 0.5 }],
})

/** The definition: first by score, then by the rank of the vector. */
function expected(words: readonly number[], near: readonly number[], ratio: number): number[] {
  const rankIn = (list: readonly number[], id: number): number =>
    list.includes(id) ? list.indexOf(id) + 1 : Number.POSITIVE_INFINITY
  const scored = [...new Set([...words, ...near])].map((id) => {
    const ranks = [rankIn(words, id), rankIn(near, id)] as const
    const each = [(1 - ratio) / (60 + ranks[0]), ratio / (60 + ranks[1])] as const
    const sum = each.reduce((all, one, at) => all + (ranks[at]! <= RANKS_MAX ? one : 0), 0)
    return { id, score: Math.max(sum, ...each), vector: ranks[1] }
  })
  const isEqual = (a: number, b: number): boolean => Math.abs(a - b) < 1e-15
  scored.sort((a, b) => (isEqual(a.score, b.score) ? a.vector - b.vector || 0 : b.score - a.score))
  return scored.map(({ id }) => id)
}

test('the order is that of the definition, and its beginning needs only the beginnings', () => {
  const lists = fc
    .tuple(
      fc.uniqueArray(fc.nat(400), { maxLength: 250 }),
      fc.uniqueArray(fc.nat(400), { maxLength: 250 }),
    )
    .chain(([words, near]) =>
      fc.record({
        words: fc.constant(words),
        near: fc.constant(near),
        ratio: fc.constantFrom(0.1, 0.5, 0.8),
        depth: fc.integer({ min: RANKS_MAX, max: 250 }),
      }),
    )
  fc.assert(
    fc.property(lists, ({ words, near, ratio, depth }) => {
      const order = expected(words, near, ratio)
      const idsOf = (hits: readonly RankedHit[]): number[] => hits.map(({ id }) => id)
      expect(idsOf(fused(words.map(byWords), near.map(byVector), ratio))).toEqual(order)
      const cut = fused(
        words.slice(0, depth).map(byWords),
        near.slice(0, depth).map(byVector),
        ratio,
      )
      expect(idsOf(cut).slice(0, depth)).toEqual(order.slice(0, depth))
    }),
    { numRuns: 60, endOnFailure: true },
  )
})

test.each([
  [RANKS_MAX, true],
  [RANKS_MAX + 1, false],
])('a rank of %i adds up: %s', (rank, addsUp) => {
  const others = Array.from({ length: rank - 1 }, (_, i) => i + 1)
  const score = (words: readonly number[], near: readonly number[]): number => {
    const hit = fused(words.map(byWords), near.map(byVector), 0.5).find(({ id }) => id === 0)!
    return hit.scores.flatMap((one) => (one.kind === 'fusion' ? [one.score] : []))[0]!
  }
  const expected = 0.5 + (addsUp ? (0.5 * 61) / (60 + rank) : 0)
  expect(score([0], [...others, 0])).toBeCloseTo(expected, 12)
  expect(score([...others, 0], [0])).toBeCloseTo(expected, 12)
})

test('sorts that come before relevance decide first', () => {
  const sorted = (id: number, value: number, rest: RankedHit): RankedHit => ({
    id,
    scores: [{ kind: 'sort', field: 'price', ascending: true, value }, ...rest.scores],
  })
  const words = [sorted(1, 5, byWords(1)), sorted(2, 9, byWords(2))]
  const near = [sorted(3, 5, byVector(3)), sorted(1, 5, byVector(1)), sorted(2, 9, byVector(2))]
  const hits = fused(words, near, 0.5)
  expect(hits.map(({ id }) => id)).toEqual([1, 3, 2])
  expect(hits[0]!.scores.map(({ kind }) => kind)).toEqual(['sort', 'fusion', 'words', 'vectorSort'])
})

let engine: TestEngine
beforeAll(async () => {
  engine = await openTestEngine(new FakeDisk().mount())
  await changeSettings(engine, 'i', {
    distinctAttribute: 'shape',
    embedders: { e: { source: 'userProvided', dimensions: 2 } },
  })
  await addDocuments(engine, 'i', [
    { id: 1, title: 'lamp', _vectors: { e: [0, 1] } },
    { id: 2, title: 'red lamp', _vectors: { e: [1, 0] } },
    { id: 3, title: 'sofa', shape: 'flat', _vectors: { e: [0.95, 0.05] } },
    { id: 4, title: 'a lamp of glass', shape: 'flat', _vectors: { e: [0.9, 0.1] } },
    { id: 5, title: 'desk', _vectors: { e: [0.5, 0.5] } },
  ])
  await engine.idle()
})
afterAll(() => engine.close())

type Hit = {
  readonly id: number
  readonly _rankingScore: number
  readonly _rankingScoreDetails: { readonly fusion: object }
}

const found = async (more: object): Promise<readonly Hit[]> => {
  const vector = Float64Array.of(1, 0)
  const hybrid = { embedder: 'e', semanticRatio: 0.5, fusion: 'rrf' } as const
  const request = { q: 'lamp', vector, hybrid, ...more }
  return (await searchFor(engine, 'i', request)).hits
}

test('hits of a search show their ranks; of a distinct value one hit is left', async () => {
  // By words: 1, 2, 4. By vector: 2, 3, 5, 1, because 4 shares the shape of 3.
  const shown = { showRankingScore: true, showRankingScoreDetails: true }
  const hits = await found(shown)
  const sums = [1 / 62 + 1 / 61, 1 / 61 + 1 / 64, 1 / 62, 1 / 63].map((sum) => (sum * 61) / 2)
  expect(hits.map(({ id }) => id)).toEqual([2, 1, 3, 5])
  hits.forEach(({ _rankingScore: score }, i) => {
    expect(score).toBeCloseTo(sums[i]!, 12)
  })
  expect(hits[0]!._rankingScoreDetails.fusion).toMatchObject({ wordsRank: 2, vectorRank: 1 })
  expect(hits[2]!._rankingScoreDetails.fusion).toMatchObject({ wordsRank: null, vectorRank: 2 })
})

test('pages follow one another, and words alone decide without a vector', async () => {
  const pages = await Promise.all([0, 1, 2, 3].map((offset) => found({ offset, limit: 1 })))
  expect(pages.flat().map(({ id }) => id)).toEqual([2, 1, 3, 5])
  const alone = await found({ vector: null })
  expect(alone.map(({ id }) => id)).toEqual([1, 2, 4])
})

test('hits by vector alone are of different values, and reach the threshold', async () => {
  const hybrid = { embedder: 'e', semanticRatio: 1 }
  const idsOf = async (more: object): Promise<number[]> =>
    (await found({ hybrid, limit: 3, ...more })).map(({ id }) => id)
  expect(await idsOf({})).toEqual([2, 3, 5])
  expect(await idsOf({ rankingScoreThreshold: 0.95 })).toEqual([2, 3])
  await changeSettings(engine, 'i', { distinctAttribute: null })
  await engine.idle()
  expect(await idsOf({})).toEqual([2, 3, 4])
  expect(await idsOf({ rankingScoreThreshold: 0.99, limit: 4 })).toEqual([2, 3, 4])
  expect(await idsOf({ rankingScoreThreshold: 0.998, limit: 3 })).toEqual([2, 3])
})
