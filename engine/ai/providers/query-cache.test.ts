// Vectors of search texts that are kept.
import { expect, it } from 'vitest'
import { CACHED_TEXT_BYTES_MAX } from './limits.ts'
import { QueryCache } from './query-cache.ts'

const vector = (value: number): Float32Array => Float32Array.of(value)

it('keeps so many vectors of each configuration, the last used ones', () => {
  const cache = new QueryCache(2)
  cache.set('a', 'x', vector(1))
  cache.set('b', 'x', vector(2))
  cache.set('a', 'y', vector(3))
  expect([cache.get('a', 'x'), cache.get('b', 'x')]).toEqual([vector(1), vector(2)])
  cache.set('a', 'z', vector(4))
  expect(['x', 'y', 'z'].map((text) => cache.get('a', text))).toEqual([vector(1), null, vector(4)])
  expect([cache.get('b', 'x'), cache.get('c', 'x')]).toEqual([vector(2), null])
})

it('keeps no long texts, which are measured in bytes', () => {
  const cache = new QueryCache(2)
  const long = 'é'.repeat(CACHED_TEXT_BYTES_MAX / 2)
  cache.set('a', long, vector(1))
  cache.set('a', `${long}x`, vector(2))
  expect([cache.get('a', long), cache.get('a', `${long}x`)]).toEqual([vector(1), null])
})

it('keeps nothing if it is off', () => {
  const cache = new QueryCache(0)
  cache.set('a', 'x', vector(1))
  expect(cache.get('a', 'x')).toBeNull()
})
