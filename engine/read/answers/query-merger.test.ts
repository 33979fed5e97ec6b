// Hits of several queries over one index: merging step by step gives the same result as merging at
// the end.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DistinctValues } from '../facets/index.ts'
import { compareKeys, mergeKey } from '../retrieval/merge-order.ts'
import { type QueryHits, RankedHits } from './local-answer.ts'
import type { HitList } from './partial-answer.ts'
import { QueryMerger } from './query-merger.ts'

const RANKS = 50
/** A document from this id on has the value of the document this many ids below. */
const VALUES = 500
const values = {
  of: (document: number) => [String(document % VALUES)],
} as unknown as DistinctValues

/** `hits`: rank and document, in order. */
function listOf(
  position: number,
  hits: readonly (readonly [rank: number, document: number])[],
  distinct: DistinctValues | null,
): RankedHits {
  const keyOf: QueryHits['keyOf'] = ({ scores }) => mergeKey(scores, 1, position)
  const of = { keyOf, query: { weight: 1, position }, values: distinct } as unknown as QueryHits
  return new RankedHits(
    of,
    hits.map(([rank, id]) => ({ id, scores: [{ kind: 'words', rank, max: RANKS }] })),
  )
}

const queries = fc.array(
  fc.array(fc.tuple(fc.integer({ min: 1, max: RANKS }), fc.nat(2000)), { maxLength: 3000 }).map(
    // Each document once, best first, ties by id, as a retriever returns them.
    (hits) =>
      [...new Map(hits.map(([rank, id]) => [id, rank]))]
        .map(([id, rank]) => [rank, id] as const)
        .sort(([a, x], [b, y]) => b - a || x - y),
  ),
  { minLength: 2, maxLength: 12 },
)

const shown = (hits: HitList): readonly unknown[] =>
  Array.from({ length: hits.length }, (_, at) => [hits.documentAt(at), hits.keyAt(at).position])

test('the best hits are the same, however many are dropped early', () => {
  fc.assert(
    fc.property(queries, fc.integer({ min: 0, max: 30 }), fc.boolean(), (all, most, distinct) => {
      const lists = all.map((hits, i) => listOf(i, hits, distinct ? values : null))
      const merger = new QueryMerger(distinct ? values : null, most)
      for (const list of lists) merger.add(list)
      const { hits, rejected } = merger.merged()
      // All hits together, sorted by key (stable).
      const places = lists.flatMap((list) =>
        Array.from({ length: list.length }, (_, at) => ({
          key: list.keyAt(at),
          document: list.documentAt(at),
        })),
      )
      places.sort((a, b) => compareKeys(a.key, b.key))
      const seen = new Set<number>()
      const taken = new Set<number>()
      const expected: unknown[] = []
      const others: number[] = []
      for (const { document, key } of places) {
        if (seen.has(document)) continue
        seen.add(document)
        const value = document % VALUES
        if (distinct && taken.has(value)) others.push(document)
        else if (expected.length < most) expected.push([document, key.position])
        if (distinct) taken.add(value)
      }
      expect(shown(hits)).toEqual(expected)
      expect(rejected).toEqual(others)
    }),
    { numRuns: 30 },
  )
})

test('few hits of many queries are held', () => {
  const merger = new QueryMerger(null, 10)
  for (let i = 0; i < 500; i++) {
    const hits = Array.from({ length: 1000 }, (_, at) => [RANKS, 1000 * i + at] as const)
    merger.add(listOf(i, hits, null))
  }
  expect(merger.held).toBeLessThan(10_000)
  expect(shown(merger.merged().hits)).toEqual(Array.from({ length: 10 }, (_, at) => [at, 0]))
})
