// One budget for the caches of all search threads, and the bytes that they report.
import { describe, expect, it } from 'vitest'
import { GiB, KiB, MiB } from '../../../format/bytes/index.ts'
import { CACHE_OWNERS, cacheLimits, HeldBytes, noteHeld } from './cache-memory.ts'

describe('limits of each thread', () => {
  it.each([
    [128 * MiB, 1],
    [128 * MiB, 8],
    [3 * GiB, 2],
    [512 * MiB, 3],
    [100 * KiB, 64],
  ])('use the budget of %d bytes of %d threads', (bytesMax, threads) => {
    const { blockBytesMax, foldedBytesMax, setBytesMax } = cacheLimits(bytesMax, threads)
    const all = (blockBytesMax + foldedBytesMax + setBytesMax) * threads
    expect(all).toBeLessThanOrEqual(bytesMax)
    expect(all).toBeGreaterThan(bytesMax - threads)
    expect(setBytesMax).toBeGreaterThanOrEqual(((bytesMax / threads) * 3) / 4 - 2)
  })

  it('leave what documents and facet values cannot use to sets', () => {
    const limits = cacheLimits(8 * GiB, 2)
    expect(limits.blockBytesMax).toBe(16 * MiB)
    expect(limits.foldedBytesMax).toBe(64 * MiB)
    expect(limits.setBytesMax).toBe(4 * GiB - 80 * MiB)
  })
})

describe('bytes held', () => {
  const bytesOf = (first: number) => ({
    documents: first,
    facets: first + 1,
    sets: first + 2,
    pairs: first + 3,
    words: first + 4,
    bounds: first + 5,
    boosts: first + 6,
  })

  it('are those of all threads that live', () => {
    const held = new HeldBytes(3)
    expect(Object.keys(held.total())).toEqual([...CACHE_OWNERS])
    expect(Object.values(held.total())).toEqual(CACHE_OWNERS.map(() => 0))
    noteHeld(held.shared, 0, bytesOf(10))
    noteHeld(held.shared, 2, bytesOf(100))
    noteHeld(held.shared, 2, bytesOf(1000))
    expect(held.total()).toEqual({
      documents: 1010,
      facets: 1012,
      sets: 1014,
      pairs: 1016,
      words: 1018,
      bounds: 1020,
      boosts: 1022,
    })
    held.forget(2)
    expect(held.total()).toEqual(bytesOf(10))
  })
})
