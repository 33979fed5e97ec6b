// The algebra of ascending ids and of bits, list by list, against JavaScript's sets.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  andNotSparse,
  andSparse,
  clearIds,
  EMPTY_IDS,
  filterByWords,
  gallop,
  lowerBound,
  orSparse,
} from './algebra.ts'

const ID_END = 416
const list = fc
  .oneof(
    fc.uniqueArray(fc.nat(ID_END - 1), { maxLength: 3 }),
    fc.uniqueArray(fc.nat(ID_END - 1), { maxLength: 60 }),
  )
  .map((ids) => Uint32Array.from(ids).sort())
/** Two lists. Half of the pairs have common ids, and in some the first contains the second. */
const pair = fc
  .tuple(list, list, fc.nat(2))
  .map(([a, b, way]): [Uint32Array, Uint32Array] =>
    way === 0
      ? [a, b]
      : [sorted(way === 1 ? [...a, ...b.filter((id) => id % 3 > 0)] : [...a, ...b]), b],
  )
const sorted = (ids: Iterable<number>): Uint32Array => Uint32Array.from(new Set(ids)).sort()
const wordsOf = (ids: Iterable<number>): Uint32Array => {
  const words = new Uint32Array(ID_END / 32 + 1)
  for (const id of ids) words[id >>> 5]! |= 1 << (id & 31)
  return words
}
const common = (a: Uint32Array, b: Uint32Array): Uint32Array => a.filter((id) => b.includes(id))
const own = (a: Uint32Array, b: Uint32Array): Uint32Array => a.filter((id) => !b.includes(id))

/**
 * Expects ids in memory of their own: an operand that has as many, else the one empty list, else a
 * copy, which later results do not change.
 */
function expectIds(found: Uint32Array, ids: Uint32Array, operands: readonly Uint32Array[]): void {
  expect(found).toEqual(ids)
  const operand = operands.find(({ length }) => length === ids.length)
  if (operand !== undefined) expect(found).toBe(operand)
  else if (ids.length === 0) expect(found).toBe(EMPTY_IDS)
  else expect(found.buffer.byteLength).toBe(ids.length * 4)
}

it('returns common, all and own ids, or an operand that is the result', () => {
  fc.assert(
    fc.property(pair, ([a, b]) => {
      const short = a.length < b.length ? a : b
      expectIds(andSparse(a, b), common(a, b), [a.length === b.length ? a : short])
      expectIds(andSparse(b, a), common(a, b), [short])
      expectIds(andNotSparse(a, b), own(a, b), [a])
      expectIds(andNotSparse(b, a), own(b, a), [b])
      expectIds(orSparse(a, b), sorted([...a, ...b]), [a, b])
      expectIds(orSparse(b, a), sorted([...a, ...b]), [b, a])
    }),
  )
})

it('returns ids whose bits are set or clear; bits past the words are clear', () => {
  fc.assert(
    fc.property(pair, fc.nat(ID_END / 32 + 1), ([a, b], count) => {
      const words = wordsOf(b).subarray(0, count)
      const inside = b.filter((id) => id < count * 32)
      expectIds(filterByWords(a, words, true), common(a, inside), [a])
      expectIds(filterByWords(a, words, false), own(a, inside), [a])
    }),
  )
})

it('clears bits of the first words, and counts those that were set', () => {
  fc.assert(
    fc.property(pair, fc.nat(ID_END / 32), ([a, b], count) => {
      const words = wordsOf(a)
      const gone = common(a, b).filter((id) => id < count * 32)
      expect(clearIds(words, b, count)).toBe(gone.length)
      expect(words).toEqual(wordsOf(own(a, gone)))
    }),
  )
})

it('finds the first id at or after a place, or below a number, that is not less', () => {
  fc.assert(
    fc.property(list, fc.nat(60), fc.nat(ID_END), (ids, at, id) => {
      const place = Math.min(at, ids.length)
      const less = ids.filter((other) => other < id).length
      expect(gallop(ids, place, id)).toBe(Math.max(place, less))
      expect(lowerBound(ids, id)).toBe(less)
      expect(lowerBound(ids, id, place)).toBe(Math.min(place, less))
    }),
  )
})
