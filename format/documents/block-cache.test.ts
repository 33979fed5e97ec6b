// The cache of blocks: the blocks that it holds, and the memory that it uses again.
import { describe, expect, it } from 'vitest'
import { KiB, MiB } from '../bytes/index.ts'
import { BlockCache, type CachedBlocks } from './block-cache.ts'
import { RECYCLED_BLOCK_BYTES_MAX, RECYCLED_BYTES_MAX } from './limits.ts'

const fill = (cache: BlockCache, owner: CachedBlocks, block: number, length: number) => {
  const bytes = cache.room(length)
  bytes.fill(block)
  cache.put(owner, block, bytes)
  return bytes
}

it('a block of up to half of the capacity is held', () => {
  const cache = new BlockCache(8192)
  const owner: CachedBlocks = new Map()
  fill(cache, owner, 1, 4097)
  expect(cache.bytes).toBe(0)
  fill(cache, owner, 2, 4096)
  expect(cache.bytes).toBe(4096)
})

it('a block that was used since the last eviction stays, the others go in their order', () => {
  const cache = new BlockCache(4 * 100)
  const owner: CachedBlocks = new Map()
  const held = (): readonly number[] => [...owner.keys()].sort((a, b) => a - b)
  const put = (block: number): void => cache.put(owner, block, new Uint8Array(100))
  for (const block of [1, 2, 3, 4]) put(block)
  expect([held(), cache.bytes]).toEqual([[1, 2, 3, 4], 400])
  // All were used when they were put, so one round passes before the first goes.
  put(5)
  expect(held()).toEqual([2, 3, 4, 5])
  expect(cache.get(owner, 2)).toHaveLength(100)
  put(6)
  put(7)
  expect(held()).toEqual([2, 5, 6, 7])
  expect([cache.get(owner, 3), cache.bytes]).toEqual([null, 400])
})

describe('a cache that recycles', () => {
  it('overwrites evicted blocks only after it was told to', () => {
    const cache = new BlockCache(3 * 8192, true)
    const owner: CachedBlocks = new Map()
    const blocks = [1, 2, 3, 4, 5].map((block) => fill(cache, owner, block, 8000 + block))
    for (const [i, bytes] of blocks.entries()) {
      expect(bytes).toEqual(new Uint8Array(8001 + i).fill(i + 1))
    }
    cache.recycle()
    const evicted = blocks.filter((_, i) => cache.get(owner, i + 1) === null)
    const next = evicted.map((_, i) => fill(cache, owner, 10 + i, 8100))
    const memory = (list: readonly Uint8Array[]) => new Set(list.map(({ buffer }) => buffer))
    expect(memory(next)).toEqual(memory(evicted))
    for (let block = 1; block <= 5; block++) {
      const cached = cache.get(owner, block)
      if (cached !== null) expect(cached).toEqual(new Uint8Array(8000 + block).fill(block))
    }
  })

  it('bounds the memory that waits, and leaves large blocks to the collector', () => {
    const cache = new BlockCache(MiB, true)
    const owner: CachedBlocks = new Map()
    const evicted = new Set<unknown>()
    for (let block = 0; block < 1000; block++) evicted.add(fill(cache, owner, block, 8192).buffer)
    const large = fill(cache, owner, 1000, 200 * KiB)
    cache.forget(owner)
    expect(cache.bytes).toBe(0)
    cache.recycle()
    const rooms = Array.from({ length: 1000 }, () => cache.room(8192).buffer)
    const recycled = rooms.filter((buffer) => evicted.has(buffer))
    expect(recycled).toHaveLength(RECYCLED_BYTES_MAX / 8192)
    expect(new Set(rooms).size).toBe(1000)
    expect(cache.room(200 * KiB).buffer).not.toBe(large.buffer)
  })

  it('uses the memory of blocks again that are as large as the limit, and no larger', () => {
    const most = RECYCLED_BLOCK_BYTES_MAX
    const cache = new BlockCache(MiB, true)
    const owner: CachedBlocks = new Map()
    const first = fill(cache, owner, 1, most)
    const beyond = fill(cache, owner, 2, most + 2048)
    expect(fill(cache, owner, 3, most + 1).buffer.byteLength).toBe(most + 1)
    cache.forget(owner)
    cache.recycle()
    expect(cache.room(most).buffer).toBe(first.buffer)
    expect(cache.room(most + 2048).buffer).not.toBe(beyond.buffer)
    expect(new BlockCache(MiB).room(100).buffer.byteLength).toBe(100)
  })

  it('bounds the memory that waits however often it is told to', () => {
    const cache = new BlockCache(MiB, true)
    const owner: CachedBlocks = new Map()
    const evicted = new Set<unknown>()
    const most = RECYCLED_BYTES_MAX / 8192
    for (let round = 0; round < 2; round++) {
      for (let block = 0; block < most; block++) {
        const bytes = new Uint8Array(8192)
        evicted.add(bytes.buffer)
        cache.put(owner, block, bytes)
      }
      cache.forget(owner)
      cache.recycle()
    }
    const rooms = Array.from({ length: 2 * most }, () => cache.room(8192).buffer)
    expect(rooms.filter((buffer) => evicted.has(buffer))).toHaveLength(most)
  })

  it('uses the same memory again and again', () => {
    const cache = new BlockCache(2 * RECYCLED_BYTES_MAX, true)
    const owner: CachedBlocks = new Map()
    const count = RECYCLED_BYTES_MAX / 8192
    const seen = new Set<unknown>()
    for (let round = 0; round < 4; round++) {
      for (let block = 0; block < count; block++) seen.add(fill(cache, owner, block, 8192).buffer)
      cache.forget(owner)
      cache.recycle()
    }
    expect(seen.size).toBe(count)
  })

  it('leaves a view of other memory alone', () => {
    const cache = new BlockCache(16_384, true)
    const owner: CachedBlocks = new Map()
    const view = new Uint8Array(4096).subarray(8)
    cache.put(owner, 1, view)
    cache.forget(owner)
    cache.recycle()
    expect(cache.room(4096).buffer).not.toBe(view.buffer)
  })

  it('recycles nothing without being asked to, and after it was never told', () => {
    for (const recycles of [false, true]) {
      const cache = recycles ? new BlockCache(8192, true) : new BlockCache(8192)
      const owner: CachedBlocks = new Map()
      const first = fill(cache, owner, 1, 2048)
      const second = fill(cache, owner, 2, 2048)
      cache.forget(owner)
      if (!recycles) cache.recycle()
      const rooms = [cache.room(2048).buffer, cache.room(2048).buffer]
      expect(rooms).not.toContain(first.buffer)
      expect(rooms).not.toContain(second.buffer)
    }
  })
})
