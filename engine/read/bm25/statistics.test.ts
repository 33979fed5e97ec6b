// Numbers of a network in place of those of one index.
import { describe, expect, it } from 'vitest'
import { IdSet } from '../../../format/idset/index.ts'
import { SmallText } from '../query-graph/test-support.ts'
import { Relevance, statisticsOf } from './index.ts'
import { averageOf, countStatistics, statisticsFrom } from './statistics.ts'

const DOCUMENTS = [
  { a: 'river stone', b: 'river' },
  { a: 'stone' },
  { a: 'stones and light' },
  { b: 'store' },
]
const PARAMETERS = { k1: 1.2, b: 0.75, weightOf: () => 1 }

function world(q: string) {
  const small = new SmallText(DOCUMENTS)
  const space = small.spaceOf(q)
  return { small, space, graph: small.graph(q, space)! }
}

const count = (q: string, among: IdSet) => {
  const { small, space, graph } = world(q)
  const { fields } = small.search
  const numbers = fields.map((_, field) => field)
  return countStatistics(graph, space, among, { fields: numbers as never, names: fields })
}

describe('the statistics of a part', () => {
  it('are the words of its fields, and its documents with each word by typos', () => {
    expect(count('stone river', IdSet.of([0, 1, 2, 3]))).toEqual({
      documents: 4,
      words: { a: 6, b: 2 },
      // `stones` and `store` are one typo away.
      frequencies: [
        [2, 4, 4],
        [1, 1, 1],
        // Both joined.
        [0, 0, 0],
      ],
    })
    expect(count('stone river', IdSet.of([1, 2]))).toEqual({
      documents: 2,
      words: { a: 4 },
      frequencies: [
        [1, 2, 2],
        [0, 0, 0],
        [0, 0, 0],
      ],
    })
  })

  it('sum up to those of the whole', () => {
    const whole = count('stone light', IdSet.of([0, 1, 2, 3]))
    const parts = [
      [0, 2],
      [1, 3],
    ].map((ids) => count('stone light', IdSet.of(ids)))
    const sum = (of: (one: typeof whole) => number): number =>
      parts.reduce((total, one) => total + of(one), 0)
    expect(sum(({ documents }) => documents)).toBe(whole.documents)
    expect(sum(({ words }) => words['a'] ?? 0)).toBe(whole.words['a'])
    expect(sum(({ frequencies }) => frequencies[0]![1]!)).toBe(whole.frequencies[0]![1])
  })

  it('are counted once for a set of documents', () => {
    const { small, space, graph } = world('stone')
    const of = (among: IdSet) =>
      countStatistics(graph, space, among, { fields: [0 as never], names: small.search.fields })
    const among = IdSet.of([0, 1])
    expect(of(among).words).toEqual(of(among).words)
    expect(of(IdSet.of([2])).words).toEqual({ [small.search.fields[0]!]: 3 })
  })
})

describe('scores with the statistics of a network', () => {
  const idfOf = (more: { documents?: number; frequencies?: readonly (readonly number[])[] }) => {
    const { small, space, graph } = world('stone river')
    const found = { ...count('stone river', IdSet.of([0, 1, 2, 3])), ...more }
    const statistics = statisticsFrom(found, small.search.fields)
    const relevance = new Relevance(space, graph, PARAMETERS, statistics)
    return new Map(relevance.sharesOf(0).map(({ word, idf }) => [word, idf]))
  }
  const idf = (documents: number, n: number): number =>
    Math.log(1 + (documents - n + 0.5) / (n + 0.5))

  it('equal those of the index if these are its numbers', () => {
    const { small, space, graph } = world('stone river')
    const names = small.search.fields
    const network = statisticsFrom(count('stone river', IdSet.of([0, 1, 2, 3])), names)
    const own = statisticsOf(small.index, 4)
    const [one, other] = [network, own].map((statistics) =>
      new Relevance(space, graph, PARAMETERS, statistics).sharesOf(0),
    )
    expect(one).toEqual(other)
    expect(averageOf(0 as never, network)).toBe(averageOf(0 as never, own))
  })

  it('take the counts of the network, of the least typos that occur', () => {
    const frequencies = [
      [10, 20, 30],
      [0, 0, 7],
    ]
    const found = idfOf({ documents: 100, frequencies })
    expect(found.get('stone')).toBeCloseTo(idf(100, 10), 9)
    expect(found.get('river')).toBeCloseTo(idf(100, 7), 9)
  })

  it('do not fail if more documents are counted than there are', () => {
    expect(idfOf({ documents: 5, frequencies: [[9], [1]] }).get('stone')).toBeCloseTo(idf(5, 5), 9)
  })

  it('take a field that no document has words in for one of length 1', () => {
    const statistics = statisticsFrom({ documents: 2, words: { a: 6 }, frequencies: [] }, [
      'a',
      'b',
    ])
    expect([averageOf(0 as never, statistics), averageOf(1 as never, statistics)]).toEqual([3, 1])
    const empty = statisticsFrom({ documents: 0, words: {}, frequencies: [] }, ['a'])
    expect(averageOf(0 as never, empty)).toBe(1)
  })
})
