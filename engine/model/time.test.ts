// The engine's clock: whole microseconds that only grow.
import { expect, it } from 'vitest'
import { microClock } from './index.ts'

it('the clock gives whole microseconds of today, each later than the one before', () => {
  const now = microClock()
  const before = Date.now() * 1000
  let last = now()
  expect(Math.abs(last - before)).toBeLessThan(60_000_000)
  for (let i = 0; i < 10_000; i++) {
    const next = now()
    expect(Number.isInteger(next) && next > last).toBe(true)
    last = next
  }
})
