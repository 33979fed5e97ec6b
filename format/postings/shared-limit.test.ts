// A limit that several caches share, and the offsets of occurrences of several segments under it.
import { describe, expect, it } from 'vitest'
import { OccurrenceOffsets } from './occurrence-offsets.ts'
import { SharedLimit } from './shared-limit.ts'

describe('a limit of several caches', () => {
  const cacheOf = () => {
    let cleared = 0
    return { clear: () => void cleared++, times: () => cleared }
  }

  it('clears the caches that grew least recently, as many as it takes', () => {
    const limit = new SharedLimit(10)
    const [a, b, c, d] = [cacheOf(), cacheOf(), cacheOf(), cacheOf()]
    limit.grew(a, 4)
    limit.grew(b, 3)
    limit.grew(c, 2)
    limit.grew(a, 1)
    expect([a, b, c].map(({ times }) => times())).toEqual([0, 0, 0])
    limit.grew(d, 5)
    expect([a, b, c, d].map(({ times }) => times())).toEqual([0, 1, 1, 0])
    expect(limit.total).toBe(10)
    limit.grew(d, 1)
    expect([a.times(), d.times(), limit.total]).toEqual([1, 0, 6])
  })

  it('keeps the only cache, however large', () => {
    const limit = new SharedLimit(10)
    const cache = cacheOf()
    limit.grew(cache, 11)
    expect([cache.times(), limit.total]).toEqual([0, 11])
  })

  it('does not count a cache that was forgotten', () => {
    const limit = new SharedLimit(10)
    const [a, b] = [cacheOf(), cacheOf()]
    limit.grew(a, 9)
    limit.forget(a)
    limit.forget(b)
    expect(limit.total).toBe(0)
    limit.grew(b, 10)
    expect([a.times(), b.times(), limit.total]).toEqual([0, 0, 10])
  })
})

describe('offsets of occurrences', () => {
  it('of many segments have one limit', () => {
    const limit = new SharedLimit(1000)
    const [first, second] = [new OccurrenceOffsets(500, limit), new OccurrenceOffsets(500, limit)]
    const kept = first.of(0, 400)
    expect(first.of(0, 400)).toBe(kept)
    second.of(0, 500)
    expect(first.of(0, 400)).toBe(kept)
    const last = second.of(1, 300)
    expect(limit.total).toBe(800)
    expect(first.of(0, 400)).not.toBe(kept)
    expect(limit.total).toBe(400)
    expect(second.of(1, 300)).not.toBe(last)
  })

  it('are dropped with a list that does not fit, and when the segment is closed', () => {
    const limit = new SharedLimit(1e9)
    const offsets = new OccurrenceOffsets(1, limit)
    for (let base = 0; base < 64; base++) offsets.of(base, 16_384)
    expect(limit.total).toBe(64 * 16_384)
    const before = offsets.of(0, 16_384)
    offsets.of(64, 16_384)
    expect(limit.total).toBe(16_384)
    expect(offsets.of(0, 16_384)).not.toBe(before)
    offsets.clear()
    expect(limit.total).toBe(0)
  })

  it('of a list longer than half of a segment may have are not kept', () => {
    const limit = new SharedLimit(1e9)
    const offsets = new OccurrenceOffsets(1, limit)
    expect(offsets.of(0, 8 * 524_288)).not.toBeNull()
    expect(offsets.of(1, 8 * 524_288 + 1)).toBeNull()
    expect(limit.total).toBe(524_288)
  })
})
