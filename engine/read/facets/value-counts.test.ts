// Counts of values in all ways of counting, and which way is taken: for the first of many values, for
// few candidates, for nearly all.
import { describe, expect, it, vi } from 'vitest'
import { docOf, readerOf } from '../../../fixtures/format/columns/model.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { CandidatePart, candidateParts } from './segments.ts'
import { numberCounts, postingCost, stringCountArray, stringCounts } from './value-counts.ts'

const COUNT = 6000
const docs = Array.from({ length: COUNT }, (_, id) =>
  docOf(id, { 0: [id % 5000, 7], 1: [`A${id % 900}`, `a${id % 900}`, `b${id % 7}`] }),
)
const reader = readerOf(docs)
const field = (id: number) => reader.field(id)!

const partOf = (...ids: number[]): CandidatePart =>
  new CandidatePart({ reader, dead: null }, IdSet.of(ids))
const range = (from: number, to: number, step = 1): number[] =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step)

/** Value → count of the documents, in the order of values. */
function expected(ids: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const id of ids) {
    for (const value of new Set([id % 5000, 7])) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return new Map([...counts].sort(([a], [b]) => a - b))
}

describe('the numbers of candidates', () => {
  it.each<[string, number[], number]>([
    ['all', range(0, COUNT), Infinity],
    ['few', [3, 7, 5007], Infinity],
    ['one', [9], 1],
    ['nearly all', range(1, COUNT), Infinity],
    ['half, of which few are wanted', range(0, COUNT, 2), 3],
    ['half, of which all are wanted', range(0, COUNT, 2), Infinity],
    ['the last ones, of which few are wanted', range(4000, COUNT), 3],
  ])('%s are counted in order', (_, ids, wanted) => {
    const part = partOf(...ids)
    const counts = numberCounts(part, field(0), wanted)!
    const { numbers } = field(0)
    const found: [number, number][] = []
    while (counts.next()) found.push([Number(numbers!.at(counts.ordinal)), counts.count])
    expect(found).toEqual([...expected(ids)])
    expect(counts.next()).toBe(false)
    const ends = part.ends.get(numbers!)
    if (ends === undefined) return
    expect([ends.first, ends.last].map((at) => Number(numbers!.at(at)))).toEqual([
      found[0]![0],
      found.at(-1)![0],
    ])
  })

  it.each<[string, number[], number, string[]]>([
    ['few candidates: their rows are collected', [3, 7], Infinity, ['collect']],
    ['the first of many values: postings', range(0, COUNT, 2), 3, ['countIn']],
    ['all values of half: rows', range(0, COUNT, 2), Infinity, ['count']],
    ['nearly all: rows of the others', range(1, COUNT), Infinity, ['count of 1']],
    ['all: neither', range(0, COUNT), Infinity, []],
  ])('are read from %s', (_, ids, wanted, ways) => {
    const { postings, rows } = field(0).numbers!
    const used = new Set<string>()
    const spies = [
      vi.spyOn(rows, 'count').mockImplementation((some) => {
        used.add(some.length === 1 ? 'count of 1' : 'count')
      }),
      vi.spyOn(postings, 'countIn').mockImplementation(() => {
        used.add('countIn')
        return 1
      }),
      vi.spyOn(rows, 'collect').mockImplementation(() => {
        used.add('collect')
        return new Uint32Array(0)
      }),
    ]
    numberCounts(partOf(...ids), field(0), wanted)!.next()
    for (const spy of spies) spy.mockRestore()
    expect([...used]).toEqual(ways)
  })
})

it('texts are counted by their normal form, in all ways', () => {
  const { strings } = field(1)
  for (const ids of [range(0, COUNT), range(0, COUNT, 2), range(5, COUNT), [3, 4]]) {
    const array = stringCountArray(partOf(...ids), strings!)
    const counts = stringCounts(partOf(...ids), field(1), Infinity)!
    let sum = 0
    while (counts.next()) {
      expect(array[counts.ordinal]).toBe(counts.count)
      sum += counts.count
    }
    expect([sum, array.length]).toEqual([ids.length * 2, 907])
  }
  expect(numberCounts(partOf(1), field(1), 1)).toBeNull()
  expect(stringCounts(partOf(1), field(0), 1)).toBeNull()
})

it('counting in a posting costs more if it is longer', () => {
  const costs = [1, 32, 33, 400, 600, 60_000].map((docsPerValue) =>
    postingCost(docsPerValue, 65_536),
  )
  expect(costs).toEqual([32, 404, 182, 1650, 2050, 2050])
  expect(postingCost(60_000, 65_537)).toBe(4050)
})

it('candidates are those that are live in a segment', () => {
  const apart = readerOf([docOf(10, { 0: 1 }), docOf(12, { 0: 1 }), docOf(19, { 0: 1 })])
  const close = readerOf(range(30, 40).map((id) => docOf(id, { 0: 1 })))
  const segments = [
    { reader: apart, dead: IdSet.of([12]) },
    { reader: close, dead: null },
    { reader: close, dead: IdSet.range(30, 35) },
  ]
  const of = (ids: IdSet) => candidateParts(segments, ids).map(({ set }) => [...set.toArray()])
  expect(of(IdSet.of([9, 10, 11, 12, 19, 20, 29, 30, 34, 39, 40]))).toEqual([
    [10, 19],
    [30, 34, 39],
    [39],
  ])
  expect(of(IdSet.range(0, 100))).toEqual([[10, 19], range(30, 40), range(35, 40)])
  expect(of(IdSet.of([31]))).toEqual([[31]])
  expect(of(IdSet.empty)).toEqual([])
  const [whole, part] = candidateParts(segments.slice(1), IdSet.range(0, 100))
  expect([whole!.isWhole, part!.isWhole, [...part!.missing]]).toEqual([true, false, range(30, 35)])
  expect([...whole!.words].at(-1)).toBe(0xff)
})
