// The tables of words of a segment: their limits, and the limit that all segments share.
import { describe, expect, it } from 'vitest'
import { LruCache } from '../../../format/cache/index.ts'
import { FoundWords } from './found-words.ts'

const limitOf = (entries: number) => new LruCache<FoundWords, FoundWords>(entries)
const LONGEST = Array.from({ length: 64 }, (_, field) => field)

describe('words that were looked up', () => {
  it('keep ordinals, the absence of a word, and fields', () => {
    const limit = limitOf(10)
    const words = new FoundWords(limit)
    expect([words.ordinal('a'), words.fields(0), words.prefixFields('a')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    words.addOrdinal('a', 0)
    words.addOrdinal('b', -1)
    words.addFields(0, [1, 2])
    words.addFields(1, LONGEST)
    words.addPrefixFields('a', LONGEST)
    expect([words.ordinal('a'), words.ordinal('b')]).toEqual([0, -1])
    expect([words.fields(0), words.fields(1)]).toEqual([[1, 2], LONGEST])
    expect(words.prefixFields('a')).toEqual(LONGEST)
    expect(limit.cost).toBe(5)
  })

  it('return long lists of fields without keeping them', () => {
    const limit = limitOf(10)
    const words = new FoundWords(limit)
    const long = [...LONGEST, 64]
    expect([words.addFields(0, long), words.addPrefixFields('a', long)]).toEqual([long, long])
    expect([words.fields(0), words.prefixFields('a'), limit.cost]).toEqual([
      undefined,
      undefined,
      0,
    ])
  })

  it.each<[string, number, (words: FoundWords, i: number) => void]>([
    ['words', 32_768, (words, i) => words.addOrdinal(`${i}`, i)],
    ['fields of terms', 8192, (words, i) => words.addFields(i, [])],
    ['fields of prefixes', 8192, (words, i) => words.addPrefixFields(`${i}`, [])],
  ])('are all dropped after many %s', (_, max, add) => {
    const limit = limitOf(1e9)
    const words = new FoundWords(limit)
    for (let i = 0; i < max; i++) add(words, i)
    expect(limit.cost).toBe(max)
    add(words, max)
    expect(limit.cost).toBe(1)
  })

  it('of a segment give way to those of others', () => {
    const limit = limitOf(2)
    const [first, second] = [new FoundWords(limit), new FoundWords(limit)]
    first.addOrdinal('a', 1)
    first.addFields(1, [7])
    second.addOrdinal('a', 2)
    expect([first.ordinal('a'), first.fields(1), second.ordinal('a')]).toEqual([
      undefined,
      undefined,
      2,
    ])
    expect(limit.cost).toBe(1)
  })
})
