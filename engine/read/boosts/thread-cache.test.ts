// Caches of boosts share the budget of the thread, and drop what belongs to closed segments.
import { expect, it } from 'vitest'
import { dropResultsOf, segmentKey, THREAD_BUDGET } from '../segment-text/index.ts'
import { ThreadCache } from './thread-cache.ts'

/** As many closed segments as make the caches drop the entries of all closed ones. */
const closed = () => {
  const readers = Array.from({ length: 8 }, () => ({}))
  for (const reader of readers) segmentKey(reader)
  return readers
}

it('closed segments leave with their values', () => {
  // Other tests of this thread have closed segments whose entries wait to be dropped.
  dropResultsOf(closed())
  const ofSegments = new ThreadCache<number>(1000, true)
  const ofViews = new ThreadCache<number>(1000, false)
  const before = THREAD_BUDGET.bytesOf('boosts')
  const readers = Array.from({ length: 9 }, () => ({}))
  for (const [i, reader] of readers.entries()) {
    ofSegments.set(`${segmentKey(reader)}field`, i, 10)
    ofViews.set(`${segmentKey(reader)}field`, i, 10)
  }
  expect(THREAD_BUDGET.bytesOf('boosts') - before).toBe(180)
  dropResultsOf(readers.slice(1))
  const left = readers.map((reader) => ofSegments.get(`${segmentKey(reader)}field`))
  expect(left).toEqual([0, ...Array(8).fill(undefined)])
  expect(ofViews.get(`${segmentKey(readers[8]!)}field`)).toBe(8)
  expect(THREAD_BUDGET.bytesOf('boosts') - before).toBe(100)
})

it('all fit into the budget', () => {
  const before = THREAD_BUDGET.bytesMax
  const [one, other] = [new ThreadCache<number>(1000, true), new ThreadCache<number>(1000, false)]
  THREAD_BUDGET.bytesMax = 500
  for (let i = 0; i < 100; i++) {
    one.set(`${i}`, i, 10)
    other.set(`${i}`, i, 10)
    expect(THREAD_BUDGET.bytesOf('boosts')).toBeLessThanOrEqual(500)
  }
  expect(one.get('99')).toBe(99)
  expect(other.get('99')).toBe(99)
  expect(one.get('1')).toBeUndefined()
  THREAD_BUDGET.bytesMax = before
})
