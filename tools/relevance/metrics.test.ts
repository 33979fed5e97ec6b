// The metrics against values that were calculated by hand, and against a second implementation from
// their definitions.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Gain, metricsOf } from './metrics.ts'

const AT = { k: 10, depth: 100 }
const LINEAR: Gain = 'linear'

describe('by hand', () => {
  test('the example of Järvelin and Kekäläinen, with log2(r + 1)', () => {
    // Gains 3 2 3 0 0 1 2 2 3 0; the ideal order is 3 3 3 2 2 2 1.
    const grades = new Map(Object.entries({ a: 3, b: 2, c: 3, d: 0, f: 1, g: 2, h: 2, i: 3 }))
    const { ndcg, recall, mrr } = metricsOf([...'abcdefghij'], grades, AT, LINEAR)
    // 3 + 2/1.58496 + 3/2 + 1/2.80735 + 2/3 + 2/3.16993 + 3/3.32193
    const dcg = 3 + 1.26186 + 1.5 + 0.356207 + 0.666667 + 0.63093 + 0.90309
    // 3 + 3/1.58496 + 3/2 + 2/2.32193 + 2/2.58496 + 2/2.80735 + 1/3
    const ideal = 3 + 1.892789 + 1.5 + 0.861353 + 0.773706 + 0.712414 + 0.333333
    expect(ndcg).toBeCloseTo(dcg / ideal, 5)
    expect(recall).toBe(1)
    expect(mrr).toBe(1)
  })

  test('one relevant document at the third place', () => {
    const found = metricsOf(['x', 'y', 'a'], new Map([['a', 1]]), AT, LINEAR)
    // 1 / log2(4)
    expect(found).toEqual({ ndcg: 0.5, recall: 1, mrr: 1 / 3 })
  })

  test('grades count as 2^grade − 1 if that is chosen', () => {
    const grades = new Map([
      ['a', 3],
      ['b', 1],
    ])
    // (1 + 7 / 1.58496) / (7 + 1 / 1.58496)
    expect(metricsOf(['b', 'a'], grades, AT, 'exponential').ndcg).toBeCloseTo(5.41651 / 7.63093, 5)
    // (1 + 3 / 1.58496) / (3 + 1 / 1.58496)
    expect(metricsOf(['b', 'a'], grades, AT, LINEAR).ndcg).toBeCloseTo(2.892789 / 3.63093, 5)
  })

  test('no hits score nothing, and hits behind the cutoffs do not count', () => {
    const grades = new Map([
      ['a', 2],
      ['b', 1],
    ])
    expect(metricsOf([], grades, AT, LINEAR)).toEqual({ ndcg: 0, recall: 0, mrr: 0 })
    const late = metricsOf(['x', 'a', 'b'], grades, { k: 1, depth: 2 }, LINEAR)
    expect(late).toEqual({ ndcg: 0, recall: 0.5, mrr: 0 })
    // With k 1 the ideal ranking has one place, too.
    expect(metricsOf(['b', 'a'], grades, { k: 1, depth: 2 }, LINEAR).ndcg).toBe(0.5)
  })
})

/** Rank by rank with natural logarithms; the ideal is the best of all orders, by swapping. */
function naive(hits: readonly string[], grades: ReadonlyMap<string, number>, k: number) {
  const dcg = (order: readonly number[]): number => {
    let sum = 0
    for (let rank = 1; rank <= Math.min(k, order.length); rank++) {
      sum += (order[rank - 1]! * Math.LN2) / Math.log(rank + 1)
    }
    return sum
  }
  let best = 0
  const permute = (order: readonly number[], left: readonly number[]): void => {
    best = Math.max(best, dcg(order))
    for (const [i, grade] of left.entries()) permute([...order, grade], left.toSpliced(i, 1))
  }
  permute([], [...grades.values()])
  return dcg(hits.map((id) => grades.get(id) ?? 0)) / best
}

test('equals an ideal that is searched among all orders', () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  const cases = fc.record({
    hits: fc.shuffledSubarray(ids),
    grades: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 5 }),
    k: fc.integer({ min: 1, max: 9 }),
    depth: fc.integer({ min: 1, max: 9 }),
  })
  fc.assert(
    fc.property(cases, ({ hits, grades, k, depth }) => {
      fc.pre(grades.some((grade) => grade > 0))
      const judged = new Map(grades.map((grade, i) => [ids[i]!, grade]))
      const { ndcg, recall, mrr } = metricsOf(hits, judged, { k, depth }, LINEAR)
      expect(ndcg).toBeCloseTo(naive(hits, judged, k), 12)
      const relevant = ids.filter((id) => (judged.get(id) ?? 0) > 0)
      const found = relevant.filter((id) => hits.includes(id) && hits.indexOf(id) < depth)
      expect(recall).toBe(found.length / relevant.length)
      const ranks = relevant.map((id) => hits.indexOf(id) + 1).filter((r) => r > 0 && r <= k)
      expect(mrr).toBe(ranks.length === 0 ? 0 : 1 / Math.min(...ranks))
    }),
  )
})
