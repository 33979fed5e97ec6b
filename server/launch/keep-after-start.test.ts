// When the compiled form is written again.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { IndexUid } from '../../format/ids.ts'
import { KEPT_AFTER_MS, keepAfterStart } from './keep-after-start.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const kept = (indexes: readonly (readonly [string, number])[]): number[] => {
  const calls: number[] = []
  const named = new Map(indexes.map(([uid, bytes]) => [uid as IndexUid, bytes]))
  const sizes = () => ({ databaseSize: 1, usedDatabaseSize: 1, indexes: named })
  keepAfterStart({ administration: { sizes } }, () => calls.push(Date.now()))
  const since = Date.now()
  vi.advanceTimersByTime(2 * KEPT_AFTER_MS)
  return calls.map((at) => at - since)
}

it('is some time after a start that found indexes', () => {
  expect(kept([['movies', 25_068]])).toEqual([KEPT_AFTER_MS])
})

it('is not after a start with an empty database', () => {
  expect(kept([])).toEqual([])
})
