// Which of several ways to the same result is taken, by the sizes at which it changes, and how much is
// read on the way.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { docOf, readerOf } from '../../../fixtures/format/columns/model.ts'
import { asSegmentNo } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { bucketsOf } from './buckets.ts'
import { searchFacetTexts } from './facet-values.ts'
import { FoldedCache, FoldedValues } from './facet-values-folded.ts'
import { matchingRanges } from './facet-values-match.ts'
import { searchFacetValues } from './facet-values-numbers.ts'
import { ValueCounter } from './facet-values-source.ts'
import { DistinctFilter, FacetScope } from './index.ts'
import { keyStream } from './key-streams.ts'
import { CandidatePart } from './segments.ts'
import { numberCounts, stringCounts } from './value-counts.ts'

const COUNT = 6000
/**
 * Fields: a number of its own, one of 60 numbers, two numbers, one of 900 texts, a text of its own,
 * one text in two forms.
 */
const [OWN, SHARED, TWO, FEW, MANY, BOTH] = [0, 1, 2, 3, 4, 5] as const
const reader = readerOf(
  Array.from({ length: COUNT }, (_, id) =>
    docOf(id, {
      [OWN]: id,
      [SHARED]: id % 60,
      [TWO]: [id % 5000, 7],
      [FEW]: `t${id % 900}`,
      [MANY]: `t${id}`,
      [BOTH]: id % 2 === 0 ? 'T' : 't',
    }),
  ),
)
const field = (id: number) => reader.field(id)!
const partOf = (ids: IdSet): CandidatePart => new CandidatePart({ reader, dead: null }, ids)
const first = (count: number): CandidatePart => partOf(IdSet.range(0, count))

/** Returns the largest number up to `max` for which `is` is true; it is true up to there. */
function last(max: number, is: (n: number) => boolean): number {
  let low = 0
  let high = max
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (is(middle)) low = middle
    else high = middle - 1
  }
  return low
}

afterEach(() => void vi.restoreAllMocks())

/** Returns how often `work` calls a method of an object. */
function calls<T extends object>(object: T, method: keyof T & string, work: () => void): number {
  const spy = vi.spyOn(object as { [name: string]: () => void }, method)
  work()
  const { length } = spy.mock.calls
  spy.mockRestore()
  return length
}

describe('the keys of a sort', () => {
  const isHeap = (id: number, part: CandidatePart, descending = false): boolean =>
    calls(field(id).numbers!.postings, 'ids', () => {
      keyStream(part, field(id), descending)!.next()
    }) === 0

  it('are in a heap for few candidates', () => {
    const most = [OWN, SHARED, TWO].map((id) => last(COUNT, (n) => n === 0 || isHeap(id, first(n))))
    expect(most).toEqual([467, 257, 365])
  })

  it('of many begin at the least one, if it is far', () => {
    const firstKey = (from: number, count: number, descending = false): number =>
      keyStream(partOf(IdSet.range(from, from + count)), field(OWN), descending)!.key + 1
    const near = (count: number, descending: boolean): number =>
      last(COUNT - count, (from) => {
        const at = descending ? COUNT - count - from : from
        return firstKey(at, count, descending) === 0
      })
    expect([1000, 4000].map((count) => near(count, false))).toEqual([750, 1000])
    // The last sampled candidate is the 96th from the end.
    expect([1000, 4000].map((count) => near(count, true))).toEqual([655, 911])
    expect([firstKey(2000, 1000), firstKey(2000, 1000, true)]).toEqual([2000, 3000])
  })

  it('are sampled all over the candidates', () => {
    const sampled = (one: typeof reader, ids: IdSet): number[] => {
      const spy = vi.spyOn(one.field(OWN)!, 'sortKeys')
      keyStream(new CandidatePart({ reader: one, dead: null }, ids), one.field(OWN)!, false)
      const [keys] = spy.mock.calls[0]!
      spy.mockRestore()
      return [...keys]
    }
    const all = Array.from({ length: 64 }, (_, i) => i)
    const apart = Array.from({ length: 640 }, (_, id) => docOf(id * 40, { [OWN]: id }))
    const some = IdSet.of(apart.map(({ id }) => id))
    expect(sampled(readerOf(apart), some)).toEqual(all.map((i) => i * 400))
    // A bitmap of 125 words, of which the first 25 are empty: the first candidate of a word.
    expect(sampled(reader, IdSet.range(800, 4000))).toEqual(
      all.map((i) => Math.max(25, Math.floor((i * 125) / 64)) * 32),
    )
  })
})

describe('the values of candidates', () => {
  const way = (id: number, part: CandidatePart, wanted: number): string => {
    const { postings, rows } = field(id).numbers!
    const work = (): void => void numberCounts(part, field(id), wanted)!.next()
    if (calls(rows, 'collect', work) > 0) return 'few'
    if (calls(postings, 'countIn', work) > 0) return 'walk'
    const spy = vi.spyOn(rows, 'count')
    work()
    const [call] = spy.mock.calls
    spy.mockRestore()
    return call === undefined ? 'stored' : call[0].length === part.size ? 'rows' : 'less'
  }
  const all = Number.POSITIVE_INFINITY

  it('are collected up to 512', () => {
    const most = [OWN, TWO].map((id) =>
      last(COUNT, (n) => n === 0 || way(id, first(n), all) === 'few'),
    )
    expect(most).toEqual([512, 256])
  })

  it.each([
    [SHARED, 3000, 17],
    [TWO, 1000, 30],
    [TWO, 3000, 226],
    [OWN, 3000, 126],
    [TWO, 5900, 7],
  ])(
    'of the field %i with %i candidates are walked for up to %i wanted ones',
    (id, count, most) => {
      expect(last(COUNT, (n) => n === 0 || way(id, first(count), n) === 'walk')).toBe(most)
    },
  )

  it('are counted by rows of the others if they are most', () => {
    const most = [OWN, SHARED, TWO].map((id) =>
      last(COUNT, (n) => n <= 600 || way(id, first(n), all) !== 'less'),
    )
    expect(most).toEqual([3375, 3003, 3227])
  })

  it('of a facet search are all counted if many are read', () => {
    const column = (id: number) => field(id).strings!
    const isCounted = (id: number, part: CandidatePart, matching: number, wanted: number) => {
      const { postings, rows } = column(id)
      const work = (): void => void new ValueCounter(part, column(id), matching, wanted)
      return calls(rows, 'count', work) + calls(postings, 'sizes', work) > 0
    }
    const most = (id: number, part: CandidatePart): number[] => [
      last(COUNT, (n) => !isCounted(id, part, n, all)),
      last(COUNT, (n) => !isCounted(id, part, all, n)),
    ]
    const counts = [COUNT, 100, 3000, 5900]
    expect(counts.map((count) => most(FEW, first(count)))).toEqual([
      [90, 90],
      [26, 2],
      [258, 258],
      [26, 26],
    ])
    expect(counts.map((count) => most(MANY, first(count)))).toEqual([
      [600, 600],
      [400, 6],
      [1125, 562],
      [400, 393],
    ])
  })
})

describe('the extremes of numbers', () => {
  const work = (part: CandidatePart, id: number = OWN): number[] => {
    const numbers = field(id).numbers!
    const scope = { stats: () => new FacetScope([part.segment], part.set).stats(id) }
    const tried = calls(numbers.postings, 'countIn', scope.stats)
    const spy = vi.spyOn(numbers.rows, 'extremes')
    scope.stats()
    const read = spy.mock.calls.length
    spy.mockRestore()
    return [tried, read]
  }
  it('are tried from both ends, and read from rows if that fails', () => {
    const range = (from: number, to: number) => partOf(IdSet.range(from, to))
    expect({
      all: work(range(0, COUNT)),
      few: work(range(64, 64 + 256)),
      many: work(range(64, 64 + 257)),
      near: work(range(63, COUNT - 63)),
      below: work(range(63, COUNT - 64)),
      above: work(range(64, COUNT - 63)),
      shared: work(range(64, 64 + 2000), SHARED),
    }).toEqual({
      all: [0, 0],
      few: [0, 2],
      many: [128, 2],
      near: [128, 0],
      below: [128, 1],
      above: [128, 1],
      shared: [2, 0],
    })
  })
})

describe('little is read', () => {
  it('of buckets with one number of each document', () => {
    const counted = (id: number): number =>
      calls(field(id).numbers!.rows, 'countGroups', () => {
        const buckets = bucketsOf({ attribute: 'f', histogram: { interval: 10, offset: 0 } })!
        new FacetScope([{ reader, dead: null }], IdSet.range(0, 50)).buckets(
          id,
          buckets,
          100,
          () => {
            throw new Error('too many')
          },
        )
      })
    expect([OWN, TWO].map(counted)).toEqual([0, 1])
  })

  it('of distinct values that were seen', () => {
    const one = readerOf([0, 1, 2].map((id) => docOf(id, { 0: ['a', 1] })))
    const two = readerOf([3, 4].map((id) => docOf(id, { 0: [['b', 'a'][id - 3]!, id - 2] })))
    const of = (...readers: (typeof one)[]): number[] => {
      const filter = new DistinctFilter(
        readers.map((each) => ({ reader: each, dead: null })),
        0,
      )
      const spies = readers.flatMap((each) => [
        vi.spyOn(each.field(0)!, 'stringAt'),
        vi.spyOn(each.field(0)!, 'findString'),
        vi.spyOn(each.field(0)!, 'findNumber'),
      ])
      const admitted = [0, 1, 2, ...(readers.length > 1 ? [3, 4] : [])].map((id) =>
        Number(filter.admit(id)),
      )
      const counts = spies.map(({ mock }) => mock.calls.length)
      vi.restoreAllMocks()
      return [...admitted, ...counts]
    }
    expect(of(one)).toEqual([1, 0, 0, ...[0, 0, 0]])
    expect(of(one, two)).toEqual([1, 0, 0, 0, 0, ...[1, 0, 0], ...[0, 1, 1]])
  })

  it('of originals that all documents share', () => {
    const read = (...texts: (readonly string[])[]): number => {
      const readers = texts.map((some, at) =>
        readerOf(some.map((text, i) => docOf(at * 10 + i, { 0: text }))),
      )
      const spies = readers.map((each) => vi.spyOn(each.field(0)!.strings!, 'variantIn'))
      const scope = new FacetScope(
        readers.map((each) => ({ reader: each, dead: null })),
        IdSet.range(0, 40),
      )
      scope.distribution(0, { order: 'alpha', limit: 10 })
      return spies.reduce((sum, { mock }) => sum + mock.calls.length, 0)
    }
    expect([read(['a', 'a']), read(['a', 'A'])]).toEqual([0, 1])
    expect([read(['a'], ['a']), read(['a'], ['A']), read(['a'], ['a', 'A'])]).toEqual([0, 1, 1])
  })
})

it('values of printable ASCII are not folded', () => {
  const values = ['a ~', 'b\u007fx', 'c\u001fx', 'd\u0020x', 'é'].map((value, i) =>
    docOf(i, { 0: value }),
  )
  const fold = vi.fn((text: string) => text)
  FoldedValues.of(readerOf(values).field(0)!.strings!, { key: '', fold }, () => undefined)
  expect(fold.mock.calls).toEqual([['b\u007fx'], ['c\u001fx'], ['e\u0301']])
})

describe('work is watched', () => {
  const DOCS = 9000
  const marked = readerOf(
    Array.from({ length: DOCS }, (_, i) => docOf(i, { 0: [`é${10_000 + i}`, i, `x${i}`] })),
  )
  const strings = marked.field(0)!.strings!
  const paused = (work: (pause: () => void) => void): number => {
    const pause = vi.fn()
    work(pause)
    return pause.mock.calls.length
  }
  const folding = { key: '', fold: (text: string) => text.replace('\u0301', '') }

  it('once for each 4096 values', () => {
    const prefix = { kind: 'prefix', text: 'zzzzz', typosMax: 1 } as const
    const options = (limit: number, pause: () => void) =>
      ({
        ...({ query: { kind: 'any' }, folding, order: 'count', limit, pause } as const),
        cache: new FoldedCache(1),
      }) as const
    const segments = [{ reader: marked, dead: null, ref: { segment: asSegmentNo(1) } }]
    const ids = IdSet.range(0, DOCS)
    expect({
      folded: paused((pause) => FoldedValues.of(strings, folding, pause)),
      near: paused((pause) => matchingRanges(strings.dictionary, prefix, pause)),
      exact: paused((pause) =>
        matchingRanges(strings.dictionary, { ...prefix, typosMax: 0 }, pause),
      ),
      texts: paused((pause) => searchFacetTexts(segments, 0, ids, options(9, pause))),
      all: paused((pause) => searchFacetValues(segments, 0, ids, options(9, pause))),
    }).toEqual({ folded: 5, near: 1, exact: 0, texts: 5, all: 7 })
  })
})

it('counts of texts are folded where documents write one in two ways', () => {
  const folded = [FEW, BOTH].map((id) =>
    calls(field(id).strings!.originals, 'further', () => {
      stringCounts(first(3000), field(id), 10)
    }),
  )
  expect(folded).toEqual([0, 1])
})
