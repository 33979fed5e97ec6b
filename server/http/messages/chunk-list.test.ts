// Chunks of all sizes, joined again.

import { describe, expect, test, vi } from 'vitest'
import { KiB, MiB } from '../../../format/bytes/index.ts'
import { ChunkList } from './chunk-list.ts'

test('one chunk is returned as it is', () => {
  const chunks = new ChunkList()
  expect(chunks.whole()).toHaveLength(0)
  const only = Buffer.from('{}')
  chunks.add(only)
  expect(chunks.whole()).toBe(only)
  const large = new ChunkList()
  const bytes = Buffer.alloc(40_000)
  large.add(bytes)
  expect(large.whole()).toBe(bytes)
})

test('chunks of any size keep their order', () => {
  let seed = 7
  const random = (most: number): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % most
  }
  const chunks = new ChunkList()
  const all: Uint8Array[] = []
  for (let i = 0; i < 2000; i++) {
    const bytes = random(50) === 0 ? 16_000 + random(1000) : 1 + random(3)
    const chunk = Buffer.alloc(bytes, random(256))
    all.push(chunk)
    chunks.add(chunk)
  }
  const wanted = Buffer.concat(all)
  expect(chunks.bytes).toBe(wanted.length)
  expect(wanted.equals(chunks.whole())).toBe(true)
})

describe('a large body with an announced length', () => {
  const MIB = MiB
  const chunksOf = (count: number): Buffer[] =>
    Array.from({ length: count }, (_, i) => Buffer.alloc(64 * KiB, i + 1))

  test('is in one piece when its last chunk arrives, with nothing left to join', () => {
    const all = chunksOf(32)
    const chunks = new ChunkList(2 * MIB)
    for (const chunk of all) chunks.add(chunk)
    const concat = vi.spyOn(Buffer, 'concat')
    const whole = chunks.whole()
    expect(concat).not.toHaveBeenCalled()
    concat.mockRestore()
    expect(Buffer.concat(all).equals(whole)).toBe(true)
    // A separate buffer, which can be transferred to another thread.
    expect(whole.buffer.byteLength).toBe(whole.length)
  })

  test('allocates nothing before a part of it has arrived', () => {
    const room = vi.spyOn(Buffer, 'allocUnsafeSlow')
    const chunks = new ChunkList(64 * MIB)
    for (const chunk of chunksOf(64)) chunks.add(chunk)
    expect(room).not.toHaveBeenCalled()
    room.mockRestore()
  })

  test.each([
    [MIB - 1, 4, 0],
    [MIB, 1, 0],
    [MIB, 2, 1],
  ])('of %i bytes, of which %i chunks have arrived, has %i buffers', (announced, count, rooms) => {
    const room = vi.spyOn(Buffer, 'allocUnsafeSlow')
    const chunks = new ChunkList(announced)
    for (const chunk of chunksOf(count)) chunks.add(chunk)
    expect(room.mock.calls).toEqual(Array(rooms).fill([announced]))
    room.mockRestore()
  })

  test.each([
    ['shorter', 40],
    ['longer', 24],
  ])('that is %s is kept nevertheless', (_, announcedChunks) => {
    const all = chunksOf(32)
    const chunks = new ChunkList(announcedChunks * 64 * KiB)
    for (const chunk of all) chunks.add(chunk)
    expect(Buffer.concat(all).equals(chunks.whole())).toBe(true)
  })
})
