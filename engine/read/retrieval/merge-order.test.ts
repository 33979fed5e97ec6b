// Keys of hits: their parts, their order, and merging by them.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ScoreDetail } from '../rank/index.ts'
import {
  byExternalId,
  compareFirstParts,
  compareInOrder,
  compareKeys,
  type MergeKey,
  mergeKey,
  mergeLists,
  scaledKey,
} from './merge-order.ts'

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
    const nearly = 1 + Number.EPSILON
    expect(order(mergeKey([words(1, 3)], 1, 0), mergeKey([words(1, 3)], nearly, 1))).toBe('a')
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

describe('the parts of a key', () => {
  const bm25: ScoreDetail = { kind: 'bm25', score: 5, shares: () => [] }
  const near = (similarity: number | null): ScoreDetail => ({ kind: 'vectorSort', similarity })
  const fusion: ScoreDetail = { kind: 'fusion', wordsRank: 1, vectorRank: null, score: 0.5 }
  const part = (score: number) => ({ kind: 'score', score })
  const placed = { kind: 'geo', ascending: true, distance: 7 }

  it.each<[readonly ScoreDetail[], readonly object[]]>([
    [
      [words(2), bm25, words(4)],
      [part(2), part(2), part(4)],
    ],
    [[near(0.5)], [part(2)]],
    [[near(null)], [part(0)]],
    [
      [geo(7), words(1)],
      [placed, part(1)],
    ],
    // Factors have moved it before, and the details of both lists follow.
    [
      [sort('a'), fusion, words(4)],
      [{ kind: 'sort', ascending: true, value: 'a' }, part(1)],
    ],
  ])('of %j, at the weight 2 and the factor 2', (scores, parts) => {
    const key = mergeKey(scores, 2, 3, null, 2)
    expect(key).toMatchObject({ position: 3, scale: 2 })
    expect(key.parts).toEqual(parts)
  })

  it('of fields that are not sent are hidden', () => {
    const hides = (field: string) => field === 'f'
    const hidden = (isHidden: (field: string) => boolean) =>
      mergeKey([sort(1), geo(7)], 1, 0, isHidden).parts.map(
        (one) => 'isHidden' in one && one.isHidden === true,
      )
    expect(hidden(hides)).toEqual([true, false])
    expect(hidden((field) => field === '_geo')).toEqual([false, true])
  })

  it('are multiplied by a factor as if it had come with the scores', () => {
    const scores = [words(3), sort(1), words(2), geo(7), bm25]
    const { parts, scale } = mergeKey(scores, 1, 0, null, 0.3)
    expect(scaledKey(mergeKey(scores, 1, 0), 0.3)).toEqual({ parts, scale })
    expect(mergeKey(scores, 1, 0)).not.toHaveProperty('scale')
  })
})

describe('equal scores', () => {
  const key = (scale?: number, externalId?: string, position = 0): MergeKey => ({
    ...mergeKey([], 1, position, null, scale),
    ...(externalId === undefined ? {} : { externalId }),
  })
  it('are in the order of factors, positions and ids', () => {
    expect(order(key(2, 'b', 1), key(1, 'a', 0))).toBe('a')
    expect(order(key(), key(0.5))).toBe('a')
    expect(order(key(1, 'b', 0), key(1, 'a', 1))).toBe('a')
    expect(order(key(1, 'b'), key(1, 'a'))).toBe('b')
    expect(order(key(1, '10'), key(1, '9'))).toBe('b')
    expect([byExternalId(key(1, 'b'), key()), byExternalId(key(), key(1, 'b'))]).toEqual([0, 0])
  })
})

describe('hits of one search', () => {
  const keyOf = (scores: readonly ScoreDetail[], scale?: number) =>
    mergeKey(scores, 1, 0, null, scale)
  it('are in the direction of a sort by distance', () => {
    const sign = (a: ScoreDetail, b: ScoreDetail) => {
      const [first, second] = [keyOf([a]), keyOf([b])]
      expect(compareInOrder(second, first) + compareInOrder(first, second)).toBe(0)
      return Math.sign(compareFirstParts(first, second))
    }
    expect([sign(geo(5), geo(7)), sign(geo(5, false), geo(7, false))]).toEqual([-1, 1])
    expect([sign(geo(null), geo(7)), sign(geo(null, false), geo(7, false))]).toEqual([1, 1])
    expect([sign(geo(5), geo(5)), sign(geo(5), sort(1))]).toEqual([0, 0])
  })

  it('are compared by shared parts, then by length, then by factor', () => {
    const [short, long] = [keyOf([sort(1)], 2), keyOf([sort(1), words(1)], 2)]
    expect([compareFirstParts(short, long), Math.sign(compareInOrder(short, long))]).toEqual([0, 1])
    expect(compareInOrder(keyOf([sort(1)], 2), keyOf([sort(1)]))).toBe(-1)
    expect(compareFirstParts(keyOf([sort(1)], 2), keyOf([sort(1)]))).toBe(0)
    expect(compareInOrder(keyOf([sort(1)], 2), keyOf([sort(2)], 3))).toBe(-1)
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

  it('takes the first list first, of keys that are equal in everything', () => {
    const lists = ['a', 'b', 'c'].map((name) => [{ name, key: mergeKey([words(1)], 1, 0) }])
    expect(mergeLists(lists, ({ key }) => key).map(({ name }) => name)).toEqual(['a', 'b', 'c'])
  })

  it('returns an empty list for no lists', () => {
    expect(mergeLists([], (key: MergeKey) => key)).toEqual([])
    expect(mergeLists([[], []], (key: MergeKey) => key)).toEqual([])
  })
})
