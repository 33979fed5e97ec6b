// Candidates keep the best estimates, in any order of arrival.
import { describe, expect, it } from 'vitest'
import { Candidates } from './index.ts'

/** The rows that a plain sort keeps: of equal estimates, those that came first. */
const sortedRows = (estimates: readonly number[], most: number): number[] =>
  estimates
    .map((estimate, row) => ({ estimate, row }))
    .sort((a, b) => b.estimate - a.estimate || a.row - b.row)
    .slice(0, most)
    .map(({ row }) => row)
    .sort((a, b) => a - b)

function keptRows(estimates: readonly number[], most: number): number[] {
  const candidates = new Candidates(most)
  estimates.forEach((estimate, row) => {
    if (estimate > candidates.least) candidates.add(estimate, 0, row)
  })
  return [...(candidates.take().get(0) ?? [])]
}

describe('candidates', () => {
  const many = Array.from({ length: 5000 }, (_, i) => Math.fround(((i * 7919) % 5003) / 5003))
  it.each([
    ['drawn', many],
    ['ascending', many.toSorted((a, b) => a - b)],
    ['descending', many.toSorted((a, b) => b - a)],
    ['of few values', many.map((value) => Math.round(value * 4))],
    ['all equal', many.map(() => 1)],
    ['fewer than wanted', many.slice(0, 5)],
  ])('are the best of those that came: %s', (_, estimates) => {
    for (const most of [1, 7, 200]) {
      expect(keptRows(estimates, most)).toEqual(sortedRows(estimates, most))
    }
  })

  it('keep the segment of each row', () => {
    const candidates = new Candidates(3)
    for (let i = 0; i < 40; i++) {
      if (i > candidates.least) candidates.add(i, i % 2, 100 - i)
    }
    expect([...candidates.take()].map(([segment, rows]) => [segment, ...rows])).toEqual([
      [1, 61, 63],
      [0, 62],
    ])
  })
})
