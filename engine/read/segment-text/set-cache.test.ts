// Cached sets stay below their limit, and used ones stay.
import { describe, expect, it } from 'vitest'
import { MiB } from '../../../format/bytes/index.ts'
import { CacheBudget } from '../../../format/cache/index.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { CachedWordSets } from './cached-word-sets.ts'
import {
  dropResultsOf,
  fitWordSets,
  giveMemory,
  keyOfNumbers,
  nextSegmentKey,
  SetCache,
  segmentKey,
  THREAD_BUDGET,
  THREAD_SETS,
  wordSetBytesMax,
} from './set-cache.ts'
import { Word } from './word.ts'

const setOf = (id: number): IdSet => IdSet.of([id])

describe('a cache of sets', () => {
  it('computes a set once', () => {
    const cache = new SetCache()
    const first = cache.one('a', () => setOf(1))
    expect(cache.one('a', () => setOf(2))).toBe(first)
    expect(cache.find('a')).toEqual([first])
    expect(cache.find('b')).toBeNull()
  })

  it('stays below its limit, and keeps used entries', () => {
    const cache = new SetCache({ min: 10_000, sets: 0, max: 0 })
    for (let i = 0; i < 1000; i++) {
      cache.one(`${i}`, () => setOf(i))
      expect(cache.one('0', () => setOf(0)).has(0)).toBe(true)
      expect(cache.byteLength).toBeLessThanOrEqual(10_000)
    }
    expect(cache.find('0')).not.toBeNull()
    expect(cache.find('1')).toBeNull()
    expect(cache.find('999')).not.toBeNull()
  })

  it('has more room for a large index', () => {
    const cache = new SetCache()
    const large = IdSet.ofLazyWords(new Uint32Array(31_250))
    const fill = (): number => {
      for (let i = 0; i < 2000; i++) cache.add(`${cache.byteLength} ${i}`, [large])
      return cache.byteLength
    }
    expect(fill()).toBeLessThan(26e6)
    cache.makeRoomFor(1000)
    expect(fill()).toBeLessThan(26e6)
    cache.makeRoomFor(1_000_000)
    expect(fill()).toBeGreaterThan(60e6)
    cache.makeRoomFor(1000)
    expect(fill()).toBeGreaterThan(60e6)
    cache.makeRoomFor(2 ** 32)
    expect(fill()).toBeLessThan(202e6)
  })

  it('has more room for the largest indexes if the thread has more memory', () => {
    const cache = new SetCache()
    expect(cache.bytesMaxOf(10_000_000)).toBe(192 * MiB)
    cache.raiseMax(100 * MiB)
    expect(cache.bytesMaxOf(10_000_000)).toBe(192 * MiB)
    cache.raiseMax(500 * MiB)
    expect(cache.bytesMaxOf(10_000_000)).toBe(500 * MiB)
    expect(cache.bytesMaxOf(500_000)).toBe(64_000_000)
  })

  it('holds no entries of closed segments', () => {
    const cache = new SetCache()
    const heads = Array.from({ length: 10 }, () => nextSegmentKey({}))
    for (const head of heads) cache.one(`${head}word`, () => setOf(1))
    const bytes = cache.byteLength
    cache.dropClosed((key) => heads.indexOf(key.slice(0, 2)) < 8)
    for (const [i, head] of heads.entries()) expect(cache.find(`${head}word`) === null).toBe(i < 8)
    expect(cache.byteLength).toBe(bytes / 5)
  })

  it('holds no entries of released readers', () => {
    const readers = Array.from({ length: 8 }, () => ({}))
    const heads = readers.map((reader) => [nextSegmentKey(reader), nextSegmentKey(reader)])
    for (const head of heads.flat()) THREAD_SETS.one(head, () => setOf(1))
    dropResultsOf(readers)
    for (const head of heads.flat()) expect(THREAD_SETS.find(head)).toBeNull()
  })

  it('returns a set that is larger than its limit without keeping it', () => {
    const cache = new SetCache({ min: 10, sets: 0, max: 0 })
    expect(cache.one('a', () => setOf(1)).has(1)).toBe(true)
    expect(cache.byteLength).toBe(0)
  })
})

describe('a budget of several caches', () => {
  const large = IdSet.ofLazyWords(new Uint32Array(1000))

  it('lets one cache use what the others leave, and the largest gives way', () => {
    const budget = new CacheBudget<'sets' | 'pairs'>(100_000)
    const room = { min: 80_000, sets: 0, max: 0 }
    const [sets, pairs] = [new SetCache(room, budget), new SetCache(room, budget)]
    budget.add('sets', sets)
    budget.add('pairs', pairs)
    const fill = (cache: SetCache, count: number): void => {
      for (let i = 0; i < count; i++) {
        cache.add(`${cache.byteLength} ${i}`, [large])
        expect(sets.byteLength + pairs.byteLength).toBeLessThanOrEqual(100_000)
      }
    }
    fill(sets, 30)
    expect(sets.byteLength).toBeGreaterThan(70_000)
    fill(pairs, 30)
    expect(pairs.byteLength).toBeGreaterThan(40_000)
    expect(sets.byteLength).toBeGreaterThan(40_000)
    expect(sets.byteLength).toBeLessThan(60_000)
    expect(budget.bytesOf('sets')).toBe(sets.byteLength)
  })

  it('keeps nothing that is larger than itself', () => {
    const budget = new CacheBudget<'sets'>(100)
    const cache = new SetCache(undefined, budget)
    budget.add('sets', cache)
    expect(cache.one('a', () => large)).toBe(large)
    expect(cache.byteLength).toBe(0)
  })
})

it('the memory of a thread is divided among its caches', () => {
  const before = THREAD_BUDGET.bytesMax
  const limits = (bytes: number): number[] => {
    giveMemory(bytes)
    return [THREAD_BUDGET.bytesMax, wordSetBytesMax(1000), wordSetBytesMax(1e9)]
  }
  try {
    expect(limits(10 * MiB)).toEqual([6 * MiB, 4 * MiB, 4 * MiB])
    expect(limits(320 * MiB)).toEqual([192 * MiB, 24 * MiB, 128 * MiB])
    giveMemory(500)
    const caches = [60, 50].map((bytes) => {
      const cache = new CachedWordSets(1000)
      for (let i = 0; i < 3; i++) cache.add(new Word(`${i}`, new Int32Array(0), 0), '*', bytes)
      return cache
    })
    fitWordSets(caches)
    expect(caches.map(({ byteLength }) => byteLength)).toEqual([0, 150])
  } finally {
    // As much as these caches have without a limit.
    giveMemory(320 * MiB)
    THREAD_BUDGET.bytesMax = before
  }
})

describe('keys', () => {
  it('of segments and of numbers are unique', () => {
    const reader = {}
    expect(segmentKey(reader)).toBe(segmentKey(reader))
    const keys = Array.from({ length: 1000 }, () => nextSegmentKey({}))
    expect(new Set(keys).size).toBe(1000)
    const lists = [[], [1], [65536], [1, 0], [0, 1], [0xffffffff], [0xd800, 0xdc00], [0xdc00d800]]
    const texts = lists.map((list) => keyOfNumbers(Uint32Array.from([...list, 7]), list.length))
    expect(new Set(texts).size).toBe(lists.length)
  })
})
