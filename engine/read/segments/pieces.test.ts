// Ranges of ordinals, and conditions on vectors.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IdSet } from '../../../format/idset/index.ts'
import { OrdinalRanges } from './ordinal-ranges.ts'
import { EmbedderFilters } from './vector-filters.ts'
import type { VectorIndex } from './vector-index.ts'

it('ranges in any order become ascending ones that do not touch', () => {
  const pair = fc.tuple(fc.nat(40), fc.nat(8))
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 12 }), fc.boolean(), (pairs, ascending) => {
      const given = ascending ? pairs.toSorted(([a], [b]) => a - b) : pairs
      const ranges = new OrdinalRanges()
      const expected = new Set<number>()
      for (const [from, length] of given) {
        ranges.add(from, from + length)
        for (let i = from; i < from + length; i++) expected.add(i)
      }
      const taken: [number, number][] = []
      ranges.merged((from, to) => taken.push([from, to]))
      const covered = taken.flatMap(([from, to]) =>
        Array.from({ length: to - from }, (_, i) => from + i),
      )
      expect(covered).toEqual([...expected].sort((a, b) => a - b))
      expect(taken.every(([from], i) => i === 0 || from > taken[i - 1]![1])).toBe(true)
    }),
  )
})

describe('a condition on vectors', () => {
  const OWN = 1
  const REGENERATES = 2
  /** Documents 1 to 5: status and number of vectors. */
  const ROWS: readonly (readonly [status: number, rows: number])[] = [
    [OWN, 2],
    [OWN | REGENERATES, 1],
    [REGENERATES, 1],
    [OWN, 0],
    [REGENERATES, 0],
  ]
  const vectors = {
    idsWhere: (holds: (status: number, rows: number) => boolean) =>
      IdSet.of(ROWS.flatMap(([status, rows], i) => (holds(status, rows) ? [i + 1] : []))),
    idsOfFragment: (fragment: number) => IdSet.of(fragment === 1 ? [1, 3, 5] : [3]),
  } as unknown as VectorIndex
  const none = { ...vectors, idsWhere: () => IdSet.of([9]) } as unknown as VectorIndex
  const filters = new EmbedderFilters(
    [
      { name: 'e', fragments: [] },
      { name: 'f', fragments: ['x', 'y'] },
    ],
    (name) => (name === 'e' ? vectors : none),
  )
  const ids = (set: IdSet): number[] => [...set.toArray()]

  it.each([
    ['any', [1, 2, 3]],
    ['userProvided', [1, 2, 4]],
    ['documentTemplate', [3]],
    ['regenerate', [2, 3]],
  ] as const)('of the part %s holds for the documents %j', (part, expected) => {
    expect(ids(filters.of('e', part))).toEqual(expected)
  })

  it('names embedders and fragments, and unites them', () => {
    expect(filters.embedders()).toEqual(['e', 'f'])
    expect([filters.fragments('f'), filters.fragments('g')]).toEqual([['x', 'y'], []])
    expect(ids(filters.any())).toEqual([1, 2, 3, 9])
    expect(ids(filters.of('f', 'documentTemplate'))).toEqual([])
  })

  it('of a fragment holds for computed vectors alone', () => {
    const named = new EmbedderFilters([{ name: 'e', fragments: ['x', 'y'] }], () => vectors)
    expect([ids(named.ofFragment('e', 'y')), ids(named.ofFragment('e', 'x'))]).toEqual([
      [3, 5],
      [3],
    ])
  })
})
