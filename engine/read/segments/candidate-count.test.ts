// More hits and more rows have more candidates.
import { expect, test } from 'vitest'
import { CANDIDATES_MIN, candidatesOf } from './candidate-count.ts'

test('few rows have as many candidates as the hits need, and at least the minimum', () => {
  for (const rows of [0, 1, 5000, 20_000]) {
    expect(candidatesOf(1, rows)).toBe(CANDIDATES_MIN)
    expect(candidatesOf(10, rows)).toBe(CANDIDATES_MIN)
    expect(candidatesOf(100, rows)).toBe(800)
  }
})

test('each doubling of the rows beyond 20,000 adds a quarter', () => {
  expect(candidatesOf(10, 40_000)).toBe(250)
  expect(candidatesOf(10, 80_000)).toBe(300)
  expect(candidatesOf(100, 160_000)).toBe(1400)
  expect(candidatesOf(10, 1_000_000)).toBe(483)
})

test('more rows or hits never have fewer candidates, far below the number of rows', () => {
  let before = 0
  for (let rows = 1000; rows < 1 << 26; rows = Math.ceil(rows * 1.3)) {
    const now = candidatesOf(20, rows)
    expect(now).toBeGreaterThanOrEqual(before)
    expect(candidatesOf(40, rows)).toBeGreaterThanOrEqual(now)
    expect(now).toBeLessThan(1000)
    before = now
  }
})
