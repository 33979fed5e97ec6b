// Scores as numbers, and their combination (docs/search-semantics.md#scores).
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { globalScore, localScore, mergeRanks, rankOf, type ScoreDetail } from './scores.ts'

const words = (rank: number, max: number): ScoreDetail => ({ kind: 'words', rank, max })
const typo = (typos: number, typosMax: number): ScoreDetail => ({ kind: 'typo', typos, typosMax })
const exactly = (match: 'exactMatch' | 'matchesStart' | 'noExactMatch'): ScoreDetail => ({
  kind: 'exactAttribute',
  match,
})
const exact = (matching: number, max: number): ScoreDetail => ({
  kind: 'exactWords',
  matching,
  max,
})
const bm25: ScoreDetail = { kind: 'bm25', score: 4, shares: () => [] }
const sort: ScoreDetail = { kind: 'sort', field: 'f', ascending: true, value: 3 }

describe('a score', () => {
  it.each([
    [[], 1],
    [[sort], 1],
    [[words(2, 3)], 2 / 3],
    [[words(2, 3), typo(1, 2)], 5 / 9],
    [[words(2, 3), sort, typo(1, 2)], 5 / 9],
    [[exactly('noExactMatch'), exact(2, 2)], 3 / 9],
    [[exactly('noExactMatch'), exact(1, 2)], 2 / 9],
    [[exactly('matchesStart')], 2 / 3],
    [[exactly('exactMatch'), exact(2, 2)], 1],
    [[{ kind: 'skipped' }], 0],
    [[words(3, 3), { kind: 'skipped' }], 2 / 3],
    [[words(0, 2), typo(0, 2), exact(2, 2)], 0],
    [[words(0, 2), bm25], 0],
  ] as const)('of %j is %f', (details, score) => {
    expect(globalScore(details)).toBe(score)
  })

  it('of one rule is its rank divided by the best rank', () => {
    expect(localScore(rankOf(typo(0, 2))!)).toBe(1)
    expect(localScore(rankOf({ kind: 'proximity', rank: 3, max: 4 })!)).toBe(0.75)
    expect(rankOf(sort)).toBe(null)
  })

  it('orders by the first rule, then by the second', () => {
    const anyRank = fc.integer({ min: 1, max: 30 })
    fc.assert(
      fc.property(anyRank, anyRank, anyRank, anyRank, (a, b, c, d) => {
        const one = globalScore([words(a, 30), words(b, 30)])
        const two = globalScore([words(c, 30), words(d, 30)])
        expect(Math.sign(one - two)).toBe(Math.sign(a - c || b - d))
      }),
    )
  })

  it('uses 32-bit arithmetic that wraps', () => {
    const large = { rank: 70_000, max: 70_000 }
    const wrapped = (70_000 * 70_000) % 2 ** 32
    expect(mergeRanks(large, large)).toEqual({ rank: wrapped, max: wrapped })
  })
})
