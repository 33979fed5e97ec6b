// Walks over encoded sets against plain computations.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeIds } from '../idset/index.ts'
import { sample, sortedOf } from '../idset/test-support.ts'
import { countInWords, largestOf } from './walk.ts'

describe('walks over encoded sets', () => {
  it('find the largest id and count the intersection with bits', () => {
    fc.assert(
      fc.property(sample, sample, fc.nat(9), (a, b, before) => {
        if (a.model.size === 0) return
        const ids = sortedOf(a.model)
        const encoded = encodeIds(Uint32Array.from(ids))
        const bytes = new Uint8Array(before + encoded.length)
        bytes.set(encoded, before)
        expect(largestOf(bytes, before)).toBe(ids.at(-1))
        const words = new Uint32Array(10_000)
        b.set.orInto(words)
        const both = ids.filter((id) => b.model.has(id)).length
        expect(countInWords(bytes, before, words)).toBe(both)
        const short = words.slice(0, 100)
        const few = ids.filter((id) => id < 3200 && b.model.has(id)).length
        expect(countInWords(bytes, before, short)).toBe(few)
      }),
      { numRuns: 60 },
    )
  })

  // A container of up to 4,096 ids is an array, a larger one a bitmap.
  it.each([1, 4095, 4096, 4097, 65_536])('read a container of %i ids', (size) => {
    const ids = Uint32Array.from({ length: size }, (_, i) => 65_536 + i)
    const bytes = encodeIds(ids)
    expect(largestOf(bytes, 0)).toBe(65_535 + size)
    const words = new Uint32Array(4096).fill(1)
    expect(countInWords(bytes, 0, words)).toBe(Math.ceil(size / 32))
  })
})
