// Keys of hits: their parts, their order, and merging by them.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ScoreDetail } from '../rank/index.ts'
import { compareKeys, type MergeKey, mergeKey, mergeLists } from './merge-order.ts'

const words = (rank: number, max = 4): ScoreDetail => ({ kind: 'words', rank, max })
const typo = (typos: number): ScoreDetail => ({ kind: 'typo', typos, typosMax: 3 })
const sort = (value: number | string | null, ascending = true): ScoreDetail => ({
  kind: 'sort',
  field: 'f',
  ascending,
  value,
})
const geo = (distance: number | null, ascending = true): ScoreDetail => ({
  kind: 'geo',
  target: [0, 0],
  ascending,
  point: null,
  distance,
})

const order = (a: MergeKey, b: MergeKey): string => {
  const forth = Math.sign(compareKeys(a, b))
  expect(Math.sign(compareKeys(b, a))).toBe(forth === 0 ? 0 : -forth)
  return forth < 0 ? 'a' : 'b'
}
const between = (a: readonly ScoreDetail[], b: readonly ScoreDetail[]): string =>
  order(mergeKey(a, 1, 0), mergeKey(b, 1, 1))

describe('a key', () => {
  it('combines relevancy rules between sorts into one number', () => {
    const { parts, score } = mergeKey([words(4), typo(0), sort(3), words(2), typo(3)], 0.5, 0)
    expect(parts).toEqual([
      { kind: 'score', score: 0.5 },
      { kind: 'sort', ascending: true, value: 3 },
      { kind: 'score', score: 5 / 16 / 2 },
    ])
    expect(score).toBe(245 / 512)
  })

  it('is multiplied by the weight of its search', () => {
    const better = mergeKey([words(4)], 0.5, 0)
    const worse = mergeKey([words(3)], 1, 1)
    expect(order(better, worse)).toBe('b')
    expect(mergeKey([words(4)], 0, 0).score).toBe(0)
  })

  it('uses the position to break ties', () => {
    expect(order(mergeKey([words(4)], 1, 2), mergeKey([words(4)], 1, 1))).toBe('b')
    expect(between([], [])).toBe('a')
    expect(order(mergeKey([words(1, 3)], 3, 0), mergeKey([words(1, 3)], 3 + 1e-17, 1))).toBe('a')
  })

  it('orders sorted values: numbers, texts, nothing, in both directions', () => {
    for (const ascending of [true, false]) {
      expect(between([sort(null, ascending)], [sort('x', ascending)])).toBe('b')
      expect(between([sort('x', ascending)], [sort(9, ascending)])).toBe('b')
      expect(between([sort(null, ascending)], [sort(null, ascending)])).toBe('a')
    }
    expect(between([sort(2)], [sort(1)])).toBe('b')
    expect(between([sort(2, false)], [sort(1, false)])).toBe('a')
    expect(between([sort('b')], [sort('é')])).toBe('a')
    expect(between([sort('b', false)], [sort('é', false)])).toBe('b')
  })

  it('puts the farther place first, in both directions', () => {
    for (const ascending of [true, false]) {
      expect(between([geo(5, ascending)], [geo(7, ascending)])).toBe('b')
      expect(between([geo(null, ascending)], [geo(7, ascending)])).toBe('b')
      expect(between([geo(null, ascending)], [geo(null, ascending)])).toBe('a')
    }
  })

  it('comes first if it is longer and the shared part is equal', () => {
    expect(between([], [words(1)])).toBe('b')
    expect(between([words(4)], [words(4), sort(null)])).toBe('b')
  })

  it('is compared by length, then by score, if its parts are incomparable', () => {
    expect(between([words(4)], [sort(1), words(1)])).toBe('b')
    expect(between([words(1)], [sort(1)])).toBe('b')
    expect(between([sort(1)], [sort(1, false)])).toBe('a')
    expect(between([sort(1)], [geo(1)])).toBe('a')
  })
})

describe('merging', () => {
  const scores = fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 12 })

  it('gives the same result as sorting if the lists are sorted', () => {
    fc.assert(
      fc.property(fc.array(scores, { maxLength: 9 }), (lists) => {
        const keys = lists.map((list, position) =>
          [...list].sort((a, b) => b - a).map((rank) => mergeKey([words(rank, 20)], 1, position)),
        )
        const merged = mergeLists(keys, (key) => key)
        expect(merged).toEqual(keys.flat().sort(compareKeys))
      }),
    )
  })

  it('returns an empty list for no lists', () => {
    expect(mergeLists([], (key: MergeKey) => key)).toEqual([])
    expect(mergeLists([[], []], (key: MergeKey) => key)).toEqual([])
  })
})
