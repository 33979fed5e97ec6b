// Times, durations and sizes as text.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatBytes,
  formatDuration,
  formatMicros,
  formatMillis,
  formatSizeChange,
} from './words.ts'

const AT = Date.UTC(2024, 7, 8, 9, 1, 13) * 1000

describe('formatMicros', () => {
  it.each([
    [AT, '2024-08-08T09:01:13Z'],
    [AT + 348_471, '2024-08-08T09:01:13.348471Z'],
    [AT + 348_460, '2024-08-08T09:01:13.34846Z'],
    [AT + 500_000, '2024-08-08T09:01:13.5Z'],
    [AT + 1, '2024-08-08T09:01:13.000001Z'],
    [0, '1970-01-01T00:00:00Z'],
  ])('%d is %s', (time, words) => expect(formatMicros(time)).toBe(words))

  it('adds nanoseconds', () => {
    expect(formatMicros(AT + 348_470, 1)).toBe('2024-08-08T09:01:13.348470001Z')
    expect(formatMicros(AT, 1)).toBe('2024-08-08T09:01:13.000000001Z')
  })

  it('reads back to the same millisecond and sorts like the times', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000_000_000 }), (time) => {
        expect(Date.parse(formatMicros(time))).toBe(Math.floor(time / 1000))
      }),
    )
  })
})

describe('formatDuration', () => {
  it.each([
    [0, 'PT0S'],
    [9330, 'PT0.009330S'],
    [500_000, 'PT0.500S'],
    [1_000_000, 'PT1S'],
    [3_723_500_000, 'PT3723.500S'],
    [86_400_000_000, 'P1D'],
    [86_400_000_001, 'P1DT0.000001S'],
    [172_803_000_000, 'P2DT3S'],
  ])('%d is %s', (micros, words) => expect(formatDuration(micros)).toBe(words))

  it('has nine digits if there are nanoseconds', () => {
    expect(formatDuration(629, 59)).toBe('PT0.000629059S')
    expect(formatDuration(1_000_000, 100)).toBe('PT1.000000100S')
    expect(formatDuration(0, 1)).toBe('PT0.000000001S')
  })

  it('returns null for a negative duration', () => expect(formatDuration(-1)).toBeNull())
})

describe('formatMillis', () => {
  it.each([
    [3.04, '3.04ms'],
    [12, '12.00ms'],
    [0.0215, '21.50µs'],
    [1500, '1.50s'],
    [0.0005, '500ns'],
    [0, '0ns'],
  ])('%d is %s', (millis, words) => expect(formatMillis(millis)).toBe(words))
})

describe('formatBytes', () => {
  it.each([
    [0, '0 B'],
    [512, '512 B'],
    [16_384, '16 KiB'],
    [188_416, '184 KiB'],
    [1_258_291, '1.2 MiB'],
    [24 * 1024 ** 2, '24 MiB'],
    [-16_384, '-16 KiB'],
  ])('%d is %s', (bytes, words) => expect(formatBytes(bytes)).toBe(words))

  it('shows a change with its sign', () => {
    expect(formatSizeChange(16_384, 16_384)).toBe('16 KiB (+16 KiB)')
    expect(formatSizeChange(16_384, -4096)).toBe('16 KiB (-4 KiB)')
    expect(formatSizeChange(16_384, 0)).toBe('16 KiB (+0 B)')
  })
})
