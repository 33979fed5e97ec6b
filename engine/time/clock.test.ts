// The engine's clock: whole microseconds, strictly increasing.
import { expect, it } from 'vitest'
import { microClock } from './clock.ts'

it('returns whole microseconds of today, each later than the one before', () => {
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

it('follows a wall clock that is set forward, and still advances when it is set back', () => {
  let wall = 1_000_000
  let steady = 0
  const now = microClock({ wallMs: () => wall, steadyMs: () => steady })
  const after = (ms: number): number => {
    wall += ms
    steady += ms
    return now() / 1000
  }
  expect(after(0)).toBe(1_000_000)
  expect(after(5.25)).toBe(1_000_005.25)
  wall -= 3_600_000
  expect(after(10)).toBe(1_000_015.25)
  expect(after(1000)).toBe(1_001_015.25)
  wall += 3_600_000
  expect(after(10)).toBe(1_001_025.25)
  // The machine sleeps for an hour.
  wall += 3_600_000
  expect(after(10)).toBe(4_601_035.25)
  expect(after(10)).toBe(4_601_045.25)
})
