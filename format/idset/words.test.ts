// Words that are combined and counted together, against words one by one.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { andWords, popcount, popcountWords } from './words.ts'

const word = fc.oneof(fc.constantFrom(0, 1, 0x80000000, 0xffffffff), fc.nat(0xffffffff))
const words = fc.array(word, { maxLength: 70 }).map((list) => Uint32Array.from(list))

const countOf = (list: Uint32Array): number => list.reduce((sum, one) => sum + popcount(one), 0)

it('counts the bits of all words, or of the first ones', () => {
  fc.assert(
    fc.property(words, fc.nat(70), (list, most) => {
      const count = Math.min(most, list.length)
      expect(popcountWords(list)).toBe(countOf(list))
      expect(popcountWords(list, count)).toBe(countOf(list.subarray(0, count)))
    }),
  )
})

it('writes the bits that two sets share, and counts them', () => {
  fc.assert(
    fc.property(words, words, (left, right) => {
      const end = Math.min(left.length, right.length)
      const out = new Uint32Array(end + 1).fill(7)
      const expected = left.subarray(0, end).map((one, w) => one & right[w]!)
      expect(andWords(left, right, out, end)).toBe(countOf(expected))
      expect([...out]).toEqual([...expected, 7])
    }),
  )
})
