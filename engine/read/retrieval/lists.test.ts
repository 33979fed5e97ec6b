// Retrievers that merge the lists of others, with lists that are given: which hits they take, how many
// they ask for, and the documents that they count.
import { describe, expect, it } from 'vitest'
import { docOf, readerOf } from '../../../fixtures/format/columns/model.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { DEFAULT_SEARCH, type SearchRequest } from '../../model/index.ts'
import { compileRules } from '../filter-syntax/index.ts'
import { DISTINCT_ORDERED_MAX, DISTINCT_SENT_MAX, VectorNeeded } from '../jobs/index.ts'
import type { RankedHit, Retriever, ScoreDetail, Window } from '../rank/index.ts'
import { type HybridParts, HybridRetriever, listWeight, type OneOfEach } from './hybrid.ts'
import {
  countedOnce,
  countedPage,
  distinctOf,
  type KeywordOptions,
  rankedPart,
  thresholdFor,
} from './keywords.ts'
import { ScaledRetriever } from './scaled.ts'

/** A list by id and score in hundredths; `asked` receives the documents and the window. */
type ListRequest = { readonly ids: readonly number[]; readonly window: Window }
type List = { readonly [id: number]: number }

function listed(
  list: List,
  detailOf: (score: number) => ScoreDetail,
  more: { asked?: ListRequest[]; degraded?: boolean; scale?: number } = {},
): Retriever {
  const { asked = [], degraded = false, scale } = more
  return {
    retrieve(universe, window) {
      asked.push({ ids: [...universe.toArray()], window })
      const hits = Object.entries(list)
        .map(([id, score]): RankedHit => {
          const hit = { id: Number(id), scores: [detailOf(score)] }
          return scale === undefined ? hit : { ...hit, scale }
        })
        .filter(({ id }) => universe.has(id))
        .sort((a, b) => list[b.id]! - list[a.id]!)
      const candidates = IdSet.of(hits.map(({ id }) => id))
      return { hits: hits.slice(window.offset, window.offset + window.limit), candidates, degraded }
    },
    matching: (universe) => universe,
  }
}

const byWords = (score: number): ScoreDetail => ({ kind: 'words', rank: score, max: 100 })
const byVector = (score: number): ScoreDetail => ({ kind: 'vectorSort', similarity: score / 100 })
const ALL = IdSet.range(0, 40)
const PAGE: Window = { offset: 0, limit: 10, finite: false }

/** Documents with the same last digit share a value. */
function oneOfEach(): OneOfEach {
  const seen = new Set<number>()
  return {
    admit: (id) => !seen.has(id % 10) && seen.add(id % 10).size > 0,
    excluded: () => IdSet.of([...ALL.toArray()].filter((id) => seen.has(id % 10))),
  }
}

const firstOfEach = (some: IdSet): IdSet => {
  const { admit } = oneOfEach()
  return IdSet.of([...some.toArray()].filter((id) => admit(id)))
}

describe('words and vectors', () => {
  type Given = Partial<HybridParts> & {
    readonly words?: List
    readonly near?: List
    readonly ratio?: number
    readonly fusion?: 'rrf'
    readonly countTotal?: boolean
    readonly window?: Partial<Window>
    readonly degraded?: readonly [words: boolean, near: boolean]
  }
  function found(given: Given) {
    const { countTotal = false, degraded = [false, false], near = {}, ratio = 0.5 } = given
    const { words = {}, window, fusion, ...parts } = given
    const asked: ListRequest[] = []
    const vectors = listed(near, byVector, { asked, degraded: degraded[1] })
    const keywords = listed(words, byWords, { asked, degraded: degraded[0] })
    const hybrid = { embedder: 'e', semanticRatio: ratio, ...(fusion && { fusion }) }
    const request = { ...DEFAULT_SEARCH, hybrid, countTotal } as SearchRequest
    const retriever = new HybridRetriever(
      {
        keywords,
        vectors,
        within: (universe) => universe,
        needed: null,
        distinct: () => null,
        countedOnce: firstOfEach,
        ...parts,
      },
      request,
    )
    expect(retriever.matching()).toBeNull()
    const ranking = retriever.retrieve(ALL, { ...PAGE, ...window })
    return {
      ids: ranking.hits.map(({ id }) => id),
      count: ranking.candidates.size,
      degraded: ranking.degraded,
      asked: asked.map((one) => [one.ids.length, one.window.offset, one.window.limit]),
    }
  }
  const WORDS = { 1: 80, 2: 60, 3: 40 }
  const NEAR = { 4: 90, 2: 70, 5: 60, 6: 10 }

  it.each<[string, Given, number[]]>([
    ['are merged by scores, each document once', {}, [4, 1, 2, 5, 3, 6]],
    ['have weights', { ratio: 0.9 }, [4, 2, 5, 6, 1, 3]],
    ['are cut to the page', { window: { offset: 1, limit: 3 } }, [1, 2, 5]],
    ['of equal scores, the vector comes first', { words: { 1: 90 }, near: { 4: 90 } }, [4, 1]],
    ['may be words alone', { near: {} }, [1, 2, 3]],
    ['may be vectors alone', { words: {}, window: { limit: 2 } }, [4, 2]],
    ['may have no vector', { vectors: null }, [1, 2, 3]],
    [
      'leave out what words exclude',
      { within: (ids) => ids.andNot(IdSet.of([4])) },
      [1, 2, 5, 3, 6],
    ],
    [
      'have each value once',
      { words: { 1: 80, 14: 60 }, near: { 4: 90, 11: 70 }, distinct: oneOfEach },
      [4, 1],
    ],
    ['are fused by rank', { fusion: 'rrf' }, [2, 4, 1, 5, 3, 6]],
    [
      'are fused before the page is cut',
      { fusion: 'rrf', window: { offset: 2, limit: 2 } },
      [1, 5],
    ],
    [
      'are fused, each value once',
      { fusion: 'rrf', words: { 1: 80, 14: 60 }, near: { 4: 90, 11: 70 }, distinct: oneOfEach },
      [4, 1],
    ],
  ])('%s', (_, given, ids) => {
    expect(found({ words: WORDS, near: NEAR, ...given }).ids).toEqual(ids)
  })

  it.each<[Given, number[][]]>([
    [
      { window: { offset: 3, limit: 4 } },
      [
        [40, 0, 7],
        [40, 0, 7],
      ],
    ],
    [
      { fusion: 'rrf', window: { offset: 3, limit: 4 } },
      [
        [40, 0, 100],
        [40, 0, 100],
      ],
    ],
    [
      { fusion: 'rrf', window: { offset: 97, limit: 4 } },
      [
        [40, 0, 101],
        [40, 0, 101],
      ],
    ],
    [{ fusion: 'rrf', vectors: null, window: { limit: 4 } }, [[40, 0, 4]]],
    // Two good hits by words suffice for a page of two.
    [{ ratio: 0.2, words: { 1: 80, 2: 57 }, window: { limit: 2 } }, [[40, 0, 2]]],
    [
      { ratio: 0.2, words: { 1: 80, 2: 56 }, window: { limit: 2 } },
      [
        [40, 0, 2],
        [40, 0, 2],
      ],
    ],
    [
      { ratio: 0.2, words: { 1: 80 }, window: { limit: 2 } },
      [
        [40, 0, 2],
        [40, 0, 2],
      ],
    ],
    [
      { ratio: 0.2, words: { 1: 80 }, fusion: 'rrf' },
      [
        [40, 0, 100],
        [40, 0, 100],
      ],
    ],
  ])('%j asks for as many hits as needed', (given, asked) => {
    expect(found({ words: WORDS, near: NEAR, ...given }).asked).toEqual(asked)
  })

  it('need the vector unless the words suffice', () => {
    const needed = new VectorNeeded({
      query: 0,
      embedder: {} as never,
      cutoffMs: 1,
      isOptional: true,
    })
    const lacking = { needed, vectors: null, ratio: 0.2, window: { limit: 1 } }
    expect(found({ ...lacking, words: WORDS }).ids).toEqual([1])
    expect(() => found({ ...lacking, words: { 1: 50 } })).toThrow(needed)
    expect(() => found({ ...lacking, words: WORDS, fusion: 'rrf' })).toThrow(needed)
  })

  it.each<[boolean, boolean, boolean]>([
    [false, false, false],
    [true, false, true],
    [false, true, true],
  ])('are degraded if one of both is: %j, %j', (words, near, degraded) => {
    expect(found({ words: WORDS, near: NEAR, degraded: [words, near] }).degraded).toBe(degraded)
  })

  it('count documents of both, without those that share a value with a hit', () => {
    // 1, 11 and 21 share a value, and so do 4 and 14.
    const both: Given = {
      words: { 1: 80, 11: 60, 5: 40 },
      near: { 4: 90, 14: 70, 21: 60 },
      distinct: oneOfEach,
    }
    const page = { window: { limit: 1 } }
    expect(found({ ...both, distinct: () => null }).count).toBe(6)
    expect(found(both).count).toBe(3)
    expect(found({ ...both, ...page }).count).toBe(5)
    expect(found({ ...both, ...page, fusion: 'rrf' }).count).toBe(5)
    const finite = { window: { limit: 1, finite: true } }
    expect(found({ ...both, ...finite }).count).toBe(5)
    expect(found({ ...both, ...finite, countTotal: true }).count).toBe(3)
    // Not fewer than there are values.
    const all = () => ({ admit: () => true, excluded: () => ALL })
    expect(found({ ...both, ...finite, distinct: all }).count).toBe(3)
  })

  it('weigh their lists by the ratio, unless ranks decide', () => {
    const hybrid = { embedder: 'e', semanticRatio: 0.75 }
    expect([listWeight(hybrid, true), listWeight(hybrid, false)]).toEqual([0.75, 0.25])
    const ranked = { ...hybrid, fusion: 'rrf' } as const
    expect([listWeight(ranked, true), listWeight(ranked, false)]).toEqual([1, 1])
  })
})

describe('groups of documents with weights', () => {
  const LIST = { 1: 90, 2: 80, 3: 70, 4: 60 }
  type Given = {
    readonly window?: Partial<Window>
    readonly threshold?: number
    readonly options?: Partial<KeywordOptions>
    readonly distinct?: () => OneOfEach | null
    readonly scale?: number
    readonly list?: List
  }
  function found(groups: { readonly [weight: string]: readonly number[] }, given: Given = {}) {
    const asked: ListRequest[] = []
    const { distinct = () => null, list = LIST, options = {}, scale, threshold = null } = given
    const inner = listed(list, byWords, { asked, ...(scale === undefined ? {} : { scale }) })
    const request = { ...DEFAULT_SEARCH, rankingScoreThreshold: threshold }
    const view = { fieldId: () => null } as never
    const parts = Object.entries(groups).map(([weight, ids]) => ({
      weight: Number(weight),
      ids: IdSet.of([...ids]),
    }))
    const retriever = new ScaledRetriever(
      view,
      request,
      { distinctField: 'f', ...options } as never,
      {
        inner,
        groups: parts,
        distinct,
      },
    )
    expect(retriever.matching(ALL)).toBe(ALL)
    const ranking = retriever.retrieve(ALL, { ...PAGE, ...given.window })
    return {
      ids: ranking.hits.map(({ id }) => id),
      scales: ranking.hits.map((hit) => hit.scale ?? 1),
      count: ranking.candidates.size,
      asked: asked.map(({ ids, window }) => [
        ids.length,
        window.offset,
        window.limit,
        window.scale,
      ]),
    }
  }

  it('are ranked apart and merged', () => {
    expect(found({ '0.5': [1], '2': [3, 4] })).toEqual({
      ids: [3, 4, 2, 1],
      scales: [2, 2, 1, 0.5],
      count: 4,
      asked: [
        [37, 0, 10, undefined],
        [2, 0, 10, 2],
        [1, 0, 10, 0.5],
      ].sort((a, b) => b[0]! - a[0]!),
    })
    const page = found({ '2': [3] }, { window: { offset: 1, limit: 2 } })
    expect([page.ids, page.asked[0]]).toEqual([
      [1, 2],
      [39, 0, 3, undefined],
    ])
  })

  it('multiply the factors of hits, to a number that is finite', () => {
    expect(found({ '2': [3] }, { scale: 3 }).scales).toEqual([6, 3, 3, 3])
    expect(found({ '2': [3] }, { scale: Number.MAX_VALUE }).scales[0]).toBe(Number.MAX_VALUE)
  })

  it('are asked only for documents that there are, and that can reach the threshold', () => {
    expect(found({ '2': [50] }, { window: { offset: 1 } }).asked).toEqual([[40, 1, 10, undefined]])
    const low = (weight: number, max?: number) =>
      found(
        { [weight]: [3] },
        {
          threshold: 0.5,
          options: max === undefined ? {} : { scales: { factors: { max } } as never },
        },
      ).asked.length
    expect([low(0.5), low(0.4), low(0.4, 1.25), low(0.4, 1.2)]).toEqual([2, 1, 2, 1])
  })

  it('have one hit for each value, and count as many', () => {
    const list = { 1: 90, 11: 80, 2: 70, 12: 60, 22: 50 }
    const given = { list, distinct: oneOfEach }
    expect(found({ '2': [12] }, given)).toMatchObject({ ids: [12, 1], count: 2 })
    const page = { ...given, window: { limit: 1 } }
    expect(found({ '2': [12] }, page)).toMatchObject({ ids: [12], count: 3 })
    const finite = { ...given, window: { finite: true } }
    expect(found({ '2': [12] }, finite).count).toBe(2)
    // Another instance counts them.
    const sent = { keepsDuplicates: true }
    expect(found({ '2': [12] }, { ...finite, options: sent }).count).toBe(5)
    expect(found({ '2': [12] }, { ...given, options: sent }).count).toBe(2)
    expect(found({ '2': [12] }, { list }).count).toBe(5)
  })
})

describe('the part to rank', () => {
  it('is the page, or everything if totals have to be exact', () => {
    const page = { offset: 3, limit: 4, finite: true }
    expect(rankedPart(page, null, ALL)).toEqual({ offset: 3, limit: 4 })
    expect(rankedPart({ ...page, finite: false }, 0.5, ALL)).toEqual({ offset: 3, limit: 4 })
    expect(rankedPart(page, 0.5, ALL)).toEqual({ offset: 0, limit: 43 })
  })

  it('has a threshold before its factor', () => {
    const of = (rankingScoreThreshold: number | null, scale?: number) =>
      thresholdFor(
        { ...DEFAULT_SEARCH, rankingScoreThreshold },
        { ...PAGE, ...(scale && { scale }) },
      )
    expect([of(null, 2), of(0.5), of(0.5, 2)]).toEqual([null, 0.5, 0.25])
  })
})

describe('documents of equal values', () => {
  const values = ['a', 'A', 'b', '', ' ']
  const reader = readerOf(values.map((value, at) => docOf(at + 1, { 0: value })))
  const view = {
    view: { layer: () => [{ reader, dead: null }] },
    search: { fields: ['f'] },
    filterRules: compileRules([]),
  } as never
  const reversed = {
    first: (all: IdSet, count: number) => all.toArray().reverse().slice(0, count),
  }
  const some = IdSet.of([1, 2, 3, 4, 5])
  const counted = (options: Parameters<typeof countedOnce>[3]): number[] => [
    ...countedOnce(view, 0, some, options).toArray(),
  ]

  it('count once, in the order of ties; blanks have no value', () => {
    expect(counted({})).toEqual([1, 3, 4, 5])
    expect(counted({ ties: reversed })).toEqual([2, 3, 4, 5])
    expect(counted({ keepsDuplicates: true })).toEqual([1, 2, 3, 4, 5])
  })

  it('are kept and ordered if they are not too many', () => {
    const kept = (count: number): boolean => {
      const all = IdSet.range(0, count)
      return countedOnce(view, 0, all, { keepsDuplicates: true }) === all
    }
    expect([kept(DISTINCT_SENT_MAX), kept(DISTINCT_SENT_MAX + 1)]).toEqual([true, false])
    const isOrdered = (count: number): boolean =>
      countedOnce(view, 0, IdSet.range(0, count), { ties: reversed }).has(2)
    const most = DISTINCT_ORDERED_MAX
    expect([isOrdered(most), isOrdered(most + 1)]).toEqual([true, false])
  })

  it('are found once each, and counted as the caller says', () => {
    const distinct = distinctOf(view, 0, true, false)
    expect([1, 2, 3].map((id) => distinct.admit(id))).toEqual([true, false, true])
    expect([...distinct.excluded().toArray()]).toEqual([1, 2, 3])
    const blanks = (filterable: readonly string[]): boolean[] => {
      const rules = compileRules(filterable)
      const { admit } = distinctOf(
        { ...(view as object), filterRules: rules } as never,
        0,
        true,
        false,
      )
      return [admit(4), admit(5)]
    }
    expect([blanks([]), blanks(['f'])]).toEqual([
      [true, true],
      [true, false],
    ])
    const counts = [
      [true, true],
      [true, false],
      [false, true],
    ].map(([later, network]) => {
      const { countedLater, countsAll } = distinctOf(view, 0, later!, network!)
      return [countedLater, countsAll]
    })
    expect(counts).toEqual([
      [true, true],
      [true, false],
      [false, false],
    ])
  })

  it('of a page are those of its candidates', () => {
    const hits = [1, 2, 3, 4].map((id): RankedHit => ({ id, scores: [] }))
    const ranked = { hits, candidates: some, degraded: false }
    const of = (finite: boolean, threshold: number | null, field: number | null) => {
      const page = { offset: 1, limit: 2, finite }
      const found = countedPage(view, ranked, page, threshold, field, {} as KeywordOptions)
      return [found.hits.map(({ id }) => id), found.candidates.size]
    }
    expect(of(false, 0.5, 0)).toEqual([[1, 2, 3, 4], 5])
    expect(of(true, null, null)).toEqual([[1, 2, 3, 4], 5])
    expect(of(true, 0.5, null)).toEqual([[2, 3], 5])
    expect(of(true, 0.5, 0)).toEqual([[2, 3], 4])
  })
})
