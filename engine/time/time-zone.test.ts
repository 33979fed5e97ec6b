// Local time of zones: offsets on both sides of a change, and when the next change is.
import { describe, expect, it } from 'vitest'
import { isTimeZone, TimeZone, timeZone } from './time-zone.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const utc = (text: string): number => Date.parse(`${text}Z`)

/** Clocks in Zurich were set forward here. */
const SPRING = utc('2024-03-31T01:00:00')

describe('a zone', () => {
  it.each([
    ['Europe/Zurich', SPRING - 1, HOUR_MS],
    ['Europe/Zurich', SPRING, 2 * HOUR_MS],
    ['Europe/Zurich', utc('2024-10-27T00:59:59.999'), 2 * HOUR_MS],
    ['Europe/Zurich', utc('2024-10-27T01:00:00'), HOUR_MS],
    ['America/New_York', utc('2024-12-31T23:00:00'), -5 * HOUR_MS],
    ['Asia/Kathmandu', utc('2024-01-01T00:00:00'), 5.75 * HOUR_MS],
    // Local mean time, of whole seconds.
    ['Europe/Zurich', utc('1850-01-01T00:00:00'), 34 * 60_000 + 8000],
    ['UTC', utc('0001-01-02T00:00:00'), 0],
    ['UTC', -1, 0],
  ])('%s at %i is %i ms before UTC', (name, ms, offset) => {
    expect(new TimeZone(name).offsetAt(ms)).toBe(offset)
  })

  it.each([
    ['a day before it', SPRING - DAY_MS, SPRING + DAY_MS, SPRING],
    ['months before it', SPRING - 100 * DAY_MS, SPRING + DAY_MS, SPRING],
    ['a millisecond before it', SPRING - 1, SPRING + DAY_MS, SPRING],
    ['up to it', SPRING - DAY_MS, SPRING, SPRING],
    ['not so far', SPRING - DAY_MS, SPRING - 1, SPRING - 1],
    ['after it', SPRING, SPRING + 100 * DAY_MS, SPRING + 100 * DAY_MS],
    ['nowhere', SPRING - DAY_MS, SPRING - DAY_MS, SPRING - DAY_MS],
  ])('finds the change of its offset from %s', (_, ms, until, change) => {
    expect(new TimeZone('Europe/Zurich').sameUntil(ms, until)).toBe(change)
  })
})

describe('zones by name', () => {
  it('are set up once, until there are too many', () => {
    const first = timeZone('Europe/Zurich')
    expect(timeZone('Europe/Zurich')).toBe(first)
    const others = Intl.supportedValuesOf('timeZone').filter((name) => name !== 'Europe/Zurich')
    for (const name of others.slice(0, 50)) timeZone(name)
    expect(timeZone('Europe/Zurich')).not.toBe(first)
  })

  it('are known to the platform, or refused', () => {
    expect(['Europe/Zurich', 'europe/zurich', 'UTC', '', 'Europe/Zürich'].map(isTimeZone)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
    expect(() => timeZone('Nowhere')).toThrow(RangeError)
  })
})
