// Cached sets stay below their ceiling, and those that are used stay.
import { describe, expect, it } from 'vitest'
import { IdSet } from '../../../format/idset/index.ts'
import { keyOfNumbers, nextSegmentKey, SetCache } from './set-cache.ts'

const setOf = (id: number): IdSet => IdSet.of([id])

describe('a cache of sets', () => {
  it('makes a set once', () => {
    const cache = new SetCache()
    const first = cache.one('a', () => setOf(1))
    expect(cache.one('a', () => setOf(2))).toBe(first)
    expect(cache.find('a')).toEqual([first])
    expect(cache.find('b')).toBeNull()
  })

  it('stays below its ceiling, and leaves what was used', () => {
    const cache = new SetCache(10_000)
    for (let i = 0; i < 1000; i++) {
      cache.one(`${i}`, () => setOf(i))
      expect(cache.one('0', () => setOf(0)).has(0)).toBe(true)
      expect(cache.byteLength).toBeLessThanOrEqual(10_000)
    }
    expect(cache.find('0')).not.toBeNull()
    expect(cache.find('1')).toBeNull()
    expect(cache.find('999')).not.toBeNull()
  })

  it('gives what is larger than it, and holds none of it', () => {
    const cache = new SetCache(10)
    expect(cache.one('a', () => setOf(1)).has(1)).toBe(true)
    expect(cache.byteLength).toBe(0)
  })
})

describe('keys', () => {
  it('of segments and of numbers are never alike', () => {
    const keys = Array.from({ length: 1000 }, nextSegmentKey)
    expect(new Set(keys).size).toBe(1000)
    const lists = [[], [1], [65536], [1, 0], [0, 1], [0xffffffff], [0xd800, 0xdc00], [0xdc00d800]]
    const texts = lists.map((list) => keyOfNumbers(Uint32Array.from([...list, 7]), list.length))
    expect(new Set(texts).size).toBe(lists.length)
  })
})
