// The algebra of ascending ids and of bits, list by list, against JavaScript's sets.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { andNotSparse, andSparse, clearIds, filterByWords, orSparse } from './algebra.ts'
import { popcountWords } from './words.ts'

const ID_END = 416
const list = fc
  .uniqueArray(fc.nat(ID_END - 1), { maxLength: 60, size: 'max' })
  .map((ids) => Uint32Array.from(ids).sort())
const wordsOf = (ids: Uint32Array): Uint32Array => {
  const words = new Uint32Array(ID_END / 32 + 1)
  for (const id of ids) words[id >>> 5]! |= 1 << (id & 31)
  return words
}

it('returns common, all and own ids, or an operand that is the result', () => {
  fc.assert(
    fc.property(list, list, (a, b) => {
      const common = [...a].filter((id) => b.includes(id))
      const own = [...a].filter((id) => !b.includes(id))
      expect([...andSparse(a, b)]).toEqual(common)
      expect([...andNotSparse(a, b)]).toEqual(own)
      expect([...orSparse(a, b)]).toEqual([...new Set([...a, ...b])].sort((x, y) => x - y))
      if (own.length === 0) expect(orSparse(b, a)).toBe(b)
      if (common.length === 0) expect(andNotSparse(a, b)).toBe(a)
    }),
  )
})

it('returns ids whose bits are set or clear', () => {
  fc.assert(
    fc.property(list, list, (a, b) => {
      const words = wordsOf(b)
      expect([...filterByWords(a, words, true)]).toEqual([...andSparse(a, b)])
      expect([...filterByWords(a, words, false)]).toEqual([...andNotSparse(a, b)])
    }),
  )
})

it('clears bits of the first words, and counts those that were set', () => {
  fc.assert(
    fc.property(list, list, fc.nat(ID_END / 32), (a, b, count) => {
      const words = wordsOf(a)
      const before = popcountWords(words)
      const cleared = clearIds(words, b, count)
      const gone = [...andSparse(a, b)].filter((id) => id < count * 32)
      expect(cleared).toBe(gone.length)
      expect(before - popcountWords(words)).toBe(gone.length)
    }),
  )
})
