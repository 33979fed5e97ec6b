// Chunks of all sizes, joined again.
import { expect, test } from 'vitest'
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
