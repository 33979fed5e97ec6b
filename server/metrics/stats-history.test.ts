// The readings of sizes over the last hour.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Engine } from '../../engine/index.ts'
import type { IndexUid } from '../../format/ids.ts'
import { StatsHistory } from './stats-history.ts'

let sizes: { readonly [uid: string]: number } = {}
const read: Engine['administration']['sizes'] = () => ({
  databaseSize: Object.values(sizes).reduce((sum, size) => sum + size, 100),
  indexes: new Map(Object.entries(sizes).map(([uid, size]) => [uid as IndexUid, size])),
})

beforeEach(() => vi.useFakeTimers({ now: Date.parse('2026-01-01T00:00:00Z') }))
afterEach(() => vi.useRealTimers())

test('one reading a minute, of the last hour alone', () => {
  sizes = {}
  const history = new StatsHistory(read, Date.now)
  expect(history.view(null)).toEqual({
    intervalMs: 60_000,
    readings: [{ at: '2026-01-01T00:00:00.000Z', databaseSize: 100, indexes: {} }],
  })
  sizes = { films: 5 }
  vi.advanceTimersByTime(90 * 60_000)
  const { readings } = history.view(null)
  expect(readings).toHaveLength(61)
  expect([readings[0]!.at, readings[60]!.at]).toEqual([
    '2026-01-01T00:30:00.000Z',
    '2026-01-01T01:30:00.000Z',
  ])
  expect(readings[60]).toMatchObject({ databaseSize: 105, indexes: { films: 5 } })
  history.stop()
  vi.advanceTimersByTime(60_000)
  expect(history.view(null).readings.at(-1)!.at).toBe('2026-01-01T01:30:00.000Z')
})

test('a caller sees the indexes of its key, and the largest ones of many', () => {
  sizes = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`index-${i}`, i]))
  const history = new StatsHistory(read, Date.now)
  const all = Object.keys(history.view(null).readings[0]!.indexes)
  expect([all.length, all[0], all[199]]).toEqual([200, 'index-299', 'index-100'])
  const own = history.view((uid) => uid === 'index-250').readings[0]!
  expect(own.indexes).toEqual({ 'index-250': 250 })
  history.stop()
})
