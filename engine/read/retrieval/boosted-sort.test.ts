// Ranking with factors, by rules that are plain tables of keys: compared with ranking all documents
// and sorting them by their multiplied scores. Few documents are ranked by the later rules.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IdSet } from '../../../format/idset/index.ts'
import { FactorTable } from '../boosts/factor-table.ts'
import type { Factors } from '../boosts/index.ts'
import {
  type BucketSortOptions,
  type Ranking,
  type RankingRule,
  type ScoreDetail,
  scaledScore,
} from '../rank/index.ts'
import { boostedSort } from './boosted-sort.ts'
import { NO_WORDS } from './keywords.ts'
import { compareInOrder, mergeKey } from './merge-order.ts'

const KEY_MAX = 3
/** By document, and then by rule; 0 is the best. */
type Keys = readonly (readonly number[])[]
type Kind = 'words' | 'sort' | 'nearest' | 'farthest' | 'bm25' | 'vectorSort'

function scoreOf(kind: Kind, key: number): ScoreDetail {
  switch (kind) {
    case 'words':
      return { kind, rank: KEY_MAX + 1 - key, max: KEY_MAX + 1 }
    case 'sort':
      return { kind, field: 'f', ascending: false, value: -key }
    case 'bm25':
      return { kind, score: KEY_MAX - key, shares: () => [] }
    case 'vectorSort':
      return { kind, similarity: key === KEY_MAX ? null : 1 - key / 4 }
    default: {
      const ascending = kind === 'nearest'
      const distance = key === KEY_MAX ? null : ascending ? key : -key
      return { kind: 'geo', target: [0, 0], point: null, ascending, distance }
    }
  }
}

/** Rule `r`; `ranked` receives the documents of each bucket that it split. */
function tableRule(keys: Keys, kind: Kind, r: number, ranked: number[][] = []): RankingRule {
  return {
    name: kind,
    open(universe, graph) {
      ranked.push([...universe.toArray()])
      let key = 0
      return {
        next(left) {
          for (; key <= KEY_MAX; key++) {
            const ids = IdSet.of([...left.toArray()].filter((id) => keys[id]![r] === key))
            if (!ids.isEmpty) return { ids, graph, score: scoreOf(kind, key++) }
          }
          return null
        },
      }
    },
  }
}

/** `counts` receives the number of documents whose factors were computed. */
function factorsFrom(factors: readonly number[], counts?: (count: number) => void): Factors {
  const table = new FactorTable()
  const of = (some: IdSet): Float64Array => {
    counts?.(some.size)
    return Float64Array.from(some.toArray(), (id) => factors[id]!)
  }
  const tableWith = (documents: IdSet): FactorTable => {
    table.add(documents, of)
    return table
  }
  return { max: Math.max(1, ...factors), tableWith } as never
}

const PLAIN: BucketSortOptions = {
  offset: 0,
  limit: 1000,
  withScores: false,
  threshold: null,
  distinct: null,
  isLate: () => false,
}

const sorted = (
  rules: readonly RankingRule[],
  factors: readonly number[],
  options: Partial<BucketSortOptions> = {},
): Ranking =>
  boostedSort(
    rules,
    IdSet.range(0, factors.length),
    NO_WORDS,
    { ...PLAIN, ...options },
    factorsFrom(factors),
  )

const idsOf = ({ hits }: Ranking): number[] => hits.map(({ id }) => id)

type Case = { readonly kinds: readonly Kind[]; readonly keys: Keys; readonly factors: number[] }
const anyCase: fc.Arbitrary<Case> = fc
  .constantFrom<Kind[]>(
    ['words', 'words', 'words'],
    ['words', 'sort', 'words'],
    ['sort', 'words', 'words'],
    ['words', 'nearest'],
    ['farthest', 'words'],
    ['words', 'bm25', 'sort'],
    ['bm25', 'words'],
    ['vectorSort', 'sort'],
    ['sort', 'vectorSort'],
    [],
  )
  .chain((kinds) => {
    const length = { minLength: kinds.length, maxLength: kinds.length }
    const document = fc.record({
      keys: fc.array(fc.nat(KEY_MAX), length),
      factor: fc.constantFrom(0, 0.5, 1, 1, 1.125, 1.25, 2, 5, 24),
    })
    return fc
      .oneof(
        fc.array(document, { maxLength: 14 }),
        fc.array(document, { minLength: 20, maxLength: 90 }),
      )
      .map((all) => ({
        kinds,
        keys: all.map(({ keys }) => keys),
        factors: all.map(({ factor }) => factor),
      }))
  })

/** All documents with their scores, in the order of multiplied scores. */
function model({ kinds, keys, factors }: Case, isReversed: boolean) {
  const byKeys = [...keys.keys()].sort((a, b) => {
    const r = kinds.findIndex((_, at) => keys[a]![at] !== keys[b]![at])
    if (r >= 0) return keys[a]![r]! - keys[b]![r]!
    return isReversed ? b - a : a - b
  })
  return byKeys
    .map((id) => {
      const scores = kinds.map((kind, r) => scoreOf(kind, keys[id]![r]!))
      const factor = factors[id]!
      const hit = factor === 1 ? { id, scores } : { id, scores, scale: factor }
      return { hit, key: mergeKey(scores, 1, 0, null, factor) }
    })
    .sort((a, b) => compareInOrder(a.key, b.key))
    .map(({ hit }) => hit)
}

/** Of a set, the largest ids. */
const reversed = { first: (all: IdSet, n: number) => all.toArray().reverse().slice(0, n) }

const window = { offset: fc.nat(8), limit: fc.integer({ min: 0, max: 12 }) }

describe('the best hits', () => {
  const plain = (hits: readonly unknown[]): unknown => JSON.parse(JSON.stringify(hits))

  it('are those of ranking all, with and without scores', () => {
    const asked = fc.record({ ...window, isReversed: fc.boolean() })
    fc.assert(
      fc.property(anyCase, asked, (one, { isReversed, limit, offset }) => {
        const rules = one.kinds.map((kind, r) => tableRule(one.keys, kind, r))
        const expected = model(one, isReversed).slice(offset, offset + limit)
        const options = { offset, limit, ties: isReversed ? reversed : null }
        const scored = sorted(rules, one.factors, { ...options, withScores: true })
        expect(plain(scored.hits)).toEqual(plain(expected))
        expect(scored.candidates.size).toBe(one.keys.length)
        const bare = sorted(rules, one.factors, options)
        expect(idsOf(bare)).toEqual(expected.map(({ id }) => id))
      }),
      { numRuns: 200 },
    )
  })

  it('reach the threshold, and are of different values', () => {
    const asked = fc.record({
      ...window,
      threshold: fc.constantFrom(null, 0.3, 0.75),
      values: fc.constantFrom(0, 3, 9),
      countedLater: fc.boolean(),
      countsAll: fc.boolean(),
    })
    fc.assert(
      fc.property(anyCase, asked, (one, { limit, offset, threshold, values, ...counts }) => {
        const rules = one.kinds.map((kind, r) => tableRule(one.keys, kind, r))
        const admitted = new Set<number>()
        const sharing = (): number[] =>
          [...one.keys.keys()].filter((id) => admitted.has(id % values))
        const distinct = {
          ...counts,
          admit: (id: number) => !admitted.has(id % values) && admitted.add(id % values).size > 0,
          excluded: () => IdSet.of(sharing()),
        }
        const options = { offset, limit, threshold, distinct: values === 0 ? null : distinct }
        const found = sorted(rules, one.factors, options)
        const reaching = model(one, false).filter(
          ({ scale = 1, scores }) => scaledScore(scores, scale) >= (threshold ?? 0),
        )
        const seen = new Set<number>()
        const needed = offset + limit
        const taken: number[] = []
        const passed: number[] = []
        for (const { id } of reaching) {
          if (taken.length >= needed) break
          if (values > 0 && seen.has(id % values)) passed.push(id)
          else taken.push(id)
          seen.add(id % values)
        }
        expect(idsOf(found)).toEqual(taken.slice(offset))
        const isCounted = values === 0 || counts.countsAll
        const left = counts.countedLater ? passed : sharing()
        const counted = reaching
          .map(({ id }) => id)
          .filter((id) => isCounted || taken.includes(id) || !left.includes(id))
        expect([...found.candidates.toArray()]).toEqual(counted.sort((a, b) => a - b))
      }),
      { numRuns: 200 },
    )
  })
})

describe('the second rule', () => {
  /** Documents of the first keys and factors; the second rule ranks them by falling id. */
  function rankedBy(first: readonly number[], factors: readonly number[], limit: number) {
    const keys = first.map((key, id) => [key, Math.max(0, KEY_MAX - id)])
    const ranked: number[][] = []
    const opened: number[][] = []
    const rules = [tableRule(keys, 'words', 0, opened), tableRule(keys, 'words', 1, ranked)]
    const ids = idsOf(sorted(rules, factors, { limit }))
    return { ids, ranked }
  }

  it.each<[string, number[], number[], number, number[], number[][]]>([
    ['none whose factors are far apart', [0, 0, 0], [1, 16, 4], 2, [1, 2], []],
    ['those that are near each other', [0, 0, 0], [1, 5, 4], 2, [1, 2], [[1, 2]]],
    ['those of equal factors', [0, 0], [2, 2], 2, [1, 0], [[0, 1]]],
    ['none of different buckets, if their order is clear', [0, 1], [4, 1], 2, [0, 1], []],
    ['the one that is known least', [0, 1], [1, 1.2], 2, [0, 1], [[1]]],
    ['both, if one does not suffice', [0, 1], [1, 1.3125], 2, [1, 0], [[1], [0]]],
    ['none with a factor of 0 before the others', [0, 0], [0, 4], 2, [1, 0], [[0, 1]]],
    [
      'none of a later bucket that cannot be better',
      [0, 0, 1, 1],
      [1, 1, 1, 1],
      2,
      [1, 0],
      [[0, 1]],
    ],
    ['those of a later bucket that can be', [0, 0, 1, 1], [1, 1, 1, 3], 2, [3, 1], [[0, 1]]],
  ])('ranks %s', (_, first, factors, limit, ids, ranked) => {
    expect(rankedBy(first, factors, limit)).toEqual({ ids, ranked })
  })

  it('ranks more than 16 documents of a bucket at once', () => {
    const of = (count: number) => {
      const factors = Array.from({ length: count }, (_, id) => 4 ** (id % 20))
      return rankedBy(new Array(count).fill(0), factors, count).ranked.map((ids) => ids.length)
    }
    expect([of(16), of(17)]).toEqual([[], [17]])
  })
})

describe('of many documents', () => {
  type Work = {
    /** Buckets that the first rule was asked for. */
    readonly buckets: number
    /** Documents that each further rule ranked. */
    readonly ranked: readonly number[]
    /** Documents whose factor was computed. */
    readonly factors: number
  }
  function workOf({ factors, keys, kinds }: Case, options: Partial<BucketSortOptions>): Work {
    const ranked: number[][][] = kinds.map(() => [])
    const work = { buckets: 0, factors: 0 }
    const rules = kinds.map((kind, r) => tableRule(keys, kind, r, ranked[r]))
    const [first] = rules
    rules[0] = {
      ...first!,
      open(universe, graph) {
        const source = first!.open(universe, graph)
        const next: typeof source.next = (left) => {
          work.buckets++
          return source.next(left)
        }
        return { next }
      },
    }
    const counted = factorsFrom(factors, (count) => {
      work.factors += count
    })
    boostedSort(rules, IdSet.range(0, keys.length), NO_WORDS, { ...PLAIN, ...options }, counted)
    return { ...work, ranked: ranked.slice(1).map((some) => some.flat().length) }
  }

  const keysOf = (count: number, rules: number): Keys =>
    Array.from({ length: count }, (_, id) =>
      Array.from({ length: rules }, (_, r) => (r === 0 ? id % 4 : (id >>> 2) % 4)),
    )
  const ones = new Array<number>(80).fill(1)
  const two: Case = { kinds: ['words', 'words'], keys: keysOf(80, 2), factors: ones }
  const sorts: Case = { ...two, kinds: ['sort', 'words'] }
  const vectors: Case = { ...two, kinds: ['vectorSort'] }
  const oneLarge = ones.map((_, id) => (id === 42 ? 3 : 1))
  const apart = ones.map((_, id) => 8 ** (id >>> 2))
  const zeros = ones.map((_, id) => (id % 4 === 0 ? 0 : 1))
  const rising = ones.map((_, id) => 1 + id / 40)
  const eight: Case = { ...two, keys: keysOf(8, 2), factors: [64, 8, 1, 1, 64, 8, 1, 1] }
  const three: Case = { kinds: ['words', 'words', 'words'], keys: keysOf(80, 3), factors: rising }
  const pair: Case = { ...three, keys: keysOf(2, 3), factors: [1, 1.3125] }

  it.each<[string, Case, Partial<BucketSortOptions>, Work]>([
    ['equal factors', two, { limit: 5 }, { buckets: 1, ranked: [20], factors: 80 }],
    ['no hits', two, { limit: 0 }, { buckets: 0, ranked: [0], factors: 80 }],
    ['a sort', sorts, { limit: 5 }, { buckets: 1, ranked: [20], factors: 80 }],
    ['vectors', vectors, { limit: 5 }, { buckets: 2, ranked: [], factors: 20 }],
    [
      'a threshold, before the factor',
      { ...two, factors: oneLarge },
      { limit: 5, threshold: 0.8 },
      { buckets: 4, ranked: [60], factors: 80 },
    ],
    [
      'a threshold without factors above 1',
      two,
      { limit: 5, threshold: 0.8 },
      { buckets: 4, ranked: [20], factors: 80 },
    ],
    [
      'one large factor',
      { ...two, factors: oneLarge },
      { limit: 5 },
      { buckets: 4, ranked: [21], factors: 80 },
    ],
    [
      'one large factor behind a sort',
      { ...sorts, factors: oneLarge },
      { limit: 5 },
      { buckets: 1, ranked: [20], factors: 80 },
    ],
    [
      'factors far apart',
      { ...two, factors: apart },
      { limit: 5 },
      { buckets: 4, ranked: [4], factors: 80 },
    ],
    ['the best in one bucket', eight, { limit: 1 }, { buckets: 1, ranked: [2], factors: 8 }],
    ['three rules', three, { limit: 4 }, { buckets: 2, ranked: [13, 4], factors: 80 }],
    ['two documents', pair, { limit: 2 }, { buckets: 2, ranked: [2, 2], factors: 2 }],
    [
      'factors of zero',
      { ...three, factors: zeros },
      { limit: 4 },
      { buckets: 3, ranked: [60, 50], factors: 80 },
    ],
    [
      'a sort between words',
      { ...three, kinds: ['words', 'sort', 'words'], factors: ones },
      { limit: 4 },
      { buckets: 1, ranked: [20, 5], factors: 80 },
    ],
  ])('with %s, few are ranked', (_, one, options, work) => {
    expect(workOf(one, options)).toEqual(work)
  })
})
