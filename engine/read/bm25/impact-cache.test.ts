// The cache of bounds: its limit, and what stays when there is not enough room.
import { describe, expect, it } from 'vitest'
import { KiB, MiB } from '../../../format/bytes/index.ts'
import { ImpactCache } from './impact-cache.ts'
import { Impacts } from './impacts.ts'

const impactsOf = (documents: number): Impacts => new Impacts(new Uint32Array(documents))

describe('the cache of bounds', () => {
  it('keeps those that were added last, within its limit', () => {
    const cache = new ImpactCache(64 * KiB)
    const added = Array.from({ length: 200 }, (_, i) => impactsOf(1 + ((i * 37) % 900)))
    for (const [i, impacts] of added.entries()) {
      cache.add(`${i}`, impacts)
      expect(cache.get(`${i}`)).toBe(impacts)
      expect(cache.byteLength).toBeLessThanOrEqual(64 * KiB)
    }
    const kept = added.filter((impacts, i) => cache.get(`${i}`) === impacts)
    expect(kept.length).toBeGreaterThan(20)
    expect(kept.length).toBeLessThan(60)
    const bytes = kept.reduce((sum, { byteLength }) => sum + byteLength, 0)
    expect(cache.byteLength).toBeGreaterThan(bytes)
  })

  it('keeps some of those that are used in rotation', () => {
    const cache = new ImpactCache(64 * KiB)
    let found = 0
    for (let i = 0; i < 2000; i++) {
      const key = `${i % 200}`
      if (cache.get(key) !== null) found++
      else cache.add(key, impactsOf(400))
    }
    expect(found).toBeGreaterThan(150)
  })

  it('gives way, and drops those of closed segments', () => {
    const cache = new ImpactCache()
    const keys = Array.from({ length: 40 }, (_, i) => `${i % 2}s ${i}`)
    for (const key of keys) cache.add(key, impactsOf(100))
    const bytes = cache.byteLength
    cache.dropClosed((key) => key.startsWith('1s'))
    expect(keys.map((key) => cache.get(key) === null)).toEqual(keys.map((_, i) => i % 2 === 1))
    expect(Math.abs(cache.byteLength - bytes / 2)).toBeLessThan(20)
    cache.shrinkTo(bytes / 4)
    expect(cache.byteLength).toBeLessThanOrEqual(bytes / 4)
    expect(keys.filter((key) => cache.get(key) !== null)).toHaveLength(10)
    cache.shrinkTo(0)
    expect(cache.byteLength).toBe(0)
  })

  it('has more room for more documents, and none for what is larger', () => {
    const cache = new ImpactCache()
    const large = impactsOf(6 * MiB)
    cache.add('large', large)
    expect(cache.get('large')).toBeNull()
    cache.makeRoomFor(1_000_000)
    cache.makeRoomFor(10)
    cache.add('large', large)
    expect(cache.get('large')).toBe(large)
  })
})
