// Which rules a search has, in which order; the rules of values, vectors and scores.
import { describe, expect, it } from 'vitest'
import { IdSet } from '../../../format/idset/index.ts'
import { QueryGraph } from '../query-graph/index.ts'
import { Bm25Rule } from './bm25-rule.ts'
import type { RankingRule, RuleContext } from './rule.ts'
import { keywordRules, placeholderRules } from './rule-list.ts'
import { boundedScore, globalScore, type ScoreDetail, scaledScore } from './scores.ts'
import { SortRule } from './sort-rule.ts'
import { VectorRule, vectorRules } from './vector-rule.ts'

const CONTEXT = {
  weightMax: 3,
  weightOf: () => 0,
  space: { scope: { fields: null } },
  searchableFields: () => [],
} as unknown as RuleContext
const named = (name: string): RankingRule => ({ name }) as RankingRule

/** Rules of values: `sort` has two fields, and `taken` has a rule already. */
const VALUES = {
  requested: () => [named('sort a'), named('sort b')],
  custom: (field: string, ascending: boolean) =>
    field === 'taken' ? null : named(`${field} ${ascending}`),
}
const namesOf = (rules: readonly RankingRule[]): string => rules.map(({ name }) => name).join(', ')

describe('the rules of a search with words', () => {
  it.each<[string, string]>([
    ['', ''],
    ['words', 'words'],
    // Documents without a word may be found by the first rule that looks at words.
    ['typo', 'words, typo'],
    ['typo, words', 'words, typo'],
    ['sort, typo', 'sort a, sort b, words, typo'],
    ['year:asc, words, size:desc', 'year true, words, size false'],
    ['taken:asc, words', 'words'],
    ['sort, words, sort', 'sort a, sort b, words'],
    ['bm25', 'bm25'],
    ['bm25, words, bm25', 'bm25, words'],
    ['words, typo, words, typo', 'words, typo'],
    ['attribute', 'words, attributeRank, wordPosition'],
    ['attributeRank, attribute', 'words, attributeRank, wordPosition'],
    ['wordPosition, attributeRank', 'words, wordPosition, attributeRank'],
    ['wordPosition, attribute, wordPosition', 'words, wordPosition, attributeRank'],
    ['proximity, proximity', 'words, proximity'],
    ['exactness, exactness', 'words, exactAttribute, exactWords'],
    ['unknown, words', 'words'],
  ])('%s: %s', (names, expected) => {
    const list = names === '' ? [] : names.split(', ')
    expect(namesOf(keywordRules(list, 'last', CONTEXT, VALUES))).toBe(expected)
    const withoutWords = expected.split(', ').filter((name) => name !== 'words')
    expect(namesOf(keywordRules(list, 'all', CONTEXT, VALUES))).toBe(withoutWords.join(', '))
    const any = keywordRules(list, 'any', CONTEXT, VALUES)
    expect(namesOf(any)).toBe(expected)
    const words = any.find(({ name }) => name === 'words')
    if (words !== undefined) expect(words.constructor.name).toBe('AnyWordsRule')
  })
})

it.each<[string, string, string]>([
  ['words, sort, year:desc, sort', 'sort a, sort b, year false', 'v, sort a, sort b, year false'],
  ['sort, typo, words', 'sort a, sort b', 'sort a, sort b, v'],
  ['taken:asc, unknown, bm25', '', 'v'],
  ['year:asc', 'year true', 'year true'],
])('%s: without words %s, with a vector %s', (names, placeholder, vector) => {
  const list = names.split(', ')
  expect(namesOf(placeholderRules(list, VALUES))).toBe(placeholder)
  expect(namesOf(vectorRules(list, named('v'), VALUES))).toBe(vector)
})

const GRAPH = new QueryGraph([], [], [])

/** Reads all buckets of a rule: the ids and the score of each. */
function bucketsOf(rule: RankingRule, universe: IdSet, all = 20) {
  const source = rule.open(universe, GRAPH)
  const found: [number[], ScoreDetail][] = []
  let left = universe
  for (let i = 0; i < all && !left.isEmpty; i++) {
    const bucket = source.next(left)
    if (bucket === null) break
    found.push([[...bucket.ids.toArray()], bucket.score])
    left = left.andNot(bucket.ids)
  }
  return found
}

describe('the rule of a vector', () => {
  const SIMILARITIES = new Map([
    [1, 0.9],
    [2, 0.5],
    [3, 0.9],
    [4, 0.1],
    [5, 0.5],
  ])
  const asked: [number, number][] = []
  const nearest = (among: IdSet, count: number) => {
    asked.push([among.size, count])
    return [...SIMILARITIES]
      .filter(([id]) => among.has(id))
      .sort((a, b) => b[1] - a[1] || a[0] - b[0])
      .slice(0, count)
      .map(([id, similarity]) => ({ id, similarity }))
  }
  const ruleOf = (count: number) => new VectorRule(nearest, count, (one) => one * 10)
  const shown = (similarity: number | null) => ({ kind: 'vectorSort', similarity })

  it.each([0, 1, 2, 3, 9])('yields documents by similarity, without vectors last (%i)', (count) => {
    asked.length = 0
    const buckets = bucketsOf(ruleOf(count), IdSet.range(0, 8))
    const flat = buckets.flatMap(([ids, score]) => ids.map((id) => [id, score] as const))
    expect(flat).toEqual([
      [1, shown(9)],
      [3, shown(9)],
      [2, shown(5)],
      [5, shown(5)],
      [4, shown(1)],
      [0, shown(null)],
      [6, shown(null)],
      [7, shown(null)],
    ])
    const counts = asked.map(([, one]) => one)
    expect(counts).toEqual(counts.map((_, i) => Math.max(1, count) * 2 ** i))
    expect(asked[0]).toEqual([8, Math.max(1, count)])
  })

  it('leaves out documents that other rules have taken meanwhile', () => {
    const source = ruleOf(5).open()
    expect(source.next(IdSet.of([3, 2]))!.ids.toArray()).toEqual(Uint32Array.of(3))
    const all = ruleOf(5).open()
    all.next(IdSet.range(0, 8))
    expect([...all.next(IdSet.of([4, 7]))!.ids.toArray()]).toEqual([4])
  })

  it('is a page if no other rule applies and enough documents have vectors', () => {
    const universe = IdSet.range(0, 8)
    const hits = (count: number, offset: number) =>
      ruleOf(count)
        .page(universe, offset)
        ?.hits.map(({ id, scores }) => [id, scores[0]]) ?? null
    expect(hits(3, 1)).toEqual([
      [3, shown(9)],
      [2, shown(5)],
    ])
    expect(hits(5, 4)).toEqual([[4, shown(1)]])
    expect(hits(6, 0)).toBeNull()
    expect(hits(0, 0)).toEqual([])
    expect(ruleOf(1).page(universe, 0)).toMatchObject({ candidates: universe, degraded: false })
  })
})

it('the rule of a sort passes buckets on, with the graph of the query', () => {
  const score = { kind: 'sort', field: 'f', ascending: true, value: 1 } as const
  const opened: IdSet[] = []
  const rule = new SortRule((universe) => {
    opened.push(universe)
    return { next: (left) => (left.size > 1 ? { ids: IdSet.of([2]), score } : null) }
  })
  const universe = IdSet.of([1, 2])
  expect(bucketsOf(rule, universe)).toEqual([[[2], score]])
  expect(opened).toEqual([universe])
  expect(rule.open(universe, GRAPH).next(universe)!.graph).toBe(GRAPH)
})

it('the rule of scores yields documents of equal scores together', () => {
  const ids = Uint32Array.of(1, 7, 2, 3)
  const scores = Float32Array.of(4, 3, 3, 1)
  const calls: unknown[] = []
  const relevance = {
    best: (universe: IdSet, count: number) => {
      calls.push([universe.size, count])
      return { ids, scores, isCut: false }
    },
    sharesOf: (id: number) => `shares of ${id}`,
  }
  const rule = new Bm25Rule({ relevance: () => relevance } as unknown as RuleContext)
  // Equal scores ascend by id.
  ids.set([1, 2, 7, 3])
  const buckets = bucketsOf(rule, IdSet.of([1, 2, 3, 7]))
  expect(buckets.map(([found]) => found)).toEqual([[1], [2, 7], [3]])
  const details = buckets.map(([, score]) =>
    score.kind === 'bm25' ? [score.score, score.shares()] : null,
  )
  expect(details).toEqual([
    [4, 'shares of 1'],
    [3, 'shares of 2'],
    [1, 'shares of 3'],
  ])
  expect(calls).toEqual([[4, 4]])
})

describe('a combined score', () => {
  const words = { kind: 'words', rank: 2, max: 3 } as const
  const bm25 = { kind: 'bm25', score: 5, shares: () => [] } as const
  const vector = (similarity: number | null): ScoreDetail => ({ kind: 'vectorSort', similarity })
  const fused = { kind: 'fusion', wordsRank: 1, vectorRank: null, score: 0.7 } as const

  it('is the similarity of a vector, the score of a fusion, and a part of a rank by bm25', () => {
    expect(globalScore([words, vector(0.25), words])).toBe(0.25)
    expect(globalScore([vector(null)])).toBe(0)
    expect(globalScore([fused, words])).toBe(0.7)
    expect([boundedScore(0), boundedScore(5), boundedScore(15)]).toEqual([0, 0.5, 0.75])
    expect(globalScore([words, bm25, words])).toBe(1.5 / 3)
  })

  it('is multiplied by a factor, up to 1, unless it is that of a fusion', () => {
    expect(scaledScore([words])).toBe(2 / 3)
    expect([0.5, 1.2, 9].map((scale) => scaledScore([words], scale))).toEqual([
      1 / 3,
      (2 / 3) * 1.2,
      1,
    ])
    expect(scaledScore([fused], 0.5)).toBe(0.7)
  })
})
